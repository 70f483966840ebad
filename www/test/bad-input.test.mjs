// Invalid arguments: each causes an EngineError with a code, and the engine decides correctly afterwards.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as analyze from '../analyze.js';
import * as base from '../index.js';
import * as verify from '../verify.js';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

const CHECK = { identity: { user: 'alice', groups: ['engineering'] }, operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' };
const LONG = 'x'.repeat(100_000_000);

class Throws {
  get user() { throw new TypeError('no'); }
  get identity() { throw 'a text'; }
  get operation() { throw undefined; }
  get change() { throw new Error('no'); }
  get version() { throw new Error('no'); }
  get keys() { throw new Error('no'); }
  toJSON() { throw new Error('no'); }
}
const cyclic = {};
cyclic.self = cyclic;
const listed = [];
listed.push(listed);
const trap = () => { throw new Error('no'); };
const hostile = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Values that are invalid for every argument. */
const BAD = {
  undefined, null: null, number: 1, notANumber: NaN, boolean: true, bigint: 10n, symbol: Symbol('x'), function: () => 1, array: [],
  empty: {}, date: new Date(NaN), map: new Map(), bytes: new Uint8Array(8), cyclic, listed, throws: new Throws(), inherits: Object.create(new Throws()),
  hostile, revoked: revoked.proxy, orphan: Object.create(null), halfText: '\ud800', halfMember: { identity: { user: '\udc00' }, '\ud800': 1 },
  empties: '', brace: '{', nul: '\u0000', deep: '['.repeat(100_000), twice: '{"version":1,"version":1}', long: LONG,
  prototype: JSON.parse('{"__proto__": {"version": 1}}'), constructor: { constructor: { prototype: 1 } },
};

/** The code of the error of a call, which must be one of ours. */
function codeOf(call, what) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof base.EngineError, `${what}: ${error}`);
    assert.match(error.code, /^[a-z0-9_]+$/, what);
    assert.ok(error.message, what);
    return error.code;
  }
  assert.fail(`${what} threw nothing`);
}

const rejects = (call, what) => call().then(() => assert.fail(`${what} threw nothing`), (error) => codeOf(() => { throw error; }, what));

for (const [entry, { Policy }] of Object.entries({ base, verify, analyze })) {
  test(`${entry}: every method refuses what is no argument, and answers afterwards`, async () => {
    const policy = await Policy.load(DOCUMENT);
    const alice = policy.open(CHECK.identity);
    const right = (what) => {
      assert.equal(alice.check('read', 'topic', 'analytics-a'), 'allow', what);
      assert.equal(alice.check('delete', 'topic', 'analytics-a'), 'deny', what);
      assert.equal(policy.check(CHECK).outcome, 'allow', what);
    };
    for (const [name, bad] of Object.entries(BAD)) {
      const calls = {
        check: () => policy.check(bad), explain: () => policy.explain(bad), inspect: () => policy.inspect(bad), open: () => policy.open(bad),
        openUnverified: () => policy.openUnverified(bad), apply: () => policy.apply(bad), type: () => policy.resource(bad, 'x'),
        operation: () => alice.check(bad, 'topic', 'x'), resourceType: () => alice.check('read', bad, 'x'),
        checkResource: () => alice.checkResource('read', bad), filter: () => alice.filter('read', 'topic', [bad, 1]),
        checkMany: () => alice.checkMany([bad]), decide: () => alice.decide(bad), explained: () => alice.explain(bad), request: () => alice.request(bad),
      };
      // A string is a valid name or list of names, and every number is a valid instant.
      if (typeof bad !== 'string' || bad.length === LONG.length || !bad.isWellFormed?.()) {
        calls.name = () => alice.check('read', 'topic', bad);
        calls.resource = () => policy.resource('topic', bad);
      }
      if (typeof bad !== 'number') calls.now = () => alice.isExpired(bad === undefined ? null : bad);
      if (bad !== undefined) calls.host = () => alice.check('read', 'topic', 'x', { host: bad });
      if (!['array', 'listed', 'map', 'bytes'].includes(name)) calls.names = () => alice.filter('read', 'topic', bad);
      if (bad !== undefined && typeof bad !== 'number') calls.options = () => alice.check('read', 'topic', 'x', { now: bad });
      for (const [method, call] of Object.entries(calls)) codeOf(call, `${entry} ${method}(${name})`);
      await rejects(() => Policy.load(bad), `${entry} load(${name})`);
      right(`${entry} after ${name}`);
    }
  });
}

