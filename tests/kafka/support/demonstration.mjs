// The demonstration: a cluster with the plugin, a service that manages its ACLs, and an identity provider for both.

import { appendFileSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GBAC, serve } from '../../e2e/support/launch.mjs';
import { calling } from '../../e2e/support/service.mjs';
import { JAVA, PLUGIN, java, makeCluster, properties, tokenClient, tool } from './cluster.mjs';
import { startClients } from './clients.mjs';
import { startIssuer } from './issuer.mjs';
import { answers } from './until.mjs';

/** The password of the service's account `admin`. */
export const PASSWORD = 'demonstration';
/** How long tokens are valid, in seconds: longer than anybody looks at a demonstration. */
const TOKEN_LASTS = 7 * 24 * 3600;
/** The user with whose token the nodes read the members of roles. */
const NODES = 'kafka-roles';
/** The claims of each user: groups in one string, groups that are paths, and more groups than a token holds. */
const PEOPLE = {
  'maya.okafor': { groups: 'engineering, analytics ,  ' },
  'jonas.lindqvist': { groups: ['/eng/payments', '/contractors/payments', '/eng/platform/on-call'] },
  'priya.raman': { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://directory.example.com/groups' } } },
};
/** Kafka's programs, as they are named in its folder `bin`. */
const TOOLS = {
  'kafka-acls.sh': tool('AclCommand'),
  'kafka-console-producer.sh': 'org.apache.kafka.tools.ConsoleProducer',
};
/** Where a shell finds everything, in the cluster's folder. */
const SHELL_FILE = 'demo.sh';
const DENIALS_FILE = 'kafka-authorizer.log';

/**
 * Starts everything on a policy document. `log` gets each line that brokers and controllers print, and the denial in it.
 *
 * `people` are the users of the identity provider, each with the file of a token. `commands` are lines for a shell that has read
 * `shellFile`: a producer that is allowed, one that is denied, and the list of the cluster's ACLs. `read` waits until the service
 * has all ACLs of the cluster.
 */
export async function startDemonstration(policyFile, { log = () => {} } = {}) {
  const document = JSON.parse(await readFile(policyFile, 'utf8'));
  const issuer = await startIssuer();
  let service, cluster, clients;
  const stop = async () => {
    await Promise.all([clients?.stop(), service?.stop()]);
    await Promise.all([cluster?.remove(), issuer.stop()]);
  };
  try {
    cluster = await makeCluster({ ...issuer, superusers: document.settings?.superusers, log: heard });
    const people = [];
    for (const [name, claims] of Object.entries({ ...PEOPLE, [NODES]: {} })) {
      const file = cluster.tokenFile(name);
      await issuer.write(file, { sub: name, ...claims }, TOKEN_LASTS);
      if (name !== NODES) people.push({ name, file, token: await readFile(file, 'utf8') });
    }
    await writeFile(join(cluster.folder, 'admin.properties'), properties(cluster.admin), { mode: 0o600 });
    service = await startService(cluster, issuer);
    const settings = { ...document.settings, access: { read_only: [`User:${NODES}`] } };
    await service.putPolicy({ ...document, settings, acls: [] });
    cluster.setAll({
      ...PLUGIN,
      ...extraction(document.settings),
      'gbac.roles.url': `${service.origin}/gbac/v1/policy`,
      'gbac.roles.token.file': cluster.tokenFile(NODES),
      'gbac.denials.format': 'json',
      'gbac.console.url': service.origin,
    });
    await cluster.start();
    clients = startClients();
    const admin = await clients.open('admin', cluster.admin);
    const topics = [...new Set(document.acls.filter(isTopic).map((acl) => acl.resource_name))];
    await admin.call('createTopics', { topics });
    await admin.call('createAcls', { acls: document.acls });
    await admin.close();
    const read = (count) => answers(count, async () => (await service.policy()).acls.length);
    await read(document.acls.length);
    await writePrograms(cluster, service, people);
    await writeFile(join(cluster.folder, 'roles.json'), JSON.stringify({ ...document, acls: [] }));
    return {
      service, cluster, clients, document, topics, people, stop, read,
      shellFile: join(cluster.folder, SHELL_FILE),
      denials: join(cluster.folder, DENIALS_FILE),
      commands: await commands(service, topics, people),
    };
  } catch (error) {
    await stop();
    throw error;
  }

  /** Denials go to a file, as with an appender of the authorizer's logger. */
  function heard(line) {
    const denial = line.match(/\{"time":.*"event":"denied".*\}/);
    if (denial) appendFileSync(join(cluster.folder, DENIALS_FILE), `${denial[0]}\n`);
    log(line, denial && JSON.parse(denial[0]));
  }
}

async function startService(cluster, { issuer, audience }) {
  const { GBAC_CONSOLE: console } = process.env;
  const flags = [
    ...['--data', join(cluster.folder, 'data'), '--listen', '127.0.0.1:0'],
    ...['--cluster', `demo=kafka://${cluster.admin['bootstrap.servers']}`],
    ...['--cluster-config', `demo=${join(cluster.folder, 'admin.properties')}`],
    ...['--oidc-discovery-url', `${issuer}/.well-known/openid-configuration`, '--oidc-audience', audience],
    ...(console ? ['--console', console] : []),
  ];
  const { origin, ...program } = await serve(flags, { GBAC_ADMIN_PASSWORD: PASSWORD });
  return { ...calling(origin, PASSWORD), ...program };
}

const isTopic = ({ resource_type: type, resource_pattern_type: pattern, resource_name: name }) =>
  type === 'RESOURCE_TYPE_TOPIC' && pattern === 'RESOURCE_PATTERN_TYPE_LITERAL' && name !== '*';

/** The plugin's properties for the settings of a document. */
function extraction({ oidc_group_claim_path: path, nested_group_behavior: nested, oidc_principal_mapping: mapping } = {}) {
  return {
    ...(path === undefined ? {} : { 'gbac.groups.claim': path }),
    ...(nested === undefined ? {} : { 'gbac.groups.nested': nested }),
    ...(mapping === undefined ? {} : { 'gbac.principal.mapping': mapping }),
  };
}

/** What the service says about an operation on a topic, for the user of a token. */
export async function verdicts(service, questions) {
  const evaluations = questions.map(({ token, operation, topic }) => ({
    subject: { type: 'token', id: token },
    action: { name: operation },
    resource: { type: 'topic', id: topic },
    context: { host: '127.0.0.1' },
  }));
  const { body } = await service.ask('POST', '/access/v1/evaluations', { body: { evaluations } });
  return body.evaluations.map(({ decision, context }) => {
    if (context.error) throw new Error(`the service refuses a question: ${JSON.stringify(context)}`);
    return decision;
  });
}

/** A word of a command line. */
const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Writes the programs, the properties of each user, and the file that a shell reads to find them. */
async function writePrograms({ folder, bootstrap, admin }, { origin }, people) {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(resolve(GBAC), join(bin, 'gbac'));
  // The long arguments are in a file.
  const options = join(folder, 'java.args');
  const quoted = java({ urls: people.map(({ file }) => tokenClient('', file)['sasl.oauthbearer.token.endpoint.url']) });
  await writeFile(options, quoted.map((argument) => `"${argument.replaceAll('\\', '\\\\')}"\n`).join(''));
  for (const [name, main] of Object.entries(TOOLS)) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${quote(JAVA)} ${quote(`@${options}`)} ${main} "$@"\n`);
    await chmod(join(bin, name), 0o700);
  }
  for (const { name, file } of people) {
    // An idempotent producer of somebody who can write nowhere would be told about the cluster, and not about the topic.
    const client = { ...tokenClient(bootstrap, file), 'enable.idempotence': false };
    await writeFile(join(folder, `${name}.properties`), properties(client));
  }
  const variables = {
    XDG_CONFIG_HOME: folder,
    GBAC_URL: origin,
    GBAC_USER: 'admin',
    GBAC_PASSWORD: PASSWORD,
    CLIENTS: bootstrap,
    BROKERS: admin['bootstrap.servers'],
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}\n`);
  const script = `cd ${quote(folder)} || return\nexport PATH=${quote(bin)}:"$PATH"\n${lines.join('')}`;
  await writeFile(join(folder, SHELL_FILE), script, { mode: 0o600 });
}

async function commands(service, topics, people) {
  // Only a synchronous producer prints why it is denied before it ends.
  const produce = ({ person, topic }) =>
    `echo hello | kafka-console-producer.sh --bootstrap-server "$CLIENTS" --topic ${quote(topic)} --sync --command-config ${person.name}.properties`;

  const writes = topics.flatMap((topic) => people.map((person) => ({ person, topic, token: person.token, operation: 'write' })));
  const decisions = await verdicts(service, writes);
  const first = (decision) => writes.find((_, index) => decisions[index] === decision);
  const [allowed, denied] = [first(true), first(false)];
  return {
    allowed: allowed && { user: allowed.person.name, topic: allowed.topic, line: produce(allowed) },
    denied: denied && { user: denied.person.name, topic: denied.topic, line: produce(denied) },
    acls: 'kafka-acls.sh --bootstrap-server "$BROKERS" --command-config admin.properties --list',
  };
}
