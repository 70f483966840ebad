// Every interface gives the same answer to a question: the calls of the JavaScript package, the command line, AuthZEN, and
// an oracle that shares no code with any of them. GBAC_SEED and GBAC_CASES choose which questions and how many.
import test from 'node:test';
import assert from 'node:assert/strict';
import { random, shrink } from '../../www/test/cases.mjs';
import { provider } from '../../www/test/tokens.mjs';
import { aCase, aDocument, withAdmin } from './cases.mjs';
import { CALLS, javascript, oracle, polluting, Programs } from './interfaces.mjs';

const CASES = Number(process.env.GBAC_CASES ?? 5_000);
const SEED = Number(process.env.GBAC_SEED ?? 20_261_123);
/** How many questions share a policy: enough for one process of the command line to be worth its start. */
const QUESTIONS = CASES > 100_000 ? 2_000 : 250;
const NOW = Math.floor(Date.now() / 1000);

const programs = new Programs();
test.before(() => programs.start());
test.after(() => programs.stop());

/** What every interface answers to each question of a world, by its name. */
async function ask(found, cases, calls, around) {
  const document = withAdmin(found);
  const [lines, evaluated] = await Promise.all([programs.commandLine(document, cases), programs.authzen(document, cases)]);
  // Not at the same time: these calls block this process, which the service asks for the provider's keys.
  const inProcess = await javascript(document, cases, calls, around);
  return inProcess.map((answers, place) => ({ ...answers, 'gbac check': lines[place], AuthZEN: evaluated[place] }));
}

/** The interface that disagrees and how; undefined when all agree. */
function disagreement(document, asked, answers) {
  const first = answers['policy.check'];
  const expected = oracle(document, asked, first, NOW);
  const wanted = JSON.stringify(expected);
  for (const [name, answer] of Object.entries(answers)) {
    if (answer === undefined) continue;
    // What gives only an outcome agrees about that; so does a gateway that is refused a token which has expired.
    const isShort = Object.keys(answer).length === 1 && answer.error === undefined;
    const isRefused = answer.refused !== undefined && (expected.reason === 'expired' || expected.error !== undefined || asked.request !== undefined);
    const agrees = isShort || isRefused
      ? answer.outcome === (expected.outcome ?? 'deny')
      : JSON.stringify(answer) === wanted;
    if (!agrees) return `${name}: ${JSON.stringify(answer)}\nthe oracle: ${wanted}`;
  }
  return undefined;
}

/** Asks `count` questions; throws with the smallest one on which interfaces disagree. */
async function compare(seed, count, calls = CALLS, around = () => undefined) {
  const rng = random(seed);
  const counts = { interfaces: {}, reasons: {} };
  const add = (kind, name) => { counts[kind][name] = (counts[kind][name] ?? 0) + 1; };
  for (let done = 0; done < count; done += QUESTIONS) {
    const document = aDocument(rng);
    const cases = [];
    while (cases.length < Math.min(QUESTIONS, count - done)) cases.push(aCase(rng, document, NOW, cases));
    const answers = await ask(document, cases, calls, around(rng, cases));
    for (const [place, asked] of cases.entries()) {
      if (disagreement(document, asked, answers[place]) !== undefined) await report(seed, done + place, { document, check: asked }, calls, around(rng, [asked]));
      for (const [name, answer] of Object.entries(answers[place])) if (answer !== undefined) add('interfaces', name);
      const { reason, error } = answers[place]['policy.check'];
      add('reasons', reason ?? (error === undefined ? 'a whole request' : 'error'));
    }
  }
  return counts;
}

async function report(seed, number, found, calls, around) {
  const differs = async ({ document, check }) => {
    const [answers] = await ask(document, [check], calls, around);
    return disagreement(withAdmin(document), check, answers);
  };
  const smallest = await shrink(found, async (candidate) => (await differs(candidate)) !== undefined);
  const error = new Error(`GBAC_SEED=${seed}, question ${number}, at its smallest:\n${JSON.stringify(smallest)}\n${await differs(smallest)}`);
  error.smallest = smallest;
  throw error;
}

test('the cluster has one name, however it is asked about', async () => {
  const acl = {
    resource_type: 'RESOURCE_TYPE_CLUSTER', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', principal: 'Group:g', host: '*',
    operation: 'OPERATION_ALTER', permission_type: 'PERMISSION_TYPE_ALLOW',
  };
  const document = { version: 1, settings: { superusers: ['admin'] }, roles: [], acls: [acl] };
  const cases = [undefined, '', 'kafka-cluster', 'another'].map((resource_name) => ({
    identity: { user: 'u', groups: ['g'] }, operation: 'OPERATION_ALTER', resource_type: 'RESOURCE_TYPE_CLUSTER', resource_name, form: 'names', instant: 'clock',
  }));
  const answers = await ask(document, cases);
  for (const [place, asked] of cases.entries()) {
    for (const [name, answer] of Object.entries(answers[place])) {
      assert.equal(answer.outcome, asked.resource_name === 'another' ? 'deny' : 'allow', `${name}: ${asked.resource_name}`);
    }
    assert.equal(Object.keys(answers[place]).length, Object.keys(CALLS).length - 1 + 2, 'every interface but that of whole requests');
  }
});

