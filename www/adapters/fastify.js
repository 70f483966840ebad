// A guard for Fastify.
import { memberOf, own } from '../lib/own.js';
import { admit } from './identities.js';
export { identityOf } from './identities.js';

/**
 * Returns an `onRequest` hook that passes requests whose token allows what they need, and sets `request.identity`. Call
 * `app.decorateRequest('identity', null)` once. Before a 403, `onDenied(identity, request)` is called, for example to log
 * `identity.decide(request).reason`. The body of the 403 is `{ error: 'not allowed' }`, or what `deniedBody(identity, request)` returns.
 * `identityOf(request)` returns the identity with its type.
 *
 * The client's address is `request.ip`, which Fastify takes from the connection, or from `X-Forwarded-For` with `trustProxy`.
 * @template {{ headers: { authorization?: string | undefined }, ip?: string, identity?: unknown, params?: any }} Request
 * @param {{
 *   identify: import('./identities.js').Identify, requires: (request: Request) => import('./identities.js').RequiredAccess, clock?: () => number,
 *   onDenied?: import('./identities.js').OnDenied, deniedBody?: import('./identities.js').DeniedBody,
 * }} options
 * @example
 * app.get('/topics/:name', { onRequest: guard({ identify, requires: (request) => ({ operation: 'read', resource_type: 'topic', resource_name: request.params.name }) }) }, handler);
 */
export function guard(options) {
  const { requires, ...given } = own(options);
  /**
   * @param {Request} request
   * @param {{ code(status: number): any, header(name: string, value: string): any, send(body: unknown): any }} reply
   */
  return async (request, reply) => {
    const admitted = await admit(memberOf(request.headers, 'authorization'), requires(request), { ...given, host: memberOf(request, 'ip') });
    if ('identity' in admitted) {
      request.identity = admitted.identity;
      return;
    }
    const { status, challenge, body } = admitted;
    reply.header('WWW-Authenticate', challenge);
    reply.code(status);
    // In Fastify, a hook ends the request by returning the reply that it sent.
    return reply.send(body ?? { error: status === 401 ? 'authentication required' : 'not allowed' });
  };
}
