// Tests that nothing fails open: booleans for conditions, long names, traps, and misleading names and options.
import id from '../pkg/gbac_engine_id.js';
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as analyze from '../analyze.js';
import * as base from '../index.js';
import { Module } from '../lib/module.js';
import * as verify from '../verify.js';
import { capped } from './capped.mjs';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const ALICE = { user: 'alice', groups: ['engineering'] };
const READ = { operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
const PRODUCE = { request: { api: 'kafka', name: 'Produce', resources: { topic: ['analytics-a'] } } };
const ENTRIES = { base, verify, analyze };

/** The error of a call, which must be one of ours. */
function thrown(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof base.EngineError, `${call}: ${error}`);
    return error;
  }
  assert.fail(`${call} threw nothing`);
}

const refused = (call, code, says = /./) => {
  const error = thrown(call);
  assert.equal(error.code, code, `${call}: ${error.message}`);
  assert.match(error.message, says);
};

for (const [entry, { Policy }] of Object.entries(ENTRIES)) {
  test(`${entry}: \`can\` is true only for allow`, async () => {
    const policy = await Policy.load(DOCUMENT);
    const alice = policy.open(ALICE);
    const [mine, other] = [policy.resource('topic', 'analytics-a'), policy.resource('topic', 'orders')];
    assert.equal(alice.can('read', 'topic', 'analytics-a'), true);
    assert.equal(alice.can('read', 'topic', 'orders'), false);
    assert.equal(alice.can('read', 'topic', 'orders', { host: '10.0.0.7' }), false);
    assert.equal(alice.can('read', mine), true);
    assert.equal(alice.can('read', other), false);
    assert.equal(alice.can('read', mine, { host: '10.0.0.7' }), true);
    assert.equal(alice.can('delete', mine), false);
    assert.equal(policy.can({ identity: ALICE, ...READ }), true);
    assert.equal(policy.can({ identity: ALICE, ...READ, resource_name: 'orders' }), false);
    assert.equal(policy.can({ identity: ALICE, ...PRODUCE }), true);
    assert.equal(policy.can({ identity: { user: 'bob' }, ...PRODUCE }), false);
    // Not for conditions: a denial is a non-empty string, and so truthy.
    assert.ok(alice.check('read', 'topic', 'orders'));
    refused(() => alice.can('read', 'topic'), 'wrong_type');
    refused(() => alice.can('read', mine, undefined, { host: '10.0.0.7' }), 'too_many_arguments');
    refused(() => policy.can({ identity: ALICE, ...READ }, { now: 5 }), 'too_many_arguments', /`now`.*members of the question/);
  });
}

/** A policy in a separate module with a memory limit of 32 MiB. */
async function small(file = 'gbac_engine') {
  const glue = await import(`../pkg/${file}.js?${Math.random()}`);
  const module = new Module(glue, id);
  class Policy extends base.Policy {
    static load(document, options) {
      return policies.loadPolicy(this, module, document, options);
    }
  }
  const policies = await import('../lib/policy.js');
  await module.load(capped(file, 32));
  return { Policy, glue };
}

test('long names are not remembered, and thousands of them do not fill the memory', async () => {
  const { Policy } = await small();
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open(ALICE);
  const long = 'x'.repeat(2 ** 20 - 20);
  alice.check('read', 'topic', `analytics-0${long}`);
  const before = policy.memoryBytes();
  // Without the limit of the cache, the thirtieth would fail; with four gigabytes, the 3,852nd.
  for (let number = 0; number < 300; number += 1) {
    assert.equal(alice.can('read', 'topic', `${number % 2 ? 'analytics' : 'orders'}-${number}${long}`), number % 2 === 1);
  }
  assert.equal(policy.memoryBytes(), before);
  // The length counts UTF-8 bytes: each of these names has more than 4,096 bytes and about 1,375 characters.
  const wide = '語'.repeat(1_363);
  for (let number = 0; number < 20_000; number += 1) alice.check('read', 'topic', `analytics-${number}${wide}`);
  assert.ok(policy.memoryBytes() <= before + 2 ** 20, `${policy.memoryBytes() - before} bytes`);
  const resource = policy.resource('topic', `analytics-${long}`);
  for (let round = 0; round < 3; round += 1) {
    assert.equal(alice.checkResource('read', resource), 'allow');
    assert.equal(alice.checkResource('delete', resource), 'deny');
    assert.equal(alice.can('read', resource), true);
  }
  // Two long names in one call are not confused.
  assert.deepEqual(alice.filter('read', 'topic', [`orders-${long}`, `analytics-${long}`]).map((name) => name.length), [`analytics-${long}`.length]);
});

