// Tests the wasm engine in Node: invalid input, constant memory, explanations.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Policy as Analyze } from '../analyze.js';
import { Policy } from '../index.js';

const document = {
  version: 1,
  acls: [{
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: 'Group:engineering', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  }],
};
const check = {
  identity: { user: 'alice', groups: ['engineering'] },
  operation: 'OPERATION_READ', resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-events',
};

test('a policy document with ten faults names all ten', async () => {
  const bad = {
    version: 2,
    settings: { oidc_group_claim_path: '$[', nested_group_behavior: 'Suffix', superusers: ['User:admin'] },
    roles: [{ name: 'a,b' }, { name: 'ok', members: [{ principal: 'alice' }] }],
    acls: [{ ...document.acls[0], resource_type: 'RESOURCE_TYPE_QUEUE', host: '10.0.0.0/8', principal: 'Group:' }],
    extra: true,
  };
  const error = await Policy.load(bad).then(() => assert.fail('it loaded'), (error) => error);
  assert.equal(error.code, 'policy_invalid');
  assert.deepEqual(error.problems.map((problem) => problem.path).sort(), [
    '/acls/0/host', '/acls/0/principal', '/acls/0/resource_type', '/extra', '/roles/0/name', '/roles/1/members/0/principal',
    '/settings/nested_group_behavior', '/settings/oidc_group_claim_path', '/settings/superusers/0', '/version',
  ]);
  for (const problem of error.problems) assert.ok(problem.code && problem.message, JSON.stringify(problem));
});

test('twenty thousand malformed calls leave memory flat and the answer right', async () => {
  const policy = await Policy.load(document);
  const cyclic = {};
  cyclic.self = cyclic;
  const bad = [
    undefined, null, 1, 'x', '{', [], {}, cyclic, { get identity() { throw new Error('no'); } }, { ...check, host: 'here' },
    { ...check, operation: 'READ ' }, { ...check, resource_type: 'RESOURCE_TYPE_QUEUE' }, { ...check, identity: '\ud800' },
    { unverified_token: 'a.b.c', operation: 'read', resource_type: 'topic', resource_name: 'x' }, { claims: [] }, Symbol('x'), 10n,
    { ...check, extra: 1 }, { ...check, now: 'today' }, { request: { api: 'kafka', name: 'Nothing' }, identity: check.identity },
  ];
  const attempt = (value) => {
    assert.throws(() => policy.check(value), (error) => error instanceof Error && typeof error.code === 'string');
  };
  bad.forEach(attempt);
  const memory = () => policy.memoryBytes();
  const before = memory();
  for (let call = 0; call < 20_000; call += 1) attempt(bad[call % bad.length]);
  assert.equal(memory(), before);
  assert.equal(policy.check(check).outcome, 'allow');
  policy.free();
});

test('ten thousand ACLs load, and one check answers', async () => {
  const acls = Array.from({ length: 10_000 }, (_, index) => ({
    ...document.acls[0], resource_name: `org.team${index}.`, principal: `Group:team${index % 500}`,
  }));
  const policy = await Policy.load({ version: 1, acls });
  const answer = policy.check({
    ...check, identity: { user: 'alice', groups: ['team7'] }, resource_name: 'org.team1507.events',
  });
  assert.equal(answer.outcome, 'allow');
  assert.equal(answer.acl.resource_name, 'org.team1507.');
  policy.free();
});

test('an explanation names what nearly matched', async () => {
  const policy = await Policy.load(document);
  const explained = policy.explain({ ...check, identity: { user: 'alice', groups: ['Engineering'] } });
  assert.equal(explained.reason, 'no_match');
  assert.equal(explained.candidates[0].near_miss, 'principal_letter_case');
  assert.equal(explained.candidates[0].own_principal, 'Group:Engineering');
  policy.free();
});

