// The parts of the simulator that open: panels below the panes, and sections of them and of the extraction.

import { text } from './fields.mjs';

/** All parts below the panes: those that actions of the verdict open, and what is nested in them. */
export const PARTS = ['Try a change', 'Smallest change', 'Compare users', 'Whole request', 'Share', 'Tests'];

async function open(button) {
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

/** Opens a part below the panes by its title, and gives what it holds. */
export async function part(page, title) {
  const name = title === 'Tests' ? 'Saved tests' : 'Further analysis';
  const panels = page.getByRole('region', { name, exact: true });
  if (title !== 'Tests') {
    const action = title === 'Smallest change' ? 'Try a change' : title;
    await open(page.getByRole('group', { name: 'Verdict actions' }).getByRole('button', { name: action, exact: true }));
  }
  if (title === 'Tests' || title === 'Smallest change') await open(panels.locator('.disc-b').filter({ hasText: title }).first());
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
