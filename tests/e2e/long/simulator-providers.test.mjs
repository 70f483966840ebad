// Tokens of providers through the simulator: who never saw the page finds out why there are no groups, names that are ids,
// tokens of somebody else, and tokens of real providers from the token to the verdict.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { download } from '../support/downloads.mjs';
import { text } from '../support/fields.mjs';
import { startGlewlwyd, whyNoGlewlwyd } from '../support/glewlwyd.mjs';
import { stage } from '../support/journey.mjs';
import { GBAC, impersonal } from '../support/launch.mjs';
import { lines, part, troubleshoot } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const run = promisify(execFile);
const { set, journey } = stage({ provider: true });
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** An access token as a provider writes it; nobody verifies the signature here. */
const tokenOf = (claims) => `${encode({ alg: 'RS256', typ: 'JWT', kid: 'k' })}.${encode(claims)}.${Buffer.alloc(256, 7).toString('base64url')}`;

/** What Entra ID sends of somebody, beside the groups. */
const entra = (more) => ({
  ver: '2.0',
  aud: 'api://streams',
  iss: 'https://login.microsoftonline.com/00000000-0000-0000-0000-0000000000aa/v2.0',
  tid: '00000000-0000-0000-0000-0000000000aa',
  oid: '00000000-0000-0000-0000-0000000000bb',
  sub: 'AbCdEf-somebody',
  preferred_username: 'maya@contoso.com',
  iat: 1_790_000_000,
  exp: 9_000_000_000,
  ...more,
});

journey('who never saw the product finds out why an overage token has no groups, and what to do', async ({ page }) => {
  const overage = tokenOf(entra({
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.microsoft.com/v1.0/users/x/getMemberObjects' } },
  }));
  await page.goto('/');
  // Only by what the page says: a link that is named like what one wants, and a field that asks for what one has.
  await page.getByRole('link', { name: 'Simulator' }).first().click();
  await page.getByRole('textbox', { name: 'Access token', exact: true }).fill(overage);
  const main = page.getByRole('main');
  // Why.
  await main.getByText(/has a link instead of/).first().waitFor();
  const why = await text(main);
  assert.match(why, /No groups|no groups|0 groups/);
  assert.match(why, /graph\.microsoft\.com/);
  // What to do, on the page as it is.
  assert.match(why, /[Cc]onfigure the identity provider to send only the groups assigned to the application/);
  // And step by step, where the page offers it.
  await main.getByRole('button', { name: /^Troubleshoot/ }).click();
  const steps = main.getByRole('group', { name: 'Diagnosis: Decode the token and look for the group claim' });
  await until(async () => assert.match(await text(steps), /sent a link instead, which is not followed/));
  assert.match(await text(steps), /Next/);
});

journey('groups that are object IDs are reported with a fix', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const ids = ['0b2c4a7e-1111-4d0f-9f0a-000000000001', '0b2c4a7e-1111-4d0f-9f0a-000000000002'];
  await simulator.token.fill(tokenOf(entra({ groups: ids })));
  const note = simulator.note('The groups are object IDs');
  await note.waitFor();
  const words = await text(note);
  assert.match(words, /2 of 2 groups are object IDs/);
  assert.match(words, /groupMembershipClaims.*ApplicationGroup.*sam_account_name.*cloud_displayname/);
  const extraction = await troubleshoot(page);
  await extraction.getByText(/name the groups by their IDs in ACLs and roles/i).first().waitFor();
  // A policy that names them was a choice, so there is no warning.
  const policy = await set.service.policy();
  try {
    const members = ids.map((id) => ({ principal: `Group:${id}` }));
    await set.service.putPolicy({ ...policy, roles: [...policy.roles, { name: 'ByIds', members }] });
    await page.getByRole('button', { name: /Refresh/ }).click();
    await note.waitFor({ state: 'hidden' });
  } finally {
    await set.service.putPolicy(policy);
  }
});

journey('a token of somebody else is told before anything is verified', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.token.fill(tokenOf(entra({ groups: ['engineering'] })));
  const checks = async () => (await lines(simulator.checks)).join('\n');
  await until(async () => {
    assert.match(await checks(), /The issuer is https:\/\/login\.microsoftonline\.com.*the service accepts only .*\/demo\/idp/);
    assert.match(await checks(), /The token is for api:\/\/streams, and the service accepts only /);
  });
  const extraction = await troubleshoot(page);
  await extraction.getByText(/set oidc_token_audience to an audience of the token/i).first().waitFor();
  // The demo's own people are accepted.
  await simulator.pick('Maya Okafor');
  await until(async () => {
    assert.match(await checks(), /The issuer is .*, as the service requires/);
    assert.match(await checks(), /is the one that the service accepts/);
  });
});

