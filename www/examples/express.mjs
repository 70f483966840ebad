// Tests the guarded route of app.mjs: `npm install express`, then `node express.mjs`. It starts the server, sends requests, and
// ends.
import { createServer } from 'node:http';
import { provider } from './provider.mjs';

const idp = await provider();
const listen = async (server) => {
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${server.address().port}`;
};
// In production, your identity provider serves its keys.
const keys = createServer((request, response) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(idp.jwks)));
process.env.JWKS_URL = `${await listen(keys)}/jwks.json`;
const { app } = await import('./app.mjs');
const server = createServer(app);
const origin = await listen(server);

const token = await idp.token({ sub: 'alice', groups: ['engineering'] });
const ask = async (path, headers) => (await fetch(`${origin}${path}`, { headers })).status;
console.log(await ask('/topics/orders-eu', { authorization: `Bearer ${token}` }));   // 200
console.log(await ask('/topics/payroll', { authorization: `Bearer ${token}` }));     // 403
console.log(await ask('/topics/orders-eu', {}));                                     // 401
for (const one of [server, keys]) {
  one.close();
  one.closeAllConnections();
}
