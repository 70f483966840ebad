// Tests the keys of an identity provider, and the identities that requests share.
import test from 'node:test';
import assert from 'node:assert/strict';
import { guard } from 'gbac-engine/express';
import { admit, identities, KeysUnavailable, remoteKeys } from 'gbac-engine/identities';
import { acls, EngineError, Policy, verifier } from 'gbac-engine/verify';
import { AUDIENCE, ISSUER, provider } from './tokens.mjs';

const EXPECTED = { issuer: ISSUER, audience: AUDIENCE };
const NEED = { operation: 'read', resource_type: 'topic', resource_name: 'orders' };
const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders', to: 'Group:engineering' }]) });
const [first, second] = [provider('first'), provider('second')];
const tokenOf = (idp, sub = 'alice') => idp.token({ sub, groups: ['engineering'] }, { lasts: 36_000 });
const unavailable = (error) => error instanceof KeysUnavailable && error.status === 503;

/** Remote keys with a clock and an address that answers what `answer` returns. */
function remote(answer) {
  const state = { now: Date.now() / 1000, fetches: 0, answer };
  const fetch = async (_, { redirect }) => {
    state.fetches += 1;
    assert.equal(redirect, 'manual');
    return state.answer();
  };
  const clock = () => state.now;
  const verify = remoteKeys({ url: 'https://idp.example.com/jwks', ...EXPECTED, fetch, clock });
  return Object.assign(state, { clock, remoteKeys: verify, verify: (token) => verify(token, state.now) });
}
const has = (...idps) => () => Response.json({ keys: idps.flatMap(({ jwks }) => jwks.keys) });
const down = () => { throw new TypeError('fetch failed'); };
const hangs = () => new Promise(() => {});
/** Lets a fetch in the background end. */
const settled = () => new Promise((done) => { setImmediate(done); });

test('a token with an unknown key does not cost the others their keys, while the provider is down or hangs', async () => {
  for (const answer of [down, hangs, () => new Response('', { status: 500 }), () => new Response('<html>')]) {
    const keys = remote(has(first));
    await keys.verify(tokenOf(first));
    keys.answer = answer;
    const unknown = keys.verify(tokenOf(second)).catch((error) => error);
    for (let number = 0; number < 5; number += 1) await keys.verify(tokenOf(first, `user-${number}`));
    if (answer !== hangs) assert.ok(unavailable(await unknown));
    await keys.verify(tokenOf(first, 'another'));
    assert.equal(keys.fetches, 2);
  }
});

test('fifty tokens with unknown keys cause few fetches, and a new key is found', async () => {
  const keys = remote(has(first));
  const failed = await Promise.all(Array.from({ length: 50 }, (_, number) => keys.verify(tokenOf(second, `user-${number}`)).catch((error) => error.code)));
  assert.deepEqual([...new Set(failed)], ['kid_unknown']);
  assert.ok(keys.fetches <= 2, `${keys.fetches} fetches at once`);
  for (let number = 0; number < 50; number += 1) await assert.rejects(keys.verify(tokenOf(second)), { code: 'kid_unknown' });
  assert.ok(keys.fetches <= 7, `${keys.fetches} fetches one after another`);
  const before = keys.fetches;
  keys.answer = has(first, second);
  await assert.rejects(keys.verify(tokenOf(second)), { code: 'kid_unknown' });
  keys.now += 10;
  await keys.verify(tokenOf(second));
  assert.equal(keys.fetches, before + 1);
  await keys.verify(tokenOf(first));
});

test('without keys, one fetch is shared, and a failed one is not repeated for five seconds', async () => {
  const keys = remote(down);
  for (const error of await Promise.all(Array.from({ length: 50 }, () => keys.verify(tokenOf(first)).catch((error) => error)))) assert.ok(unavailable(error));
  await assert.rejects(keys.verify(tokenOf(first)), unavailable);
  assert.equal(keys.fetches, 1);
  keys.now += 5;
  keys.answer = has(first);
  await Promise.all(Array.from({ length: 50 }, () => keys.verify(tokenOf(first))));
  assert.equal(keys.fetches, 2);
});

test('keys are read again after an hour, and a key that left the set stops counting, for cached identities too', async () => {
  const keys = remote(has(first, second));
  const identify = identities({ policy, verify: keys.remoteKeys, clock: keys.clock });
  const [one, other] = [tokenOf(first), tokenOf(second)];
  const identity = await identify(one);
  assert.equal(await identify(one), identity);
  await identify(other);
  assert.equal(keys.fetches, 1);
  keys.answer = has(second);
  keys.now += 3_600;
  await identify(other);   // starts the fetch, and does not wait for it
  await settled();
  assert.equal(keys.fetches, 2);
  await assert.rejects(identify(one), { code: 'kid_unknown' });
  assert.equal((await identify(other)).user, 'alice');
});

