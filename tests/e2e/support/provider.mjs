// A real OpenID provider on loopback (npm oidc-provider). Its access tokens are JWTs (RFC 9068) with the groups of the
// person at the moment of issue: a changed membership is in the next token only (specification 1.3).

import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { PEOPLE } from './people.mjs';

/** The resource that tokens are for: the `aud` that a service expects. */
export const AUDIENCE = 'urn:example:streams';

const ALGORITHMS = ['RS256', 'ES256', 'Ed25519'];
const SECRET = 'not-a-secret';

/**
 * Starts a provider with new keys.
 *
 * `token(person)` asks the token endpoint with that person's client (client_credentials with a resource indicator,
 * RFC 8707), `keys()` reads the JWKS over HTTP as text, `setGroups` changes a membership, `stop()` ends it.
 */
export async function startProvider() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const members = new Map(Object.entries(PEOPLE).map(([person, { groups }]) => [person, groups]));
  const provider = await makeProvider(issuer, members);
  const answer = provider.callback();
  server.on('request', (request, response) => answer(request, response));

  return {
    issuer,
    audience: AUDIENCE,
    setGroups(person, groups) {
      known(person);
      members.set(person, groups);
    },
    async token(person) {
      known(person);
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${person}:${SECRET}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'kafka', resource: AUDIENCE }),
      });
      const body = await response.json();
      if (!response.ok) throw new Error(`the provider refused: ${response.status} ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async keys() {
      const { jwks_uri: address } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
      return await (await fetch(address)).text();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function known(person) {
  if (!(person in PEOPLE)) throw new Error(`nobody is called ${person}`);
}

async function makeProvider(issuer, members) {
  const { default: Provider } = await quietly(() => import('oidc-provider'));
  const keys = await Promise.all(ALGORITHMS.map(signingKey));
  const configuration = {
    jwks: { keys },
    clients: Object.keys(PEOPLE).map((person) => ({
      client_id: person,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'kafka',
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource, client) => ({
          audience: resource,
          scope: 'kafka',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3600,
          jwt: { sign: { alg: PEOPLE[client.clientId].alg } },
        }),
      },
    },
    ttl: { ClientCredentials: 3600 },
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    scopes: ['kafka'],
    extraTokenClaims: (_, token) => PEOPLE[token.clientId].claims(members.get(token.clientId)),
  };
  return await quietly(() => new Provider(issuer, configuration));
}

async function signingKey(alg) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `key-${alg}` };
}

/** oidc-provider tells on the console that it is not in production; that is the point here. */
async function quietly(make) {
  const { info, warn } = console;
  console.info = console.warn = () => {};
  try {
    return await make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
