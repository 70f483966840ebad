// The page of the connection as a person sees it, and the clusters that it connects to.

import assert from 'node:assert/strict';
import { text } from './fields.mjs';
import { MANAGED } from './platform.mjs';
import { until } from './until.mjs';

/** The id of the cluster behind the service. */
export const CLUSTER_ID = 'cluster-1';

/** The page, as a person sees it. */
export class Connection {
  constructor(page) {
    this.page = page;
    this.now = page.getByRole('region', { name: 'Current connection' });
    this.form = page.getByRole('form', { name: 'Connect' });
    this.user = this.form.getByRole('textbox', { name: 'User' });
    this.password = this.form.getByLabel('Password');
    this.cluster = this.form.getByRole('textbox', { name: 'Cluster ID' });
    this.token = this.form.getByRole('textbox', { name: 'Access token' });
    this.result = page.getByRole('region', { name: 'Result of the test' });
  }

  async open() {
    await this.page.goto('/connection');
    await this.now.getByText('Connected', { exact: true }).waitFor();
  }

  async choose(kind) {
    await this.form.getByRole('radio', { name: kind }).check();
  }

  async test() {
    await this.form.getByRole('button', { name: 'Test' }).click();
    await this.result.waitFor();
    return await text(this.result);
  }

  async connect() {
    await this.form.getByRole('button', { name: 'Connect' }).click();
  }

  /** Waits until the page says that it is connected to this kind of cluster. */
  async isConnected(kind) {
    await until(async () => {
      const said = await text(this.now);
      assert.match(said, kind);
      assert.match(said, /State Connected/);
    });
  }
}

/** Fills the cluster with roles that the demo does not have. */
export async function fill(cluster) {
  const { ask } = cluster;
  for (const name of ['ClusterReaders', 'ClusterWriters', 'a/b %']) {
    await ask('PUT', `/v1/roles/${encodeURIComponent(name)}`, {
      body: { create: true, add: [{ principal: `Group:of ${name}` }, { principal: 'User:ada' }] },
    });
  }
  await ask('POST', '/v1/acls', {
    body: {
      resource_type: 'RESOURCE_TYPE_TOPIC',
      resource_name: 'cluster-',
      resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
      principal: 'Role:ClusterReaders',
      host: '*',
      operation: 'OPERATION_READ',
      permission_type: 'PERMISSION_TYPE_ALLOW',
    },
  });
}

/** The form that connects to a cluster of the managed cloud, filled in. */
export async function cloudForm(page, token) {
  await page.goto('/connection');
  const form = page.getByRole('form', { name: 'Connect' });
  await form.getByRole('radio', { name: /managed cloud/ }).check();
  await form.getByRole('textbox', { name: 'Cluster ID' }).fill(MANAGED.cluster);
  await form.getByRole('textbox', { name: 'Access token' }).fill(token);
  return form;
}

/** Signs in to the cluster's own console. */
export async function signIn(page, user, password) {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('textbox', { name: 'User' }).fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
}
