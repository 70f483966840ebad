// The published console has several files: a failed download is shown and can be retried.

import assert from 'node:assert/strict';
import { stage } from './support/journey.mjs';
import { fetchedAhead } from './support/navigation.mjs';
import { Roles } from './support/roles.mjs';
import { Simulator } from './support/simulator.mjs';

const { set, journey } = stage();
/** All pages but the roles and the simulator. */
const REST = '**/split_rest-*.wasm';
/** What the simulator needs for a verdict. */
const EVALUATION = '**/split_evaluate-*.wasm';
const MISSING = { tolerates: [/split_(rest|evaluate)-/, /Failed to fetch/, /ERR_FAILED/, /preloaded using link preload/] };

/** Whether the console under test was built as one file, as development builds are. */
const isOneFile = async () => !(await (await fetch(set.service.origin)).text()).includes('/split-');

journey('a page whose file does not come says so, and comes when it can', MISSING, async ({ page, t }) => {
  if (await isOneFile()) return t.skip('this console is one file');
  await page.route(REST, (route) => route.abort());
  const roles = new Roles(page);
  await roles.open();
  await page.getByRole('link', { name: 'Audit' }).click();
  const failure = page.getByRole('alert').filter({ hasText: 'Audit could not be loaded' });
  await failure.waitFor();
  assert.equal(await failure.getByRole('link', { name: 'Reload the console' }).count(), 1);

  // What is here already still works.
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await roles.table.waitFor();

  await page.getByRole('link', { name: 'Audit' }).click();
  await failure.waitFor();
  await page.unroute(REST);
  await failure.getByRole('button', { name: 'Try again' }).click();
  const heading = page.getByRole('heading', { level: 1, name: 'Audit' });
  await heading.waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Audit');
});

journey('the simulator is there before its evaluation, which is fetched until it comes', MISSING, async ({ page, t }) => {
  if (await isOneFile()) return t.skip('this console is one file');
  await page.route(EVALUATION, (route) => route.abort());
  const simulator = new Simulator(page);
  await simulator.open();
  await page.getByText('Paste a token to see the verdict.').waitFor();
  await simulator.pick('Priya Raman');
  await page.getByText('Loading the evaluation.').waitFor();
  await page.unroute(EVALUATION);
  await simulator.check.getByRole('heading', { level: 3 }).waitFor();
});

journey('a page that was fetched ahead opens without the network', async ({ page, context, t }) => {
  if (await isOneFile()) return t.skip('this console is one file');
  await new Roles(page).open();
  await fetchedAhead(page);
  await page.route('**/*.wasm', (route) => route.abort());
  await page.getByRole('link', { name: /^Connection:/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Connection' }).waitFor();
});
