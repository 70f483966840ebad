// Watches a browser context for a secret: every request with its address, headers and body, every line of the console,
// every place where a page can keep something. It knows nothing of the product, and is tested by planting a secret.

import { startWire } from './wire.mjs';

/** Pieces this long of a secret are enough to be a leak: half a token is one too. */
const PIECE = 24;

/** The forms in which a text may travel: as it is, percent-encoded, and as base64 at each of the three alignments. */
function needles(secret) {
  const pieces = [];
  for (let at = 0; at < secret.length; at += PIECE) pieces.push(secret.slice(at, at + PIECE));
  // The last piece may be too short to mean anything.
  const forms = pieces
    .filter((piece) => piece.length === PIECE)
    .flatMap((piece) => [piece, encodeURIComponent(piece), ...aligned(piece)]);
  return forms.length > 0 ? forms : [secret];
}

function aligned(text) {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('\0'.repeat(shift) + text).toString('base64url');
    // The first and the last characters depend on what stands around the text.
    return encoded.slice(shift === 0 ? 0 : shift + 1, -3);
  });
}

/** A new context of the browser, all of whose traffic is kept; `close()` ends it. */
export async function openWatched(browser, options = {}) {
  const wire = await startWire();
  const context = await browser.newContext({ ...options, proxy: wire.proxy });
  const lines = [];
  const violations = [];

  context.on('console', (message) => lines.push(message.text()));
  context.on('weberror', (error) => lines.push(String(error.error().stack ?? error.error())));
  context.on('page', (page) => page.on('crash', () => lines.push('the page crashed')));
  await context.exposeBinding('reportViolation', (_, violation) => violations.push(violation));
  await context.addInitScript(() => {
    addEventListener(
      'securitypolicyviolation',
      (event) => {
        const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
        window.reportViolation(`${effectiveDirective} blocked ${blockedURI} at ${sourceFile}:${lineNumber}`);
      },
      true,
    );
  });

  return {
    context,
    /** What was asked so far, each as `METHOD address`. */
    requests: () => wire.requests.map(({ method, url }) => `${method} ${url}`),
    /** The bodies that were sent to this path so far. */
    bodies: (method, path) =>
      wire.requests
        .filter((request) => request.method === method && new URL(request.url).pathname === path)
        .map(({ body }) => body),
    /** What broke the content security policy so far. */
    violations: () => [...violations],
    /** Every place where a piece of the secret was found, sorted, each once. */
    async leaks(page, secret) {
      const found = new Set();
      const wanted = needles(secret);
      const look = (place, text) => {
        if (wanted.some((needle) => text.includes(needle))) found.add(place);
      };
      for (const { method, url, headers, body } of wire.requests) {
        const { pathname } = new URL(url);
        look(`address of ${method} ${pathname}`, url);
        look(`headers of ${method} ${pathname}`, headers);
        look(`body of ${method} ${pathname}`, body);
      }
      lines.forEach((line) => look('console', line));
      look('cookies', JSON.stringify(await context.cookies()));
      for (const [place, text] of Object.entries(await kept(page))) look(place, text);
      return [...found].sort();
    },
    async close() {
      await context.close();
      await wire.stop();
    },
  };
}

/** Everything that a page has put somewhere, by place, as text. */
async function kept(page) {
  return await page.evaluate(async () => {
    const done = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const whole = async (name) => {
      const database = await done(indexedDB.open(name));
      const stores = [...database.objectStoreNames].map(async (store) => {
        const view = database.transaction(store).objectStore(store);
        return [store, await done(view.getAllKeys()), await done(view.getAll())];
      });
      const text = JSON.stringify([name, await Promise.all(stores)]);
      database.close();
      return text;
    };
    const addresses = async (name) => (await (await caches.open(name)).keys()).map((request) => request.url);
    const databases = (await indexedDB.databases()).map(({ name }) => whole(name));
    const cached = (await caches.keys()).map(addresses);
    return {
      'address bar': location.href,
      'tab title': document.title,
      'window name': window.name,
      'history state': JSON.stringify(history.state) ?? '',
      referrer: document.referrer,
      'local storage': JSON.stringify({ ...localStorage }),
      'session storage': JSON.stringify({ ...sessionStorage }),
      'indexed databases': JSON.stringify(await Promise.all(databases)),
      caches: JSON.stringify(await Promise.all(cached)),
      'resource timing': performance
        .getEntries()
        .map((entry) => entry.name)
        .join('\n'),
    };
  });
}
