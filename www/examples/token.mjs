// From a token to a verdict: `node token.mjs`.
import { acls, Policy, verifier } from 'gbac-engine/verify';
import { provider } from './provider.mjs';

// Fetch the keys of your provider from the `jwks_uri` of its discovery document.
const { jwks, token } = await provider();
const keys = await verifier(jwks, { issuer: 'https://idp.example.com', audience: 'orders-api' });
const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'Group:engineering' }]) });

const claims = keys.verify(await token({ sub: 'alice', groups: ['engineering'] }));   // throws unless the token is right
const alice = policy.open(claims);

console.log(alice.user, alice.groups.join(), alice.verified);   // alice engineering true
console.log(alice.can('read', 'topic', 'orders-eu'));           // true
