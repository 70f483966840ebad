// Runs a compiled test of wasm-bindgen in Chromium: `cargo test` calls it with the wasm file and a filter of test names.
// GBAC_BIND is the path of the program that binds the test.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { openBrowser } from '../../tests/e2e/support/browser.mjs';

const [wasm, ...rest] = process.argv.slice(2);
const filter = rest.find((word) => !word.startsWith('-')) ?? '';
const folder = mkdtempSync(join(tmpdir(), 'gbac-browser-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
execFileSync(process.env.GBAC_BIND, [wasm, folder, 'tests', '--debug', '--no-start'], { stdio: 'inherit' });

// Records the output of a test, to print it if the test fails: the module appends it to `#output`.
const PAGE = `<!doctype html><meta charset="utf-8"><pre id="output"></pre><script type="module">
  import init, * as tests from './tests.js';
  const kinds = ['debug', 'log', 'info', 'warn', 'error'];
  window.__wbg_test_invoke = (test) => test();
  const plain = { ...console };
  try {
    const wasm = await init();
    for (const kind of kinds) {
      window['on_console_' + kind] = tests['__wbgtest_console_' + kind];
      console[kind] = (...words) => { plain[kind](...words); window['on_console_' + kind](words); };
    }
    const all = Object.keys(wasm).filter((name) => name.startsWith('__wbgt_') && name.includes('::'));
    const chosen = all.filter((name) => name.slice(name.indexOf('::') + 2).includes(${JSON.stringify(filter)}));
    const context = new tests.WasmBindgenTestContext(false);
    context.include_ignored(false);
    context.filtered_count(all.length - chosen.length);
    window.ended = { passed: await context.run(chosen.map((name) => wasm[name])) };
  } catch (error) {
    window.ended = { passed: false, error: String(error?.stack ?? error) };
  }
</script>`;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname;
  if (path === '/') return response.setHeader('Content-Type', 'text/html').end(PAGE);
  try {
    const file = join(folder, normalize(path));
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const browser = await openBrowser();
let passed = false;
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const ended = await (await page.waitForFunction('window.ended', null, { timeout: 120_000 })).jsonValue();
  console.log(await page.textContent('#output'));
  if (ended.error) console.error(ended.error);
  passed = ended.passed;
} finally {
  await browser.close();
  server.close();
}
process.exitCode = passed ? 0 : 1;
