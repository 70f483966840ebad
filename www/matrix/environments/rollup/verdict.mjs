import { writeFileSync } from 'node:fs';
import { rollup } from 'rollup';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { elsewhere, serve, verdictOfPage } from '../support.mjs';
const warnings = [];
const bundle = await rollup({ input: 'main.mjs', plugins: [nodeResolve({ browser: true })], onwarn: ({ message }) => warnings.push(message) });
// One classic script, without any option for chunks.
await bundle.write({ file: 'dist/main.js', format: 'iife' });
if (warnings.length > 0) throw new Error(warnings.join('\n'));
writeFileSync('dist/index.html', '<!doctype html><title>-</title><script src="main.js"></script>');
const server = await serve(elsewhere('dist'));
console.log(await verdictOfPage(`${server.address}/index.html`));
server.stop();
