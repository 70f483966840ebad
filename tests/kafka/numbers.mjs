// Numbers of the client for ACLs (`cluster/`) beside Kafka's own Admin client, on one broker: `node numbers.mjs`, with the variables
// of support/cluster.mjs, and GBAC_BIN naming a release build. By hand, on a quiet machine; it needs GNU time.
//
// Medians of five rounds after one that does not count. In each round both run in turn, and ratios are those of a round. The
// commands are whole processes, which sign in, read and write a document; a call of the Admin client is one in a warm JVM with an
// open connection, and `kafka-acls` a whole process of it.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GBAC, impersonal } from '../e2e/support/launch.mjs';
import { acl } from './support/acls.mjs';
import { JAVA, STANDARD, java, properties, tool } from './support/cluster.mjs';
import { answers } from './support/until.mjs';
import { startWorld } from './support/world.mjs';

const run = promisify(execFile);
const ROUNDS = 5;
const MAX_OUTPUT = 256 * 1024 * 1024;
const [PULLED, IMPORTED] = [100_000, 10_000];

/** ACLs of 5,000 users and 500 groups on topics and consumer groups; a tenth are denies, and a third are prefixes. */
function acls(count, first = 0) {
  return Array.from({ length: count }, (_, index) => {
    const place = index + first;
    const permission = place % 10 === 0 ? 'deny' : 'allow';
    const [operation, type] = place % 4 === 0 ? ['read', 'group'] : [['read', 'write', 'describe'][place % 3], 'topic'];
    const pattern = place % 3 === 0 ? 'prefixed' : 'literal';
    const principal = place % 2 === 0 ? `User:user-${(place * 7) % 5_000}` : `Group:/teams/team-${(place * 11) % 500}`;
    return acl(`${permission} ${operation} ${type} ${pattern} team-${place % 700}.orders-${place} for ${principal}`);
  });
}

const document = (list) => JSON.stringify({ version: 1, settings: { dialect: 'kafka' }, acls: list });
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const folder = await mkdtemp(join(tmpdir(), 'gbac-numbers-'));
const file = (name) => join(folder, name);
const world = await startWorld({ nodes: ['broker,controller'], settings: STANDARD, heap: '2g' });
const config = file('admin.properties');
await writeFile(config, properties(world.cluster.admin), { mode: 0o600 });
const brokers = ['--bootstrap-servers', world.cluster.admin['bootstrap.servers'], '--command-config', config];

/** Runs a program; returns its seconds, and its peak memory in MiB. */
async function timed(program, ...args) {
  const options = { env: { ...impersonal(), XDG_CONFIG_HOME: folder }, maxBuffer: MAX_OUTPUT };
  await run('/usr/bin/time', ['-f', '%e %M', '-o', file('time'), program, ...args], options);
  const [seconds, kib] = (await readFile(file('time'), 'utf8')).trim().split('\n').at(-1).split(' ').map(Number);
  return { seconds, mib: kib / 1024 };
}
const gbac = (...args) => timed(GBAC, ...args);
const list = () =>
  timed(JAVA, ...java(), tool('AclCommand'), '--bootstrap-server', brokers[1], '--command-config', config, '--list');
const inJvm = async (what, more) => ({ seconds: (await world.admin.call('measure', { what, ...more })) / 1e9 });

const there = (count) => answers(count, () => world.admin.call('describeAcls'));
async function empty() {
  await world.admin.call('deleteAllAcls');
  // The broker learns it from the controller.
  await there(0);
}

/** Measures each of these in turn; `before` runs before each of them. */
async function rounds(measured, before = async () => {}) {
  const all = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const found = {};
    for (const [name, measure] of Object.entries(measured)) {
      await before();
      found[name] = await measure();
    }
    if (round > 0) all.push(found);
  }
  for (const name of Object.keys(measured)) {
    const values = (of) => all.map((round) => of(round[name]));
    const memory = values(({ mib }) => mib ?? 0);
    console.log(`  ${name}: ${median(values(({ seconds }) => seconds)).toFixed(3)} s${memory[0] > 0 ? `, ${Math.max(...memory).toFixed(0)} MiB` : ''}`);
  }
  const [first, ...others] = Object.keys(measured);
  for (const other of others)
    console.log(`  ${first} / ${other}: ${median(all.map((round) => round[first].seconds / round[other].seconds)).toFixed(2)}`);
}

try {
  const some = acls(IMPORTED);
  await writeFile(file('some.json'), document(some));
  console.log(`import of ${IMPORTED} ACLs`);
  await rounds(
    {
      'gbac import': () => gbac('import', file('some.json'), ...brokers),
      'createAcls of the Admin client': () => inJvm('createAcls', { acls: some }),
    },
    empty,
  );

  await empty();
  const all = acls(PULLED);
  await writeFile(file('all.json'), document(all));
  const { seconds, mib } = await gbac('import', file('all.json'), ...brokers);
  console.log(`import of ${PULLED} ACLs, once: ${seconds} s, ${mib.toFixed(0)} MiB`);
  await there(PULLED);
  console.log(`pull of ${PULLED} ACLs`);
  await rounds({
    'gbac policy pull': () => gbac('policy', 'pull', '--out', file('pulled.json'), ...brokers),
    'kafka-acls --list': list,
    'describeAcls of the Admin client': () => inJvm('describeAcls'),
  });

  // A hundredth differs.
  await writeFile(file('other.json'), document([...all.slice(PULLED / 100), ...acls(PULLED / 100, PULLED)]));
  console.log(`effect of two clusters of ${PULLED} ACLs`);
  await rounds({ 'gbac policy diff': () => gbac('policy', 'diff', '--from', file('pulled.json'), '--to', file('other.json')) });
} finally {
  await world.stop();
  await rm(folder, { recursive: true });
}
