// Programs under test: started on their own, ready when they say so, ended by their process ids.
//
// GBAC_BIN names the built service (default: target/debug/gbac).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program under test. */
export const GBAC = process.env.GBAC_BIN ?? fileURLToPath(new URL('../../../target/debug/gbac', import.meta.url));

/** After this long a start has failed; the line that says it is ready ends the wait. */
const START_MS = 120_000;

/** The environment without what somebody has set for a `gbac` of their own. */
export function impersonal() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GBAC_')));
}

const running = new Set();
// A test file that is ended from outside leaves no program behind.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a program and waits for what it says when it is ready; `heard` gets each part of what it says. */
export async function launch(program, args, { ready, env = process.env, patience = START_MS, heard = () => {} }) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
      heard(text);
    });
  }

  const { promise, resolve, reject } = deferred();
  const problem = (what) => new Error(`${program} ${what}; it said: ${said}`);
  const late = setTimeout(() => reject(problem(`did not start within ${patience} ms`)), patience);
  child.stdout.on('data', () => {
    const match = said.match(ready);
    if (match) resolve(match);
  });
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(problem(`ended with ${code ?? signal}`)));
  const ended = new Promise((over) => child.once('exit', over));
  const end = async (signal) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'close');
    child.kill(signal);
    await over;
  };
  try {
    return {
      ready: await promise,
      /** All that it has said up to now. */
      output: () => said,
      /** Resolves when it has ended. */
      ended,
      /** Ends it as an operator does. */
      stop: () => end('SIGTERM'),
      /** Ends it in the middle of whatever it does. */
      kill: () => end('SIGKILL'),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Starts `gbac serve`; of the variables that begin with GBAC_ only these reach it. */
export async function serve(flags, { GBAC_ADMIN_PASSWORD } = {}) {
  if (!existsSync(GBAC))
    throw new Error(`there is no ${GBAC}; build it with \`cargo build -p gbac\`, or name it in GBAC_BIN`);
  const env = impersonal();
  if (GBAC_ADMIN_PASSWORD !== undefined) env.GBAC_ADMIN_PASSWORD = GBAC_ADMIN_PASSWORD;
  const { ready, ...program } = await launch(GBAC, ['serve', ...flags], {
    ready: /^listening on (https?:\/\/\S+)$/m,
    env,
  });
  return { origin: ready[1], ...program };
}

function deferred() {
  const out = {};
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }));
  return out;
}
