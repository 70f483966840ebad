// When outcomes may change: after a change of the policy, and when the identity expires.

/** The longest delay that timers support. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls `changed` after each change of the policy and once when the identity expires; returns a function that ends this.
 * @param {import('gbac-engine').Policy} policy
 * @param {import('gbac-engine').Identity} identity
 * @param {() => void} changed
 * @returns {() => void}
 */
export function watch(policy, identity, changed) {
  /** @type {any} */
  let timer;
  const wait = () => {
    const { expiresAt } = identity;
    if (expiresAt === undefined || identity.isExpired()) return;
    const rest = Math.max(expiresAt * 1000 - Date.now(), 0) + 1;
    timer = setTimeout(() => {
      if (identity.isExpired()) changed();
      else wait();
    }, Math.min(rest, LONGEST));
    // In Node, the timer does not keep the process alive.
    if (typeof timer.unref === 'function') timer.unref();
  };
  const unsubscribe = policy.subscribe(changed);
  wait();
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
