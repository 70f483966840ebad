// A second oracle: decides from the text of a policy document by plain loops over all ACLs. It was written from the
// specification and docs/decisions.md, apart from the engine and from the oracle in Rust, and shares no code with either.

import { isIP } from 'node:net';

/** What an allow of these also allows, in the order of D-02. */
const IMPLIED_BY = {
  OPERATION_DESCRIBE: ['OPERATION_READ', 'OPERATION_WRITE', 'OPERATION_DELETE', 'OPERATION_ALTER'],
  OPERATION_DESCRIBE_CONFIGS: ['OPERATION_ALTER_CONFIGS'],
};
const ALL = 'OPERATION_ALL';

/** Byte by byte, as UTF-8. */
const compareText = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** An address as its bytes, four or sixteen; an IPv4-mapped one is its IPv4 address (D-04). */
export function addressBytes(text) {
  if (!text.includes(':')) return text.split('.').map(Number);
  let words = text;
  if (words.includes('.')) {
    const cut = words.lastIndexOf(':') + 1;
    const [a, b, c, d] = words.slice(cut).split('.').map(Number);
    words = `${words.slice(0, cut)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }
  const [head, tail] = words.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const missing = tail === undefined ? [] : Array(8 - head.length - tail.length).fill('0');
  const bytes = [...head, ...missing, ...(tail ?? [])].flatMap((word) => {
    const value = parseInt(word, 16);
    return [value >> 8, value & 255];
  });
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? bytes.slice(12) : bytes;
}

/** IPv4 before IPv6, then by number. */
function compareAddress(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  for (let place = 0; place < a.length; place += 1) {
    if (a[place] !== b[place]) return a[place] - b[place];
  }
  return 0;
}

/** Which bits of two addresses count: the first ones of a range, and all of an address. */
function inRange(text, address) {
  const [own, prefix] = text.split('/');
  const bits = (bytes) => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const [ownBits, addressBits] = [bits(addressBytes(own)), bits(address)];
  return ownBits.length === addressBits.length && ownBits.slice(0, prefix) === addressBits.slice(0, prefix);
}

/** An address before ranges, the one with the fewest addresses first, and `*` last (D-20, D-72). */
function hostRank(host) {
  if (host === '*') return 1000;
  if (!host.includes('/')) return 0;
  const [own, prefix] = host.split('/');
  return 1 + addressBytes(own).length * 8 - Number(prefix);
}

/** IPv4 before IPv6, by number; ranges by their addresses, of equal ones the shorter prefix first. */
function compareHosts(a, b) {
  const [one, other] = [a.split('/'), b.split('/')];
  const byAddress = compareAddress(addressBytes(one[0]), addressBytes(other[0]));
  return byAddress || Number(one[1] ?? 0) - Number(other[1] ?? 0);
}

/** A principal is split at its first colon (D-07); the longer word for a role is the same type (D-06). */
function principal(text) {
  const colon = text.indexOf(':');
  const type = text.slice(0, colon);
  return { type: type === 'RedpandaRole' ? 'Role' : type, name: text.slice(colon + 1) };
}

const isSame = (a, b) => a.type === b.type && a.name === b.name;

/** A resource's name; only the cluster and the Schema Registry may leave it out (D-37). */
function resourceName(type, name) {
  if (type === 'RESOURCE_TYPE_CLUSTER' && !name) return 'kafka-cluster';
  return name ?? '';
}

/** An ACL of a document in one spelling, so that two of them can be compared member by member. */
export function plainAcl(acl) {
  const { type, name } = principal(acl.principal);
  return {
    resource_type: acl.resource_type,
    resource_name: resourceName(acl.resource_type, acl.resource_name),
    resource_pattern_type: acl.resource_pattern_type,
    principal: `${type}:${name}`,
    host: acl.host === '*' ? '*' : `${addressBytes(acl.host.split('/')[0]).join('.')}/${acl.host.split('/')[1] ?? ''}`,
    operation: acl.operation,
    permission_type: acl.permission_type,
  };
}

/** Every way from the identity to a principal, in the order of D-20. */
function waysOf(document, { user, principal: stated, groups }) {
  const rolesOf = (member) => (document.roles ?? [])
    .filter((role) => (role.members ?? []).some((other) => isSame(principal(other.principal), member)))
    .map((role) => role.name)
    .sort(compareText);
  const me = stated === undefined ? { type: 'User', name: user } : principal(stated);
  const ways = [{ source: 'user_acl', group: null, role: null, principal: me }];
  for (const role of rolesOf(me)) {
    ways.push({ source: 'role_acl', group: null, role, principal: { type: 'Role', name: role } });
  }
  const seen = [];
  for (const group of groups ?? []) {
    if (group === '' || seen.includes(group)) continue;
    seen.push(group);
    const it = { type: 'Group', name: group };
    ways.push({ source: 'group_acl', group, role: null, principal: it });
    for (const role of rolesOf(it)) {
      ways.push({ source: 'group_role_acl', group, role, principal: { type: 'Role', name: role } });
    }
  }
  return ways;
}

/** How specific the name of an ACL is for a name: lower is reported first; null where it does not cover it (D-03). */
function nameRank(acl, name) {
  const pattern = resourceName(acl.resource_type, acl.resource_name);
  if (acl.resource_pattern_type === 'RESOURCE_PATTERN_TYPE_PREFIXED') {
    return name.startsWith(pattern) ? [1, -pattern.length] : null;
  }
  if (pattern === name) return [0, 0];
  return pattern === '*' ? [2, 0] : null;
}

/** The place of an ACL's operation for an asked one; null where it does not cover it (D-02). */
function operationRank(acl, asked) {
  if (acl.operation === asked) return 0;
  if (acl.operation === ALL) return 100;
  if (acl.permission_type === 'PERMISSION_TYPE_DENY') return null;
  const place = (IMPLIED_BY[asked] ?? []).indexOf(acl.operation);
  return place < 0 ? null : 1 + place;
}

/** Whether ranges of hosts match: in Kafka, from 4.4 on (D-72). */
function knowsRanges({ dialect, kafka_version: version = '4.4' } = {}) {
  const [major, minor] = version.split('.').map(Number);
  return dialect === 'kafka' && (major > 4 || (major === 4 && minor >= 4));
}

/** Whether an ACL is for this client: true, false, or 'unknown' where the check names none. */
function hostFits(acl, host, settings) {
  if (acl.host === '*') return true;
  if (acl.host.includes('/')) {
    if (!knowsRanges(settings)) return false;
    if (host === undefined || host === null) return 'unknown';
    // Kafka counts this address in no range.
    return host !== '0.0.0.0' && inRange(acl.host, addressBytes(host));
  }
  // A host name matches no address (D-71).
  if (isIP(acl.host) === 0) return false;
  if (host === undefined || host === null) return 'unknown';
  return compareAddress(addressBytes(acl.host), addressBytes(host)) === 0;
}

/** Compares two matches by the order of D-20 and D-35. */
function compareMatches(a, b) {
  for (let place = 0; place < a.rank.length; place += 1) {
    if (a.rank[place] !== b.rank[place]) return a.rank[place] - b.rank[place];
  }
  if (a.acl.host === '*' || b.acl.host === '*') return 0;
  return compareHosts(a.acl.host, b.acl.host);
}

/**
 * Decides a check with `identity: {user, groups}` over a policy document. `expired` says that the identity's time is over.
 * Answers the members of a decision that the rules determine, each of them there: null and false stand for absent.
 */
export function decide(document, check, expired = false) {
  const nothing = { source: null, group: null, role: null, acl: null, implied_by: null, host_unknown: false };
  const { identity, operation, resource_type: type, host } = check;
  if (expired) return { outcome: 'deny', reason: 'expired', ...nothing };
  const userName = identity.principal?.startsWith('User:') ? identity.principal.slice(5) : identity.user;
  if ((document.settings?.superusers ?? []).includes(userName)) {
    return { outcome: 'allow', reason: 'superuser', ...nothing };
  }
  const name = resourceName(type, check.resource_name);
  const denies = [];
  const allows = [];
  let allowsElsewhere = false;
  waysOf(document, identity).forEach((way, wayPlace) => {
    for (const acl of document.acls ?? []) {
      const owner = principal(acl.principal);
      const exact = isSame(owner, way.principal);
      // `User:*` is everyone, and counts as the user's own (D-05, D-20).
      const everyone = way.source === 'user_acl' && owner.type === 'User' && owner.name === '*';
      if (!exact && !everyone) continue;
      if (acl.resource_type !== type) continue;
      const byName = nameRank(acl, name);
      const byOperation = operationRank(acl, operation);
      const fits = hostFits(acl, host, document.settings);
      if (byName === null || byOperation === null || fits === false) continue;
      const match = { way, acl, rank: [wayPlace, ...byName, exact ? 0 : 1, hostRank(acl.host), byOperation] };
      if (acl.permission_type === 'PERMISSION_TYPE_DENY') denies.push(match);
      else if (fits === 'unknown') allowsElsewhere = true;
      else allows.push(match);
    }
  });
  const deciding = denies.length > 0 ? denies : allows;
  if (deciding.length === 0) return { outcome: 'deny', reason: 'no_match', ...nothing, host_unknown: allowsElsewhere };
  let first = deciding[0];
  for (const match of deciding) {
    if (compareMatches(match, first) < 0) first = match;
  }
  const denied = denies.length > 0;
  return {
    outcome: denied ? 'deny' : 'allow',
    reason: denied ? 'deny_rule' : 'allow_rule',
    source: first.way.source,
    group: first.way.group,
    role: first.way.role,
    acl: plainAcl(first.acl),
    implied_by: first.acl.operation === operation ? null : first.acl.operation,
    host_unknown: denied && hostFits(first.acl, host, document.settings) === 'unknown',
  };
}

/**
 * Decides a check of any resource of a type, as Kafka does for idempotent producers (D-73): the outcome and its reason. A deny on
 * every name wins, then an allow on every name, then any allow that no deny takes back as a whole.
 */
export function decideOnAny(document, check, expired = false) {
  const { outcome, reason } = decide(document, { ...check, resource_name: 'any' }, expired);
  if (reason === 'expired' || reason === 'superuser') return { outcome, reason };
  const denies = [];
  const allows = [];
  for (const way of waysOf(document, check.identity)) {
    for (const acl of document.acls ?? []) {
      const owner = principal(acl.principal);
      const everyone = way.source === 'user_acl' && owner.type === 'User' && owner.name === '*';
      if (!everyone && !isSame(owner, way.principal)) continue;
      if (acl.resource_type !== check.resource_type || operationRank(acl, check.operation) === null) continue;
      const fits = hostFits(acl, check.host, document.settings);
      if (acl.permission_type === 'PERMISSION_TYPE_DENY' && fits !== false) denies.push(acl);
      if (acl.permission_type === 'PERMISSION_TYPE_ALLOW' && fits === true) allows.push(acl);
    }
  }
  const isPrefix = (acl) => acl.resource_pattern_type === 'RESOURCE_PATTERN_TYPE_PREFIXED';
  const isAll = (acl) => !isPrefix(acl) && acl.resource_name === '*';
  const takesBack = (deny, allow) => (isPrefix(deny)
    ? allow.resource_name.startsWith(deny.resource_name)
    : !isPrefix(allow) && allow.resource_name === deny.resource_name);
  const isLeft = (allow) => isAll(allow) || !denies.some((deny) => takesBack(deny, allow));
  if (!denies.some(isAll) && allows.some(isLeft)) return { outcome: 'allow', reason: 'allow_rule' };
  return { outcome: 'deny', reason: denies.some(isAll) || allows.length > 0 ? 'deny_rule' : 'no_match' };
}
