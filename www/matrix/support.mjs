// Shared by the programs of the environments: running programs, folders without the package, servers, a real browser.
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The folder with the tools of all environments. */
export const TOOLS = resolve('..');

/** Runs a program in this folder or another one; returns its output. */
export async function run(program, args = [], { cwd = '.', env } = {}) {
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** The same for the script of a tool, such as `next/dist/bin/next`. */
export const runTool = (script, args, options) => run(process.execPath, [join(TOOLS, 'node_modules', script), ...args], options);

/** Copies a folder to a place without installed packages, where a bundle cannot use files of `node_modules`. */
export function elsewhere(folder) {
  const copy = mkdtempSync(join(tmpdir(), 'gbac-matrix-'));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Starts a server of a tool; `ready` finds its address in the output. Returns the address and a function that stops it. */
export async function start(program, args, ready, options = {}) {
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  let printed = '';
  const stop = () => {
    // Including its child processes.
    try { process.kill(-server.pid, 'SIGKILL'); } catch { /* it has ended */ }
  };
  process.once('exit', stop);
  const address = await new Promise((give, fail) => {
    const read = (bytes) => {
      printed += bytes;
      const [, found] = ready.exec(printed.replaceAll(/\x1b\[[\d;]*m/g, '')) ?? [];
      if (found !== undefined) give(found);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', (code) => fail(new Error(`ended with ${code}: ${printed}`)));
  });
  return { address, stop, printed: () => printed };
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves a folder on a free port. */
export async function serve(root) {
  const server = createServer((request, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)));
    try {
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream').end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { address: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** The title of a page in Chromium, once it contains a verdict. */
export async function verdictOfPage(address) {
  const { openBrowser } = await import(process.env.GBAC_BROWSER);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(address);
    try {
      await page.waitForFunction(() => / /.test(document.title), undefined, { timeout: 60_000 });
    } catch (cause) {
      throw new Error(`no verdict; ${errors.join('; ')}`, { cause });
    }
    return await page.title();
  } finally {
    await browser.close();
  }
}
