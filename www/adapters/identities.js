// The part that all guards share: each token is verified and opened once, and its identity is cached until it expires.
import { EngineError, Identity, Policy, verifier } from 'gbac-engine/verify';

/** @typedef {import('gbac-engine/verify').Verifier} Verifier */
/** @typedef {import('gbac-engine/verify').VerifiedClaims} VerifiedClaims */
/** @typedef {(token: string, now: number) => VerifiedClaims | Promise<VerifiedClaims>} Verify */
/** @typedef {(token: string) => Promise<Identity>} Identify */

/** The shortest time between two fetches for tokens with an unknown key, in seconds. */
const REFETCH_INTERVAL = 60;
/** The longest time for a fetch of the keys, in milliseconds. */
const FETCH_TIMEOUT = 10_000;

/**
 * The keys cannot be fetched or used, so no token can be verified. Express and Fastify respond with its `status`, 503.
 */
export class KeysUnavailable extends Error {
  name = 'KeysUnavailable';
  status = 503;
  statusCode = 503;
}

/**
 * Verifies tokens with the keys of an identity provider, which are fetched for the first token and when a token names a new
 * key. `url` is the `jwks_uri`, with `https:` or `http:`. The returned function throws {@link KeysUnavailable} if there are no
 * keys, and the `EngineError` of the token otherwise.
 * @param {{ url: string, issuer: string, audience: string, fetch?: typeof globalThis.fetch, clock?: () => number }} options
 * @returns {(token: string, now: number) => Promise<import('gbac-engine/verify').VerifiedClaims>}
 */
export function remoteKeys({ url, issuer, audience, fetch = globalThis.fetch, clock = () => Date.now() / 1000 }) {
  // Checked at the start of the program instead of at the first token.
  if (typeof url !== 'string') throw new EngineError('wrong_type', `\`url\` must be the address of the keys, a string, but is of type ${typeof url}`);
  /** @type {Promise<Verifier> | undefined} */
  let loading;
  let loadedAt = -Infinity;
  const load = () => {
    loadedAt = clock();
    const current = (async () => {
      try {
        const response = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(FETCH_TIMEOUT) });
        if (!response.ok) throw new Error(`the status is ${response.status}`);
        return await verifier(await response.text(), { issuer, audience });
      } catch (cause) {
        throw new KeysUnavailable('the keys of the identity provider cannot be fetched', { cause });
      }
    })();
    // The next token tries again.
    current.catch(() => { if (loading === current) loading = undefined; });
    return (loading = current);
  };
  return async (token, now) => {
    const keys = await (loading ?? load());
    try {
      return keys.verify(token, { now });
    } catch (error) {
      const isNew = error instanceof EngineError && error.code === 'kid_unknown';
      if (!isNew || clock() < loadedAt + REFETCH_INTERVAL) throw error;
      return (await load()).verify(token, { now });
    }
  };
}

/**
 * Returns a function from a token to its open identity. Each token is verified once, and its identity is cached until it
 * expires, at most `limit` of them. Identities that leave the cache may still be in use, so the garbage collector frees them.
 *
 * `policy` is a policy of `gbac-engine/verify`, or a function that returns the current one, so that the policy can be replaced.
 * `verify` is what {@link remoteKeys} returns, a verifier, or a function of your own: from a token and the time, in seconds since
 * 1970, to verified claims. Anything else throws an `EngineError` with the code `wrong_type`.
 * @param {{ policy: Policy | (() => Policy), verify: Verify | Verifier, limit?: number, clock?: () => number }} options
 * @returns {Identify}
 * @example
 * const keys = await verifier(jwks, { issuer: 'https://idp.example.com', audience: 'orders-api' });
 * const identify = identities({ policy, verify: keys });
 */
