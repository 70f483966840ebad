// Through the development server as it renders a page, and in a build that has the package inside.
import { pathToFileURL } from 'node:url';
import { elsewhere } from '../support.mjs';
const { build, createServer } = await import(process.env.GBAC_VARIANT);
const server = await createServer({ root: '.', logLevel: 'error', appType: 'custom', server: { middlewareMode: true, hmr: false, ws: false } });
const developed = await (await server.ssrLoadModule('/entry.mjs')).verdict();
await server.close();
await build({ root: '.', logLevel: 'error', ssr: { noExternal: true }, build: { ssr: 'entry.mjs', outDir: 'dist' } });
const built = await (await import(pathToFileURL(`${elsewhere('dist')}/entry.mjs`).href).catch(() => import(pathToFileURL(`${elsewhere('dist')}/entry.js`).href))).verdict();
console.log(developed === built ? built : `${developed} in development, ${built} in the build`);
