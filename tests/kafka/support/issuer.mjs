// An issuer of tokens on loopback: its keys and its discovery document over HTTP, and tokens for anybody with any groups.

import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { AUDIENCE, provider } from '../../../www/test/tokens.mjs';

const DISCOVERY = '/.well-known/openid-configuration';

/** Starts an issuer. `write` signs a token and puts it into a file at once; a client that reads it again finds the new one. */
export async function startIssuer() {
  const { jwks, token } = provider();
  const server = createServer(({ url }, response) => {
    const document = url === DISCOVERY ? { issuer, jwks_uri: `${issuer}/jwks` } : jwks;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return {
    issuer,
    jwks: `${issuer}/jwks`,
    audience: AUDIENCE,
    async write(file, claims, lasts = 3600) {
      await writeFile(`${file}.new`, token({ iss: issuer, ...claims }, { lasts }));
      await rename(`${file}.new`, file);
    },
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
