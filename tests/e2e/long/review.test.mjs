// The draft and its review: what is shown is what is done, and nothing is sent over a state that nobody has looked at.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { go } from '../support/navigation.mjs';
import { REVIEW, Draft, Review } from '../support/review.mjs';
import { Role, Roles } from '../support/roles.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage();

const topic = (principal, name, operation, permission = 'ALLOW') => ({
  resource_type: 'RESOURCE_TYPE_TOPIC',
  resource_name: name,
  resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
  principal,
  host: '*',
  operation: `OPERATION_${operation}`,
  permission_type: `PERMISSION_TYPE_${permission}`,
});

/** The words of the commands with a hyphen that stand on several lines. */
async function brokenWords(page) {
  const words = page.getByRole('region', { name: 'the commands' }).locator('.whole');
  assert.ok((await words.count()) > 4);
  return words.evaluateAll((all) =>
    all
      .filter((word) => word.getBoundingClientRect().height > 1.5 * Number.parseFloat(getComputedStyle(word).lineHeight))
      .map((word) => word.textContent),
  );
}

journey('a review names gains, losses, gains that a deny blocks and rows without effect', async ({ page }) => {
  await set.service.addMembers('Ledger', 'Group:leaves', 'Group:stays');
  await set.service.createAcl(topic('Role:Ledger', 'ledger-', 'WRITE'));
  await set.service.createAcl(topic('Group:blocked', 'refunds-', 'WRITE', 'DENY'));
  const [role, draft] = [new Role(page, 'Ledger'), new Draft(page)];
  await role.open();
  await role.removeMember('Group:leaves');
  await role.addMember('Group:blocked');
  await role.addAcl({ pattern: 'Prefixed', name: 'refunds-', operations: ['Write'] });
  await role.addAcl({ pattern: 'Prefixed', name: 'ledger-', operations: ['Describe'] });
  assert.equal(await text(page.getByRole('heading', { level: 1 }).locator('xpath=following-sibling::p')), '1 ACL and 2 principals on the service. Your draft makes it 3 and 2.');

  const review = await draft.review();
  assert.equal(await draft.bar.count(), 0, 'the review has its own button');
  assert.deepEqual(await review.rows(), [
    '+ Add Allow Write, topic refunds- prefixed Opens topics that begin with refunds-.',
    '+ Add Allow Describe, topic ledger- prefixed Opens topics that begin with ledger-.',
    '− Remove Principal Group:leaves',
    '+ Add Principal Group:blocked Opens topics that begin with ledger- and topics that begin with refunds-.',
  ]);
  const people = await review.people();
  // On a telephone, all lines of a card begin at one edge, and names come before what happens to them.
  await page.setViewportSize({ width: 390, height: 844 });
  const edges = await review.table.locator('tbody tr:not(.g)').first().locator('th, td').evaluateAll((cells) =>
    cells.map((cell) => Math.round(cell.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(cell).paddingLeft))),
  );
  assert.equal(new Set(edges).size, 1, `lines begin at ${edges}`);
  assert.deepEqual(await brokenWords(page), [], 'options of commands stay whole on a telephone');
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(await brokenWords(page), [], 'options of commands stay whole');
  const of = (name) => {
    const from = people.findIndex((row) => row.startsWith(name));
    const rest = people.slice(from + 1);
    const to = rest.findIndex((row) => /^(Group|User|Role):/.test(row));
    return [people[from], ...(to < 0 ? rest : rest.slice(0, to))];
  };
  assert.deepEqual(of('Group:leaves'), ['Group:leaves leaves Ledger, loses 2 operations', 'Loses Write, Describe Topic ledger- prefixed leaves Ledger']);
  assert.deepEqual(of('Group:stays'), ['Group:stays gains 2 operations', 'Gains Write, Describe Topic refunds- prefixed 1 ACL added']);
  const blocked = of('Group:blocked');
  assert.match(blocked[0], /joins Ledger, gains 3 operations, still denied 1 operation/);
  assert.ok(blocked.some((row) => /^Still denied Write Topic refunds- prefixed joins Ledger Deny Write, topic refunds- prefixed, of Group:blocked$/.test(row)), blocked.join('\n'));
  assert.match(await text(review.effect), /operations gained by 2 principals 5 operations lost by 1 principal 2 gain still denied 1 denies that stop applying 0 1 change has no effect\./);

  // One row is taken back here, the others are applied as they were shown.
  await review.sent.getByRole('button', { name: 'Undo: add Allow Describe, topic ledger- prefixed' }).click();
  await page.getByRole('heading', { level: 1, name: 'Review 3 changes' }).waitFor();
  await review.apply();
  assert.deepEqual((await set.service.members('Ledger')).sort(), ['Group:blocked', 'Group:stays']);
  assert.deepEqual(await set.service.acls('Role:Ledger'), [
    'allow write topic prefixed ledger- from * for Role:Ledger',
    'allow write topic prefixed refunds- from * for Role:Ledger',
  ]);
  await page.getByRole('heading', { level: 1, name: '3 changes applied' }).waitFor();
});

