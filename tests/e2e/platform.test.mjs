// The console on the conformance double of the platform, through the relay of the service.

import assert from 'node:assert/strict';
import { text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { MANAGED, SUPERUSER } from './support/platform.mjs';
import { Draft } from './support/review.mjs';
import { Role, Roles } from './support/roles.mjs';
import { until } from './support/until.mjs';

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
  await page.getByRole('button', { name: /^Apply \d+ changes$/ }).click();
  await page.getByText(/The others stay in the draft|Nothing was applied|No change was applied/).first().waitFor();
  const { resources } = (await without.set.platform.ask('GET', '/v1/acls')).body;
  assert.deepEqual(resources, []);
});

old.journey('a platform that is too old to be read is named', REFUSED, async ({ page }) => {
  await connect(page);
  await page.getByText(/^Version v25\.3\S* has no groups; they begin with v26\.1/).waitFor();
});

/** The form that connects to a cluster of the managed cloud, filled in. */
async function cloudForm(page, token) {
  await page.goto('/connection');
  const form = page.getByRole('form', { name: 'Connect' });
  await form.getByRole('radio', { name: /managed cloud/ }).check();
  await form.getByRole('textbox', { name: 'Cluster ID' }).fill(MANAGED.cluster);
  await form.getByRole('textbox', { name: 'Access token' }).fill(token);
  return form;
}

managed.journey('a role of a managed cluster gets a group and an ACL through the Control Plane', REFUSED, async ({ page }) => {
  const { ask } = managed.set.platform;
  await ask('PUT', '/v1/roles/Analysts', { body: { create: true, add: [{ principal: 'User:ana' }] } });
  const form = await cloudForm(page, MANAGED.token);
  await form.getByRole('button', { name: 'Test' }).click();
  await page.getByRole('heading', { name: 'All APIs responded' }).waitFor();
  await form.getByRole('button', { name: 'Connect' }).click();
  await page.getByText(/These pages show a managed cloud cluster c1/).waitFor();
  // The service in front of it is a demo; the cluster is none.
  const status = page.getByRole('link', { name: /^Connection: c1/ });
  await status.waitFor();
  assert.doesNotMatch(await text(status), /Demo/);

  await page.getByRole('link', { name: 'Roles' }).first().click();
  const roles = new Roles(page);
  await roles.row('Analysts').getByRole('link').first().click();
  const role = new Role(page, 'Analysts');
  await role.member('User:ana').waitFor();
  await role.addMember('Group:/teams/analytics');
  await role.addAcl({ pattern: 'Prefixed', name: 'events-', operations: ['Read'] });

  const review = await new Draft(page).review();
  await page.getByText(/^Compared with c1, read /).waitFor();
  assert.equal((await review.rows()).length, 2);
  await review.apply();
  await until(async () => {
    const { body } = await ask('GET', '/v1/roles/Analysts/members');
    assert.deepEqual(body.members.map(({ principal }) => principal).sort(), ['Group:/teams/analytics', 'User:ana']);
  });
  const { resources } = (await ask('GET', '/v1/acls')).body;
  assert.deepEqual(
    resources.map(({ resource_name: name, acls }) => [name, acls[0].principal, acls[0].operation]),
    [['events-', 'RedpandaRole:Analysts', 'OPERATION_READ']],
  );
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
