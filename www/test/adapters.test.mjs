// Tests the adapters with the real libraries: Fastify, KafkaJS's own clients, React and Vue. Express itself is in homes/; here its
// guard runs in a server of Node, whose requests and responses Express extends.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as http from 'node:http';
import { createServer } from 'node:net';
import { guard as expressGuard } from 'gbac-engine/express';
import { guard } from 'gbac-engine/fastify';
import { guarded } from 'gbac-engine/fetch';
import { guardAdmin, guardConsumer, guardProducer, NotAllowed } from 'gbac-engine/kafkajs';
import * as reactAdapter from 'gbac-engine/react';
import { identities, identityOf, KeysUnavailable, remoteKeys } from 'gbac-engine/identities';
import { acls, EngineError, Policy, verifier } from 'gbac-engine/verify';
import * as vueAdapter from 'gbac-engine/vue';
import Fastify from 'fastify';
import { Window } from 'happy-dom';
import kafkajs from 'kafkajs';
import { AUDIENCE, ISSUER, provider } from './tokens.mjs';

const rules = acls([
  { allow: ['read', 'write'], topic: 'analytics-*', to: 'Group:engineering' },
  { allow: 'read', group: 'billing', to: 'Group:engineering' },
  { allow: 'describe', group: 'billing-*', to: 'Group:engineering' },
  { allow: 'create', topic: 'analytics-*', to: 'Group:engineering' },
]);
const idp = provider();
const policy = await Policy.load({ version: 1, acls: rules });
const keys = await verifier(idp.jwks, { issuer: ISSUER, audience: AUDIENCE });
const token = idp.token({ sub: 'alice', groups: ['engineering'] });
const alice = policy.open(keys.verify(token));

test('Fastify', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const identify = identities({ policy, verify: async (token, now) => keys.verify(token, { now }) });
  app.decorateRequest('identity', null);
  const onRequest = guard({ identify, requires: (request) => ({ operation: 'read', resource_type: 'topic', resource_name: request.params.name }) });
  app.get('/topics/:name', { onRequest }, async (request) => ({ user: request.identity.user }));
  const ask = async (name, authorization) => {
    const { statusCode, headers, body } = await app.inject({ url: `/topics/${name}`, headers: authorization ? { authorization } : {} });
    return [statusCode, headers['www-authenticate'], JSON.parse(body)];
  };
  assert.deepEqual(await ask('analytics-a', `Bearer ${token}`), [200, undefined, { user: 'alice' }]);
  assert.deepEqual(await ask('orders', `Bearer ${token}`), [403, 'Bearer error="insufficient_scope"', { error: 'not allowed' }]);
  assert.deepEqual(await ask('analytics-a'), [401, 'Bearer', { error: 'authentication required' }]);
  assert.match((await ask('analytics-a', `Bearer ${token}x`))[1], /invalid_token/);
  const broken = Fastify();
  t.after(() => broken.close());
  broken.get('/', { onRequest: guard({ identify: async () => { throw new Error('no keys'); }, requires: () => ({ operation: 'read', resource_type: 'topic', resource_name: 'x' }) }) }, async () => 'in');
  assert.equal((await broken.inject({ url: '/', headers: { authorization: 'Bearer x' } })).statusCode, 500, 'a fault of the server allows nothing');
});

test('keys that cannot be fetched or used are a 503, and a token after the pause tries again', async (t) => {
  const responses = [new Response('', { status: 500 }), new Response('<html>'), Response.json({ keys: [] }), Response.json(idp.jwks)];
  let now = Date.now() / 1000;
  const verify = remoteKeys({ url: 'https://idp.example.com/jwks', issuer: ISSUER, audience: AUDIENCE, clock: () => now, fetch: async () => {
    const response = responses.shift();
    if (response === undefined) throw new TypeError('fetch failed');
    return response;
  } });
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest('identity', null);
  const onRequest = guard({ identify: identities({ policy, verify }), requires: () => ({ operation: 'read', resource_type: 'topic', resource_name: 'analytics-a' }) });
  app.get('/', { onRequest }, async () => 'in');
  const statuses = [];
  const ask = async () => statuses.push((await app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } })).statusCode);
  for (; responses.length > 0; now += 5) await ask();
  assert.deepEqual(statuses, [503, 503, 503, 200]);
  const unreachable = remoteKeys({ url: 'https://idp.example.com/jwks', issuer: ISSUER, audience: AUDIENCE, fetch: async () => { throw new TypeError('fetch failed'); } });
  await assert.rejects(unreachable(token, 0), (error) => error instanceof KeysUnavailable && error.cause.message === 'fetch failed' && !error.message.includes('fetch failed'));
});

