// The addresses of the platform's Terraform provider: gRPC over TLS at two names of one service, of which it derives the second.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { HOSTS, messages, SERVICES, start } from './services.mjs';

let services;
before(async () => (services = await start()));
after(() => services?.stop());

/** Every name is this machine. */
const lookup = (_name, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);

/** A client of a service at an address, as the provider makes one. */
function client(origin, service) {
  const authorize = (next) => (request) => {
    request.header.set('authorization', services.headers.admin);
    return next(request);
  };
  const nodeOptions = { ca: services.certificate, lookup };
  return createClient(
    messages.getService(service),
    createGrpcTransport({ baseUrl: origin, interceptors: [authorize], nodeOptions }),
  );
}

test('the second address of the provider is another name of the same service', async () => {
  const { port } = new URL(services.secure);
  const api = `https://${HOSTS.api}:${port}`;
  const console = api.replace('://api-', '://console-');
  assert.equal(console, `https://${HOSTS.console}:${port}`);

  const acls = client(api, SERVICES.acls);
  const pattern = { resourceType: 2, resourceName: 'provider', resourcePatternType: 3 };
  const acl = { ...pattern, principal: 'RedpandaRole:provider', host: '*', operation: 3, permissionType: 3 };
  await acls.createACL(acl);
  const roles = client(console, SERVICES.wrapped);
  await roles.createRole({ request: { role: { name: 'provider' } } });
  await roles.updateRoleMembership({ request: { roleName: 'provider', add: [{ principal: 'Group:/eng' }] } });

  // It reads back what it made: by type, name and pattern, and by the exact text of the principal.
  const { resources } = await acls.listACLs({ filter: pattern });
  assert.deepEqual(resources.map(({ acls: [{ principal }] }) => principal), ['RedpandaRole:provider']);
  const { response } = await roles.listRoleMembers({ request: { roleName: 'provider' } });
  assert.deepEqual(response.members.map(({ principal }) => principal), ['Group:/eng']);
  assert.equal((await client(api, SERVICES.roles).getRole({ roleName: 'provider' })).role.name, 'provider');

  await roles.deleteRole({ request: { roleName: 'provider', deleteAcls: true } });
  const missing = roles.getRole({ request: { roleName: 'provider' } });
  await assert.rejects(missing, (error) => ConnectError.from(error).code === Code.NotFound);
  assert.deepEqual((await acls.listACLs({ filter: pattern })).resources, []);
});

test('a name that the service does not have is refused', async () => {
  const { port } = new URL(services.secure);
  const other = client(`https://other-gbac.example:${port}`, SERVICES.acls);
  await assert.rejects(other.listACLs({}), /other-gbac\.example|certificate/);
});
