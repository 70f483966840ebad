// The short form of ACLs: `{ allow: ['read', 'describe'], topic: 'orders-*', to: 'Group:eng' }`.
import { listed, requestOf } from './arguments.js';
import { EngineError, kind, noMore, unknownValue, wellFormed } from './error.js';

/** The operations and resource types by their short names; a test compares them with the declarations. */
export const OPERATIONS = {
  __proto__: null,
  all: 'OPERATION_ALL', read: 'OPERATION_READ', write: 'OPERATION_WRITE', create: 'OPERATION_CREATE', delete: 'OPERATION_DELETE',
  alter: 'OPERATION_ALTER', describe: 'OPERATION_DESCRIBE', clusteraction: 'OPERATION_CLUSTER_ACTION',
  describeconfigs: 'OPERATION_DESCRIBE_CONFIGS', alterconfigs: 'OPERATION_ALTER_CONFIGS', idempotentwrite: 'OPERATION_IDEMPOTENT_WRITE',
  createtokens: 'OPERATION_CREATE_TOKENS', describetokens: 'OPERATION_DESCRIBE_TOKENS', twophasecommit: 'OPERATION_TWO_PHASE_COMMIT',
};
export const RESOURCE_TYPES = {
  __proto__: null,
  topic: 'RESOURCE_TYPE_TOPIC', group: 'RESOURCE_TYPE_GROUP', cluster: 'RESOURCE_TYPE_CLUSTER',
  'transactional-id': 'RESOURCE_TYPE_TRANSACTIONAL_ID', 'registry-global': 'RESOURCE_TYPE_REGISTRY', 'registry-subject': 'RESOURCE_TYPE_SUBJECT',
  'delegation-token': 'RESOURCE_TYPE_DELEGATION_TOKEN', 'user-principal': 'RESOURCE_TYPE_USER',
};
/** The resource types with exactly one resource, which has no name. */
const SINGLE = ['cluster', 'registry-global'];
const MEMBERS = ['allow', 'deny', ...Object.keys(RESOURCE_TYPES), 'to', 'host'];

/** Expands short ACLs to ACLs of a policy document: one for each combination of operation, name and principal. */
export function acls(short, ...more) {
  noMore(more, 'acls', 'pass one array');
  return listed(short, 'the short ACLs').flatMap((one) => {
    const row = requestOf(one, MEMBERS, 'a short ACL');
    const permission = oneOf(row, ['allow', 'deny']);
    const type = oneOf(row, Object.keys(RESOURCE_TYPES));
    const { to, host = '*' } = row;
    if (to === undefined) throw new EngineError('missing_member', '`to` is missing in a short ACL; write a principal such as `Group:engineering`');
    const patterns = SINGLE.includes(type) ? [only(row[type], type)] : each(row[type], `\`${type}\``, pattern);
    return each(to, '`to`', principalOf).flatMap((principal) =>
      patterns.flatMap((resource) => each(row[permission], `\`${permission}\``, operationOf).map((operation) => ({
        resource_type: RESOURCE_TYPES[type], ...resource, principal, host: wellFormed(host, '`host`'), operation,
        permission_type: permission === 'allow' ? 'PERMISSION_TYPE_ALLOW' : 'PERMISSION_TYPE_DENY',
      }))));
  });
}

/** The one of these members that is present. */
function oneOf(row, names) {
  const present = names.filter((name) => row[name] !== undefined);
  if (present.length === 1) return present[0];
  const list = names.map((name) => `\`${name}\``).join(', ');
  if (present.length === 0) throw new EngineError('missing_member', `a short ACL needs one of ${list}`);
  throw new EngineError('exclusive_options', `a short ACL must have only one of ${list}; write a separate ACL for each`);
}

/** One value, or each of several. An empty list is refused, because it would silently produce no ACL. */
function each(given, what, read) {
  const values = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(values)) throw new EngineError('wrong_type', `${what} in a short ACL must be a string or an array of strings, but is ${kind(values)}`);
  if (values.length === 0) throw new EngineError('missing_member', `${what} in a short ACL is empty; write at least one value`);
  return listed(values, what).map(read);
}

/** In any spelling that the engine reads elsewhere: the short form in any letter case, with or without `_` and `-`, or the long one. */
function operationOf(name) {
  const text = wellFormed(name, 'an operation');
  const folded = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[_-]/g, '');
  if (OPERATIONS[folded] !== undefined) return OPERATIONS[folded];
  if (Object.values(OPERATIONS).includes(text)) return text;
  throw unknownValue(text, 'an operation', OPERATIONS);
}

/** A principal. `*` is not a prefix here, and would be part of the name; `User:*` is everyone. */
function principalOf(text) {
  const principal = wellFormed(text, 'a principal');
  if (!principal.includes('*') || principal === 'User:*') return principal;
  throw new EngineError('unknown_value', 'a short ACL accepts `*` in `to` only as `User:*`, which is everyone; name each group, or write an ACL of a policy document for a name that contains `*`');
}

/** `*` is every name, `orders-*` every name that begins with `orders-`, and anything else that name. */
function pattern(text) {
  const name = wellFormed(text, 'the name of a resource');
  const prefix = name.slice(0, -1);
  if (prefix.includes('*')) throw new EngineError('unknown_value', 'a short ACL accepts `*` only at the end of a name, as a prefix; write an ACL of a policy document for a name that contains `*`');
  const isPrefix = name.endsWith('*') && prefix !== '';
  return { resource_name: isPrefix ? prefix : name, resource_pattern_type: isPrefix ? 'RESOURCE_PATTERN_TYPE_PREFIXED' : 'RESOURCE_PATTERN_TYPE_LITERAL' };
}

/** The cluster and the registry, which have no name: the value is `true`. */
function only(given, type) {
  if (given !== true) throw new EngineError('wrong_type', `\`${type}\` in a short ACL must be \`true\`, but is ${kind(given)}`);
  return { resource_name: type === 'cluster' ? 'kafka-cluster' : '', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL' };
}
