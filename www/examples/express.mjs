// Guard an Express route: `npm install express`, then `node express.mjs`. It starts a server, asks it, and ends.
import express from 'express';
import { guard } from 'gbac-engine/express';
import { identities, remoteKeys } from 'gbac-engine/identities';
import { acls, Policy } from 'gbac-engine/verify';
import { provider } from './provider.mjs';

const idp = await provider();
const app = express();
// Your identity provider has its own server for this.
app.get('/jwks.json', (request, response) => response.json(idp.jwks));
const server = app.listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const origin = `http://127.0.0.1:${server.address().port}`;

const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'Group:engineering' }]) });
const verify = remoteKeys({ url: `${origin}/jwks.json`, issuer: 'https://idp.example.com', audience: 'orders-api' });
const identify = identities({ policy, verify });

const mayRead = guard({ identify, need: (request) => ({ operation: 'read', resourceType: 'topic', name: request.params.name }) });
app.get('/topics/:name', mayRead, (request, response) => response.json({ topic: request.params.name, user: request.identity.user }));

const token = await idp.token({ sub: 'alice', groups: ['engineering'] });
const ask = async (path, headers) => (await fetch(`${origin}${path}`, { headers })).status;
console.log(await ask('/topics/orders-eu', { authorization: `Bearer ${token}` }));   // 200
console.log(await ask('/topics/payroll', { authorization: `Bearer ${token}` }));     // 403
console.log(await ask('/topics/orders-eu', {}));                                     // 401
server.close();
server.closeAllConnections();
