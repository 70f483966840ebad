import { join } from 'node:path';
import { start, TOOLS } from '../support.mjs';
const next = join(TOOLS, 'node_modules/next/dist/bin/next');
const server = await start(process.execPath, [next, 'dev', '--hostname', '127.0.0.1', '--port', '0'], /Local:\s+(http:\S+)/, { env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
const text = await (await fetch(server.address)).text();
server.stop();
console.log(/verdict: (\w+ \w+);/.exec(text)?.[1] ?? text.slice(0, 2000));
process.exit(0);
