// Tests details of the interface: one spelling everywhere, one code for one mistake, what is shown, and what it costs.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { guard } from 'gbac-engine/express';
import * as analyze from '../analyze.js';
import * as base from '../index.js';
import * as verify from '../verify.js';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const { acls, EngineError } = base;
const READ = { operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
const ALICE = { user: 'alice', groups: ['engineering'] };

test('an explanation has the candidates that matter, and the number of the others', async () => {
  // Sixty denies of another topic come before the deciding allow.
  const short = [{ allow: 'read', topic: 'orders', to: 'Group:g' }, { deny: 'read', topic: Array.from({ length: 60 }, (_, number) => `other-${number}`), to: 'Group:g' }];
  const policy = await base.Policy.load({ version: 1, acls: acls([...short, { allow: 'read', topic: 'Orders', to: 'Group:g' }]) });
  const identity = policy.open({ user: 'u', groups: ['g'] });
  const question = { operation: 'read', resource_type: 'topic', resource_name: 'orders' };
  const ask = { identity: (options) => identity.explain(question, options), policy: (options) => policy.explain({ identity: { user: 'u', groups: ['g'] }, ...question }, options) };
  for (const explain of Object.values(ask)) {
    const counts = (options) => { const { candidates, omitted } = explain(options); return [candidates.length, omitted]; };
    assert.deepEqual([counts(), counts({}), counts({ limit: 3 }), counts({ limit: 1_000 }), counts({ limit: 0 })], [[50, 12], [50, 12], [3, 59], [62, 0], [0, 62]]);
    assert.deepEqual(explain({ limit: 1 }).candidates.map(({ status }) => status), ['decides']);
    assert.deepEqual(explain({ limit: 2 }).candidates.map(({ status }) => status), ['decides', 'near_miss']);
    const all = explain({ limit: 1_000 }).candidates;
    const some = explain().candidates.map((candidate) => all.findIndex(({ acl }) => JSON.stringify(acl) === JSON.stringify(candidate.acl)));
    assert.deepEqual(some, [...some].sort((a, b) => a - b), 'the order stays');
    assert.match(readFileSync(new URL('../../engine/analysis/src/check.rs', import.meta.url), 'utf8'), /CANDIDATES: usize = 50;/, 'the command line has the same default');
    for (const limit of [-1, 1.5, NaN, '5', 2 ** 32, null]) assert.throws(() => explain({ limit }), { code: 'wrong_type' });
    assert.throws(() => explain({ now: 1 }), { code: 'unknown_option' });
  }
});

test('`checkMany` answers as a loop of `check` does, whatever the order of operations, types, names and hosts', async () => {
  const policy = await base.Policy.load({ version: 1, acls: acls([
    { allow: 'read', topic: 'n*', to: 'Group:g' }, { deny: 'read', topic: 'n7', to: 'Group:g' }, { allow: 'write', group: 'n1', to: 'User:u', host: '10.0.0.7' },
  ]) }, { cacheSize: 40 });
  const identity = policy.open({ user: 'u', groups: ['g'] });
  const requests = ['read', 'write', 'describe'].flatMap((operation) => ['topic', 'group'].flatMap((type) => Array.from({ length: 60 }, (_, number) => number).flatMap((number) =>
    [undefined, '10.0.0.7'].map((host) => ({ operation, resource_type: type, resource_name: `n${number}`, ...(host === undefined ? {} : { host }) })))));
  const check = ({ operation, resource_type: type, resource_name: name, host }) => identity.check(operation, type, name, host === undefined ? undefined : { host });
  // By their places, in three orders: what adjacent requests share is looked up once.
  for (const step of [1, 7, 121]) {
    const ordered = requests.map((_, place) => requests[(place * step) % requests.length]);
    const expected = ordered.map(check);
    assert.deepEqual([...new Set(expected)].sort(), ['allow', 'deny']);
    for (let round = 0; round < 2; round += 1) assert.deepEqual(identity.checkMany(ordered), expected);
  }
});

test('`checkMany` refuses members that a request does not have, and hidden ones that it has', async () => {
  const identity = (await base.Policy.load(DOCUMENT)).open(ALICE);
  assert.deepEqual(identity.checkMany([READ, { ...READ, now: 1 }]), ['allow', 'allow']);
  const hidden = (name) => Object.defineProperty({ ...READ }, name, { value: '10.0.0.7' });
  for (const name of ['host', 'now', 'ignore_expiry']) assert.throws(() => identity.checkMany([READ, hidden(name)]), { code: 'not_json' }, name);
  for (const name of ['ignoreExpiry', 'hostname', '0']) assert.throws(() => identity.checkMany([READ, { ...READ, [name]: undefined }]), { code: 'unknown_option' }, name);
  class Request { operation = 'read'; resource_type = 'topic'; resource_name = 'analytics-a'; }
  assert.throws(() => identity.checkMany([new Request()]), { code: 'wrong_type' });
});

test('an array with a hole is refused, and no member of a request is inherited', async () => {
  const identity = (await base.Policy.load(DOCUMENT)).open(ALICE);
  const holes = [READ];
  holes[2] = READ;
  assert.throws(() => identity.checkMany(holes), { code: 'wrong_type' });
  assert.throws(() => identity.filter('read', 'topic', Array(2)), { code: 'wrong_type' });
  // An element that the array inherits is a hole, and one that it only shares a place with is none.
  for (const prototype of [Array.prototype, Object.prototype]) {
    for (const enumerable of [true, false]) {
      for (const [given, code] of [[holes, 'wrong_type'], [[READ, READ], undefined]]) {
        Object.defineProperty(prototype, 1, { value: READ, enumerable, configurable: true });
        let error;
        try {
          identity.checkMany(given);
        } catch (thrown) {
          error = thrown;
        } finally {
          delete prototype[1];
        }
        assert.equal(error?.code, code);
      }
    }
  }
  for (const members of [READ, { operation: 'read' }, { resource_name: 'analytics-a' }]) {
    const own = Object.fromEntries(Object.entries(READ).filter(([name]) => !(name in members)));
    for (const request of [own, { ...own, host: '10.0.0.7' }, { ...own, now: 1, host: '10.0.0.7' }]) {
      Object.assign(Object.prototype, members);
      let error;
      try {
        identity.checkMany([request]);
      } catch (thrown) {
        error = thrown;
      } finally {
        for (const name of Object.keys(members)) delete Object.prototype[name];
      }
      assert.equal(error?.code, 'wrong_type', JSON.stringify([request, members]));
    }
  }
});

test('policies of every entry point are instances of the base `Policy`, as their types say', async () => {
  const { Policy } = base;
  class Mine extends Policy {}
  for (const { Policy: Own } of [base, verify, analyze]) {
    const policy = await Own.load(DOCUMENT);
    assert.ok(policy instanceof Policy && policy instanceof Own);
    assert.ok(!(policy instanceof Mine));
  }
  assert.ok(await Mine.load(DOCUMENT) instanceof Mine);
  assert.ok(!(await base.Policy.load(DOCUMENT) instanceof verify.Policy));
  for (const value of [undefined, null, {}, 7, Object.create(Policy.prototype)]) assert.ok(!(value instanceof Policy));
});

test('an empty user is refused, whether it is a name or a claim', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  for (const who of [{ user: '' }, { user: '', groups: ['engineering'] }, { claims: { sub: '' } }]) {
    for (const call of [() => policy.open(who), () => policy.inspect(who), () => policy.permissions(who)]) assert.throws(call, (error) => error instanceof EngineError && /^no user: .* is empty/.test(error.message), JSON.stringify(who));
  }
});

