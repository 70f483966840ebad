// Tests the packed package in Node: ES modules, `require`, the isolate of an edge worker, and its examples with real Express and React.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CALLS, callMalformed } from '../malformed.mjs';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from '../tokens.mjs';
import { promised } from '../promised.mjs';
import { install } from './installed.mjs';

const { folder, tarball, write, files, size } = install(['express', 'react', 'react-dom']);
const installed = (path) => join(folder, 'node_modules/gbac-engine', path);
const own = (path) => import(pathToFileURL(installed(path)));
const run = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim();

test('the package holds what it needs and nothing else', () => {
  const folders = [...new Set(files.map((path) => path.split('/').slice(0, -1).join('/')))].sort();
  assert.deepEqual(folders, ['', 'adapters', 'cjs', 'cjs/adapters', 'cjs/lib', 'cjs/lib/entries', 'cjs/pkg', 'cjs/slim', 'edge', 'examples', 'lib', 'lib/entries', 'pkg', 'slim', 'worker']);
  assert.ok(['CHANGELOG.md', 'LICENSE', 'README.md', 'index.js', 'index.d.ts', 'verify.js', 'analyze.js'].every((path) => files.includes(path)), files);
  assert.ok(!files.some((path) => path.includes('test')), files);
  const { dependencies, publishConfig } = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
  assert.deepEqual([dependencies, publishConfig], [undefined, { provenance: true }]);
});

test('the package is at most 1.5 MiB, and has the text of each wasm module once', () => {
  assert.ok(size <= 1.5 * 2 ** 20, `${size} bytes`);
  const texts = files.filter((path) => path.endsWith('.js') && statSync(installed(path)).size > 100_000);
  assert.deepEqual(texts, ['gbac_engine_analyze', 'gbac_engine', 'gbac_engine_verify'].map((name) => `pkg/${name}_inline.js`));
});

test('`import "gbac-engine"` loads at most 172,000 bytes after brotli', () => {
  const loaded = new Set();
  const load = (url) => {
    if (loaded.has(url.href)) return;
    loaded.add(url.href);
    for (const [, from] of readFileSync(url, 'utf8').matchAll(/^(?:import|export)\b.*from '(\..*)';$/gm)) load(new URL(from, url));
  };
  load(pathToFileURL(installed('index.js')));
  assert.ok(loaded.size > 8);
  const brotli = [...loaded].reduce((bytes, href) => bytes + brotliCompressSync(readFileSync(new URL(href))).length, 0);
  assert.ok(brotli <= 172_000, `${brotli} bytes`);
});

test('publint and attw find nothing wrong with the packed package', () => {
  const tool = (path, ...args) => spawnSync(process.execPath, [fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url)), ...args], { encoding: 'utf8' });
  const publint = tool('publint/src/cli.js', '--strict', tarball);
  assert.equal(publint.status, 0, publint.stdout + publint.stderr);
  // Profile node16, because `node10` has no `import`; the environment `typescript` of the matrix compiles with it.
  const attw = tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'node16');
  assert.equal(attw.status, 0, attw.stdout + attw.stderr);
});

test('every example prints what it says', () => {
  const examples = readdirSync(installed('examples')).filter((name) => name.endsWith('.mjs') && !['app.mjs', 'provider.mjs'].includes(name));
  assert.deepEqual(examples, ['change.mjs', 'express.mjs', 'react.mjs', 'token.mjs', 'verdict.mjs', 'why.mjs']);
  for (const name of examples) {
    assert.deepEqual(run(installed(`examples/${name}`)).split('\n'), promised(readFileSync(installed(`examples/${name}`), 'utf8')), name);
  }
});

test('every entry point loads by `import` and by `require`, with the same names', () => {
  const { exports } = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
  // The entries for React and Vue need these libraries, which only the environments of the adapters' own test have.
  const entries = Object.keys(exports).map((path) => `gbac-engine${path.slice(1)}`).filter((path) => !/\.(wasm|json)$|\/(react|vue)$/.test(path));
  assert.ok(entries.length >= 13);
  const names = run('--input-type=module', '--eval', `
    import { createRequire } from 'node:module';
    import { join } from 'node:path';
    const require = createRequire(join(process.cwd(), 'x.js'));
    const cjs = (path) => require(require.resolve('gbac-engine/package.json').replace('package.json', path));
    const { exports } = require('gbac-engine/package.json');
    for (const path of ${JSON.stringify(entries)}) {
      const imported = Object.keys(await import(path)).filter((name) => name !== 'module.exports').sort().join();
      const required = Object.keys(cjs(exports['.' + path.slice('gbac-engine'.length)].require.default)).sort().join();
      console.log(path, imported === required ? 'same' : imported + ' / ' + required);
    }`);
  assert.deepEqual(names.split('\n'), entries.map((path) => `${path} same`));
});

