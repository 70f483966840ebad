// What every journey has: a service, a browser, a page of its own, and a look back at the end.
//
// A journey fails when the page logged an error, threw, or broke its content security policy, whatever else it checked.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openBrowser } from './browser.mjs';
import { startCluster } from './cluster.mjs';
import { keepEvidence } from './evidence.mjs';
import { startPlatform } from './platform.mjs';
import { startProvider } from './provider.mjs';
import { borrowService, startService } from './service.mjs';
import { borrow } from './shared.mjs';
import { openWatched } from './watch.mjs';

/** How long a condition may take on a loaded machine; what is there is found at once. */
const PATIENCE_MS = 60_000;
/** When a journey hangs. */
const LIMIT_MS = 900_000;
const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

/** What Chromium says of a page that is slow to use what it fetched ahead: it is about the machine. */
const IS_SLOW = /was preloaded using link preload but not used within a few seconds/;

/** What a page says while it is watched. */
class Log {
  lines = [];
  complaints = [];

  constructor(page, tolerated) {
    const add = (line, isComplaint) => {
      this.lines.push(line);
      if (isComplaint && ![IS_SLOW, ...tolerated].some((pattern) => pattern.test(line))) this.complaints.push(line);
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
 * What the journeys of the file that calls this need: a browser and a service, a provider with `{ provider: true }`, and with
 * `{ cluster: OPTIONS }` a cluster that the service relays to, or with `{ platform: FLAGS }` a double of the platform. The service
 * is one that other files use before and after, with the policy of the demonstration at the start of each journey; with
 * `{ own: true }` it is this file's own, for journeys that change its configuration or license, stop it, or count what it saw;
 * `{ start }` starts another one.
 * Gives `journey`, and an object that holds what was started once the first test runs.
 */
export function stage(wanted = {}) {
  const set = {};
  const started = [];
  let first;

  before(async () => {
    const cluster = wanted.cluster && startCluster(wanted.cluster);
    const platform = wanted.platform && startPlatform(wanted.platform);
    const flags = cluster?.then(({ origin }) => relaysTo(origin)) ?? platform?.then(({ relay }) => relay);
    const service = flags?.then(startService) ?? wanted.start?.() ?? (wanted.own ? startService() : borrowService());
    const starts = {
      ...(cluster ? { cluster } : {}),
      ...(platform ? { platform } : {}),
      service,
      browser: openBrowser(),
      ...(wanted.provider ? { provider: startProvider() } : {}),
    };
    for (const [name, start] of Object.entries(starts)) {
      started.push(start.then((made) => (set[name] = made)));
    }
    await Promise.all(started);
    first = await set.service.policy();
  });
  after(async () => {
    await Promise.allSettled(started);
    await set.browser?.close();
    await set.provider?.stop();
    await set.service?.stop();
    await set.cluster?.remove();
    await set.platform?.stop();
  });

  /** Puts the service's policy back to what it was at first. */
  async function putBack() {
    if (!isDeepStrictEqual(await set.service.policy(), first)) await set.service.putPolicy(first);
  }

  /**
   * One journey. `options` go to the browser's context, beside three of ours: `tolerates`, expressions for lines of the
   * console that are expected here, `watched`, which keeps all traffic, and `clipboard`, which a browser has one of. The body
   * gets `page`, `context`, node's test context `t`, and `watched` where it is wanted.
   */
  function journey(title, options, body) {
    if (body === undefined) [options, body] = [{}, options];
    const { tolerates = [], watched: isWatched = false, clipboard: usesClipboard = false, ...more } = options;
    test(title, { timeout: LIMIT_MS }, async (t) => {
      const contextOptions = {
        baseURL: set.service.origin,
        viewport: { width: 1440, height: 900 },
        locale: 'en-US',
        colorScheme: 'light',
        ...(usesClipboard ? { permissions: CLIPBOARD } : {}),
        ...more,
      };
      const clipboard = usesClipboard ? await borrow('clipboard') : undefined;
      const watched = isWatched ? await openWatched(set.browser, contextOptions) : undefined;
      const context = watched?.context ?? (await set.browser.newContext(contextOptions));
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const log = new Log(page, tolerates);
      let failure;
      try {
        await body({ page, context, watched, t });
        assert.deepEqual(log.complaints, [], 'the page complained');
      } catch (error) {
        const evidence = await keepEvidence({ title, page, log, error, service: set.service });
        failure = Object.assign(error, { stack: `${error.stack}\n\n${evidence}` });
      }
      await (watched ?? context).close();
      clipboard?.giveBack();
      await putBack().catch((error) => (failure ??= error));
      if (failure) throw failure;
    });
  }

  return { set, journey };
}
