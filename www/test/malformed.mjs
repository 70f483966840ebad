// Malformed calls from a seed, through every method of given entries: each throws an error of ours with a code, or returns the
// oracle's decision. Nothing traps, and no message repeats a token. GBAC_SEED and GBAC_CASES set the seed and the number.
import assert from 'node:assert/strict';
import { random } from './cases.mjs';
import { decide } from './oracle.mjs';
import { AUDIENCE, DOCUMENT, ISSUER, provider } from './tokens.mjs';

/** The number of refused calls. */
export const CALLS = Math.min(Number(process.env.GBAC_CASES ?? 5_000), 200_000);
const SEED = Number(process.env.GBAC_SEED ?? 20_261_124);

/**
 * A policy for which lost data would be noticed: members of the group denied must not read, regardless of their other groups,
 * and may write.
 */
const POLICY = {
  ...DOCUMENT,
  acls: [...DOCUMENT.acls, { ...DOCUMENT.acls[0], principal: 'Group:denied', permission_type: 'PERMISSION_TYPE_DENY' },
    { ...DOCUMENT.acls[0], principal: 'User:alice', resource_name: 'a', host: '10.0.0.7' }],
};
const GROUPS = ['engineering', 'denied'];
const idp = provider();
const NOW = Math.floor(Date.now() / 1000);
const SECRETS = [idp.token({ sub: 'alice', groups: GROUPS }), idp.token({ sub: 'alice', groups: GROUPS }, { lasts: -600 })];

const trap = () => { throw new Error(SECRETS[0]); };
const HOSTILE = () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
const REVOKED = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Replacements for valid values. */
const WRONG = [
  () => undefined, () => null, () => true, () => 0, () => -1, () => NaN, () => Infinity, () => 1e12, () => Date.now(), () => 7n, () => Symbol('x'),
  () => () => GROUPS, () => [], () => [[]], () => [null], () => [() => 1], () => Array(3), () => ({}), () => ({ a: 1 }), () => new Date(NaN), () => new Map([['user', 'alice']]),
  () => new Set(GROUPS), () => Promise.resolve(GROUPS), () => new Uint8Array(4), () => new String('read'), () => Object.create({ user: 'alice', groups: GROUPS }),
  HOSTILE, REVOKED, () => ({ get user() { throw undefined; }, get now() { throw 'no'; }, get host() { throw SECRETS[1]; } }), () => ({ toJSON: trap }), () => ({ toJSON: () => undefined }),
  () => '', () => '{', () => '[]', () => 'null', () => '\ud800', () => '\u0000', () => '*', () => 'Group:engineering', () => 'User:alice', () => 'fe80::1%eth0', () => '10.0.0.0/8',
  () => '__proto__', () => 'x'.repeat(5_000), () => '['.repeat(2_000), () => '{"user":"alice","user":"bob"}', () => SECRETS[0], () => SECRETS[1], () => ({ [SECRETS[0]]: 1 }),
  () => ({ token: SECRETS[0] }), () => [SECRETS[1]], () => JSON.parse('{"__proto__": {"user": "alice"}}'), () => ({ length: 1, 0: 'engineering' }),
];

/** Keys that are added to objects. */
const KEYS = ['time', 'ip', 'Host', 'ignore_expiry', 'ignoreExpiry', 'now', 'host', 'roles', 'group', 'identity', 'claims', 'userinfo', 'token', 'toJSON', '__proto__', SECRETS[0]];