test('a lone surrogate has one code in every call', async () => {
  const lone = '\ud800';
  const policy = await analyze.Policy.load(DOCUMENT);
  const alice = policy.open(ALICE);
  const calls = [
    () => alice.can('read', 'topic', lone), () => alice.can(lone, 'topic', 'x'), () => alice.can('read', 'topic', 'x', { host: lone }), () => alice.decide({ ...READ, resource_name: lone }),
    () => alice.explain({ ...READ, host: lone }), () => alice.checkMany([{ ...READ, resource_name: lone }]), () => alice.filter('read', 'topic', [lone]),
    () => policy.resource('topic', lone) && alice.can('read', policy.resource('topic', lone)), () => policy.open({ user: lone }), () => policy.open({ user: 'a', groups: [lone] }),
    () => policy.open({ claims: { sub: 'a', [lone]: 1 } }), () => policy.check({ identity: { user: lone }, ...READ }), () => policy.apply({ change: 'create_role', role: lone }),
    () => policy.permissions(`User:${lone}`), () => policy.collisions({ names: [lone] }), () => policy.whatIf(ALICE, [{ change: 'add_to_group', group: lone }]),
    () => policy.whoCan({ ...READ, resource_name: lone }), () => acls([{ allow: 'read', topic: lone, to: 'User:a' }]), () => acls([{ allow: 'read', topic: 'x', to: `User:${lone}` }]),
  ];
  for (const call of calls) assert.throws(call, (error) => error.code === 'not_well_formed', String(call));
  await assert.rejects(base.Policy.load({ ...DOCUMENT, roles: [{ name: lone, members: [] }] }), { code: 'not_well_formed' });
});

