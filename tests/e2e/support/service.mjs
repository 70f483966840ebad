// The demonstration, on a port of its own.
//
// GBAC_CONSOLE names a folder with the console's files, in place of those that the program holds.

import { asking, basic } from './ask.mjs';
import { serve } from './launch.mjs';
import { borrow } from './shared.mjs';

/** Its password is the demo's own, whatever the environment says. */
function start(listen, flags) {
  const { GBAC_CONSOLE: console } = process.env;
  return serve(['--demo', '--listen', listen, ...flags, ...(console ? ['--console', console] : [])]);
}

/** Starts the demo, with these flags besides. */
export async function startService(flags = []) {
  let demo = await start('127.0.0.1:0', flags);
  const { origin } = demo;
  return {
    ...calling(origin),
    output: () => demo.output(),
    /** Resolves when the process has ended. */
    ended: () => demo.ended,
    /** Ends the process; whoever asks now gets no answer. */
    stop: () => demo.stop(),
    /** Starts again on the same port, as new as after any start: a demo remembers nothing. */
    async restart() {
      demo = await start(new URL(origin).host, flags);
    },
  };
}

/** A demo of the run, with the policy that it began with, until `stop` is called; one of its own for a file that runs alone. */
export async function borrowService() {
  const loan = await borrow('service');
  if (!loan) return await startService();
  const { origin, policy } = loan.thing;
  const service = calling(origin);
  await service.putPolicy(policy);
  await service.putTests([]);
  return { ...service, output: () => 'the run keeps what its services said\n', stop: async () => loan.giveBack() };
}

/** What a test asks the service itself, over HTTP as any other client. */
export function calling(origin, password = 'demo') {
  const ask = asking(origin, basic('admin', password));
  const role = (name) => `/v1/roles/${encodeURIComponent(name)}`;
  return {
    origin,
    /** A request as the admin. */
    ask,
    /** What the service says about itself. */
    info: async () => (await ask('GET', '/gbac/v1/service')).body,
    /** The people of its demo provider, each with a new token. */
    people: async () => (await ask('GET', '/demo/idp/people')).body,
    /** A new token of one of them. */
    token: async (id) => (await ask('GET', '/demo/idp/people')).body.find((person) => person.id === id).token,
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
      // The platform's API spells role principals `RedpandaRole:`, and the console `Role:` (D-06).
      return rows.map((row) => short(row).replace('RedpandaRole:', 'Role:')).sort();
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
    /** The tests that are stored with the service. */
    tests: async () => (await ask('GET', '/gbac/v1/tests')).body.tests,
    putTests: (tests) =>
      ask('PUT', '/gbac/v1/tests', { body: { version: 1, tests }, headers: { 'if-match': '*' } }),
    /** Changes cluster properties, as a superuser does over the Admin API. */
    setProperties: (upsert) => ask('PUT', '/v1/cluster_config', { body: { upsert, remove: [] } }),
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
