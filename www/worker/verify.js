// `verify` for Workers, where code comes only from files that are compiled beforehand.
import { verify } from '../lib/entries/verify.js';
import code from '../pkg/gbac_engine_verify_bg.wasm';

export { acls, EngineError, Identity, Resource, VerifiedClaims } from '../lib/entries/verify.js';
export const { init, Policy, verifier } = verify(code);