test('`host: *` is told to leave the member out', async () => {
  const policy = await base.Policy.load(DOCUMENT);
  const alice = policy.open(ALICE);
  for (const call of [() => alice.can('read', 'topic', 'x', { host: '*' }), () => alice.decide({ ...READ, host: '*' }), () => alice.checkMany([{ ...READ, host: '*' }]), () => policy.can({ identity: ALICE, ...READ, host: '*' })]) {
    assert.throws(call, (error) => /omit the host/.test(error.message), String(call));
  }
  assert.throws(() => alice.can('read', 'topic', 'x', { host: 'localhost' }), (error) => !error.message.includes('`*`'), 'an address cannot be `*`');
});

test('text bodies of 401 and 403 have a content type', async (t) => {
  const policy = await verify.Policy.load(DOCUMENT);
  const idp = provider();
  const keys = await verify.verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const protect = guard({ identify: async (token) => policy.open(keys.verify(token)), requires: () => ({ ...READ, resource_name: 'orders' }) });
  const server = createServer((request, response) => protect(request, response, () => response.end()));
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => { server.close(); server.closeAllConnections(); });
  const token = idp.token({ sub: 'alice', groups: ['engineering'] });
  for (const [headers, status] of [[{}, 401], [{ authorization: `Bearer ${token}` }, 403]]) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`, { headers });
    assert.deepEqual([response.status, response.headers.get('content-type')], [status, 'text/plain; charset=utf-8']);
  }
});

test('an identity shows who it is in logs, and its text opens none', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  const alice = policy.open({ claims: { sub: 'alice', groups: ['engineering'], exp: 2_000_000_000 } });
  const shown = { user: 'alice', groups: ['engineering'], verified: false, expiresAt: 2_000_000_000 };
  assert.deepEqual(JSON.parse(JSON.stringify(alice)), shown);
  assert.equal(inspect(alice), `Identity ${inspect(shown)}`);
  for (const who of [JSON.stringify(alice), JSON.parse(JSON.stringify(alice)), JSON.stringify(policy.open(ALICE))]) assert.throws(() => policy.open(who), EngineError);
  const freed = policy.open(ALICE);
  freed.free();
  assert.equal(inspect(freed), 'Identity (freed)');
});

test('bytes as a document name the remedy, and a member that is `undefined` is left out', async () => {
  const bytes = Buffer.from(JSON.stringify(DOCUMENT));
  for (const given of [bytes, new Uint8Array(bytes)]) await assert.rejects(base.Policy.load(given), (error) => error.code === 'not_json' && /'utf8'/.test(error.message));
  assert.equal((await base.Policy.load({ ...DOCUMENT, settings: undefined })).export().acls.length, 2);
  await assert.rejects(base.Policy.load({ ...DOCUMENT, roles: [{ name: 'a', members: undefined }] }), { code: 'not_json' });
});

test('operations and types are read alike in every call', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  const alice = policy.open(ALICE);
  const spellings = ['describeconfigs', 'DescribeConfigs', 'DESCRIBE_CONFIGS', 'describe-configs', 'OPERATION_DESCRIBE_CONFIGS'];
  const wrong = ['operation_describe_configs', 'describe configs', 'de\u017fcribeconfigs', 'Describe\u212a'];
  const calls = (operation, resource_type) => {
    const request = { operation, resource_type, resource_name: 'x' };
    return [
      () => alice.can(operation, resource_type, 'x'), () => alice.check(operation, resource_type, 'x'), () => alice.filter(operation, resource_type, ['x']), () => alice.checkMany([request]),
      () => alice.decide(request), () => alice.explain(request), () => policy.check({ identity: ALICE, ...request }), () => policy.whoCan(request), () => policy.leastGrant(ALICE, request),
      () => alice.can(operation, policy.resource(resource_type, 'x')),
    ];
  };
  for (const operation of spellings) {
    for (const call of calls(operation, 'Topic')) call();
    assert.equal(acls([{ allow: operation, topic: 'x', to: 'User:a' }])[0].operation, 'OPERATION_DESCRIBE_CONFIGS');
  }
  for (const type of ['transactional-id', 'Transactional_ID', 'RESOURCE_TYPE_TRANSACTIONAL_ID']) for (const call of calls('read', type)) call();
  for (const operation of wrong) {
    for (const call of [...calls(operation, 'topic'), () => acls([{ allow: operation, topic: 'x', to: 'User:a' }])]) assert.throws(call, EngineError, `${operation}: ${call}`);
  }
});
