// Glewlwyd, an identity provider that Debian packages: run on loopback in a folder of its own, set up over its REST API as
// its administrator would. It writes a person's groups into the access token as one string (RFC 9068 otherwise), and the
// scopes of the token into `aud`.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import { basic } from './ask.mjs';
import { launch } from './launch.mjs';
import { until } from './until.mjs';

const run = promisify(execFile);

/** Where Debian's package puts its modules and the tables of an empty database. */
const MODULES = '/usr/lib/glewlwyd';
const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
/** The administrator that the tables come with. */
const ADMIN = { username: 'admin', password: 'password' };
const CLIENT = { id: 'kafka-cli', secret: 'a-secret-of-the-client' };
/** The client of a service whose users sign in with this provider: a public one. */
export const CONSOLE_CLIENT = 'gbac-console';
const PERSON_PASSWORD = 'a-password-of-a-person';
const SCOPES = 'openid kafka';
/** What every person has: a change of a person names it again. */
const STANDING = { scope: SCOPES.split(' '), enabled: true };

/** What is missing here, as a sentence; nothing when it can be started. */
export async function whyNoGlewlwyd() {
  const found = await Promise.allSettled([run('glewlwyd', ['--version']), run('sqlite3', ['--version'])]);
  const missing = ['glewlwyd', 'sqlite3'].filter((_, at) => found[at].reason?.code === 'ENOENT');
  if (missing.length === 0 && !existsSync(TABLES)) missing.push('glewlwyd');
  return missing.length > 0 && `not installed: ${missing.join(', ')} (Debian: apt install glewlwyd sqlite3)`;
}

/**
 * An address of loopback that no other process takes by chance: its port has to be named before it starts, and on an address of
 * its own nobody comes in between. Only Linux answers on all of 127.0.0.0/8.
 */
const HOST = process.platform === 'linux' ? `127.${1 + (process.pid >> 16)}.${(process.pid >> 8) & 255}.${process.pid & 255}` : '127.0.0.1';

async function freePort() {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Its configuration; a text in it is written as in JSON. */
function configure(port, database) {
  const origin = `http://${HOST}:${port}`;
  const settings = {
    port,
    bind_address: HOST,
    external_url: origin,
    api_prefix: 'api',
    log_mode: 'console',
    log_level: 'INFO',
    cookie_domain: HOST,
    session_key: 'session',
    admin_scope: 'g_admin',
    profile_scope: 'g_profile',
    user_module_path: `${MODULES}/user`,
    client_module_path: `${MODULES}/client`,
    user_auth_scheme_module_path: `${MODULES}/scheme`,
    plugin_module_path: `${MODULES}/plugin`,
    hash_algorithm: 'SHA512',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  return `${lines.join('')}database={type="sqlite3" path=${JSON.stringify(database)}};\n`;
}

/** Starts it with these people, each with groups. */
export async function startGlewlwyd(people) {
  const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'));
  const [database, settings, port] = [join(folder, 'data.db'), join(folder, 'settings.conf'), await freePort()];
  let glewlwyd;
  const stop = async () => {
    await glewlwyd?.stop();
    await rm(folder, { recursive: true });
  };
  try {
    await writeFile(settings, configure(port, database));
    const tables = await readFile(TABLES, 'utf8');
    await run('sqlite3', ['-bail', database, `BEGIN;${tables}COMMIT;`]);
    glewlwyd = await launch('glewlwyd', ['-c', settings], { ready: /Glewlwyd started on port/ });
    const api = `http://${HOST}:${port}/api`;
    // It says that it started before it listens.
    await until(() => fetch(api));
    const ask = await signIn(api);
    await setUp(api, ask);
    for (const [username, groups] of Object.entries(people))
      await ask('POST', '/user/', { username, groups, password: PERSON_PASSWORD, ...STANDING });
    return {
      issuer: `${api}/oidc`,
      discovery: `${api}/oidc/.well-known/openid-configuration`,
      /** It names the scopes as the audience, in one text. */
      audience: SCOPES,
      /** A new access token of a person. */
      async token(username) {
        const response = await fetch(`${api}/oidc/token`, {
          method: 'POST',
          headers: { authorization: basic(CLIENT.id, CLIENT.secret) },
          body: new URLSearchParams({ grant_type: 'password', username, password: PERSON_PASSWORD, scope: SCOPES }),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`Glewlwyd gave no token: ${response.status} ${text}`);
        return JSON.parse(text).access_token;
      },
      /** Its JWKS, as text. */
      keys: async () => (await fetch(`${api}/oidc/jwks`)).text(),
      /** Makes a service its client. */
      redirectTo: (uri) =>
        ask('POST', '/client/', {
          client_id: CONSOLE_CLIENT,
          confidential: false,
          enabled: true,
          token_endpoint_auth_method: ['none'],
          authorization_type: ['code'],
          redirect_uri: [uri],
          scope: SCOPES.split(' '),
        }),
      /** Signs a person in at this authorization URL and agrees; where the browser is sent then. */
      async authorize(username, url) {
        const person = await signIn(api, { username, password: PERSON_PASSWORD });
        await person('PUT', `/auth/grant/${CONSOLE_CLIENT}`, { scope: SCOPES });
        const headers = { cookie: person.cookie() };
        const response = await fetch(`${url}&g_continue`, { redirect: 'manual', headers });
        return response.headers.get('location');
      },
      setGroups: (username, groups) => ask('PUT', `/user/${encodeURIComponent(username)}`, { groups, ...STANDING }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Signs somebody in, the administrator if nobody is named; gives what asks the API in that session. */
async function signIn(api, credentials = ADMIN) {
  let cookie = '';
  const ask = async (method, path, body) => {
    const response = await fetch(api + path, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Glewlwyd refused ${method} ${path}: ${response.status} ${text}`);
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return text && JSON.parse(text);
  };
  ask.cookie = () => cookie;
  await ask('POST', '/auth/', credentials);
  return ask;
}

/** Gives people the property `groups`, and makes the scope, the OpenID Connect plugin and the client. */
async function setUp(api, ask) {
  const users = await ask('GET', '/mod/user/database');
  const groups = { multiple: true, read: true, write: true, 'profile-read': true, 'profile-write': false };
  users.parameters['data-format'].groups = groups;
  await ask('PUT', '/mod/user/database', users);
  await ask('PUT', '/mod/user/database/reset');
  await ask('POST', '/scope/', { name: 'kafka', display_name: 'Kafka', password_required: false, scheme: {} });
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'key-1', alg: 'ES256', use: 'sig' };
  await ask('POST', '/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    parameters: {
      iss: `${api}/oidc`,
      'jwks-private': JSON.stringify({ keys: [key] }),
      'jwks-show': true,
      'access-token-duration': 3600,
      'refresh-token-duration': 3600,
      'code-duration': 600,
      'allow-non-oidc': true,
      'auth-type-password-enabled': true,
      'auth-type-code-enabled': true,
      'pkce-allowed': true,
      // `sub` is a number of its own for each person and client; the name is beside it.
      'additional-parameters': ['groups', 'username'].map((name) => ({
        'user-parameter': name,
        'token-parameter': name,
      })),
    },
  });
  await ask('POST', '/client/', {
    client_id: CLIENT.id,
    confidential: true,
    enabled: true,
    client_secret: CLIENT.secret,
    password: CLIENT.secret,
    token_endpoint_auth_method: ['client_secret_basic'],
    authorization_type: ['password'],
    redirect_uri: [],
    scope: SCOPES.split(' '),
  });
}
