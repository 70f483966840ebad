// Tests ACLs in the short form, and listeners of a policy.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { acls, EngineError, Policy } from '../index.js';
import { OPERATIONS, RESOURCE_TYPES } from '../lib/acls.js';

const long = (more) => ({
  resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'orders', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
  principal: 'Group:eng', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW', ...more,
});

test('a short ACL is one long ACL for each operation, name and principal', () => {
  assert.deepEqual(acls([{ allow: 'read', topic: 'orders', to: 'Group:eng' }]), [long()]);
  assert.deepEqual(acls([{ allow: ['read', 'OPERATION_DESCRIBE'], topic: ['orders-*', '*'], to: ['Group:eng', 'User:*'], host: '10.0.0.1' }]),
    ['Group:eng', 'User:*'].flatMap((principal) => [['orders-', 'PREFIXED'], ['*', 'LITERAL']].flatMap(([name, pattern]) => ['READ', 'DESCRIBE'].map((operation) =>
      long({ principal, resource_name: name, resource_pattern_type: `RESOURCE_PATTERN_TYPE_${pattern}`, operation: `OPERATION_${operation}`, host: '10.0.0.1' })))));
  assert.deepEqual(acls([{ deny: 'alter', cluster: true, to: 'Role:interns' }]),
    [long({ resource_type: 'RESOURCE_TYPE_CLUSTER', resource_name: 'kafka-cluster', principal: 'Role:interns', operation: 'OPERATION_ALTER', permission_type: 'PERMISSION_TYPE_DENY' })]);
});

test('every operation and resource type has its short form, and the engine takes what comes of it', async () => {
  const file = ts.createSourceFile('types.d.ts', readFileSync(new URL('../types.d.ts', import.meta.url), 'utf8'), ts.ScriptTarget.Latest, true);
  const union = (name) => file.statements.find((node) => node.name?.text === name).type.types.map(({ literal }) => literal.text);
  assert.deepEqual(Object.entries(OPERATIONS), union('OperationName').map((name, place) => [name, union('Operation')[place]]));
  assert.deepEqual(Object.entries(RESOURCE_TYPES), union('ResourceTypeName').map((name, place) => [name, union('ResourceType')[place]]));
  for (const type of union('ResourceTypeName')) {
    const isSingle = type === 'cluster' || type === 'registry-global';
    const settings = ['delegation-token', 'user-principal'].includes(type) ? { dialect: 'kafka' } : {};
    const policy = await Policy.load({ version: 1, settings, acls: acls([{ allow: 'all', [type]: isSingle ? true : 'x-*', to: 'User:alice' }]) });
    assert.equal(policy.open({ user: 'alice' }).can('describe', type, isSingle ? (type === 'cluster' ? 'kafka-cluster' : '') : 'x-1'), true, type);
    assert.equal(policy.open({ user: 'bob' }).can('describe', type, isSingle ? (type === 'cluster' ? 'kafka-cluster' : '') : 'x-1'), false, type);
  }
});

test('a trailing `*` is a prefix pattern, and any other is refused', async () => {
  const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'User:alice' }]) });
  const alice = policy.open({ user: 'alice' });
  assert.deepEqual(alice.filter('read', 'topic', ['orders-', 'orders-eu', 'orders', 'order']), ['orders-', 'orders-eu']);
  assert.throws(() => acls([{ allow: 'read', topic: 'orders-*-eu', to: 'User:alice' }]), (error) => error.code === 'unknown_value');
});

test('in a principal, an asterisk is refused, except in User:*', () => {
  for (const to of ['Group:*', 'Role:*', 'Group:contractors-*', 'User:a*', 'User:*a', 'User:**', 'Group:a*b', '*', ['Group:eng', 'Group:*']]) {
    for (const permission of ['allow', 'deny']) {
      assert.throws(() => acls([{ [permission]: 'write', topic: '*', to }]), (error) => error.code === 'unknown_value' && /`User:\*`.*ACL of a policy document/.test(error.message), String(to));
    }
  }
  assert.equal(acls([{ deny: 'write', topic: '*', to: 'User:*' }])[0].principal, 'User:*');
});

