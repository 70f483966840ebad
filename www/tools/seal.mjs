// `node seal.mjs NAME...`: completes the wasm modules in pkg/ after they are bound and optimized. Each gets the id of its build, which
// its script knows too, so that a module of another version is refused; and a copy of it as a script, for the entries that have the
// module inside. The script no longer reads from `Object.prototype`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { textOf } from './text.mjs';

/** The custom section that holds the id. */
const SECTION = 'gbac-engine';

const www = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', www), 'utf8'));

/** A number as LEB128. */
function leb128(number) {
  const bytes = [];
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** A descriptor in the generated scripts, which `Object.prototype.get` would break, and the same without a prototype. */
const DESCRIPTOR = '{ value: __wbg_instance_id, writable: true }';
const OWN = '{ __proto__: null, value: __wbg_instance_id, writable: true }';

/** The classes that not every runtime has as globals. */
const RUNTIME = "import { TextDecoder, TextEncoder } from '../lib/runtime.js';\n";

for (const name of process.argv.slice(2)) {
  const [wasm, script] = [`pkg/${name}_bg.wasm`, `pkg/${name}.js`].map((path) => new URL(path, www));
  const generated = readFileSync(script, 'utf8');
  if (!generated.includes(DESCRIPTOR)) throw new Error(`${name}.js has another form; look for what it reads from \`Object.prototype\``);
  writeFileSync(script, RUNTIME + generated.replaceAll(DESCRIPTOR, OWN));
  const bytes = readFileSync(wasm);
  if (WebAssembly.Module.customSections(new WebAssembly.Module(bytes), SECTION).length > 0) throw new Error(`${name} is sealed already`);
  const hash = createHash('sha256').update(bytes).update(readFileSync(script)).digest('hex').slice(0, 16);
  const id = `${version} ${hash}`;
  const [title, content] = [Buffer.from(SECTION), Buffer.from(id)];
  const body = Buffer.concat([leb128(title.length), title, content]);
  const sealed = Buffer.concat([bytes, Buffer.from([0]), leb128(body.length), body]);
  writeFileSync(wasm, sealed);
  writeFileSync(new URL(`pkg/${name}_id.js`, www), `export default ${JSON.stringify(id)};\n`);
  // Base64 is longer, and 20% larger after brotli; hexadecimal digits are twice as long, and 3% larger.
  writeFileSync(new URL(`pkg/${name}_inline.js`, www), `export default '${textOf(sealed)}';\n`);
}
