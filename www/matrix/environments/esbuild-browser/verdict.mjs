import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { elsewhere, serve, verdictOfPage } from '../support.mjs';
const { warnings } = await build({ entryPoints: ['main.mjs'], bundle: true, outfile: 'dist/main.js', logLevel: 'error' });
if (warnings.length > 0) throw new Error(warnings[0].text);
writeFileSync('dist/index.html', '<!doctype html><title>-</title><script src="main.js"></script>');
const server = await serve(elsewhere('dist'));
console.log(await verdictOfPage(`${server.address}/index.html`));
server.stop();
