// The engine that decides: policies, identities, checks. `pkg/` is made by `cargo xtask build-js`.
import * as glue from './pkg/gbac_engine.js';
import { noMore } from './lib/error.js';
import { Module } from './lib/module.js';
import * as base from './lib/policy.js';

const module = new Module(glue, () => new URL('./pkg/gbac_engine_bg.wasm', import.meta.url));

export { EngineError } from './lib/error.js';
export { Resource } from './lib/names.js';
export { Identity } from './lib/policy.js';

/** Loads the wasm module, the first time; `Policy.load` does it as well. */
export async function init(wasm, ...more) {
  noMore(more, 'init');
  await module.load(wasm);
}

/** A policy, loaded once and asked many times. */
export class Policy extends base.Policy {
  /** Loads a policy document, an object or JSON text. */
  static load(document, options, ...more) {
    return base.loadPolicy(this, module, document, options, more);
  }
}
