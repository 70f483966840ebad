// Combined mode, tokens of a real OpenID provider (npm oidc-provider), delegation tokens, and librdkafka.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProvider } from '../../e2e/support/provider.mjs';
import { acl } from '../support/acls.mjs';
import { delegationTokenClient, makeCluster, tokenClient } from '../support/cluster.mjs';
import { startClients } from '../support/clients.mjs';
import { answers } from '../support/until.mjs';

const run = promisify(execFile);
const MAYA = 'maya.okafor';
/** The Python with librdkafka; `cargo xtask test` says where it is missing. */
const { GBAC_KAFKA_PYTHON: python } = process.env;
let provider, cluster, clients;

before(async () => {
  provider = await startProvider();
  const { jwks_uri: jwks } = await (await fetch(provider.discovery)).json();
  clients = startClients();
  cluster = await makeCluster({ issuer: provider.issuer, jwks, audience: provider.audience, nodes: ['broker,controller'] });
  await cluster.start();
  const admin = await clients.open('admin', cluster.admin);
  await admin.call('createTopics', { topics: ['orders', 'audited'] });
  const acls = [
    'allow write topic literal orders for Group:engineering',
    'allow read topic literal orders for Group:engineering',
    'allow read group literal readers for Group:engineering',
    `allow write topic literal audited for User:${MAYA}`,
  ];
  await admin.call('createAcls', { acls: acls.map(acl) });
  await admin.close();
});
after(() => Promise.all([clients?.stop(), cluster?.remove(), provider?.stop()]));

/** The file of a new token. */
async function tokenOf(person) {
  const file = cluster.tokenFile(person);
  await writeFile(file, await provider.token(person));
  return file;
}

/** Whether a client may write to a topic. */
async function writes(properties, topic) {
  const producer = await clients.open('producer', properties);
  const answer = await producer.attempt('send', { topic, value: 'hello' });
  await producer.close();
  return typeof answer === 'number' ? 'allowed' : answer;
}

test('groups in tokens of a real provider count, and so does the next token without them', async () => {
  const maya = async () => tokenClient(cluster.bootstrap, await tokenOf(MAYA));
  assert.equal(await writes(await maya(), 'orders'), 'allowed');
  provider.setGroups(MAYA, []);
  assert.equal(await writes(await maya(), 'orders'), 'TopicAuthorizationException');
  provider.setGroups(MAYA, ['engineering']);
  assert.equal(await writes(await maya(), 'orders'), 'allowed');
});

test('a delegation token of a node that is broker and controller belongs to its owner', async () => {
  const admin = await clients.open('admin', tokenClient(cluster.bootstrap, await tokenOf(MAYA)));
  const token = await admin.call('createToken', { renewers: [] });
  await answers(token.id, async () => (await admin.call('describeTokens'))[0]);
  const client = delegationTokenClient(cluster.bootstrap, token);
  assert.equal(await writes(client, 'audited'), 'allowed');
  assert.equal(await writes(client, 'orders'), 'TopicAuthorizationException');
  assert.ok((await admin.call('renewToken', { hmac: token.hmac })) > Date.now());
  await admin.call('expireToken', { hmac: token.hmac });
  await admin.close();
});

if (python) {
  test('librdkafka writes and reads what its groups allow', async () => {
    const ask = async (person) => {
      const program = fileURLToPath(new URL('librdkafka.py', import.meta.url));
      const { stdout } = await run(python, [program, cluster.bootstrap, await tokenOf(person), 'orders', 'readers']);
      return JSON.parse(stdout);
    };
    assert.deepEqual(await ask(MAYA), { write: null, read: 'librdkafka' });
    const denied = await ask('jonas.lindqvist');
    assert.equal(denied.write, 'TOPIC_AUTHORIZATION_FAILED');
    assert.match(denied.read, /^(TOPIC|GROUP)_AUTHORIZATION_FAILED$/);
  });
}
