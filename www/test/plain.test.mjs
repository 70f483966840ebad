// Tests that arguments are plain data: values that would be lost are refused, regardless of prototypes, and handles are not
// read as data.
import test from 'node:test';
import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import * as analyze from '../analyze.js';
import * as base from '../index.js';
import * as verify from '../verify.js';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const READ = { operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
const PRODUCE = { api: 'kafka', name: 'Produce', resources: { topic: ['analytics-a'] } };
const EXPIRED = { claims: { sub: 'alice', groups: ['engineering'], exp: 1_000 } };
const ENTRIES = { base, verify, analyze };

/** Checks that a call is refused with a code. */
function refused(call, code, says = /./) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof base.EngineError, `${call}: ${error}`);
    assert.equal(error.code, code, `${call}: ${error.message}`);
    assert.match(error.message, says);
    return true;
  }, String(call));
}

/** Every form of a member that JSON loses: a getter, a class, a prototype, or a hidden member. */
const lossy = (own, name, value) => ({
  'a getter of a class': Object.assign(new (class { get [name]() { return value; } })(), own),
  'a private field': Object.assign(new (class { #value = value; get [name]() { return this.#value; } })(), own),
  'an instance of a class': Object.assign(new (class { })(), own, { [name]: value }),
  'an inherited member': Object.assign(Object.create({ [name]: value }), own),
  'a member of a prototype without one': Object.assign(Object.create(Object.assign(Object.create(null), { [name]: value })), own),
  'a hidden member of a prototype': Object.assign(Object.create(Object.create(null, { [name]: { value } })), own),
  'a hidden member': Object.defineProperty({ ...own }, name, { value }),
  'a getter': Object.defineProperty({ ...own }, name, { get: () => value, enumerable: true }),
  'a false Object.prototype': Object.assign(Object.create(Object.assign(Object.create(null), { constructor: Object, [name]: value })), own),
  'a symbol': { ...own, [Symbol('x')]: value },
  'toJSON': { ...own, toJSON: () => own },
});

test('objects that would lose a member are refused, wherever they are', async () => {
  const acl = { ...DOCUMENT.acls[0], principal: 'User:alice' };
  const document = { version: 1, roles: [{ name: 'Blocked', members: [{ principal: 'Group:blocked' }] }],
    acls: [acl, { ...acl, principal: 'Role:Blocked', permission_type: 'PERMISSION_TYPE_DENY' }] };
  for (const { Policy } of Object.values(ENTRIES)) {
    const policy = await Policy.load(document);
    const alice = policy.open({ user: 'alice' });
    for (const [way, who] of Object.entries(lossy({ user: 'alice' }, 'groups', ['blocked']))) {
      if (way === 'toJSON') continue;
      for (const call of [() => policy.open(who), () => policy.inspect(who), () => policy.open({ identity: who }), () => policy.can({ identity: who, ...READ }),
        () => policy.check({ identity: who, ...READ }), () => policy.explain({ identity: who, ...READ })]) refused(call, 'not_json', /plain/);
    }
    for (const call of [(who) => policy.open(who), (who) => policy.open({ identity: who })]) {
      assert.throws(() => call({ user: 'alice', toJSON: () => ({ user: 'bob' }) }), { name: 'EngineError' });
    }
    for (const claims of Object.values(lossy({ sub: 'alice' }, 'exp', 1_000))) {
      refused(() => policy.open({ claims }), 'not_json');
      refused(() => policy.can({ claims, ...READ }), 'not_json');
      refused(() => policy.open({ claims: { sub: 'alice', realm: [{ access: claims }] } }), 'not_json');
      refused(() => policy.open({ claims: { sub: 'alice' }, userinfo: claims }), 'not_json');
    }
    for (const [way, question] of Object.entries(lossy(READ, 'now', 1_000))) {
      refused(() => alice.decide(question), 'not_json');
      refused(() => alice.explain(question), 'not_json');
      // A symbol says nothing in a request, and looking for symbols takes longer than the check.
      if (way !== 'a symbol') assert.throws(() => alice.checkMany([question]), { name: 'EngineError' });
      refused(() => policy.can({ request: question, identity: { user: 'alice' } }), 'not_json');
    }
    for (const change of Object.values(lossy({ change: 'add_acl' }, 'acl', acl))) refused(() => policy.apply(change), 'not_json');
    for (const role of Object.values(lossy({ name: 'Blocked' }, 'members', [{ principal: 'Group:blocked' }]))) {
      await assert.rejects(Policy.load({ ...document, roles: [role] }), { code: 'not_json' });
    }
    for (const whole of Object.values(lossy({ version: 1 }, 'acls', document.acls))) await assert.rejects(Policy.load(whole), { code: 'not_json' });
    class Groups extends Array { toJSON() { return []; } }
    for (const groups of [Groups.from(['blocked']), Object.assign(['blocked'], { x: 1 }), Object.setPrototypeOf(Array(1), ['blocked']),
      Object.defineProperty([], 0, { get: () => 'blocked', enumerable: true }), new Date(), Object.assign([], { toJSON: () => [] })]) {
      assert.throws(() => policy.open({ user: 'alice', groups }), { name: 'EngineError' });
      refused(() => policy.can({ identity: { user: 'alice', groups }, ...READ }), 'not_json');
    }
    // Plain objects of other realms and without a prototype are accepted.
    for (const who of [runInNewContext('({ user: "alice", groups: ["blocked"] })'), Object.assign(Object.create(null), { user: 'alice', groups: ['blocked'] })]) {
      assert.equal(policy.open(who).can('read', 'topic', 'analytics-a'), false);
      assert.equal(policy.can({ identity: who, ...READ }), false);
    }
    assert.equal(alice.can('read', 'topic', 'analytics-a', runInNewContext('({ host: "10.0.0.7" })')), true);
    assert.deepEqual(JSON.parse(JSON.stringify(policy.export())), policy.export());
  }
});

test('no prototype and no hidden member switches the expiry off', async (t) => {
  const { Policy } = analyze;
  const policy = await Policy.load(DOCUMENT);
  const ended = policy.open(EXPIRED);
  const topic = policy.resource('topic', 'analytics-a');
  const calls = [
    (options) => ended.can('read', 'topic', 'analytics-a', options), (options) => ended.can('read', topic, options),
    (options) => ended.check('read', 'topic', 'analytics-a', options) === 'allow', (options) => ended.checkResource('read', topic, options) === 'allow',
    (options) => ended.filter('read', 'topic', ['analytics-a'], options).length > 0, (options) => ended.checkMany([READ], options)[0] === 'allow',
    (options) => ended.request(PRODUCE, options).outcome === 'allow',
  ];
  for (const [name, value] of Object.entries({ ignoreExpiry: true, ignore_expiry: true, now: 1, complete: true, toJSON: () => ({ ignore_expiry: true }), shape: () => ({}), user: 'alice', groups: [] })) {
    await t.test(`Object.prototype.${name}`, () => {
      Object.prototype[name] = value;
      try {
        for (const options of [undefined, {}, { host: '10.0.0.7' }]) for (const call of calls) assert.equal(call(options), false, `${name} ${call}`);
        assert.equal(ended.decide(READ).outcome, 'deny');
        assert.equal(policy.can({ ...EXPIRED, ...READ }), false);
        assert.equal(policy.open(EXPIRED).can('read', 'topic', 'analytics-a'), false);
        refused(() => policy.open({}), 'identity_invalid');
      } finally {
        delete Object.prototype[name];
      }
    });
  }
  for (const options of [...Object.values(lossy({}, 'ignoreExpiry', true)).slice(0, -2), Object.defineProperty({}, 'now', { value: 1 })]) {
    for (const call of calls) assert.throws(() => call(options), { name: 'EngineError' }, String(call));
  }
});

test('a handle is never read as data: an expired identity stays expired', async () => {
  const keys = await verify.verifier(provider().jwks, { issuer: ISSUER, audience: AUDIENCE });
  const handles = [keys];
  const policies = {};
  for (const [entry, { Policy }] of Object.entries(ENTRIES)) {
    const policy = await Policy.load(DOCUMENT);
    policies[entry] = policy;
    handles.push(policy, policy.open(EXPIRED), policy.resource('topic', 'x'));
  }
  for (const handle of handles) {
    for (const policy of Object.values(policies)) {
      const alice = policy.open({ user: 'alice' });
      for (const call of [() => policy.open(handle), () => policy.inspect(handle), () => policy.open({ identity: handle }), () => policy.open({ claims: handle }),
        () => policy.check(handle), () => policy.can({ identity: handle, ...READ }), () => policy.apply(handle), () => alice.decide(handle), () => alice.request(handle),
        () => alice.can('read', 'topic', 'x', handle), () => alice.checkMany([handle])]) refused(call, 'wrong_type', /; .{20}/);
    }
    const policy = policies.analyze;
    for (const call of [() => policy.permissions(handle), () => policy.whatIf(handle, [], READ), () => policy.revoke(handle, READ), () => policy.leastGrant(handle, READ),
      () => policy.whatIf({ user: 'a' }, handle), () => policy.whoCan(handle)]) refused(call, 'wrong_type');
    for (const { Policy } of Object.values(ENTRIES)) await assert.rejects(Policy.load(handle), { code: 'wrong_type' });
    await assert.rejects(verify.verifier(handle, { issuer: null, audience: null }), { code: 'wrong_type' });
  }
  const policy = policies.analyze;
  const ended = policy.open(EXPIRED);
  // Identities of this policy are compared with their expiry.
  const [first, second] = policy.compare(ended, policy.open({ user: 'alice', groups: ['engineering'] }), READ).decisions;
  assert.deepEqual([first.outcome, second.outcome], ['deny', 'allow']);
  assert.equal(ended.can('read', 'topic', 'analytics-a', { ignoreExpiry: true }), true, 'it is still open');
  refused(() => policy.compare({ user: 'a' }, policies.base.open(EXPIRED), READ), 'other_module');
  refused(() => policy.compare(ended, ended, READ), 'wrong_type');
  const other = await analyze.Policy.load(DOCUMENT);
  refused(() => policy.compare({ user: 'a' }, other.open(EXPIRED), READ), 'wrong_type', /another policy/);
  assert.equal(ended.can('read', 'topic', 'analytics-a'), false);
});

test('further arguments are refused in every method', async () => {
  const idp = provider();
  const expected = { issuer: ISSUER, audience: AUDIENCE };
  const keys = await verify.verifier(idp.jwks, expected);
  const policy = await analyze.Policy.load(DOCUMENT);
  const verifying = await verify.Policy.load(DOCUMENT);
  const alice = policy.open({ user: 'alice' });
  const topic = policy.resource('topic', 'x');
  const who = { user: 'alice' };
  const token = idp.token({ sub: 'alice' });
  const more = { now: 1 };
  for (const call of [
    () => alice.can('read', 'topic', 'x', {}, more), () => alice.can('read', topic, {}, more), () => alice.can('read', topic, {}, undefined, more),
    () => alice.check('read', 'topic', 'x', undefined, more), () => alice.checkResource('read', topic, {}, more), () => alice.filter('read', 'topic', [], {}, more),
    () => alice.checkMany([], {}, more), () => alice.request(PRODUCE, {}, more), () => alice.isExpired(1, more), () => alice.decide(READ, more), () => alice.explain(READ, {}, more),
    () => alice.permissions({}, more), () => alice.leastGrant(READ, more), () => alice.revoke(READ, more),
    () => policy.check({ identity: who, ...READ }, more), () => policy.can({ identity: who, ...READ }, more), () => policy.explain({ identity: who, ...READ }, {}, more),
    () => policy.inspect(who, more), () => policy.open(who, more), () => policy.openUnverified(token, {}, more), () => policy.resource('topic', 'x', more),
    () => policy.apply({ change: 'create_role', role: 'x' }, more), () => policy.export(more), () => policy.memoryBytes(more),
    () => policy.permissions(who, {}, more), () => policy.permissions('User:alice', more), () => policy.leastGrant(who, READ, more), () => policy.revoke(who, READ, more),
    () => policy.whoCan(READ, more), () => policy.compare(who, who, READ, more), () => policy.collisions({}, more), () => policy.whatIf(who, [], READ, more),
    () => policy.diff(policy, more), () => policy.lint(more), () => keys.verify(token, {}, more), () => verifying.open(keys.verify(token), {}, more), () => verifying.open(who, more),
  ]) refused(call, 'too_many_arguments');
  for (const call of [() => base.Policy.load(DOCUMENT, {}, more), () => verify.Policy.load(DOCUMENT, {}, more), () => analyze.Policy.load(DOCUMENT, {}, more),
    () => analyze.lintDocument(DOCUMENT, {}, more), () => verify.verifier(idp.jwks, expected, more), () => base.init(undefined, more)]) {
    await assert.rejects(call(), { code: 'too_many_arguments' }, String(call));
  }
  assert.equal(policy.export().roles.length, 1, 'nothing was applied');
});

test('permissions say whether the identity has expired', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  const ended = policy.open(EXPIRED);
  for (const permissions of [(options) => ended.permissions(options), (options) => policy.permissions(EXPIRED, options)]) {
    assert.equal(permissions().expired, true);
    assert.equal(permissions().grants.length, 1);
    assert.equal(permissions({ now: 1_001 }).expired, true);
    for (const options of [{ now: 999 }, { ignoreExpiry: true }]) assert.ok(!('expired' in permissions(options)));
    refused(() => permissions({ host: '10.0.0.7' }), 'unknown_option');
    refused(() => permissions({ now: Date.now() }), 'clock_in_milliseconds');
  }
  assert.equal(policy.permissions({ claims: { ...EXPIRED.claims, exp: 'soon' } }, { now: 1 }).expired, true);
  for (const who of [{ user: 'alice', groups: ['engineering'] }, 'Group:engineering']) assert.ok(!('expired' in policy.permissions(who)));
});

test('an expiry beside names is refused with the way to say it', async () => {
  const policy = await analyze.Policy.load(DOCUMENT);
  for (const call of [(who) => policy.open(who), (who) => policy.inspect(who), (who) => policy.permissions(who), (who) => policy.whatIf(who, [])]) {
    refused(() => call({ user: 'alice', groups: ['engineering'], exp: 1_000 }), 'identity_invalid', /`exp` .*`user` and `groups`.*`claims`, where an expiry belongs/);
  }
});
