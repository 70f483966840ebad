// What every journey has: a service, a browser, a page of its own, and a look back at the end.
//
// A journey fails when the page logged an error, threw, or broke its content security policy, whatever else it checked.
// A failed one leaves a picture, the page and what was logged in tests/e2e/artifacts.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.mjs';
import { startCluster } from './cluster.mjs';
import { startProvider } from './provider.mjs';
import { startService } from './service.mjs';
import { openWatched } from './watch.mjs';
import { startPlatform } from './platform.mjs';

const ARTIFACTS = fileURLToPath(new URL('../artifacts/', import.meta.url));
/** How long a condition may take on a loaded machine; what is there is found at once. */
const PATIENCE_MS = 20_000;
/** The limit for everything that a test waits for. */
const LIMIT_MS = 120_000;

/** What a page says while it is watched. */
class Log {
  lines = [];
  complaints = [];

  constructor(page, tolerated) {
    const add = (line, isComplaint) => {
      this.lines.push(line);
      if (isComplaint && !tolerated.some((pattern) => pattern.test(line))) this.complaints.push(line);
    };
    page.on('console', (message) => {
      const { url, lineNumber } = message.location();
      add(
        `[${message.type()}] ${message.text()} (${url}:${lineNumber})`,
        ['error', 'warning', 'assert'].includes(message.type()),
      );
    });
    page.on('pageerror', (error) => add(`[exception] ${error.stack ?? error}`, true));
    page.on('crash', () => add('[crash] the page crashed', true));
  }
}

/** The flags of a service that relays to everything that a cluster has. */
const relaysTo = (origin) => ['admin', 'dataplane', 'controlplane'].flatMap((api) => [`--upstream-${api}`, origin]);

/**
 * Starts a service and a browser for the file that calls this, a provider with `{ provider: true }`, and with
 * `{ cluster: OPTIONS }` a cluster that the service relays to, or with `{ platform: FLAGS }` a double of the platform; ends
 * them after its tests. Gives `journey`, and an object
 * that holds what was started once the first test runs.
 */
export function stage(wanted = {}) {
  const set = {};
  const started = [];

  before(async () => {
    const cluster = wanted.cluster && startCluster(wanted.cluster);
    const platform = wanted.platform && startPlatform(wanted.platform);
    const flags = cluster?.then(({ origin }) => relaysTo(origin)) ?? platform?.then(({ relay }) => relay);
    const starts = {
      ...(cluster ? { cluster } : {}),
      ...(platform ? { platform } : {}),
      service: flags ? flags.then(startService) : startService(),
      browser: openBrowser(),
      ...(wanted.provider ? { provider: startProvider() } : {}),
    };
    for (const [name, start] of Object.entries(starts)) {
      started.push(start.then((made) => (set[name] = made)));
    }
    await Promise.all(started);
  });
  after(async () => {
    await Promise.allSettled(started);
    await set.browser?.close();
    await set.provider?.stop();
    await set.service?.stop();
    await set.cluster?.remove();
    await set.platform?.stop();
  });

  /**
   * One journey. `options` go to the browser's context, beside two of ours: `tolerates`, expressions for lines of the
   * console that are expected here, and `watched`, which keeps all traffic. The body gets `page`, `context`, node's test
   * context `t`, and `watched` where it is wanted.
   */
  function journey(title, options, body) {
    if (body === undefined) [options, body] = [{}, options];
    const { tolerates = [], watched: isWatched = false, ...more } = options;
    test(title, { timeout: LIMIT_MS }, async (t) => {
      const contextOptions = {
        baseURL: set.service.origin,
        viewport: { width: 1440, height: 900 },
        locale: 'en-US',
        colorScheme: 'light',
        ...more,
      };
      const watched = isWatched ? await openWatched(set.browser, contextOptions) : undefined;
      const context = watched?.context ?? (await set.browser.newContext(contextOptions));
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const log = new Log(page, tolerates);
      try {
        await body({ page, context, watched, t });
        assert.deepEqual(log.complaints, [], 'the page complained');
      } catch (error) {
        const folder = await keep(title, page, log, error, set.service).catch((why) => `nothing, ${why}`);
        t.diagnostic(`what the page looked like: ${folder}`);
        throw error;
      } finally {
        await (watched ?? context).close();
      }
    });
  }

  return { set, journey };
}

async function keep(title, page, log, error, service) {
  const file = basename(process.argv[1] ?? 'journey', '.test.mjs');
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const folder = join(ARTIFACTS, `${file}-${words.slice(0, 80)}`);
  await mkdir(folder, { recursive: true });
  const write = (name, text) => writeFile(join(folder, name), text);
  await write('console.txt', `${page.url()}\n\n${log.lines.join('\n')}\n\n${error?.stack ?? error}\n`);
  await write('service.txt', service.output());
  await write('page.html', await page.content());
  await page.screenshot({ path: join(folder, 'page.png'), fullPage: true, timeout: 10_000 });
  return folder;
}
