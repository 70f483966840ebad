// The log of changes in a topic (`cluster/`) with three brokers of Kafka, of which leaders are killed.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { GBAC } from '../e2e/support/launch.mjs';
import { JAVA, STANDARD, java, makeCluster, properties } from './support/cluster.mjs';
import { startIssuer } from './support/issuer.mjs';

const run = promisify(execFile);
/** The example of the crate, which is built with the programs. */
const LOG = join(dirname(GBAC), 'examples', 'log');
const COPIES = 3;
const WRITERS = ['a', 'b', 'c'];
/** How often the leader is killed, and the entries of each writer before, meanwhile and after. */
const KILLS = 2;
const ENTRIES = 25;
/** No write waits longer for an election. */
const LONGEST_MS = 20_000;

let cluster, issuer, config;

before(async () => {
  issuer = await startIssuer();
  cluster = await makeCluster({ ...issuer, nodes: Array(3).fill('broker,controller'), settings: STANDARD });
  await cluster.start();
  config = join(cluster.folder, 'admin.properties');
  await writeFile(config, properties(cluster.admin));
});
after(async () => {
  await Promise.all([cluster?.remove(), issuer?.stop()]);
});

/** A command of Kafka, as the administrator. */
async function tool(name, ...args) {
  const own = ['--bootstrap-server', cluster.admin['bootstrap.servers'], '--command-config', config];
  const { stdout } = await run(JAVA, [...java(), `org.apache.kafka.tools.${name}`, ...own, ...args]);
  return stdout;
}

/** Runs the client; returns its lines, or what it says about its failure. */
async function log(copies, ...args) {
  try {
    const { stdout } = await run(LOG, [config, String(copies), ...args]);
    return stdout.split('\n').filter(Boolean);
  } catch (error) {
    return error.stderr;
  }
}

/** Starts a writer, which goes on until `stop`; `lines` grows with what was acknowledged. */
function writer(topic, name, ...count) {
  const child = spawn(LOG, [config, String(COPIES), 'write', topic, name, ...count]);
  const lines = [];
  let said = '';
  const out = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(child, 'close').then(([code]) => ({ code, said }));
  /** Resolves when so many more entries were acknowledged. */
  const more = async (number) => {
    const end = lines.length + number;
    while (lines.length < end) await Promise.race([once(out, 'line'), ended.then(({ said }) => Promise.reject(new Error(said)))]);
  };
  return { lines, ended, more, stop: () => child.stdin.end() };
}

test('the topic passes the tests of every log', async () => {
  assert.deepEqual(await log(COPIES, 'suite', 'suite'), ['passed']);
});

test('a topic with settings that could lose a change is refused', async () => {
  assert.deepEqual(await log(COPIES, 'open', 'settings'), ['s true']);
  assert.deepEqual(await log(COPIES, 'open', 'settings'), ['s false']);
  const entity = ['--entity-type', 'topics', '--entity-name', 'settings'];
  const described = await tool('ConfigCommand', '--describe', ...entity);
  for (const setting of ['min.insync.replicas=2', 'unclean.leader.election.enable=false', 'retention.ms=-1', 'cleanup.policy=delete'])
    assert.ok(described.includes(setting), described);
  await tool('ConfigCommand', '--alter', ...entity, '--add-config', 'retention.ms=1000,min.insync.replicas=1');
  const said = await log(COPIES, 'open', 'settings');
  assert.match(said, /has `min\.insync\.replicas=1`, with which .*, and `retention\.ms=1000`, with which/);
  const change = said.match(/--add-config (\S+)`/)[1];
  await tool('ConfigCommand', '--alter', ...entity, '--add-config', change);
  assert.deepEqual(await log(COPIES, 'open', 'settings'), ['s false']);
  await tool('TopicCommand', '--create', '--topic', 'few', '--partitions', '1', '--replication-factor', '1');
  assert.match(await log(COPIES, 'open', 'few'), /the topic `few` has 1 copies, and 3 are needed/);
});

test('who may not use the topic gets the command', async () => {
  const file = cluster.tokenFile('jonas');
  await issuer.write(file, { sub: 'jonas' });
  const own = join(cluster.folder, 'jonas.properties');
  const values = {
    'bootstrap.servers': cluster.bootstrap,
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.oauthbearer.token.endpoint.url': `file://${file}`,
  };
  await writeFile(own, properties(values));
  const { stderr } = await run(LOG, [own, '3', 'open', 'settings']).catch((error) => error);
  assert.match(stderr, /TOPIC_AUTHORIZATION_FAILED: the account needs Describe on the topic `settings`; a superuser grants it with `kafka-acls/);
  await tool('AclCommand', '--add', '--allow-principal', 'User:jonas', '--operation', 'Describe', '--topic', 'new');
  const created = await run(LOG, [own, '3', 'open', 'new']).catch((error) => error);
  assert.match(created.stderr, /the topic `new` cannot be created: .*AUTHORIZATION_FAILED.*or create it with `kafka-topics .*--create --topic new/);
});

