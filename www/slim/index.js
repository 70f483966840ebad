// `index` without a wasm module: `init` has to be given one.
import { engine } from '../lib/entries/engine.js';

export { acls, EngineError, Identity, Resource } from '../lib/entries/engine.js';
export const { init, Policy } = engine();