test('a member of a role that nearly is the group is named', async () => {
  const policy = await Policy.load({ ...document, acls: [{ resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'orders', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
    principal: 'Role:readers', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW' }],
  roles: [{ name: 'readers', members: [{ principal: 'Group:/engineering' }] }] });
  const explained = policy.explain({ operation: 'read', resource_type: 'topic', resource_name: 'orders', identity: { user: 'alice', groups: ['engineering'] } });
  const [near] = explained.candidates;
  assert.deepEqual([near.near_miss, near.principal_match], ['member_slashes', 'member_slashes']);
  assert.deepEqual([near.own_principal, near.member], ['Group:engineering', 'Group:/engineering']);
  policy.free();
});

test('an identity is opened once and asked many times', async () => {
  const policy = await Policy.load({
    version: 1,
    acls: [
      document.acls[0],
      { ...document.acls[0], resource_name: 'analytics-secret', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', permission_type: 'PERMISSION_TYPE_DENY' },
      { ...document.acls[0], resource_name: 'office', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', host: '10.0.0.7' },
    ],
  });
  const alice = policy.open({ user: 'alice', groups: ['engineering', ''] });
  assert.deepEqual(alice.groups, ['engineering']);
  assert.deepEqual(alice.warnings.map((warning) => warning.code), ['empty_name']);
  assert.equal(alice.check('read', 'topic', 'analytics-events'), 'allow');
  assert.equal(alice.check('OPERATION_DESCRIBE', 'RESOURCE_TYPE_TOPIC', 'analytics-events'), 'allow');
  assert.equal(alice.check('read', 'topic', 'analytics-secret'), 'deny');
  assert.equal(alice.check('write', 'topic', 'analytics-events'), 'deny');
  assert.equal(alice.check('read', 'topic', 'office'), 'deny');
  assert.equal(alice.check('read', 'topic', 'office', { host: '10.0.0.7' }), 'allow');
  assert.equal(alice.check('read', 'topic', 'office', { host: '10.0.0.8' }), 'deny');
  const names = ['analytics-a', 'analytics-secret', 'orders', 'analytics-ü'];
  assert.deepEqual(alice.filter('describe', 'topic', names), ['analytics-a', 'analytics-secret', 'analytics-ü']);
  assert.deepEqual(alice.checkMany([
    { operation: 'read', resource_type: 'topic', resource_name: 'office', host: '10.0.0.7' },
    { operation: 'read', resource_type: 'group', resource_name: 'office' },
  ]), ['allow', 'deny']);
  const events = policy.resource('topic', 'analytics-events');
  assert.equal(alice.checkResource('read', events), 'allow');
  assert.equal(alice.checkResource('write', events), 'deny');
  const claims = policy.open({ claims: { sub: 'bob', groups: 'engineering, finance' } });
  assert.deepEqual(claims.groups, ['engineering', 'finance']);
  assert.equal(claims.check('read', 'topic', 'analytics-events'), 'allow');
  for (const handle of [alice, claims, policy]) handle.free();
});

test('what the simulator asks', async () => {
  const policy = await Analyze.load({ ...document, roles: [{ name: 'r', members: [{ principal: 'Group:engineering' }] }] });
  const [alice, bob] = [{ user: 'alice', groups: ['engineering', 'all'] }, { user: 'bob', groups: ['all'] }];
  const { identity: _, ...question } = check;
  const found = policy.revoke(alice, question);
  assert.equal(found.decision.outcome, 'allow');
  assert.deepEqual(found.memberships_to_leave, ['Group:engineering']);
  // The result is valid input for `whatIf`, which changes nothing.
  const result = policy.whatIf(alice, found.smallest_changes, question);
  assert.deepEqual(result.decisions.map(({ outcome }) => outcome), ['allow', 'deny']);
  assert.equal(policy.open(alice).decide(question).outcome, 'allow');
  const removed = policy.whatIf(alice, [{ change: 'remove_from_group', group: 'engineering' }, { change: 'remove_from_group', group: 'nobody' }]);
  assert.deepEqual([removed.groups_lost, removed.no_ops.map(({ code }) => code), removed.decisions], [['engineering'], ['no_change'], undefined]);
  const two = policy.compare(alice, bob, question);
  assert.deepEqual([two.groups_first, two.groups_both, two.gains], [['engineering'], ['all'], []]);
  assert.deepEqual(two.decisions.map(({ outcome }) => outcome), ['allow', 'deny']);
  assert.equal(two.loses[0].resource_name, 'analytics-');
  assert.deepEqual(policy.compare(alice, alice).loses, []);
  const claims = policy.open({ claims: { sub: 'a', groups: ['/x/engineering', '/y/engineering'] } });
  const names = claims.inspection.elements.map(({ raw }) => raw);
  const { collisions: [merged] } = policy.collisions({ names, nested: 'suffix' });
  assert.deepEqual([merged.group, merged.names.length], ['engineering', 3]);
  assert.equal(merged.gains[0].regions[0].resource_name, 'analytics-');
  assert.deepEqual(policy.collisions(), { collisions: [] });
  assert.equal(policy.collisions({ names, nested: 'suffix', limit: 0 }).omitted, 1);
});

test('a name is found anew when it was forgotten, and the answer is the same', async () => {
  for (const cacheSize of [0, 1, 3, undefined]) {
    const policy = await Policy.load(document, { cacheSize });
    const other = await Policy.load({ version: 1 }, { cacheSize });
    const alice = policy.open({ user: 'alice', groups: ['engineering'] });
    const stranger = other.open({ user: 'alice', groups: ['engineering'] });
    const events = policy.resource('topic', 'analytics-events');
    for (let round = 0; round < 20; round += 1) {
      const name = `analytics-${round % 7}`;
      assert.equal(alice.check('read', 'topic', name), 'allow');
      assert.equal(alice.check('read', 'group', name), 'deny');
      assert.equal(alice.check('read', 'topic', `orders-${round % 5}`), 'deny');
      assert.equal(alice.check('read', 'topic', name, { host: '10.0.0.7' }), 'allow');
      assert.equal(alice.checkResource('read', events), 'allow');
      assert.equal(alice.checkResource('write', events), 'deny');
      assert.equal(stranger.checkResource('read', events), 'deny');
    }
  }
});

test('a name that every object has, or that reads as a number, is a name like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', '7', '-1', ''];
  const policy = await Policy.load({ ...document, acls: names.slice(0, -1).map((name) => ({ ...document.acls[0], resource_name: name })) });
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(alice.filter('read', 'topic', names), names.slice(0, -1));
    assert.deepEqual(alice.filter('read', 'group', names), []);
    for (const name of [7, ['7'], Object('7'), Symbol('7'), undefined]) {
      assert.throws(() => alice.check('read', 'topic', name), { code: 'wrong_type' });
    }
  }
});

test('names that are never asked twice do not fill the memory', async () => {
  const policy = await Policy.load(document, { cacheSize: 1000 });
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  let number = 0;
  const ask = (names) => {
    for (const end = number + names; number < end; number += 1) alice.check('read', 'topic', `analytics-${number}`);
  };
  ask(5_000);
  const before = policy.memoryBytes();
  ask(100_000);
  assert.equal(policy.memoryBytes(), before);
});

test('what an identity cannot be asked is an error with a code, and nothing is lost by it', async () => {
  const policy = await Policy.load(document);
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  const code = (call) => {
    try {
      return call();
    } catch (error) {
      assert.ok(error instanceof Error && error.message, error);
      return error.code;
    }
  };
  assert.equal(code(() => alice.check('peek', 'topic', 'x')), 'unknown_value');
  assert.equal(code(() => alice.check('read', 'queue', 'x')), 'unknown_value');
  assert.equal(code(() => alice.check('read', 'topic', 7)), 'wrong_type');
  assert.equal(code(() => alice.check('read', 'topic', 'x\ud800')), 'not_well_formed');
  assert.equal(code(() => alice.check('read', 'topic', 'x', { host: '10.0.0.0/8' })), 'host_invalid');
  assert.equal(code(() => alice.check({}, 'topic', 'x')), 'wrong_type');
  assert.equal(code(() => policy.resource('topic')), 'wrong_type');
  assert.equal(code(() => policy.open({ groups: ['a'] })), 'identity_invalid');
  assert.equal(code(() => policy.open({ claims: { groups: ['a'] } })), 'principal_missing');
  assert.equal(alice.check('read', 'topic', 'analytics-events'), 'allow');
  const before = policy.memoryBytes();
  for (let call = 0; call < 20_000; call += 1) code(() => alice.check('read', call % 2 ? 'queue' : 'topic', 'x\udc00'));
  for (let opened = 0; opened < 20_000; opened += 1) policy.open({ user: `u${opened}`, groups: ['engineering'] }).free();
  assert.equal(policy.memoryBytes(), before);
});

test('settings come out with attributes of any name', async () => {
  const attributes = JSON.parse('{"federated_groups": "$.groups", "__proto__": "$.a", "constructor": "$.b"}');
  const settings = { sso: { mode: 'use_map', attributes } };
  const policy = await Analyze.load({ version: 1, settings });
  assert.deepEqual(Object.entries(policy.export().settings.sso.attributes).sort(), Object.entries(attributes).sort());
  const { no_ops } = policy.whatIf({ user: 'alice' }, [{ change: 'settings', settings }]);
  assert.deepEqual(Object.entries(no_ops[0].change.settings.sso.attributes).sort(), Object.entries(attributes).sort());
});

test('answers are plain objects and arrays of their own', async () => {
  const policy = await Analyze.load({ version: 1, roles: [{ name: 'r', members: [{ principal: 'Group:a' }] }] });
  const alice = policy.open({ user: 'alice', groups: ['a'] });
  const question = { operation: 'read', resource_type: 'topic', resource_name: 'x' };
  const isPlain = (value) => {
    if (typeof value !== 'object' || value === null) return ['string', 'number', 'boolean'].includes(typeof value) || value === null;
    const expected = Array.isArray(value) ? Array.prototype : Object.prototype;
    return Object.getPrototypeOf(value) === expected && Object.values(value).every(isPlain);
  };
  const all = [
    () => alice.decide(question), () => alice.explain(question), () => alice.inspection, () => alice.permissions(), () => policy.whoCan(question),
    () => policy.lint(), () => policy.export(), () => policy.diff(policy), () => alice.leastGrant(question), () => alice.revoke(question),
    () => policy.collisions(), () => policy.compare({ user: 'a' }, { user: 'b' }, question), () => policy.whatIf({ user: 'a' }, []),
    () => alice.request({ api: 'kafka', name: 'Produce', resources: { topic: ['x'] } }),
  ];
  for (const call of all) {
    const first = call();
    assert.ok(isPlain(first), String(call));
    const text = JSON.stringify(first);
    for (const name of Object.keys(first)) delete first[name];
    assert.equal(JSON.stringify(call()), text, String(call));
  }
});
