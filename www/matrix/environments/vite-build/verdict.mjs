import { elsewhere, serve, verdictOfPage } from '../support.mjs';
const { build } = await import(process.env.GBAC_VARIANT);
await build({ root: '.', logLevel: 'error', build: { outDir: 'dist' } });
const server = await serve(elsewhere('dist'));
console.log(await verdictOfPage(`${server.address}/index.html`));
server.stop();
