// A rolling change of three brokers in combined mode from StandardAuthorizer to the plugin and back, under load, in the order of
// docs/how-to/kafka-upgrade.md.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acl } from '../support/acls.mjs';
import { PLUGIN, STANDARD } from '../support/cluster.mjs';
import { answers } from '../support/until.mjs';
import { startWorld } from '../support/world.mjs';

const NODES = [1, 2, 3];
/** The step between: the plugin's principals, still without groups, and Kafka's decisions. */
const BETWEEN = { ...STANDARD, 'principal.builder.class': PLUGIN['principal.builder.class'], 'gbac.groups.claim': '$.none' };
const DENIED = 'TopicAuthorizationException';
let world;

before(async () => {
  world = await startWorld({
    nodes: NODES.map(() => 'broker,controller'),
    settings: STANDARD,
    topics: ['orders', 'audited'],
    acls: [
      'allow write topic literal audited for User:alice',
      'allow create topic prefixed audited- for User:alice',
      'allow write topic literal orders for Group:writers',
    ].map(acl),
  });
});
after(() => world?.stop());

/** Restarts the nodes one after the other with these properties. */
async function roll(own) {
  for (const node of NODES) {
    world.cluster.set(node, own);
    await world.cluster.stop(node);
    await world.cluster.start(node);
  }
}

/** Makes a call again and again; `stop` gives the answers. */
function load(client, ...call) {
  let isStopped = false;
  const seen = (async () => {
    const found = [];
    while (!isStopped) found.push(await client.attempt(...call));
    return found;
  })();
  return {
    stop() {
      isStopped = true;
      return seen;
    },
  };
}

/** How often each failure occurred. */
const count = (failures) => failures.reduce((found, name) => ({ ...found, [name]: (found[name] ?? 0) + 1 }), {});

test('a rolling change and its reverse fail no request of an allowed client', async () => {
  const patient = { 'delivery.timeout.ms': 300_000, 'max.block.ms': 300_000, 'default.api.timeout.ms': 300_000 };
  const as = (user, kind) => world.as(user, ['writers'], kind, { own: patient });
  const [producer, admin, wanda] = [await as('alice', 'producer'), await as('alice', 'admin'), await as('wanda', 'producer')];
  const send = async () => {
    const answer = await wanda.attempt('send', { topic: 'orders', value: 'x' });
    return typeof answer === 'number' ? 'allowed' : answer;
  };
  assert.equal(await send(), DENIED, 'Kafka ignores ACLs of groups');
  const writes = load(producer, 'send', { topic: 'audited', value: 'x' });
  // The broker forwards this one to the controller, which refuses more copies than brokers run at that moment.
  const forwarded = load(admin, 'createTopics', { topics: ['audited-1'], copies: 1, validateOnly: true });
  await roll(BETWEEN);
  assert.equal(await send(), DENIED, 'Kafka still decides');
  await roll(PLUGIN);
  await answers('allowed', send);
  await roll(BETWEEN);
  await answers(DENIED, send);
  await roll(STANDARD);
  assert.equal(await send(), DENIED);
  const [offsets, created] = [await writes.stop(), await forwarded.stop()];
  assert.ok(offsets.length > 100 && created.length > 100, `${offsets.length} and ${created.length} requests`);
  console.log(`${offsets.length} records and ${created.length} forwarded requests`);
  assert.deepEqual(count(offsets.filter((offset) => typeof offset !== 'number')), {});
  assert.deepEqual(count(created.filter((answer) => answer !== null)), {});
});
