// Waiting for a condition that is seen from outside the page.

import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const STEP_MS = 25;

const NOT_THERE = /Cannot read properties of (null|undefined)|context was destroyed|not attached/;

/**
 * What is looked for is not there yet: an assertion failed, an element is missing or belongs to the page before, or a server
 * does not listen. Anything else is a fault, now and later.
 */
const isNotYet = (error) =>
  ['ERR_ASSERTION', 'ERR_INVALID_ARG_TYPE'].includes(error?.code) ||
  error?.name === 'TimeoutError' ||
  error?.cause?.code === 'ECONNREFUSED' ||
  NOT_THERE.test(error?.message ?? '');

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
