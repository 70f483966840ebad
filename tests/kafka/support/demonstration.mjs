// The demonstration: a service with its identity provider, and a cluster with the same policy.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from '../../e2e/support/service.mjs';
import { JAVA, PLUGIN, java, makeCluster, properties, tokenClient } from './cluster.mjs';
import { startClients } from './clients.mjs';

/** The audience of the demo's tokens. */
const AUDIENCE = 'streams';
const PRODUCER = 'org.apache.kafka.tools.ConsoleProducer';
const ACLS = 'org.apache.kafka.tools.AclCommand';

/**
 * Starts everything on a policy document. `log` gets what brokers and controllers print.
 *
 * `people` are those of the service's identity provider, each with the file of a token. `commands` are command lines for a
 * terminal: of a producer that the service allows, of one that it denies, and the list of the cluster's ACLs.
 */
export async function startDemonstration(policyFile, { log } = {}) {
  const document = JSON.parse(await readFile(policyFile, 'utf8'));
  const service = await startService();
  let cluster, clients;
  const stop = async () => {
    await Promise.all([clients?.stop(), cluster?.remove(), service.stop()]);
  };
  try {
    await service.putPolicy(document);
    const issuer = `${service.origin}/demo/idp`;
    cluster = await makeCluster({
      issuer,
      jwks: `${issuer}/jwks`,
      audience: AUDIENCE,
      superusers: document.settings?.superusers,
      settings: { ...PLUGIN, ...extraction(document.settings), 'gbac.roles.url': `${service.origin}/gbac/v1/policy` },
      log,
    });
    await cluster.start();
    clients = startClients();
    const admin = await clients.open('admin', cluster.admin);
    const topics = [...new Set(document.acls.filter(isTopic).map((acl) => acl.resource_name))];
    await admin.call('createTopics', { topics });
    await admin.call('createAcls', { acls: document.acls });
    await admin.close();
    const people = await writeTokens(service, cluster);
    for (const person of people) {
      // An idempotent producer of somebody who can write nowhere would be told about the cluster, and not about the topic.
      const client = { ...tokenClient(cluster.bootstrap, person.file), 'enable.idempotence': false };
      await writeFile(propertiesOf(cluster, person), properties(client));
    }
    return {
      service, cluster, clients, document, topics, people, stop,
      commands: await commands(service, cluster, topics, people),
      /** Replaces the tokens, which are valid for an hour. */
      renewTokens: () => writeTokens(service, cluster),
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

/** Everybody with a new token in a file, which is replaced at once. */
async function writeTokens(service, cluster) {
  const people = [];
  for (const { token } of await service.people()) {
    const { sub: name } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
    const file = cluster.tokenFile(name);
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
    people.push({ name, token, file });
  }
  return people;
}

const propertiesOf = (cluster, { name }) => join(cluster.folder, `${name}.properties`);

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

async function commands(service, cluster, topics, people) {
  // One line for a terminal: the long arguments are in a file.
  const options = join(cluster.folder, 'java.args');
  const quoted = java({ urls: people.map(({ file }) => tokenClient('', file)['sasl.oauthbearer.token.endpoint.url']) });
  await writeFile(options, quoted.map((argument) => `"${argument.replaceAll('\\', '\\\\')}"\n`).join(''));
  const run = `${quote(JAVA)} ${quote(`@${options}`)}`;
  const adminFile = join(cluster.folder, 'admin.properties');
  await writeFile(adminFile, properties(cluster.admin), { mode: 0o600 });
  // Only a synchronous producer prints why it is denied before it ends.
  const produce = ({ person, topic }) =>
    `echo hello | ${run} ${PRODUCER} --bootstrap-server ${cluster.bootstrap} --topic ${quote(topic)} --sync --command-config ${quote(propertiesOf(cluster, person))}`;

  const writes = topics.flatMap((topic) => people.map((person) => ({ person, topic, token: person.token, operation: 'write' })));
  const decisions = await verdicts(service, writes);
  const first = (decision) => writes.find((_, index) => decisions[index] === decision);
  const [allowed, denied] = [first(true), first(false)];
  return {
    allowed: allowed && { user: allowed.person.name, topic: allowed.topic, line: produce(allowed) },
    denied: denied && { user: denied.person.name, topic: denied.topic, line: produce(denied) },
    acls: `${run} ${ACLS} --bootstrap-server ${cluster.admin['bootstrap.servers']} --command-config ${quote(adminFile)} --list`,
  };
}
