// A cluster of Apache Kafka on loopback: its controllers and brokers are processes of their own, on free ports, with their data
// in one temporary folder.
//
// GBAC_KAFKA_LIBS is the folder of Kafka's jars, GBAC_KAFKA_PLUGIN the plugin's jar, and GBAC_JAVA the program (default: java). Brokers and controllers sign in to each
// other with a password, and clients with tokens. Nobody else can connect.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { launch } from '../../e2e/support/launch.mjs';

const run = promisify(execFile);
const { GBAC_KAFKA_LIBS, GBAC_KAFKA_PLUGIN } = process.env;
/** The Java that runs everything. */
export const JAVA = process.env.GBAC_JAVA ?? 'java';
const LOG = fileURLToPath(new URL('../log4j2.properties', import.meta.url));

/** Processes that start together share the processors with everything else. */
const START_MS = 300_000;
/** Small heaps and the fast compiler, because the processes live for minutes. */
const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
/** The account of brokers, controllers and the administrator. */
export const ADMIN = 'broker';

/** What a node has in its properties if the plugin decides. */
export const PLUGIN = {
  'principal.builder.class': 'gbac.kafka.GroupPrincipalBuilder',
  'authorizer.class.name': 'gbac.kafka.GroupAuthorizer',
};
/** What a node has if Kafka decides. */
export const STANDARD = { 'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer' };

/** The classes of Kafka and of the plugin, for `java -cp`. */
export function classpath() {
  if (!GBAC_KAFKA_LIBS || !GBAC_KAFKA_PLUGIN) throw new Error('GBAC_KAFKA_LIBS and GBAC_KAFKA_PLUGIN name the jars; `cargo xtask` sets them');
  return [join(GBAC_KAFKA_LIBS, '*'), GBAC_KAFKA_PLUGIN].join(delimiter);
}

/** The version of Kafka, from the name of a jar. */
export const VERSION = readdirSync(GBAC_KAFKA_LIBS ?? '.').join('\n').match(/^kafka-clients-([\d.]+)\.jar$/m)?.[1] ?? '';

/** The class of a command about a cluster. */
export const tool = (name) => `${VERSION.startsWith('3.') ? 'kafka.admin' : 'org.apache.kafka.tools'}.${name}`;

