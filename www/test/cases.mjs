// Generated cases for the oracle: small policies and checks in which everything collides, from a seed; and their shrinking.

/** Every resource type; topics most often. */
export const TYPES = [
  ...Array(20).fill('RESOURCE_TYPE_TOPIC'), 'RESOURCE_TYPE_GROUP', 'RESOURCE_TYPE_GROUP', 'RESOURCE_TYPE_CLUSTER',
  'RESOURCE_TYPE_TRANSACTIONAL_ID', 'RESOURCE_TYPE_REGISTRY', 'RESOURCE_TYPE_SUBJECT',
];
const NAMELESS = ['RESOURCE_TYPE_CLUSTER', 'RESOURCE_TYPE_REGISTRY'];
const LITERAL = 'RESOURCE_PATTERN_TYPE_LITERAL';
const PREFIXED = 'RESOURCE_PATTERN_TYPE_PREFIXED';
const ALLOW = 'PERMISSION_TYPE_ALLOW';
const DENY = 'PERMISSION_TYPE_DENY';
/** Every operation; those that imply, are implied or are all more often. */
export const OPERATIONS = [
  'READ', 'READ', 'READ', 'DESCRIBE', 'DESCRIBE', 'DESCRIBE', 'ALL', 'ALL', 'WRITE', 'WRITE', 'DELETE', 'ALTER',
  'ALTER_CONFIGS', 'ALTER_CONFIGS', 'DESCRIBE_CONFIGS', 'DESCRIBE_CONFIGS', 'CREATE', 'CLUSTER_ACTION', 'IDEMPOTENT_WRITE',
].map((word) => `OPERATION_${word}`);
const NAMES = [
  '*', '*', '*', '**', '*a', 'a*', 'a', 'a', 'aa', 'aaa', 'aaaa', 'ab', 'ab', 'aba', 'abab', 'b', 'ba', 'A', 'a.', 'a.b', 'a.b.', 'é', 'é1',
  'e\u0301', 'ê', '\u{1d4b3}', '\u{1d4b4}', '\u{1d4b3}a', '\u0000', 'a\u0000', 'kafka-cluster', 'kafka-',
];
const USERS = ['u', 'u', 'v', 'g', 'r', '*', ' ', 'U', 'Group:g', 'u:v', 'é'];
const GROUPS = ['g', 'g', 'h', '/g', 'G', '*', 'u', 'r', '', 'User:u', 'g,h', '\u{1d4b3}', '\uffee'];
const ROLES = ['r', 'r', 's', 'g', 'u', '*', 'R', '\u{1d4b3}', '\uffee'];
const HOSTS = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '::ffff:10.0.0.1', '::1', '2001:db8::1', '2001:0DB8:0:0:0:0:0:1', '9.0.0.1'];

/** Numbers from a seed: the same seed gives the same cases on every machine (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const below = (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick: (list) => list[below(list.length)],
    chance: (part, whole) => below(whole) < part,
    some: (limit, make) => Array.from({ length: below(limit + 1) }, make),
  };
}

function anAcl({ pick, chance }) {
  const type = pick(TYPES);
  const name = pick(NAMES);
  const named = chance(1, 3) && NAMELESS.includes(type) ? {} : { resource_name: name };
  const owner = [
    () => 'User:*', () => `User:${pick(USERS) || 'u'}`, () => `Group:${pick(GROUPS) || 'g'}`,
    () => `Group:${pick(GROUPS) || 'g'}`, () => `Role:${pick(ROLES)}`, () => `Role:${pick(ROLES)}`, () => `RedpandaRole:${pick(ROLES)}`,
  ];
  return {
    resource_type: type,
    ...named,
    resource_pattern_type: chance(1, 2) ? LITERAL : PREFIXED,
    principal: pick(owner)(),
    host: chance(3, 4) ? '*' : pick(HOSTS),
    operation: pick(OPERATIONS),
    permission_type: chance(1, 3) ? DENY : ALLOW,
  };
}

/** A policy document of up to a dozen ACLs and four roles. */
export function aPolicy(rng) {
  const { pick, chance, some, below } = rng;
  const acls = Array.from({ length: below(13) }, () => anAcl(rng));
  // The same ACL with the other permission, or the other pattern: shadows.
  for (const acl of acls.slice()) {
    if (chance(1, 6)) acls.push({ ...acl, permission_type: acl.permission_type === DENY ? ALLOW : DENY });
    if (chance(1, 8)) acls.push({ ...acl, resource_pattern_type: acl.resource_pattern_type === LITERAL ? PREFIXED : LITERAL });
  }
  const names = [...new Set(some(6, () => pick(ROLES)))];
  // Where an ACL names a role, there mostly is one.
  for (const { principal } of acls) {
    const [type, name] = [principal.slice(0, 5), principal.slice(principal.indexOf(':') + 1)];
    if (type === 'Role:' && !names.includes(name) && chance(3, 4)) names.push(name);
  }
  const member = () => ({ principal: chance(1, 2) ? `User:${pick(USERS) || 'u'}` : `Group:${pick(GROUPS) || 'g'}` });
  const roles = names.map((name) => ({ name, members: some(3, member) }));
  const superusers = chance(1, 12) ? [pick(['v', 'g', '*', 'u'])] : [];
  return { version: 1, settings: { superusers }, roles, acls };
}

