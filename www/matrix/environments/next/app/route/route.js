import { verdict } from '../../program.mjs';

export const dynamic = 'force-dynamic';

export const GET = async () => new Response(await verdict());
