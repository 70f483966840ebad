// An Express application with a guarded route: `JWKS_URL=.. PORT=3000 node app.mjs`. express.mjs tries it.
import express from 'express';
import { guard, identityOf } from 'gbac-engine/express';
import { identities, remoteKeys } from 'gbac-engine/identities';
import { acls, Policy } from 'gbac-engine/verify';

const policy = await Policy.load({ version: 1, acls: acls([{ allow: 'read', topic: 'orders-*', to: 'Group:engineering' }]) });
// The `jwks_uri` of your identity provider, and the `iss` and `aud` of its tokens.
const verify = remoteKeys({ url: process.env.JWKS_URL ?? 'https://idp.example.com/jwks.json', issuer: 'https://idp.example.com', audience: 'orders-api' });
const identify = identities({ policy, verify });

export const app = express();
const mayRead = guard({
  identify,
  requires: (request) => ({ operation: 'read', resource_type: 'topic', resource_name: request.params.name }),
  onDenied: (identity, denied) => console.warn(identity.user, identity.groups, identity.decide(denied).reason),
});
app.get('/topics/:name', mayRead, (request, response) => response.json({ topic: request.params.name, user: identityOf(request).user }));
if (process.env.PORT) app.listen(process.env.PORT);
