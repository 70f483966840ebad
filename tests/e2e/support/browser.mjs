// Chromium, headless, with a new profile: the one of GBAC_CHROMIUM, or the first on PATH.

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

/** Starts the browser; `close()` of what it gives ends it. */
export function openBrowser() {
  return chromium.launch({ executablePath: findChromium(), args: FLAGS, headless: true });
}
