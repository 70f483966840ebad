// The engine that decides: policies, identities, checks.
import * as glue from '../../pkg/gbac_engine.js';
import id from '../../pkg/gbac_engine_id.js';
import { noMore } from '../error.js';
import { Module } from '../module.js';
import * as base from '../policy.js';

export { acls } from '../acls.js';
export { EngineError } from '../error.js';
export { Resource } from '../names.js';
export { Identity } from '../policy.js';

/** The entry over its wasm module: compiled, as text, or `undefined` where `init` has to be given one. */
export function engine(code) {
  const module = new Module(glue, id, code);

  /** Loads the wasm module, the first time; `Policy.load` does it as well. */
  async function init(wasm, ...more) {
    noMore(more, 'init');
    await module.load(wasm);
  }

  /** A policy, loaded once and asked many times. */
  class Policy extends base.Policy {
    /** Loads a policy document, an object or JSON text. */
    static load(document, options, ...more) {
      return base.loadPolicy(this, module, document, options, more);
    }
  }

  return { init, Policy };
}
