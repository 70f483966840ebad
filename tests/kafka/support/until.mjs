// Waiting for a condition of a cluster.

import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 90_000;
const STEP_MS = 100;

/** Repeats a question until its answer is the expected one; at the end it throws the last answer. */
export async function answers(expected, ask) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer === expected) return;
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(answer)} and not ${JSON.stringify(expected)}`);
    await pause(STEP_MS);
  }
}
