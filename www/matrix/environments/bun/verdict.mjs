import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { elsewhere, run, TOOLS } from '../support.mjs';
const bun = join(TOOLS, 'node_modules/@oven/bun-linux-x64/bin/bun');
switch (process.env.GBAC_VARIANT) {
  case 'run': console.log(await run(bun, ['main.mjs'])); break;
  case 'build': {
    await run(bun, ['build', 'main.mjs', '--target', 'bun', '--outdir', 'dist']);
    console.log(await run(bun, [`${elsewhere('dist')}/main.js`]));
    break;
  }
  default: {
    mkdirSync('dist', { recursive: true });
    await run(bun, ['build', '--compile', 'main.mjs', '--outfile', resolve('dist/main')]);
    console.log(await run(`${elsewhere('dist')}/main`));
  }
}
