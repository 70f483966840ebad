// A guard for Express.
import { memberOf, own } from '../lib/own.js';
import { admit } from './identities.js';
export { identityOf } from './identities.js';

/**
 * Returns a middleware that passes requests whose token allows what they need, and sets `request.identity`, which `identityOf`
 * returns. Before a 403, `onDenied(identity, request)` is called, for example to log `identity.decide(request).reason`. The body of the
 * 403 is `not allowed`, or what `deniedBody(identity, request)` returns: a text, or an object, which is sent as JSON.
 *
 * The client's address is `request.ip`, which Express takes from the connection, or from `X-Forwarded-For` behind proxies that
 * `app.set('trust proxy', ..)` names.
 * @template {{ headers: { authorization?: string }, ip?: string, identity?: unknown, params?: any }} Request
 * @param {{
 *   identify: import('./identities.js').Identify, requires: (request: Request) => import('./identities.js').RequiredAccess, clock?: () => number,
 *   onDenied?: import('./identities.js').OnDenied, deniedBody?: import('./identities.js').DeniedBody,
 * }} options
 */
export function guard(options) {
  const { requires, ...given } = own(options);
  /**
   * @param {Request} request
   * @param {{ statusCode: number, setHeader(name: string, value: string): unknown, end(text: string): unknown }} response
   * @param {(error?: unknown) => void} next
   */
  return async (request, response, next) => {
    try {
      const admitted = await admit(memberOf(request.headers, 'authorization'), requires(request), { ...given, host: memberOf(request, 'ip') });
      if ('identity' in admitted) {
        request.identity = admitted.identity;
        next();
        return;
      }
      response.statusCode = admitted.status;
      response.setHeader('WWW-Authenticate', admitted.challenge);
      const { status, body = status === 401 ? 'authentication required' : 'not allowed' } = admitted;
      const isText = typeof body === 'string';
      response.setHeader('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json');
      response.end(isText ? body : JSON.stringify(body));
    } catch (error) {
      next(error);
    }
  };
}
