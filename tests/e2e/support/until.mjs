// Waiting for a condition that is seen from outside the page.

import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const STEP_MS = 25;

/** Runs a check again and again until it holds, and gives what it gave; what it last complained of is thrown at the end. */
export async function until(check) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(STEP_MS);
    }
  }
}
