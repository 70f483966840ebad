// One wasm module: loaded once in every environment, called, and restarted after a failure.
import { OPERATIONS, RESOURCE_TYPES } from './acls.js';
import { EngineError, isOurs } from './error.js';
import { compiled, notLoaded } from './compile.js';
import { Numbers } from './names.js';
import { isNode, TextDecoder } from './runtime.js';

/** The custom section that contains the ID of the build. */
const SECTION = 'gbac-engine';

/**
 * One instance of a wasm module, with all objects created in it. Every call into the engine goes through `call`.
 *
 * If WebAssembly stops during a call, for example because it is out of memory, its state is undefined. After the first such
 * failure it is therefore never called again; policies that are loaded later are in a new instance.
 */
export class Instance {
  #failed = false;
  #module;
  #memory;

  constructor(module, memory) {
    this.#module = module;
    this.#memory = memory;
    this.operations = new Numbers(this, (text) => module.glue.operationNumber(text), 'an operation', OPERATIONS);
    this.resourceTypes = new Numbers(this, (text) => module.glue.resourceTypeNumber(text), 'a resource type', RESOURCE_TYPES);
  }

  get glue() {
    return this.#module.glue;
  }

  /** The size of its memory in bytes. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** Returns the result of a call into the engine. Every exception becomes an `EngineError`. */
  call(run) {
    if (this.#failed) throw failed();
    try {
      return run();
    } catch (cause) {
      throw isOurs(cause) ? cause : this.#fail(cause);
    }
  }

  /** Throws if the instance has failed. For results that need no call. */
  ensureRunning() {
    if (this.#failed) throw failed();
  }

  /** The same; if the call returns nothing, throws the engine's error. */
  take(run) {
    const given = this.call(run);
    if (given !== undefined) return given;
    const fault = this.call(() => this.glue.takeFault());
    if (fault === '') throw failed();
    const { code, message, problems } = { __proto__: null, ...JSON.parse(fault) };
    throw new EngineError(code, message, { problems });
  }

  /** Frees a handle; handles of a failed instance need no freeing. */
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
  #id;
  #code;
  #loading;
  /** Whether it is compiled, and whether the glue code has an instance that was never called. */
  #started = false;
  #isFresh = false;

  /** `id` identifies the build; `code` is the module embedded in the entry, if any: compiled, or as text. */
  constructor(glue, id, code) {
    this.glue = glue;
    this.#id = id;
    this.#code = code;
  }

  /**
   * Loads it at the first call: from `wasm`, a compiled module, its bytes, a response or an address; otherwise from the module
   * embedded in the entry. A failed load can be repeated, and a failed instance is replaced.
   */
  async load(wasm) {
    const loading = (this.#loading ??= this.#start(wasm));
    try {
      return await loading;
    } catch (cause) {
      if (this.#loading === loading) this.#loading = undefined;
      throw isOurs(cause) ? cause : notLoaded('the wasm module cannot be started', undefined, cause);
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
    const module = await compiled(wasm, this.#code);
    // Not an array pattern: it would call what `Object.prototype.return` is, if there is such a member.
    const section = WebAssembly.Module.customSections(module, SECTION).at(0);
    const id = section === undefined ? undefined : new TextDecoder().decode(section);
    if (id !== this.#id) {
      throw notLoaded(
        `this wasm module is ${id === undefined ? 'not one of gbac-engine' : `from the build ${id} of gbac-engine`}, but the script is from the build ${this.#id}`,
        'use the wasm file of the same entry point and version, and clear caches that contain both',
      );
    }
    // Browsers instantiate large modules only asynchronously.
    if (isNode()) this.glue.initSync({ module });
    else await this.glue.default({ module_or_path: module });
  }

  /**
   * The instance has failed: the next `load` creates a new one. The glue code drops the old one at once, because it would still
   * call it for handles that are collected.
   */
  restart() {
    this.#loading = undefined;
    try {
      this.glue.__wbg_reset_state();
      this.#isFresh = true;
    } catch {
      // There is not enough memory now; `load` tries again.
      this.#isFresh = false;
    }
  }
}
