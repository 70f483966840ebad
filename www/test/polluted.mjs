// `node polluted.mjs`: the package in a program whose `Object.prototype` other code has changed, before it was loaded or afterwards.
// Reads a plan from standard input, and writes what every call answers.
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

const { bundle, words, value, when, document, questions, token, keys, expected } = JSON.parse(readFileSync(0, 'utf8'));
const asked = questions.map((question) => ({ __proto__: null, options: undefined, ...question }));
// Compiled before, because Node's own loader does not run then.
const script = new Script(readFileSync(bundle, 'utf8'));

const pollute = (names) => { for (const name of names) Object.prototype[name] = value; };
const restore = (names) => { for (const name of names) delete Object.prototype[name]; };

/** The answer of a call as it is, or the code of its error. What it means is read later, in a clean program. */
function attempt(call) {
  try {
    return { answer: call() };
  } catch (error) {
    return { error };
  }
}

/** What every call answers to every question. */
async function ask({ identities }, policy, guard) {
  const answers = [];
  for (const { who, check, direct, options } of asked) {
    const { operation, type, name } = { __proto__: null, operation: direct[0], type: direct[1], name: direct[2] };
    const identity = policy.open(who);
    answers.push(attempt(() => policy.check(check)), attempt(() => policy.can(check)), attempt(() => policy.explain(check)),
      attempt(() => identity.can(operation, type, name, options)), attempt(() => identity.can(operation, type, name, options)),
      attempt(() => identity.check(operation, type, name, options)), attempt(() => identity.can(operation, policy.resource(type, name), options)),
      attempt(() => identity.filter(operation, type, [name], options)), attempt(() => identity.checkMany([{ operation, resource_type: type, resource_name: name }], options)),
      attempt(() => [identity.user, identity.groups, identity.expiresAt, identity.verified]));
  }
  const header = `Bearer ${token}`;
  for (const name of ['a', 'billing']) {
    for (const given of [header, undefined]) {
      const admitted = await identities.admit(given, { operation: 'read', resource_type: 'topic', resource_name: name }, guard);
      answers.push({ answer: 'identity' in admitted ? admitted.identity : admitted.status });
    }
  }
  return answers;
}

/** The options of a guard. */
async function guardOptions({ verify, identities }) {
  const policy = await verify.Policy.load(document);
  return { identify: identities.identities({ policy, verify: await verify.verifier(keys, { issuer: 'https://idp.example.com', audience: null }) }) };
}

/** The answers as text, which `JSON.stringify` reads only in a clean program. */
const written = (answers) => answers.map(({ answer, error }) => {
  if (error !== undefined) return JSON.stringify({ error: error.code ?? error.message });
  return JSON.stringify(answer?.constructor?.name.endsWith('Identity') ? 'an identity' : answer);
});

const problems = [];
const compare = (found, what, wantedAll) => {
  const text = written(found);
  wantedAll.forEach((wanted, place) => { if (text[place] !== wanted) problems.push(`${what}, answer ${place}: ${text[place]} instead of ${wanted}`); });
};

if (when === 'before') {
  const run = async () => {
    const options = await guardOptions(globalThis.GBAC);
    return ask(globalThis.GBAC, await globalThis.GBAC.index.Policy.load(document), options);
  };
  pollute(words);
  let found;
  try {
    script.runInThisContext();
    found = await run();
  } finally {
    restore(words);
  }
  compare(found, 'all names', expected);
} else {
  script.runInThisContext();
  const policy = await globalThis.GBAC.index.Policy.load(document);
  const options = await guardOptions(globalThis.GBAC);
  const clean = written(await ask(globalThis.GBAC, policy, options));
  // One name at a time, only the first questions: there are thousands of names.
  if (when === 'each') asked.length = 2;
  const before = when === 'each' ? written(await ask(globalThis.GBAC, policy, options)) : expected;
  for (const names of when === 'each' ? words.map((word) => [word]) : when === 'after' ? [words] : []) {
    pollute(names);
    let found;
    try {
      found = await ask(globalThis.GBAC, policy, options);
    } finally {
      restore(names);
    }
    compare(found, names.length === 1 ? names[0] : 'all names', before);
  }
  if (when === 'never') process.stdout.write(JSON.stringify(clean));
}
if (when !== 'never') process.stdout.write(JSON.stringify(problems));
