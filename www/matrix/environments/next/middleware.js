import { verdict } from './program.mjs';

export const config = { matcher: '/middleware' };

export const middleware = async () => new Response(await verdict());
