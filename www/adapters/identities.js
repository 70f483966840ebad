// The part that all guards share: each token is verified and opened once, and its identity is cached until it expires.
import { EngineError, Identity, Policy, verifier, VerifiedClaims } from 'gbac-engine/verify';
import { memberOf, own } from '../lib/own.js';
import { keySetOf, RemoteKeySet, verifying } from './remote.js';

/** @typedef {import('gbac-engine/verify').Verifier} Verifier */
/** @typedef {(token: string, now: number) => VerifiedClaims | Promise<VerifiedClaims>} Verify */
/** @typedef {(token: string) => Promise<Identity>} Identify */

const seconds = () => Date.now() / 1000;

/**
 * The keys cannot be fetched or used, so no token can be verified. Express and Fastify respond with its `status`, 503.
 */
export class KeysUnavailable extends Error {
  name = 'KeysUnavailable';
  status = 503;
  statusCode = 503;
}

/**
 * Verifies tokens with the keys of an identity provider. They are fetched for the first token, when a token names a new key, and
 * again after an hour; while they cannot be fetched, the last ones are used. `url` is the `jwks_uri`, with `https:`, or with `http:`
 * on loopback. The returned function throws {@link KeysUnavailable} if there are no keys, and the `EngineError` of the token
 * otherwise.
 * @param {{ url: string, issuer: string, audience: string, fetch?: import('./remote.js').Fetch, clock?: () => number }} options
 * @returns {(token: string, now: number) => Promise<import('gbac-engine/verify').VerifiedClaims>}
 */
export function remoteKeys(options) {
  const { url, issuer, audience, fetch = globalThis.fetch, clock = seconds } = own(options);
  return verifying(new RemoteKeySet(url, fetch, clock, (/** @type {string} */ jwks) => verifier(jwks, { issuer, audience }), KeysUnavailable));
}

/**
 * Returns a function from a token to its open identity. Each token is verified once, and its identity is cached until it
 * expires, at most `limit` of them. With {@link remoteKeys}, it is verified again after the keys changed. Identities are shared
 * by all requests with the token: nothing can be assigned to them, and their `free` does nothing. Those that leave the cache may
 * still be in use, so the garbage collector frees them.
 *
 * `policy` is a policy of `gbac-engine/verify`, or a function that returns the current one, so that the policy can be replaced.
 * `verify` is what {@link remoteKeys} returns, a verifier, or a function of your own: from a token and the time, in seconds since
 * 1970, to verified claims. Anything else throws an `EngineError` with the code `wrong_type`, and claims that no verifier made one
 * with the code `not_verified`.
 * @param {{ policy: Policy | (() => Policy), verify: Verify | Verifier, limit?: number, clock?: () => number }} options
 * @returns {Identify}
 * @example
 * const keys = await verifier(jwks, { issuer: 'https://idp.example.com', audience: 'orders-api' });
 * const identify = identities({ policy, verify: keys });
 */
export function identities(options) {
  const { policy, verify, limit = 1000, clock = seconds } = own(options);
  const verified = verification(verify);
  if (typeof policy !== 'function' && !(policy instanceof Policy)) {
    throw new EngineError('wrong_type', '`policy` must be a policy of `gbac-engine/verify`, or a function that returns one');
  }
  const keySet = keySetOf(verify);
  let cache = emptyCache(undefined, undefined);
  /** The cache for the current policy and keys. A request that began before they changed ends in the cache that it began with. */
  const currentCache = () => {
    keySet?.refresh();
    const current = typeof policy === 'function' ? policy() : policy;
    if (cache.policy !== current || cache.version !== keySet?.version) cache = emptyCache(current, keySet?.version);
    return cache;
  };
  return async (token) => {
    const now = clock();
    const { policy: current, opened, opening } = currentCache();
    const known = opened.get(token);
    if (known !== undefined) {
      opened.delete(token);
      if (!known.isExpired(now)) {
        opened.set(token, known);   // the most recently used is removed last
        return known;
      }
    }
    const open = async () => {
      try {
        const identity = openVerified(current, await verified(token, now));
        // A token within the clock skew passes verification but has expired; it is not cached.
        if (!identity.isExpired(now)) opened.set(token, identity);
        if (opened.size > limit) opened.delete(/** @type {string} */ (opened.keys().next().value));
        return identity;
      } finally {
        opening.delete(token);
      }
    };
    const pending = opening.get(token) ?? open();
    opening.set(token, pending);
    return pending;
  };
}

