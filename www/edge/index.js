// `index` for edge runtimes whose bundlers compile what `?module` imports.
import { engine } from '../lib/entries/engine.js';
import code from '../pkg/gbac_engine_bg.wasm?module';

export { acls, EngineError, Identity, Resource } from '../lib/entries/engine.js';
export const { init, Policy } = engine(code);
