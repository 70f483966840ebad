// A real OpenID provider on loopback (npm oidc-provider). Its access tokens are JWTs (RFC 9068) with the groups of the
// person at the moment of issue: a changed membership is in the next token only (specification 1.3).

import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { basic } from './ask.mjs';
import { PEOPLE } from './people.mjs';

/** The resource that tokens are for: the `aud` that a service expects. */
export const AUDIENCE = 'urn:example:streams';

const ALGORITHMS = ['RS256', 'ES256', 'Ed25519'];
const CLIENT_SECRET = 'not-a-secret';

/** The client of a service whose users sign in with this provider. */
export const CONSOLE_CLIENT = { id: 'gbac-console', secret: 'a-secret-of-the-console' };

/**
 * Starts a provider with new keys.
 *
 * `token(person)` asks the token endpoint with that person's client (client_credentials with a resource indicator,
 * RFC 8707), `keys()` reads the JWKS over HTTP as text, `setGroups` changes a membership, `rotateKeys()` puts new keys in
 * the place of the old ones, `stop()` ends it, and `start()` starts it again on the same port, as it was. `redirectTo(uri)`
 * makes a service its client, whose users choose on its page who they are. `host` is the name in its address: with another
 * one than that of the service, browsers take the two for different sites.
 */
export async function startProvider({ host = '127.0.0.1' } = {}) {
  const server = createServer();
  const listen = async (port) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server.address().port;
  };
  const port = await listen(0);
  const issuer = `http://${host}:${port}`;
  const members = new Map(Object.entries(PEOPLE).map(([person, { groups }]) => [person, groups]));
  let generation = 0;
  let [answer, redirectUri] = [];
  const rotateKeys = async () => {
    generation += 1;
    answer = answering(await makeProvider(issuer, members, generation, redirectUri));
  };
  await rotateKeys();
  let issuesTokens = true;
  server.on('request', (request, response) => {
    if (!issuesTokens && request.url === '/token') return request.socket.destroy();
    return answer(request, response);
  });
  const discovery = `${issuer}/.well-known/openid-configuration`;

  return {
    issuer,
    discovery,
    audience: AUDIENCE,
    rotateKeys,
    async redirectTo(uri) {
      redirectUri = uri;
      await rotateKeys();
    },
    /** Whether its token endpoint responds; otherwise it closes each connection. */
    issueTokens(does) {
      issuesTokens = does;
    },
    setGroups(person, groups) {
      known(person);
      members.set(person, groups);
    },
    async token(person) {
      known(person);
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: basic(person, CLIENT_SECRET) },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'kafka', resource: AUDIENCE }),
      });
      const body = await response.json();
      if (!response.ok) throw new Error(`the provider refused: ${response.status} ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async keys() {
      const { jwks_uri: address } = await (await fetch(discovery)).json();
      return await (await fetch(address)).text();
    },
    start: () => listen(port),
    async stop() {
      if (!server.listening) return;
      const over = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}

function known(person) {
  if (!(person in PEOPLE)) throw new Error(`nobody is called ${person}`);
}

/** What answers requests: the provider, and in front of it the page on which people choose who they are. */
function answering(provider) {
  const callback = provider.callback();
  return async (request, response) => {
    if (!request.url.startsWith('/interaction/')) return callback(request, response);
    if (request.method === 'GET') {
      const buttons = Object.keys(PEOPLE).map((person) => `<button name="person" value="${person}">${person}</button>`);
      const page = `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><form method="post">${buttons.join('')}
        <button name="person" value="">Cancel</button></form></html>`;
      return response.setHeader('content-type', 'text/html').end(page);
    }
    const parts = [];
    for await (const part of request) parts.push(part);
    const person = new URLSearchParams(Buffer.concat(parts).toString()).get('person');
    const result = person ? { login: { accountId: person } } : { error: 'access_denied' };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
}

async function makeProvider(issuer, members, generation, redirectUri) {
  const { default: Provider } = await quietly(() => import('oidc-provider'));
  const keys = await Promise.all(ALGORITHMS.map((alg) => signingKey(alg, generation)));
  const ofPeople = Object.keys(PEOPLE).map((person) => ({
    client_id: person,
    client_secret: CLIENT_SECRET,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: 'kafka',
  }));
  const ofConsole = {
    client_id: CONSOLE_CLIENT.id,
    client_secret: CONSOLE_CLIENT.secret,
    redirect_uris: [redirectUri],
    scope: 'openid kafka',
  };
  const configuration = {
    jwks: { keys },
    clients: redirectUri ? [...ofPeople, ofConsole] : ofPeople,
    cookies: { keys: ['a-key-of-this-run'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    // Every user who signs in has given consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid kafka');
      grant.addResourceScope(AUDIENCE, 'kafka');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource, client) => ({
          audience: resource,
          scope: 'kafka',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3600,
          jwt: { sign: { alg: PEOPLE[client.clientId]?.alg ?? 'RS256' } },
        }),
      },
    },
    ttl: { AccessToken: 3600, ClientCredentials: 3600, Grant: 3600, IdToken: 3600, Interaction: 600, Session: 3600 },
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    scopes: ['kafka'],
    extraTokenClaims(_, { accountId, clientId }) {
      const person = accountId ?? clientId;
      return PEOPLE[person].claims(members.get(person));
    },
  };
  return await quietly(() => new Provider(issuer, configuration));
}

async function signingKey(alg, generation) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `key-${alg}-${generation}` };
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