export function identities({ policy, verify, limit = 1000, clock = () => Date.now() / 1000 }) {
  const verified = verification(verify);
  if (typeof policy !== 'function' && !(policy instanceof Policy)) {
    throw new EngineError('wrong_type', '`policy` must be a policy of `gbac-engine/verify`, or a function that returns one');
  }
  /** @type {Map<string, Identity>} */
  const opened = new Map();
  /** @type {Policy | undefined} */
  let previous;
  return async (token) => {
    const now = clock();
    const current = typeof policy === 'function' ? policy() : policy;
    if (current !== previous) opened.clear();
    previous = current;
    const known = opened.get(token);
    if (known !== undefined) {
      opened.delete(token);
      if (!known.isExpired(now)) {
        opened.set(token, known);   // the most recently used is removed last
        return known;
      }
    }
    const claims = await verified(token, now);
    try {
      const identity = current.open(claims);
      // A token within the clock skew passes verification but has expired; it is not cached. Nor is one of a replaced policy.
      if (!identity.isExpired(now) && current === previous) opened.set(token, identity);
      for (const oldest of opened.keys()) {
        if (opened.size <= limit) break;
        opened.delete(oldest);
      }
      return identity;
    } finally {
      claims.free();
    }
  };
}

/**
 * @param {Verify | Verifier} verify
 * @returns {Verify}
 */
function verification(verify) {
  if (typeof verify === 'function') return verify;
  if (typeof verify?.verify !== 'function') {
    throw new EngineError('wrong_type', '`verify` must be the result of `remoteKeys` or `verifier`, or a function from a token and the time to verified claims');
  }
  return (token, now) => verify.verify(token, { now });
}

/**
 * The caller of a request that a guard passed. Without a guard before it, throws an `EngineError` with the code `not_verified`.
 * @param {object} request
 * @returns {Identity}
 * @example
 * app.get('/topics/:name', mayRead, (request, response) => response.json({ user: identityOf(request).user }));
 */
export function identityOf(request) {
  const { identity } = /** @type {{ identity?: unknown }} */ (request);
  if (!(identity instanceof Identity)) throw new EngineError('not_verified', 'no guard has passed this request; put the guard before this handler');
  return identity;
}

/**
 * The token of an `Authorization` header.
 * @param {string | null | undefined} header
 */
export function bearer(header) {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1];
}

/**
 * A client's address in the form of ACLs: without the zone of a link-local address, as in `fe80::1%eth0`.
 * @param {string | undefined} address
 */
export function clientAddress(address) {
  return address?.replace(/%.*$/s, '');
}

/** @param {string} code */
const invalidToken = (code) => ({ status: /** @type {const} */ (401), challenge: `Bearer error="invalid_token", error_description="${code}"` });

/** @typedef {import('gbac-engine').OperationName} Op */
/** @typedef {import('gbac-engine').ResourceTypeName} Type */
/** @typedef {{ operation: Op, resource_type: Type, resource_name: string }} Need */
/** @typedef {Need & { host?: string, now: number }} DeniedRequest */
/** @typedef {(identity: Identity, request: DeniedRequest) => void} OnDenied */
/** @typedef {(identity: Identity, request: DeniedRequest) => string | object} DeniedBody */

/**
 * Decides a request: returns the identity of its token, or the status and the challenge of the refusal. `onDenied` is called
 * before a 403, with a request for `identity.explain`; what `deniedBody` returns is the `body` of the 403.
 * @param {string | null | undefined} header
 * @param {Need} need
 * @param {{ identify: Identify, host?: string, clock?: () => number, onDenied?: OnDenied, deniedBody?: DeniedBody }} options
 * @returns {Promise<{ identity: Identity } | { status: 401 | 403, challenge: string, body?: string | object }>}
 */
export async function admit(header, need, { identify, host, clock = () => Date.now() / 1000, onDenied, deniedBody }) {
  const token = bearer(header);
  if (token === undefined) return { status: 401, challenge: 'Bearer' };
  let identity;
  try {
    identity = await identify(token);
  } catch (error) {
    // The caller is responsible for an invalid token, the server for missing keys and a failed engine.
    if (error instanceof EngineError && error.code !== 'engine_failed') return invalidToken(error.code);
    throw error;
  }
  const now = clock();
  // Not 403, so that the client fetches a new token.
  if (identity.isExpired(now)) return invalidToken('token_expired');
  const { operation, resource_type, resource_name } = need;
  const address = clientAddress(host);
  if (identity.can(operation, resource_type, resource_name, { host: address, now })) return { identity };
  const denied = { operation, resource_type, resource_name, ...(address === undefined ? {} : { host: address }), now };
  onDenied?.(identity, denied);
  return { status: 403, challenge: 'Bearer error="insufficient_scope"', body: deniedBody?.(identity, denied) };
}
