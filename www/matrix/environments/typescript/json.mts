import { Policy } from 'gbac-engine';
import policy from './policy.json' with { type: 'json' };

void Policy.load(policy);
