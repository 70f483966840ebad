// The built service: one process for each test file, on a port of its own, ended by its process id.
//
// GBAC_BIN names the program (default: target/debug/gbac). GBAC_CONSOLE names a folder with the console's files, in
// place of those that the program holds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program under test. */
export const GBAC = process.env.GBAC_BIN ?? fileURLToPath(new URL('../../../target/debug/gbac', import.meta.url));

const ADMIN = `Basic ${btoa('admin:demo')}`;
/** After this long a start has failed; the line that says it is ready ends the wait. */
const START_MS = 30_000;

const running = new Set();
// A test file that is ended from outside leaves no service behind.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function start(listen) {
  if (!existsSync(GBAC))
    throw new Error(`there is no ${GBAC}; build it with \`cargo build -p gbac\`, or name it in GBAC_BIN`);
  const args = ['serve', '--demo', '--listen', listen];
  if (process.env.GBAC_CONSOLE) args.push('--console', process.env.GBAC_CONSOLE);
  // A password from outside would not be the demo's.
  const { GBAC_ADMIN_PASSWORD: _, ...env } = process.env;
  const child = spawn(GBAC, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));

  const { promise: ready, resolve, reject } = deferred();
  const late = setTimeout(
    () => reject(new Error(`the service did not start within ${START_MS} ms; it said: ${said}`)),
    START_MS,
  );
  const look = () => {
    const line = said.match(/^listening on (http:\/\/\S+)$/m);
    if (line) resolve(line[1]);
  };
  child.stdout.on('data', look);
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`the service ended with ${code ?? signal}; it said: ${said}`)));
  try {
    return { child, origin: await ready, output: () => said };
  } finally {
    clearTimeout(late);
  }
}

function deferred() {
  const out = {};
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }));
  return out;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'exit');
  child.kill('SIGTERM');
  await over;
}

/** Starts the demo; everything that a test asks the service itself goes over HTTP, as any other client's would. */
export async function startService() {
  let { child, origin, output } = await start('127.0.0.1:0');

  /** A request as the superuser; a status other than a success is an error that says what was answered. */
  async function ask(method, path, { body, headers = {} } = {}) {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: ADMIN,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { response, body: text ? JSON.parse(text) : undefined };
  }

  const role = (name) => `/v1/roles/${encodeURIComponent(name)}`;
  return {
    origin,
    output: () => output(),
    /** What the service says about itself. */
    info: async () => (await ask('GET', '/gbac/v1/service')).body,
    /** The people of its demo provider, each with a new token. */
    people: async () => (await ask('GET', '/demo/idp/people')).body,
    /** Its demo provider's keys, as text. */
    keys: async () => JSON.stringify((await ask('GET', '/demo/idp/jwks')).body),
    /** The names of all roles. */
    async roles() {
      return (await ask('GET', '/v1/roles?page_size=1000')).body.roles.map(({ name }) => name);
    },
    /** The members of a role, as `Type:name`. */
    async members(name) {
      return (await ask('GET', `${role(name)}/members`)).body.members.map(({ principal }) => principal);
    },
    /** The ACLs of a principal (of everyone without one), each with its seven fields, short and sorted. */
    async acls(principal) {
      const query = principal === undefined ? '' : `?filter.principal=${encodeURIComponent(principal)}`;
      const { resources } = (await ask('GET', `/v1/acls${query}`)).body;
      const rows = resources.flatMap(({ acls, ...resource }) => acls.map((acl) => ({ ...resource, ...acl })));
      return rows.map(short).sort();
    },
    createRole: (name) => ask('POST', '/v1/roles', { body: { name } }),
    addMembers: (name, ...members) =>
      ask('PUT', role(name), { body: { create: true, add: members.map((principal) => ({ principal })) } }),
    createAcl: (acl) => ask('POST', '/v1/acls', { body: acl }),
    /** Reads the policy document. */
    policy: async () => (await ask('GET', '/gbac/v1/policy')).body,
    /** Puts another policy document in the place of the present one. */
    async putPolicy(document) {
      const { response } = await ask('GET', '/gbac/v1/policy');
      await ask('PUT', '/gbac/v1/policy', { body: document, headers: { 'if-match': response.headers.get('etag') } });
    },
    /** Changes cluster properties, as a superuser does over the Admin API. */
    setProperties: (upsert) => ask('PUT', '/v1/cluster_config', { body: { upsert, remove: [] } }),
    /** Ends the process; whoever asks now gets no answer. */
    stop: () => end(child),
    /** Starts again on the same port, as new as after any start: a demo remembers nothing. */
    async restart() {
      ({ child, output } = await start(new URL(origin).host));
    },
  };
}

const word = (text, prefix) => text.replace(prefix, '').toLowerCase();

/** One ACL in one line: `allow read topic literal payments from * for Role:R`. */
function short(acl) {
  return [
    word(acl.permission_type, 'PERMISSION_TYPE_'),
    word(acl.operation, 'OPERATION_'),
    word(acl.resource_type, 'RESOURCE_TYPE_'),
    word(acl.resource_pattern_type, 'RESOURCE_PATTERN_TYPE_'),
    acl.resource_name,
    `from ${acl.host} for ${acl.principal}`,
  ].join(' ');
}
