import { build } from 'esbuild';
import { elsewhere, run } from '../support.mjs';
const { warnings } = await build({ entryPoints: ['main.mjs'], bundle: true, platform: 'node', format: 'cjs', outfile: 'dist/main.cjs', logLevel: 'error' });
if (warnings.length > 0) throw new Error(warnings[0].text);
console.log(await run(process.execPath, [`${elsewhere('dist')}/main.cjs`]));
