// The parts of the simulator that open: panels below the panes, and sections of them and of the extraction.

import { text } from './fields.mjs';

const WHAT_IF = 'What if and compare';
const TESTS = 'Tests and sharing';
/** The buttons that lead to each part, from the outside. */
const WAYS = {
  'What if': [WHAT_IF],
  'Smallest change': [WHAT_IF, 'Smallest change'],
  'Compare two users': [WHAT_IF],
  'Whole request': ['Whole request'],
  Tests: [TESTS],
  Share: [TESTS],
};
/** All parts below the panes. */
export const PARTS = Object.keys(WAYS);

async function open(button) {
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

/** Opens a part below the panes by its title, and gives what it holds. */
export async function part(page, title) {
  const panels = page.getByRole('region', { name: 'Further analysis' });
  for (const way of WAYS[title]) await open(panels.locator('.disc-b').filter({ hasText: way }).first());
  return panels.getByRole('region', { name: title, exact: true });
}

/** Opens the diagnosis of the extraction's steps, and gives the extraction. */
export async function troubleshoot(page) {
  const extraction = page.getByRole('region', { name: 'Path', exact: true });
  await open(extraction.getByRole('button', { name: 'Troubleshoot' }));
  return extraction;
}

/** Opens the steps of the extraction, which stand below the path. */
export async function openSteps(extraction) {
  const [steps, button] = [extraction.getByRole('list', { name: 'How groups are read' }), extraction.getByRole('button', { name: 'How groups are read' })];
  await steps.or(button).first().waitFor();
  if (!(await steps.isVisible())) await button.click();
}

/** Opens the collisions of the extraction. */
export async function collisions(page) {
  const extraction = page.getByRole('region', { name: 'Path', exact: true });
  await openSteps(extraction);
  await open(extraction.getByRole('button', { name: 'Check for collisions' }));
  return extraction.getByRole('region', { name: 'Group name collisions' });
}

/** The lines of a list, as text. */
export async function lines(list) {
  const items = await list.getByRole('listitem').all();
  return await Promise.all(items.map((item) => text(item)));
}
