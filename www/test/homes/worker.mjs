// `node --experimental-vm-modules worker.mjs FOLDER`: an isolate like those of edge workers: no files, no process, no fetch, no
// module URL, and no compilation from bytes. An imported wasm file is a compiled module, created by the bundler.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

const folder = process.argv[2];
const { resolve } = createRequire(join(folder, 'worker.js'));
const forbidden = () => { throw new WebAssembly.CompileError('code from bytes is not allowed here'); };
const { Module, Instance, Memory, Table, Global, RuntimeError, CompileError } = WebAssembly;
class NoModule {
  constructor() { forbidden(); }
  static [Symbol.hasInstance](value) { return value instanceof Module; }
  static customSections(module, name) { return Module.customSections(module, name); }
}
const instantiate = async (module, imports) => (module instanceof Module ? new Instance(module, imports) : forbidden());
const context = vm.createContext({
  WebAssembly: { Module: NoModule, Instance, Memory, Table, Global, RuntimeError, CompileError, instantiate, compile: forbidden },
  TextEncoder, TextDecoder, URL, Request, Response, Headers, Event,
});
const known = new Map();

function load(path) {
  if (known.has(path)) return known.get(path);
  const module = path.endsWith('.wasm')
    ? new vm.SyntheticModule(['default'], function give() { this.setExport('default', new Module(readFileSync(path))); }, { context })
    : new vm.SourceTextModule(readFileSync(path, 'utf8'), { context, identifier: path });
  known.set(path, module);
  return module;
}
/** The ES module, as `import` resolves it. */
const entry = join(resolve('gbac-engine/package.json'), '../index.js');
const link = (specifier, from) => load(specifier === 'gbac-engine' ? entry : createRequire(from.identifier).resolve(specifier));

const worker = load(resolve('./worker.js'));
await worker.link(link);
await worker.evaluate();
const { fetch } = worker.namespace.default;
for (const name of ['analytics-events', 'orders']) {
  const answer = await fetch(new Request(`https://worker.example.com/${name}`));
  console.log(name, answer.status, await answer.text());
}
