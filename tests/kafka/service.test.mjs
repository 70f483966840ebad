// A service whose ACLs live in a cluster: it reads them, sees what others change there, and changes them so that the cluster
// has exactly what the service has.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { GBAC, impersonal, launch } from '../e2e/support/launch.mjs';
import { acl } from './support/acls.mjs';
import { JAVA, STANDARD, java, properties } from './support/cluster.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const run = promisify(execFile);
const PASSWORD = 'a password of tests';
const OWN = 'allow read topic literal orders for User:ann';
let world, folder, service, address;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbac-cluster-'));
  world = await startWorld({ acls: [acl(OWN)], settings: STANDARD });
  await writeFile(file('admin.properties'), properties(world.cluster.admin), { mode: 0o600 });
  await start();
});

after(async () => {
  await service?.stop();
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const file = (name) => join(folder, name);

async function start() {
  const bootstrap = world.cluster.admin['bootstrap.servers'];
  const options = ['--cluster', `prod=kafka://${bootstrap}`, '--cluster-config', `prod=${file('admin.properties')}`];
  service = await launch(GBAC, ['serve', '--data', file('data'), '--listen', '127.0.0.1:0', ...options], {
    ready: /listening on (\S+)/,
    env: { ...impersonal(), GBAC_ADMIN_PASSWORD: PASSWORD },
  });
  address = service.ready[1];
  await answers(200, async () => (await fetch(`${address}/readyz`)).status);
}

async function ask(method, path, body) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/json',
      'if-match': '*',
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
}

/** The names of the topics that ACLs of the service are about. */
async function topics() {
  const { body } = await ask('GET', '/v1/acls');
  return body.resources.map(({ resource_name: name }) => name).sort().join();
}

/** What Kafka's own tool lists. */
async function listed() {
  const tool = ['org.apache.kafka.tools.AclCommand', '--bootstrap-server', world.cluster.admin['bootstrap.servers']];
  const { stdout } = await run(JAVA, [...java(), ...tool, '--command-config', file('admin.properties'), '--list']);
  return stdout;
}

test('the service has the ACLs of the cluster, and sees what others change', async () => {
  assert.equal(await topics(), 'orders');
  const { body } = await ask('GET', '/gbac/v1/service');
  assert.deepEqual([body.cluster.kind, body.cluster.group_acls], ['kafka', 'ignored']);
  const outside = acl('deny write topic prefixed pay- for Group:eng');
  await world.admin.call('createAcls', { acls: [outside] });
  await answers('orders,pay-', topics);
  await world.admin.call('deleteAcls', { acls: [outside] });
  await answers('orders', topics);
});

test('the cluster has what the service applied', async () => {
  const changes = [
    { change: 'create_role', role: 'readers' },
    { change: 'add_acl', acl: acl('allow read topic literal invoices for Role:readers') },
    { change: 'add_acl', acl: acl('deny write topic literal secret for Group:eng') },
    { change: 'remove_acl', acl: acl(OWN) },
  ];
  const applied = await ask('POST', '/gbac/v1/policy/changes', { changes });
  assert.equal(applied.status, 200, JSON.stringify(applied.body));
  const list = await listed();
  assert.match(list, /name=invoices[^]*Role:readers, host=\*, operation=READ, permissionType=ALLOW/);
  assert.match(list, /name=secret[^]*Group:eng, host=\*, operation=WRITE, permissionType=DENY/);
  assert.doesNotMatch(list, /name=orders/);
  assert.equal(await topics(), 'invoices,secret');
  const { body: events } = await ask('GET', '/gbac/v1/audit');
  const outside = JSON.stringify(events).match(/"outside [^"]*"/g) ?? [];
  assert.equal(outside.length, 3, `changes of the service are not those of others: ${outside}`);
});

test('without the cluster, the stored ACLs stay, and none is lost when it is back', async () => {
  await world.cluster.stop(2);
  await answers(503, async () => (await fetch(`${address}/readyz`)).status);
  assert.equal(await topics(), 'invoices,secret');
  const added = { change: 'add_acl', acl: acl('allow read topic literal more for User:bo') };
  const refused = await ask('POST', '/gbac/v1/policy/changes', { changes: [added] });
  assert.deepEqual([refused.status, refused.body.code], [503, 'cluster_unavailable']);
  await service.stop();
  await world.cluster.start(2);
  await start();
  assert.equal(await topics(), 'invoices,secret');
});
