// Properties that change while the nodes run, with sources of roles that are slow, gone and damaged: the cluster answers, a deny
// counts, and the nodes end when they are asked to. 20 changes, and 500 with --long.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { acl } from './support/acls.mjs';
import { PLUGIN } from './support/cluster.mjs';
import { startSource } from './support/source.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const CHANGES = process.env.GBAC_CASES ? 500 : 20;
const [CONTROLLER, BROKER] = [1, 2];
const REFUSED = 'InvalidRequestException';
const DENIED = 'TopicAuthorizationException';
/** As many members as a large company's role has. */
const OTHERS = Array.from({ length: 2_000 }, (_, index) => `User:employee-${index}`);
const roles = (...members) => ({
  version: 1,
  roles: [
    { name: 'Accounting', members: [...members, ...OTHERS].map((principal) => ({ principal })) },
    { name: 'Blocked', members: [{ principal: 'Group:blocked' }] },
  ],
});
const NONE = {
  'gbac.roles.file': null,
  'gbac.roles.url': null,
  'gbac.roles.token.file': null,
  'gbac.roles.cache': null,
  'gbac.roles.max.age': null,
};
let world, source, gone, folder, finance, controlling, blocked, wanda;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbac-roles-'));
  source = await startSource(roles('Group:finance', 'Group:controlling'));
  const closed = await startSource(roles());
  await closed.stop();
  gone = closed.url('gone');
  await writeFile(file('finance'), JSON.stringify(roles('Group:finance')));
  await writeFile(file('controlling'), JSON.stringify(roles('Group:controlling')));
  await writeFile(file('damaged'), '{"version": 1, "roles": [{');
  await writeFile(file('no-roles'), '{"version": 1}');
  await writeFile(file('token'), 'secret');
  world = await startWorld({
    topics: ['invoices', 'open'],
    acls: [
      'allow write topic literal invoices for Role:Accounting',
      'allow write topic literal open for User:*',
      'deny write topic literal open for Role:Blocked',
      'allow write topic prefixed round- for User:wanda',
      'allow create topic prefixed round- for User:wanda',
    ].map(acl),
    settings: PLUGIN,
  });
  [finance, controlling, blocked, wanda] = await Promise.all([
    world.as('fred', ['finance'], 'producer'),
    world.as('cora', ['controlling'], 'producer'),
    world.as('bert', ['blocked'], 'producer'),
    world.as('wanda', ['nobody'], 'producer'),
  ]);
});
after(async () => {
  await Promise.all([world?.stop(), source?.stop()]);
  if (folder) await rm(folder, { recursive: true });
});

const file = (name) => join(folder, `${name}.json`);
const send = async (client, topic) => {
  const answer = await client.attempt('send', { topic, value: 'x' });
  return typeof answer === 'number' ? 'allowed' : answer;
};
/** Sets properties of both nodes. */
const set = (properties) => world.admin.attempt('configure', { properties });
const follow = (properties) => set({ ...NONE, ...properties });
/** Waits until these may write invoices, and nobody else. */
const accounting = async (...members) => {
  for (const client of [finance, controlling]) {
    await answers(members.includes(client) ? 'allowed' : DENIED, () => send(client, 'invoices'));
  }
};

