// Casbin: roles and the groups of a token as grouping policies, cheap conditions first, the synchronous API.
import { StringAdapter, newEnforcer, newModelFromString } from 'casbin';
import { acls, rolesOf } from './workload.mjs';

const MODEL = `
[request_definition]
r = sub, type, name, act

[policy_definition]
p = sub, type, name, pattern, act, eft

[role_definition]
g = _, _

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = r.type == p.type && covers(r.name, p.name, p.pattern) && speaks(p.act, r.act) && g(r.sub, p.sub)
`;

/** Decides with `enforceSync`. The subject is the session, because a user's groups can differ in each session. */
export async function enforce(document, { identities, queries }) {
  const roles = rolesOf(document);
  const lines = acls(document).map((acl) =>
    ['p', acl.principal, acl.type, acl.name, acl.prefixed ? 'prefixed' : 'literal', acl.operations.join('|'), acl.deny ? 'deny' : 'allow'].join(', '));
  for (const [member, names] of roles) {
    for (const name of names) lines.push(`g, ${member}, ${name}`);
  }
  identities.forEach(({ user, groups }, place) => {
    for (const principal of [`User:${user}`, 'User:*', ...groups.map((group) => `Group:${group}`)]) {
      lines.push(`g, session-${place}, ${principal}`);
    }
  });
  const enforcer = await newEnforcer(newModelFromString(MODEL), new StringAdapter(lines.join('\n')));
  const sets = new Map();
  enforcer.addFunction('covers', (name, pattern, kind) =>
    kind === 'prefixed' ? name.startsWith(pattern) : name === pattern || pattern === '*');
  enforcer.addFunction('speaks', (operations, asked) => {
    let set = sets.get(operations);
    if (set === undefined) sets.set(operations, (set = new Set(operations.split('|'))));
    return set.has(asked);
  });
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return enforcer.enforceSync(`session-${identity}`, resource_type, name, operation);
  };
}
