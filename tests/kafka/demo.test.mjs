// The demonstration of `cargo xtask kafka`: its commands work as printed and as docs/kafka.md shows them, a denied producer is
// helped in the console, and a token has the same verdict everywhere.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signIn } from '../e2e/support/connection.mjs';
import { stage } from '../e2e/support/journey.mjs';
import { GBAC, impersonal } from '../e2e/support/launch.mjs';
import { part } from '../e2e/support/parts.mjs';
import { Review } from '../e2e/support/review.mjs';
import { SIMULATOR, Simulator } from '../e2e/support/simulator.mjs';
import { tokenClient } from './support/cluster.mjs';
import { PASSWORD, startDemonstration, verdicts } from './support/demonstration.mjs';
import { answers } from './support/until.mjs';

const run = promisify(execFile);
const POLICY = fileURLToPath(new URL('policy.json', import.meta.url));
const PAGE = new URL('../../docs/kafka.md', import.meta.url);
/** Blocks of commands of that page that run here, and the output below them. */
const BLOCK = /^( *)<!-- outside: tests\/kafka\/demo\.test\.mjs runs it -->\n *```sh\n([^]*?)\n *```\n(?:\n *```text\n([^]*?)\n *```)?/gm;
/** What Chromium logs before somebody signs in. */
const SIGNED_OUT = { tolerates: [/status of 401/] };
const JONAS = 'jonas.lindqvist';
/** The operations of a topic that a cluster lists. */
const OPERATIONS = ['read', 'write', 'create', 'delete', 'alter', 'describe', 'describe_configs', 'alter_configs'];
const starting = startDemonstration(POLICY);
/** For a client that is refused until it gives up. */
const BRIEF = { 'request.timeout.ms': 4_000, 'default.api.timeout.ms': 5_000 };
let demo;

before(async () => {
  demo = await starting;
});
after(() => demo?.stop());
const { journey } = stage({ start: () => starting.then(({ service }) => service) });

const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));

/** What the command line decides for the claims of a token. */
function engine(questions) {
  const line = ({ token, operation, topic }) => ({
    claims: claimsOf(token),
    operation: `OPERATION_${operation.toUpperCase()}`,
    resource_type: 'RESOURCE_TYPE_TOPIC',
    resource_name: topic,
    host: '127.0.0.1',
  });
  const input = questions.map((question) => `${JSON.stringify(line(question))}\n`).join('');
  const output = execFileSync(GBAC, ['check', '--policy', POLICY, '--checks', '-'], { input, encoding: 'utf8', env: impersonal() });
  return output.trimEnd().split('\n').map((decision) => JSON.parse(decision).outcome === 'allow');
}

/** Runs a line as somebody does who has read the demonstration's file. */
const shell = (line) => run('sh', ['-c', `. ${demo.shellFile}\nexec 2>&1\n${line}`], { env: impersonal() });

/** A producer of Jonas, which gives an exception's name or the number of what it sent. */
async function jonasProduces() {
  const { file } = demo.people.find(({ name }) => name === JONAS);
  const producer = await demo.clients.open('producer', tokenClient(demo.cluster.bootstrap, file));
  return { send: () => producer.attempt('send', { topic: 'orders', value: 'hello' }), close: () => producer.close() };
}

test('the page shows why somebody is denied and how to fix it, step by step', async (t) => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(BLOCK)];
  assert.ok(blocks.length >= 5, `${blocks.length} blocks`);
  for (const [, { length: indent }, commands, shown] of blocks) {
    const [lines, expected] = [commands, shown].map((text) => text?.split('\n').map((line) => line.slice(indent)).join('\n'));
    const begin = performance.now();
    const { stdout, code = 0 } = await shell(lines).catch((failed) => failed);
    t.diagnostic(`${Math.round(performance.now() - begin)} ms: ${lines}`);
    assert.equal(code, Number(lines.match(/\(exits with (\d)\)/)?.[1] ?? 0), `${lines}\n${stdout}`);
    if (expected) assert.match(stdout.replaceAll(/ +$/gm, '').trimEnd(), pattern(expected), lines);
  }
});

/** A text in which `…` stands for any text. */
const pattern = (text) => new RegExp(`^${text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')}$`);

