import { verdict } from '../../program.mjs';

export const runtime = 'edge';

export const GET = async () => new Response(await verdict());
