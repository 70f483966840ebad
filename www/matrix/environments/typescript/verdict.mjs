// Compiles strictly, including the declarations themselves, with every module resolution, and runs the compiled program. `node16` has
// no import attributes, which a `.json` file needs.
import { writeFileSync } from 'node:fs';
import { run, runTool } from '../support.mjs';
const common = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [], resolveJsonModule: true };
const node = ['main.mts', 'main.cts'];
for (const [name, options, files] of [
  ['node16', { module: 'node16' }, node], ['nodenext', { module: 'nodenext' }, [...node, 'json.mts']],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }, ['main.mts', 'json.mts']],
]) {
  writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions: { ...common, ...options, outDir: name }, files }));
  await runTool('typescript/bin/tsc', ['-p', '.']).catch(({ stdout }) => { throw new Error(`${name}: ${stdout}`); });
}
console.log(await run(process.execPath, ['node16/main.mjs']));
