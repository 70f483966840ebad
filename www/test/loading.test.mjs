// Tests the errors of loading the wasm module: the problem, the location, and the recommended correction.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../index.js';
import { bytesOf } from '../lib/embedded.js';
import { Module } from '../lib/module.js';
import id from '../pkg/gbac_engine_id.js';
import code from '../pkg/gbac_engine_inline.js';
import { textOf } from '../tools/text.mjs';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const WWW = fileURLToPath(new URL('../', import.meta.url));
const file = new URL('../pkg/gbac_engine_bg.wasm', import.meta.url);
const bytes = readFileSync(file);
const fresh = async (inside) => new Module(await import(`../pkg/gbac_engine.js?${Math.random()}`), id, inside);

/** The error of loading a module from `wasm`. */
async function refusal(wasm, inside) {
  const module = await fresh(inside);
  const error = await module.load(wasm).then(() => assert.fail('it was loaded'), (error) => error);
  assert.ok(error instanceof EngineError);
  assert.equal(error.code, 'module_not_loaded');
  return error;
}

test('the module inside is the file, as text that needs no quotes or escapes anywhere', () => {
  assert.ok(bytes.equals(bytesOf(code)));
  assert.match(code, /^[!-~]*$/);
  assert.doesNotMatch(code, /["'`\\$<]/);
  const all = Uint8Array.from({ length: 1_024 }, (_, place) => (place * 37) >> (place & 1));
  assert.deepEqual([new Set(all).size, bytesOf(textOf(all))], [256, all]);
  assert.deepEqual(bytesOf(''), new Uint8Array());
});

const page = '<!doctype html><title>app</title>';
const ANSWERS = {
  '/right.wasm': [200, 'application/wasm', bytes],
  '/untyped.wasm': [200, undefined, bytes],
  '/stream.wasm': [200, 'application/octet-stream', bytes],
  '/truncated.wasm': [200, 'application/wasm', bytes.subarray(0, 1000)],
  '/truncated.bin': [200, 'application/octet-stream', bytes.subarray(0, 1000)],
  '/page.wasm': [200, 'text/html; charset=utf-8', Buffer.from(page)],
  '/lying.wasm': [200, 'application/wasm', Buffer.from(page)],
  '/empty.wasm': [200, 'application/wasm', Buffer.alloc(0)],
};
const server = createServer((request, response) => {
  const [status, type, body] = ANSWERS[new URL(request.url, 'http://x').pathname] ?? [404, 'text/html', Buffer.from('no')];
  response.writeHead(status, type === undefined ? {} : { 'Content-Type': type }).end(body);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${server.address().port}`;
test.after(() => { server.closeAllConnections(); server.close(); });

test('a module is loaded from bytes, a compiled module, a file, an address and a response, whatever the content type is', async () => {
  const sources = [
    bytes, new Uint8Array(bytes).buffer, new WebAssembly.Module(bytes), file, file.href, `${origin}/right.wasm`, new URL(`${origin}/untyped.wasm`),
    fetch(`${origin}/stream.wasm`), new Response(bytes), undefined, null,
  ];
  for (const source of sources) {
    const module = await fresh(code);
    assert.ok((await module.load(source)).memoryBytes > 0);
  }
});

test('a failure says where it was looked for, what came and what to do', async () => {
  const says = async (path, ...patterns) => {
    const { message } = await refusal(`${origin}${path}?token=secret#x`);
    assert.ok(message.includes(`${origin}${path.split('?')[0]}`), message);
    assert.doesNotMatch(message, /secret/);
    for (const pattern of [...patterns, /gbac-engine\/inline/]) assert.match(message, pattern);
  };
  await says('/missing.wasm', /status 404/, /content type `text\/html`/);
  await says('/page.wasm', /status 200, content type `text\/html; charset=utf-8`/, /not a wasm module/, /application\/wasm/);
  await says('/lying.wasm', /content type `application\/wasm`/, /cannot be compiled/);
  await says('/empty.wasm', /cannot be compiled/);
  await says('/truncated.wasm', /cannot be compiled/, /whole wasm file/);
  await says('/truncated.bin', /cannot be compiled/);
  const closed = createServer();
  await new Promise((listening) => closed.listen(0, '127.0.0.1', listening));
  const nowhere = `http://127.0.0.1:${closed.address().port}/x.wasm`;
  await new Promise((done) => closed.close(done));
  const unreachable = await refusal(nowhere);
  assert.ok(unreachable.message.includes(`cannot be fetched from ${nowhere}`), unreachable.message);
  assert.ok(unreachable.cause instanceof Error);
  const absent = await refusal(new URL('../pkg/absent.wasm', import.meta.url));
  assert.match(absent.message, /cannot be read from file:.*absent\.wasm/);
  assert.match((await refusal(bytes.subarray(0, 5000))).message, /the given bytes cannot be compiled/);
  assert.match((await refusal(undefined)).message, /no embedded wasm module.*`init`/);
  for (const wrong of [7, true, {}, []]) assert.match((await refusal(wrong)).message, /must be a compiled module, bytes, a response or an address/);
  assert.match((await refusal('not an address')).message, /an invalid address/);
});

test('a module of another version, or of another entry, or of something else, is refused before it is called', async () => {
  const [build] = id.split(' ').slice(1);
  const other = Buffer.from(bytes);
  other.write(build.replaceAll(/./g, 'f'), bytes.lastIndexOf(build), 'latin1');
  assert.match((await refusal(other)).message, new RegExp(`from the build .* f{16} of gbac-engine, but the script is from the build ${id}; use the wasm file`));
  assert.match((await refusal(readFileSync(new URL('../pkg/gbac_engine_verify_bg.wasm', import.meta.url)))).message, /the same entry point/);
  const foreign = new Uint8Array([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
  assert.match((await refusal(foreign)).message, /not one of gbac-engine/);
  const module = await fresh(code);
  await assert.rejects(module.load(foreign));
  assert.ok((await module.load()).memoryBytes > 0, 'it can be tried again');
});

test('an entry without a module inside takes one from `init`, and says so until then', async () => {
  const slim = await import('../slim/index.js');
  await assert.rejects(slim.Policy.load(DOCUMENT), (error) => error.code === 'module_not_loaded' && /slim/.test(error.message));
  await slim.init(file);
  assert.equal((await slim.Policy.load(DOCUMENT)).open({ user: 'alice', groups: ['engineering'] }).can('read', 'topic', 'analytics-a'), true);
});

test('two copies of the package in one program decide each for itself, and refuse each other\'s handles', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'gbac-engine-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const name of ['index.js', 'package.json', 'lib', 'pkg']) cpSync(join(WWW, name), join(copy, name), { recursive: true });
  const [one, two] = [await import('../index.js'), await import(pathToFileURL(join(copy, 'index.js')))];
  const [first, second] = [await one.Policy.load(DOCUMENT), await two.Policy.load({ version: 1 })];
  const who = { user: 'alice', groups: ['engineering'] };
  const [alice, unprivileged] = [first.open(who), second.open(who)];
  assert.equal(alice.can('read', 'topic', 'analytics-a'), true);
  assert.equal(unprivileged.can('read', 'topic', 'analytics-a'), false);
  assert.throws(() => unprivileged.can('read', first.resource('topic', 'analytics-a')), (error) => error.name === 'EngineError');
  assert.throws(() => second.open(alice), (error) => error.name === 'EngineError');
  assert.equal(alice.can('read', 'topic', 'analytics-a'), true);
});

test('a policy that is freed while an identity is open leaves the identity as it is', async () => {
  const { Policy } = await import('../index.js');
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  const stop = policy.subscribe(() => {});
  policy.free();
  policy.free();
  assert.equal(alice.can('read', 'topic', 'analytics-a'), true);
  assert.equal(alice.can('read', 'topic', 'orders'), false);
  for (const call of [() => policy.open({ user: 'bob' }), () => policy.subscribe(() => {}), () => policy.export()]) {
    assert.throws(call, (error) => error.code === 'freed');
  }
  stop();
  alice.free();
  assert.throws(() => alice.can('read', 'topic', 'analytics-a'), (error) => error.code === 'freed');
});

test('a worker that is terminated in the middle of a load harms nobody', async () => {
  const entry = JSON.stringify(new URL('../index.js', import.meta.url).href);
  const program = `import { parentPort } from 'node:worker_threads';
    const { Policy } = await import(${entry});
    parentPort.postMessage('loading');
    for (;;) await Policy.load({ version: 1 });`;
  for (let count = 0; count < 3; count++) {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
    await new Promise((loading, failed) => worker.once('message', loading).once('error', failed));
    await worker.terminate();
  }
  const { Policy } = await import('../index.js');
  assert.equal((await Policy.load(DOCUMENT)).open({ user: 'alice', groups: ['engineering'] }).can('read', 'topic', 'analytics-a'), true);
});

test('what is added to `Object.prototype` before the import changes no decision', () => {
  const idp = provider();
  const [token, other] = [idp.token({ sub: 'alice', groups: ['engineering'] }), idp.token({ sub: 'alice', groups: ['engineering'], aud: 'other' })];
  const program = (entry) => `
    const names = ['then', 'host', 'now', 'ignoreExpiry', 'ignore_expiry', 'wasm', 'cacheSize', 'groups', 'user', 'claims', 'exp', 'allow', 'cause', 'problems',
      '__v_skip', 'to', 'topic', 'identity', 'userinfo', 'issuer', 'audience', 'operation', 'resource_name', 'outcome', 'reason', 'acls', 'roles', 'settings',
      'names', 'nested', 'id', 'code', 'module', 'module_or_path', 'toJSON'];
    for (const name of names) {
      Object.prototype[name] = name.startsWith('ignore') ? true : name === 'then' ? undefined : 'polluted';
    }
    const { acls, Policy, verifier } = await import(${JSON.stringify(new URL('../', import.meta.url).href)} + '${entry}.js');
    const policy = await Policy.load(${JSON.stringify(JSON.stringify(DOCUMENT))});
    const alice = policy.open({ user: 'alice', groups: ['engineering'] });
    const ended = policy.open({ claims: { sub: 'alice', groups: ['engineering'], exp: 1 } });
    const unprivileged = policy.open({ user: 'nobody' });
    const request = { operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
    const answers = [alice, ended, unprivileged].flatMap((who) => [
      who.check('read', 'topic', 'analytics-a'), who.checkMany([request])[0], who.decide(request).outcome, who.filter('read', 'topic', ['analytics-a']).length,
    ]);
    const code = async (run) => { try { return await run(); } catch (error) { return error.code; } };
    answers.push(await code(() => acls([{ allow: 'read', to: 'User:a' }]).length));
    if ('${entry}' === 'verify') {
      answers.push(await code(() => verifier(${JSON.stringify(idp.jwks)}, {})));
      const keys = await verifier(${JSON.stringify(idp.jwks)}, { issuer: '${ISSUER}', audience: '${AUDIENCE}' });
      answers.push(policy.open(keys.verify('${token}')).check('read', 'topic', 'analytics-a'), await code(() => keys.verify('${other}')));
    }
    console.log(answers.join(' '));`;
  for (const entry of ['index', 'verify', 'analyze']) {
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program(entry)], { encoding: 'utf8' }).trim();
    const expected = ['allow allow allow 1', 'deny deny deny 0', 'deny deny deny 0', 'missing_member'];
    if (entry === 'verify') expected.push('missing_member allow audience_mismatch');
    assert.equal(printed, expected.join(' '), entry);
  }
});

test('no file of the package but the worker entries needs a second file that a bundler would have to copy', () => {
  const scripts = (folder) => readdirSync(join(WWW, folder)).filter((name) => name.endsWith('.js')).map((name) => join(folder, name));
  for (const path of ['', 'lib', 'lib/entries', 'slim', 'adapters', 'pkg'].flatMap(scripts)) {
    assert.doesNotMatch(readFileSync(join(WWW, path), 'utf8'), /import\.meta|from '[^']*\.wasm/, path);
  }
});

test('a runtime without WebAssembly has one clear error', () => {
  const program = `import { Policy } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
    await Policy.load({ version: 1 }).catch(({ name, code, message }) => console.log(name, code, message));`;
  const printed = execFileSync(process.execPath, ['--jitless', '--input-type=module', '--eval', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.match(printed, /^EngineError module_not_loaded this runtime has no WebAssembly; start Node without `--jitless`; .*\n$/);
});
