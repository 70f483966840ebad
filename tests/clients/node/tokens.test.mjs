// The tokens of a real provider through the command line: what the browser journeys build on.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GBAC, impersonal } from '../../e2e/support/launch.mjs';
import { PEOPLE } from '../../e2e/support/people.mjs';
import { startProvider } from '../../e2e/support/provider.mjs';

const run = promisify(execFile);
let provider, folder;

before(async () => {
  [provider, folder] = await Promise.all([startProvider(), mkdtemp(join(tmpdir(), 'gbac-e2e-'))]);
});
after(async () => {
  await provider?.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** What `gbac token inspect` says about a person's new token, after verifying it with the provider's keys. */
async function inspect(person, ...more) {
  const [token, keys] = [join(folder, 'token'), join(folder, 'keys.json')];
  await writeFile(token, await provider.token(person));
  await writeFile(keys, await provider.keys());
  const args = ['--format', 'json', 'token', 'inspect', token, '--jwks', keys];
  const expected = ['--issuer', provider.issuer, '--audience', provider.audience];
  const { stdout } = await run(GBAC, [...args, ...expected, ...more], { env: impersonal() });
  return JSON.parse(stdout);
}

const outcomes = (seen) => Object.fromEntries(seen.checks.map(({ name, outcome }) => [name, outcome]));

test('an array of groups is read, and every check passes', async () => {
  const seen = await inspect('maya.okafor');
  assert.equal(seen.verified, true);
  assert.equal(seen.user, 'maya.okafor');
  assert.deepEqual(
    seen.groups.map(({ name }) => name),
    ['engineering', 'analytics'],
  );
  const { signature, issuer, audience, expires, type } = outcomes(seen);
  assert.deepEqual(
    { signature, issuer, audience, expires, type },
    {
      signature: 'passed',
      issuer: 'passed',
      audience: 'passed',
      expires: 'passed',
      type: 'passed',
    },
  );
});

test('path names collide under suffix, in a token signed with ES256', async () => {
  const seen = await inspect('jonas.lindqvist', '--nested', 'suffix');
  assert.equal(seen.verified, true);
  assert.deepEqual(
    seen.groups.map(({ name }) => name),
    ['payments', 'on-call'],
  );
  assert.ok(seen.warnings.some(({ code }) => code === 'suffix_collision'));
});

test('a nested claim is found by its path', async () => {
  const { groups } = await inspect('ana.sousa', '--claim-path', '$.realm_access.roles');
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['payments', 'offline_access'],
  );
});

test('one string is split at its commas, in a token signed with Ed25519', async () => {
  const seen = await inspect('tom.weber');
  assert.equal(seen.verified, true);
  assert.deepEqual(
    seen.groups.map(({ name }) => name),
    ['engineering', 'analytics'],
  );
});

test('a changed membership is in the next token only', async () => {
  const names = async () => (await inspect('maya.okafor')).groups.map(({ name }) => name);
  const before = await provider.token('maya.okafor');
  provider.setGroups('maya.okafor', ['analytics']);
  assert.deepEqual(await names(), ['analytics']);
  provider.setGroups('maya.okafor', PEOPLE['maya.okafor'].groups);
  const claims = JSON.parse(Buffer.from(before.split('.')[1], 'base64url'));
  assert.deepEqual(claims.groups, ['engineering', 'analytics']);
});
