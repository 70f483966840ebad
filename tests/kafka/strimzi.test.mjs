// Tokens that Strimzi's library for OAuth verifies, with its principal builder: the authorizer finds the groups in its principals.
// Denials are JSON.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acl } from './support/acls.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const BUILDER = 'io.strimzi.kafka.oauth.server.OAuthKafkaPrincipalBuilder';
const ACLS = [
  'allow write topic literal orders for Group:writers',
  'allow write topic literal open for User:*',
  'deny write topic literal open for Group:contractors',
  'allow create topic prefixed team- for Group:writers',
  'deny create topic prefixed team- for Group:contractors',
  'allow alter_configs topic prefixed orders for Group:writers',
  'deny alter_configs topic prefixed orders for Group:contractors',
];
const [CONTROLLER, BROKER] = [1, 2];
let world;

/** What verifies the tokens of a listener. Strimzi's builder needs it on each node, because it keeps what it knows there. */
const verified = (listener, { jwks, issuer }) => ({
  [`listener.name.${listener}.oauthbearer.sasl.jaas.config`]:
    'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required ' +
    `oauth.jwks.endpoint.uri="${jwks}" oauth.valid.issuer.uri="${issuer}" oauth.groups.claim="$.groups" ` +
    'oauth.check.access.token.type="false" unsecuredLoginStringClaim_sub="unused";',
  [`listener.name.${listener}.oauthbearer.sasl.server.callback.handler.class`]:
    'io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler',
});
const settings = (issuer) => ({
  'principal.builder.class': BUILDER,
  'authorizer.class.name': 'gbac.kafka.GroupAuthorizer',
  'gbac.denials.format': 'json',
  'gbac.console.url': 'https://gbac.example.com',
  ...verified('clients', issuer),
  ...verified('controller', issuer),
  'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN,OAUTHBEARER',
});

before(async () => {
  world = await startWorld({ topics: ['orders', 'open'], acls: ACLS.map(acl), settings });
});
after(() => world?.stop());

/** The denials of a user that a node has written. */
const denials = (node, user) => {
  const lines = world.cluster.output(node).split('\n').filter((line) => line.includes('kafka.authorizer.logger'));
  const all = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)));
  return all.filter(({ principal }) => principal === `User:${user}`);
};

test('a group may write, and a deny of a group wins', async () => {
  const attempt = async (user, groups, topic, claims) => {
    const producer = await world.as(user, groups, 'producer', { claims });
    const answer = await producer.attempt('send', { topic, value: 'hello' });
    await producer.close();
    return answer;
  };
  assert.equal(await attempt('wanda', ['writers'], 'orders'), 0);
  assert.equal(await attempt('rosa', ['readers'], 'orders'), 'TopicAuthorizationException');
  assert.equal(await attempt('nora', undefined, 'orders'), 'TopicAuthorizationException');
  assert.equal(await attempt('nora', undefined, 'open'), 0);
  assert.equal(await attempt('carl', ['writers', 'contractors'], 'open'), 'TopicAuthorizationException');
  // The same user with other groups: Strimzi's principals of both are equal.
  assert.equal(typeof (await attempt('carl', ['writers'], 'open')), 'number');
  const [denied] = denials(BROKER, 'carl');
  assert.equal(denied.reason, 'deny');
  assert.match(denied.acl, /^Deny Write, .*of Group:contractors$/);
  assert.deepEqual(denied.groups, ['contractors', 'writers']);
  assert.deepEqual([denied.operation, denied.resource_type, denied.resource_name, denied.api], ['write', 'topic', 'open', 'Produce']);
  assert.match(denied.console, /^https:\/\/gbac\.example\.com\/security\/simulator#check=%7B/);
  assert.deepEqual([denials(BROKER, 'rosa')[0].reason, denials(BROKER, 'nora')[0].reason], ['no_match', 'no_groups']);
});

test('requests that the broker forwards to the controller keep their groups', async () => {
  const [writer, contractor] = await Promise.all([
    world.as('wanda', ['writers'], 'admin'),
    world.as('carl', ['writers', 'contractors'], 'admin'),
  ]);
  assert.equal(await writer.attempt('createTopics', { topics: ['team-1'] }), null);
  assert.equal(await contractor.attempt('createTopics', { topics: ['team-2'] }), 'TopicAuthorizationException');
  const properties = { 'retention.ms': 3_600_000 };
  assert.equal(await writer.attempt('configure', { topic: 'orders', properties }), null);
  assert.equal(await contractor.attempt('configure', { topic: 'orders', properties }), 'TopicAuthorizationException');
  const ofController = denials(CONTROLLER, 'carl').filter(({ reason, acl: text }) => reason === 'deny' && /of Group:contractors$/.test(text));
  assert.deepEqual(ofController.map(({ operation }) => operation).sort(), ['alter_configs', 'create']);
  await Promise.all([writer, contractor].map((client) => client.close()));
});

test('a claim that is set replaces what Strimzi found', async () => {
  await world.admin.call('configure', { node: String(BROKER), properties: { 'gbac.groups.claim': '$.teams' } });
  await answers('number', async () => {
    const producer = await world.as('tina', undefined, 'producer', { claims: { teams: ['writers'] } });
    const answer = await producer.attempt('send', { topic: 'orders', value: 'hello' });
    await producer.close();
    return typeof answer;
  });
  const unreadable = await world.as('olga', ['writers'], 'producer', { claims: { teams: 7 } });
  assert.equal(await unreadable.attempt('send', { topic: 'open', value: 'hello' }), 'TopicAuthorizationException');
  assert.equal(denials(BROKER, 'olga')[0].reason, 'unreadable');
  assert.match(world.cluster.output(BROKER), /WARN .*denied because the groups of the principal are not known; the last one is of olga/);
  await unreadable.close();
});
