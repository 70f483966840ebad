// Chromium, headless, with a new profile: the one of GBAC_CHROMIUM, or the first on PATH. The files of one run share a browser, and
// each journey has a context of its own.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

// No sandbox, because tests run in containers as root; nothing but the loopback service is ever opened. The rest keeps
// the browser from calling home.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** After this long a start has failed. */
const START_MS = 120_000;

/** Where the run's browser listens; not set for a file that runs alone. */
const { GBAC_E2E_BROWSER: SHARED } = process.env;

function findChromium() {
  if (process.env.GBAC_CHROMIUM) return process.env.GBAC_CHROMIUM;
  const places = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => NAMES.map((name) => join(dir, name)));
  const found = places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found)
    throw new Error('there is no Chromium on PATH; install the package `chromium`, or name one in GBAC_CHROMIUM');
  return found;
}

const options = () => ({ executablePath: findChromium(), args: FLAGS, headless: true, timeout: START_MS });

/** Starts a browser that test files connect to; `close()` of what it gives ends it. */
export const openSharedBrowser = () => chromium.launchServer(options());

/** The run's browser, or a new one; `close()` of what it gives ends it, or this file's part of it. */
export const openBrowser = () => (SHARED ? chromium.connect(SHARED, { timeout: START_MS }) : chromium.launch(options()));
