// The engine that decides: policies, identities, checks; with its wasm module inside. `pkg/` is made by `cargo xtask build-js`.
import { engine } from './lib/entries/engine.js';
import code from './pkg/gbac_engine_inline.js';

export { acls, EngineError, Identity, Resource } from './lib/entries/engine.js';
export const { init, Policy } = engine(code);