test('what is no short ACL is refused, and nothing is silently no ACL', () => {
  const right = { allow: 'read', topic: 'x', to: 'User:a' };
  const wrong = [
    ['missing_member', { topic: 'x', to: 'User:a' }], ['missing_member', { allow: 'read', to: 'User:a' }], ['missing_member', { allow: 'read', topic: 'x' }],
    ['exclusive_options', { ...right, deny: 'read' }], ['exclusive_options', { ...right, group: 'x' }],
    ['missing_member', { ...right, allow: [] }], ['missing_member', { ...right, topic: [] }], ['missing_member', { ...right, to: [] }],
    ['wrong_type', { ...right, allow: 7 }], ['wrong_type', { ...right, topic: true }], ['wrong_type', { ...right, to: { name: 'a' } }], ['wrong_type', { ...right, host: 7 }],
    ['unknown_value', { ...right, allow: 'peek' }], ['unknown_value', { ...right, allow: 'toString' }], ['unknown_option', { ...right, hots: '*' }],
    ['wrong_type', { allow: 'read', cluster: 'x', to: 'User:a' }], ['wrong_type', null], ['wrong_type', 'read'], ['not_json', { get allow() { return 'read'; } }],
    ['not_well_formed', { ...right, topic: '\ud800' }],
  ];
  for (const [code, row] of wrong) {
    assert.throws(() => acls([right, row]), (error) => error instanceof EngineError && error.code === code, JSON.stringify(row));
  }
  assert.throws(() => acls('read'), (error) => error.code === 'wrong_type');
  assert.throws(() => acls([right], {}), (error) => error.code === 'too_many_arguments');
});

test('common mistakes are errors with the remedy', async () => {
  const policy = await Policy.load({ version: 1 });
  const says = (call, code, ...patterns) => assert.rejects(async () => call(), (error) => {
    assert.equal(error.code, code);
    for (const pattern of patterns) assert.match(error.message, pattern);
    return true;
  });
  const short = { allow: 'read', topic: 'x', to: 'User:a' };
  await says(() => Policy.load({ version: 1, acls: [short] }), 'policy_invalid', /convert ACLs in the short form with `acls\(\[\.\.\]\)`$/);
  await assert.rejects(Policy.load({ version: 1, acls: [{ to: 'User:a' }] }), (error) => error.problems.length > 3 && !error.message.includes('short form'));
  await says(() => policy.open({ user: 'a' }).can('GET', 'topic', 'x'), 'unknown_value', /"GET" is not an operation; write one of all, read, write/);
  await says(() => policy.open({ user: 'a' }).can('read', 'x'), 'unknown_value', /"x" is not a resource type; write one of topic, group, cluster/);
  for (const who of ['alice', ' ', '[]', 'a.b.c']) await says(() => policy.open(who), 'identity_invalid', /an object such as/, /`openUnverified`/);
  assert.equal(policy.open(' {"identity": {"user": "alice"}}').user, 'alice');
});

test('`subscribe` tells what changed, and only what changed', async () => {
  const policy = await Policy.load({ version: 1 });
  const heard = [];
  const stop = policy.subscribe((change) => heard.push(change));
  const change = { change: 'add_acl', acl: long() };
  assert.equal(policy.apply(change), true);
  assert.equal(policy.apply(change), false);
  assert.throws(() => policy.apply({ change: 'add_member', role: 'nowhere', principal: 'Group:a' }));
  assert.deepEqual(heard, [change]);
  assert.ok(Object.isFrozen(heard[0]));
  // Listeners see the changed policy, and may end their subscription and change the policy again.
  const eng = policy.open({ user: 'a', groups: ['eng'] });
  const seen = [];
  const once = policy.subscribe(() => { once(); seen.push(eng.can('read', 'topic', 'orders')); policy.apply(change); });
  policy.apply({ change: 'remove_acl', acl: long() });
  assert.deepEqual(seen, [false]);
  assert.equal(eng.can('read', 'topic', 'orders'), true);
  assert.equal(heard.length, 3);
  stop();
  stop();
  policy.apply({ change: 'remove_acl', acl: long() });
  assert.equal(heard.length, 3);
  for (const wrong of [undefined, null, 'change', {}]) assert.throws(() => policy.subscribe(wrong), (error) => error.code === 'wrong_type');
  assert.throws(() => policy.subscribe(() => {}, {}), (error) => error.code === 'too_many_arguments');
});

test('a listener that throws keeps nobody from hearing the change, and is reported', async (t) => {
  const policy = await Policy.load({ version: 1 });
  const heard = [];
  policy.subscribe(() => { throw new Error('mine'); });
  policy.subscribe(({ change }) => heard.push(change));
  const reported = new Promise((give) => { t.mock.method(globalThis, 'queueMicrotask', (run) => { try { run(); } catch (error) { give(error); } }); });
  assert.equal(policy.apply({ change: 'add_acl', acl: long() }), true);
  assert.equal((await reported).message, 'mine');
  assert.deepEqual(heard, ['add_acl']);
});