test('what is remembered has a limit in bytes, whatever the limit in names', async () => {
  const { Policy } = await small();
  const policy = await Policy.load(DOCUMENT, { cacheSize: 1e9 });
  const alice = policy.open(ALICE);
  const longest = 'x'.repeat(4_000);
  // These are 60 MB of names.
  for (let number = 0; number < 15_000; number += 1) {
    assert.equal(alice.can('read', 'topic', `analytics-${number}${longest}`), true);
  }
  for (const handle of [alice, policy]) handle.free();
  // Many patterns that match one name use memory, too.
  const acls = Array.from({ length: 2_000 }, (_, length) => ({
    ...DOCUMENT.acls[0], principal: 'Group:engineering', resource_type: 'RESOURCE_TYPE_GROUP', resource_name: 'x'.repeat(length + 1),
  }));
  const nested = (await Policy.load({ version: 1, acls }, { cacheSize: 1e9 })).open(ALICE);
  for (let number = 0; number < 3_000; number += 1) assert.equal(nested.can('read', 'group', `${longest}${number}`), true);
});

test('after a failure nothing is allowed, every handle says what to do, and the next load starts again', async () => {
  const { Policy } = await small();
  const policy = await Policy.load(DOCUMENT);
  const [alice, mine] = [policy.open(ALICE), policy.resource('topic', 'analytics-a')];
  const acls = Array.from({ length: 20_000 }, (_, number) => ({ ...DOCUMENT.acls[0], resource_name: `team-${number}.` }));
  const text = JSON.stringify({ ...DOCUMENT, acls });
  const held = [];
  // A real failure: the memory is exhausted.
  const error = await (async () => {
    for (;;) held.push(await Policy.load(text));
  })().catch((error) => error);
  assert.equal(error.code, 'engine_failed', String(error));
  assert.match(error.message, /load the policy again/);
  assert.equal(error.cause.name, 'RuntimeError', String(error.cause));
  for (const call of [
    () => alice.can('read', 'topic', 'analytics-a'), () => alice.check('read', 'topic', 'analytics-a'), () => alice.check('read', 'topic', 'new'),
    () => alice.check('create', 'group', 'new', { host: '10.0.0.7' }), () => alice.checkResource('read', mine), () => alice.can('read', mine),
    () => alice.filter('read', 'topic', ['analytics-a']), () => alice.checkMany([READ]), () => alice.decide(READ), () => alice.explain(READ),
    () => alice.request(PRODUCE.request), () => alice.isExpired(), () => alice.user, () => alice.inspection, () => policy.check({ identity: ALICE, ...READ }),
    () => policy.can({ identity: ALICE, ...READ }), () => policy.open(ALICE), () => policy.inspect(ALICE), () => policy.resource('topic', 'another'),
    () => policy.apply({ change: 'create_role', role: 'x' }), () => policy.export(), () => held[0].open(ALICE),
  ]) refused(call, 'engine_failed', /load the policy again/);
  assert.equal(policy.memoryBytes(), 0);
  for (const handle of [alice, policy, ...held]) handle.free();

  const again = await Policy.load(DOCUMENT);
  const bob = again.open(ALICE);
  assert.equal(bob.can('read', 'topic', 'analytics-a'), true);
  assert.equal(bob.can('read', 'topic', 'orders'), false);
  assert.equal(bob.checkResource('read', mine), 'allow', 'a resource is found anew');
  assert.ok(again.memoryBytes() > 0);
  refused(() => alice.check('read', 'topic', 'analytics-a'), 'engine_failed');
  refused(() => held[0].check({ identity: ALICE, ...READ }), 'engine_failed');
});

