// Strict, with the declarations themselves looked at, under every way to resolve modules; then the compiled program runs.
import { rmSync, writeFileSync } from 'node:fs';
import { run, runTool } from '../support.mjs';
const common = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'], types: [], resolveJsonModule: true };
const node = ['main.mts', 'main.cts'];
for (const [name, options, files] of [
  ['node16', { module: 'node16' }, node], ['nodenext', { module: 'nodenext' }, node], ['bundler', { module: 'esnext', moduleResolution: 'bundler' }, ['main.mts']],
]) {
  writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions: { ...common, ...options, outDir: name }, files }));
  await runTool('typescript/bin/tsc', ['-p', '.']).catch(({ stdout }) => { throw new Error(`${name}: ${stdout}`); });
}
console.log(await run(process.execPath, ['node16/main.mjs']));
