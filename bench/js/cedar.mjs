// Cedar: the policy set is parsed once (`preparsePolicySet`); each call contains its two entities.
import { acls, principalsOf, rolesOf } from './workload.mjs';

/** Cedar has one namespace of types, so consumer groups and groups of users need different names. */
const RESOURCES = { topic: 'Topic', group: 'ConsumerGroup', 'transactional-id': 'TransactionalId' };

const text = (value) => JSON.stringify(value);
const uid = (principal) => {
  const colon = principal.indexOf(':');
  return { type: principal.slice(0, colon), id: principal.slice(colon + 1) };
};

/** The ACLs as Cedar policies; exact names and operations are in the scope, which Cedar evaluates first. */
export function policies(document) {
  return acls(document).map((acl) => {
    const { type, id } = uid(acl.principal);
    const who = acl.principal === 'User:*' ? 'principal' : `principal in ${type}::${text(id)}`;
    const actions = acl.operations.map((operation) => `Action::${text(operation)}`);
    const action = acl.all ? 'action' : actions.length === 1 ? `action == ${actions[0]}` : `action in [${actions.join(', ')}]`;
    const resource = RESOURCES[acl.type];
    const any = !acl.prefixed && acl.name === '*';
    const scope = acl.prefixed || any ? `resource is ${resource}` : `resource == ${resource}::${text(acl.name)}`;
    const when = acl.prefixed ? ` when { resource.name like ${text(acl.name).replaceAll('*', '\\*').slice(0, -1)}*" }` : '';
    return `${acl.deny ? 'forbid' : 'permit'}(${who}, ${action}, ${scope})${when};`;
  }).join('\n');
}

/**
 * The call of a query. All groups and roles are direct parents of the principal, so that Cedar need not compute the closure.
 */
export function call(principals, { operation, resource_type, name }, user, set) {
  const principal = { type: 'User', id: user };
  const resource = { type: RESOURCES[resource_type], id: name };
  const parents = [...principals].filter((name) => !name.startsWith('User:')).map(uid);
  return {
    principal,
    action: { type: 'Action', id: operation },
    resource,
    context: {},
    preparsedPolicySetId: set,
    entities: [{ uid: principal, attrs: {}, parents }, { uid: resource, attrs: { name }, parents: [] }],
  };
}

/** Parses policies into the set `set`. */
export async function load(text, set) {
  const cedar = await import('@cedar-policy/cedar-wasm/nodejs');
  const answer = cedar.preparsePolicySet(set, { staticPolicies: text });
  if (answer.type !== 'success') throw new Error(`cedar: ${JSON.stringify(answer.errors)}`);
  return cedar;
}

/** Decides with `statefulIsAuthorized`; the calls are created in advance. */
export async function stateful(document, { identities, queries }, most) {
  const cedar = await load(policies(document), 'acls');
  const roles = rolesOf(document);
  const opened = identities.map((who) => principalsOf(who, roles));
  const calls = queries.slice(0, most).map((query) => call(opened[query.identity], query, identities[query.identity].user, 'acls'));
  return (place) => {
    const answer = cedar.statefulIsAuthorized(calls[place]);
    if (answer.type !== 'success' || answer.response.diagnostics.errors.length > 0) throw new Error(`cedar: ${JSON.stringify(answer)}`);
    return answer.response.decision === 'allow';
  };
}
