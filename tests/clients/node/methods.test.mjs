// Every method of the platform's services in every encoding, over HTTP/1.1 and HTTP/2, with TLS and without it, through Connect for
// Node.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { ENCODINGS, clients, messages, start } from './services.mjs';

let services;
before(async () => {
  services = await start();
});
after(() => services?.stop());

/** The error of a call that has to fail with this code. */
async function refused(code, call) {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (error) => error,
  );
  assert.ok(error instanceof ConnectError, `${error}`);
  assert.equal(Code[error.code], code, error.message);
  assert.notEqual(error.rawMessage, '');
  return error;
}

/** The details of an error that have this message. */
const details = (error, name) => error.findDetails(messages.getMessage(`google.rpc.${name}`));

/** The calls of the Data Plane's SecurityService, whose messages the console wraps. */
const unwrapped = ({ wrapped }) =>
  new Proxy({}, { get: (_, method) => async (request) => (await wrapped[method]({ request })).response });

/** Checks the fields of a message that are expected. */
const partial = (message, fields) =>
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, message[name]])), fields);

const TOPIC = { resourceType: 2, resourceName: 'clients-orders', resourcePatternType: 4 };
const RULE = { principal: 'Group:/clients', host: '*', operation: 10, permissionType: 2 };

for (const tls of [false, true])
  for (const [encoding, [, , versions]] of Object.entries(ENCODINGS))
    for (const httpVersion of versions)
      describe(`${encoding}, HTTP/${httpVersion}${tls ? ' with TLS' : ''}`, () => {
        const as = (who) => clients(services, { encoding, httpVersion, tls }, services.headers[who]);

        test('ACLService', async () => {
          const { acls } = as('admin');
          await acls.createACL({ ...TOPIC, ...RULE });
          const { resources } = await acls.listACLs({ filter: { resourceName: TOPIC.resourceName } });
          assert.equal(resources.length, 1);
          partial(resources[0], TOPIC);
          partial(resources[0].acls[0], RULE);
          const filter = { resourceName: TOPIC.resourceName };
          await refused('InvalidArgument', acls.deleteACLs({ filter }));
          const any = { resourceType: 1, resourcePatternType: 1, operation: 1, permissionType: 1 };
          const { matchingAcls } = await acls.deleteACLs({ filter: { ...filter, ...any } });
          assert.equal(matchingAcls.length, 1);
          partial(matchingAcls[0], { ...TOPIC, ...RULE });
        });

        for (const [name, roles] of [
          ['the Data Plane', (by) => by.roles],
          ['the console', unwrapped],
        ])
          test(`SecurityService of ${name}`, async () => {
            const by = roles(as('admin'));
            const role = { name: 'clients a/b' };
            assert.equal((await by.createRole({ role })).role.name, role.name);
            const add = ['User:a', 'Group:/b', 'Group:/c'].map((principal) => ({ principal }));
            assert.equal((await by.updateRoleMembership({ roleName: role.name, add })).added.length, 3);
            await refused('AlreadyExists', by.createRole({ role }));
            const { removed } = await by.updateRoleMembership({ roleName: role.name, remove: add.slice(2) });
            assert.equal(removed.length, 1);
            await by.updateRoleMembership({ roleName: `${role.name} 2`, create: true, add });
            assert.equal((await by.getRole({ roleName: role.name })).members.length, 2);
            const names = [];
            let pageToken = '';
            do {
              const page = await by.listRoles({ filter: { namePrefix: 'clients' }, pageSize: 1, pageToken });
              names.push(...page.roles.map(({ name }) => name));
              pageToken = page.nextPageToken;
            } while (pageToken !== '');
            assert.deepEqual(names, [role.name, `${role.name} 2`]);
            const { members } = await by.listRoleMembers({ roleName: role.name, filter: { nameContains: 'b' } });
            assert.deepEqual(members.map(({ principal }) => principal), ['Group:/b']);
            for (const roleName of names) await by.deleteRole({ roleName, deleteAcls: true });
            const missing = await refused('NotFound', by.getRole({ roleName: role.name }));
            assert.equal(details(missing, 'ErrorInfo')[0].reason, 'REASON_RESOURCE_NOT_FOUND');
          });

        test('SecurityService of the Admin API', async () => {
          const { admin } = as('admin');
          const name = 'clients-v2';
          const group = { member: { case: 'group', value: { name: '/eng é' } } };
          const maya = { member: { case: 'user', value: { name: 'maya.okafor' } } };
          const created = await admin.createRole({ role: { name, members: [group] } });
          assert.equal(created.role.members[0].member.value.name, '/eng é');
          await refused('AlreadyExists', admin.createRole({ role: { name } }));
          assert.equal((await admin.addRoleMembers({ roleName: name, members: [maya] })).role.members.length, 2);
          assert.equal((await admin.getRole({ name })).role.members.length, 2);
          assert.ok((await admin.listRoles({})).roles.some((role) => role.name === name && role.members.length === 2));
          const user = as('user').admin;
          assert.deepEqual((await user.listCurrentUserRoles({})).roles, [name]);
          const identity = await user.resolveOidcIdentity({});
          assert.equal(identity.principal, 'maya.okafor');
          assert.deepEqual(identity.groups, ['engineering', 'analytics']);
          assert.ok(timestampDate(identity.expire) > new Date());
          const left = await admin.removeRoleMembers({ roleName: name, members: [group] });
          assert.equal(left.role.members[0].member.case, 'user');
          await admin.refreshOidcKeys({});
          await admin.revokeOidcSessions({});
          await admin.deleteRole({ name, deleteAcls: true });
          await refused('NotFound', admin.getRole({ name }));
        });

        test('errors', async () => {
          const invalid = await refused('InvalidArgument', as('admin').acls.createACL({ principal: 'x' }));
          assert.equal(details(invalid, 'ErrorInfo')[0].reason, 'REASON_INVALID_INPUT');
          const fields = details(invalid, 'BadRequest')[0].fieldViolations.map(({ field }) => field);
          assert.ok(fields.includes('principal') && fields.includes('resource_type'), `${fields}`);
          const role = { name: 'mine' };
          await refused('PermissionDenied', as('user').roles.createRole({ role }));
          await refused('Unauthenticated', as('nobody').roles.createRole({ role }));
        });
      });
