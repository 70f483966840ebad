// What runtimes have in different places.

/**
 * A built-in module of Node, if the runtime has it; edge runtimes throw.
 * @param {string} name
 * @returns {any}
 */
export function builtin(name) {
  try {
    return /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}

/** Whether this is Node, or a runtime with its modules. */
export const isNode = () => builtin('node:fs') !== undefined;

/** Takes the place of a class that the runtime lacks. The glue code makes one when it is imported, but uses it only with WebAssembly. */
class Missing {
  decode() {}
}

/** Jest with jsdom has them only as modules of Node. */
export const TextDecoder = globalThis.TextDecoder ?? builtin('node:util')?.TextDecoder ?? Missing;
export const TextEncoder = globalThis.TextEncoder ?? builtin('node:util')?.TextEncoder ?? Missing;
