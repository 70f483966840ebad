// What the guards share: tokens are verified, and each is opened once until it ends.
import { EngineError, verifier } from 'gbac-engine/verify';

/** @typedef {import('gbac-engine/verify').Identity} Identity */
/** @typedef {import('gbac-engine/verify').Verifier} Verifier */
/** @typedef {(token: string) => Promise<Identity>} Identify */

/** How soon keys are fetched again because a token names one that is not among them, in seconds. */
const AGAIN = 60;

/**
 * The keys of an identity provider, fetched when they are first needed and when a token names a new one.
 * @param {{ url: string, issuer: string, audience: string, fetch?: typeof globalThis.fetch, clock?: () => number }} options
 * @returns {(token: string, now: number) => Promise<import('gbac-engine/verify').VerifiedClaims>}
 */
export function remoteKeys({ url, issuer, audience, fetch = globalThis.fetch, clock = () => Date.now() / 1000 }) {
  // Said when the program starts, not when the first token comes.
  if (typeof url !== 'string') throw new EngineError('wrong_type', `\`url\` is the address of the keys, a string, and this is of type ${typeof url}`);
  /** @type {Promise<Verifier> | undefined} */
  let loading;
  let loadedAt = -Infinity;
  const load = () => {
    loadedAt = clock();
    const mine = (async () => {
      const answer = await fetch(url, { headers: { accept: 'application/json' } });
      if (!answer.ok) throw new Error(`the keys cannot be fetched: ${answer.status}`);
      return verifier(await answer.text(), { issuer, audience });
    })();
    // The next token tries again.
    mine.catch(() => { if (loading === mine) loading = undefined; });
    return (loading = mine);
  };
  return async (token, now) => {
    const keys = await (loading ?? load());
    try {
      return keys.verify(token, { now });
    } catch (error) {
      const isNew = error instanceof EngineError && error.code === 'kid_unknown';
      if (!isNew || clock() < loadedAt + AGAIN) throw error;
      return (await load()).verify(token, { now });
    }
  };
}

/**
 * Opens identities by token: each is verified once and kept until it ends, at most `limit` of them. Who is dropped may still be
 * in use, so nobody frees it: it goes when it is collected.
 * @param {{
 *   policy: import('gbac-engine/verify').Policy, verify: ReturnType<typeof remoteKeys>, limit?: number, clock?: () => number,
 * }} options
 * @returns {Identify}
 */
export function identities({ policy, verify, limit = 1000, clock = () => Date.now() / 1000 }) {
  /** @type {Map<string, Identity>} */
  const opened = new Map();
  return async (token) => {
    const now = clock();
    const known = opened.get(token);
    if (known !== undefined) {
      opened.delete(token);
      if (!known.isExpired(now)) {
        opened.set(token, known);   // the most recently used is removed last
        return known;
      }
    }
    const claims = await verify(token, now);
    try {
      const identity = policy.open(claims);
      // What the clocks' tolerance let through has ended all the same, and is not kept.
      if (!identity.isExpired(now)) opened.set(token, identity);
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
 * The token of an `Authorization` header.
 * @param {string | null | undefined} header
 */
export function bearer(header) {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1];
}

/**
 * A client's address as ACLs name it: the zone of a link-local one, as in `fe80::1%eth0`, is an interface of this machine.
 * @param {string | undefined} address
 */
export function clientAddress(address) {
  return address?.replace(/%.*$/s, '');
}

/** @param {string} code */
const invalidToken = (code) => ({ status: /** @type {const} */ (401), challenge: `Bearer error="invalid_token", error_description="${code}"` });

/** @typedef {import('gbac-engine').OperationName} Op */
/** @typedef {{ operation: Op, resourceType: import('gbac-engine').ResourceTypeName, name: string }} Need */

/**
 * What becomes of a request: who makes it, or the status and challenge to refuse it with.
 * @param {string | null | undefined} header
 * @param {Need} need
 * @param {{ identify: Identify, host?: string, clock?: () => number }} options
 * @returns {Promise<{ identity: Identity } | { status: 401 | 403, challenge: string }>}
 */
export async function admit(header, need, { identify, host, clock = () => Date.now() / 1000 }) {
  const token = bearer(header);
  if (token === undefined) return { status: 401, challenge: 'Bearer' };
  let identity;
  try {
    identity = await identify(token);
  } catch (error) {
    // A token that is refused is the caller's fault; keys that cannot be fetched and an engine that failed are ours.
    if (error instanceof EngineError && error.code !== 'engine_failed') return invalidToken(error.code);
    throw error;
  }
  const now = clock();
  // Not 403: a client that is told so fetches a new token.
  if (identity.isExpired(now)) return invalidToken('token_expired');
  const { operation, resourceType, name } = need;
  const isAllowed = identity.can(operation, resourceType, name, { host: clientAddress(host), now });
  return isAllowed ? { identity } : { status: 403, challenge: 'Bearer error="insufficient_scope"' };
}
