// A guard for fetch handlers: workers, Deno, Bun, service workers.
import { own } from '../lib/own.js';
import { admit } from './identities.js';

/**
 * Returns a handler that calls `handler` with the caller's identity if the token is allowed to do what the request needs.
 * `address` returns the client's address, if the platform knows it; without it, an allow for one host does not count.
 * A 403 has no body, or what `deniedBody(identity, request)` returns: a text, or an object, which is sent as JSON.
 * @param {(request: Request, identity: import('gbac-engine/verify').Identity) => Response | Promise<Response>} handler
 * @param {{
 *   identify: import('./identities.js').Identify, requires: (request: Request) => import('./identities.js').RequiredAccess,
 *   address?: (request: Request) => string | undefined, clock?: () => number, onDenied?: import('./identities.js').OnDenied,
 *   deniedBody?: import('./identities.js').DeniedBody,
 * }} options
 * @returns {(request: Request) => Promise<Response>}
 */
export function guarded(handler, options) {
  const { requires, address, ...given } = own(options);
  return async (request) => {
    const admitted = await admit(request.headers.get('authorization'), requires(request), { ...given, host: address?.(request) });
    if ('identity' in admitted) return handler(request, admitted.identity);
    const { status, challenge, body } = admitted;
    const init = own({ status, headers: own({ 'WWW-Authenticate': challenge }) });
    return typeof body === 'object' ? Response.json(body, init) : new Response(body ?? null, init);
  };
}
