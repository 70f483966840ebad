// A guard for fetch handlers: workers, Deno, Bun, service workers.
import { admit } from './identities.mjs';

/**
 * A handler that calls `handler` with who makes the request when the token may do what the request needs.
 * @param {(request: Request, identity: import('gbac-engine/verify').Identity) => Response | Promise<Response>} handler
 * @param {{
 *   identify: import('./identities.mjs').Identify, need: (request: Request) => import('./identities.mjs').Need, clock?: () => number,
 * }} options
 * @returns {(request: Request) => Promise<Response>}
 */
export function guarded(handler, { identify, need, clock }) {
  return async (request) => {
    const admitted = await admit(request.headers.get('authorization'), need(request), { identify, clock });
    if ('identity' in admitted) return handler(request, admitted.identity);
    const { status, challenge } = admitted;
    return new Response(null, { status, headers: { 'WWW-Authenticate': challenge } });
  };
}
