// The client for ACLs (`cluster/`) with a broker of Kafka: every way to sign in, ACLs of every kind, and an import that ends in
// the middle, with `kafka-acls` as the witness.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { GBAC, impersonal } from '../e2e/support/launch.mjs';
import { acl } from './support/acls.mjs';
import { JAVA, STANDARD, VERSION, freePorts, java, makeCluster, properties, tool } from './support/cluster.mjs';
import { startIssuer } from './support/issuer.mjs';
import { CREATE_ACLS, startProxy } from './support/proxy.mjs';

const run = promisify(execFile);
/** The example of the crate, which is built with the programs. */
const ACLS = join(dirname(GBAC), 'examples', 'acls');
const MAX_OUTPUT = 64 * 1024 * 1024;
const PASSWORD = String.raw`p,=a"s\s s`;
/** What Kafka's tools print is UTF-8, whatever the machine is set to. */
const UTF8 = { more: ['-Dfile.encoding=UTF-8', '-Dsun.stdout.encoding=UTF-8', '-Dstdout.encoding=UTF-8'] };
const MODULE = 'org.apache.kafka.common.security';
const quoted = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const login = (module, user, password) => `${MODULE}.${module} required username=${quoted(user)} password=${quoted(password)};`;

const TYPES = ['TOPIC', 'GROUP', 'CLUSTER', 'TRANSACTIONAL_ID', 'DELEGATION_TOKEN', 'USER'];
const OPERATIONS = [
  'ALL', 'READ', 'WRITE', 'CREATE', 'DELETE', 'ALTER', 'DESCRIBE', 'CLUSTER_ACTION', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS',
  'IDEMPOTENT_WRITE', 'CREATE_TOKENS', 'DESCRIBE_TOKENS', 'TWO_PHASE_COMMIT',
];
const PERMISSIONS = ['DENY', 'ALLOW'];
const HOSTS = ['*', '10.0.0.7', '2001:db8:0:0:0:0:0:1', '10.0.0.0/8', '192.168.0.7/16'];
const PRINCIPALS = ['User:*', 'User:alice', 'User:CN=a,OU=b,O="c d"', 'Group:/eng/a b', 'Role:x:y', 'RedpandaRole:z', 'Service:bill', 'Group:日本 ß'];
/** Which operations a broker accepts for a type. */
const OF_TYPE = {
  TOPIC: ['ALL', 'READ', 'WRITE', 'CREATE', 'DESCRIBE', 'DELETE', 'ALTER', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  GROUP: ['ALL', 'READ', 'DESCRIBE', 'DELETE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  CLUSTER: ['ALL', 'CREATE', 'CLUSTER_ACTION', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS', 'IDEMPOTENT_WRITE', 'ALTER', 'DESCRIBE'],
  TRANSACTIONAL_ID: ['ALL', 'DESCRIBE', 'WRITE', ...(VERSION.startsWith('3.') ? [] : ['TWO_PHASE_COMMIT'])],
  DELEGATION_TOKEN: ['ALL', 'DESCRIBE'],
  USER: ['ALL', 'CREATE_TOKENS', 'DESCRIBE_TOKENS'],
};

let cluster, issuer, endpoint, listeners;
let files = 0;

before(async () => {
  issuer = await startIssuer();
  const superusers = ['ann', 'client-1', 'CN=client', 'ANONYMOUS'];
  cluster = await makeCluster({ ...issuer, nodes: ['broker,controller'], settings: STANDARD, superusers });
  await run(ACLS, ['certificates', cluster.folder]);
  const [open, tls, both] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  listeners = { open, tls, both, clients: cluster.bootstrap };
  const before = cluster.listeners(1);
  const file = (name) => join(cluster.folder, name);
  const pem = (name) => ({
    [`listener.name.${name}.ssl.keystore.type`]: 'PEM',
    [`listener.name.${name}.ssl.keystore.location`]: file('broker.pem'),
    [`listener.name.${name}.ssl.truststore.type`]: 'PEM',
    [`listener.name.${name}.ssl.truststore.location`]: file('ca.pem'),
  });
  cluster.set(1, {
    ...STANDARD,
    listeners: `${before.listeners},OPEN://${open},TLS://${tls},BOTH://${both}`,
    'listener.security.protocol.map': `${before.protocols},OPEN:PLAINTEXT,TLS:SSL,BOTH:SASL_SSL`,
    ...pem('tls'),
    ...pem('both'),
    'listener.name.tls.ssl.client.auth': 'required',
    'listener.name.both.sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'listener.name.both.scram-sha-512.sasl.jaas.config': `${MODULE}.scram.ScramLoginModule required;`,
    'listener.name.clients.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,OAUTHBEARER',
    'listener.name.clients.plain.sasl.jaas.config':
      `${MODULE}.plain.PlainLoginModule required user_ann=${quoted(PASSWORD)} user_bob="b" ;`,
  });
  await cluster.start();
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512'])
    await witness('ConfigCommand', '--alter', '--entity-type', 'users', '--entity-name', 'ann', '--add-config', `${mechanism}=[password=secret]`);
  endpoint = await startEndpoint();
});
after(async () => {
  await Promise.all([cluster?.remove(), issuer?.stop(), endpoint?.stop()]);
});

/** A command of Kafka, as the administrator. */
async function witness(name, ...args) {
  const config = join(cluster.folder, 'admin.properties');
  await writeFile(config, properties(cluster.admin));
  const own = ['--bootstrap-server', cluster.admin['bootstrap.servers'], '--command-config', config];
  const { stdout } = await run(JAVA, [...java(UTF8), tool(name), ...own, ...args], { maxBuffer: MAX_OUTPUT });
  return stdout;
}

/** A token endpoint that knows one client. */
async function startEndpoint() {
  const file = cluster.tokenFile('client-1');
  await issuer.write(file, { sub: 'client-1' });
  const token = (await readFile(file, 'utf8')).trim();
  const known = `Basic ${Buffer.from('client-1:s3cret').toString('base64')}`;
  const server = createServer((request, response) => {
    response.statusCode = request.headers.authorization === known ? 200 : 401;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(response.statusCode === 200 ? { access_token: token } : { error: 'invalid_client' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/token`,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** A file with these properties. */
async function written(values) {
  const file = join(cluster.folder, `client-${++files}.properties`);
  await writeFile(file, properties(values), { mode: 0o600 });
  return file;
}

/** A command of the program on the brokers of these properties: its exit code, and what it says. */
async function gbac(values, ...args) {
  const own = ['--bootstrap-servers', values['bootstrap.servers'], '--command-config', await written(values)];
  const options = { env: { ...impersonal(), XDG_CONFIG_HOME: cluster.folder }, maxBuffer: MAX_OUTPUT };
  try {
    return { code: 0, ...(await run(GBAC, [...args, ...own], options)) };
  } catch (error) {
    return error;
  }
}

/** Runs the client with these properties; returns its lines, or the sentence of its failure. */
async function acls(values, ...args) {
  const file = await written(values);
  try {
    const { stdout } = await run(ACLS, [file, ...args], { maxBuffer: MAX_OUTPUT });
    return stdout.split('\n').filter(Boolean);
  } catch (error) {
    return error.stderr;
  }
}

const open = () => ({ 'bootstrap.servers': listeners.open });
const plain = (password = PASSWORD, user = 'ann') => ({
  'bootstrap.servers': listeners.clients,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'PLAIN',
  'sasl.jaas.config': login('plain.PlainLoginModule', user, password),
});
const scram = (mechanism, more) => ({
  'bootstrap.servers': listeners.clients,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': mechanism,
  'sasl.jaas.config': login('scram.ScramLoginModule', 'ann', 'secret'),
  ...more,
});
const bearer = (url, more) => ({
  'bootstrap.servers': listeners.clients,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'OAUTHBEARER',
  'sasl.oauthbearer.token.endpoint.url': url,
  ...more,
});
const trusting = (more) => ({
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': join(cluster.folder, 'ca.pem'),
  ...more,
});
const certified = () =>
  trusting({
    'bootstrap.servers': listeners.tls,
    'security.protocol': 'SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': join(cluster.folder, 'client.pem'),
  });

test('every way to sign in reads the same', async () => {
  const both = trusting({ 'bootstrap.servers': listeners.both, 'security.protocol': 'SASL_SSL' });
  const ways = {
    open: open(),
    plain: plain(),
    'SCRAM-SHA-256': scram('SCRAM-SHA-256'),
    'SCRAM-SHA-512 over TLS': scram('SCRAM-SHA-512', both),
    'a token in a file': bearer(`file://${cluster.tokenFile('client-1')}`),
    'a token of an endpoint': bearer(endpoint.url, {
      'sasl.jaas.config': `${MODULE}.oauthbearer.OAuthBearerLoginModule required clientId="client-1" clientSecret="s3cret";`,
    }),
    'a certificate': certified(),
  };
  const [release] = VERSION.match(/^\d+\.\d+/);
  for (const [name, values] of Object.entries(ways))
    assert.deepEqual(await acls(values, 'describe'), [`Ignored 1 Some("${release}") Some("${STANDARD['authorizer.class.name']}")`], name);
});

test('what does not fit is said in one sentence', async () => {
  const cases = [
    [plain('wrong'), /does not accept the credentials of `sasl\.mechanism=PLAIN`/],
    [{ ...scram('SCRAM-SHA-256'), 'sasl.jaas.config': login('scram.ScramLoginModule', 'ann', 'wrong') }, /does not accept the credentials/],
    [scram('SCRAM-SHA-512'), /does not have `sasl\.mechanism=SCRAM-SHA-512`; it has `PLAIN`, `SCRAM-SHA-256`, `OAUTHBEARER`/],
    [plain('b', 'bob'), /CLUSTER_AUTHORIZATION_FAILED.*--allow-principal User:bob --operation Describe --cluster/],
    [{ ...plain(), 'bootstrap.servers': listeners.open }, /has no SASL: set `security\.protocol` to `PLAINTEXT`/],
    [{ 'bootstrap.servers': listeners.clients }, /closed the connection instead of answering DescribeAcls: if this listener has TLS or SASL/],
    [{ 'bootstrap.servers': listeners.tls }, /has TLS|closed the connection instead of answering ApiVersions: if this listener has TLS/],
    [{ ...certified(), 'bootstrap.servers': listeners.open }, /has no TLS: set `security\.protocol` to `PLAINTEXT`/],
    [{ 'bootstrap.servers': listeners.tls, 'security.protocol': 'SSL' }, /no trusted authority has signed its certificate/],
    [trusting({ 'bootstrap.servers': listeners.tls, 'security.protocol': 'SSL' }), /expects another certificate of the client|closed the connection/],
    [bearer(endpoint.url, { 'sasl.oauthbearer.client.credentials.client.id': 'x', 'sasl.oauthbearer.client.credentials.client.secret': 'y' }), /the token endpoint answers 401, invalid_client/],
  ];
  for (const [values, sentence] of cases) {
    const said = await acls(values, 'list');
    assert.equal(typeof said, 'string', `${sentence}: ${said}`);
    assert.match(said, sentence);
    assert.doesNotMatch(said, /secret|wrong|s3cret/);
  }
});

/** ACLs of every kind, each once: a line of the client for each. */
function randomAcls(count) {
  const bytes = () => randomBytes(4).readUInt32BE();
  const pick = (list) => list[bytes() % list.length];
  const found = new Set();
  while (found.size < count) {
    const type = pick(TYPES);
    const name = type === 'CLUSTER' ? 'kafka-cluster' : type === 'USER' ? `User:u${bytes() % 2000}` : `n${bytes() % 2000}.${pick(['', 'a b', 'ß', '"q"'])}`;
    const pattern = type !== 'CLUSTER' && bytes() % 3 === 0 ? 4 : 3;
    const principal = `${pick(PRINCIPALS)}${bytes() % 50}`;
    const numbers = [OPERATIONS.indexOf(pick(OF_TYPE[type])) + 2, bytes() % 2 + 2];
    found.add(JSON.stringify([TYPES.indexOf(type) + 2, name, pattern, principal, pick(HOSTS), ...numbers]));
  }
  return [...found];
}

/** What `kafka-acls --list` prints, as lines of the client. */
function witnessed(text) {
  const lines = [];
  let resource;
  for (const line of text.split('\n')) {
    const of = line.match(/^Current ACLs for resource `ResourcePattern\(resourceType=(\w+), name=(.*), patternType=(\w+)\)`:/);
    if (of) resource = [TYPES.indexOf(of[1]) + 2, of[2], { LITERAL: 3, PREFIXED: 4 }[of[3]]];
    const acl = line.match(/^\s+\(principal=(.*), host=(.*), operation=(\w+), permissionType=(\w+)\)/);
    if (acl) lines.push(JSON.stringify([...resource, acl[1], acl[2], OPERATIONS.indexOf(acl[3]) + 2, PERMISSIONS.indexOf(acl[4]) + 2]));
  }
  return lines.sort();
}

test('10,000 random ACLs are created, read and deleted as kafka-acls sees them', async (t) => {
  const all = randomAcls(10_000);
  const file = join(cluster.folder, 'acls');
  await writeFile(file, all.join('\n'));
  let begin = performance.now();
  const outcomes = await acls(scram('SCRAM-SHA-256'), 'create', file);
  t.diagnostic(`created in ${Math.round(performance.now() - begin)} ms`);
  assert.deepEqual([...new Set(outcomes)], ['Applied']);
  const expected = [...all].sort();
  assert.deepEqual(witnessed(await witness('AclCommand', '--list')), expected);
  begin = performance.now();
  assert.deepEqual((await acls(plain(), 'list')).sort(), expected);
  t.diagnostic(`read in ${Math.round(performance.now() - begin)} ms`);
  // A half of them goes, and the other half stays as it is.
  await writeFile(file, all.slice(0, 5_000).join('\n'));
  assert.deepEqual([...new Set(await acls(certified(), 'delete', file))], ['Applied']);
  assert.deepEqual([...new Set(await acls(certified(), 'delete', file))], ['Absent']);
  assert.deepEqual(witnessed(await witness('AclCommand', '--list')), all.slice(5_000).sort());
  await writeFile(file, all.slice(5_000).join('\n'));
  assert.deepEqual([...new Set(await acls(open(), 'delete', file))], ['Applied']);
  assert.deepEqual(await acls(open(), 'list'), []);
});

/** Two ACLs that `kafka-acls` creates, unless they are there. */
const OF_WITNESS = [[2, 'orders-', 4, 'Group:eng', '*', 3, 2], [2, 'orders-', 4, 'User:CN=a,OU=b', '*', 3, 3]].map((fields) => JSON.stringify(fields));
const addWitnessed = () =>
  witness(
    'AclCommand', '--add', '--allow-principal', 'User:CN=a,OU=b', '--deny-principal', 'Group:eng', '--operation', 'Read', '--topic', 'orders-',
    '--resource-pattern-type', 'prefixed',
  );

test('what kafka-acls creates is read', async () => {
  await addWitnessed();
  assert.deepEqual((await acls(open(), 'list')).sort(), OF_WITNESS);
});

test('policy pull reads over TLS, and says which certificate or ACL is missing', async () => {
  const both = trusting({ 'bootstrap.servers': listeners.both, 'security.protocol': 'SASL_SSL' });
  await addWitnessed();
  const expected = ['Group:eng', 'User:CN=a,OU=b'];
  const principals = ({ stdout, stderr }) => {
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout).acls.map((one) => one.principal).sort();
  };
  for (const values of [scram('SCRAM-SHA-512', both), certified()]) {
    const pulled = await gbac(values, 'policy', 'pull');
    assert.deepEqual(principals(pulled), expected);
    assert.match(pulled.stderr, /this cluster ignores its 1 ACL of groups and roles/);
  }
  const { 'ssl.truststore.type': _type, 'ssl.truststore.location': _location, ...untrusting } = scram('SCRAM-SHA-512', both);
  const untrusted = await gbac(untrusting, 'policy', 'pull');
  assert.equal(untrusted.code, 1);
  assert.match(untrusted.stderr, /no trusted authority has signed its certificate: .*`ssl\.truststore\.location`/);

  // The command of the sentence is the one that helps.
  const denied = await gbac(plain('b', 'bob'), 'policy', 'pull');
  assert.equal(denied.code, 1);
  const [, command] = denied.stderr.match(/the account needs Describe on the cluster; .*`kafka-acls --bootstrap-server HOST:PORT --command-config FILE (.*)`/);
  await witness('AclCommand', ...command.split(' '));
  assert.deepEqual(principals(await gbac(plain('b', 'bob'), 'policy', 'pull')), [...expected, 'User:bob']);
});

test('an import whose broker dies in the middle leaves what a repeated import completes', async () => {
  await addWitnessed();
  const old = witnessed(await witness('AclCommand', '--list'));
  const all = Array.from({ length: 10_000 }, (_, place) => {
    const permission = place % 5 === 0 ? 'deny' : 'allow';
    return `${permission} read topic literal t-${place} for User:u${place % 50}`;
  });
  const lines = all.map((text) => JSON.stringify([2, text.split(' ')[4], 3, text.split(' ')[6], '*', 3, text.startsWith('deny') ? 2 : 3])).sort();
  const isDeny = (line) => line.endsWith(',2]');
  const file = join(cluster.folder, 'policy.json');
  await writeFile(file, JSON.stringify({ version: 1, settings: { dialect: 'kafka' }, acls: all.map(acl) }));
  const command = ['import', file, '--no-confirm'];

  // Two requests have the denies, and one removes the old allows. The broker dies while it has the second one of the new allows.
  let requests = 0, death;
  const proxy = await startProxy(listeners.open, (key) => {
    if (key === CREATE_ACLS && ++requests === 4) death = cluster.kill(1);
  });
  const broken = await gbac({ 'bootstrap.servers': proxy.address }, ...command);
  await Promise.all([death, proxy.stop()]);
  const oldDenies = old.filter(isDeny);
  const [changes, applied] = [all.length + old.length, 3_000 + old.length - oldDenies.length];
  assert.equal(broken.code, 1, broken.stderr);
  assert.match(broken.stdout, /: `127\.0\.0\.1:\d+` closed the connection instead of answering CreateAcls: check the broker's log\n/);
  const rest = [
    `${(changes - applied - 20).toLocaleString('en')} more changes were not applied; \`--format json\` lists all.`,
    `${applied} of ${changes.toLocaleString('en')} changes applied.`,
    'Run the command again to make the others.',
  ];
  assert.deepEqual(broken.stdout.trimEnd().split('\n').slice(-rest.length), rest);

  await cluster.start(1);
  const found = new Set(witnessed(await witness('AclCommand', '--list')));
  // A request is made as a whole or not at all; whether the last one was made, only the list says.
  assert.ok([3_000, 4_000].includes(found.size - oldDenies.length), `${found.size}`);
  assert.deepEqual([...lines.filter(isDeny), ...oldDenies].filter((line) => !found.has(line)), []);

  const repeated = await gbac(open(), ...command);
  assert.equal(repeated.code, 0, repeated.stderr);
  assert.deepEqual(witnessed(await witness('AclCommand', '--list')), lines);
  const again = await gbac(open(), ...command);
  assert.match(again.stdout, /0 of 0 changes applied/);
});
