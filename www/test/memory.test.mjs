// Tests that memory stays constant, regardless of the checks, and without calls of free.
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

/** The tolerance in bytes: finalizers run late, so one or two batches may be waiting, and wasm memory never shrinks. */
const LATE = 2 * 1024 * 1024;

const finalized = new FinalizationRegistry((settle) => settle());

/** Collects garbage, and waits until finalizers ran, including that of a newer object. */
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
  // All policies together would use ten times as much.
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

test('garbage, names and identities, without end', async (t) => {
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  const calls = process.env.GBAC_CASES === undefined ? 50_000 : 1_000_000;
  const garbage = [undefined, null, 7, NaN, '', '\ud800', 'x'.repeat(5_000), {}, [], () => {}, Symbol('x'), new Date(0), { then: 1 }, new Map()];
  let refused = 0;
  let decided = 0;
  const ask = (from, to) => {
    for (let place = from; place < to; place += 1) {
      const one = garbage[place % garbage.length];
      try {
        switch (place % 5) {
          case 0: alice.can(one, 'topic', `analytics-${place}`); break;
          case 1: alice.can('read', 'topic', place % 2 ? one : `orders-${place}`); break;
          case 2: policy.open(place % 2 ? one : { user: `user-${place}`, groups: [`group-${place}`] }).free(); break;
          case 3: alice.checkMany([{ operation: 'read', resource_type: 'topic', resource_name: `analytics-${place}`, host: one }]); break;
          default: policy.check(one);
        }
        decided += 1;
      } catch (error) {
        assert.equal(error.name, 'EngineError');
        refused += 1;
      }
    }
  };
  ask(0, calls / 10);
  await collect();
  const before = [policy.memoryBytes(), process.memoryUsage().heapUsed];
  ask(calls / 10, calls);
  await collect();
  assert.ok(refused > calls / 4 && decided > calls / 6, `${refused} refused, ${decided} decided`);
  const after = [policy.memoryBytes(), process.memoryUsage().heapUsed];
  t.diagnostic(`${calls} calls: wasm ${before[0]} bytes after a tenth, ${after[0]} at the end; JavaScript ${before[1]} and ${after[1]}`);
  assert.ok(after[0] <= before[0] + LATE, `wasm: ${before[0]} bytes, then ${after[0]}`);
  assert.ok(after[1] < before[1] + 5_000_000, `JavaScript: ${before[1]} bytes, then ${after[1]}`);
  assert.equal(alice.can('read', 'topic', 'analytics-a'), true);
});