journey('a deny that stops applying is counted, and named with those whom it no longer applies to', async ({ page }) => {
  await set.service.addMembers('Guarded', 'Group:guard-a', 'Group:guard-b', 'Group:guard-c');
  await set.service.createAcl(topic('Role:Guarded', 'vault-', 'WRITE', 'DENY'));
  await set.service.createAcl(topic('Role:Guarded', 'safe-', 'WRITE', 'DENY'));
  const [role, draft] = [new Role(page, 'Guarded'), new Draft(page)];
  await role.open();
  await role.removeMember('Group:guard-c');
  await role.acls.getByRole('button', { name: /^Remove ACL.*vault-/ }).click();
  const review = await draft.review();
  // No ACL allows it today, so that nobody gains by it alone.
  assert.ok((await review.people()).every((row) => !row.startsWith('Gains')));
  assert.match(await text(review.effect), /operations gained by 0 principals 0 .* denies that stop applying 2 /);
  const rows = page.getByRole('table', { name: 'Denies that stop applying, with the reasons' }).locator('tbody').getByRole('row');
  assert.deepEqual((await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim()), [
    'Deny lost Write Topic safe- prefixed Group:guard-c leaves Guarded',
    'Deny lost Write Topic vault- prefixed removed from Role:Guarded, for Group:guard-a, Group:guard-b and Group:guard-c',
  ]);
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
});

journey('what cannot be made any more is named, and taken out by hand', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('Contested');
  await role.addMember('Group:mine');
  await set.service.createRole('Contested');
  await go(page, 'Roles');
  await page.getByRole('button', { name: /Refresh/ }).click();
  await roles.row('Contested').getByText('Draft: 2 changes').waitFor();
  const review = await draft.review();
  await page.getByRole('heading', { name: '1 change can no longer be applied' }).waitFor();
  assert.match((await review.rows())[0], /Role Contested already exists/);
  assert.ok(await review.button.isDisabled());
  await page.getByRole('button', { name: 'Remove them from the draft' }).click();
  await review.apply();
  assert.deepEqual(await set.service.members('Contested'), ['Group:mine']);
});

