import { Policy, type PolicyDocument } from 'gbac-engine';

const document: PolicyDocument = { version: 1, superusers: [] };
void document;
const policy = await Policy.load({ version: 1, settings: { superusers: ['alice'] } });
console.log(policy.open({ user: 'alice' }).check('read', 'topic', 'orders'));
