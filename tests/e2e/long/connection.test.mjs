// Which cluster the pages are about: this service, a self-managed cluster behind it, or one of the managed cloud; two real
// services, of which one is the cluster.

import assert from 'node:assert/strict';
import { CLUSTER_ID, Connection, fill } from '../support/connection.mjs';
import { refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Draft, giveReason } from '../support/review.mjs';
import { Roles } from '../support/roles.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ cluster: { flags: ['--cluster-id', CLUSTER_ID] } });
/** What Chromium logs when an answer is a refusal, or there is none. */
const REFUSED = { tolerates: [/Failed to load resource/] };

journey('a change goes to the cluster and not to the service', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A self-managed cluster');
  await connection.user.fill('admin');
  await connection.password.fill(set.cluster.password);
  await connection.connect();
  await connection.isConnected(/self-managed cluster/);

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'suffix' }).check();
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: /^Review/ }).waitFor();
  await giveReason(page);
  await page.getByRole('button', { name: /^Apply/ }).click();
  await until(async () => {
    const { body } = await set.cluster.ask('GET', '/v1/cluster_config');
    assert.equal(body.nested_group_behavior, 'suffix');
  });
  assert.equal((await set.service.policy()).settings.nested_group_behavior, 'none');
  await set.cluster.setProperties({ nested_group_behavior: 'none' });
});

journey('what a cluster does not have is said before anything is sent to it', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  await set.cluster.ask('PUT', '/gbac/v1/license', { body: { license: 'expired' } });
  try {
    const connection = new Connection(page);
    await connection.open();
    await connection.choose('A self-managed cluster');
    await connection.user.fill('admin');
    await connection.password.fill(set.cluster.password);
    assert.match(await connection.test(), /Version and features GET \/v1\/brokers .*the license has expired: roles, ACLs of roles/);
    await connection.connect();
    await connection.isConnected(/self-managed cluster/);
    const gaps = /The license has expired: roles, ACLs of roles and groups, .* cannot be created or changed/;
    await page.getByRole('heading', { name: 'What this cluster does not have' }).waitFor();
    await page.getByText(gaps).first().waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'suffix' }).check();
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByRole('heading', { name: 'What this cluster does not have' }).waitFor();
    await page.getByText(gaps).first().waitFor();
  } finally {
    await set.cluster.ask('PUT', '/gbac/v1/license', { body: { license: 'valid' } });
  }
});

journey('a cluster that goes away is said to be away, and comes back by itself', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A self-managed cluster');
  await connection.user.fill('admin');
  await connection.password.fill(set.cluster.password);
  await connection.connect();
  await connection.isConnected(/self-managed cluster/);

  await set.cluster.stop();
  await page.getByRole('button', { name: 'Refresh' }).first().click();
  await page.getByRole('heading', { name: "Can't reach the cluster" }).waitFor();
  await page.getByText(/Showing data from .* ago/).waitFor();
  await page.getByRole('link', { name: 'Roles' }).first().click();
  await new Roles(page).row('ClusterReaders').waitFor();
  await set.cluster.start();
  await page.getByRole('heading', { name: "Can't reach the cluster" }).waitFor({ state: 'detached' });
});

/** Lets the cluster take tokens of the service's demo provider, and makes one of its people a superuser. */
async function trust() {
  const { provider } = await set.service.info();
  const [person] = await set.service.people();
  const user = JSON.parse(Buffer.from(person.token.split('.')[1], 'base64url').toString()).sub;
  await set.cluster.setProperties({
    oidc_discovery_url: `${set.service.origin}${provider.discovery}`,
    oidc_token_audience: provider.audience,
    superusers: ['admin', user],
  });
  return person.token;
}

