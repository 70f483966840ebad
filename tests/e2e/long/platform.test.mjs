// The console on the conformance double of the platform, through the relay of the service.

import assert from 'node:assert/strict';
import { cloudForm } from '../support/connection.mjs';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { SUPERUSER } from '../support/platform.mjs';
import { giveReason } from '../support/review.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ platform: [] });
const without = stage({ platform: ['--no-license', '--no-registry-acls'] });
const managed = stage({ platform: ['--managed'] });
const old = stage({ platform: ['--version=25.3'] });
/** What Chromium logs when an answer is a refusal. */
const REFUSED = { tolerates: [/Failed to load resource/] };

const DOCUMENT = JSON.stringify({
  version: 1,
  roles: [{ name: 'Payments Writers', members: [{ principal: 'Group:/teams/payments' }, { principal: 'User:maya' }] }],
  acls: [
    {
      resource_type: 'RESOURCE_TYPE_TOPIC',
      resource_name: 'payments-',
      resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
      principal: 'Role:Payments Writers',
      host: '*',
      operation: 'OPERATION_WRITE',
      permission_type: 'PERMISSION_TYPE_ALLOW',
    },
    {
      resource_type: 'RESOURCE_TYPE_SUBJECT',
      resource_name: 'payments-value',
      resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
      principal: 'Group:contractors',
      host: '*',
      operation: 'OPERATION_READ',
      permission_type: 'PERMISSION_TYPE_DENY',
    },
  ],
});

/** Connects to the double. */
async function connect(page) {
  await page.goto('/connection');
  const form = page.getByRole('form', { name: 'Connect' });
  await form.getByRole('radio', { name: 'A self-managed cluster' }).check();
  await form.getByRole('textbox', { name: 'User' }).fill(SUPERUSER.user);
  await form.getByLabel('Password').fill(SUPERUSER.password);
  await form.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('These pages show a self-managed cluster').waitFor();
}

/** Connects to the double, puts the document into the draft, and opens the review. */
async function review(page) {
  await connect(page);
  await page.getByRole('link', { name: 'Import and export' }).click();
  await page.getByRole('textbox', { name: /^Policy document/ }).fill(DOCUMENT);
  await page.getByRole('button', { name: /^Add \d+ changes to the draft$/ }).click();
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: /^Review \d+ changes$/ }).click();
  await page.getByRole('heading', { level: 1, name: /^Review \d+ changes$/ }).waitFor();
}

/** The principals of a role. */
async function members(platform, role) {
  const { body } = await platform.ask('GET', `/v1/roles/${encodeURIComponent(role)}/members`);
  return body.members.map(({ principal }) => principal).sort();
}

journey('a role with a group, and ACLs of Kafka and the Schema Registry, reach the platform as it spells them', REFUSED, async ({ page }) => {
  await review(page);
  assert.equal(await page.getByRole('heading', { name: 'What this cluster does not have' }).count(), 0);
  await giveReason(page);
  await page.getByRole('button', { name: /^Apply \d+ changes$/ }).click();
  await page.getByRole('heading', { name: /changes applied$/ }).waitFor();
  await until(async () =>
    assert.deepEqual(await members(set.platform, 'Payments Writers'), ['Group:/teams/payments', 'User:maya']),
  );
  const { resources } = (await set.platform.ask('GET', '/v1/acls')).body;
  const principals = resources.flatMap(({ resource_type: type, acls }) => acls.map(({ principal }) => `${type} ${principal}`));
  assert.deepEqual(principals.sort(), [
    'RESOURCE_TYPE_SUBJECT Group:contractors',
    'RESOURCE_TYPE_TOPIC RedpandaRole:Payments Writers',
  ]);
  // What the platform has is what the pages show.
  await page.getByRole('link', { name: 'Roles' }).first().click();
  await page.getByRole('link', { name: 'Payments Writers' }).first().waitFor();
});

without.journey('what a platform without a license lacks is said, and its refusals are shown', REFUSED, async ({ page }) => {
  await review(page);
  await page.getByRole('heading', { name: 'What this cluster does not have' }).waitFor();
  for (const gap of [/^The Schema Registry has no ACLs/, /^There is no license/]) {
    await page.getByText(gap).waitFor();
  }
  await giveReason(page);
  await page.getByRole('button', { name: /^Apply \d+ changes$/ }).click();
  await page.getByText(/The others stay in the draft|Nothing was applied|No change was applied/).first().waitFor();
  const { resources } = (await without.set.platform.ask('GET', '/v1/acls')).body;
  assert.deepEqual(resources, []);
});

old.journey('a platform that is too old to be read is named', REFUSED, async ({ page }) => {
  await connect(page);
  await page.getByText(/^Version v25\.3\S* has no groups; they begin with v26\.1/).waitFor();
});

managed.journey('a wrong token of the managed cloud is refused and changes nothing', REFUSED, async ({ page }) => {
  const form = await cloudForm(page, 'not-a-token');
  await form.getByRole('button', { name: 'Test' }).click();
  const result = page.getByRole('region', { name: 'Result of the test' });
  await result.waitFor();
  assert.match(await text(result), /failed/);
  assert.match(await text(result), /Status 401/);
  await form.getByRole('button', { name: 'Connect' }).click();
  const now = page.getByRole('region', { name: 'Current connection' });
  await until(async () => assert.match(await text(now), /Not signed in/));
});