test('no acknowledged change is lost and none is applied twice while leaders are killed', async (t) => {
  assert.deepEqual(await log(COPIES, 'open', 'changes'), ['s true']);
  const writers = WRITERS.map((name) => writer('changes', name));
  const more = () => Promise.all(writers.map((of) => of.more(ENTRIES)));
  await more();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const leader = Number((await tool('TopicCommand', '--describe', '--topic', 'changes')).match(/Leader: (\d+)/)[1]);
    await cluster.kill(leader);
    await more();
    await cluster.start(leader);
    await more();
  }
  for (const { stop } of writers) stop();
  for (const { ended } of writers) {
    const { code, said } = await ended;
    assert.equal(code, 0, said);
    t.diagnostic(said.trim());
    assert.ok(Number(said.match(/took (\d+) ms/)[1]) < LONGEST_MS, said);
  }
  const readers = await Promise.all(WRITERS.map(() => log(COPIES, 'read', 'changes')));
  assert.deepEqual(readers[1], readers[0]);
  assert.deepEqual(readers[2], readers[0]);
  const [last, ...read] = readers[0].reverse();
  const acknowledged = writers.flatMap(({ lines }) => lines);
  assert.ok(acknowledged.length > WRITERS.length * ENTRIES * KILLS);
  assert.deepEqual(read.sort(), acknowledged.sort());
  assert.match(last, new RegExp(`^${read.length} [0-9a-f]{64} 0$`));
});

test('history is deleted behind a checkpoint, and a new reader begins there', async () => {
  const [seq] = (await log(COPIES, 'trim', 'changes'))[0].split(' ');
  const before = (await log(COPIES, 'read', 'changes')).at(-1);
  assert.equal(before.split(' ')[0], seq);
  const { ended } = writer('changes', 'd', '5');
  assert.equal((await ended).code, 0);
  const read = await log(COPIES, 'read', 'changes');
  assert.deepEqual(read.slice(0, -1), [0, 1, 2, 3, 4].map((number) => `d-${number}`));
  assert.equal(Number(read.at(-1).split(' ')[0]), Number(seq) + 5);
});

test('a topic that is deleted and made again is never written', async () => {
  assert.deepEqual(await log(COPIES, 'open', 'again'), ['s true']);
  const { more, ended } = writer('again', 'e');
  await more(3);
  await tool('TopicCommand', '--delete', '--topic', 'again');
  const settings = ['--config', 'min.insync.replicas=2'];
  const made = () => tool('TopicCommand', '--create', '--topic', 'again', '--partitions', '1', '--replication-factor', '3', ...settings);
  await made();
  const { code, said } = await ended;
  assert.equal(code, 1);
  assert.match(said, /truncated or made again/);
  assert.match(await tool('GetOffsetShell', '--topic', 'again'), /again:0:0/);
});
