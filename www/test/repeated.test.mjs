// Tests that a repeated check returns the first result, until the policy or the time changes it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Policy } from '../index.js';

const OPERATIONS = ['read', 'write', 'describe', 'alter', 'delete', 'create', 'alter_configs', 'describe_configs', 'all'];
const NAMES = ['a', 'aa', 'ab', 'b', 'ba', 'a long name that is not the prefix of another'];
/** A generator of numbers from a seed. */
const numbers = (seed) => () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;

test('every repeated call agrees with an identity that was never checked before, after each change', async () => {
  for (const cacheSize of [undefined, 2, 0]) {
    const random = numbers(7);
    const pick = (values) => values[Math.floor(random() * values.length)];
    const policy = await Policy.load({ version: 1, settings: { superusers: ['root'] }, roles: [{ name: 'r', members: [{ principal: 'Group:g' }] }] }, { cacheSize });
    const people = [{ user: 'u', groups: ['g', 'h'] }, { user: 'root' }, { claims: { sub: 'v', groups: ['g'], exp: 2_000 } }];
    const open = people.map((who) => policy.open(who));
    const row = () => ({
      resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: pick(NAMES), resource_pattern_type: pick(['RESOURCE_PATTERN_TYPE_LITERAL', 'RESOURCE_PATTERN_TYPE_PREFIXED']),
      principal: pick(['User:u', 'User:v', 'Group:g', 'Group:h', 'Role:r']), host: pick(['*', '10.0.0.1']),
      operation: `OPERATION_${pick(OPERATIONS).toUpperCase()}`, permission_type: pick(['PERMISSION_TYPE_ALLOW', 'PERMISSION_TYPE_ALLOW', 'PERMISSION_TYPE_DENY']),
    });
    const rows = [];
    for (let round = 0; round < 60; round += 1) {
      if (rows.length > 8) policy.apply({ change: 'remove_acl', acl: rows.splice(Math.floor(random() * rows.length), 1)[0] });
      const acl = row();
      if (policy.apply({ change: 'add_acl', acl })) rows.push(acl);
      people.forEach((who, place) => {
        for (const now of [1_000, 2_000, 1_999]) {
          const unused = policy.open(who);
          for (const operation of OPERATIONS) {
            for (const name of NAMES) {
              const once = unused.decide({ operation, resource_type: 'topic', resource_name: name, now }).outcome;
              const resource = policy.resource('topic', name);
              for (let time = 0; time < 2; time += 1) {
                const results = [
                  open[place].check(operation, 'topic', name, { now }), open[place].checkResource(operation, resource, { now }),
                  open[place].checkMany([{ operation, resource_type: 'topic', resource_name: name, now }])[0],
                  open[place].filter(operation, 'topic', [name], { now }).length === 1 ? 'allow' : 'deny',
                  open[place].can(operation, 'topic', name, { now }) ? 'allow' : 'deny',
                ];
                assert.deepEqual(results, results.map(() => once), JSON.stringify({ who, operation, name, now, cacheSize, time }));
              }
            }
          }
          unused.free();
        }
      });
    }
    policy.free();
  }
});

test('an identity that checks more names than its map holds keeps every outcome', async () => {
  const policy = await Policy.load({ version: 1, acls: [{
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'even-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED', principal: 'User:u', host: '*',
    operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  }] });
  const identity = policy.open({ user: 'u' });
  const names = Array.from({ length: 1_000 }, (_, place) => `${place % 2 === 0 ? 'even' : 'odd'}-${place}`);
  for (let time = 0; time < 3; time += 1) {
    // One name after the other, so that the outcomes move from the map to pages in between.
    names.forEach((name, place) => {
      for (const known of [name, names[place >> 1], names[0]]) {
        assert.equal(identity.can('read', 'topic', known), known.startsWith('even-'), known);
        assert.equal(identity.can('describe', 'topic', known), known.startsWith('even-'), known);
        assert.equal(identity.can('write', 'topic', known), false, known);
      }
    });
    assert.equal(identity.filter('read', 'topic', names).length, 500);
  }
  policy.apply({ change: 'add_acl', acl: { ...policy.export().acls[0], principal: 'User:u', permission_type: 'PERMISSION_TYPE_DENY' } });
  assert.equal(identity.filter('read', 'topic', names).length, 0);
});

test('a repeated check of a handle that was freed is refused', async () => {
  const policy = await Policy.load({ version: 1, settings: { superusers: ['root'] } });
  const identity = policy.open({ user: 'root' });
  const resource = policy.resource('topic', 'a');
  for (let time = 0; time < 2; time += 1) assert.ok(identity.can('read', 'topic', 'a') && identity.can('read', resource));
  identity.free();
  for (const call of [() => identity.can('read', 'topic', 'a'), () => identity.can('read', resource), () => identity.filter('read', 'topic', ['a'])]) {
    assert.throws(call, { code: 'freed' });
  }
});
