import { EngineError, Policy, type Decision } from 'gbac-engine';
import { Policy as Analyzed } from 'gbac-engine/analyze';
import { Policy as Verified, verifier } from 'gbac-engine/verify';

const policy: Policy = await Policy.load({ version: 1, acls: [{
  resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
  principal: 'Group:engineering', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
}] });
const alice = policy.open({ user: 'alice', groups: ['engineering'] });
const decision: Decision = alice.decide({ operation: 'read', resource_type: 'topic', resource_name: 'analytics-events' });
const verdict: 'allow' | 'deny' = decision.outcome;
console.log(verdict, alice.check('read', 'topic', 'orders'));
void [EngineError, Analyzed, Verified, verifier];
