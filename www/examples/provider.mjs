// A stand-in for your identity provider, to run the other examples: it creates a key and signs tokens. Not for production.

/** @param {Uint8Array | ArrayBuffer} bytes */
const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Creates a provider: its public key set, and a function that signs claims. */
export async function provider() {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const jwks = { keys: [{ ...await crypto.subtle.exportKey('jwk', publicKey), kid: 'key-1', use: 'sig', alg: 'ES256' }] };
  /** @param {object} claims */
  const token = async (claims) => {
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: 'https://idp.example.com', aud: 'orders-api', iat: now, exp: now + 300, ...claims };
    const text = [{ alg: 'ES256', typ: 'JWT', kid: 'key-1' }, payload].map((part) => base64url(new TextEncoder().encode(JSON.stringify(part)))).join('.');
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(text));
    return `${text}.${base64url(signature)}`;
  };
  return { jwks, token };
}