test('a denied request is explained, and a replaced policy is used from the next request on', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest('identity', null);
  let current = policy;
  const reasons = [];
  const identify = identities({ policy: () => current, verify: async (token, now) => keys.verify(token, { now }) });
  const onRequest = guard({
    identify, requires: (request) => ({ operation: 'read', resource_type: 'topic', resource_name: request.params.name }),
    onDenied: (identity, request) => reasons.push([identity.user, request.resource_name, request.host, identity.explain(request).reason]),
  });
  app.get('/topics/:name', { onRequest }, async () => 'in');
  const status = async (name) => (await app.inject({ url: `/topics/${name}`, headers: { authorization: `Bearer ${token}` } })).statusCode;
  assert.equal(await status('orders'), 403);
  assert.equal(await status('analytics-a'), 200);
  assert.deepEqual(reasons, [['alice', 'orders', '127.0.0.1', 'no_match']]);
  current = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders', to: 'User:alice' }]) });
  assert.equal(await status('orders'), 200);
  assert.equal(await status('analytics-a'), 403);
});

test('the body of a 403 is what `deniedBody` returns', async (t) => {
  const identify = identities({ policy, verify: keys });
  const requires = (request) => ({ operation: 'read', resource_type: 'topic', resource_name: new URL(request.url, 'http://localhost').pathname.slice(1) });
  const bodies = { text: (identity, { resource_name: name }) => `${identity.user} can't read ${name}`, object: (identity, request) => ({ reason: identity.explain(request).reason }) };
  const headers = { authorization: `Bearer ${token}` };
  for (const [kind, deniedBody] of Object.entries({ ...bodies, none: undefined })) {
    const app = Fastify();
    t.after(() => app.close());
    app.decorateRequest('identity', null);
    app.get('/:name', { onRequest: guard({ identify, requires, deniedBody }) }, async (request) => identityOf(request).user);
    const fastify = async (name) => { const { statusCode: status, body } = await app.inject({ url: `/${name}`, headers }); return { status, body }; };
    const middleware = expressGuard({ identify, requires, deniedBody });
    const server = http.createServer((request, response) => middleware(request, response, () => response.end(identityOf(request).user)));
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    t.after(() => { server.close(); server.closeAllConnections(); });
    const origin = `http://127.0.0.1:${server.address().port}`;
    const fetched = guarded((_, identity) => new Response(identity.user), { identify, requires, deniedBody });
    const inExpress = async (name) => { const response = await fetch(`${origin}/${name}`, { headers }); return { status: response.status, body: await response.text() }; };
    const inFetch = async (name) => { const response = await fetched(new Request(`https://api.example.com/${name}`, { headers })); return { status: response.status, body: await response.text() }; };
    const expected = { text: ["alice can't read orders"], object: ['{"reason":"no_match"}'], none: ['{"error":"not allowed"}', 'not allowed', ''] }[kind];
    for (const [place, ask] of [fastify, inExpress, inFetch].entries()) {
      assert.deepEqual(await ask('orders'), { status: 403, body: expected[place] ?? expected[0] }, kind);
      assert.deepEqual(await ask('analytics-a'), { status: 200, body: 'alice' });
    }
  }
});

test('a verifier, or a function that returns verified claims at once, verifies tokens; anything else is refused at the start', async () => {
  for (const verify of [keys, (token, now) => keys.verify(token, { now }), async (token, now) => keys.verify(token, { now })]) {
    assert.equal((await identities({ policy, verify })(token)).user, 'alice');
    await assert.rejects(identities({ policy, verify })(`${token}x`), (error) => error instanceof EngineError);
  }
  for (const verify of [undefined, null, {}, 'https://idp.example.com/jwks.json']) {
    assert.throws(() => identities({ policy, verify }), (error) => error.code === 'wrong_type' && /`verify`/.test(error.message));
  }
  assert.throws(() => identities({ policy: {}, verify: keys }), (error) => error.code === 'wrong_type' && /`policy`/.test(error.message));
});

test('a request that no guard has passed has no identity', () => {
  for (const request of [{}, { identity: null }, { identity: { user: 'alice' } }]) {
    assert.throws(() => identityOf(request), (error) => error.code === 'not_verified' && /guard/.test(error.message));
  }
});

test('a missing address of the keys is an error at the start of the program', () => {
  assert.throws(() => remoteKeys({ url: undefined, issuer: ISSUER, audience: AUDIENCE }), (error) => error.code === 'wrong_type' && /address of the keys/.test(error.message));
});

