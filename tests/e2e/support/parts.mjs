// The parts under the simulator's panes, as a person sees them: closed rows that open.

import { text } from './fields.mjs';

/** Opens a part by its title, and gives what it holds. */
export async function part(page, title) {
  const row = page.getByRole('region', { name: 'Further analysis' }).getByRole('listitem').filter({
    has: page.locator('.disc-b', { hasText: title }),
  }).first();
  const button = row.locator('.disc-b');
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
  return row.locator('.part-b');
}

/** The lines of a list, as text. */
export async function lines(list) {
  const items = await list.getByRole('listitem').all();
  return await Promise.all(items.map((item) => text(item)));
}
