// `analyze` without a wasm module: `init` has to be given one.
import { analyze } from '../lib/entries/analyze.js';

export { acls, EngineError, Identity, Resource } from '../lib/entries/analyze.js';
export const { init, Policy, lintDocument } = analyze();
