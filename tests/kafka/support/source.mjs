// A source of roles over HTTP, which answers, hangs or is damaged, by the name in its path.

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts it with a document.
 *
 * `/good` answers; `/damaged` answers with half of the document; `/silent` never answers; `/once-N` answers once and is then
 * silent. `asked(path)` is how often a path was asked.
 */
export async function startSource(document) {
  const text = JSON.stringify(document);
  const counts = new Map();
  const server = createServer((request, response) => {
    const path = request.url;
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const isSilent = path === '/silent' || (path.startsWith('/once-') && count > 1);
    if (!isSilent) response.end(path === '/damaged' ? text.slice(0, text.length / 2) : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    asked: (name) => counts.get(`/${name}`) ?? 0,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