test('what fails inside a call, whatever it is, is an error of ours; handles that are collected do no harm', async () => {
  const { Policy, glue } = await small();
  const methods = [
    [glue.Identity, 'check', (alice) => alice.can('read', 'topic', 'analytics-a')],
    [glue.Identity, 'check', (alice) => alice.filter('read', 'topic', ['analytics-a'])],
    [glue.Identity, 'checkFrom', (alice) => alice.checkMany([{ ...READ, host: '10.0.0.7' }])],
    [glue.Identity, 'ask', (alice) => alice.decide(READ)],
    [glue.Identity, 'isExpired', (alice) => alice.isExpired()],
    [glue.Identity, 'takeOpened', (alice) => alice.groups],
    [glue.Identity, 'hasExpiry', (_, policy) => policy.open(ALICE)],
    [glue.Policy, 'find', (alice) => alice.check('read', 'topic', 'new')],
    [glue.Policy, 'forget', (_, policy) => policy.apply({ change: 'create_role', role: 'new' })],
    [glue.Policy, 'open', (_, policy) => policy.open(ALICE)],
    [glue.Policy, 'ask', (_, policy) => policy.can({ identity: ALICE, ...READ })],
    [glue.Policy, 'export', (_, policy) => policy.export()],
    [glue.Policy, 'apply', (_, policy) => policy.apply({ change: 'create_role', role: 'new' })],
    [glue.Identity, 'free', (alice) => alice.free()],
    [glue.Policy, 'free', (alice, policy) => { alice.free(); policy.free(); }],
  ];
  for (const [Class, method, call] of methods) {
    const policy = await Policy.load(DOCUMENT);
    const alice = policy.open(ALICE);
    const original = Class.prototype[method];
    Class.prototype[method] = () => { throw new WebAssembly.RuntimeError('unreachable'); };
    try {
      refused(() => call(alice, policy), 'engine_failed');
    } finally {
      Class.prototype[method] = original;
    }
    for (const later of [() => alice.groups, () => policy.export()]) refused(later, 'engine_failed');
  }
  assert.equal((await Policy.load(DOCUMENT)).open(ALICE).can('read', 'topic', 'analytics-a'), true);
});

test('verified claims and verifiers of a failed instance say so too', async () => {
  const { Policy, verifier } = verify;
  const idp = provider();
  const expected = { issuer: ISSUER, audience: AUDIENCE };
  const keys = await verifier(idp.jwks, expected);
  const token = idp.token({ sub: 'alice', groups: ['engineering'] });
  const claims = keys.verify(token);
  const policy = await Policy.load(DOCUMENT);
  const glue = await import('../pkg/gbac_engine_verify.js');
  const original = glue.KeySet.prototype.verify;
  glue.KeySet.prototype.verify = () => { throw new WebAssembly.RuntimeError('unreachable'); };
  refused(() => keys.verify(token), 'engine_failed');
  glue.KeySet.prototype.verify = original;
  for (const call of [() => keys.verify(token), () => claims.claims, () => claims.expiresAt, () => policy.open(claims)]) refused(call, 'engine_failed');
  const [again, loaded] = [await verifier(idp.jwks, expected), await Policy.load(DOCUMENT)];
  refused(() => loaded.open(claims), 'other_module', /verify the token again/);
  assert.equal(loaded.open(again.verify(token)).can('read', 'topic', 'analytics-a'), true);
});

