// Reads the generated workload, and computes data about the rules that several engines need.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a policy document. */
export const policyText = (folder, acls) => readFileSync(join(folder, String(acls), 'policy.json'), 'utf8');

/** `{ groups, identities: [{ user, groups }], queries: [{ identity, operation, resource_type, name, allowed }] }` */
export const asking = (folder, acls, groups) =>
  JSON.parse(readFileSync(join(folder, String(acls), `questions-${groups}.json`), 'utf8'));

/** The first identities with their queries. */
export const fewer = (asking, identities) => ({
  ...asking,
  identities: asking.identities.slice(0, identities),
  queries: asking.queries.filter((query) => query.identity < identities),
});

const TYPES = { RESOURCE_TYPE_TOPIC: 'topic', RESOURCE_TYPE_GROUP: 'group', RESOURCE_TYPE_TRANSACTIONAL_ID: 'transactional-id' };

/** Every operation of a request. */
export const OPERATIONS = ['read', 'write', 'create', 'delete', 'alter', 'describe', 'describeconfigs', 'alterconfigs'];

const IMPLIED = { read: ['describe'], write: ['describe'], delete: ['describe'], alter: ['describe'], alterconfigs: ['describeconfigs'] };

/**
 * The document's ACLs in the short form: `operations` are those to which the ACL applies, including the implied ones of an
 * allow.
 */
export function acls(document) {
  return document.acls.map((acl) => {
    const operation = acl.operation.slice('OPERATION_'.length).toLowerCase().replaceAll('_', '');
    const deny = acl.permission_type === 'PERMISSION_TYPE_DENY';
    const implied = deny ? [] : IMPLIED[operation] ?? [];
    return {
      type: TYPES[acl.resource_type],
      name: acl.resource_name,
      prefixed: acl.resource_pattern_type === 'RESOURCE_PATTERN_TYPE_PREFIXED',
      principal: acl.principal,
      deny,
      all: operation === 'all',
      operations: operation === 'all' ? OPERATIONS : [operation, ...implied],
    };
  });
}

/** For each principal, the roles that it is a member of, as principals. */
export function rolesOf(document) {
  const roles = new Map();
  for (const { name, members } of document.roles) {
    for (const { principal } of members) {
      if (!roles.has(principal)) roles.set(principal, []);
      roles.get(principal).push(`Role:${name}`);
    }
  }
  return roles;
}

/** All principals of an identity: the user, everyone, the groups, and the roles of these. */
export function principalsOf({ user, groups }, roles) {
  const own = [`User:${user}`, 'User:*', ...groups.map((group) => `Group:${group}`)];
  return new Set(own.flatMap((principal) => [principal, ...(roles.get(principal) ?? [])]));
}