test('malformed calls through `require`', async (t) => {
  const require = createRequire(join(folder, 'x.js'));
  const [base, verify, analyze] = ['index', 'verify', 'analyze'].map((name) => require(installed(`cjs/${name}.js`)));
  await callMalformed(t, { base, verify, analyze }, CALLS / 2);
});

const PROGRAM = `
  const policy = await Policy.load(${JSON.stringify(DOCUMENT)});
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  console.log(alice.check('read', 'topic', 'analytics-events'), alice.check('read', 'topic', 'orders'), typeof EngineError);`;

test('an ES module', () => {
  for (const entry of ['gbac-engine', 'gbac-engine/verify', 'gbac-engine/analyze']) {
    const program = write('program.mjs', `import { EngineError, Policy } from '${entry}';${PROGRAM}`);
    assert.equal(run(program), 'allow deny function', entry);
  }
});

test('`require`', () => {
  for (const entry of ['gbac-engine', 'gbac-engine/verify', 'gbac-engine/analyze']) {
    const program = write('program.cjs', `const { EngineError, Policy } = require('${entry}');(async () => {${PROGRAM}})();`);
    assert.equal(run(program), 'allow deny function', entry);
    assert.equal(run('--no-experimental-require-module', program), 'allow deny function', `${entry} where \`require\` takes no ES module`);
  }
});

test('a worker thread that is given a compiled module', () => {
  write('thread.mjs', `
    import { workerData } from 'node:worker_threads';
    import { init, Policy, EngineError } from 'gbac-engine';
    await init(workerData);${PROGRAM}`);
  const program = write('main.mjs', `
    import { Worker } from 'node:worker_threads';
    import { readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    const module = new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve('gbac-engine/engine.wasm')));
    new Worker(new URL('./thread.mjs', import.meta.url), { workerData: module });`);
  assert.equal(run(program), 'allow deny function');
});

test('a worker of the edge: a compiled module passed in, no files, no process, no code from bytes', () => {
  write('worker.js', `
    import wasm from 'gbac-engine/engine.wasm';
    import { init, Policy } from 'gbac-engine';
    await init(wasm);
    const policy = await Policy.load(${JSON.stringify(DOCUMENT)});
    const alice = policy.open({ user: 'alice', groups: ['engineering'] });
    export default {
      async fetch(request) {
        const outcome = alice.check('read', 'topic', new URL(request.url).pathname.slice(1));
        return new Response(outcome, { status: outcome === 'allow' ? 200 : 403 });
      },
    };`);
  const harness = fileURLToPath(new URL('./worker.mjs', import.meta.url));
  const printed = run('--experimental-vm-modules', '--no-warnings', harness, folder);
  assert.equal(printed, 'analytics-events 200 allow\norders 403 deny');
});