const KAFKA_TYPES = ['RESOURCE_TYPE_TOPIC', 'RESOURCE_TYPE_TOPIC', 'RESOURCE_TYPE_USER', 'RESOURCE_TYPE_DELEGATION_TOKEN', 'RESOURCE_TYPE_TRANSACTIONAL_ID'];
const KAFKA_OPERATIONS = ['OPERATION_CREATE_TOKENS', 'OPERATION_DESCRIBE_TOKENS', 'OPERATION_TWO_PHASE_COMMIT', 'OPERATION_ALL'];
const RANGES = ['10.0.0.0/8', '10.0.0.1/8', '10.0.0.0/24', '10.0.0.1/32', '10.0.0.0/31', '0.0.0.0/0', '::/0', '2001:db8::/32', '::1/128'];
const SERVICES = ['Service:u', 'Service:g', 'service:u', 'Service:*'];

/** The same for Kafka: with its own types, operations, principals and ranges of hosts, in a version that knows ranges or not. */
export function aKafkaPolicy(rng) {
  const { pick, chance } = rng;
  const document = aPolicy(rng);
  document.settings.dialect = 'kafka';
  if (chance(1, 2)) document.settings.kafka_version = pick(['4.4', '4.3', '3.9', '4.10', '5.0']);
  for (const acl of document.acls) {
    if (/REGISTRY|SUBJECT/.test(acl.resource_type) || chance(1, 3)) acl.resource_type = pick(KAFKA_TYPES);
    if (acl.resource_name === undefined && acl.resource_type !== 'RESOURCE_TYPE_CLUSTER') acl.resource_name = pick(NAMES);
    if (chance(1, 4)) acl.operation = pick(KAFKA_OPERATIONS);
    if (chance(1, 4)) acl.principal = pick(SERVICES);
    if (chance(1, 2)) acl.host = pick(RANGES);
  }
  return document;
}

/** A check of a policy of Kafka: as the others, by a principal of another type too, from a host in or out of a range. */
export function aKafkaCheck(rng, document) {
  const { pick, chance } = rng;
  const check = aCheck(rng, { ...document, acls: document.acls.filter((acl) => !acl.principal.startsWith('Service:')) });
  const acl = document.acls.length > 0 ? pick(document.acls) : undefined;
  if (check.host?.includes('/') || chance(1, 3)) check.host = pick([...HOSTS, '10.0.0.255', '11.0.0.1']);
  if (acl && chance(1, 2)) {
    check.resource_type = acl.resource_type;
    check.resource_name = acl.resource_name ?? '';
    if (chance(1, 2)) check.operation = acl.operation;
  }
  if (chance(1, 4)) {
    delete check.identity.user;
    check.identity.principal = pick([...SERVICES, 'User:u']);
  }
  return check;
}

/** Makes the identity one that this principal is, if there is such a one. */
function become({ pick }, identity, text, roles) {
  const [type] = text.split(':', 1);
  const name = text.slice(type.length + 1);
  if (type === 'User') identity.user = name;
  else if (type === 'Group') identity.groups.push(name);
  else {
    const members = roles.find((role) => role.name === name)?.members ?? [];
    if (members.length > 0) become({ pick }, identity, pick(members).principal, []);
  }
}

/** A check of a policy: mostly about something that one of its ACLs names, or just beside it, by somebody it means. */
export function aCheck(rng, { acls, roles }) {
  const { pick, chance, some } = rng;
  const check = {
    identity: { user: pick(USERS), groups: some(4, () => pick(GROUPS)) },
    operation: pick(OPERATIONS),
    resource_type: pick(TYPES),
    resource_name: pick([...NAMES, '', 'ac']),
  };
  if (chance(1, 2)) check.host = pick(HOSTS);
  if (acls.length > 0 && chance(7, 8)) {
    // What this ACL says, or something close by.
    const acl = pick(acls);
    const name = acl.resource_name ?? '';
    check.resource_type = acl.resource_type;
    check.resource_name = name;
    if (chance(1, 3)) check.resource_name = pick([`${name}a`, `${name}*`, `${name}${pick(NAMES)}`, [...name].slice(0, -1).join('')]);
    if (chance(3, 4)) check.operation = pick([acl.operation, acl.operation, 'OPERATION_DESCRIBE', 'OPERATION_DESCRIBE_CONFIGS']);
    if (acl.host !== '*' && chance(1, 2)) check.host = acl.host;
    if (chance(11, 12)) become(rng, check.identity, acl.principal, roles);
  }
  if (NAMELESS.includes(check.resource_type) && check.resource_name === '' && chance(1, 2)) delete check.resource_name;
  return check;
}

/** Everything that is one step smaller than a case. */
function* smaller({ document, check }) {
  const without = (list, place) => list.filter((_, index) => index !== place);
  const { settings, roles, acls } = document;
  for (const place of acls.keys()) yield { document: { ...document, acls: without(acls, place) }, check };
  for (const place of roles.keys()) {
    yield { document: { ...document, roles: without(roles, place) }, check };
    const role = roles[place];
    for (const member of role.members.keys()) {
      const lesser = { ...role, members: without(role.members, member) };
      yield { document: { ...document, roles: roles.map((other) => (other === role ? lesser : other)) }, check };
    }
  }
  if (settings.superusers.length > 0) yield { document: { ...document, settings: { superusers: [] } }, check };
  const { identity } = check;
  for (const place of identity.groups.keys()) {
    yield { document, check: { ...check, identity: { ...identity, groups: without(identity.groups, place) } } };
  }
  for (const place of acls.keys()) {
    if (acls[place].host === '*') continue;
    yield { document: { ...document, acls: acls.map((acl, index) => (index === place ? { ...acl, host: '*' } : acl)) }, check };
  }
  if (check.host !== undefined) yield { document, check: { ...check, host: undefined } };
}

/** The smallest case on which `fails` still holds, one step at a time. */
export async function shrink(found, fails) {
  let smallest = found;
  for (let again = true; again;) {
    again = false;
    for (const candidate of smaller(smallest)) {
      if (await fails(candidate)) {
        smallest = candidate;
        again = true;
        break;
      }
    }
  }
  return smallest;
}