test('every interface gives the same answer, for the same reason', async (t) => {
  const { interfaces, reasons } = await compare(SEED, CASES);
  t.diagnostic(`${CASES} questions of GBAC_SEED=${SEED}: ${JSON.stringify({ interfaces, reasons })}`);
  for (const name of [...Object.keys(CALLS), 'gbac check', 'AuthZEN']) {
    const least = name === 'identity.request' ? CASES / 10 : CASES / 2;
    assert.ok(interfaces[name] >= least, `${name} answered ${interfaces[name]} of ${CASES} questions`);
  }
  for (const reason of ['superuser', 'deny_rule', 'allow_rule', 'no_match', 'expired', 'a whole request']) {
    assert.ok(reasons[reason] >= CASES / 200, `${reason} in ${reasons[reason]} of ${CASES} questions`);
  }
});

test('the package answers the same, whatever other code adds to Object.prototype', async (t) => {
  const count = Math.min(CASES, 20_000);
  const { interfaces } = await compare(SEED, count, CALLS, polluting);
  t.diagnostic(`${count} questions of GBAC_SEED=${SEED} with a changed prototype: ${JSON.stringify(interfaces)}`);
  for (const name of Object.keys(CALLS)) assert.ok(interfaces[name] >= count / 10, `${name} answered ${interfaces[name]} of ${count} questions`);
});

test('a token that sign-in refuses has one reason and one code in every interface', async () => {
  const { issuer, token } = programs.provider;
  const of = (claims, times) => token({ iss: issuer, sub: 'u', ...claims }, times);
  const signed = of({});
  const tokens = {
    token_expired: of({}, { now: NOW - 1_000 }),
    issuer_mismatch: of({ iss: 'https://other.example.com' }),
    issuer_missing: of({ iss: undefined }),
    audience_mismatch: of({ aud: 'another' }),
    audience_missing: of({ aud: undefined }),
    exp_missing: of({ exp: undefined }),
    time_invalid: of({ exp: 'soon' }),
    token_not_yet_valid: of({ nbf: NOW + 600 }),
    signature_invalid: provider().token({ iss: issuer, sub: 'u' }),
    kid_unknown: provider('another').token({ iss: issuer, sub: 'u' }),
    principal_missing: of({ sub: undefined }),
    token_unsigned: `${signed.slice(0, signed.lastIndexOf('.'))}.`,
    opaque_token: 'a.b',
  };
  const answers = await programs.judged([...Object.values(tokens), signed]);
  const accepted = answers.pop();
  assert.deepEqual([accepted['gbac check'].reason, accepted.AuthZEN.reason, accepted.code], ['no_match', 'no_match', undefined]);
  for (const [place, expected] of Object.keys(tokens).entries()) {
    const { 'gbac check': line, AuthZEN: context, code } = answers[place];
    for (const [name, { outcome, reason, code: found, verified }] of Object.entries({ 'gbac check': line, AuthZEN: context })) {
      assert.deepEqual({ outcome, reason, code: found, verified }, { outcome: 'deny', reason: 'token_refused', code: expected, verified: false }, name);
    }
    assert.equal(code, expected, 'the package');
  }
});

test('an interface that forgets something is found out, with a small case', async () => {
  const forgetful = {
    host: ({ identity, direct, options }) => direct && identity.check(...direct, options && { ...options, host: undefined }),
    expiry: ({ identity, direct, options }) => direct && identity.check(...direct, { ...options, now: undefined, ignoreExpiry: true }),
    name: ({ identity, direct, options }) => direct && identity.check(direct[0], direct[1], direct[2].slice(0, 2), options),
  };
  for (const [what, call] of Object.entries(forgetful)) {
    const wrong = await compare(SEED, 5_000, { 'policy.check': CALLS['policy.check'], [what]: call }).then(() => assert.fail(`${what}: nothing was found`), (error) => error);
    assert.match(wrong.message, new RegExp(`^GBAC_SEED=\\d+, question \\d+, at its smallest:[^]*\\n${what}: `));
    assert.ok(wrong.smallest.document.acls.length <= 2, wrong.message);
  }
});
