// A verdict in one minute: `node verdict.mjs`.
import { acls, Policy } from 'gbac-engine';

const policy = await Policy.load({
  version: 1,
  acls: acls([
    { allow: ['read', 'describe'], topic: 'orders-*', to: 'Group:engineering' },
    { deny: 'read', topic: 'orders-salaries', to: 'Group:engineering' },
  ]),
});
const alice = policy.open({ user: 'alice', groups: ['engineering'] });

console.log(alice.can('read', 'topic', 'orders-eu'));         // true
console.log(alice.can('read', 'topic', 'orders-salaries'));   // false
console.log(alice.can('write', 'topic', 'orders-eu'));        // false
