// `analyze` for Workers, where code comes only from files that are compiled beforehand.
import { analyze } from '../lib/entries/analyze.js';
import code from '../pkg/gbac_engine_analyze_bg.wasm';

export { acls, EngineError, Identity, Resource } from '../lib/entries/analyze.js';
export const { init, Policy, lintDocument } = analyze(code);
