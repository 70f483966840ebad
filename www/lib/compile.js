// Compiles the wasm module from its text, bytes, a response or an address.
import { bytesOf } from './embedded.js';
import { EngineError, kind } from './error.js';
import { builtin, isNode } from './runtime.js';

/** The first bytes of every wasm module. */
const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const TYPE = 'application/wasm';
/** The remedy where no file can be fetched. */
const INSIDE = 'import `gbac-engine/inline`, which has an embedded module';

/** The error for a module that cannot be loaded: the problem, then the remedy. */
export const notLoaded = (problem, remedy, cause) =>
  new EngineError('module_not_loaded', remedy === undefined ? problem : `${problem}; ${remedy}`, { cause });

/** The compiled module of `given`, or of the text or module that is embedded in the entry. */
export async function compiled(given, inside) {
  if (typeof WebAssembly !== 'object') {
    throw notLoaded('this runtime has no WebAssembly', 'start Node without `--jitless`; React Native\'s Hermes has none, so ask a service for decisions there');
  }
  const source = (await given) ?? inside;
  if (isModule(source)) return source;
  if (source === undefined) {
    throw notLoaded('this entry point has no embedded wasm module', 'call `init` with a module first, or import the entry point without `slim`');
  }
  if (given === undefined || given === null) return ofBytes(bytesOf(source), 'the embedded wasm module', INSIDE_REMEDY);
  if (isBytes(source)) return ofBytes(source, 'the given bytes', 'pass all bytes of the wasm file of this entry point, such as `gbac-engine/engine.wasm`');
  if (typeof Response === 'function' && source instanceof Response) return ofResponse(source, source.url);
  if (typeof source === 'string' || source instanceof URL) return ofAddress(source);
  throw notLoaded(`\`wasm\` must be a compiled module, bytes, a response or an address, but is ${kind(source)}`, undefined);
}

const INSIDE_REMEDY = 'where code cannot be compiled at run time, import `gbac-engine/slim` and call `init` with the compiled `gbac-engine/engine.wasm`; '
  + 'a content security policy needs `script-src \'wasm-unsafe-eval\'`';

/** Modules of another realm are accepted too. */
const isModule = (source) => source instanceof WebAssembly.Module || Object.prototype.toString.call(source) === '[object WebAssembly.Module]';

const isBytes = (source) => ArrayBuffer.isView(source) || Object.prototype.toString.call(source) === '[object ArrayBuffer]'
  || Object.prototype.toString.call(source) === '[object SharedArrayBuffer]';

/** Node compiles synchronously: the first decision then takes a third of the time. */
async function ofBytes(bytes, what, remedy) {
  try {
    if (isNode()) return new WebAssembly.Module(bytes);
    // Not `WebAssembly.compile(..)`: Next.js refuses to build a middleware that contains this call, even if it never makes it.
    const { compile } = WebAssembly;
    return await compile(bytes);
  } catch (cause) {
    throw notLoaded(`${what} cannot be compiled: ${textOf(cause)}`, remedy, cause);
  }
}

/** The message of an error, in one line. */
const textOf = (cause) => (cause instanceof Error ? cause.message : 'unknown error').replaceAll(/\s+/g, ' ').slice(0, 200);

async function ofAddress(source) {
  const address = shownAddress(source);
  const file = isFile(source) ? builtin('node:fs') : undefined;
  if (file !== undefined) {
    let bytes;
    try {
      bytes = file.readFileSync(new URL(source));
    } catch (cause) {
      throw notLoaded(`the wasm module cannot be read from ${address}`, `copy the file there, or ${INSIDE}`, cause);
    }
    return ofBytes(bytes, `the file ${address}`, `copy the whole wasm file there, or ${INSIDE}`);
  }
  let response;
  try {
    response = await fetch(source);
  } catch (cause) {
    throw notLoaded(`the wasm module cannot be fetched from ${address}: ${textOf(cause)}`, `check that the address is correct and reachable, or ${INSIDE}`, cause);
  }
  return ofResponse(response, response.url || source);
}

/** Compiles while the file downloads if its content type is correct; otherwise checks its first bytes. */
async function ofResponse(response, source) {
  const address = source === '' ? 'the given response' : shownAddress(source);
  const type = response.headers.get('Content-Type') ?? '';
  const from = `${address} (status ${response.status}, content type ${type === '' ? 'none' : `\`${type.slice(0, 80)}\``})`;
  if (!response.ok) throw notLoaded(`the wasm module was not found at ${from}`, `serve the wasm file at this address, or ${INSIDE}`);
  const remedy = `serve the whole wasm file there as ${TYPE}, or ${INSIDE}`;
  try {
    if (type.split(';', 1)[0].trim().toLowerCase() === TYPE && typeof WebAssembly.compileStreaming === 'function' && !response.bodyUsed) {
      return await WebAssembly.compileStreaming(response);
    }
  } catch (cause) {
    throw notLoaded(`the response of ${from} cannot be compiled: ${textOf(cause)}`, remedy, cause);
  }
  let bytes;
  try {
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw notLoaded(`the wasm module was not received completely from ${from}`, remedy, cause);
  }
  if (!MAGIC.every((byte, place) => bytes[place] === byte)) {
    throw notLoaded(`the response of ${from} is not a wasm module`, `${/html/i.test(type) ? 'many servers send a page for missing files; ' : ''}${remedy}`);
  }
  return ofBytes(bytes, `the response of ${from}`, remedy);
}

function isFile(source) {
  try {
    return new URL(source).protocol === 'file:';
  } catch {
    return false;
  }
}

/** An address for messages: without credentials, query and fragment, which may contain secrets. */
function shownAddress(source) {
  try {
    const url = new URL(source, globalThis.location?.href);
    if (url.protocol === 'data:' || url.protocol === 'blob:') return `a ${url.protocol} address`;
    return `${url.origin === 'null' ? `${url.protocol}//` : url.origin}${url.pathname}`;
  } catch {
    return 'an invalid address';
  }
}
