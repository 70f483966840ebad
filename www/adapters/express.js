// A guard for Express: reads `Authorization`, verifies, opens once for each token, checks.
import { admit } from './identities.js';

/**
 * A middleware that lets a request pass when its token may do what the request needs; `request.identity` is then who makes it.
 *
 * The client's address is `request.ip`, which Express takes from the connection, or from `X-Forwarded-For` behind proxies that
 * `app.set('trust proxy', ..)` names.
 * @template {{ headers: { authorization?: string }, ip?: string, identity?: unknown, params?: any }} Request
 * @param {{
 *   identify: import('./identities.js').Identify, need: (request: Request) => import('./identities.js').Need, clock?: () => number,
 * }} options
 */
export function guard({ identify, need, clock }) {
  /**
   * @param {Request} request
   * @param {{ statusCode: number, setHeader(name: string, value: string): unknown, end(text: string): unknown }} response
   * @param {(error?: unknown) => void} next
   */
  return async (request, response, next) => {
    try {
      const admitted = await admit(request.headers.authorization, need(request), { identify, host: request.ip, clock });
      if ('identity' in admitted) {
        request.identity = admitted.identity;
        next();
        return;
      }
      response.statusCode = admitted.status;
      response.setHeader('WWW-Authenticate', admitted.challenge);
      response.end(admitted.status === 401 ? 'authentication required' : 'not allowed');
    } catch (error) {
      next(error);
    }
  };
}
