import { serve, verdictOfPage } from '../support.mjs';
const server = await serve('.');
console.log(await verdictOfPage(`${server.address}/index.html`));
server.stop();
