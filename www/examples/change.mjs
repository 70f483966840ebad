// Changes a policy while it is in use: `node change.mjs`.
import { acls, Policy } from 'gbac-engine';

const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'Group:engineering' }]) });
const alice = policy.open({ user: 'alice', groups: ['engineering'] });
console.log(alice.can('read', 'topic', 'payments'));   // false

const [acl] = acls([{ allow: 'read', topic: 'payments', to: 'Group:engineering' }]);
console.log(policy.apply({ change: 'add_acl', acl }));      // true
console.log(alice.can('read', 'topic', 'payments'));        // true
console.log(policy.apply({ change: 'remove_acl', acl }));   // true
console.log(alice.can('read', 'topic', 'payments'));        // false

policy.apply({ change: 'create_role', role: 'Readers' });
policy.apply({ change: 'add_member', role: 'Readers', principal: 'Group:engineering' });
for (const acl of acls([{ allow: 'read', topic: 'payments', to: 'Role:Readers' }])) policy.apply({ change: 'add_acl', acl });
console.log(alice.can('read', 'topic', 'payments'));        // true
