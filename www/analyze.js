// The engine with questions about a whole policy, with its wasm module inside.
import { analyze } from './lib/entries/analyze.js';
import code from './pkg/gbac_engine_analyze_inline.js';

export { acls, EngineError, Identity, Resource } from './lib/entries/analyze.js';
export const { init, Policy, lintDocument } = analyze(code);
