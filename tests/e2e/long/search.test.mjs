// The search of every page: names, pages, actions, typed questions, and the main job with the keyboard alone.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { heading, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { ROLES, Roles } from '../support/roles.mjs';
import { Search } from '../support/search.mjs';
import { until } from '../support/until.mjs';

const { journey } = stage();

journey('names of every kind are found, chosen with the arrows and opened', async ({ page }) => {
  const search = new Search(page);
  await new Roles(page).open();
  await page.getByRole('button', { name: 'Refresh' }).focus();
  await search.open();
  // Nothing typed: pages and actions.
  await until(async () => assert.ok((await search.group('Pages')).includes('Roles')));
  assert.equal((await search.group('Pages')).length, 5);

  await page.keyboard.type('paywr');
  await until(async () => assert.deepEqual(await search.group('Roles'), ['PaymentsWriters 3 ACLs, 3 principals']));
  assert.ok((await search.marked()).includes('Pay'));
  await search.field.fill('payments');
  await until(async () =>
    assert.deepEqual(await search.group('Principals'), [
      'Group:payments 3 ACLs via 1 role',
      'Group:/eng/payments 3 ACLs via 1 role',
      'Group:/contractors/payments 1 direct ACL',
    ]),
  );
  assert.deepEqual(await search.group('Topics'), [
    'payments- prefix, ACLs of 1 principal',
    'payments-settled ACLs of 1 principal',
  ]);
  await isAccessible(page, 'search, results');
  assert.match(await search.selected(), /^Group:payments /);
  await page.keyboard.press('ArrowDown');
  assert.match(await search.selected(), /^Group:\/eng\/payments /);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  // Around the end: the last is an action.
  assert.match(await search.selected(), /^Create role payments/);

  // Esc gives focus back; nothing happened.
  await search.close();
  await until(async () => assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Refresh'));
  assert.ok(page.url().endsWith(ROLES));

  await search.open();
  await page.keyboard.type('role:paywr');
  await until(async () => assert.match(await search.selected(), /^PaymentsWriters/));
  await page.keyboard.press('Enter');
  await heading(page, 'PaymentsWriters').waitFor();
  await until(async () => assert.equal(await page.evaluate(() => document.activeElement.innerText), 'PaymentsWriters'));
  // The bar of a narrow window shows every page, and the search finds them.
  const links = page.getByRole('navigation', { name: 'Security' }).getByRole('link');
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 768 });
    const places = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    assert.equal(places.length, 6);
    for (const [left, right] of places) assert.ok(left >= 0 && right > left && right <= width, `${width} px: ${left} to ${right}`);
  }
  await search.open();
  await page.keyboard.type('terraform');
  await until(async () => assert.match(await search.selected(), /^Import and export/));
  await page.keyboard.press('Enter');
  await heading(page, 'Import and export').waitFor();
});

journey('single keys go to the search and list the shortcuts, and can be turned off', async ({ page }) => {
  const [search, roles] = [new Search(page), new Roles(page)];
  await roles.open();
  await page.keyboard.press('/');
  await until(async () => assert.ok(await roles.search.evaluate((field) => field === document.activeElement)));
  // In a field they are letters.
  await page.keyboard.type('a/?');
  assert.equal(await roles.search.inputValue(), 'a/?');
  assert.equal(await search.dialog.count(), 0);

  // Where a page has no search of its own, `/` opens this one.
  await page.goto('/security/settings');
  await heading(page, 'Settings').waitFor();
  await page.keyboard.press('/');
  await search.hasFocus();
  assert.equal(await search.field.inputValue(), '');
  await page.keyboard.press('?');
  await search.shortcuts.waitFor();
  await isAccessible(page, 'the list of shortcuts');
  await search.shortcuts.getByRole('checkbox', { name: 'Shortcuts of a single character' }).uncheck();
  await page.keyboard.press('Escape');
  await search.shortcuts.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  assert.equal(await page.getByRole('dialog').count(), 0);
  // For the next visit too; the other keys still work.
  await page.reload();
  await heading(page, 'Settings').waitFor();
  await page.keyboard.press('?');
  await search.open();
  assert.equal(await search.shortcuts.count(), 0);
});

journey('the keys of the simulator do what its buttons do, outside of fields', async ({ page }) => {
  const search = new Search(page);
  await page.goto('/security/simulator');
  const token = page.getByRole('textbox', { name: 'Access token' });
  await token.waitFor();
  const hasFocus = (id) => until(async () => assert.equal(await page.evaluate(() => document.activeElement.id), id));
  // The field is the first that Tab reaches in the page.
  await page.locator('#main').focus();
  await page.keyboard.press('Tab');
  await hasFocus('tok');
  await page.keyboard.type('w');
  assert.equal(await token.inputValue(), 'w');
  await token.fill('');
  // A choice is no field.
  await page.getByRole('radio', { name: 'Token', exact: true }).focus();
  await page.keyboard.press('w');
  await hasFocus('part-request-content');
  await page.keyboard.press('v');
  await hasFocus('tok');
  await page.getByRole('radio', { name: 'Token', exact: true }).focus();
  await page.keyboard.press('?');
  await search.shortcuts.getByText('Check a whole API request').waitFor();
});

for (const [words, options] of [
  ['on a telephone', { viewport: { width: 390, height: 780 } }],
  ['in the dark', { colorScheme: 'dark' }],
]) {
  journey(`the search is accessible ${words}`, options, async ({ page }) => {
    const search = new Search(page);
    await new Roles(page).open();
    await page.getByRole('button', { name: /^Search or ask a question/ }).click();
    await search.hasFocus();
    await page.keyboard.type('can maya write orders');
    await until(async () => assert.match(await text(search.answer.first()), /^No .*can't write to topic orders/));
    await isAccessible(page, `search ${words}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });
}