test('every call into wasm goes through the guard', () => {
  // Methods of handles and functions of the glue code must be called in arrow functions that `call`, `take` or `ask` run.
  for (const path of ['index.js', 'verify.js', 'analyze.js', 'lib/policy.js', 'lib/names.js', 'lib/module.js', 'lib/arguments.js', 'lib/plain.js']) {
    const source = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*\*).*$/gm, '');
    for (const [line] of source.matchAll(/^.*(?:\b(?:engine|handle|after)|glue(?:\.\w+)*|#engine)\.\w+\(.*$/gm)) {
      const isGuarded = /=> (?:this\.#engine|engine|handle|glue(?:\.\w+)?|instance\.glue(?:\.Policy)?|module\.glue|this\.glue)\.\w+\(/.test(line);
      const starts = /glue\.(?:initSync|default|__wbg_reset_state)\(/.test(line);
      assert.ok(isGuarded || starts, `${path}: ${line.trim()}`);
    }
  }
});

test('groups that are no array of bare names are refused, and not read as none', async () => {
  // The group engineering is denied, so a request that loses the group would be allowed.
  const acl = { ...DOCUMENT.acls[0], principal: 'User:alice' };
  const document = { version: 1, acls: [acl, { ...acl, principal: 'Group:engineering', permission_type: 'PERMISSION_TYPE_DENY' }] };
  const lost = () => ['engineering'];
  const inherits = Object.create({ user: 'alice', groups: ['engineering'] });
  for (const [entry, { Policy }] of Object.entries(ENTRIES)) {
    const policy = await Policy.load(document);
    assert.equal(policy.open(ALICE).can('read', 'topic', 'analytics-a'), false, entry);
    thrown(() => policy.open(inherits));
    assert.equal(policy.open({ user: 'alice' }).can('read', 'topic', 'analytics-a'), true, entry);
    const toNothing = Object.assign(['engineering'], { toJSON: () => undefined });
    for (const groups of [
      null, undefined, lost, Symbol('x'), 'engineering', 7, 7n, true, {}, new Set(['engineering']), new Map(), Promise.resolve(['engineering']),
      new Uint8Array(1), { length: 1, 0: 'engineering' }, [lost], [undefined], [null], [7], [['engineering']], Array(1), new String('engineering'),
    ]) {
      thrown(() => policy.open({ user: 'alice', groups }));
      thrown(() => policy.inspect({ user: 'alice', groups }));
      thrown(() => policy.inspect({ identity: { user: 'alice', groups } }));
      thrown(() => policy.check({ identity: { user: 'alice', groups }, ...READ }));
      thrown(() => policy.can({ identity: { user: 'alice', groups }, ...READ }));
    }
    thrown(() => policy.open({ user: 'alice', groups: toNothing }));
    thrown(() => policy.can({ identity: { user: 'alice', groups: toNothing }, ...READ }));
    // Likewise, claims and user info that JSON would omit.
    for (const bad of [lost, undefined, Symbol('x'), 7n, NaN, Promise.resolve([]), new Map([['a', 1]]), new Set(['engineering']), new URLSearchParams()]) {
      thrown(() => policy.open({ claims: { sub: 'alice', groups: bad } }));
      thrown(() => policy.check({ claims: { sub: 'alice', realm: { groups: bad } }, ...READ }));
      thrown(() => policy.open({ claims: { sub: 'alice' }, userinfo: { groups: bad } }));
      if (bad !== undefined) thrown(() => policy.open({ claims: { sub: 'alice' }, userinfo: bad }));
    }
    for (const userinfo of [null, lost, 'x', 7, [], Promise.resolve({ groups: ['engineering'] })]) {
      thrown(() => policy.openUnverified(token({ sub: 'alice' }), { userinfo }));
    }
    refused(() => policy.open({ claims: { sub: 'alice' } }, { userinfo: { groups: ['engineering'] } }), 'too_many_arguments', /beside `claims`/);
    for (const bad of [lost, Promise.resolve([]), new Map(), undefined]) {
      if (bad !== undefined) await assert.rejects(Policy.load({ version: 1, acls: document.acls, roles: bad }), { code: 'not_json' });
      await assert.rejects(Policy.load({ version: 1, acls: document.acls, roles: [{ name: 'a', members: bad }] }), { code: 'not_json' });
    }
  }
});

test('a principal where a bare name belongs is refused, and the message has the name to write', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  const group = { user: 'alice', groups: ['ok', 'Group:engineering'] };
  const user = { user: 'User:alice', groups: [] };
  for (const [who, hint] of [[group, /groups\/1: .*write the bare name, `engineering`/], [user, /user: .*write the bare name, `alice`/]]) {
    const wrong = (call) => assert.match(thrown(call).message, hint);
    wrong(() => policy.open(who));
    wrong(() => policy.inspect(who));
    wrong(() => policy.check({ identity: who, ...READ }));
    wrong(() => policy.can({ identity: who, ...READ }));
    wrong(() => policy.explain({ identity: who, ...READ }));
    wrong(() => policy.permissions(who));
    wrong(() => policy.leastGrant(who, READ));
    wrong(() => policy.compare(ALICE, who));
    wrong(() => policy.whatIf(who, []));
  }
  refused(() => policy.whatIf(ALICE, [{ change: 'add_to_group', group: 'Group:ops' }]), 'change_invalid', /write the bare name, `ops`/);
  // Names in tokens are used unchanged.
  assert.deepEqual(policy.open({ claims: { sub: 'User:alice', groups: ['Group:engineering'] } }).groups, ['Group:engineering']);
  assert.equal(policy.open({ claims: { sub: 'alice', groups: ['Group:engineering'] } }).can('read', 'topic', 'analytics-a'), false);
});

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token without a valid signature. */
const token = (claims) => `${part({ alg: 'none' })}.${part(claims)}.`;

test('options are a plain object with known members, in every method', async () => {
  const { Policy, lintDocument } = analyze;
  const idp = provider();
  const keys = await verify.verifier(idp.jwks, { issuer: ISSUER, audience: null });
  const policy = await Policy.load(DOCUMENT);
  const verifying = await verify.Policy.load(DOCUMENT);
  const signed = idp.token({ sub: 'alice', groups: ['engineering'] });
  const claims = keys.verify(signed);
  const alice = policy.open(ALICE);
  const orders = policy.resource('topic', 'orders');
  const trap = () => { throw new Error('no'); };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const bad = [
    null, 7, Date.now() / 1000, true, 'x', Symbol('x'), 7n, () => ({}), [], [1], new Date(), new Map([['now', 1]]), Promise.resolve({}),
    Object.create({ now: 1 }), { unknown: 1 }, { time: 1 }, { clientIp: '10.0.0.7' }, { ignore_expiry: true }, { [signed]: 1 }, signed,
    { get now() { throw new TypeError('no'); }, get userinfo() { throw 1; }, get names() { throw 1; }, get wasm() { throw 1; }, get cacheSize() { throw 1; }, get issuer() { throw 1; } },
    new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap }), revoked.proxy,
  ];
  const methods = {
    check: (options) => alice.check('read', 'topic', 'orders', options), can: (options) => alice.can('read', 'topic', 'orders', options),
    'can with a resource': (options) => alice.can('read', orders, options), checkResource: (options) => alice.checkResource('read', orders, options),
    filter: (options) => alice.filter('read', 'topic', [], options), checkMany: (options) => alice.checkMany([], options),
    request: (options) => alice.request(PRODUCE.request, options), openUnverified: (options) => policy.openUnverified(signed, options),
    collisions: (options) => policy.collisions(options), verify: (options) => keys.verify(signed, options), open: (options) => verifying.open(claims, options),
  };
  const loading = {
    load: (options) => Policy.load(DOCUMENT, options), lintDocument: (options) => lintDocument(DOCUMENT, options),
    verifier: (options) => verify.verifier(idp.jwks, options),
  };
  const right = (error, what) => {
    assert.ok(error instanceof base.EngineError, `${what}: ${error}`);
    assert.ok(!error.message.includes(signed.slice(0, 30)), `${what} tells the token: ${error.message}`);
  };
  for (const options of bad) {
    for (const [method, call] of Object.entries(methods)) right(thrown(() => call(options)), method);
    for (const [method, call] of Object.entries(loading)) await call(options).then(() => assert.fail(method), (error) => right(error, method));
  }
  refused(() => alice.check('read', 'topic', 'x', Date.now() / 1000), 'wrong_type', /plain object such as `\{ now: seconds \}`/);
  refused(() => alice.check('read', 'topic', 'x', { time: 1 }), 'unknown_option', /`time` is not an option of `check`; write `host`, `now`, `ignoreExpiry`/);
  refused(() => alice.check('read', 'topic', 'x', { now: 1, ignoreExpiry: true }), 'exclusive_options');
  refused(() => alice.check('read', 'topic', 'x', { ignoreExpiry: 1 }), 'wrong_type');
  refused(() => alice.checkMany([{ ...READ, ignoreExpiry: true }]), 'unknown_option', /`ignore_expiry`/);
  refused(() => alice.checkMany([{ ...READ, identity: ALICE }]), 'unknown_option');
  for (const call of [() => alice.explain(READ, { now: 1 }), () => policy.explain({ identity: ALICE, ...READ }, { host: '10.0.0.7' })]) refused(call, 'unknown_option', /`limit`/);
  for (const call of [() => alice.decide(READ, { now: 1 }), () => policy.check({ identity: ALICE, ...READ }, { now: 1 }), () => alice.explain(READ, {}, {}),
    () => policy.explain({ identity: ALICE, ...READ }, {}, {}), () => alice.leastGrant(READ, {}), () => policy.revoke(ALICE, READ, {}),
    () => policy.compare(ALICE, ALICE, READ, {}), () => policy.whatIf(ALICE, [], READ, {}), () => policy.whoCan(READ, {})]) {
    refused(call, 'too_many_arguments', /`ignore_expiry`/);
  }
});

test('what nobody can make is an error of ours', () => {
  for (const make of [() => new base.Policy(), () => new base.Policy({}), () => new base.Identity(), () => new base.Identity({}, {}), () => new base.Resource(),
    () => new base.Resource({}, 'topic', 'x'), () => new verify.VerifiedClaims()]) thrown(make);
});