journey('a draft outlives pages, is discarded after a question, and leaves nothing behind', async ({ page }) => {
  const before = await set.service.policy();
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await page.goto(REVIEW);
  await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
  await go(page, 'Roles');
  const role = await roles.create('Fleeting');
  await role.addMember('User:Fleeting');
  await role.addMember('Group:Fleeting');
  await go(page, 'Simulator');
  assert.match(await draft.says(), /Draft, 3 changes/);
  await go(page, 'Roles');
  await roles.row('Fleeting').getByText('Draft: created').waitFor();

  await draft.bar.getByRole('button', { name: 'Discard' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discard 3 changes' });
  assert.match(await text(dialog), /1 role created\. 2 principals added\./);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await draft.bar.getByRole('button', { name: 'Discard' }).click();
  await dialog.getByRole('button', { name: 'Discard 3 changes' }).click();
  await draft.bar.waitFor({ state: 'detached' });
  assert.equal(await roles.row('Fleeting').count(), 0);
  assert.deepEqual(await set.service.policy(), before);
});

journey('a typed reason goes with its draft, and the next one has its own', async ({ page }) => {
  await set.service.addMembers('Reasoned', 'Group:first');
  const [role, draft] = [new Role(page, 'Reasoned'), new Draft(page)];
  await role.open();
  await role.addMember('Group:second');
  const review = await draft.review();
  const reason = page.getByRole('textbox', { name: 'Reason', exact: true });
  await reason.fill('OPS-17');
  await review.button.click();
  // The page stays, and the reverse change is another draft.
  await page.getByRole('button', { name: 'Undo 1 change', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Review 1 change' }).waitFor();
  assert.equal(await reason.inputValue(), '');
  // Nothing of it comes back with a draft whose only row was taken out.
  await reason.fill('OPS-18');
  await review.sent.getByRole('button', { name: /^Undo: / }).click();
  await reason.waitFor({ state: 'detached' });
  assert.deepEqual((await set.service.members('Reasoned')).sort(), ['Group:first', 'Group:second']);
});

journey('a deleted role can be kept, and its row says so until then', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await set.service.addMembers('Spared', 'Group:eng');
  await roles.open();
  await (await roles.openDeletion('Spared')).confirm();
  await roles.row('Spared').getByRole('link', { name: 'Spared' }).click();
  await page.getByRole('heading', { name: 'This role is deleted in your draft' }).waitFor();
  assert.equal(await page.getByRole('form', { name: 'Add a principal' }).count(), 0);
  await page.getByRole('button', { name: 'Keep the role' }).click();
  await draft.bar.waitFor({ state: 'detached' });
  await new Role(page, 'Spared').member('Group:eng').waitFor();
  assert.deepEqual(await set.service.members('Spared'), ['Group:eng']);
});

journey('by keyboard alone: a row is taken back in the review, and focus is never lost', async ({ page }) => {
  await set.service.addMembers('Keys', 'Group:one', 'Group:two');
  const [role, draft] = [new Role(page, 'Keys'), new Draft(page)];
  await role.open();
  await role.members.getByRole('button', { name: 'Remove Group:one', exact: true }).focus();
  await page.keyboard.press('Enter');
  const undo = role.members.getByRole('button', { name: 'Undo removing Group:one', exact: true });
  await until(async () => assert.ok(await undo.evaluate((button) => button === document.activeElement)));
  await draft.bar.getByRole('link', { name: 'Review 1 change' }).focus();
  await page.keyboard.press('Enter');
  const review = new Review(page);
  await until(async () => assert.ok(await review.heading.evaluate((heading) => heading === document.activeElement)));
  await review.people();
  await review.button.focus();
  await page.keyboard.press('Enter');
  const outcome = page.locator('#h-outcome');
  await until(async () => assert.ok(await outcome.evaluate((note) => note === document.activeElement)));
  assert.deepEqual(await set.service.members('Keys'), ['Group:two']);
});

journey('13 groups that gain the same are one entry', async ({ page }) => {
  const groups = Array.from({ length: 13 }, (_, n) => `Group:region-${String(n).padStart(2, '0')}`);
  await set.service.createRole('Regions');
  await set.service.createAcl(topic('Role:Regions', 'regions-', 'READ'));
  const [role, draft] = [new Role(page, 'Regions'), new Draft(page)];
  await role.open();
  for (const group of groups) {
    await role.addMember(group);
    await role.member(group).waitFor();
  }
  const review = await draft.review();
  const people = await review.people();
  assert.equal(people.length, 2, people.join('\n'));
  assert.match(people[0], /join Regions, gain 2 operations:/);
  for (const group of groups) assert.ok(people[0].includes(group), `${group} in ${people[0]}`);
  assert.match(people[1], /^Gains Read, Describe Topic regions- prefixed joins Regions$/);
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
});
