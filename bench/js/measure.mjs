// Compares results, then measures times: engines alternate, so that other load of the machine affects all of them.

/** The number of calls that are timed together for a percentile, because a single call is as short as reading the clock. */
const BATCH = 20;

export const median = (values) => quantile(values, 0.5);

export function quantile(values, at) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.round((sorted.length - 1) * at)];
}

/** The time of `run` in nanoseconds. */
export function time(run) {
  const started = performance.now();
  run();
  return (performance.now() - started) * 1e6;
}

/** The processor time of `run` in nanoseconds, which other programs of the machine change less. For milliseconds and more. */
function processorTime(run) {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) * 1e3;
}

/**
 * Compares results with those of the naive reference for up to `milliseconds`, but at least `least` of them. Throws at the
 * first difference, because the speed of a wrong result is meaningless.
 */
function compare({ name, answer, queries }, least, milliseconds) {
  const started = performance.now();
  let place = 0;
  while (place < queries.length && (place < least || performance.now() - started < milliseconds)) {
    if (answer(place) !== queries[place].allowed) {
      throw new Error(`${name} and the naive reference differ: ${JSON.stringify(queries[place])}, number ${place}`);
    }
    place++;
  }
  return place;
}

/**
 * Measures engines `{ name, acls, groups, answer, queries }`. Each round measures one after the other with the same queries; a
 * row is the median of the rounds' means, in processor time. An engine with `renew` starts each round with a new `answer`, and makes each call once.
 */
export function contest(contestants, { quick }) {
  const [rounds, budget, comparing] = quick ? [9, 250, 1500] : [21, 1000, 20000];
  const runs = contestants.map((contestant) => {
    const estimate = time(() => compare(contestant, 3, 0)) / 3 / 1e6;
    const calls = Math.min(contestant.queries.length, Math.max(25, Math.floor(budget / estimate)));
    const checked = compare(contestant, calls, comparing);
    const warm = processorTime(() => pass(contestant.answer, calls)) / 1e6;
    return { contestant, calls, checked, passes: contestant.renew ? 1 : Math.max(1, Math.floor(30 / Math.max(warm, 0.01))), means: [] };
  });
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, calls, passes, means } of runs) {
      const answer = contestant.renew?.() ?? contestant.answer;
      globalThis.gc?.({ type: 'minor' });
      means.push(processorTime(() => {
        for (let count = 0; count < passes; count++) pass(answer, calls);
      }) / (calls * passes));
    }
  }
  return runs.map(({ contestant, calls, checked, means }) => ({
    name: contestant.name,
    acls: contestant.acls,
    groups: contestant.groups,
    ns_median: median(means),
    ns_p99: tail(contestant.renew?.() ?? contestant.answer, calls, median(means)),
    checked,
  }));
}

/** The sum of the results, so that no call can be optimized away. */
let allowed = 0;

function pass(answer, calls) {
  for (let place = 0; place < calls; place++) {
    if (answer(place)) allowed++;
  }
}

/** The 99th percentile of batches of calls, or of single calls if one takes much longer than reading the clock. */
function tail(answer, calls, mean) {
  const batch = mean > 20_000 ? 1 : BATCH;
  const times = [];
  for (let first = 0; first + batch <= calls; first += batch) {
    times.push(time(() => {
      for (let place = first; place < first + batch; place++) {
        if (answer(place)) allowed++;
      }
    }) / batch);
  }
  return times.length === 0 ? undefined : quantile(times, 0.99);
}

/** Measures a long operation several times. */
export async function runs(row, times, run) {
  const taken = [];
  for (let count = 0; count < times; count++) {
    const started = performance.now();
    const after = await run();
    taken.push((performance.now() - started) * 1e6);
    after?.();
  }
  return { ...row, ns_median: median(taken) };
}
