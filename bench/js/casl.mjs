// CASL: one ability for each identity, built in advance; later rules take precedence, so the denies are last.
import { createMongoAbility, subject } from '@casl/ability';
import { acls, principalsOf, rolesOf } from './workload.mjs';

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function rule(acl) {
  const conditions = acl.prefixed ? { name: { $regex: new RegExp(`^${escaped(acl.name)}`) } } : { name: acl.name };
  return {
    action: acl.all ? 'manage' : acl.operations,
    subject: acl.type,
    inverted: acl.deny,
    ...(acl.prefixed || acl.name !== '*' ? { conditions } : {}),
  };
}

/** Builds the abilities of identities. */
export function abilities(document, identities) {
  const roles = rolesOf(document);
  const rules = new Map();
  for (const acl of acls(document)) {
    if (!rules.has(acl.principal)) rules.set(acl.principal, []);
    rules.get(acl.principal).push(rule(acl));
  }
  const build = (who) => {
    const all = [...principalsOf(who, roles)].flatMap((principal) => rules.get(principal) ?? []);
    return createMongoAbility([...all.filter((rule) => !rule.inverted), ...all.filter((rule) => rule.inverted)]);
  };
  return { build, all: () => identities.map(build) };
}

/** Decides with `can`; the subjects are created in advance, too. */
export function can(document, { identities, queries }) {
  const built = abilities(document, identities).all();
  const subjects = queries.map(({ resource_type, name }) => subject(resource_type, { name }));
  return (place) => {
    const { identity, operation } = queries[place];
    return built[identity].can(operation, subjects[place]);
  };
}
