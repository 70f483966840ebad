// The static site below a path of a small web server, as GitHub Pages serves it: unknown addresses get 404.html.
//
// GBAC_SITE names the built site (default: target/site).

import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const SITE = process.env.GBAC_SITE ?? fileURLToPath(new URL('../../../target/site', import.meta.url));
/** The path of the site. */
const BASE = '/a/b/';
const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.wasm': 'application/wasm',
};

/** Serves the site on a free port; `sent` sums what pages took, compressed, and `reset()` forgets it. */
export async function serveSite() {
  let sent = { brotli: 0, gzip: 0 };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
    const name = path.startsWith(BASE) ? path.slice(BASE.length) || 'index.html' : null;
    const body = name && !name.includes('..') ? await readFile(join(SITE, name)).catch(() => null) : null;
    const content = body ?? (await readFile(join(SITE, '404.html')));
    sent.brotli += brotliCompressSync(content).length;
    sent.gzip += gzipSync(content, { level: 9 }).length;
    response.writeHead(body ? 200 : 404, { 'content-type': body ? (TYPES[extname(name)] ?? 'application/octet-stream') : 'text/html' });
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    address: (path) => origin + BASE + path,
    sent: () => sent,
    reset: () => (sent = { brotli: 0, gzip: 0 }),
    stop: () => new Promise((done) => server.close(done)),
  };
}
