// What would give a connection no groups: another principal builder on a listener, and tokens whose groups cannot be read.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acl } from './support/acls.mjs';
import { PLUGIN } from './support/cluster.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const KAFKAS = 'org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder';
const BROKER = 2;
let world;

before(async () => {
  world = await startWorld({
    topics: ['orders'],
    acls: ['allow write topic literal orders for User:*', 'deny write topic literal orders for Group:contractors'].map(acl),
    settings: { ...PLUGIN, 'listener.name.clients.oauthbearer.connections.max.reauth.ms': 4000 },
  });
});
after(() => world?.stop());

const send = (client) => client.attempt('send', { topic: 'orders', value: 'hello' });
const lines = (pattern) => world.cluster.output(BROKER).split('\n').filter((line) => pattern.test(line));

/** A producer with these claims is never answered, and the broker says why. */
async function isRefused(user, claims, why) {
  const producer = await world.as(user, ['contractors'], 'producer', { claims });
  const answer = send(producer);
  const refusal = new RegExp(`The connection of ${user} is refused: .*${why}`);
  await Promise.race([
    answers(true, async () => lines(refusal).length > 0),
    answer.then((early) => assert.equal(typeof early, 'string', `a record was written at ${early}`)),
  ]);
  await producer.close();
  assert.notEqual(typeof (await answer), 'number');
  assert.ok(lines(refusal).length > 0, world.cluster.output(BROKER));
}

test('a token that Kafka accepts and nobody can read fully is refused', async () => {
  const contractor = await world.as('carl', ['contractors'], 'producer');
  assert.equal(await send(contractor), 'TopicAuthorizationException');
  await contractor.close();
  // Kafka reads half of a character as text, and JSON does not have it.
  await isRefused('lone', { name: '\ud800' }, 'is not a JSON web token');
});

test('groups of the wrong type and an overage are refused, and a token without the claim is not', async () => {
  await isRefused('otto', { groups: { contractors: true } }, 'gbac.groups.unreadable is `refuse`: claim_wrong_type');
  await isRefused('olga', { groups: undefined, hasgroups: true }, 'gbac.groups.unreadable is `refuse`: .*group_overage');
  const none = await world.as('nora', undefined, 'producer');
  assert.equal(typeof (await send(none)), 'number');
  await none.close();
});

test('an open connection ends with a token whose groups cannot be read', async () => {
  const file = world.cluster.tokenFile('rita');
  const own = { 'sasl.login.refresh.window.factor': 0.5, 'sasl.login.refresh.window.jitter': 0 };
  const producer = await world.as('rita', ['writers'], 'producer', { own, file, lasts: 10 });
  assert.equal(typeof (await send(producer)), 'number');
  await world.issuer.write(file, { sub: 'rita', groups: 7 });
  await answers('SaslAuthenticationException', () => send(producer));
  await producer.close();
});

test('many ACLs of roles without a source are few lines of the log', async () => {
  const acls = Array.from({ length: 50 }, (_, index) => acl(`allow read topic literal t-${index} for Role:Readers`));
  await world.admin.call('createAcls', { acls });
  await answers(true, async () => lines(/WARN There are ACLs of roles/).length > 0);
  assert.ok(lines(/WARN There are ACLs of roles/).length < 25, 'one a minute');
});

test('a node with another principal builder on one listener does not start', async () => {
  for (const [node, listener] of [[BROKER, 'clients'], [BROKER, 'brokers'], [1, 'controller']]) {
    const property = `listener.name.${listener}.principal.builder.class`;
    world.cluster.set(node, { ...PLUGIN, [property]: KAFKAS });
    await world.cluster.stop(node);
    await assert.rejects(world.cluster.start(node), new RegExp(`${property} is \`${KAFKAS}\`.*denies of groups would have no effect`));
    world.cluster.set(node, PLUGIN);
    await world.cluster.start(node);
  }
});

// The last test, because Kafka does not remove a listener from a node while it runs.
test('no listener can get another principal builder while a node runs', async () => {
  const configure = (properties) => world.admin.attempt('configure', { node: String(BROKER), properties });
  const { listeners, protocols } = world.cluster.listeners(BROKER);
  const later = { listeners: `${listeners},LATER://127.0.0.1:0`, 'listener.security.protocol.map': `${protocols},LATER:PLAINTEXT` };
  const ofLater = { 'listener.name.later.principal.builder.class': KAFKAS };
  for (const properties of [
    { 'principal.builder.class': KAFKAS },
    { 'listener.name.clients.principal.builder.class': KAFKAS },
    { 'listener.name.brokers.principal.builder.class': KAFKAS },
    { ...later, ...ofLater },
  ]) {
    assert.equal(await configure(properties), 'InvalidRequestException', JSON.stringify(properties));
  }
  assert.equal(await configure(later), null, 'a listener that is added has the builder of the node');
  await answers('InvalidRequestException', () => configure(ofLater));
});
