// Tests the packed package in Chromium: a script module, a service worker, a Vite build, and the playground.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '../../../tests/e2e/node_modules/@axe-core/playwright/dist/index.mjs';
import { openBrowser } from '../../../tests/e2e/support/browser.mjs';
import { serve } from '../../matrix/support.mjs';
import { textOf } from '../../tools/text.mjs';
import { DOCUMENT, provider } from '../tokens.mjs';
import { install, WWW } from './installed.mjs';

const { folder, write } = install();
const browser = await openBrowser();
const { address: origin, stop } = await serve(folder);
test.after(async () => {
  await browser.close();
  stop();
});

/** Opens a page whose errors fail the test. */
async function visit(t, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
  });
  await page.goto(address);
  return page;
}

const PROGRAM = `
  const policy = await Policy.load(${JSON.stringify(DOCUMENT)});
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  document.title = [alice.check('read', 'topic', 'analytics-events'), alice.check('read', 'topic', 'orders')].join(' ');`;

test('a script module', async (t) => {
  for (const entry of ['index', 'verify', 'analyze']) {
    write('module.html', `<!doctype html><title>-</title><script type="importmap">
      { "imports": { "gbac-engine": "/node_modules/gbac-engine/${entry}.js" } }</script>
      <script type="module">import { Policy } from 'gbac-engine';${PROGRAM}</script>`);
    const page = await visit(t, `${origin}/module.html`);
    await page.waitForFunction(() => document.title !== '-');
    assert.equal(await page.title(), 'allow deny', entry);
  }
});

test('a verified token', async (t) => {
  const idp = provider();
  write('verified.html', `<!doctype html><title>-</title><script type="module">
    import { Policy, verifier } from '/node_modules/gbac-engine/verify.js';
    const keys = await verifier(${JSON.stringify(idp.jwks)}, { issuer: 'https://idp.example.com', audience: 'streaming' });
    const policy = await Policy.load(${JSON.stringify(DOCUMENT)});
    const alice = policy.open(keys.verify(${JSON.stringify(idp.token({ sub: 'alice', groups: ['engineering'] }))}));
    document.title = alice.verified + ' ' + alice.check('write', 'topic', 'analytics-a');</script>`);
  const page = await visit(t, `${origin}/verified.html`);
  await page.waitForFunction(() => document.title !== '-');
  assert.equal(await page.title(), 'true allow');
});

test('two versions of the package in one page decide each for itself, and do not mix', async (t) => {
  const [installed, copy] = [join(folder, 'node_modules/gbac-engine'), join(folder, 'copy')];
  cpSync(installed, copy, { recursive: true });
  // The other version: its build has another id, in the script and in both forms of its module.
  const { default: id } = await import(pathToFileURL(join(installed, 'pkg/gbac_engine_id.js')));
  const other = id.replace(/^\d/, '9');
  const change = (name, from, to, encoding) => {
    const path = join(copy, 'pkg', name);
    const content = readFileSync(path, encoding);
    assert.ok(content.includes(from), name);
    writeFileSync(path, content.replaceAll(from, to), encoding);
  };
  change('gbac_engine_id.js', id, other, 'utf8');
  change('gbac_engine_bg.wasm', id, other, 'latin1');
  writeFileSync(join(copy, 'pkg/gbac_engine_inline.js'), `export default '${textOf(readFileSync(join(copy, 'pkg/gbac_engine_bg.wasm')))}';\n`);
  write('copies.html', `<!doctype html><title>-</title><script type="module">
    import * as one from '/node_modules/gbac-engine/index.js';
    import * as two from '/copy/index.js';
    import * as slim from '/node_modules/gbac-engine/slim/index.js';
    const [first, second] = [await one.Policy.load(${JSON.stringify(DOCUMENT)}), await two.Policy.load({ version: 1 })];
    const who = { user: 'alice', groups: ['engineering'] };
    const [alice, nobody] = [first.open(who), second.open(who)];
    const code = async (run) => { try { return (await run()) ?? 'loaded'; } catch (error) { return error.code; } };
    document.title = [alice.check('read', 'topic', 'analytics-a'), nobody.check('read', 'topic', 'analytics-a'),
      await code(() => second.open(alice)), await code(() => slim.init('/copy/pkg/gbac_engine_bg.wasm')),
      await code(() => slim.init('/node_modules/gbac-engine/pkg/gbac_engine_bg.wasm')), alice.check('read', 'topic', 'analytics-a')].join(' ');</script>`);
  const page = await visit(t, `${origin}/copies.html`);
  await page.waitForFunction(() => document.title !== '-');
  assert.equal(await page.title(), 'allow deny not_json module_not_loaded loaded allow');
});

