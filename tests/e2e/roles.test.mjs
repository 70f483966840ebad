// Roles, from their creation to a verdict: with the mouse, with the keyboard alone, and with input that is refused.

import assert from 'node:assert/strict';
import { heading, refusal, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { go } from './support/navigation.mjs';
import { PERMISSIONS } from './support/permissions.mjs';
import { Draft } from './support/review.mjs';
import { Role, Roles, holdsAcls, holdsMembers } from './support/roles.mjs';
import { Search, tabTo } from './support/search.mjs';
import { Simulator } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage({ provider: true });

journey('a role with a group and an ACL changes the verdict, and takes it back', async ({ page }) => {
  const [simulator, roles, draft] = [new Simulator(page), new Roles(page), new Draft(page)];
  const before = await set.service.acls();

  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'invoices-2026' });
  await simulator.sees('Denied, nothing allows it');

  // A role, a group in it, an ACL of it: in the draft, and nowhere else.
  await go(page, 'Roles');
  const role = await roles.create('InvoiceWriters');
  await role.addMember('Group:engineering');
  await role.member('Group:engineering').waitFor();
  await role.addAcl({ pattern: 'Prefixed', name: 'invoices-', operations: ['Write'] });
  await until(async () =>
    assert.deepEqual(await role.aclRows(), [['Topic', 'invoices-', 'prefixed', 'Write', 'Allow', '*']]),
  );
  assert.match(await draft.says(), /Draft, 3 changes\. 1 role created\. 1 ACL added\. 1 principal added\. Not applied yet/);
  assert.ok(!(await set.service.roles()).includes('InvoiceWriters'));
  assert.deepEqual(await set.service.acls(), before);
  await go(page, 'Simulator');
  await simulator.sees('Denied, nothing allows it');

  // The review says what it changes for people, and that is what it changes.
  const people = await draft.apply();
  assert.deepEqual(people, [
    'Group:engineering joins InvoiceWriters, gains 2 operations',
    'Gains Write, Describe Topic invoices- prefixed joins InvoiceWriters',
    'Role:InvoiceWriters everyone with this role gains 2 operations',
    'Gains Write, Describe Topic invoices- prefixed 1 ACL added',
  ]);
  await holdsMembers(set.service, 'InvoiceWriters', ['Group:engineering']);
  await holdsAcls(set.service, 'InvoiceWriters', ['allow write topic prefixed invoices- from * for Role:InvoiceWriters']);
  await go(page, 'Simulator');
  await simulator.sees('Allowed, if…');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Role:InvoiceWriters',
    'Allow Write, topic invoices- prefixed',
  ]);

  // The group leaves; the verdict names the role, and leads to it.
  await simulator.check.getByRole('link', { name: 'Role:InvoiceWriters' }).first().click();
  await role.removeMember('Group:engineering');
  await draft.apply();
  await holdsMembers(set.service, 'InvoiceWriters', []);
  await go(page, 'Simulator');
  await simulator.sees('Denied, nothing allows it');

  // Back again, with a deny beside the allow: both are shown, and the deny wins.
  await go(page, 'Roles');
  await roles.row('InvoiceWriters').getByRole('link', { name: 'InvoiceWriters' }).click();
  await role.addMember('engineering', 'Group');
  await role.member('Group:engineering').waitFor();
  await role.addAcl({ pattern: 'Prefixed', name: 'invoices-', operations: ['Write'], permission: 'Deny' });
  await role.addAcl({ pattern: 'Literal', name: 'invoices-', operations: ['Write'], permission: 'Allow' });
  await until(async () =>
    assert.deepEqual((await role.aclRows()).map((row) => row.join(' ')).sort(), [
      'Topic invoices- literal Write Allow Redundant *',
      'Topic invoices- prefixed Write Allow *',
      'Topic invoices- prefixed Write Deny Overrides 2 allows *',
    ]),
  );
  await draft.apply();
  await go(page, 'Simulator');
  await simulator.sees('Denied by rule');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Role:InvoiceWriters',
    'Deny Write, topic invoices- prefixed',
  ]);

  // Without the deny it is allowed again.
  await go(page, 'Roles');
  const shown = (await text(roles.row('InvoiceWriters'))).match(/\d+/g);
  assert.deepEqual(shown?.slice(0, 4), ['1', '1', '3', '1']);
  await roles.row('InvoiceWriters').getByRole('link', { name: 'InvoiceWriters' }).click();
  await role.removeAcl('Deny Write, topic invoices- prefixed');
  await draft.apply();
  await holdsAcls(set.service, 'InvoiceWriters', [
    'allow write topic literal invoices- from * for Role:InvoiceWriters',
    'allow write topic prefixed invoices- from * for Role:InvoiceWriters',
  ]);
  await go(page, 'Simulator');
  await simulator.sees('Allowed, if…');

  // Deleting names what is lost, asks for nothing else since it goes to the draft, and takes the ACLs along.
  await go(page, 'Roles');
  const deletion = await roles.openDeletion('InvoiceWriters');
  const losses = await deletion.losses();
  assert.match(losses, /1 principal loses this role, and its 2 ACLs are deleted/);
  assert.match(losses, /Group:engineering keeps SchemaStewards/);
  assert.match(losses, /Allow Write.*invoices- literal.*Allow Write.*invoices- prefixed/);
  assert.match(losses, /Lost access Group:engineering Loses Write, Describe, Topic invoices- prefixed/);
  assert.match(losses, /Nothing is deleted before you apply it/);
  assert.equal(await deletion.dialog.getByRole('textbox').count(), 0);
  await deletion.confirm();
  await roles.row('InvoiceWriters').getByText('Draft: deleted').waitFor();
  assert.ok((await set.service.roles()).includes('InvoiceWriters'));
  await draft.apply();
  assert.ok(!(await set.service.roles()).includes('InvoiceWriters'));
  assert.deepEqual(await set.service.acls(), before);
  await go(page, 'Simulator');
  await simulator.sees('Denied, nothing allows it');
});

