// Waiting for a condition that is seen from outside the page.

import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const STEP_MS = 25;

/** The page does not show it yet: an assertion failed, or an element is missing. Anything else is a fault, now and later. */
const isNotYet = (error) => error?.code === 'ERR_ASSERTION' || error?.name === 'TimeoutError';

/** Repeats a check until it holds, and returns its result; at the end it throws the last failed assertion. */
export async function until(check) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!isNotYet(error) || performance.now() > end) throw error;
      await pause(STEP_MS);
    }
  }
}