/** What changes, and what follows: each is called with the number of the change. */
const KINDS = [
  async () => {
    assert.equal(await follow({ 'gbac.roles.file': file('finance') }), null);
    await accounting(finance);
  },
  async () => {
    assert.equal(await follow({ 'gbac.roles.file': file('controlling') }), null);
    await accounting(controlling);
  },
  async () => {
    const own = { 'gbac.roles.token.file': file('token'), 'gbac.roles.cache': file('cache') };
    assert.equal(await follow({ 'gbac.roles.url': source.url('good'), ...own }), null);
    await accounting(finance, controlling);
  },
  // The change is not over: the next one comes while it is made.
  async () => assert.equal(await follow({ 'gbac.roles.file': file('controlling') }), null),
  async () => assert.equal(await follow({ 'gbac.roles.file': file('finance') }), null),
  async (round) => {
    const name = `once-${round}`;
    await accounting(finance);
    assert.equal(await follow({ 'gbac.roles.url': source.url(name), 'gbac.roles.max.age': 3600 }), null);
    await answers(true, () => source.asked(name) > 1);
    assert.equal(await send(finance, 'invoices'), 'allowed', 'the members stay while the service is silent');
    assert.equal(await send(controlling, 'invoices'), DENIED);
  },
  async () => {
    for (const name of ['missing', 'damaged', 'no-roles']) {
      assert.equal(await follow({ 'gbac.roles.file': file(name) }), REFUSED, name);
    }
    for (const url of [source.url('damaged'), gone]) {
      assert.equal(await follow({ 'gbac.roles.url': url }), REFUSED, url);
    }
  },
  async () => {
    assert.equal(await follow({ 'gbac.roles.url': source.url('silent') }), REFUSED);
    assert.equal(await send(finance, 'invoices'), 'allowed');
  },
  async (round) => {
    assert.equal(await set({ 'gbac.groups.claim': '$.teams', 'gbac.groups.nested': 'suffix' }), null);
    await answers('allowed', async () => {
      const client = await world.as(`tom-${round}`, [], 'producer', { claims: { teams: ['all/finance'] } });
      const answer = await send(client, 'invoices');
      await client.close();
      return answer;
    });
    assert.equal(await set({ 'gbac.groups.claim': null, 'gbac.groups.nested': null }), null);
  },
  async () => {
    assert.equal(await follow({}), null);
    await accounting();
  },
];

/** A topic is created and listed, and a deny of it counts. */
async function everythingWorks(topic) {
  await world.admin.call('createTopics', { topics: [topic] });
  await answers(true, async () => (await world.admin.call('listTopics')).includes(topic));
  await answers('allowed', () => send(wanda, topic));
  await world.admin.call('createAcls', { acls: [acl(`deny write topic literal ${topic} for User:wanda`)] });
  await answers(DENIED, () => send(wanda, topic));
}

test('the cluster answers and a deny counts while properties change', async () => {
  for (let round = 0; round < CHANGES; round++) {
    try {
      await KINDS[round % KINDS.length](round);
      await everythingWorks(`round-${round}`);
    } catch (error) {
      error.message += `\nin round ${round}; the broker said: ${world.cluster.output(BROKER).slice(-20_000)}`;
      throw error;
    }
  }
});

test('the log of each node says what is set', async () => {
  const own = { 'gbac.roles.token.file': file('token'), 'gbac.roles.cache': file('cache'), 'gbac.roles.max.age': 3600 };
  assert.equal(await follow({ 'gbac.roles.url': source.url('good'), ...own }), null);
  const line = ['Changed: gbac.groups.claim=$.groups, gbac.groups.nested=none, gbac.groups.unreadable=refuse, gbac.groups.missing=none', `roles from ${source.url('good')}`,
    ...Object.entries(own).map(([name, value]) => `${name}=${value}`)].join(', ');
  for (const node of [CONTROLLER, BROKER]) await answers(true, () => world.cluster.output(node).includes(line));
});

test('a controller allows administrators only while a source that was set before its start is away', async () => {
  assert.equal(await follow({ 'gbac.roles.file': file('finance') }), null);
  await accounting(finance);
  await rm(file('finance'));
  await world.cluster.stop(CONTROLLER);
  await world.cluster.start(CONTROLLER);
  const client = await world.as('wanda', ['nobody'], 'admin');
  const create = () => client.attempt('createTopics', { topics: ['round-last'], validateOnly: true });
  await answers(null, () => world.admin.attempt('createTopics', { topics: ['other'], validateOnly: true }));
  assert.notEqual(await create(), null);
  await writeFile(file('finance'), JSON.stringify(roles('Group:finance')));
  await answers(null, create);
  await client.close();
});

test('a broker does not start without a source that was set while it ran', async () => {
  await rm(file('finance'));
  await world.cluster.stop(BROKER);
  await assert.rejects(world.cluster.start(BROKER), /ended with 1[^]*gbac\.roles\.file[^]*does not exist/);
  await writeFile(file('finance'), JSON.stringify(roles('Group:finance')));
  await world.cluster.start(BROKER);
  await answers('allowed', () => send(wanda, 'open'));
  assert.equal(await send(blocked, 'open'), DENIED);
  await accounting(finance);
});

test('the nodes end when they are asked to', { timeout: 300_000 }, async () => {
  assert.equal(await follow({ 'gbac.roles.url': source.url('once-last') }), null);
  await answers(true, () => source.asked('once-last') > 1);
  await world.cluster.stop();
});
