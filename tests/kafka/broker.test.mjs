// One controller and one broker with the plugin, and Kafka's own clients with tokens: what groups and roles are allowed.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { acl } from './support/acls.mjs';
import { JAVA, PLUGIN, delegationTokenClient, java, properties, tokenClient } from './support/cluster.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const run = promisify(execFile);
const ACLS = [
  'allow write topic literal orders for Group:writers',
  'allow read topic literal orders for Group:readers',
  'allow read group prefixed readers- for Group:readers',
  'deny write topic literal orders for Group:contractors',
  'allow write transactional_id prefixed orders- for Group:writers',
  'allow create topic prefixed team-137- for Group:team-137',
  'allow write topic literal invoices for Role:Accounting',
  'allow write topic literal audited for User:alice',
  'allow write topic literal orders-once for Group:writers',
];
const roles = (...members) => ({
  version: 1,
  roles: [{ name: 'Accounting', members: members.map((principal) => ({ principal })) }],
});
let world, folder, rolesFile;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbac-roles-'));
  rolesFile = join(folder, 'roles.json');
  await writeFile(rolesFile, JSON.stringify(roles('Group:finance')));
  world = await startWorld({
    topics: ['orders', 'invoices', 'audited', 'orders-once'],
    acls: ACLS.map(acl),
    settings: {
      ...PLUGIN,
      'gbac.roles.file': rolesFile,
      'listener.name.clients.oauthbearer.connections.max.reauth.ms': 4000,
    },
  });
});
after(async () => {
  await world?.stop();
  if (folder) await rm(folder, { recursive: true });
});

const send = (client, topic, value = 'hello') => client.attempt('send', { topic, value });

test('a group may write, another may not, and a deny of a group wins', async () => {
  const [writer, reader, contractor] = await Promise.all([
    world.as('wanda', ['writers'], 'producer'),
    world.as('rosa', ['readers'], 'producer'),
    world.as('carl', ['writers', 'contractors'], 'producer'),
  ]);
  assert.equal(await send(writer, 'orders', 'first'), 0);
  assert.equal(await send(reader, 'orders'), 'TopicAuthorizationException');
  assert.equal(await send(contractor, 'orders'), 'TopicAuthorizationException');
  assert.equal(await send(writer, 'invoices'), 'TopicAuthorizationException');
  await Promise.all([writer, reader, contractor].map((client) => client.close()));
});

test('ACLs of a user still count', async () => {
  const alice = await world.as('alice', [], 'producer');
  assert.equal(await send(alice, 'audited'), 0);
  assert.equal(await send(alice, 'orders'), 'TopicAuthorizationException');
  await alice.close();
});

test('a consumer group needs its own permission', async () => {
  const consume = async (group) => {
    const consumer = await world.as('rosa', ['readers'], 'consumer', { own: { 'group.id': group } });
    const values = await consumer.attempt('poll', { topic: 'orders', count: 1 });
    await consumer.close();
    return values;
  };
  assert.deepEqual(await consume('readers-1'), ['first']);
  assert.equal(await consume('others'), 'GroupAuthorizationException');
});

test('an idempotent producer needs no permission besides that of its topic', async () => {
  const own = { 'enable.idempotence': true };
  const writer = await world.as('wanda', ['writers'], 'producer', { own });
  assert.equal(await send(writer, 'orders-once'), 0);
  const nobody = await world.as('nora', ['nobody'], 'producer', { own });
  assert.match(String(await send(nobody, 'orders-once')), /^(Topic|Cluster)AuthorizationException$/);
  await Promise.all([writer, nobody].map((client) => client.close()));
});

test('a transaction needs the permission of its ID', async () => {
  const transaction = async (groups, id) => {
    const own = { 'transactional.id': id, 'enable.idempotence': true };
    const producer = await world.as('wanda', groups, 'producer', { own });
    const begun = await producer.attempt('begin');
    if (begun === null) {
      assert.equal(typeof (await send(producer, 'orders')), 'number');
      assert.equal(await producer.attempt('commit'), null);
    }
    await producer.close();
    return begun;
  };
  assert.equal(await transaction(['writers'], 'orders-1'), null);
  assert.equal(await transaction(['writers'], 'other-1'), 'TransactionalIdAuthorizationException');
  assert.equal(await transaction(['readers'], 'orders-2'), 'TransactionalIdAuthorizationException');
});

test('a call that a broker forwards to the controller keeps 200 groups', async () => {
  const groups = (count) => Array.from({ length: count }, (_, index) => `team-${index}`);
  const all = await world.as('tina', groups(200), 'admin');
  assert.equal(await all.attempt('createTopics', { topics: ['team-137-log'] }), null);
  assert.equal(await all.attempt('createTopics', { topics: ['team-138-log'] }), 'TopicAuthorizationException');
  const fewer = await world.as('tina', groups(137), 'admin');
  assert.equal(await fewer.attempt('createTopics', { topics: ['team-137-more'] }), 'TopicAuthorizationException');
  await Promise.all([all, fewer].map((client) => client.close()));
});

test('members of a role follow its file', async () => {
  const finance = await world.as('fred', ['finance'], 'producer');
  const controlling = await world.as('cora', ['controlling'], 'producer');
  assert.equal(typeof (await send(finance, 'invoices')), 'number');
  assert.equal(await send(controlling, 'invoices'), 'TopicAuthorizationException');
  await writeFile(rolesFile, JSON.stringify(roles('Group:controlling')));
  await answers('TopicAuthorizationException', () => send(finance, 'invoices'));
  await answers('number', async () => typeof (await send(controlling, 'invoices')));
  await Promise.all([finance, controlling].map((client) => client.close()));
});

