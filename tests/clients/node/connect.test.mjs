// The SecurityService through the Connect protocol's own client: its transport, its JSON, its errors (specification 4.3).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { basic } from '../../e2e/support/ask.mjs';
import { startCluster } from '../../e2e/support/cluster.mjs';
import { startProvider } from '../../e2e/support/provider.mjs';
import { PACKAGES, group, securityClient, user, written } from './security-service.mjs';

let provider, cluster;

before(async () => {
  provider = await startProvider();
  const flags = ['--oidc-discovery-url', provider.discovery, '--oidc-audience', provider.audience];
  cluster = await startCluster({ flags });
});
after(async () => {
  await cluster?.remove();
  await provider?.stop();
});

const bearer = async (person) => `Bearer ${await provider.token(person)}`;
const asAdmin = (how) => securityClient(cluster.origin, cluster.authorization, how);

/** The code of the error that a call ends with. */
async function codeOf(call) {
  const error = await call.then(
    () => assert.fail('the call was answered'),
    (error) => error,
  );
  assert.ok(error instanceof ConnectError, `${error}`);
  assert.notEqual(error.rawMessage, '');
  return Code[error.code];
}

for (const httpVersion of ['1.1', '2'])
  for (const package_ of PACKAGES)
    describe(`HTTP ${httpVersion}, ${package_}`, () => {
      const how = { httpVersion, package_ };
      // A name that an address, a form and JSON each write in their own way.
      const name = `a b+c ${httpVersion} ${package_}`;

      test('a role lives from its creation to its end', async () => {
        const client = asAdmin(how);
        const created = await client.createRole({ role: { name, members: [user('maya.okafor')] } });
        assert.deepEqual(written(created.role), { name, members: ['user maya.okafor'] });

        const added = await client.addRoleMembers({
          roleName: name,
          members: [group('/departments/eng'), group('Group:/departments/eng'), group('eng'), user('eng')],
        });
        // Names are bare: what looks like a type in front of a group's is a part of it.
        const members = [
          'group /departments/eng',
          'group Group:/departments/eng',
          'group eng',
          'user eng',
          'user maya.okafor',
        ];
        assert.deepEqual(written(added.role), { name, members });
        const again = await client.addRoleMembers({ roleName: name, members: [group('eng')] });
        assert.deepEqual(written(again.role), { name, members });
        assert.deepEqual(written((await client.getRole({ name })).role), { name, members });
        const listed = (await client.listRoles({})).roles.find((role) => role.name === name);
        assert.deepEqual(written(listed), { name, members });

        const removed = await client.removeRoleMembers({
          roleName: name,
          members: [group('/departments/eng'), user('eng'), user('nobody')],
        });
        const left = ['group Group:/departments/eng', 'group eng', 'user maya.okafor'];
        assert.deepEqual(written(removed.role), { name, members: left });

        assert.deepEqual(Object.keys(await client.deleteRole({ name })), ['$typeName']);
        assert.equal(await codeOf(client.getRole({ name })), 'NotFound');
        // So it is on the platform: what is not there is deleted.
        await client.deleteRole({ name });
      });

      test('a token is resolved, with its expiry as a timestamp', async () => {
        const token = await provider.token('jonas.lindqvist');
        const { exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
        const seen = await securityClient(cluster.origin, `Bearer ${token}`, how).resolveOidcIdentity({});
        assert.equal(seen.principal, 'jonas.lindqvist');
        assert.deepEqual(seen.groups, ['/eng/payments', '/contractors/payments', '/eng/platform/on-call']);
        assert.equal(timestampDate(seen.expire).getTime(), exp * 1000);
      });

      test('every error has its code', async () => {
        const client = asAdmin(how);
        const as = (authorization) => securityClient(cluster.origin, authorization, how);
        const taken = { name: `taken ${name}`, members: [group('eng')] };
        await client.createRole({ role: taken });
        // The very same role again is no change.
        await client.createRole({ role: taken });
        assert.equal(await codeOf(client.createRole({ role: { ...taken, members: [] } })), 'AlreadyExists');

        const members = [group('eng')];
        assert.equal(await codeOf(client.addRoleMembers({ roleName: 'nowhere', members })), 'NotFound');
        assert.equal(await codeOf(client.removeRoleMembers({ roleName: 'nowhere', members })), 'NotFound');
        assert.equal(await codeOf(client.createRole({ role: { name: '' } })), 'InvalidArgument');
        assert.equal(await codeOf(client.createRole({})), 'InvalidArgument');
        // A user that names a type in its name is a slip of the pen.
        for (const member of [{}, group(''), user(''), user('Group:eng')])
          assert.equal(
            await codeOf(client.addRoleMembers({ roleName: taken.name, members: [member] })),
            'InvalidArgument',
          );
        assert.equal(await codeOf(client.forgetEverything({})), 'Unimplemented');
        assert.equal(await codeOf(client.resolveOidcIdentity({})), 'FailedPrecondition');

        for (const authorization of [undefined, 'Bearer x.y.z', 'Bearer']) {
          assert.equal(await codeOf(as(authorization).listRoles({})), 'Unauthenticated');
          assert.equal(await codeOf(as(authorization).resolveOidcIdentity({})), 'Unauthenticated');
        }
        assert.equal(await codeOf(as(basic('admin', 'wrong')).listRoles({})), 'Unauthenticated');
        const person = as(await bearer('maya.okafor'));
        for (const call of [
          () => person.createRole({ role: { name: 'mine' } }),
          () => person.getRole({ name: taken.name }),
          () => person.listRoles({}),
          () => person.addRoleMembers({ roleName: taken.name, members: [user('maya.okafor')] }),
          () => person.removeRoleMembers({ roleName: taken.name, members }),
          () => person.deleteRole({ name: taken.name }),
          () => person.refreshOidcKeys({}),
        ])
          assert.equal(await codeOf(call()), 'PermissionDenied');
        assert.deepEqual(written((await client.getRole({ name: taken.name })).role).members, ['group eng']);
        await client.deleteRole({ name: taken.name });
      });
    });

test('a caller learns the roles that name it, and not those of its groups', async () => {
  const admin = asAdmin();
  await admin.createRole({ role: { name: 'by name', members: [user('maya.okafor'), user('admin')] } });
  await admin.createRole({ role: { name: 'by group', members: [group('engineering')] } });
  const { roles } = await securityClient(cluster.origin, await bearer('maya.okafor')).listCurrentUserRoles({});
  assert.deepEqual(roles, ['by name']);
  assert.deepEqual((await admin.listCurrentUserRoles({})).roles, ['by name']);
  await admin.refreshOidcKeys({});
  for (const name of ['by name', 'by group']) await admin.deleteRole({ name });
});

test('what the client did is what the Data Plane says, also after the service was killed', async () => {
  const admin = asAdmin();
  const name = 'a b+c';
  await admin.createRole({ role: { name, members: [group('/departments/eng'), user('maya.okafor')] } });
  // So much that the answer is compressed; the client asks for gzip and brotli.
  const many = Array.from({ length: 200 }, (_, at) => `role ${at}`);
  for (const role of many) await admin.createRole({ role: { name: role, members: [group(`/${role}`)] } });

  const seen = async () => {
    const { body } = await cluster.ask('GET', `/v1/roles/${encodeURIComponent(name)}/members`);
    return body.members.map(({ principal }) => principal);
  };
  assert.deepEqual(await seen(), ['User:maya.okafor', 'Group:/departments/eng']);
  const listed = (await admin.listRoles({}, { timeoutMs: 120_000 })).roles.map(written);
  await cluster.kill();
  assert.equal(await codeOf(admin.listRoles({})), 'Unavailable');
  await cluster.start();
  assert.deepEqual(await seen(), ['User:maya.okafor', 'Group:/departments/eng']);
  assert.deepEqual((await admin.listRoles({})).roles.map(written), listed);
  assert.deepEqual(
    listed.map((role) => role.name),
    [name, ...many].sort(),
  );
});
