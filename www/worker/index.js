// `index` for Workers, where code comes only from files that are compiled beforehand.
import { engine } from '../lib/entries/engine.js';
import code from '../pkg/gbac_engine_bg.wasm';

export { acls, EngineError, Identity, Resource } from '../lib/entries/engine.js';
export const { init, Policy } = engine(code);
