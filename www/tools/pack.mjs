// `npm pack` calls it first: makes what only the packed package has, its license, its changelog and the CommonJS build in cjs/, from
// the ES modules. The files of both have the same names, so they follow each other in the package, which halves them once compressed.
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import ts from 'typescript';

const www = fileURLToPath(new URL('../', import.meta.url));
const cjs = join(www, 'cjs');
const scripts = (folder) => readdirSync(join(www, folder)).filter((name) => name.endsWith('.js')).map((name) => join(folder, name));

for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(www, '..', name), join(www, name));
rmSync(cjs, { recursive: true, force: true });

// The declarations of the adapters, from their comments. TypeScript does not overwrite older ones.
for (const name of readdirSync(join(www, 'adapters')).filter((name) => name.endsWith('.d.ts'))) rmSync(join(www, 'adapters', name));
const options = { allowJs: true, declaration: true, emitDeclarationOnly: true, rootDir: www, outDir: www, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] };
ts.createProgram(scripts('adapters').map((path) => join(www, path)), options)
  .emit(undefined, (path, text) => { if (dirname(path) === join(www, 'adapters')) writeFileSync(path, text); });

/** The scripts with the wasm modules inside are in the package once: `require` takes them from the ES modules. */
const shared = {
  name: 'shared',
  load(id) {
    if (!id.endsWith('_inline.js')) return null;
    const file = `../../pkg/${basename(id)}`;
    // Jest cannot require an ES module.
    return `let code;
try {
  code = require('${file}').default;
} catch {
  code = process.getBuiltinModule('node:fs').readFileSync(\`\${module.path}/${file}\`, 'utf8').split("'")[1];
}
export default code;`;
  },
};

const entries = ['', 'slim', 'adapters'].flatMap(scripts);
const bundle = await rollup({
  input: Object.fromEntries(entries.map((path) => [path.slice(0, -'.js'.length), join(www, path)])),
  // Peers, and the package's own entry points: whatever resolves them chooses the right ones.
  external: (id) => !id.startsWith('.') && !id.startsWith(www),
  plugins: [shared],
  treeshake: false,
  onwarn: (warning) => { throw new Error(warning.message); },
});
// File by file, so that the entry points share their classes as the ES modules do.
await bundle.write({
  dir: cjs, format: 'cjs', preserveModules: true, preserveModulesRoot: www, exports: 'named',
});
await bundle.close();

// The declarations are the same.
for (const folder of ['', 'adapters']) {
  for (const name of readdirSync(join(www, folder)).filter((name) => name.endsWith('.d.ts') && name !== 'wasm.d.ts')) {
    copyFileSync(join(www, folder, name), join(cjs, folder, name));
  }
}
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
