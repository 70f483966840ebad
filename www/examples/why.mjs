// Explains a denial and finds the smallest grant: `node why.mjs`.
import { acls, Policy } from 'gbac-engine/analyze';

const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'Group:engineering' }]) });
const bob = policy.open({ user: 'bob', groups: ['Engineering'] });

const why = bob.explain({ operation: 'read', resource_type: 'topic', resource_name: 'orders-eu' });
console.log(why.outcome, why.reason);              // deny no_match
for (const { acl, near_miss: nearMiss } of why.candidates) {
  if (nearMiss) console.log(acl.principal, nearMiss);   // Group:engineering principal_letter_case
}

const { memberships_to_add: sets } = bob.leastGrant({ operation: 'read', resource_type: 'topic', resource_name: 'orders-eu' });
console.log(sets[0].join());                       // Group:engineering
