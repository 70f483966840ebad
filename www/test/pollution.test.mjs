// Tests that no decision depends on what other code adds to `Object.prototype`, as a vulnerable merge of an attacker's JSON does:
// neither an index nor the name of any member that the library reads.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { acls, Policy } from '../index.js';
import { decide } from './oracle.mjs';
import { ISSUER, provider } from './tokens.mjs';

const www = fileURLToPath(new URL('../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gbac-pollution-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Every word in the code of the library, and so every name that it reads; and every index below a thousand. */
function words() {
  const scripts = (path) => readdirSync(join(www, path)).filter((name) => name.endsWith('.js') && !/_(id|inline)\.js$/.test(name)).map((name) => join(www, path, name));
  const sources = ['.', 'lib', 'lib/entries', 'adapters', 'pkg'].flatMap(scripts).map((path) => readFileSync(path, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''));
  const found = new Set(sources.flatMap((source) => source.match(/[A-Za-z_$][\w$]*/g)));
  // Those have a meaning there already, or cannot be added by JSON.
  for (const name of [...Object.getOwnPropertyNames(Object.prototype), '__proto__']) found.delete(name);
  for (const name of ['ignoreExpiry', 'ignore_expiry', 'now', 'host', 'limit', 'clock', 'identity', 'authorization']) assert.ok(found.has(name), name);
  return [...found, ...Array(1_000).keys()].map(String);
}

/** The package as one classic script, which runs where Node's loader does not. */
async function bundled() {
  const entries = { index: 'index.js', verify: 'verify.js', identities: 'adapters/identities.js' };
  const source = Object.entries(entries).map(([name, path]) => `export * as ${name} from ${JSON.stringify(join(www, path))};`).join('\n');
  const entry = { name: 'entry', resolveId: (id) => (id === 'entry' ? id : id === 'gbac-engine/verify' ? join(www, 'verify.js') : null), load: (id) => (id === 'entry' ? source : null) };
  const bundle = await rollup({ input: 'entry', plugins: [entry], onwarn: (warning) => { if (warning.code !== 'CIRCULAR_DEPENDENCY') throw new Error(warning.message); } });
  const file = join(folder, 'bundle.js');
  await bundle.write({ file, format: 'iife', name: 'GBAC', externalLiveBindings: false });
  await bundle.close();
  return file;
}

const rules = acls([
  { allow: 'read', topic: ['a', 'ab-*'], to: 'Group:engineering' }, { deny: 'read', topic: 'ab-x', to: 'Group:engineering' },
  { allow: 'read', topic: 'billing', to: 'User:bob', host: '10.0.0.7' }, { allow: 'write', topic: '*', to: 'Role:Writers' },
  { allow: 'alter', cluster: true, to: 'User:root' },
]);
const document = { version: 1, settings: { superusers: ['root'] }, roles: [{ name: 'Writers', members: [{ principal: 'User:bob' }] }], acls: rules };
/** What is asked: of names that are polluted too, with and without a host, by whom it concerns. */
const questions = ['bob', 'alice', 'root'].flatMap((user) => ['billing', 'ab-1', 'ab-x', 'host'].flatMap((name) => ['read', 'write'].flatMap((operation) =>
  ['topic', 'group'].flatMap((type) => [undefined, '10.0.0.7'].map((host) => {
    const identity = { user, groups: user === 'alice' ? ['engineering'] : [] };
    const options = host === undefined ? undefined : { host };
    return { who: identity, check: { identity, operation, resource_type: type, resource_name: name, ...options }, direct: [operation, type, name], options };
  })))));
const ended = { claims: { sub: 'alice', groups: ['engineering'], exp: 1_000 } };
questions.push({ who: ended, check: { ...ended, operation: 'read', resource_type: 'topic', resource_name: 'a' }, direct: ['read', 'topic', 'a'] });

test('no index and no name of a member in Object.prototype changes an answer, whether it was there before the package or not', async (t) => {
  const idp = provider();
  const plan = {
    bundle: await bundled(), document, questions, words: words(), token: idp.token({ sub: 'alice', groups: ['engineering'] }, { lasts: 36_000 }), keys: idp.jwks,
  };
  const run = (more) => JSON.parse(execFileSync(process.execPath, [fileURLToPath(new URL('polluted.mjs', import.meta.url))], { input: JSON.stringify({ ...plan, ...more }), encoding: 'utf8', maxBuffer: 2 ** 26 }));
  const expected = run({ when: 'never', value: null });
  // The clean program answers as the oracle does.
  const calls = (expected.length - 4) / questions.length;
  for (const [place, { check }] of questions.slice(0, -1).entries()) {
    const asked = { ...check, operation: `OPERATION_${check.operation.toUpperCase()}`, resource_type: `RESOURCE_TYPE_${check.resource_type.toUpperCase()}` };
    assert.equal(JSON.parse(expected[place * calls]).outcome, decide(document, asked).outcome, JSON.stringify(check));
  }
  assert.equal(JSON.parse(expected[(questions.length - 1) * calls]).reason, 'expired');
  assert.deepEqual(expected.slice(-4), ['"an identity"', '401', '403', '401']);
  const values = [{}, { a: 0, 'ab-x': 0, billing: 0, host: 0 }, [], 1, 0, true, '10.0.0.7', 'read', 'root', { identity: { user: 'root' }, now: 1, ignore_expiry: true }];
  for (const value of values) {
    for (const when of typeof value === 'object' ? ['before', 'after', 'each'] : ['before', 'after']) assert.deepEqual(run({ when, value, expected }).slice(0, 5), [], `${when}: ${JSON.stringify(value)}`);
  }
  t.diagnostic(`${plan.words.length} names, ${values.length} values, ${expected.length} answers to each`);
});

test('errors and claims do not take members from Object.prototype', async () => {
  Object.prototype.problems = [{ path: '/acls/0/allow', code: 'x', message: 'x' }];
  Object.prototype.expires_at = 7;
  try {
    const policy = await Policy.load({ version: 1 });
    assert.throws(() => policy.open({ user: 'alice' }).check('peek', 'topic', 'x'), (error) => !Object.hasOwn(error, 'problems'));
    assert.equal(policy.open({ user: 'alice' }).expiresAt, undefined);
  } finally {
    delete Object.prototype.problems;
    delete Object.prototype.expires_at;
  }
});
