// `npm pack` calls it first: makes what only the packed package has, its license and the CommonJS build in cjs/, from the ES modules.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import ts from 'typescript';

const www = fileURLToPath(new URL('../', import.meta.url));
const cjs = join(www, 'cjs');
const scripts = (folder) => readdirSync(join(www, folder)).filter((name) => name.endsWith('.js')).map((name) => join(folder, name));

copyFileSync(join(www, '../LICENSE'), join(www, 'LICENSE'));
rmSync(cjs, { recursive: true, force: true });

// The declarations of the adapters, from their comments. TypeScript does not overwrite older ones.
for (const name of readdirSync(join(www, 'adapters')).filter((name) => name.endsWith('.d.ts'))) rmSync(join(www, 'adapters', name));
const options = { allowJs: true, declaration: true, emitDeclarationOnly: true, rootDir: www, outDir: www, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] };
ts.createProgram(scripts('adapters').map((path) => join(www, path)), options)
  .emit(undefined, (path, text) => { if (dirname(path) === join(www, 'adapters')) writeFileSync(path, text); });

const entries = ['', 'slim', 'adapters'].flatMap(scripts);
const bundle = await rollup({
  input: Object.fromEntries(entries.map((path) => [path.slice(0, -'.js'.length), join(www, path)])),
  // Peers, and the package's own entry points: whatever resolves them chooses the right ones.
  external: (id) => !id.startsWith('.') && !id.startsWith(www),
  treeshake: false,
  onwarn: (warning) => { throw new Error(warning.message); },
});
// File by file, so that the entry points share their classes as the ES modules do.
await bundle.write({
  dir: cjs, format: 'cjs', preserveModules: true, preserveModulesRoot: www, entryFileNames: '[name].cjs', exports: 'named',
});
await bundle.close();

// The declarations say the same; only what they import has another name.
for (const folder of ['', 'adapters']) {
  mkdirSync(join(cjs, folder), { recursive: true });
  for (const name of readdirSync(join(www, folder)).filter((name) => name.endsWith('.d.ts') && name !== 'wasm.d.ts')) {
    const text = readFileSync(join(www, folder, name), 'utf8').replaceAll(/(from |import\()(['"])(\.[^'"]*)\.js\2/g, '$1$2$3.cjs$2');
    writeFileSync(join(cjs, folder, `${basename(name, '.d.ts')}.d.cts`), text);
  }
}
