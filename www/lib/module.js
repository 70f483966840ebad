// One wasm module: loaded once, from wherever this runs, asked, and started again after it has failed.
import { EngineError, isOurs } from './error.js';
import { compiled, isNode, notLoaded } from './compile.js';
import { Numbers } from './names.js';

/** The custom section in which a module says of which build it is. */
const SECTION = 'gbac-engine';

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

  /** Refuses to go on with an instance that has failed, where no call into it would. */
  ensureRunning() {
    if (this.#failed) throw failed();
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
  #id;
  #code;
  #loading;
  /** Whether its code is there, and whether the glue code is waiting in a state in which nothing was called. */
  #started = false;
  #isFresh = false;

  /** `id` is that of the build; `code` the module that the entry has inside, if any: compiled, or as hexadecimal text. */
  constructor(glue, id, code) {
    this.glue = glue;
    this.#id = id;
    this.#code = code;
  }

  /**
   * Loads it, the first time: from `wasm`, a compiled module, its bytes, a response or an address; else from what the entry has
   * inside. What could not be loaded can be tried again, and what has failed is started again.
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
    const [section] = WebAssembly.Module.customSections(module, SECTION);
    const found = section === undefined ? undefined : new TextDecoder().decode(section);
    if (found !== this.#id) {
      throw notLoaded(
        `this wasm module is ${found === undefined ? 'not one of gbac-engine' : `of the build ${found} of gbac-engine`}, and the script beside it of the build ${this.#id}`,
        'use the wasm file of the same entry point and the same version, and clear caches that mix them',
      );
    }
    // Browsers start large modules only asynchronously.
    if (isNode()) this.glue.initSync({ module });
    else await this.glue.default({ module_or_path: module });
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
