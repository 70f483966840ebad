import { verdictOfPage } from '../support.mjs';
const { createServer } = await import(process.env.GBAC_VARIANT);
const server = await createServer({ root: '.', logLevel: 'error', server: { host: '127.0.0.1', port: 0, hmr: false } });
await server.listen();
const { port } = server.httpServer.address();
console.log(await verdictOfPage(`http://127.0.0.1:${port}/`));
await server.close();
