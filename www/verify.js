// The engine with signature checks, with its wasm module inside.
import { verify } from './lib/entries/verify.js';
import code from './pkg/gbac_engine_verify_inline.js';

export { acls, EngineError, Identity, Resource, VerifiedClaims } from './lib/entries/verify.js';
export const { init, Policy, verifier } = verify(code);
