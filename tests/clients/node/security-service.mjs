// The Admin API's SecurityService as a client of the Connect protocol sees it. Its description is made here, at run time,
// so that nothing but the published libraries lies between this test and the wire.

import { create, createFileRegistry } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';

/** Both names under which the service answers: the specification's, and the one of the platform's own clients. */
export const PACKAGES = ['service.core.admin.v2', 'redpanda.core.admin.v2'];

const TIMESTAMP = '.google.protobuf.Timestamp';

/** Every message with its fields, in order: `string`, `bool` or the name of a message; `[]` behind it is a list. */
const MESSAGES = {
  RoleUser: { name: 'string' },
  RoleGroup: { name: 'string' },
  RoleMember: { user: 'RoleUser', group: 'RoleGroup' },
  Role: { name: 'string', members: 'RoleMember[]' },
  CreateRoleRequest: { role: 'Role' },
  CreateRoleResponse: { role: 'Role' },
  GetRoleRequest: { name: 'string' },
  GetRoleResponse: { role: 'Role' },
  ListRolesRequest: {},
  ListRolesResponse: { roles: 'Role[]' },
  AddRoleMembersRequest: { role_name: 'string', members: 'RoleMember[]' },
  AddRoleMembersResponse: { role: 'Role' },
  RemoveRoleMembersRequest: { role_name: 'string', members: 'RoleMember[]' },
  RemoveRoleMembersResponse: { role: 'Role' },
  DeleteRoleRequest: { name: 'string', delete_acls: 'bool' },
  DeleteRoleResponse: {},
  ListCurrentUserRolesRequest: {},
  ListCurrentUserRolesResponse: { roles: 'string[]' },
  ResolveOidcIdentityRequest: {},
  ResolveOidcIdentityResponse: { principal: 'string', expire: TIMESTAMP, groups: 'string[]' },
  RefreshOidcKeysRequest: {},
  RefreshOidcKeysResponse: {},
  // No service has this one.
  ForgetEverythingRequest: {},
  ForgetEverythingResponse: {},
};

/** The messages of which a member has one. */
const CHOICES = { RoleMember: 'member' };

const SUFFIX = 'Request';

function field(package_, name, number, written, choice) {
  const list = written.endsWith('[]');
  const kind = list ? written.slice(0, -2) : written;
  const scalar = { string: Type.STRING, bool: Type.BOOL }[kind];
  return {
    name,
    jsonName: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    number,
    label: list ? Label.REPEATED : Label.OPTIONAL,
    type: scalar ?? Type.MESSAGE,
    typeName: scalar ? undefined : kind.startsWith('.') ? kind : `.${package_}.${kind}`,
    oneofIndex: choice ? 0 : undefined,
  };
}

function describe(package_) {
  const names = Object.keys(MESSAGES);
  const operations = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  return create(FileDescriptorProtoSchema, {
    name: `${package_}/security.proto`,
    package: package_,
    syntax: 'proto3',
    dependency: [file_google_protobuf_timestamp.proto.name],
    messageType: names.map((name) => ({
      name,
      field: Object.entries(MESSAGES[name]).map(([member, written], at) =>
        field(package_, member, at + 1, written, CHOICES[name]),
      ),
      oneofDecl: CHOICES[name] ? [{ name: CHOICES[name] }] : [],
    })),
    service: [
      {
        name: 'SecurityService',
        method: operations.map((name) => ({
          name,
          inputType: `.${package_}.${name}Request`,
          outputType: `.${package_}.${name}Response`,
        })),
      },
    ],
  });
}

/**
 * A client of the SecurityService: JSON over HTTP 1.1 or 2, with these credentials or none.
 */
export function securityClient(origin, authorization, { httpVersion = '1.1', package_ = PACKAGES[0] } = {}) {
  const files = createFileRegistry(describe(package_), (name) =>
    name === file_google_protobuf_timestamp.proto.name ? file_google_protobuf_timestamp : undefined,
  );
  const authorize = (next) => (request) => {
    if (authorization) request.header.set('Authorization', authorization);
    return next(request);
  };
  const transport = createConnectTransport({
    baseUrl: origin,
    httpVersion,
    useBinaryFormat: false,
    interceptors: [authorize],
  });
  return createClient(files.getService(`${package_}.SecurityService`), transport);
}

/** Whom a service sees in a token. */
export async function resolved(origin, token) {
  const { principal, groups } = await securityClient(origin, `Bearer ${token}`).resolveOidcIdentity({});
  return { principal, groups: [...groups] };
}

/** Members as messages. */
export const user = (name) => ({ member: { case: 'user', value: { name } } });
export const group = (name) => ({ member: { case: 'group', value: { name } } });

/** A role as text, its members sorted: no order is promised. */
export const written = ({ name, members }) => ({
  name,
  members: members.map(({ member: { case: kind, value } }) => `${kind} ${value.name}`).sort(),
});
