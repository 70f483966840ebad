// Wrong addresses, lengths, handles and bytes: each is a negative number, never a trap, and changes nothing.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Host, records } from './module.mjs';

const policy = {
  settings: { dialect: 'kafka', superusers: ['root'] },
  roles: [{ name: 'dev', members: [{ principal: 'Group:eng' }] }],
  acls: ['User:ana', 'Role:dev', 'Service:x'].map((principal) => ({
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'orders', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
    principal, host: '10.0.0.0/8', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  })),
};

/** Numbers from a seed (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

test('100,000 malformed calls are refused, and the policy stays what it was', () => {
  const below = random(Number(process.env.GBAC_SEED ?? 20_260_101) % 2 ** 32);
  const host = new Host();
  const start = records(policy);
  assert.ok(host.apply(start) > 0);
  const ana = host.open('User:ana', ['eng']);
  const probe = () => [host.mask(ana, 2, '10.0.0.1', 'orders'), host.mask(ana, 2, '11.0.0.1', 'orders')];
  const before = probe();
  assert.equal(before[0], (1 << 30) | (1 << 3) | (1 << 8));
  assert.equal(before[1], 1 << 30);
  const { exports } = host;
  const wild = [
    () => below(2 ** 32) | 0, () => -1 - below(100), () => below(64), () => host.buffer + below(2 * host.size) - host.size / 2,
    () => exports.memory.buffer.byteLength - below(16), () => 2 ** 31 - 1 - below(4),
  ];
  const number = () => wild[below(wild.length)]();
  let refused = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const bytes = Buffer.concat(start.slice(1 + below(3)));
    for (let faults = 1 + below(3); faults > 0; faults -= 1) bytes[below(bytes.length)] = below(256);
    const calls = [
      () => exports.gbac_apply(number(), number()),
      () => exports.gbac_open(number(), number()),
      () => exports.gbac_extract(number(), number()),
      () => exports.gbac_mask(number(), number(), number(), number(), number()),
      () => exports.gbac_any(number(), number(), number(), number(), number()),
      () => exports.gbac_members(number(), number()),
      () => exports.gbac_explain(number(), number(), number(), number(), number(), number()),
      () => exports.gbac_near_miss(number(), number(), number(), number(), number(), number()),
      () => exports.gbac_event(number(), number(), number()),
      () => exports.gbac_free(number(), number() || 1),
      () => host.call('gbac_apply', [], bytes.subarray(0, below(9))),
      () => host.call('gbac_mask', [ana, number(), number()], bytes),
      () => host.call('gbac_any', [ana, number(), number()], bytes),
      () => host.call('gbac_open', [], bytes),
      () => host.call('gbac_event', [ana], bytes),
      () => host.call('gbac_extract', [], bytes),
    ];
    const answer = calls[below(calls.length)]();
    assert.ok(Number.isInteger(answer));
    if (answer < 0) {
      refused += 1;
      assert.ok(answer >= -14, `error ${answer}`);
    }
    if (round % 16 === 0) assert.deepEqual(probe(), before, `round ${round}`);
  }
  assert.deepEqual(probe(), before);
  assert.ok(refused > 60_000, `${refused} are refused`);
});

test('a chunk is applied as a whole or not at all', () => {
  const host = new Host();
  assert.ok(host.apply(records(policy)) > 0);
  const handle = host.open('User:ana', []);
  const deny = records({ acls: [{ ...policy.acls[0], permission_type: 'PERMISSION_TYPE_DENY', host: '*' }] })[1];
  const before = host.mask(handle, 2, '10.0.0.1', 'orders');
  for (const fault of [Buffer.from([9]), Buffer.from([1, 2]), deny.subarray(0, deny.length - 1)]) {
    assert.ok(host.apply([deny, fault]) < 0);
    assert.equal(host.mask(handle, 2, '10.0.0.1', 'orders'), before);
  }
  assert.equal(host.apply([deny]), 1);
  assert.equal(host.mask(handle, 2, '10.0.0.1', 'orders'), 1 << 30 | 1 << 29 | 1 << 8, 'describe stays allowed');
});

test('buffers, clearing and hash seeds', () => {
  const { exports } = new Host();
  assert.equal(exports.gbac_alloc(0), -11);
  assert.equal(exports.gbac_alloc((16 << 20) + 1), -11);
  assert.equal(exports.gbac_alloc(-1), -11);
  const address = exports.gbac_alloc(16 << 20);
  assert.ok(address > 0);
  assert.equal(exports.gbac_free(address, 16), -1);
  assert.equal(exports.gbac_free(address, 16 << 20), 0);
  assert.equal(exports.gbac_free(address, 16 << 20), -1);

  const host = new Host();
  const seed = Buffer.concat([Buffer.from([8]), Buffer.from(new BigUint64Array([0x1234_5678_9abc_def0n]).buffer)]);
  assert.equal(host.apply([seed, ...records(policy)]) > 0, true);
  assert.equal(host.apply([seed]), -10, 'not behind the first ACL');
  const handle = host.open('Service:x', []);
  assert.equal(host.mask(handle, 2, '10.0.0.1', 'orders'), (1 << 30) | (1 << 3) | (1 << 8));
  assert.equal(host.exports.gbac_clear(), 0);
  assert.equal(host.exports.gbac_close(handle), -9);
  const other = host.open('User:ana', []);
  assert.notEqual(other, handle);
  assert.equal(host.mask(other, 2, '10.0.0.1', 'orders'), 0);
});

test('10,000 policies and 100,000 identities leave no memory behind', () => {
  const host = new Host();
  const list = records(policy);
  const round = (count) => {
    for (let done = 0; done < count; done += 1) {
      host.exports.gbac_clear();
      host.apply(list);
      for (let opened = 0; opened < 10; opened += 1) {
        const handle = host.open('User:ana', ['eng', 'ops']);
        host.explain(handle, 3, 2, '10.0.0.1', 'orders');
        assert.equal(host.exports.gbac_close(handle), 0);
      }
    }
  };
  round(100);
  const before = host.exports.memory.buffer.byteLength;
  round(10_000);
  assert.equal(host.exports.memory.buffer.byteLength, before);
});