journey('a cluster of the managed cloud is reached by its id and a token', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  const token = await trust();
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A managed cloud cluster');
  await connection.cluster.fill('https://cluster');
  await connection.connect();
  await refusal(connection.cluster, /letters, digits and hyphens/);
  await refusal(connection.token, /token/);

  await connection.cluster.fill('another');
  await connection.token.fill(`Bearer ${token}`);
  assert.match(await connection.test(), /Control Plane GET \/v1\/clusters\/another Status 404: .*can't access a cluster with this ID/i);

  await connection.cluster.fill(CLUSTER_ID);
  assert.match(await connection.test(), /All APIs responded .*Roles GET \/v1\/roles 3 roles/);
  await connection.connect();
  await connection.isConnected(/managed cloud cluster/);
  const now = await text(connection.now);
  assert.match(now, /cluster-1/);
  assert.match(now, /Settings: no\. The managed cloud keeps its group mapping in the organization's SSO connection/);

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings are not available' }).waitFor();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'No audit events are available' }).waitFor();

  // The token is nowhere but in memory.
  const kept = await page.evaluate(() =>
    JSON.stringify([location.href, document.title, { ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  assert.ok(!kept.includes(token.split('.')[2]), kept);
});

journey('a kind of cluster without groups is named', REFUSED, async ({ page }) => {
  await page.route('**/gbac/v1/upstream/controlplane/v1/clusters/*', (route) =>
    route.fulfill({ json: { cluster: { name: 'dev', type: 'TYPE_SERVERLESS', dataplane_api: 'https://x.invalid' } } }),
  );
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A managed cloud cluster');
  await connection.cluster.fill(CLUSTER_ID);
  await connection.token.fill('x.y.z');
  assert.match(await connection.test(), /serverless cluster, which has no group-based access control/);
});

journey('a role that cannot be read is told and not left out in silence', REFUSED, async ({ page }) => {
  await fill(set.cluster);
  const token = await trust();
  await page.route('**/gbac/v1/upstream/clusters/*/v1/roles/ClusterWriters/members*', (route) =>
    route.fulfill({ status: 504, json: { code: 'DEADLINE_EXCEEDED', message: 'timed out', details: [] } }),
  );
  const connection = new Connection(page);
  await connection.open();
  await connection.choose('A managed cloud cluster');
  await connection.cluster.fill(CLUSTER_ID);
  await connection.token.fill(token);
  await connection.connect();
  await page.getByRole('heading', { name: '1 of 3 roles could not be read' }).waitFor();
  await page.getByText('ClusterWriters: timed out').waitFor();
  await page.getByRole('link', { name: 'Roles' }).first().click();
  await new Roles(page).row('ClusterWriters').waitFor();

  await page.unroute('**/gbac/v1/upstream/clusters/*/v1/roles/ClusterWriters/members*');
  await page.getByRole('button', { name: 'Refresh' }).last().click();
  await page.getByRole('heading', { name: /could not be read/ }).waitFor({ state: 'detached' });
});

journey('a service without credentials asks for them, says when they are wrong, and forgets them', REFUSED, async ({ page }) => {
  await page.goto(`${set.cluster.origin}/security/roles`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('textbox', { name: 'User' }).fill('admin');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The user name admin or the password is wrong').first().waitFor();
  // Focus goes on where there is something to do: the password, and then the page.
  const password = page.getByLabel('Password');
  await until(async () => assert.ok(await password.evaluate((field) => field === document.activeElement)));
  await password.fill(set.cluster.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
  await until(async () => assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Roles'));

  await page.getByRole('link', { name: /^Connection/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await until(async () => assert.match(await text(page.getByRole('region', { name: 'Current connection' })), /Not signed in/));
});

journey('a sign-in that expired before the draft is applied keeps the draft', REFUSED, async ({ page }) => {
  await page.goto(`${set.cluster.origin}/security/roles`);
  await page.getByRole('textbox', { name: 'User' }).fill('admin');
  await page.getByLabel('Password').fill(set.cluster.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const roles = new Roles(page);
  await roles.create('Expiring');
  const review = await new Draft(page).review();
  await review.people();

  const body = JSON.stringify({ code: 'unauthenticated', message: 'authentication required' });
  await page.route('**/gbac/v1/**', (route) => route.fulfill({ status: 401, contentType: 'application/json', body }));
  await review.button.click();
  await page.getByRole('heading', { name: 'Your session expired' }).waitFor();
  assert.match(await text(page.getByRole('main')), /you return to Review\. Your draft of 1 change is kept in this tab\./);
  assert.doesNotMatch(await text(page.getByRole('main')), /Can't reach the service/);
  await page.unroute('**/gbac/v1/**');

  assert.equal(await page.getByRole('textbox', { name: 'User' }).inputValue(), 'admin');
  const password = page.getByLabel('Password');
  await until(async () => assert.ok(await password.evaluate((field) => field === document.activeElement)));
  await password.fill(set.cluster.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
  await page.locator('#h-outcome').waitFor({ state: 'detached' });
  assert.deepEqual(await review.rows(), ['+ Create Role']);
  await review.apply();
});
