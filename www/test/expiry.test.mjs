// Tests that every method checks the expiry with the clock, unless `ignoreExpiry` is set.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Policy as Base } from '../index.js';
import { Policy as Analyze } from '../analyze.js';
import { Policy as Verify, verifier } from '../verify.js';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const READ = { operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
const PRODUCE = { api: 'kafka', name: 'Produce', resources: { topic: ['analytics-a'] } };
/** A request without required checks, which is denied to expired identities, too. */
const NEEDS_NOTHING = { api: 'kafka', name: 'Metadata' };
const NOW = Math.floor(Date.now() / 1000);

/** The claims of a user who is allowed to read and write `analytics-a`. */
const claims = (exp) => ({ claims: { sub: 'alice', groups: ['engineering'], ...(exp === undefined ? {} : { exp }) } });

/** The results of every call with an outcome, as booleans, with these options. */
function outcomes(policy, who, options) {
  const identity = policy.open(who);
  const { ignoreExpiry, ...others } = options ?? {};
  const circumstances = { ...others, ...(ignoreExpiry === undefined ? {} : { ignore_expiry: ignoreExpiry }) };
  const question = { ...READ, ...circumstances };
  const whole = { request: PRODUCE, ...circumstances };
  const resource = policy.resource('topic', 'analytics-a');
  const found = {
    can: identity.can('read', 'topic', 'analytics-a', options),
    canResource: identity.can('read', resource, options),
    check: identity.check('read', 'topic', 'analytics-a', options) === 'allow',
    checkHost: identity.check('read', 'topic', 'analytics-a', { host: '10.0.0.7', ...options }) === 'allow',
    checkResource: identity.checkResource('read', resource, options) === 'allow',
    filter: identity.filter('read', 'topic', ['analytics-a'], options).length === 1,
    checkMany: identity.checkMany([READ], options)[0] === 'allow',
    checkManyOwn: identity.checkMany([question])[0] === 'allow',
    decide: identity.decide(question).outcome === 'allow',
    explain: identity.explain(question).outcome === 'allow',
    request: identity.request(PRODUCE, options).outcome === 'allow',
    nothing: identity.request(NEEDS_NOTHING, options).outcome === 'allow',
    wholeDecided: identity.decide(whole).outcome === 'allow',
    policyCheck: policy.check({ ...who, ...question }).outcome === 'allow',
    policyCheckRequest: policy.check({ ...who, ...whole }).outcome === 'allow',
    policyCan: policy.can({ ...who, ...question }),
    policyCanRequest: policy.can({ ...who, ...whole }),
    policyExplain: policy.explain({ ...who, ...question }).outcome === 'allow',
    text: policy.can(JSON.stringify({ ...who, ...question })),
  };
  if (policy instanceof Analyze) {
    const allowed = ({ outcome }) => outcome === 'allow';
    found.leastGrant = allowed(identity.leastGrant(question).decisions[0]);
    found.leastGrantRequest = allowed(identity.leastGrant(whole).decisions[0]);
    found.revoke = allowed(identity.revoke(question).decision);
    found.compare = allowed(policy.compare(who, { user: 'bob' }, question).decisions[0]);
    found.compareOther = allowed(policy.compare({ user: 'bob' }, who, question).decisions[1]);
    found.whatIf = allowed(policy.whatIf(who, [], question).decisions[0]);
    found.whatIfAfter = allowed(policy.whatIf(who, [{ change: 'add_to_group', group: 'other' }], question).decisions[1]);
    found.whatIfRequest = allowed(policy.whatIf(who, [], whole).decisions[0]);
  }
  identity.free();
  return found;
}

function all(found, expected, what) {
  assert.deepEqual(found, Object.fromEntries(Object.keys(found).map((method) => [method, expected])), what);
}

for (const [entry, Policy] of Object.entries({ base: Base, verify: Verify, analyze: Analyze })) {
  test(`${entry}: every method that gives an outcome reads the clock, unless it is told otherwise`, async () => {
    const policy = await Policy.load(DOCUMENT);
    all(outcomes(policy, claims(NOW - 3_600)), false, 'expired');
    all(outcomes(policy, claims(NOW + 3_600)), true, 'not yet');
    all(outcomes(policy, claims()), true, 'without an expiry');
    all(outcomes(policy, claims(NOW - 3_600), { ignoreExpiry: true }), true, 'ignored');
    all(outcomes(policy, claims(NOW - 3_600), { ignoreExpiry: false }), false, 'not ignored');
    all(outcomes(policy, claims(NOW - 3_600), { now: NOW - 3_600 }), true, 'at the end itself');
    all(outcomes(policy, claims(NOW + 3_600), { now: NOW + 3_601 }), false, 'at another instant');
    for (const unreadable of ['soon', `${NOW + 3_600}`, null, [NOW + 3_600], {}, true, (NOW + 3_600) * 1_000, 1e300]) {
      const who = claims(unreadable);
      all(outcomes(policy, who), false, `exp ${JSON.stringify(unreadable)}`);
      all(outcomes(policy, who, { now: 1 }), false, 'at every instant');
      all(outcomes(policy, who, { ignoreExpiry: true }), true, 'unless it is ignored');
      const identity = policy.open(who);
      assert.ok(identity.warnings.some(({ code }) => code === 'expiry_unreadable'), JSON.stringify(identity.warnings));
      assert.equal(identity.isExpired(), true);
      assert.equal(identity.isExpired(1), true);
      assert.equal(identity.expiresAt, undefined);
    }
    const expired = policy.open(claims(NOW - 3_600));
    assert.equal(expired.isExpired(), true);
    assert.equal(expired.decide(READ).reason, 'expired');
    assert.equal(policy.check({ ...claims(NOW - 3_600), ...READ }).reason, 'expired');
    assert.deepEqual(expired.checkMany([{ ...READ, now: NOW - 7_200 }, READ, { ...READ, ignore_expiry: true }]), ['allow', 'deny', 'allow']);
    assert.deepEqual(expired.checkMany([{ ...READ, ignore_expiry: false }, READ], { now: NOW - 7_200 }), ['deny', 'allow']);
  });

  test(`${entry}: an instant in milliseconds is refused, and whatever else is none`, async () => {
    const policy = await Policy.load(DOCUMENT);
    const who = claims(NOW + 3_600);
    const identity = policy.open(who);
    const orders = policy.resource('topic', 'orders');
    const calls = (now) => [
      () => identity.can('read', 'topic', 'x', { now }), () => identity.can('read', orders, { now }), () => identity.check('read', 'topic', 'x', { now }),
      () => identity.checkResource('read', orders, { now }), () => identity.filter('read', 'topic', [], { now }), () => identity.checkMany([], { now }),
      () => identity.checkMany([{ ...READ, now }]), () => identity.isExpired(now), () => policy.open({ user: 'without an expiry' }).can('read', 'topic', 'x', { now }),
    ];
    const questions = (now) => [
      () => identity.decide({ ...READ, now }), () => identity.explain({ ...READ, now }), () => identity.request(PRODUCE, { now }),
      () => policy.check({ ...who, ...READ, now }), () => policy.can({ ...who, ...READ, now }), () => policy.explain({ ...who, ...READ, now }),
    ];
    const about = (call) => {
      try {
        call();
      } catch (error) {
        assert.equal(error.name, 'EngineError', String(error));
        return [error.code, error.problems?.[0].code ?? '', error.message].join(' ');
      }
      return assert.fail(`${call} threw nothing`);
    };
    for (const call of [...calls(Date.now()), ...questions(Date.now())]) assert.match(about(call), /clock_in_milliseconds .*seconds since 1970/);
    for (const now of [NaN, Infinity, -Infinity]) for (const call of calls(now)) assert.match(about(call), /clock_invalid/);
    for (const now of [NaN, null, '1', [1], new Date(), true, () => 1]) for (const call of questions(now)) about(call);
    for (const now of [null, `${NOW}`, [NOW], new Date(), {}, true, () => NOW, 7n]) for (const call of calls(now)) assert.match(about(call), /wrong_type/);
    // These are valid seconds.
    for (const now of [0, NOW, 1e11, -1]) for (const call of [...calls(now), ...questions(now)]) assert.doesNotThrow(call);
  });
}

test('an identity without an expiry never reads the clock', async (t) => {
  const policy = await Base.load(DOCUMENT);
  const [alice, ends] = [policy.open({ user: 'alice', groups: ['engineering'] }), policy.open(claims(NOW + 3_600))];
  const orders = policy.resource('topic', 'orders');
  const read = t.mock.method(Date, 'now');
  for (let round = 0; round < 10; round += 1) {
    alice.can('read', 'topic', 'orders');
    alice.check('read', 'topic', 'orders', { host: '10.0.0.7' });
    alice.can('read', orders);
    alice.filter('read', 'topic', ['a', 'b']);
    alice.checkMany([READ]);
  }
  assert.equal(read.mock.callCount(), 0);
  ends.can('read', 'topic', 'orders');
  ends.can('read', 'topic', 'orders', { now: NOW });
  assert.equal(read.mock.callCount(), 1);
  // One call uses one instant.
  ends.filter('read', 'topic', ['a', 'b', 'c']);
  assert.equal(read.mock.callCount(), 2);
});

test('a clock that says nothing lets nobody in', async (t) => {
  const policy = await Analyze.load(DOCUMENT);
  const who = claims(NOW + 3_600);
  for (const time of [NaN, Infinity]) {
    const stopped = t.mock.method(Date, 'now', () => time);
    all(outcomes(policy, who), false, String(time));
    stopped.mock.restore();
  }
  all(outcomes(policy, who), true);
});

test('a verified token that ends while it is open', async () => {
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const policy = await Verify.load(DOCUMENT);
  // Within the clock skew of 30 seconds, the signature is accepted but the check is denied.
  const signed = keys.verify(idp.token({ sub: 'alice', groups: ['engineering'] }, { lasts: -10 }));
  assert.equal(policy.open(signed).can('read', 'topic', 'analytics-a'), false);
  assert.equal(policy.open(signed).can('read', 'topic', 'analytics-a', { now: NOW - 60 }), true);
  assert.throws(() => keys.verify(idp.token({ sub: 'alice' }), { now: Date.now() }), { code: 'clock_in_milliseconds' });
  const lasting = policy.open(keys.verify(idp.token({ sub: 'alice', groups: ['engineering'] })));
  assert.equal(lasting.can('read', 'topic', 'analytics-a'), true);
  assert.equal(lasting.can('read', 'topic', 'analytics-a', { now: NOW + 3_600 }), false);
});

test('a call of the module without an instant denies who has an expiry', async () => {
  const glue = await import('../pkg/gbac_engine.js');
  glue.initSync({ module: readFileSync(new URL('../pkg/gbac_engine_bg.wasm', import.meta.url)) });
  const policy = glue.Policy.load(new TextEncoder().encode(JSON.stringify(DOCUMENT)));
  const found = policy.find(glue.resourceTypeNumber('topic'), 'analytics-a');
  const allows = (exp, now) => policy.open(JSON.stringify(claims(exp))).check(glue.operationNumber('read'), found, now);
  assert.equal(allows(undefined, undefined), true, 'without an expiry no instant matters');
  for (const exp of [NOW + 86_400, NOW - 86_400, 'soon']) {
    assert.equal(allows(exp, undefined), false, `no instant, exp ${exp}`);
    assert.equal(allows(exp, -Infinity), true, `the expiry is ignored, exp ${exp}`);
  }
  assert.equal(allows(NOW + 86_400, NOW), true);
});
