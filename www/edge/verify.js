// `verify` for edge runtimes whose bundlers compile what `?module` imports.
import { verify } from '../lib/entries/verify.js';
import code from '../pkg/gbac_engine_verify_bg.wasm?module';

export { acls, EngineError, Identity, Resource, VerifiedClaims } from '../lib/entries/verify.js';
export const { init, Policy, verifier } = verify(code);