/** The arguments of `java` for a class of Kafka; `urls` are those from which a client or a broker reads tokens and keys. */
export const java = ({ heap = '256m', urls = [], more = [] } = {}) => [
  ...JVM,
  `-Xmx${heap}`,
  ...(urls.length > 0 ? [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${urls.join(',')}`] : []),
  ...more,
  '-cp',
  classpath(),
];

/** Properties as text. */
export const properties = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${String(value).replaceAll('\\', '\\\\')}\n`)
    .join('');

const plain = (password, more = '') =>
  `org.apache.kafka.common.security.plain.PlainLoginModule required username="${ADMIN}" password="${password}"${more};`;

/** What a client needs to sign in with the token in a file. */
export const tokenClient = (bootstrap, file) => ({
  'bootstrap.servers': bootstrap,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'OAUTHBEARER',
  'sasl.jaas.config': 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;',
  'sasl.login.callback.handler.class': 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler',
  'sasl.oauthbearer.token.endpoint.url': pathToFileURL(file).href,
});

/** What a client needs to sign in with a delegation token. */
export const delegationTokenClient = (bootstrap, { id, hmac }) => ({
  'bootstrap.servers': bootstrap,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'SCRAM-SHA-256',
  'sasl.jaas.config': `org.apache.kafka.common.security.scram.ScramLoginModule required username="${id}" password="${hmac}" tokenauth="true";`,
});

/**
 * Makes a cluster whose clients have tokens of this issuer.
 *
 * `nodes` is a list of roles, such as `['controller', 'broker']` or `['broker,controller']`. `settings` are properties of every
 * node; `start` starts all nodes or some, `stop` and `kill` end one. `set` changes the properties of one node, for its next
 * start. `heap` is the memory of each node. `log` gets what nodes print. `bootstrap` is the address for clients, and `admin` has the properties of the administrator.
 */
export async function makeCluster({ issuer, jwks, audience, nodes = ['controller', 'broker'], settings = PLUGIN, superusers = [], heap, log }) {
  const folder = await mkdtemp(join(tmpdir(), 'gbac-kafka-'));
  // Whoever ends this process from outside leaves no data behind.
  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.on('exit', clear);
  const password = randomBytes(16).toString('hex');
  // Kafka's own tools take an ID that begins with `-` for an option, so its first bit is 0.
  const bytes = randomBytes(16);
  bytes[0] &= 0x7f;
  const id = bytes.toString('base64url');
  const ports = await freePorts(nodes.length * 3);
  const brokers = [];
  const members = nodes.map((roles, index) => {
    const [controllers, clients, internal] = ports.slice(index * 3, index * 3 + 3).map((port) => `127.0.0.1:${port}`);
    const member = { id: index + 1, roles, controllers, clients, internal, own: { ...settings }, program: undefined };
    if (roles.includes('broker')) brokers.push(member);
    return member;
  });
  const voters = members.filter(({ roles }) => roles.includes('controller')).map(({ id: node, controllers }) => `${node}@${controllers}`);
  const copies = Math.min(3, brokers.length);

  const configuration = ({ id: node, roles, controllers, clients, internal, own }) => ({
    'process.roles': roles,
    'node.id': node,
    'controller.quorum.voters': voters.join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: [
      ...(roles.includes('controller') ? [`CONTROLLER://${controllers}`] : []),
      ...(roles.includes('broker') ? [`CLIENTS://${clients}`, `BROKERS://${internal}`] : []),
    ].join(','),
    ...(roles.includes('broker') ? { 'inter.broker.listener.name': 'BROKERS' } : {}),
    'listener.security.protocol.map': 'CONTROLLER:SASL_PLAINTEXT,BROKERS:SASL_PLAINTEXT,CLIENTS:SASL_PLAINTEXT',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.controller.plain.sasl.jaas.config': plain(password, ` user_${ADMIN}="${password}"`),
    'listener.name.brokers.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.brokers.plain.sasl.jaas.config': plain(password, ` user_${ADMIN}="${password}"`),
    'listener.name.clients.sasl.enabled.mechanisms': 'OAUTHBEARER,SCRAM-SHA-256',
    'listener.name.clients.scram-sha-256.sasl.jaas.config': 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'listener.name.clients.oauthbearer.sasl.jaas.config':
      'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;',
    'listener.name.clients.oauthbearer.sasl.server.callback.handler.class':
      'org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler',
    'listener.name.clients.oauthbearer.connections.max.reauth.ms': 3_600_000,
    'listener.name.clients.sasl.oauthbearer.jwks.endpoint.url': jwks,
    'listener.name.clients.sasl.oauthbearer.expected.audience': audience,
    'listener.name.clients.sasl.oauthbearer.expected.issuer': issuer,
    'super.users': [...superusers, ADMIN].map((name) => `User:${name}`).join(';'),
    'delegation.token.secret.key': password,
    'log.dirs': join(folder, `data-${node}`),
    'auto.create.topics.enable': false,
    ...(roles.includes('controller') ? { 'default.replication.factor': copies } : {}),
    'offsets.topic.num.partitions': 1,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': Math.max(1, copies - 1),
    'min.insync.replicas': Math.max(1, copies - 1),
    'group.initial.rebalance.delay.ms': 0,
    'num.network.threads': 2,
    'num.io.threads': 2,
    ...own,
  });

  const write = async (member) => {
    const file = join(folder, `node-${member.id}.properties`);
    await writeFile(file, properties(configuration(member)), { mode: 0o600 });
    return file;
  };
  const command = (main, ...args) => [...java({ heap, urls: [jwks], more: [`-Dlog4j2.configurationFile=${LOG}`] }), main, ...args];
  const chosen = (ids) => members.filter(({ id: node }) => ids.length === 0 || ids.includes(node));

  const format = async (member) => run(JAVA, command('kafka.tools.StorageTool', 'format', '--cluster-id', id, '--config', await write(member)));
  await Promise.all(members.map(format));
  await mkdir(join(folder, 'tokens'), { mode: 0o700 });

  return {
    folder,
    bootstrap: brokers.map(({ clients }) => clients).join(','),
    /** The properties of the administrator, who is a superuser. */
    admin: {
      'bootstrap.servers': brokers.map(({ internal }) => internal).join(','),
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': plain(password),
    },
    /** The file of somebody's token. */
    tokenFile: (name) => join(folder, 'tokens', `${name}.jwt`),
    /** What nodes have printed since their last start. */
    output: (...ids) => chosen(ids).map(({ program }) => program?.output() ?? '').join(''),
    /** The listeners of a node, and their protocols. */
    listeners: (node) => {
      const [values] = chosen([node]).map(configuration);
      return { listeners: values.listeners, protocols: values['listener.security.protocol.map'] };
    },
    set: (node, own) => chosen([node]).forEach((member) => (member.own = own)),
    /** The same for every node. */
    setAll: (own) => members.forEach((member) => (member.own = own)),
    async start(...ids) {
      await Promise.all(
        chosen(ids).map(async (member) => {
          const node = command('kafka.Kafka', await write(member));
          member.program = await launch(JAVA, node, { ready: /Kafka Server started/, patience: START_MS, heard: log && eachLine(log) });
        }),
      );
    },
    async stop(...ids) {
      // Brokers first: a broker hands its partitions over with the help of the controller.
      const ordered = chosen(ids).sort((a, b) => a.roles.length - b.roles.length);
      for (const { program } of ordered) await program?.stop();
    },
    /** Resolves when any node has ended. */
    ended: () => Promise.race(members.map(({ program }) => program?.ended).filter(Boolean)),
    kill: async (...ids) => void (await Promise.all(chosen(ids).map(({ program }) => program?.kill()))),
    /** Ends everything and removes the folder. */
    async remove() {
      await Promise.all(members.map(({ program }) => program?.kill()));
      process.off('exit', clear);
      clear();
    },
  };
}

/** Gives whole lines of what comes in parts. */
function eachLine(heard) {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach((line) => heard(line));
  };
}

/** Free ports of loopback, below those that the system gives to connections. */
export async function freePorts(count) {
  const found = new Map();
  try {
    while (found.size < count) {
      const port = 10_000 + (randomBytes(2).readUInt16BE() % 20_000);
      const server = createServer();
      const isFree = await new Promise((resolve) => server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)));
      if (isFree) found.set(port, server);
    }
    return [...found.keys()];
  } finally {
    await Promise.all([...found.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