test('a worker that is terminated in the middle of a load leaves the page as it is', async (t) => {
  write('loading.js', `
    import { Policy } from '/node_modules/gbac-engine/index.js';
    postMessage('loading');
    for (;;) await Policy.load({ version: 1 });`);
  write('terminated.html', `<!doctype html><title>-</title><script type="module">
    import { Policy } from '/node_modules/gbac-engine/index.js';
    for (let count = 0; count < 3; count++) {
      const worker = new Worker('/loading.js', { type: 'module' });
      await new Promise((loading, failed) => { worker.onmessage = loading; worker.onerror = failed; });
      worker.terminate();
    }${PROGRAM}</script>`);
  const page = await visit(t, `${origin}/terminated.html`);
  await page.waitForFunction(() => document.title !== '-');
  assert.equal(await page.title(), 'allow deny');
});

test('a service worker answers with what the engine decides', async (t) => {
  write('worker.js', `
    import { Policy } from '/node_modules/gbac-engine/index.js';
    const alice = Policy.load(${JSON.stringify(DOCUMENT)}).then((policy) => policy.open({ user: 'alice', groups: ['engineering'] }));
    addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => {
      const { pathname, searchParams } = new URL(event.request.url);
      if (pathname !== '/decide') return;
      event.respondWith(alice.then((alice) => new Response(alice.check('read', 'topic', searchParams.get('topic')))));
    });`);
  write('service.html', `<!doctype html><title>-</title><script type="module">
    const controlled = new Promise((change) => navigator.serviceWorker.addEventListener('controllerchange', change, { once: true }));
    await navigator.serviceWorker.register('/worker.js', { type: 'module' });
    if (!navigator.serviceWorker.controller) await controlled;
    const ask = async (topic) => (await fetch('/decide?topic=' + topic)).text();
    document.title = await ask('analytics-events') + ' ' + await ask('orders');</script>`);
  const page = await visit(t, `${origin}/service.html`);
  await page.waitForFunction(() => document.title !== '-');
  assert.equal(await page.title(), 'allow deny');
});

test('a Vite build', async (t) => {
  const project = join(folder, 'vite');
  mkdirSync(project);
  writeFileSync(join(project, 'index.html'), '<!doctype html><title>-</title><script type="module" src="./main.js"></script>');
  writeFileSync(join(project, 'main.js'), `import { Policy } from 'gbac-engine';${PROGRAM}`);
  const vite = join(WWW, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--target', 'esnext', '--logLevel', 'warn'], { cwd: project, stdio: 'pipe' });
  const built = await serve(join(project, 'dist'));
  t.after(() => built.stop());
  const page = await visit(t, `${built.address}/index.html`);
  await page.waitForFunction(() => document.title !== '-');
  assert.equal(await page.title(), 'allow deny');
});

test('the playground decides as one types, says what is wrong, and is accessible', async (t) => {
  const html = readFileSync(join(folder, 'node_modules/gbac-engine/examples/playground.html'), 'utf8');
  assert.ok(html.split('\n').length <= 151, 'at most 150 lines');
  const page = await visit(t, `${origin}/node_modules/gbac-engine/examples/playground.html`);
  const verdict = page.locator('#verdict');
  const says = async (text) => page.waitForFunction((text) => document.getElementById('verdict').textContent === text, text);
  await says('Allowed');
  assert.equal(await page.locator('#because').textContent(), 'allow_rule › Group:engineering › Role:DataEngineers');
  assert.equal(await page.locator('#groups').textContent(), 'User: alice. Groups: engineering.');
  await page.getByLabel('Operation').selectOption('write');
  await says('Denied');
  await page.getByLabel('Operation').selectOption('describe');
  await says('Allowed');
  await page.getByLabel('Resource name').fill('Analytics-events');
  await says('Denied');
  assert.match(await page.locator('#near li').textContent(), /name_letter_case/);
  await page.getByLabel('Access token, or claims as JSON').fill(provider().token({ sub: 'bob', groups: ['finance'] }));
  await page.waitForFunction(() => document.getElementById('groups').textContent === 'User: bob. Groups: finance.');
  await page.getByLabel('Access token, or claims as JSON').fill('not a token');
  await says('No verdict');
  assert.match(await page.locator('#token-fault').textContent(), /\((not_a_token|token_\w+)\)$/);
  await page.getByLabel('Access token, or claims as JSON').fill('{"sub": "alice", "groups": ["engineering"]}');
  await page.getByLabel('address').fill('10.0.0.0/8');
  await page.waitForFunction(() => document.getElementById('request-fault').textContent.endsWith('(check_invalid)'));
  await page.getByLabel('address').fill('');
  await page.getByLabel('Resource name').fill('analytics-events');
  await says('Allowed');
  await page.getByLabel('Policy document').fill('{"version": 2}');
  await says('No verdict');
  assert.match(await page.locator('#policy-fault').textContent(), /version/);
  await page.getByLabel('Policy document').fill('{"version": 1}');
  await says('Denied');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  }
  assert.equal(await verdict.getAttribute('data-mark'), '✗');
});
