// The search of every page: names, pages, actions, typed questions, and the main job with the keyboard alone.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { heading, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { PERMISSIONS } from './support/permissions.mjs';
import { ROLES, Roles } from './support/roles.mjs';
import { Search, tabTo } from './support/search.mjs';
import { Simulator } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage();

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
  // What leaves the bar of a narrow window is found here.
  await page.setViewportSize({ width: 1024, height: 768 });
  const exchange = page.getByRole('navigation', { name: 'Security' }).getByRole('link', { name: 'Import and export' });
  await exchange.waitFor({ state: 'hidden' });
  await search.open();
  await page.keyboard.type('terraform');
  await until(async () => assert.match(await search.selected(), /^Import and export/));
  await page.keyboard.press('Enter');
  await heading(page, 'Import and export').waitFor();
});

journey('a question is answered as the simulator, the matrix and who can answer it', async ({ page }) => {
  const [search, simulator] = [new Search(page), new Simulator(page)];
  await page.goto(PERMISSIONS);
  await page.getByText('Group:').first().waitFor();
  const ask = async (question) => {
    await search.open();
    await page.keyboard.type(question);
  };
  // Part of a name: the answer covers every match, with the groups of the demo's token.
  await ask('can maya write orders');
  await until(async () =>
    assert.match(
      await text(search.answer.first()),
      /^Partly Allowed on 1 of 2 User:maya\.okafor can write to 1 of the 2 topic patterns that match orders\. The groups Group:engineering and Group:analytics come from the token of the demo\./,
    ),
  );
  assert.deepEqual((await search.group('Answer')).slice(1), [
    'orders- prefixed allowed by Group:engineering',
    'orders-archive literal denied by Group:analytics',
  ]);
  await isAccessible(page, 'search, an answer');
  // The second match is chosen: the simulator has the same user, request and verdict.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'Simulator').waitFor();
  await simulator.sees('Denied by rule');
  assert.equal(await simulator.resourceName.inputValue(), 'orders-archive');

  await ask('why can’t maya write orders-archive?');
  await until(async () =>
    assert.match(
      await text(search.answer.first()),
      /^No Denied by rule User:maya\.okafor can't write to topic orders-archive\. Decided by: .*Group:analytics/,
    ),
  );
  await search.close();

  await ask('who can read payments-*');
  await until(async () => assert.match(await text(search.answer.first()), /can read all 2 topic patterns that match payments-\*\./));
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Who can read' }).waitFor();
  await page.getByText('can read every topic that starts with').waitFor();
  assert.match(page.url(), /who-can\?operation=read&type=topic&pattern=prefixed&name=payments-$/);

  // An ambiguous name: the user chooses one, and the question is repeated with it.
  await ask('can eng write orders-eu');
  await until(async () => assert.match(await text(search.answer.first()), /^Which one\? 2 principals match/));
  assert.deepEqual(await search.group('Matches'), [
    'Group:Engineering Ask about this one',
    'Group:engineering Ask about this one',
  ]);
  await isAccessible(page, 'search, an ambiguous name');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => assert.equal(await search.field.inputValue(), 'can Group:engineering write orders-eu'));
  await until(async () => assert.match(await text(search.answer.first()), /^Yes Allowed Group:engineering can write to topic orders-eu\./));
  await search.field.fill('can maya');
  await until(async () => assert.match(await text(search.answer.first()), /For example: can maya write orders/));
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

journey('a role with a group and an ACL is made, reviewed and applied without a mouse', async ({ page }) => {
  const search = new Search(page);
  await page.goto(PERMISSIONS);
  await page.getByText('Group:').first().waitFor();
  await search.open();
  await page.keyboard.type('create role KeyboardReaders');
  await until(async () => assert.equal((await search.group('Actions')).at(-1), 'Create role KeyboardReaders Roles'));
  await page.keyboard.press('ArrowUp');
  assert.match(await search.selected(), /^Create role KeyboardReaders/);
  await page.keyboard.press('Enter');
  const name = page.getByRole('dialog', { name: 'Create role' }).getByRole('textbox', { name: 'Role name' });
  await until(async () => assert.ok(await name.evaluate((field) => field === document.activeElement)));
  assert.equal(await name.inputValue(), 'KeyboardReaders');
  await page.keyboard.press('Enter');
  await heading(page, 'KeyboardReaders').waitFor();
  await until(async () => assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1'));

  // An ACL: prefixed, read.
  await tabTo(page, /^Literal$/);
  await page.keyboard.press('ArrowRight');
  await tabTo(page, /^Resource name starts with$/);
  await page.keyboard.type('invoices-');
  await tabTo(page, /^Read$/);
  await page.keyboard.press('Space');
  await tabTo(page, /^Add ACL$/);
  await page.keyboard.press('Enter');
  await page.getByText('Draft, 2 changes.').waitFor();
  // A group.
  await tabTo(page, /^Name, or paste Group:name/);
  await page.keyboard.type('Group:engineering');
  await page.keyboard.press('Enter');
  await page.getByText('Draft, 3 changes.').waitFor();
  await tabTo(page, /^Review 3 changes$/);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Change in effective access' }).getByText(/compared$/).waitFor();
  await tabTo(page, /^Apply 3 changes$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '3 changes applied' }).waitFor();
  await until(async () =>
    assert.deepEqual(await set.service.acls('Role:KeyboardReaders'), [
      'allow read topic prefixed invoices- from * for Role:KeyboardReaders',
    ]),
  );
  assert.deepEqual(await set.service.members('KeyboardReaders'), ['Group:engineering']);

  // Another group joins it from the search.
  await search.open();
  await page.keyboard.type('assign analytics to keyboard');
  await until(async () => assert.match(await search.selected(), /^Assign Group:analytics to KeyboardReaders/));
  await page.keyboard.press('Enter');
  await heading(page, 'KeyboardReaders').waitFor();
  await page.getByText('Draft, 1 change.').waitFor();
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
    await until(async () => assert.match(await text(search.answer.first()), /^Partly/));
    await isAccessible(page, `search ${words}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });
}
