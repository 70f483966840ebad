// Implementations without a library: a loop, and an index by resource.
import { OPERATIONS, acls, principalsOf, rolesOf } from './workload.mjs';

const openAll = (document, identities) => {
  const roles = rolesOf(document);
  return identities.map((who) => principalsOf(who, roles));
};

/** A plain loop over the ACLs; the identity's principals are computed in advance. */
export function loop(document, { identities, queries }) {
  const opened = openAll(document, identities);
  const rows = acls(document);
  return (place) => {
    const { identity, operation, resource_type: type, name } = queries[place];
    const principals = opened[identity];
    let allowed = false;
    for (const acl of rows) {
      if (
        acl.type === type &&
        principals.has(acl.principal) &&
        (acl.prefixed ? name.startsWith(acl.name) : acl.name === name || acl.name === '*') &&
        acl.operations.includes(operation)
      ) {
        if (acl.deny) return false;
        allowed = true;
      }
    }
    return allowed;
  };
}

const BITS = Object.fromEntries(OPERATIONS.map((operation, place) => [operation, 1 << place]));

/** ACLs by type, pattern and name. */
function indexOf(document) {
  const index = {};
  for (const acl of acls(document)) {
    const ofType = (index[acl.type] ??= { literal: new Map(), prefixed: new Map() });
    const map = acl.prefixed ? ofType.prefixed : ofType.literal;
    const bits = acl.operations.reduce((bits, operation) => bits | BITS[operation], 0);
    const entry = { principal: acl.principal, bits, deny: acl.deny };
    if (map.has(acl.name)) map.get(acl.name).push(entry);
    else map.set(acl.name, [entry]);
  }
  return index;
}

/** 0: nothing matches, 1: allowed, 2: denied. */
function outcomeOf(entries, bit, principals) {
  let found = 0;
  for (const entry of entries) {
    if ((entry.bits & bit) !== 0 && principals.has(entry.principal)) {
      if (entry.deny) return 2;
      found = 1;
    }
  }
  return found;
}

/** The entries of every pattern that matches a name, as one list. */
function matching({ literal, prefixed }, name) {
  const lists = [literal.get(name), literal.get('*')];
  for (let length = 1; length <= name.length; length++) lists.push(prefixed.get(name.slice(0, length)));
  return lists.filter((entries) => entries !== undefined).flat();
}

/** The number of names in the cache, equal to that of the engine's wrapper. */
const CACHE_SIZE = 16_384;

/** The same index with a cache of names and their matching entries, so that prefixes are looked up once. */
export function remembering(document, { identities }) {
  const opened = openAll(document, identities);
  const index = indexOf(document);
  const known = Object.fromEntries(Object.keys(index).map((type) => [type, new Map()]));
  let count = 0;
  return (identity, operation, type, name) => {
    let entries = known[type].get(name);
    if (entries === undefined) {
      if (count >= CACHE_SIZE) {
        for (const names of Object.values(known)) names.clear();
        count = 0;
      }
      entries = matching(index[type], name);
      known[type].set(name, entries);
      count++;
    }
    return outcomeOf(entries, BITS[operation], opened[identity]) === 1;
  };
}

/** Looks up the name, each of its prefixes, and `*` in a map. */
export function indexed(document, { identities, queries }) {
  const opened = openAll(document, identities);
  const index = indexOf(document);

  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    const { literal, prefixed } = index[resource_type];
    const principals = opened[identity];
    const bit = BITS[operation];
    let allowed = false;
    let entries = literal.get(name);
    if (entries !== undefined) {
      const found = outcomeOf(entries, bit, principals);
      if (found === 2) return false;
      allowed = found === 1;
    }
    for (let length = 1; length <= name.length; length++) {
      entries = prefixed.get(name.slice(0, length));
      if (entries !== undefined) {
        const found = outcomeOf(entries, bit, principals);
        if (found === 2) return false;
        allowed ||= found === 1;
      }
    }
    entries = literal.get('*');
    if (entries !== undefined) {
      const found = outcomeOf(entries, bit, principals);
      if (found === 2) return false;
      allowed ||= found === 1;
    }
    return allowed;
  };
}
