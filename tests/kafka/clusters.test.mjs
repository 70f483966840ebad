// A service with two clusters: one is changed with its own account, and one with the token of who makes the change. Both are
// the same brokers, by two listeners.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GBAC, impersonal, launch } from '../e2e/support/launch.mjs';
import { acl } from './support/acls.mjs';
import { STANDARD, properties, tokenClient } from './support/cluster.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const PASSWORD = 'a password of tests';
const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
let world, folder, service, address;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbac-clusters-'));
  const acls = ['allow describe cluster literal kafka-cluster for User:service', 'allow alter cluster literal kafka-cluster for User:ann'];
  world = await startWorld({ acls: acls.map(acl), settings: STANDARD });
  await writeFile(file('admin.properties'), properties(world.cluster.admin), { mode: 0o600 });
  await world.issuer.write(file('service.token'), { sub: 'service' });
  await writeFile(file('token.properties'), properties(tokenClient(world.cluster.bootstrap, file('service.token'))), { mode: 0o600 });
  const clusters = { prod: [world.cluster.admin['bootstrap.servers'], 'admin'], own: [world.cluster.bootstrap, 'token'] };
  const options = [];
  for (const [name, [bootstrap, config]] of Object.entries(clusters))
    options.push('--cluster', `${name}=kafka://${bootstrap}`, '--cluster-config', `${name}=${file(`${config}.properties`)}`);
  options.push('--cluster-identity', 'own=caller');
  options.push('--oidc-discovery-url', `${world.issuer.issuer}/.well-known/openid-configuration`, '--oidc-audience', world.issuer.audience);
  service = await launch(GBAC, ['serve', '--data', file('data'), '--listen', '127.0.0.1:0', ...options], {
    ready: /listening on (\S+)/,
    env: { ...impersonal(), GBAC_ADMIN_PASSWORD: PASSWORD },
  });
  address = service.ready[1];
  for (const name of Object.keys(clusters))
    await answers(200, async () => (await fetch(`${address}/gbac/v1/clusters/${name}/readyz`)).status);
  const set = await ask('PUT', '/v1/cluster_config', BASIC, { upsert: { superusers: ['ann', 'bo'] }, remove: [] });
  assert.equal(set.status, 200, JSON.stringify(set.body));
});

after(async () => {
  await service?.stop();
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const file = (name) => join(folder, name);

async function ask(method, path, authorization, body) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json', 'if-match': '*' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
}

/** Adds an ACL to a cluster of the service. */
const add = (cluster, authorization, text) =>
  ask('POST', `/gbac/v1/clusters/${cluster}/policy/changes`, authorization, { changes: [{ change: 'add_acl', acl: acl(text) }] });

/** The credentials of a user of the issuer. */
async function bearer(user) {
  await world.issuer.write(file(user), { sub: user });
  return `Bearer ${await readFile(file(user), 'utf8')}`;
}

test('each cluster is changed as the command line says', async () => {
  const { body } = await ask('GET', '/gbac/v1/clusters', BASIC);
  assert.deepEqual(body.clusters.map(({ name, first, identity }) => [name, first, identity]), [
    ['prod', true, 'service'],
    ['own', false, 'caller'],
  ]);
  const prod = await add('prod', BASIC, 'allow read topic literal orders for User:cara');
  assert.deepEqual([prod.status, prod.body.sent_as], [200, 'service'], JSON.stringify(prod.body));
  const own = await add('own', await bearer('ann'), 'deny read topic literal pay for User:cara');
  assert.deepEqual([own.status, own.body.sent_as], [200, 'caller'], JSON.stringify(own.body));
  const { body: acls } = await ask('GET', '/gbac/v1/clusters/own/v1/acls', BASIC);
  const names = acls.resources.map(({ resource_name: name }) => name).filter((name) => name !== 'kafka-cluster');
  assert.deepEqual(names.sort(), ['orders', 'pay'], 'what prod changed is seen in own, too');
});

test('what the caller may not change is not changed as the service', async () => {
  const refused = await add('own', await bearer('bo'), 'allow read topic literal secret for User:bo');
  assert.equal(refused.status, 424, JSON.stringify(refused.body));
  assert.match(refused.body.problems[0].message, /CLUSTER_AUTHORIZATION_FAILED/);
  const password = await add('own', BASIC, 'allow read topic literal secret for User:bo');
  assert.deepEqual([password.status, password.body.code], [403, 'cluster_token_required']);
  const { body } = await ask('GET', '/v1/acls', BASIC);
  assert.doesNotMatch(JSON.stringify(body), /secret/);
});
