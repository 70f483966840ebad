// The console of a service with two Kafka clusters that do not answer: members of roles live in the service, each cluster's
// on its own.

import assert from 'node:assert/strict';
import { startCluster } from './support/cluster.mjs';
import { signIn } from './support/connection.mjs';
import { stage } from './support/journey.mjs';
import { Draft } from './support/review.mjs';
import { Roles } from './support/roles.mjs';

// No host has this name.
const AWAY = ['eu', 'dr'].flatMap((name) => ['--cluster', `${name}=kafka://${name}.invalid:9092`]);

/** The service, as journeys have one. */
async function startWithClusters() {
  const service = await startCluster({ flags: AWAY });
  const policy = async () => (await service.ask('GET', '/gbac/v1/policy')).body;
  return { ...service, policy, info: async () => ({}), stop: service.remove };
}

const { set, journey } = stage({ start: startWithClusters });
/** What Chromium logs when an answer is a refusal. */
const REFUSED = { tolerates: [/Failed to load resource/] };

journey('what is applied goes to the cluster that is open, and to no other', REFUSED, async ({ page }) => {
  const chooser = page.getByRole('button', { name: /^Cluster: / });
  const list = page.getByRole('list', { name: 'Clusters' });
  await page.goto('/security/roles?cluster=dr');
  await signIn(page, 'admin', set.service.password);
  await chooser.filter({ hasText: 'dr' }).click();
  await list.getByRole('link', { name: /^eu/ }).getByText('not reached').waitFor();
  await page.keyboard.press('Escape');
  const roles = new Roles(page);
  await roles.create('MadeInSecond');
  await new Draft(page).apply();
  const names = async (base) => {
    const { body } = await set.service.ask('GET', `${base}/v1/roles`);
    return body.roles.map(({ name }) => name);
  };
  assert.deepEqual(await names('/gbac/v1/clusters/dr'), ['MadeInSecond']);
  assert.deepEqual([await names(''), await names('/gbac/v1/clusters/eu')], [[], []]);
  await chooser.click();
  await list.getByRole('link', { name: /^eu/ }).click();
  await page.waitForURL(/cluster=eu/);
  await chooser.filter({ hasText: 'eu' }).waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await roles.row('MadeInSecond').count(), 0);
});