/** A copy of a value with a few faults: parts removed, replaced or added. */
function spoiled(rng, value, depth = 0) {
  const { pick, chance, below } = rng;
  if (depth > 0 && chance(1, 3)) return pick(WRONG)();
  if (Array.isArray(value)) {
    const copy = value.map((element) => (chance(1, 2) ? spoiled(rng, element, depth + 1) : element));
    if (chance(1, 4)) copy.splice(below(copy.length + 1), 0, pick(WRONG)());
    return copy;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return chance(1, 2) ? pick(WRONG)() : value;
  const copy = {};
  for (const [name, inner] of Object.entries(value)) {
    if (chance(1, 8)) continue;
    copy[name] = chance(1, 2) ? spoiled(rng, inner, depth + 1) : inner;
  }
  if (chance(1, 4)) Object.defineProperty(copy, pick(KEYS), { value: pick(WRONG)(), enumerable: true, configurable: true, writable: true });
  return copy;
}

const WHO = { user: 'alice', groups: GROUPS };
const CLAIMS = { claims: { sub: 'alice', groups: GROUPS, exp: NOW + 3_600 } };
const OPTIONS = { host: '10.0.0.7', now: NOW };
const ACL = POLICY.acls[0];

/** Every method with valid arguments; the identity is alice's, who is in both groups. */
function methods(operation) {
  const access = { operation, resource_type: 'topic', resource_name: 'analytics-a' };
  const check = { ...access, ...OPTIONS };
  const request = { api: 'kafka', name: operation === 'read' ? 'Fetch' : 'Produce', resources: { topic: ['analytics-a'] } };
  return {
    identity: {
      can: [operation, 'topic', 'analytics-a', OPTIONS], check: [operation, 'topic', 'analytics-a', OPTIONS],
      filter: [operation, 'topic', ['analytics-a', 'orders'], OPTIONS], checkMany: [[access, check], OPTIONS], decide: [check], explain: [check],
      request: [request, { ...OPTIONS, id: 1 }], isExpired: [NOW],
    },
    policy: {
      check: [{ identity: WHO, ...check }], can: [{ ...CLAIMS, ...check }], explain: [{ identity: WHO, ...check }], inspect: [{ identity: WHO }], open: [WHO],
      openUnverified: [SECRETS[0], { userinfo: {} }], resource: ['topic', 'orders'], apply: [{ change: 'add_acl', acl: ACL }], export: [], memoryBytes: [],
    },
    analyze: {
      whoCan: [check], permissions: [WHO], leastGrant: [WHO, check], revoke: [WHO, check], compare: [WHO, { user: 'bob' }, check], lint: [],
      collisions: [{ names: GROUPS, nested: 'suffix', limit: 9 }], whatIf: [WHO, [{ change: 'add_to_group', group: 'ops' }], check], diff: [{}],
    },
    loading: { load: [POLICY, { cacheSize: 10 }], lintDocument: [POLICY, {}], verifier: [idp.jwks, { issuer: ISSUER, audience: AUDIENCE }] },
    verify: { verify: [SECRETS[0], { now: NOW }] },
  };
}
const [READS, WRITES] = ['read', 'write'].map(methods);

/** Whether a result allows something. */
function allows(method, answer) {
  if (answer === true) return ['can', 'checkResource'].includes(method);
  if (answer === 'allow') return true;
  if (Array.isArray(answer)) return method === 'filter' ? answer.length > 0 : answer.includes('allow');
  return answer?.outcome === 'allow';
}

/** Whether the oracle allows a request, in the spelling of the Data Plane API or in the short form. */
function oracleAllows({ user, groups }, { operation, resource_type: type, resource_name: name, host }) {
  const long = (prefix, word) => `${prefix}_${word.replace(`${prefix}_`, '').toUpperCase()}`;
  const check = { identity: { user, groups }, operation: long('OPERATION', operation), resource_type: long('RESOURCE_TYPE', type), resource_name: name ?? '', host };
  return decide(POLICY, check).outcome === 'allow';
}

/** Checks that the oracle allows everything that a call allows, for exactly the identity and the resources in the arguments. */
function assertAllowed(kind, method, args, answer, what) {
  const fault = () => assert.fail(`${what} is allowed: ${JSON.stringify(answer)}`);
  const read = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
  if (kind === 'identity') {
    const [operation, type, name, options] = args;
    const isDirect = ['can', 'check', 'filter'].includes(method);
    const names = method === 'filter' ? answer : [name];
    const asked = isDirect ? names.map((resource_name) => ({ operation, resource_type: type, resource_name, host: options?.host }))
      : method === 'checkMany' ? [...args[0]].filter((_, place) => answer[place] === 'allow').map((one) => ({ ...one, host: one.host ?? args[1]?.host }))
        : method === 'request' ? answer.checks.map((one) => ({ ...one, host: args[1]?.host })) : [read(args[0])];
    if (!asked.every((one) => oracleAllows(WHO, one))) fault();
    return;
  }
  const [check] = args;
  const { identity, claims, ...question } = read(check);
  const hasEnded = claims && 'exp' in claims && !((question.now ?? NOW) <= claims.exp && typeof claims.exp === 'number');
  if (hasEnded && question.ignore_expiry !== true) fault();
  const isNames = (groups) => Array.isArray(groups) && groups.every((group) => typeof group === 'string');
  // A claim with anything else in its list gives no groups at all.
  const groups = identity ? identity.groups ?? [] : isNames(claims.groups) ? claims.groups : [];
  const user = identity ? identity.user : claims.sub;
  if (!(isNames(groups) && oracleAllows({ user, groups: groups.filter(Boolean) }, question))) fault();
}

/** Makes `limit` malformed calls of the entries `base`, `verify` and `analyze`. */
export async function callMalformed(t, { base, verify, analyze }, limit = CALLS) {
  const rng = random(SEED);
  const { pick, chance } = rng;
  const entries = await Promise.all(Object.entries({ base, verify, analyze }).map(async ([entry, module]) => {
    const policy = await module.Policy.load(POLICY);
    return { entry, module, policy, identity: policy.open(WHO), ends: policy.open(CLAIMS) };
  }));
  const keys = await verify.verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
  const counts = { errors: 0, answers: 0, allows: 0, codes: new Set() };
  const failed = (error, what) => {
    assert.ok(error instanceof base.EngineError, `${what} threw ${error?.stack ?? String(error)}`);
    assert.match(error.code, /^[a-z0-9_]+$/, what);
    assert.notEqual(error.code, 'engine_failed', what);
    const texts = [error.message, ...(error.problems ?? []).flatMap(({ path, message }) => [path, message])].join(' ');
    assert.ok(error.message, what);
    for (const secret of SECRETS) for (const part of secret.split('.')) assert.ok(!texts.includes(part.slice(0, 30)), `${what} repeats a token: ${texts}`);
    counts.errors += 1;
    counts.codes.add(error.code);
  };
  for (let call = 0; counts.errors < limit; call += 1) {
    const { entry, module, policy, identity, ends } = pick(entries);
    const kind = pick(['identity', 'identity', 'identity', 'policy', 'policy', 'policy', 'loading', 'verify']);
    const [method, right] = pick(Object.entries(pick([READS, WRITES])[kind === 'policy' && entry === 'analyze' && chance(1, 2) ? 'analyze' : kind]));
    const what = `GBAC_SEED=${SEED}, call ${call}: ${entry} ${kind}.${method}`;
    const args = right.map((argument) => (chance(2, 3) ? spoiled(rng, argument) : argument));
    if (chance(1, 6)) args[args.length] = pick(WRONG)();
    if (chance(1, 10)) args.pop();
    const [target, who] = kind === 'identity' ? (chance(1, 2) ? [identity, 'identity'] : [ends, 'identity'])
      : kind === 'policy' ? [policy, 'policy'] : kind === 'verify' ? [keys, 'verify']
        : [{ load: module.Policy.load.bind(module.Policy), lintDocument: analyze.lintDocument, verifier: verify.verifier }, 'loading'];
    // A change in place would change the input of the oracle.
    if (method === 'apply') args[0] = spoiled(rng, { change: pick(['add', 'remove', '']), acl: ACL });
    let answer;
    try {
      answer = target[method](...args);
      if (kind === 'loading') answer = await answer;
    } catch (error) {
      failed(error, what);
      continue;
    }
    counts.answers += 1;
    if (allows(method, answer)) {
      counts.allows += 1;
      assertAllowed(who, method, args, answer, what);
    }
    answer?.free?.();
  }
  // Afterwards, everything works as before.
  for (const { entry, policy, identity, ends } of entries) {
    assert.equal(identity.can('read', 'topic', 'analytics-a'), false, entry);
    assert.equal(ends.can('read', 'topic', 'analytics-a'), false, entry);
    assert.equal(policy.open({ user: 'bob', groups: ['engineering'] }).can('read', 'topic', 'analytics-a'), true, entry);
    assert.deepEqual(policy.export().acls.length, POLICY.acls.length, entry);
  }
  t.diagnostic(`${limit} refused calls of GBAC_SEED=${SEED}: ${JSON.stringify({ ...counts, codes: [...counts.codes].sort() })}`);
  assert.ok(counts.answers >= limit / 20 && counts.allows >= limit / 2_000, JSON.stringify(counts));
  assert.ok(counts.codes.size >= 20, [...counts.codes].join(', '));
}