test('the printed producer is allowed', async () => {
  const { stdout } = await shell(demo.commands.allowed.line);
  assert.doesNotMatch(stdout, /ERROR|Exception/);
  const consumer = await demo.clients.open('consumer', { ...demo.cluster.admin, 'group.id': 'check' });
  const [value] = await consumer.call('poll', { topic: demo.commands.allowed.topic, count: 1 });
  assert.equal(value, 'hello');
  await consumer.close();
});

test('the printed producer is denied', async () => {
  const { stdout } = await shell(demo.commands.denied.line).catch((failed) => failed);
  assert.match(stdout, new RegExp(`Not authorized to access topics: \\[${demo.commands.denied.topic}\\]`));
});

test('the cluster has every ACL of the document', async () => {
  const { stdout } = await shell(demo.commands.acls);
  assert.equal(stdout.match(/\(principal=/g).length, demo.document.acls.length);
});

test('the same token has the same verdict in the cluster, the service and the engine', async () => {
  let allowed = 0;
  for (const { name, token, file } of demo.people) {
    const questions = demo.topics.flatMap((topic) => OPERATIONS.map((operation) => ({ token, operation, topic })));
    const [ofService, ofEngine] = [await verdicts(demo.service, questions), engine(questions)];
    const isRefused = '_claim_names' in claimsOf(token);
    const admin = await demo.clients.open('admin', { ...tokenClient(demo.cluster.bootstrap, file), ...(isRefused ? BRIEF : {}) });
    const found = await admin.attempt('operations', { topics: demo.topics });
    await admin.close();
    assert.deepEqual(ofEngine, ofService, name);
    if (isRefused) {
      // The provider left the groups out: the plugin refuses the connection, and the others know a user without groups.
      assert.equal(found, 'TimeoutException');
      continue;
    }
    questions.forEach(({ operation, topic }, index) => {
      const ofCluster = found[topic].includes(operation);
      assert.equal(ofCluster, ofService[index], `${operation} of ${topic} by ${name}`);
      allowed += ofCluster;
    });
  }
  assert.ok(allowed > 10, `${allowed} allowed`);
});

journey('a producer that is denied is allowed after an ACL of its group is applied in the console', { ...SIGNED_OUT, clipboard: true }, async ({ page }) => {
  const producer = await jonasProduces();
  assert.equal(await producer.send(), 'TopicAuthorizationException');
  const simulator = new Simulator(page);
  await page.goto(SIMULATOR);
  await signIn(page, 'admin', PASSWORD);
  await simulator.loaded();
  await simulator.paste(demo.people.find(({ name }) => name === JONAS).token);
  await simulator.ask({ operation: 'Write', name: 'orders' });
  await simulator.sees('Denied, nothing allows it', /User:jonas\.lindqvist can't write to topic orders/);

  const change = await part(page, 'Try a change');
  await change.getByRole('combobox', { name: 'Change', exact: true }).selectOption({ label: 'Add an ACL' });
  await change.getByRole('combobox', { name: 'Principal' }).selectOption({ label: 'Group:/eng/payments' });
  await change.getByRole('combobox', { name: 'Operation of the ACL' }).selectOption({ label: 'Write' });
  await change.getByRole('button', { name: 'Add change' }).click();
  await simulator.sees('Allowed, if…');
  await change.getByRole('button', { name: 'Add 1 change to the draft' }).click();
  await change.getByRole('link', { name: 'Review' }).click();
  const review = new Review(page);
  assert.match((await review.people()).join(), /Group:\/eng\/payments.*Write/);
  await review.apply();
  await answers('number', async () => typeof (await producer.send()));
  await producer.close();
});

journey('the link of a denial opens its question in the console', SIGNED_OUT, async ({ page }) => {
  const lines = (await readFile(demo.denials, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line));
  const { console: link } = lines.find(({ principal, operation }) => principal === `User:${JONAS}` && operation === 'write');
  await page.goto(link);
  await signIn(page, 'admin', PASSWORD);
  await page.getByRole('heading', { name: 'A check from a link' }).waitFor();
  const simulator = new Simulator(page);
  await simulator.sees('Denied, nothing allows it', /User:jonas\.lindqvist can't write to topic orders/);
  assert.equal(await simulator.host.inputValue(), '127.0.0.1');
});

test('a role changed in the service is followed by the cluster', async () => {
  const producer = await jonasProduces();
  // An ACL that was removed before can still be on its way.
  await answers('TopicAuthorizationException', producer.send);
  await demo.service.addMembers('OrderWriters', 'Group:/eng/payments');
  await answers('number', async () => typeof (await producer.send()));
  await producer.close();
});