/** A server for a port without a listener. */
const closed = createServer();
await new Promise((listening) => closed.listen(0, '127.0.0.1', listening));
const nowhere = `127.0.0.1:${closed.address().port}`;
await new Promise((done) => closed.close(done));

/**
 * Real KafkaJS clients for a broker that does not exist: refused calls fail before anything is sent, others when connecting.
 */
function kafka() {
  const client = new kafkajs.Kafka({ brokers: [nowhere], logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 0 }, connectionTimeout: 200 });
  return client;
}
const denied = (pattern) => (error) => error instanceof NotAllowed && pattern.test(error.message);
/** Whether an error shows that the call was allowed and sent. */
const sent = (error) => error.name.startsWith('KafkaJS');

test('the producer of KafkaJS', async () => {
  const producer = guardProducer(kafka().producer({ allowAutoTopicCreation: false }), alice);
  const messages = [{ value: 'x' }];
  await assert.rejects(producer.send({ topic: 'orders', messages }), denied(/OPERATION_WRITE on orders/));
  await assert.rejects(producer.send({ topic: 'analytics-a', messages }), sent);
  await assert.rejects(producer.sendBatch({ topicMessages: [{ topic: 'analytics-a', messages }, { topic: 'orders', messages }] }), denied(/orders/));
  assert.equal(typeof producer.events.CONNECT, 'string', 'all else is the producer itself');
  assert.throws(() => guardProducer(kafka().producer(), policy.open({ user: 'alice', groups: ['engineering'] })), /verified/);
});

test('the consumer of KafkaJS', async () => {
  const consumer = guardConsumer(kafka().consumer({ groupId: 'billing' }), alice, { groupId: 'billing' });
  await assert.rejects(consumer.subscribe({ topics: ['analytics-a', 'orders'] }), denied(/OPERATION_READ on orders/));
  await assert.rejects(consumer.subscribe({ topics: [/analytics-.*/] }), /by name/);
  await assert.rejects(consumer.subscribe({ topic: 'analytics-a' }), sent);
  const other = guardConsumer(kafka().consumer({ groupId: 'payroll' }), alice, { groupId: 'payroll' });
  await assert.rejects(other.subscribe({ topic: 'analytics-a' }), denied(/OPERATION_READ on payroll/));
  await assert.rejects(consumer.commitOffsets([{ topic: 'orders', partition: 0, offset: '1' }]), denied(/orders/));
  // A real consumer needs a broker, so this stand-in delivers the given messages through the guard.
  const handled = [];
  const stub = { async run({ eachMessage, eachBatch }) { await eachMessage?.({ topic: this.topic }); await eachBatch?.({ batch: { topic: this.topic } }); }, topic: 'analytics-a' };
  await guardConsumer(stub, alice, { groupId: 'billing' }).run({ eachMessage: async ({ topic }) => { handled.push(topic); } });
  await guardConsumer(stub, alice, { groupId: 'billing' }).run({ eachBatch: async ({ batch }) => { handled.push(batch.topic); } });
  stub.topic = 'orders';
  await assert.rejects(guardConsumer(stub, alice, { groupId: 'billing' }).run({ eachMessage: async ({ topic }) => { handled.push(topic); } }), NotAllowed);
  assert.deepEqual(handled, ['analytics-a', 'analytics-a']);
});

