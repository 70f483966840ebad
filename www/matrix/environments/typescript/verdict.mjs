// Compiles strictly, including the declarations themselves, with every module resolution, and runs the compiled program. `node16` has
// no import attributes, which a `.json` file needs. Servers have no DOM library, and without it no `fetch`.
import { copyFileSync, writeFileSync } from 'node:fs';
import { run, runTool } from '../support.mjs';
const common = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [], resolveJsonModule: true };
copyFileSync('server.mts', 'server.ts');
const node = ['main.mts', 'main.cts'];
for (const [name, options, files] of [
  ['node16', { module: 'node16' }, node], ['nodenext', { module: 'nodenext' }, [...node, 'json.mts']],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }, ['main.mts', 'json.mts']],
  ['without-dom', { module: 'nodenext', lib: ['es2022'] }, ['server.mts', 'main.cts']],
  ['node10', { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '5.0' }, ['server.ts']],
]) {
  writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions: { ...common, ...options, outDir: name }, files }));
  await runTool('typescript/bin/tsc', ['-p', '.']).catch(({ stdout }) => { throw new Error(`${name}: ${stdout}`); });
}
for (const program of ['without-dom/server.mjs', 'node10/server.js']) await run(process.execPath, [program]);
console.log(await run(process.execPath, ['node16/main.mjs']));
