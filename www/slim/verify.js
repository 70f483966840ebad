// `verify` without a wasm module: `init` has to be given one.
import { verify } from '../lib/entries/verify.js';

export { acls, EngineError, Identity, Resource, VerifiedClaims } from '../lib/entries/verify.js';
export const { init, Policy, verifier } = verify();
