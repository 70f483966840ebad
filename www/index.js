// The wasm engine as an ES module, for browsers and Node. `pkg/` is made by `cargo xtask build-js`.
import init, { Policy as Engine } from './pkg/gbac_engine.js';

let loading;
let memory;

/** Loads the wasm module once; in Node it is read from disk, elsewhere it is fetched beside this file. */
function load() {
  loading ??= (async () => {
    const url = new URL('./pkg/gbac_engine_bg.wasm', import.meta.url);
    if (url.protocol === 'file:') {
      const { readFile } = await import('node:fs/promises');
      ({ memory } = await init({ module_or_path: await readFile(url) }));
    } else {
      ({ memory } = await init({ module_or_path: url }));
    }
  })();
  return loading;
}

/** A policy, loaded once and asked many times. */
export class Policy {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  /**
   * Loads a policy document, an object or JSON text.
   * Throws an Error with `code` and `problems` ({path, code, message} each) when anything in it is wrong.
   */
  static async load(document) {
    await load();
    return new Policy(new Engine(document));
  }

  /** Answers a check. Throws an Error with `code` when the check cannot be read. */
  check(check) {
    return this.#engine.check(check);
  }

  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check) {
    return this.#engine.explain(check);
  }

  /** Says what comes out of `{ identity }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who) {
    return this.#engine.inspect(who);
  }

  /** The policy document of this policy. */
  export() {
    return this.#engine.export();
  }

  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes() {
    return memory.buffer.byteLength;
  }

  /** Gives the policy's memory back at once; otherwise that happens when it is collected. */
  free() {
    this.#engine.free();
  }
}