journey('a role with two groups and a preset is made and applied with at most nine clicks', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  let clicks = 0;
  const click = async (locator) => {
    clicks += 1;
    await locator.click();
  };
  const type = async (words) => {
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  };
  await click(page.getByRole('button', { name: 'Create role' }));
  await roles.newName.waitFor();
  await type('NineClicks');
  const role = new Role(page, 'NineClicks');
  await click(role.memberName);
  for (const group of ['nine', 'clicks']) {
    await type(`Group:${group}`);
    await role.member(`Group:${group}`).waitFor();
  }
  // A list is opened, and something in it is chosen.
  clicks += 2;
  await role.preset.selectOption({ label: 'Consumer' });
  await click(role.aclForm.getByRole('textbox', { name: 'Topic name' }));
  await page.keyboard.type('nine-topics');
  await click(role.aclForm.getByRole('textbox', { name: 'Consumer group name' }));
  await page.keyboard.type('nine-readers');
  await click(role.aclForm.getByRole('button', { name: 'Add 2 ACLs' }));
  await click(draft.bar.getByRole('link', { name: 'Review 5 changes' }));
  await click(page.getByRole('button', { name: 'Apply 5 changes' }));
  await page.getByRole('heading', { name: '5 changes applied' }).waitFor();
  assert.ok(clicks <= 9, `${clicks} clicks`);
  assert.deepEqual((await set.service.members('NineClicks')).sort(), ['Group:clicks', 'Group:nine']);
  assert.deepEqual(await set.service.acls('Role:NineClicks'), [
    'allow read group literal nine-readers from * for Role:NineClicks',
    'allow read topic literal nine-topics from * for Role:NineClicks',
  ]);
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

journey('an ACL that cannot be is caught at its fields', async ({ page }) => {
  const role = new Role(page, 'AnalyticsReaders');
  await role.open();
  const before = await set.service.acls();
  const send = role.addAcls;
  await send.click();
  await refusal(role.resourceName, /name/i);
  await refusal(role.operations, /operation/i);
  await role.resourceName.fill('data-*');
  await refusal(role.resourceName, /prefixed/i);
  for (const host of ['10.0.0.0/8', 'db.example.com', '300.1.1.1', '']) {
    await role.host.fill(host);
    await send.click();
    await refusal(role.host, host === '10.0.0.0/8' ? /range/ : /address/);
    assert.equal(await role.host.inputValue(), host);
  }
  assert.deepEqual(await set.service.acls(), before);

  // Every fault repaired, nothing typed twice.
  await role.resourceName.fill('data-1');
  await role.operation('Describe').check();
  await role.operation('Alter').check();
  await role.host.fill('10.0.0.7');
  await send.click();
  await new Draft(page).apply();
  const added = (operation) => `allow ${operation} topic literal data-1 from 10.0.0.7 for Role:AnalyticsReaders`;
  const acls = await set.service.acls();
  assert.ok(acls.includes(added('describe')) && acls.includes(added('alter')));
});
