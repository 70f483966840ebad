import { build } from 'esbuild';
import { copyFileSync } from 'node:fs';
import { serve, verdictOfPage } from '../support.mjs';
// Import maps do not reach service workers, so that they are bundled.
await build({ entryPoints: ['worker.mjs'], bundle: true, format: 'esm', outfile: 'dist/worker.js', logLevel: 'error' });
copyFileSync('index.html', 'dist/index.html');
const server = await serve('dist');
console.log(await verdictOfPage(`${server.address}/index.html`));
server.stop();
