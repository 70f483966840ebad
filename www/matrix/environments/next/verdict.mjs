// A server component, a client component, a route and one of the edge runtime, and middleware, built and started.
import { join } from 'node:path';
import { runTool, start, TOOLS, verdictOfPage } from '../support.mjs';
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
const flags = process.env.GBAC_VARIANT === 'webpack' ? ['--webpack'] : [];
await runTool('next/dist/bin/next', ['build', ...flags], { env });
const server = await start(process.execPath, [join(TOOLS, 'node_modules/next/dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', '0'], /Local:\s+(http:\S+)/, { env });
const text = async (path) => (await fetch(`${server.address}${path}`)).text();
const page = await text('/');
const verdicts = [/verdict: (\w+ \w+);/.exec(page)?.[1] ?? page.slice(0, 200), await text('/route'), await text('/edge'), await text('/middleware'), await verdictOfPage(`${server.address}/client`)];
server.stop();
console.log(new Set(verdicts).size === 1 ? verdicts[0] : verdicts.join(' | '));
process.exit(0);
