// A forward proxy on loopback that keeps every byte a browser sends. It is the only view that misses nothing: a browser's
// own tools do not show the bodies of blobs and beacons.

import { once } from 'node:events';
import { createServer, request as send } from 'node:http';

/** Chromium itself asks this server about the shape of forms, on every page; no page can have it do so. */
const CHROMIUMS_OWN = 'content-autofill.googleapis.com:443';

/** Starts the proxy; `requests` grows with everything that is sent through it. */
export async function startWire() {
  const requests = [];

  const server = createServer(async (request, response) => {
    const chunks = [];
    const entry = { method: request.method, url: request.url, headers: request.rawHeaders.join('\n'), body: '' };
    requests.push(entry);
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    entry.body = body.toString('latin1');
    const onward = send(request.url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    // A service that is away is away through a proxy too.
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
  // Whatever wants a tunnel (https, WebSockets) leaves its mark here and gets no further.
  server.on('connect', (request, socket) => {
    if (request.url !== CHROMIUMS_OWN)
      requests.push({
        method: 'CONNECT',
        url: `http://${request.url}/`,
        headers: request.rawHeaders.join('\n'),
        body: '',
      });
    socket.on('error', () => {}).end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    requests,
    /** For the options of a browser context; without the bypass rule a browser goes straight to loopback. */
    proxy: { server: `http://127.0.0.1:${server.address().port}`, bypass: '<-loopback>' },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