test('analysis refuses what is no argument', async () => {
  const { Policy, lintDocument } = analyze;
  const policy = await Policy.load(DOCUMENT);
  const alice = policy.open(CHECK.identity);
  for (const [name, bad] of Object.entries(BAD)) {
    const calls = {
      whoCan: () => policy.whoCan(bad), permissions: () => policy.permissions(bad), diff: () => policy.diff(bad),
      leastGrant: () => policy.leastGrant(bad, CHECK), question: () => policy.leastGrant(CHECK.identity, bad), own: () => alice.leastGrant(bad),
      revoke: () => policy.revoke(bad, CHECK), taken: () => policy.revoke(CHECK.identity, bad), compare: () => policy.compare(bad, CHECK.identity),
      other: () => policy.compare(CHECK.identity, bad), whatIf: () => policy.whatIf(bad, []),
    };
    // Every string is a valid name, and an empty list is a valid list of changes.
    if (typeof bad !== 'string' || !bad.isWellFormed()) calls.names = () => policy.collisions({ names: [bad] });
    if (name !== 'array') calls.changes = () => policy.whatIf(CHECK.identity, bad);
    for (const [method, call] of Object.entries(calls)) codeOf(call, `${method}(${name})`);
    await rejects(() => lintDocument(bad), `lintDocument(${name})`);
  }
  assert.equal(codeOf(() => policy.permissions('eng')), 'principal_without_type');
  assert.equal(codeOf(() => policy.whoCan({ request: { api: 'kafka', name: 'Fetch', resources: { topic: ['x'] } } })), 'request_unsupported');
  const choice = { request: { api: 'kafka', name: 'InitProducerID', resources: { topic: ['x'] } } };
  assert.equal(codeOf(() => alice.leastGrant(choice)), 'request_has_choice');
  assert.equal(codeOf(() => alice.revoke(choice)), 'request_unsupported');
  assert.equal(codeOf(() => policy.collisions({ nested: 'all' })), 'nested_group_behavior_invalid');
  for (const limit of [-1, 1.5, NaN, '9', 2 ** 32]) assert.equal(codeOf(() => policy.collisions({ limit })), 'wrong_type');
  assert.equal(codeOf(() => policy.whatIf(CHECK.identity, [{ change: 'fly' }])), 'change_invalid');
  assert.equal(codeOf(() => policy.compare(CHECK.identity, CHECK.identity, null)), 'check_invalid');
  assert.equal(policy.diff(policy).relation, 'equal');
});