test('ACLs that an administrator adds and removes take effect', async () => {
  const late = await world.as('lara', ['late'], 'producer');
  const added = acl('allow write topic literal orders for Group:late');
  assert.equal(await send(late, 'orders'), 'TopicAuthorizationException');
  await world.admin.call('createAcls', { acls: [added] });
  await answers('number', async () => typeof (await send(late, 'orders')));
  await world.admin.call('deleteAcls', { acls: [added] });
  await answers('TopicAuthorizationException', () => send(late, 'orders'));
  await late.close();
});

test('a token with fewer groups withdraws access on the same connection', async () => {
  const file = world.cluster.tokenFile('rita');
  const own = { 'sasl.login.refresh.window.factor': 0.5, 'sasl.login.refresh.window.jitter': 0 };
  const producer = await world.as('rita', ['writers'], 'producer', { own, file, lasts: 10 });
  assert.equal(typeof (await send(producer, 'orders')), 'number');
  await world.issuer.write(file, { sub: 'rita', groups: ['nobody'] });
  const connections = await producer.call('metric', { metric: 'connection-creation-total' });
  await answers('TopicAuthorizationException', () => send(producer, 'orders'));
  assert.equal(await producer.call('metric', { metric: 'connection-creation-total' }), connections);
  assert.ok((await producer.call('metric', { metric: 'successful-reauthentication-total' })) > 0);
  assert.equal(await producer.call('metric', { metric: 'failed-reauthentication-total' }), 0);
  await producer.close();
});

test('delegation tokens belong to users with groups, and have no groups themselves', async () => {
  const open = (user, groups) => world.as(user, groups, 'admin');
  const [alice, renata, bob] = await Promise.all([open('alice', ['writers']), open('renata', ['writers']), open('bob', ['writers'])]);
  const token = await alice.call('createToken', { renewers: ['renata'] });
  const { id, hmac } = token;
  assert.equal(token.owner, 'User:alice');
  await answers(id, async () => (await alice.call('describeTokens')).join());
  assert.deepEqual(await renata.call('describeTokens'), [id]);
  assert.deepEqual(await bob.call('describeTokens'), [], 'the same groups do not make another owner');

  const client = delegationTokenClient(world.cluster.bootstrap, token);
  const holder = await world.clients.open('producer', client);
  assert.equal(typeof (await send(holder, 'audited')), 'number', 'an ACL of the user');
  assert.equal(await send(holder, 'orders'), 'TopicAuthorizationException', 'an ACL of a group');

  for (const owner of [alice, renata]) assert.ok((await owner.call('renewToken', { hmac })) > Date.now());
  for (const call of ['renewToken', 'expireToken']) {
    assert.equal(await bob.attempt(call, { hmac }), 'DelegationTokenOwnerMismatchException');
  }
  await alice.call('expireToken', { hmac });
  await answers('', async () => (await alice.call('describeTokens')).join());
  const late = await world.clients.open('producer', client);
  assert.equal(await send(late, 'audited'), 'SaslAuthenticationException');
  await Promise.all([alice, renata, bob, holder, late].map((each) => each.close()));
});

test('the example of a consumer works as printed', async () => {
  const page = await readFile(new URL('../../docs/how-to/kafka-groups.md', import.meta.url), 'utf8');
  const [, lines] = page.match(/A consumer needs to read [^`]+`engineering`[^]*?```sh\n([^]*?)```/);
  const file = world.cluster.tokenFile('erin');
  await world.issuer.write(file, { sub: 'erin', groups: ['engineering'] });
  const client = tokenClient(world.cluster.bootstrap, file);
  const tools = { 'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand', 'kafka-console-consumer.sh': 'org.apache.kafka.tools.consumer.ConsoleConsumer' };
  const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  const program = [JAVA, ...java({ urls: [client['sasl.oauthbearer.token.endpoint.url']] })].map(quote).join(' ');
  const functions = Object.entries(tools).map(([name, main]) => `${name}() { ${program} ${main} "$@"; }\n`).join('');
  const commands = lines.replaceAll('HOST:PORT', world.cluster.admin['bootstrap.servers']).replaceAll('HOST:9092', world.cluster.bootstrap);
  await writeFile(join(folder, 'admin.properties'), properties(world.cluster.admin), { mode: 0o600 });
  await writeFile(join(folder, 'client.properties'), properties(client));
  const { stdout } = await run('bash', ['-euc', functions + commands], { cwd: folder });
  assert.match(stdout, /principal=Group:engineering, host=\*, operation=READ/);
  assert.match(stdout, /^first$/m, 'the first record of the topic');
});

test('a denial is in the log, with the groups and the ACL that decides', () => {
  const lines = world.cluster.output(2).split('\n').filter((line) => line.includes('kafka.authorizer.logger'));
  const ofCarl = lines.find((line) => line.includes('carl') && line.includes('orders'));
  assert.match(ofCarl, /is Denied operation = WRITE from host = 127\.0\.0\.1 on resource = Topic:LITERAL:orders/);
  assert.match(ofCarl, /contractors/);
});
