// The console connected to another cluster: a self-managed one, and one of the managed cloud.

import assert from 'node:assert/strict';
import { CLUSTER_ID, Connection, cloudForm, fill } from './support/connection.mjs';
import { refusal, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { MANAGED } from './support/platform.mjs';
import { Draft } from './support/review.mjs';
import { Role, Roles } from './support/roles.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage({ cluster: { flags: ['--cluster-id', CLUSTER_ID] } });
/** What Chromium logs when an answer is a refusal, or there is none. */
const REFUSED = { tolerates: [/Failed to load resource/] };
const managed = stage({ platform: ['--managed'] });

journey('a self-managed cluster is tested, connected to, and left again', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A self-managed cluster');

  // Nothing is sent while something is missing; the first field that is gets focus.
  await connection.user.fill('');
  await connection.connect();
  await refusal(connection.user, /superuser/);
  await refusal(connection.password, /password/);
  assert.ok(await connection.user.evaluate((field) => field === document.activeElement));

  await connection.user.fill('admin');
  await connection.password.fill('wrong');
  const refused = await connection.test();
  assert.match(refused, /3 of 3 requests failed/);
  assert.match(refused, /Cluster properties GET \/v1\/cluster_config Status 401: .*The user name or password is wrong\./);

  await connection.password.fill(set.cluster.password);
  const found = await connection.test();
  assert.match(found, /All APIs responded/);
  assert.match(found, /Roles POST \/service\.core\.admin\.v2\.SecurityService\/ListRoles 3 roles/);
  assert.match(found, /ACLs GET \/v1\/acls 1 ACL/);
  // A test changes nothing.
  await connection.isConnected(/this service/);

  await connection.connect();
  await connection.isConnected(/self-managed cluster/);
  assert.equal(await connection.password.inputValue(), '', 'the password is not kept in the field');
  const now = await text(connection.now);
  assert.match(now, /3 roles, 1 ACL/);
  assert.match(now, /Signed in as admin/);
  assert.match(now, /Audit events: no\. A cluster writes its audit events to a topic/);

  // Every page is about the cluster now.
  await page.getByRole('link', { name: 'Roles' }).first().click();
  const roles = new Roles(page);
  await roles.row('ClusterReaders').waitFor();
  await roles.row('a/b %').waitFor();
  assert.equal(await roles.row('PaymentsWriters').count(), 0);
  await page.getByText('These pages show a self-managed cluster').waitFor();

  // Nothing of it outlives the tab.
  await page.reload();
  await roles.row('PaymentsWriters').waitFor();
  assert.equal(await roles.row('ClusterReaders').count(), 0);
});

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