test('while the provider is down or hangs, the last keys count, whatever their age', async () => {
  for (const answer of [down, hangs]) {
    const keys = remote(has(first));
    await keys.verify(tokenOf(first));
    keys.answer = answer;
    for (let hour = 1; hour <= 5; hour += 1) {
      keys.now += 3_600;
      await keys.verify(first.token({ sub: 'alice' }, { now: keys.now }));
      await settled();
    }
    assert.equal(keys.fetches, answer === hangs ? 2 : 6, 'one fetch at a time');
  }
});

test('the same keys again leave cached identities as they are', async () => {
  const keys = remote(has(first));
  const identify = identities({ policy, verify: keys.remoteKeys, clock: keys.clock });
  const token = tokenOf(first);
  const identity = await identify(token);
  keys.now += 3_600;
  await identify(token);
  await settled();
  assert.equal(keys.fetches, 2);
  assert.equal(await identify(token), identity);
});

test('a large key set, a redirect and an address without encryption are refused', async () => {
  const huge = remote(() => new Response(JSON.stringify({ ...first.jwks, more: 'x'.repeat(2 ** 20) })));
  await assert.rejects(huge.verify(tokenOf(first)), (error) => unavailable(error) && /bytes/.test(error.cause.message));
  const moved = remote(() => new Response('', { status: 302, headers: { location: 'https://example.org' } }));
  await assert.rejects(moved.verify(tokenOf(first)), unavailable);
  for (const url of ['http://idp.example.com/jwks', 'http://127.0.0.1.example.com/jwks', 'file:///jwks.json', 'jwks.json']) {
    assert.throws(() => remoteKeys({ url, ...EXPECTED }), (error) => error instanceof EngineError && error.code === 'unknown_value', url);
  }
  for (const url of ['http://localhost/jwks', 'http://127.0.0.1/jwks', 'http://[::1]/jwks']) remoteKeys({ url, ...EXPECTED });
});

test('an identity of claims that no verifier made passes no guard, the first time or later', async () => {
  const claims = { sub: 'alice', groups: ['engineering'] };
  const token = tokenOf(first);
  for (const identify of [
    identities({ policy, verify: async () => ({ claims }) }), identities({ policy, verify: async () => ({ claims, free() {} }) }),
    async () => policy.open({ claims }), async () => policy.open({ user: 'alice', groups: ['engineering'] }), async () => policy.openUnverified(token),
    async () => ({ verified: true, isExpired: () => false, can: () => true }),
  ]) {
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(admit(`Bearer ${token}`, NEED, { identify }), { code: 'not_verified' });
      const passed = [];
      await guard({ identify, requires: () => NEED })({ headers: { authorization: `Bearer ${token}` } }, {}, (error) => passed.push(error?.code));
      assert.deepEqual(passed, ['not_verified']);
    }
  }
});

test('what a handler does to the identity of a request does not reach the next one', async () => {
  const identify = identities({ policy, verify: await verifier(first.jwks, EXPECTED) });
  const header = `Bearer ${tokenOf(first)}`;
  for (let request = 0; request < 3; request += 1) {
    const { identity } = await admit(header, NEED, { identify });
    assert.deepEqual([identity.user, identity.groups, identity.warnings, identity.can('write', 'topic', 'orders')], ['alice', ['engineering'], [], false]);
    identity.warnings.push('mine');
    identity.groups.push('admins');
    identity.inspection.user = 'root';
    for (const name of ['can', 'user', 'verified', 'mine']) assert.throws(() => { identity[name] = () => true; }, TypeError);
    identity.free();
    if (Symbol.dispose) identity[Symbol.dispose]();
  }
  // Identities that are not shared are freed.
  const keys = await verifier(first.jwks, EXPECTED);
  const mine = policy.open(keys.verify(tokenOf(first)));
  mine.free();
  assert.throws(() => mine.can('read', 'topic', 'orders'), { code: 'freed' });
  assert.throws(() => policy.open(keys.verify(tokenOf(first)), { shared: 1 }), { code: 'wrong_type' });
});

test('two hundred first requests of one token make one identity, and a failure is not remembered', async () => {
  const keys = await verifier(first.jwks, EXPECTED);
  let [verified, isDown] = [0, true];
  const identify = identities({ policy, verify: async (token, now) => {
    verified += 1;
    await settled();
    if (isDown) throw new KeysUnavailable('down');
    return keys.verify(token, { now });
  } });
  const token = tokenOf(first);
  const ask = () => Promise.allSettled(Array.from({ length: 200 }, () => identify(token)));
  assert.ok((await ask()).every(({ reason }) => unavailable(reason)));
  isDown = false;
  const found = await ask();
  assert.equal(new Set(found.map(({ value }) => value)).size, 1);
  assert.equal(found[0].value.user, 'alice');
  assert.equal(verified, 2);
});
