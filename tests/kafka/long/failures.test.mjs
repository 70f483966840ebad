// Processes that are killed, and a source of roles that is away: what was allowed stays allowed, and nothing else is.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startService } from '../../e2e/support/service.mjs';
import { acl } from '../support/acls.mjs';
import { PLUGIN } from '../support/cluster.mjs';
import { answers } from '../support/until.mjs';
import { startWorld } from '../support/world.mjs';

const [CONTROLLER, BROKER] = [1, 2];
const AWAY_MS = 60_000;
let world, service, folder, wanda, fred, nora;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbac-roles-'));
  service = await startService();
  await service.putPolicy({
    version: 1,
    settings: { dialect: 'kafka' },
    roles: [{ name: 'Accounting', members: [{ principal: 'Group:finance' }] }],
  });
  world = await startWorld({
    topics: ['orders', 'invoices'],
    acls: ['allow write topic literal orders for Group:writers', 'allow write topic literal invoices for Role:Accounting'].map(acl),
    settings: { ...PLUGIN, 'gbac.roles.url': `${service.origin}/gbac/v1/policy`, 'gbac.roles.cache': join(folder, 'roles.json') },
  });
  wanda = await world.as('wanda', ['writers'], 'producer');
  fred = await world.as('fred', ['finance'], 'producer');
  nora = await world.as('nora', ['nobody'], 'producer');
});
after(async () => {
  await Promise.all([world?.stop(), service?.stop()]);
  if (folder) await rm(folder, { recursive: true });
});

const send = async (client, topic) => {
  const answer = await client.attempt('send', { topic, value: 'x' });
  return typeof answer === 'number' ? 'allowed' : answer;
};
const DENIED = 'TopicAuthorizationException';
const decisions = async () =>
  (await Promise.all([send(wanda, 'orders'), send(wanda, 'invoices'), send(fred, 'invoices'), send(nora, 'orders')])).join(' ');
const RIGHT = ['allowed', DENIED, 'allowed', DENIED].join(' ');

test('a broker decides as before while the controller is killed, and after it is back', async () => {
  await answers(RIGHT, decisions);
  await world.cluster.kill(CONTROLLER);
  assert.equal(await decisions(), RIGHT);
  await world.cluster.start(CONTROLLER);
  assert.equal(await decisions(), RIGHT);
  await world.admin.call('createAcls', { acls: [acl('allow write topic literal orders for Group:nobody')] });
  await answers('allowed', () => send(nora, 'orders'));
  await world.admin.call('deleteAcls', { acls: [acl('allow write topic literal orders for Group:nobody')] });
  await answers(RIGHT, decisions);
});

test('a broker that is killed decides as before when it is back', async () => {
  await world.cluster.kill(BROKER);
  await world.cluster.start(BROKER);
  await answers(RIGHT, decisions);
});

test('the service is away for a minute, and a broker starts without it', async () => {
  await service.stop();
  const end = performance.now() + AWAY_MS;
  let count = 0;
  while (performance.now() < end) {
    assert.equal(await decisions(), RIGHT);
    count += 1;
  }
  assert.ok(count > 10, `${count} rounds`);
  await world.cluster.kill(BROKER);
  await world.cluster.start(BROKER);
  await answers(RIGHT, decisions);
});

test('the service is back, and its changes are followed', async () => {
  await service.restart();
  await service.putPolicy({
    version: 1,
    settings: { dialect: 'kafka' },
    roles: [{ name: 'Accounting', members: [{ principal: 'Group:nobody' }] }],
  });
  await answers('allowed', () => send(nora, 'invoices'));
  await answers(DENIED, () => send(fred, 'invoices'));
});
