// One wasm module: loaded once, from wherever this runs, and asked.
import { EngineError, isOurs } from './error.js';
import { Numbers } from './names.js';

/** A wasm module with its glue code; `gbac-engine`, `gbac-engine/verify` and `gbac-engine/analyze` have one each. */
export class Module {
  #url;
  #loading;
  #memory;

  /** `url` gives the address of the wasm file beside this package. */
  constructor(glue, url) {
    this.glue = glue;
    this.#url = url;
    this.operations = new Numbers(glue.operationNumber, 'an operation');
    this.resourceTypes = new Numbers(glue.resourceTypeNumber, 'a resource type');
  }

  /**
   * Loads it, the first time: from `wasm`, a compiled module, its bytes, a response or an address; else from disk in Node and
   * from beside this file elsewhere. What could not be loaded can be tried again.
   */
  async load(wasm) {
    this.#loading ??= this.#start(wasm);
    try {
      await this.#loading;
    } catch (cause) {
      this.#loading = undefined;
      throw new EngineError('module_not_loaded', 'the wasm module cannot be loaded', { cause });
    }
  }

  async #start(wasm) {
    const source = (await wasm) ?? this.#url();
    const fs = source instanceof URL && source.protocol === 'file:' && globalThis.process?.getBuiltinModule?.('node:fs');
    // Compiled at once, V8 leaves each function until it is called: a third of the time to the first decision.
    const compiled = fs ? new WebAssembly.Module(fs.readFileSync(source)) : source;
    const started = compiled instanceof WebAssembly.Module
      ? this.glue.initSync({ module: compiled })
      : await this.glue.default({ module_or_path: compiled });
    this.#memory = started.memory;
  }

  /** How many bytes of memory it has taken. */
  get memoryBytes() {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  /** What a call gives; when it gives nothing, the engine's fault is thrown. */
  call(run) {
    let given;
    try {
      given = run();
    } catch (cause) {
      if (isOurs(cause)) throw cause;
      throw new EngineError('engine_failed', `the engine stopped, perhaps for want of memory: ${cause?.message}`, { cause });
    }
    if (given !== undefined) return given;
    const { code, message, problems } = JSON.parse(this.glue.takeFault());
    throw new EngineError(code, message, { problems });
  }

  /** The same for what is given as JSON text. */
  ask(run) {
    return JSON.parse(this.call(run));
  }
}
