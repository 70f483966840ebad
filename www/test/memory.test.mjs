// Memory stays flat, whatever is asked how often, and whoever forgets to free.
import test from 'node:test';
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Policy } from '../index.js';
import { Policy as VerifyPolicy, verifier } from '../verify.js';
import { DOCUMENT, ISSUER, provider } from './tokens.mjs';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

/** Finalizers come when they like: a batch or two may wait for theirs, and wasm memory never shrinks again. */
const LATE = 2 * 1024 * 1024;

const finalized = new FinalizationRegistry((settle) => settle());

/** Collects what nobody holds, and waits until finalizers ran: that of an object which is younger than all of it. */
async function collect() {
  let done = false;
  finalized.register({}, () => { done = true; });
  for (let round = 0; round < 100 && !done; round += 1) {
    await turn();
    gc();
    await turn();
  }
  assert.ok(done, 'nothing is finalized here');
}

test('a million checks', async () => {
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  const names = Array.from({ length: 1_000 }, (_, number) => `${number % 2 ? 'analytics' : 'orders'}-${number}`);
  const options = { host: '10.0.0.7' };
  let allowed = 0;
  const ask = (count) => {
    for (let place = 0; place < count; place += 1) {
      if (alice.check('read', 'topic', names[place % names.length], place % 10 ? undefined : options) === 'allow') allowed += 1;
    }
  };
  ask(20_000);
  await collect();
  const before = [policy.memoryBytes(), process.memoryUsage().heapUsed];
  ask(1_000_000);
  await collect();
  assert.equal(allowed, 510_000);
  assert.equal(policy.memoryBytes(), before[0]);
  assert.ok(process.memoryUsage().heapUsed < before[1] + 1_000_000, 'JavaScript holds on to something');
});

test('a hundred thousand identities that nobody frees', async () => {
  const policy = await Policy.load(DOCUMENT);
  const groups = Array.from({ length: 5 }, (_, number) => `group-${number}`);
  const open = async (batches) => {
    for (let batch = 0; batch < batches; batch += 1) {
      for (let number = 0; number < 1_000; number += 1) {
        const identity = policy.open({ user: `user-${number}`, groups });
        if (number === 0) assert.equal(identity.check('read', 'topic', 'analytics-a'), 'deny');
      }
      await collect();
    }
  };
  await open(5);
  const before = policy.memoryBytes();
  await open(100);
  const grown = policy.memoryBytes() - before;
  assert.ok(grown <= LATE, `${grown} bytes more after 100,000 identities`);
});

test('policies and verified claims that nobody frees', async () => {
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: null });
  const token = idp.token({ sub: 'alice', groups: ['engineering'] });
  const acls = Array.from({ length: 500 }, (_, number) => ({ ...DOCUMENT.acls[0], resource_name: `team-${number}.` }));
  const text = JSON.stringify({ ...DOCUMENT, acls });
  let memory = 0;
  const load = async (count) => {
    for (let number = 0; number < count; number += 1) {
      const policy = await VerifyPolicy.load(text);
      assert.equal(policy.open(keys.verify(token)).check('read', 'topic', 'team-7.x'), 'allow');
      memory = policy.memoryBytes();
      if (number % 10 === 9) await collect();
    }
  };
  await load(100);
  const before = memory;
  await load(300);
  // All of them together would take ten times as much.
  assert.ok(memory - before <= LATE, `${memory - before} bytes more after 300 policies`);
});

test('twenty thousand changes in place, and the answers follow', async () => {
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  const acl = { ...DOCUMENT.acls[0], resource_name: 'orders', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL' };
  const orders = policy.resource('topic', 'orders');
  const change = (rounds) => {
    for (let round = 0; round < rounds; round += 1) {
      assert.equal(policy.apply({ change: 'add_acl', acl }), true);
      assert.equal(alice.check('read', 'topic', 'orders'), 'allow');
      assert.equal(alice.checkResource('read', orders), 'allow');
      assert.equal(policy.apply({ change: 'remove_acl', acl }), true);
      assert.equal(alice.check('read', 'topic', 'orders'), 'deny');
      assert.equal(alice.checkResource('read', orders), 'deny');
    }
  };
  change(500);
  await collect();
  const before = policy.memoryBytes();
  change(10_000);
  assert.equal(policy.memoryBytes(), before);
  const { roles } = policy.export();
  assert.equal(policy.apply({ change: 'add_member', role: 'DataEngineers', principal: 'User:bob' }), true);
  assert.equal(policy.open({ user: 'bob' }).check('read', 'topic', 'analytics-a'), 'allow');
  assert.equal(policy.apply({ change: 'remove_member', role: 'DataEngineers', principal: 'User:bob' }), true);
  assert.deepEqual(policy.export().roles, roles);
  assert.equal(policy.apply({ change: 'settings', settings: { superusers: ['root'] } }), true);
  assert.equal(policy.open({ user: 'root' }).check('alter', 'cluster', 'kafka-cluster'), 'allow');
  assert.equal(policy.apply({ change: 'delete_role_and_acls', role: 'DataEngineers' }), true);
  assert.deepEqual(policy.export().acls, []);
  assert.equal(alice.check('read', 'topic', 'analytics-a'), 'deny');
});
