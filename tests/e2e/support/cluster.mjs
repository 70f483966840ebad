// The service on a folder of its own, as it runs in production: on loopback, with a password, and with the same data after
// every start.

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asking, basic } from './ask.mjs';
import { serve } from './launch.mjs';

/** The admin's password, long enough to be found wherever it should not be. */
const PASSWORD = 'correct-horse-battery-staple';

/** Starts `gbac serve --data` on a new folder, with these flags and this password in GBAC_ADMIN_PASSWORD. */
export async function startCluster({ flags = [], password = PASSWORD } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gbac-data-'));
  const { GBAC_CONSOLE: console } = process.env;
  const shown = console ? ['--console', console] : [];
  const start = (listen) =>
    serve(['--data', folder, '--listen', listen, ...flags, ...shown], { GBAC_ADMIN_PASSWORD: password });
  let ended = '';
  let running;
  try {
    running = await start('127.0.0.1:0');
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  const { origin } = running;
  const authorization = basic('admin', password);
  const ask = asking(origin, authorization);

  return {
    origin,
    password,
    /** The header of the admin. */
    authorization,
    /** A request as the admin. */
    ask,
    /** Changes cluster properties, as the admin. */
    setProperties: (upsert) => ask('PUT', '/v1/cluster_config', { body: { upsert, remove: [] } }),
    /** All that it has said since the first start. */
    output: () => ended + running.output(),
    /** The events of its audit log, by their time. */
    async audit() {
      const files = ['changes.jsonl', 'audit.jsonl'].map((name) => readFile(join(folder, name), 'utf8'));
      const lines = (await Promise.all(files)).join('').split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line)).sort((one, other) => one.time - other.time);
    },
    /** Every byte that it wrote: its data, its audit log, and all that it has said. */
    async traces() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
      const read = await Promise.all(files.map((file) => readFile(file)));
      return Buffer.concat([...read, Buffer.from(ended + running.output())]);
    },
    /** Ends it as an operator does. */
    stop: () => running.stop(),
    /** Ends it in the middle of whatever it does. */
    kill: () => running.kill(),
    /** Starts it again on the same port and data, after it was ended. */
    async start() {
      ended += running.output();
      running = await start(new URL(origin).host);
    },
    /** Ends it and takes its data away. */
    async remove() {
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}
