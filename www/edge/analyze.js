// `analyze` for edge runtimes whose bundlers compile what `?module` imports.
import { analyze } from '../lib/entries/analyze.js';
import code from '../pkg/gbac_engine_analyze_bg.wasm?module';

export { acls, EngineError, Identity, Resource } from '../lib/entries/analyze.js';
export const { init, Policy, lintDocument } = analyze(code);
