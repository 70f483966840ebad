// What a page costs the browser, told by the tests that measure.

/** The middle of some numbers. */
export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The page's main thread, as the browser accounts for it. */
export class MainThread {
  /** Begins to count. */
  static async of(page, context) {
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    return new MainThread(page, session);
  }

  constructor(page, session) {
    this.page = page;
    this.session = session;
  }

  /** Milliseconds that it was busy so far, in all and with scripts. */
  async busy() {
    const { metrics } = await this.session.send('Performance.getMetrics');
    const milliseconds = (wanted) => metrics.find(({ name }) => name === wanted).value * 1000;
    return { all: milliseconds('TaskDuration'), script: milliseconds('ScriptDuration') };
  }

  /** Waits until the page is painted, and what follows the paint has begun. */
  async painted() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  }

  /** All that it does from an act until what that shows is painted, in milliseconds. */
  async spent(act) {
    await this.painted();
    const before = await this.busy();
    await act();
    await this.painted();
    return (await this.busy()).all - before.all;
  }

  /** How long the page itself noted that its last work of a name took, in milliseconds. */
  async noted(name) {
    return this.page.evaluate((name) => performance.getEntriesByName(name, 'measure').at(-1).duration, name);
  }

  /** Notes from now on every task of more than 50 ms, which is what a browser tells; gives what was noted, when called. */
  async longTasks() {
    await this.page.evaluate(() => {
      window.tasks = [];
      const note = (list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration));
      new PerformanceObserver(note).observe({ type: 'longtask' });
    });
    return () => this.page.evaluate(() => window.tasks);
  }
}

const shown = (value) => (typeof value === 'number' ? `${value.toFixed(1)} ms` : value);

/** Tells rows of a description, what was measured and its limit; numbers are milliseconds. */
export function tell(t, rows) {
  for (const [what, measured, limit] of rows) t.diagnostic(`${what}: ${shown(measured)} (limit ${shown(limit)})`);
}
