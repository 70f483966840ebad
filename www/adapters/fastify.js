// A guard for Fastify: an `onRequest` hook that reads `Authorization`, verifies, opens once for each token, checks.
import { admit } from './identities.js';

/**
 * A hook that lets a request pass when its token may do what the request needs; `request.identity` is then who makes it. Decorate the
 * application with `app.decorateRequest('identity', null)` once.
 *
 * The client's address is `request.ip`, which Fastify takes from the connection, or from `X-Forwarded-For` with `trustProxy`.
 * @template {{ headers: { authorization?: string | undefined }, ip?: string, identity?: unknown, params?: any }} Request
 * @param {{
 *   identify: import('./identities.js').Identify, need: (request: Request) => import('./identities.js').Need, clock?: () => number,
 * }} options
 * @example
 * app.get('/topics/:name', { onRequest: guard({ identify, need: (request) => ({ operation: 'read', resourceType: 'topic', name: request.params.name }) }) }, handler);
 */
export function guard({ identify, need, clock }) {
  /**
   * @param {Request} request
   * @param {{ code(status: number): any, header(name: string, value: string): any, send(body: unknown): any }} reply
   */
  return async (request, reply) => {
    const admitted = await admit(request.headers.authorization, need(request), { identify, host: request.ip, clock });
    if ('identity' in admitted) {
      request.identity = admitted.identity;
      return;
    }
    const { status, challenge } = admitted;
    reply.header('WWW-Authenticate', challenge);
    reply.code(status);
    // A hook that returns the reply after it was sent ends the request.
    return reply.send({ error: status === 401 ? 'authentication required' : 'not allowed' });
  };
}