test('the guard for Express', async (t) => {
  const { default: express } = await import('express');
  const [{ guard }, shared, { Policy }] = await Promise.all(['adapters/express.js', 'adapters/identities.js', 'verify.js'].map(own));
  const idp = provider();
  let now = Math.floor(Date.now() / 1000);
  let fetched = 0;
  const clock = () => now;
  const fetch = async () => { fetched++; return Response.json(idp.jwks); };
  const verify = shared.remoteKeys({ url: `${ISSUER}/keys`, issuer: ISSUER, audience: AUDIENCE, fetch, clock });
  const policy = await Policy.load(DOCUMENT);
  const identify = shared.identities({ policy, verify, clock });
  const app = express();
  app.get('/topics/:name', guard({ identify, clock, requires: ({ params }) => ({ operation: 'read', resource_type: 'topic', resource_name: params.name }) }),
    (request, response) => response.json({ user: request.identity.user }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const ask = async (name, authorization) => {
    const answer = await globalThis.fetch(`http://127.0.0.1:${server.address().port}/topics/${name}`, { headers: authorization ? { authorization } : {} });
    return [answer.status, answer.headers.get('www-authenticate'), await answer.text()];
  };
  const alice = `Bearer ${idp.token({ sub: 'alice', groups: ['engineering'] }, { now })}`;
  assert.deepEqual(await ask('analytics-events', alice), [200, null, '{"user":"alice"}']);
  assert.equal((await ask('orders', alice))[0], 403);
  assert.deepEqual((await ask('analytics-events')).slice(0, 2), [401, 'Bearer']);
  assert.match((await ask('analytics-events', `${alice}x`))[1], /signature_invalid|base64_invalid/);
  assert.match((await ask('analytics-events', `Bearer ${provider().token({ sub: 'eve', groups: ['engineering'] }, { now })}`))[1], /signature_invalid/);
  const other = `Bearer ${idp.token({ sub: 'bob', aud: 'other', groups: ['engineering'] }, { now })}`;
  assert.match((await ask('analytics-events', other))[1], /audience_mismatch/);
  assert.equal(fetched, 1);
  now += 301;
  assert.deepEqual((await ask('analytics-events', alice)).slice(0, 2), [401, 'Bearer error="invalid_token", error_description="token_expired"'],
    'within the tolerance of the clocks, but ended');
  now += 60;
  assert.match((await ask('analytics-events', alice))[1], /token_expired/);
});

test('the guard for Express takes the client\'s address from `request.ip`, as proxies that are trusted say it', async (t) => {
  const { default: express } = await import('express');
  const [{ guard }, { Policy, verifier }] = await Promise.all(['adapters/express.js', 'verify.js'].map(own));
  const acl = { ...DOCUMENT.acls[0], principal: 'Group:engineering' };
  const policy = await Policy.load({ version: 1, acls: [
    { ...acl, host: '203.0.113.7' }, { ...acl, host: 'fe80::1' }, { ...acl, resource_name: 'open-' },
    { ...acl, resource_name: 'open-', host: 'fe80::2', permission_type: 'PERMISSION_TYPE_DENY' },
  ] });
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const identify = async () => policy.open(keys.verify(idp.token({ sub: 'alice', groups: ['engineering'] })));
  const app = express();
  app.get('/topics/:name', guard({ identify, requires: ({ params }) => ({ operation: 'read', resource_type: 'topic', resource_name: params.name }) }),
    (_, response) => response.end('in'));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const ask = async (name, forwarded) => {
    const headers = { authorization: 'Bearer x', 'x-forwarded-for': forwarded };
    return (await globalThis.fetch(`http://127.0.0.1:${server.address().port}/topics/${name}`, { headers })).status;
  };
  assert.equal(await ask('analytics-a', '203.0.113.7'), 403, 'nobody is trusted to say another address');
  app.set('trust proxy', 'loopback');
  assert.equal(await ask('analytics-a', '203.0.113.7'), 200);
  assert.equal(await ask('analytics-a', '203.0.113.8'), 403);
  assert.equal(await ask('analytics-a', 'fe80::1%eth0'), 200, 'the zone is an interface and no part of the address');
  assert.equal(await ask('open-a', 'fe80::3%en0'), 200);
  assert.equal(await ask('open-a', 'fe80::2%en0'), 403);
});

test('the cache of the guards is bounded and honors expiry, and a token with a new key fetches the keys at once', async () => {
  const [shared, { Policy }] = await Promise.all(['adapters/identities.js', 'verify.js'].map(own));
  let idp = provider('first');
  let now = Math.floor(Date.now() / 1000);
  const clock = () => now;
  let fetched = 0;
  const fetch = async () => { fetched++; return Response.json(idp.jwks); };
  const keys = shared.remoteKeys({ url: `${ISSUER}/keys`, issuer: ISSUER, audience: AUDIENCE, fetch, clock });
  let verified = 0;
  const verify = (token, at) => { verified++; return keys(token, at); };
  const identify = shared.identities({ policy: await Policy.load(DOCUMENT), verify, limit: 2, clock });
  const [a, b, c] = ['a', 'b', 'c'].map((sub) => idp.token({ sub, groups: [] }, { now }));
  const first = await identify(a);
  assert.equal(await identify(a), first);
  assert.equal(verified, 1);
  await identify(b);
  await identify(a);
  await identify(c);
  assert.equal(await identify(a), first, 'b was asked about longest ago');
  assert.equal(verified, 3);
  await identify(b);
  assert.equal(verified, 4);
  now += 400;
  await assert.rejects(identify(a), (error) => error.code === 'token_expired');
  idp = provider('second');
  assert.equal((await identify(idp.token({ sub: 'd' }, { now }))).user, 'd');
  assert.equal(fetched, 2);
});

test('the guard for fetch handlers', async () => {
  const [{ guarded }, shared, { Policy, verifier }] = await Promise.all(['adapters/fetch.js', 'adapters/identities.js', 'verify.js'].map(own));
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const identify = shared.identities({ policy: await Policy.load(DOCUMENT), verify: async (token, now) => keys.verify(token, { now }) });
  const handle = guarded((request, identity) => new Response(identity.user), {
    identify, requires: (request) => ({ operation: 'write', resource_type: 'topic', resource_name: new URL(request.url).pathname.slice(1) }),
  });
  const ask = async (name, token) => {
    const answer = await handle(new Request(`https://api.example.com/${name}`, { headers: token ? { authorization: `Bearer ${token}` } : {} }));
    return [answer.status, await answer.text()];
  };
  const token = idp.token({ sub: 'alice', groups: ['engineering'] });
  assert.deepEqual(await ask('analytics-a', token), [200, 'alice']);
  assert.deepEqual(await ask('orders', token), [403, '']);
  assert.deepEqual(await ask('analytics-a'), [401, '']);
  assert.deepEqual(await ask('analytics-a', 'no.such.token'), [401, '']);
  const ended = guarded(() => new Response('in'), {
    identify: async () => identify(token), clock: () => Date.now() / 1000 + 301, requires: () => ({ operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' }),
  });
  const answer = await ended(new Request('https://api.example.com/', { headers: { authorization: `Bearer ${token}` } }));
  assert.equal(answer.status, 401);
  assert.match(answer.headers.get('www-authenticate'), /invalid_token.*token_expired/);
  const policy = await Policy.load({ version: 1, acls: [{ ...DOCUMENT.acls[0], principal: 'User:alice', host: 'fe80::1' }] });
  for (const [address, status] of [['fe80::1%eth0', 200], ['fe80::2', 403], [undefined, 403]]) {
    const handle = guarded(() => new Response('in'), {
      identify: async () => policy.open(keys.verify(token)), address: () => address, requires: () => ({ operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' }),
    });
    assert.equal((await handle(new Request('https://api.example.com/', { headers: { authorization: 'Bearer x' } }))).status, status, address);
  }
});

test('the guard for KafkaJS', async () => {
  const [{ guardProducer, NotAllowed }, { Policy, verifier }] = await Promise.all(['adapters/kafkajs.js', 'verify.js'].map(own));
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const policy = await Policy.load(DOCUMENT);
  const sent = [];
  const sender = {
    async send({ topic }) { sent.push(topic); return [{ topicName: topic }]; },
    async sendBatch({ topicMessages }) { sent.push(...topicMessages.map(({ topic }) => topic)); },
    async transaction() { return { ...sender, async commit() { sent.push('commit'); } }; },
    connected: true,
  };
  let now = Math.floor(Date.now() / 1000);
  const alice = policy.open(keys.verify(idp.token({ sub: 'alice', groups: ['engineering'] }, { now })));
  const producer = guardProducer(sender, alice, { clock: () => now });
  const denied = (error) => error instanceof NotAllowed && error.answer.outcome === 'deny' && /OPERATION_WRITE on orders/.test(error.message);
  assert.deepEqual(await producer.send({ topic: 'analytics-a' }), [{ topicName: 'analytics-a' }]);
  await assert.rejects(producer.send({ topic: 'orders' }), denied);
  await assert.rejects(producer.sendBatch({ topicMessages: [{ topic: 'analytics-b' }, { topic: 'orders' }] }), denied);
  await producer.sendBatch({ topicMessages: [{ topic: 'analytics-b' }, { topic: 'analytics-c' }] });
  const transaction = await producer.transaction();
  await assert.rejects(transaction.send({ topic: 'orders' }), denied);
  await transaction.send({ topic: 'analytics-d' });
  await transaction.commit();
  assert.deepEqual(sent, ['analytics-a', 'analytics-b', 'analytics-c', 'analytics-d', 'commit']);
  assert.equal(producer.connected, true);
  const transactional = guardProducer(sender, alice, { transactionalId: 'payments-1', clock: () => now });
  await assert.rejects(transactional.send({ topic: 'analytics-a' }), /OPERATION_WRITE on payments-1/);
  now += 301;
  await assert.rejects(producer.send({ topic: 'analytics-a' }), NotAllowed);
  const unverified = policy.open({ user: 'alice', groups: ['engineering'] });
  assert.throws(() => guardProducer(sender, unverified), /verified/);
});
