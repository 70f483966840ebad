// What axe says about a page: WCAG 2.2 AA and good practice, targets of 24 px too.

import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
// In the standard set of axe these rules are off.
const RULES = { 'target-size': { enabled: true }, 'label-content-name-mismatch': { enabled: true } };

/**
 * Runs axe and requires that it reports no violation; returns the ids of the rules that passed. The page is scrolled to its
 * start, or with `{ atEnd: true }` to its end: otherwise the browser decides.
 */
export async function isAccessible(page, state, { atEnd = false } = {}) {
  // A page whose code is still fetched has neither its heading nor anything else to look at.
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.boot'));
  await page.evaluate((end) => scrollTo({ top: end ? document.body.scrollHeight : 0, behavior: 'instant' }), atEnd);
  const options = { runOnly: { type: 'tag', values: TAGS }, rules: RULES, resultTypes: ['violations'] };
  // There are no frames, so nothing has to be gathered in a second page, which takes as long again.
  const analyze = (place) => {
    const axe = new AxeBuilder({ page }).options(place ? { ...options, runOnly: { type: 'rule', values: ['target-size'] } } : options);
    return (place ? axe.include(place) : axe).setLegacyMode(true).analyze();
  };
  const result = await analyze();
  for (const violation of result.violations.filter(({ id }) => id === 'target-size')) {
    // What lies half below a fixed bar can be scrolled above it, and is looked at there.
    const small = [];
    for (const node of violation.nodes) {
      await page.locator(node.target[0]).evaluate((element) => element.scrollIntoView({ block: 'center' }));
      const again = await analyze(node.target[0]);
      if (again.violations.length > 0) small.push(node);
    }
    violation.nodes = small;
  }
  const violations = result.violations
    .filter(({ nodes }) => nodes.length > 0)
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map(({ html, failureSummary }) => `${html}\n  ${failureSummary}`).join('\n  ')}`,
    );
  assert.deepEqual(violations, [], `${state} has violations`);
  return result.passes.map(({ id }) => id);
}
