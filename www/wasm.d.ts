/** What bundlers of workers make of a wasm file: a compiled module, for `init`. */
declare const module: WebAssembly.Module;
export default module;
