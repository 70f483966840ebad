// A test that is stored with the service: from the simulator to the review of a draft that breaks it.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { download } from './support/downloads.mjs';
import { text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { go } from './support/navigation.mjs';
import { Draft, giveReason } from './support/review.mjs';
import { Roles } from './support/roles.mjs';
import { SIMULATOR } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage();
const CHECK = { user: 'zoe', groups: ['engineering'], operation: 'write', type: 'topic', name: 'orders-2026' };

journey('a stored test that a draft breaks is named first and confirmed', async ({ page, t }) => {
  t.after(() => set.service.putTests([]));
  await page.goto(`${SIMULATOR}#check=${encodeURIComponent(JSON.stringify(CHECK))}`);
  const save = page.getByRole('button', { name: 'Save as test', exact: true });
  await save.click();
  await page.getByRole('heading', { name: 'Saved as test 1 of this service' }).waitFor();
  await isAccessible(page, 'a test that was stored');
  const [stored] = await set.service.tests();
  assert.deepEqual(stored.check.identity, { user: 'zoe', groups: ['engineering'] });
  assert.equal(stored.expect.outcome, 'allow');
  const file = await download(t, page, () => page.getByRole('button', { name: 'Download it as a file' }).click());
  const saved = JSON.parse(file.text);
  assert.deepEqual(saved.tests, [stored]);
  assert.equal(saved.policy.version, 1);
  // The same check is no second test.
  await save.click();
  await page.getByRole('heading', { name: 'This is test 1 of this service already' }).waitFor();

  // A draft that changes nothing about it passes; one that denies it is told first.
  await go(page, 'Roles');
  const [roles, draft] = [new Roles(page), new Draft(page)];
  const role = await roles.create('Frozen');
  await role.addMember('Group:engineering');
  let review = await draft.review();
  await page.getByText('The stored test passes.', { exact: true }).waitFor();
  await role.open();
  await role.addAcl({ name: 'orders-2026', operations: ['Write'], permission: 'Deny' });
  review = await draft.review();
  const failing = page.getByRole('heading', { name: '1 of 1 stored test fails with this draft' });
  await failing.waitFor();
  await page.getByText('Expected allow, found deny').waitFor();
  await isAccessible(page, 'a review with a test that fails');
  const top = async (locator) => (await locator.boundingBox()).y;
  assert.ok((await top(failing)) < (await top(review.sent)), 'it stands first');

  // It is asked once, and nothing is sent before the answer.
  await giveReason(page);
  await review.button.click();
  const dialog = page.getByRole('dialog', { name: 'Apply although 1 test fails?' });
  await dialog.getByText('Expected allow, found deny').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(!(await set.service.roles()).includes('Frozen'));
  await review.button.click();
  await dialog.getByRole('button', { name: 'Apply anyway' }).click();
  await page.getByRole('heading', { name: /^[\d,]+ changes? applied$/ }).waitFor();
  assert.ok((await set.service.roles()).includes('Frozen'));

  // What is no longer expected is deleted.
  await page.getByRole('button', { name: '1 stored test', exact: true }).click();
  const list = page.getByRole('list', { name: 'Stored tests' });
  assert.match(await text(list), /zoe may write/);
  await list.getByRole('button', { name: /^Delete the test / }).click();
  await list.waitFor({ state: 'detached' });
  await until(async () => assert.deepEqual(await set.service.tests(), []));
});

journey('a test of a check with assumptions says what becomes of them before it is stored', async ({ page, t }) => {
  t.after(() => set.service.putTests([]));
  const assumed = [{ fact: 'signature' }, { change: 'add_to_group', group: 'engineering' }];
  const check = { ...CHECK, groups: [], assumed };
  await page.goto(`${SIMULATOR}#check=${encodeURIComponent(JSON.stringify(check))}`);
  await page.getByRole('button', { name: 'Save as test', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Save with these assumptions?' });
  await dialog.getByText('takes for granted that the user is in Group:engineering, and does not check that the signature is valid').waitFor();
  await isAccessible(page, 'a test with assumptions');
  assert.deepEqual(await set.service.tests(), []);
  await dialog.getByRole('button', { name: 'Save test' }).click();
  await page.getByRole('heading', { name: 'Saved as test 1 of this service' }).waitFor();
  const [stored] = await set.service.tests();
  assert.deepEqual(stored.check.identity, { user: 'zoe', groups: ['engineering'] });
  assert.equal(stored.expect.outcome, 'allow');
});
