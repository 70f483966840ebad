// The decision engine: policies, identities, checks.
import * as glue from '../../pkg/gbac_engine.js';
import id from '../../pkg/gbac_engine_id.js';
import { noMore } from '../error.js';
import { Module } from '../module.js';
import * as base from '../policy.js';

export { acls } from '../acls.js';
export { EngineError } from '../error.js';
export { Resource } from '../names.js';
export { Identity } from '../policy.js';

/** The entry for its wasm module: compiled, as text, or `undefined` if `init` must be given one. */
export function engine(code) {
  const module = new Module(glue, id, code);

  /** Loads the wasm module at the first call; `Policy.load` does so too. */
  async function init(wasm, ...more) {
    noMore(more, 'init');
    await module.load(wasm);
  }

  /** A policy: load it once, use it for many checks. */
  class Policy extends base.Policy {
    /** Loads a policy document, an object or JSON text. */
    static load(document, options, ...more) {
      return base.loadPolicy(this, module, document, options, more);
    }

    /** Policies of the other entry points extend this class by their types; each entry point has its own. */
    static [Symbol.hasInstance](value) {
      return this === Policy ? base.isPolicy(value) : super[Symbol.hasInstance](value);
    }
  }

  return { init, Policy };
}
