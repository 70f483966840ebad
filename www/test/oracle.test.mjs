// The wasm engine against the second oracle: every check of the vectors, and generated cases at the hard corners.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Policy } from '../index.js';
import { OPERATIONS, TYPES, aCheck, aKafkaCheck, aKafkaPolicy, aPolicy, random, shrink } from './cases.mjs';
import { decide, decideOnAny, plainAcl } from './oracle.mjs';

const CASES = Number(process.env.GBAC_CASES ?? 5_000);
const SEED = Number(process.env.GBAC_SEED ?? 20_260_101);
/** How many checks share a policy. */
const CHECKS = 4;

/** An engine's decision in the oracle's words: null and false stand for absent. */
function plain(decision) {
  return {
    outcome: decision.outcome,
    reason: decision.reason,
    source: decision.source ?? null,
    group: decision.group ?? null,
    role: decision.role ?? null,
    acl: decision.acl ? plainAcl(decision.acl) : null,
    implied_by: decision.implied_by ?? null,
    host_unknown: decision.host_unknown ?? false,
  };
}

/** The ways in which a policy can be asked; each must answer as the oracle does. */
const WAYS = {
  check: (policy, check) => plain(policy.check(check)),
  explain: (policy, check) => plain(policy.explain(check)),
};

/** Which way of asking differs from the oracle, and how; undefined when none does. */
function difference(policy, document, check, ways = WAYS, oracle = decide) {
  const expected = JSON.stringify(oracle(document, check));
  for (const [way, ask] of Object.entries(ways)) {
    const found = JSON.stringify(ask(policy, check));
    if (found !== expected) return `${way}: ${found}\noracle: ${expected}`;
  }
  return undefined;
}

/** Compares `count` cases; throws with the smallest case that differs. */
async function compare(seed, count, ways = WAYS, oracle = decide, make = { aPolicy, aCheck }) {
  const rng = random(seed);
  const reasons = {};
  for (let done = 0; done < count;) {
    const document = make.aPolicy(rng);
    const policy = await Policy.load(document);
    for (let place = 0; place < CHECKS && done < count; place += 1, done += 1) {
      const check = make.aCheck(rng, document);
      if (difference(policy, document, check, ways, oracle) !== undefined) {
        await report(seed, done, { document, check }, ways, oracle);
      }
      const { reason } = oracle(document, check);
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    policy.free();
  }
  return reasons;
}

async function report(seed, number, found, ways, oracle) {
  const differs = async ({ document, check }) => {
    const policy = await Policy.load(document);
    const text = difference(policy, document, check, ways, oracle);
    policy.free();
    return text;
  };
  const smallest = await shrink(found, differs);
  const error = new Error(`GBAC_SEED=${seed}, case ${number}, at its smallest:\n${JSON.stringify(smallest)}\n${await differs(smallest)}`);
  error.smallest = smallest;
  throw error;
}

const folder = new URL('../../tests/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();

test('the oracle answers every check of the vectors as a person did', async () => {
  let compared = 0;
  for (const name of files) {
    const { policy: document, tests } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    const policy = await Policy.load(document);
    for (const { id, check, expect } of tests) {
      // Without an answer there is nothing to decide; who the user is, is not this oracle's question.
      if ('error' in expect) continue;
      const { identity, claims, userinfo, unverified_token, token, host, now, ignore_expiry: ignores } = check;
      const opened = policy.inspect(JSON.parse(JSON.stringify({ identity, claims, userinfo, unverified_token, token })));
      const who = { user: opened.user, groups: opened.groups.map((group) => group.name) };
      // An assertion whose identity has an expiry states when it is asked, or that it does not matter.
      const unreadable = opened.warnings.some((warning) => warning.code === 'expiry_unreadable');
      const expired = !ignores && (unreadable || (opened.expires_at !== undefined && now > opened.expires_at));
      const answer = policy.check(check);
      if (check.request) {
        for (const { decision, ...asked } of answer.checks) {
          const asking = { ...asked, identity: who, host };
          if (asked.resource_name === undefined) {
            const { outcome, reason } = decision;
            assert.deepEqual({ outcome, reason }, decideOnAny(document, asking, expired), id);
          } else {
            assert.deepEqual(plain(decision), decide(document, asking, expired), id);
          }
          compared += 1;
        }
        continue;
      }
      const asked = { ...check, identity: identity ?? who };
      for (const member of ['operation', 'resource_type']) asked[member] = spelled(member, check[member]);
      const verdict = decide(document, asked, expired);
      for (const [member, wanted] of Object.entries(expect)) {
        if (!(member in verdict)) continue;
        const found = member === 'host_unknown' ? verdict[member] || null : verdict[member];
        assert.deepEqual(found, member === 'acl' && wanted ? plainAcl(wanted) : wanted, `${id}: ${member}`);
      }
      assert.deepEqual(plain(answer), verdict, id);
      compared += 1;
    }
    policy.free();
  }
  assert.ok(compared >= 150, `${compared} checks`);
  console.log(`${compared} checks of the vectors`);
});

/** The Data Plane API's spelling of a short form: the same letters without `_` and `-`, in any letter case. */
function spelled(member, text) {
  const fold = (word) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const known = member === 'operation' ? OPERATIONS : TYPES;
  return known.find((word) => word === text || fold(word) === fold(`${member}_${text}`)) ?? text;
}

test('the engine decides as the second oracle', async () => {
  const reasons = await compare(SEED, CASES);
  for (const reason of ['superuser', 'deny_rule', 'allow_rule', 'no_match']) {
    assert.ok(reasons[reason] >= CASES / 200, `${reason} in ${reasons[reason]} of ${CASES} cases`);
  }
  console.log(`${CASES} cases of GBAC_SEED=${SEED}: ${JSON.stringify(reasons)}`);
});

test('the engine decides as the second oracle in Kafka', async () => {
  const make = { aPolicy: aKafkaPolicy, aCheck: aKafkaCheck };
  const reasons = await compare(SEED, CASES, WAYS, decide, make);
  for (const reason of ['deny_rule', 'allow_rule', 'no_match']) {
    assert.ok(reasons[reason] >= CASES / 100, `${reason} in ${reasons[reason]} of ${CASES} cases`);
  }
  const withoutRanges = (document, check) =>
    decide({ ...document, acls: document.acls.filter((acl) => !acl.host.includes('/')) }, check);
  await assert.rejects(compare(SEED, 5_000, WAYS, withoutRanges, make), /at its smallest/, 'ranges matter');
  console.log(`${CASES} cases of Kafka: ${JSON.stringify(reasons)}`);
});

test('a wrong oracle is found out, with a small case', async () => {
  const withoutImplied = (document, check) => {
    const acls = document.acls.filter((acl) => acl.operation === check.operation || acl.operation === 'OPERATION_ALL');
    return decide({ ...document, acls }, check);
  };
  const wrong = await compare(SEED, 5_000, WAYS, withoutImplied).then(() => assert.fail('nothing was found'), (error) => error);
  assert.match(wrong.message, /^GBAC_SEED=\d+, case \d+, at its smallest:/);
  assert.equal(wrong.smallest.document.acls.length, 1, wrong.message);
  assert.equal(wrong.smallest.document.acls[0].permission_type, 'PERMISSION_TYPE_ALLOW');
});
