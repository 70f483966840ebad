/** What bundlers of workers make of a wasm file: a compiled module, for `init`. */
declare const module: import('./index.js').WasmModule;
export default module;
