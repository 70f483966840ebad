import gbac = require('gbac-engine');
import { Policy } from 'gbac-engine/analyze';

async function verdict(): Promise<string> {
  const policy = await Policy.load({ version: 1 });
  return policy.open({ user: 'alice' }).check('read', 'topic', 'orders');
}
void [gbac.Policy, verdict];