test('the admin client of KafkaJS', async () => {
  const admin = guardAdmin(kafka().admin(), alice);
  await assert.rejects(admin.createTopics({ topics: [{ topic: 'orders' }] }), denied(/OPERATION_CREATE on orders/));
  await assert.rejects(admin.createTopics({ topics: [{ topic: 'analytics-a' }] }), sent);
  await assert.rejects(admin.deleteTopics({ topics: ['analytics-a'] }), denied(/OPERATION_DELETE/));
  await assert.rejects(admin.createAcls({ acl: [] }), denied(/OPERATION_ALTER/));
  await assert.rejects(admin.describeCluster(), /OPERATION_DESCRIBE/);
  await assert.rejects(admin.alterConfigs({ resources: [{ type: 4, name: '1', configEntries: [] }] }), denied(/OPERATION_ALTER_CONFIGS/));
  await assert.rejects(admin.fetchOffsets({ groupId: 'payroll', topics: ['analytics-a'] }), denied(/payroll/));
  // Every method of the real client is guarded, allowed because it sends nothing, or refused.
  const methods = Object.keys(kafka().admin()).filter((name) => typeof kafka().admin()[name] === 'function');
  assert.ok(methods.length > 20);
  const stub = { ...Object.fromEntries(methods.map((name) => [name, async () => ({ groups: [{ groupId: 'billing-1' }, { groupId: 'payroll' }], topics: [{ name: 'analytics-a' }, { name: 'orders' }] })])), async listTopics() { return ['analytics-a', 'orders']; }, async dropEverything() { return 'done'; } };
  const unprivileged = guardAdmin(stub, policy.open(keys.verify(idp.token({ sub: 'nobody', groups: [] }))));
  const given = { topics: ['x'], topicPartitions: [{ topic: 'x' }], topic: 'x', groupId: 'x', resources: [{ type: 2, name: 'x' }] };
  const arguments_ = { createTopics: { topics: [{ topic: 'x' }] }, fetchTopicOffsets: 'x', fetchTopicOffsetsByTimestamp: 'x', describeGroups: ['x'], deleteGroups: ['x'] };
  for (const name of methods) {
    if (['connect', 'disconnect', 'on', 'logger', 'listTopics', 'listGroups'].includes(name)) continue;
    await assert.rejects(async () => unprivileged[name](arguments_[name] ?? given), /not allowed/, name);
  }
  await assert.rejects(async () => unprivileged.dropEverything(), /refused/);
  const guarded = guardAdmin(stub, alice);
  assert.deepEqual(await guarded.listTopics(), ['analytics-a']);
  assert.deepEqual((await guarded.listGroups()).groups, [{ groupId: 'billing-1' }]);
  assert.deepEqual((await guarded.fetchTopicMetadata()).topics, [{ name: 'analytics-a' }]);
  assert.deepEqual(await unprivileged.listTopics(), []);
});

const WRITE = { resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'orders', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', principal: 'User:alice', host: '*', operation: 'OPERATION_WRITE', permission_type: 'PERMISSION_TYPE_ALLOW' };

test('React renders again when the policy changes, and when the identity expires', async (t) => {
  const window = new Window();
  for (const name of ['window', 'document', 'navigator', 'HTMLElement', 'HTMLIFrameElement']) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value: name === 'window' ? window : window[name], configurable: true, writable: true });
    t.after(() => (before === undefined ? delete globalThis[name] : Object.defineProperty(globalThis, name, before)));
  }
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const { act, createElement } = await import('react');
  const { createRoot } = await import('react-dom/client');
  const { renderToString } = await import('react-dom/server');
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  const now = Math.floor(Date.now() / 1000);
  const policy = await Policy.load({ version: 1 });
  const identity = policy.open({ claims: { sub: 'alice', exp: now + 60 } });
  const Button = () => createElement('p', null, reactAdapter.useCan(policy, identity, 'write', 'topic', 'orders') ? 'write' : 'read only');
  const root = createRoot(window.document.body);
  const text = () => window.document.body.textContent;
  await act(async () => root.render(createElement(Button)));
  assert.equal(text(), 'read only');
  await act(async () => { policy.apply({ change: 'add_acl', acl: WRITE }); });
  assert.equal(text(), 'write');
  assert.match(renderToString(createElement(Button)), /write/);
  await act(async () => t.mock.timers.tick(61_000));
  assert.equal(text(), 'read only');
  await act(async () => root.unmount());
  policy.apply({ change: 'remove_acl', acl: WRITE });
});

test('Vue computes again when the policy changes; policies and identities in `reactive` keep working', async () => {
  const { effectScope, isReactive, reactive, ref, watchEffect } = await import('vue');
  const policy = await Policy.load({ version: 1 });
  const alice = policy.open({ user: 'alice' });
  const state = reactive({ policy, identity: alice, resource: policy.resource('topic', 'orders'), keys, claims: keys.verify(token), name: 'orders' });
  assert.equal(state.identity.can('write', 'topic', 'orders'), false);
  assert.equal(state.identity.can('write', state.resource), false);
  assert.equal(state.claims.claims.sub, 'alice');
  assert.deepEqual([state.policy, state.identity, state.resource, state.keys, state.claims].map(isReactive), Array(5).fill(false));
  assert.equal(ref(policy).value.export().version, 1);
  const scope = effectScope();
  const seen = [];
  scope.run(() => {
    const mayWrite = vueAdapter.useCan(policy, () => state.identity, 'write', 'topic', () => state.name);
    watchEffect(() => { seen.push(mayWrite.value); }, { flush: 'sync' });
  });
  policy.apply({ change: 'add_acl', acl: WRITE });
  state.name = 'payments';
  state.name = 'orders';
  assert.deepEqual(seen, [false, true, false, true]);
  scope.stop();
  policy.apply({ change: 'remove_acl', acl: WRITE });
  assert.deepEqual(seen, [false, true, false, true], 'nothing is computed once the scope has ended');
});
