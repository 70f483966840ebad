// Runs journeys with one browser and few services: `node tests/e2e/run.mjs [--long] [FILE...]`, with any flags of `node --test`;
// without files those of the ordinary run, and with `--long` all. A file also runs alone, with a browser and a service of its own:
// `node --test FILE`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVIDENCE } from './support/evidence.mjs';
import { openSharedBrowser } from './support/browser.mjs';
import { startService } from './support/service.mjs';
import { Pool, lend } from './support/shared.mjs';

/** Two files at a time, even on two cores, because journeys mostly wait. */
const FLAGS = ['--test', '--test-concurrency=2'];
const HERE = fileURLToPath(new URL('.', import.meta.url));
const LONG = '--long';

/** What `node --test` gets: what was asked for, or all files of this form. */
async function wanted(args) {
  const named = args.filter((arg) => arg !== LONG);
  const [flags, files] = [named.filter((arg) => arg.startsWith('--')), named.filter((arg) => !arg.startsWith('--'))];
  if (files.length > 0) return [...flags, ...files];
  const folders = args.includes(LONG) ? [HERE, join(HERE, 'long')] : [HERE];
  const all = folders.map(async (folder) => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.test.mjs'));
    return names.sort().map((name) => join(folder, name));
  });
  return [...flags, ...(await Promise.all(all)).flat()];
}

const services = [];

/** A demonstration, with the policy that it begins with. */
async function demonstration() {
  const service = await startService();
  services.push(service);
  return { origin: service.origin, policy: await service.policy() };
}

/** What the services said, for whoever looks for the reason of a failure. */
async function keepLogs() {
  await mkdir(EVIDENCE, { recursive: true });
  const write = (service, at) => writeFile(join(EVIDENCE, `service-${at}.txt`), service.output());
  await Promise.all(services.map(write));
}

const browser = await openSharedBrowser();
const loans = await lend({ service: new Pool(demonstration), clipboard: new Pool(() => ({}), 1) });
try {
  const env = { ...process.env, GBAC_E2E_BROWSER: browser.wsEndpoint(), GBAC_E2E_RUN: loans.address };
  const tests = spawn(process.execPath, [...FLAGS, ...(await wanted(process.argv.slice(2)))], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  const [code] = await once(tests, 'exit');
  if (code !== 0) await keepLogs().catch((why) => console.error(`what the services said was not kept: ${why.message}`));
  process.exitCode = code ?? 1;
} finally {
  loans.stop();
  await Promise.allSettled([browser.close(), ...services.map((service) => service.stop())]);
}