journey('tokens of a real provider go from the token to the verdict', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('jonas.lindqvist'));
  await until(async () =>
    assert.deepEqual(
      (await simulator.elements()).map(([, name]) => name).toSorted(),
      ['/contractors/payments', '/eng/payments', '/eng/platform/on-call'],
    ),
  );
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied by rule');
  await simulator.settings('Custom');
  await page.getByRole('radio', { name: 'suffix' }).check();
  await simulator.sees('Allowed, if…');
});

journey('tokens of Glewlwyd go from the token to the verdict', async ({ page, t }) => {
  const missing = await whyNoGlewlwyd();
  if (missing) return t.skip(missing);
  const glewlwyd = await startGlewlwyd({ 'ana.sousa': ['payments', 'all'], 'jonas.lindqvist': ['/elsewhere/payments'] });
  try {
    const simulator = new Simulator(page);
    await simulator.open();
    // One string with commas, in a token whose user has a name that nobody chose.
    await simulator.enter(await glewlwyd.token('ana.sousa'));
    await simulator.ask({ operation: 'Write', name: 'payments-settled' });
    await until(async () =>
      assert.deepEqual(
        (await simulator.elements()).map(([, name]) => name),
        ['payments', 'all'],
      ),
    );
    await simulator.sees('Allowed, if…');
    const [, group] = await simulator.decidedBy();
    assert.equal(group, 'Group:payments');
    await simulator.verify({ keys: await glewlwyd.keys(), issuer: glewlwyd.issuer, audience: glewlwyd.audience });
    await simulator.says('Signature verified');
    await simulator.token.fill(await glewlwyd.token('jonas.lindqvist'));
    await simulator.sees('Denied, nothing allows it');
    await simulator.settings('Custom');
    await page.getByRole('radio', { name: 'suffix' }).check();
    await simulator.sees('Allowed, if…');
  } finally {
    await glewlwyd.stop();
  }
});

journey('a check travels as a file without the token, and the command line answers it', async ({ page, t }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-archive' });
  await simulator.sees('Denied by rule');
  const share = await part(page, 'Share');
  const saved = await download(t, page, () => share.getByRole('button', { name: 'Save as a file' }).click());
  const { path: file, text: words } = saved;
  assert.equal(saved.name, 'maya-okafor-write-to-topic-orders-archive.check.json');
  assert.deepEqual(JSON.parse(words).identity, { user: 'maya.okafor', groups: ['engineering', 'analytics'] });
  assert.ok(!words.includes(token.slice(0, 30)));

  await page.reload();
  await simulator.token.waitFor();
  const again = await part(page, 'Share');
  await page.locator('#check-file').setInputFiles(file);
  await simulator.sees('Denied by rule', /User:maya\.okafor/);
  await page.locator('#check-file').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('[]') });
  await again.getByText(/x\.json could not be read/).waitFor();

  const policy = `${file}.policy.json`;
  await writeFile(policy, JSON.stringify(await set.service.policy()));
  const { stdout } = await run(GBAC, ['check', '--policy', policy, '--checks', file], { env: impersonal() });
  assert.match(stdout, /"outcome":"deny"/);
});

journey('a bug report of a failing test is checked by the command line, with the same outcome', async ({ page, t }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  const tests = await part(page, 'Tests');
  await tests.getByRole('textbox', { name: 'Test name' }).fill('maya writes orders');
  await tests.getByRole('button', { name: 'Add test' }).click();
  const least = await part(page, 'Smallest change');
  await least.getByRole('button', { name: /^Try: Remove Allow Write, topic orders- prefixed/ }).click();
  const saved = tests.getByRole('list', { name: 'Saved tests' });
  await until(async () => assert.match((await lines(saved)).join(), /Failed maya writes orders/));
  const report = await download(t, page, () => saved.getByRole('button', { name: 'Bug report' }).click());
  const [, difference] = /^Difference: (.*)$/m.exec(report.text);
  const failed = await run(GBAC, ['--format', 'json', 'test', report.path], { env: impersonal() }).catch((error) => error);
  assert.equal(failed.code, 1);
  const { tests: [test] } = JSON.parse(failed.stdout);
  assert.deepEqual([test.name, test.passed, test.difference], ['maya writes orders', false, difference]);
});