test('verification refuses what is no argument, and every token that is wrong', async () => {
  const { Policy, verifier, VerifiedClaims } = verify;
  const idp = provider();
  const expected = { issuer: ISSUER, audience: AUDIENCE };
  const keys = await verifier(idp.jwks, expected);
  const policy = await Policy.load(DOCUMENT);
  for (const [name, bad] of Object.entries(BAD)) {
    codeOf(() => keys.verify(bad), `verify(${name})`);
    if (name !== 'notANumber') await rejects(() => verifier(bad, expected), `verifier(${name})`);
    if (bad !== null && (typeof bad !== 'string' || bad.length === LONG.length || name === 'halfText')) {
      await rejects(() => verifier(idp.jwks, { ...expected, issuer: bad }), `issuer ${name}`);
      await rejects(() => verifier(idp.jwks, { ...expected, audience: bad }), `audience ${name}`);
    }
    codeOf(() => new VerifiedClaims(bad), `VerifiedClaims(${name})`);
  }
  const now = Math.floor(Date.now() / 1000);
  const token = idp.token({ sub: 'alice', groups: ['engineering'] }, { now });
  assert.equal(codeOf(() => keys.verify(token, { now: now + 400 })), 'token_expired');
  assert.equal(codeOf(() => keys.verify(token, { now: NaN })), 'clock_invalid');
  assert.equal(codeOf(() => keys.verify(token, { now: '1' })), 'wrong_type');
  assert.equal(codeOf(() => keys.verify(provider('other').token({ sub: 'eve' }))), 'kid_unknown');
  assert.equal(codeOf(() => keys.verify(provider().token({ sub: 'eve' }))), 'signature_invalid');
  assert.equal(codeOf(() => keys.verify(idp.token({ sub: 'a', iss: 'https://evil.example.com' }))), 'issuer_mismatch');
  assert.equal(codeOf(() => policy.open(keys.verify(idp.token({ groups: [] })))), 'principal_missing');
  const claims = keys.verify(token, { now });
  const alice = policy.open(claims);
  assert.equal(alice.verified, true);
  assert.equal(alice.expiresAt, now + 300);
  assert.equal(claims.expiresAt, now + 300);
  claims.claims.groups.push('admins');
  assert.deepEqual(policy.open(claims).groups, ['engineering']);
  assert.equal(alice.check('read', 'topic', 'analytics-a', { now }), 'allow');
  assert.equal(alice.check('read', 'topic', 'analytics-a', { now: now + 301 }), 'deny');
  assert.equal(alice.decide({ ...CHECK, identity: undefined, now: now + 301 }).reason, 'expired');
  assert.equal(alice.decide({ ...CHECK, identity: undefined }).verified, true);
  // Claims of one entry are invalid in another, and objects that look like them are not verified.
  const other = await base.Policy.load(DOCUMENT);
  assert.equal(codeOf(() => other.open(claims)), 'other_module');
  assert.equal(policy.open({ claims: claims.claims }).verified, false);
  codeOf(() => policy.open(Object.create(VerifiedClaims.prototype)), 'an impostor');
});

test('what was freed is refused, as often as one likes', async () => {
  const { Policy, verifier } = verify;
  const idp = provider();
  const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: null });
  const policy = await Policy.load(DOCUMENT);
  const claims = keys.verify(idp.token({ sub: 'alice', groups: ['engineering'] }));
  const [alice, bob] = [policy.open(claims), policy.open({ user: 'bob' })];
  const orders = policy.resource('topic', 'orders');
  claims.free();
  claims.free();
  keys[Symbol.dispose]();
  bob.free();
  bob[Symbol.dispose]();
  for (const call of [
    () => claims.claims, () => claims.expiresAt, () => policy.open(claims), () => keys.verify('x'), () => bob.check('read', 'topic', 'x'),
    () => bob.check('read', 'topic', 'x', { host: '10.0.0.1' }), () => bob.checkResource('read', orders), () => bob.decide(CHECK),
    () => bob.isExpired(), () => bob.filter('read', 'topic', ['x']),
  ]) assert.equal(codeOf(call, String(call)), 'freed');
  policy.free();
  policy.free();
  for (const call of [
    () => policy.check(CHECK), () => policy.explain(CHECK), () => policy.open({ user: 'a' }), () => policy.resource('topic', 'x'),
    () => policy.apply({ change: 'create_role', role: 'x' }), () => policy.export(),
  ]) assert.equal(codeOf(call, String(call)), 'freed');
  // Open identities still work.
  assert.equal(alice.check('read', 'topic', 'analytics-never-asked'), 'allow');
  assert.equal(alice.checkResource('read', orders), 'deny');
  alice.free();
  const [one, two] = [await analyze.Policy.load(DOCUMENT), await analyze.Policy.load(DOCUMENT)];
  two.free();
  assert.equal(codeOf(() => one.diff(two)), 'freed');
  assert.equal(codeOf(() => two.lint()), 'freed');
  assert.throws(() => new Policy(), (error) => error.code === 'not_loaded');
});

test('a module that cannot be loaded is an error, and can be tried again', async () => {
  const { Module } = await import('../lib/module.js');
  const glue = await import('../pkg/gbac_engine.js?again');
  const { default: id } = await import('../pkg/gbac_engine_id.js');
  const { default: code } = await import('../pkg/gbac_engine_inline.js');
  const module = new Module(glue, id, code);
  for (const bad of [() => new Uint8Array(8), () => Promise.reject(new Error('no'))]) {
    assert.equal(await rejects(() => module.load(bad()), 'a module'), 'module_not_loaded');
  }
  const instance = await module.load();
  assert.ok(instance.memoryBytes > 0);
  assert.equal(await module.load(), instance, 'it is loaded once');
});
