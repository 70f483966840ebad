// A server without the declarations of a browser.
import { acls, EngineError, init, Policy, type Decision, type WasmSource } from 'gbac-engine';
import { Policy as Analyzed } from 'gbac-engine/analyze';
import { guard, identityOf } from 'gbac-engine/express';
import { guard as hook } from 'gbac-engine/fastify';
import { identities, remoteKeys } from 'gbac-engine/identities';
import { Policy as Verified, verifier } from 'gbac-engine/verify';

export async function verdict(): Promise<Decision> {
  const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders', to: 'Group:engineering' }]) });
  return policy.open({ user: 'alice', groups: ['engineering'] }).decide({ operation: 'read', resource_type: 'topic', resource_name: 'orders' });
}
export async function guards() {
  const issuer = 'https://idp.example.com';
  const identify = identities({ policy: await Verified.load({ version: 1 }), verify: remoteKeys({ url: `${issuer}/jwks.json`, issuer, audience: 'orders-api' }) });
  const requires = () => ({ operation: 'read', resource_type: 'topic', resource_name: 'orders' } as const);
  return [guard({ identify, requires }), hook({ identify, requires }), identityOf, verifier];
}
const bytes: WasmSource = new Uint8Array();
void [EngineError, init, Analyzed, bytes, guards];
void verdict().then(({ outcome }) => { if (outcome !== 'allow') throw new Error(outcome); });
