import { EngineError, Policy, type Decision } from 'gbac-engine';
import { Policy as Analyzed } from 'gbac-engine/analyze';
import { guard, identityOf } from 'gbac-engine/express';
import { guard as hook } from 'gbac-engine/fastify';
import { guarded } from 'gbac-engine/fetch';
import { identities, remoteKeys } from 'gbac-engine/identities';
import { guardProducer } from 'gbac-engine/kafkajs';
import { useCan } from 'gbac-engine/react';
import { Policy as Verified, verifier } from 'gbac-engine/verify';

const policy: Policy = await Policy.load({ version: 1, acls: [{
  resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
  principal: 'Group:engineering', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
}] });
const alice = policy.open({ user: 'alice', groups: ['engineering'] });
const decision: Decision = alice.decide({ operation: 'read', resource_type: 'topic', resource_name: 'analytics-events' });
const verdict: 'allow' | 'deny' = decision.outcome;
console.log(verdict, alice.check('read', 'topic', 'orders'));
const issuer = 'https://idp.example.com';
const identify = identities({ policy: await Verified.load({ version: 1 }), verify: remoteKeys({ url: `${issuer}/jwks.json`, issuer, audience: 'orders-api' }) });
const withOwnKeys = async (jwks: string) =>
  identities({ policy: await Verified.load({ version: 1 }), verify: await verifier(jwks, { issuer, audience: 'orders-api' }) });
const user = (request: { params: { name: string } }) => identityOf(request).user;
const options = { identify, deniedBody: (identity: { user: string }) => ({ denied: identity.user }), requires: () => ({ operation: 'read', resource_type: 'topic', resource_name: 'orders' } as const) };
void [withOwnKeys, user, EngineError, Analyzed, verifier, guard(options), hook(options), guarded((_, identity) => new Response(identity.user), options), guardProducer, useCan];
