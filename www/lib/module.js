// One wasm module: loaded once, from wherever this runs, asked, and started again after it has failed.
import { EngineError, isOurs } from './error.js';
import { Numbers } from './names.js';

/**
 * One start of a wasm module, with all that was made in it. Every call into the engine goes through `call`.
 *
 * If WebAssembly stops during a call, for example because it is out of memory, its state is undefined. So after the first such
 * failure it is never called again; a policy that is loaded again is in a new instance.
 */
export class Instance {
  #failed = false;
  #module;
  #memory;

  constructor(module, memory) {
    this.#module = module;
    this.#memory = memory;
    this.operations = new Numbers(this, (text) => module.glue.operationNumber(text), 'an operation');
    this.resourceTypes = new Numbers(this, (text) => module.glue.resourceTypeNumber(text), 'a resource type');
  }

  get glue() {
    return this.#module.glue;
  }

  /** How many bytes of memory it has taken. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** What a call into the engine gives. Whatever it throws is an error of ours. */
  call(run) {
    if (this.#failed) throw failed();
    try {
      return run();
    } catch (cause) {
      throw isOurs(cause) ? cause : this.#fail(cause);
    }
  }

  /** The same; when the call gives nothing, the engine's fault is thrown. */
  take(run) {
    const given = this.call(run);
    if (given !== undefined) return given;
    const fault = this.call(() => this.glue.takeFault());
    if (fault === '') throw failed();
    const { code, message, problems } = JSON.parse(fault);
    throw new EngineError(code, message, { problems });
  }

  /** Gives a handle's memory back; that of an instance which has failed is gone already. */
  free(handle) {
    if (!this.#failed) this.call(() => handle.free());
  }

  #fail(cause) {
    this.#failed = true;
    this.#memory = { buffer: new ArrayBuffer(0) };
    this.#module.restart();
    return failed(cause);
  }
}

const failed = (cause) => new EngineError(
  'engine_failed', 'the engine failed, possibly out of memory; load the policy again', cause === undefined ? undefined : { cause },
);

/** A wasm module with its glue code; `gbac-engine`, `gbac-engine/verify` and `gbac-engine/analyze` have one each. */
export class Module {
  #url;
  #loading;
  /** Whether its code is there, and whether the glue code is waiting in a state in which nothing was called. */
  #started = false;
  #isFresh = false;

  /** `url` gives the address of the wasm file beside this package. */
  constructor(glue, url) {
    this.glue = glue;
    this.#url = url;
  }

  /**
   * Loads it, the first time: from `wasm`, a compiled module, its bytes, a response or an address; else from disk in Node and
   * from beside this file elsewhere. What could not be loaded can be tried again, and what has failed is started again.
   */
  async load(wasm) {
    const loading = (this.#loading ??= this.#start(wasm));
    try {
      return await loading;
    } catch (cause) {
      if (this.#loading === loading) this.#loading = undefined;
      throw new EngineError('module_not_loaded', 'the wasm module cannot be loaded', { cause });
    }
  }

  async #start(wasm) {
    if (!this.#started) await this.#compile(wasm);
    else if (!this.#isFresh) this.glue.__wbg_reset_state();
    this.#started = true;
    this.#isFresh = false;
    return new Instance(this, this.glue.initSync().memory);
  }

  async #compile(wasm) {
    const source = (await wasm) ?? this.#url();
    const fs = source instanceof URL && source.protocol === 'file:' && globalThis.process?.getBuiltinModule?.('node:fs');
    // Compiled at once, V8 leaves each function until it is called: a third of the time to the first decision.
    const compiled = fs ? new WebAssembly.Module(fs.readFileSync(source)) : source;
    if (compiled instanceof WebAssembly.Module) this.glue.initSync({ module: compiled });
    else await this.glue.default({ module_or_path: compiled });
  }

  /**
   * The instance has failed: the next `load` gives a new one. The glue code leaves the old one at once, since it would still
   * call it for handles that are collected.
   */
  restart() {
    this.#loading = undefined;
    try {
      this.glue.__wbg_reset_state();
      this.#isFresh = true;
    } catch {
      // There is no room for it now; `load` tries again.
      this.#isFresh = false;
    }
  }
}