/**
 * The open identities of a policy by their tokens, and those that are being opened.
 * @param {Policy | undefined} policy
 * @param {number | undefined} version of the keys
 */
function emptyCache(policy, version) {
  /** @type {Map<string, Identity>} */
  const opened = new Map();
  /** @type {Map<string, Promise<Identity>>} */
  const opening = new Map();
  return { policy: /** @type {Policy} */ (policy), version, opened, opening };
}

/**
 * The shared identity of verified claims, and of nothing else.
 * @param {Policy} policy
 * @param {VerifiedClaims} claims
 */
function openVerified(policy, claims) {
  if (!(claims instanceof VerifiedClaims)) {
    throw new EngineError('not_verified', '`verify` must return verified claims, as `verify` of a verifier does; the claims of a token are not enough');
  }
  try {
    return policy.open(claims, { shared: true });
  } finally {
    claims.free();
  }
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
  const identity = memberOf(request, 'identity');
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
const invalidToken = (code) => own({ status: /** @type {const} */ (401), challenge: `Bearer error="invalid_token", error_description="${code}"` });

/** The codes of errors that no token causes. */
const FAULTS_OF_SERVERS = [
  'clock_in_milliseconds', 'clock_invalid', 'engine_failed', 'freed', 'module_not_loaded', 'not_loaded', 'not_verified', 'other_module', 'wrong_type',
];

/** @typedef {import('gbac-engine').OperationName} Op */
/** @typedef {import('gbac-engine').ResourceTypeName} Type */
/** @typedef {{ operation: Op, resource_type: Type, resource_name: string }} RequiredAccess */
/** @typedef {RequiredAccess & { host?: string, now: number }} DeniedRequest */
/** @typedef {(identity: Identity, request: DeniedRequest) => void} OnDenied */
/** @typedef {(identity: Identity, request: DeniedRequest) => string | object} DeniedBody */

/**
 * Decides a request: returns the identity of its token, or the status and the challenge of the refusal. `onDenied` is called
 * before a 403, with a request for `identity.decide`; what `deniedBody` returns is the `body` of the 403.
 * @param {string | null | undefined} header
 * @param {RequiredAccess} required
 * @param {{ identify: Identify, host?: string, clock?: () => number, onDenied?: OnDenied, deniedBody?: DeniedBody }} options
 * @returns {Promise<{ identity: Identity } | { status: 401 | 403, challenge: string, body?: string | object }>}
 */
export async function admit(header, required, options) {
  const { identify, host, clock = seconds, onDenied, deniedBody } = own(options);
  const token = bearer(header);
  if (token === undefined) return own({ status: 401, challenge: 'Bearer' });
  let identity;
  try {
    identity = await identify(token);
  } catch (error) {
    // The caller is responsible for an invalid token, the server for everything else.
    if (error instanceof EngineError && !FAULTS_OF_SERVERS.includes(error.code)) return invalidToken(error.code);
    throw error;
  }
  if (!(identity instanceof Identity && identity.verified)) {
    throw new EngineError('not_verified', 'a guard accepts only identities of verified tokens; use `identities` with a verifier');
  }
  const now = clock();
  // Not 403, so that the client fetches a new token.
  if (identity.isExpired(now)) return invalidToken('token_expired');
  const { operation, resource_type, resource_name } = own(required);
  const address = clientAddress(host);
  if (identity.can(operation, resource_type, resource_name, { host: address, now })) return own({ identity });
  const denied = { operation, resource_type, resource_name, ...(address === undefined ? {} : { host: address }), now };
  onDenied?.(identity, denied);
  return own({ status: 403, challenge: 'Bearer error="insufficient_scope"', body: deniedBody?.(identity, denied) });
}
