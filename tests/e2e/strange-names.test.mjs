// Names that turn the text around them and that nobody sees are shown by their codes: on the page of a role, in its draft and in the
// review.

import { stage } from './support/journey.mjs';
import { areNamesSafe, fill, isSafe, roleOf } from './support/names.mjs';
import { Draft, REVIEW } from './support/review.mjs';
import { Role, addressOf } from './support/roles.mjs';

const { set, journey } = stage();

journey('hidden names: the role, its draft and the review', async ({ page }) => {
  await fill(set.service);
  const role = new Role(page, roleOf('hidden'));
  await page.goto(addressOf(role.name));
  await role.memberForm.waitFor();
  await isSafe(page, 'the role');
  await areNamesSafe(page, 'the role');
  await role.members.getByRole('button', { name: /^Remove Group:/ }).click();
  await role.acls.getByRole('button', { name: /^Remove ACL/ }).first().click();
  await new Draft(page).review().then((review) => review.people());
  await isSafe(page, 'the review');
  await areNamesSafe(page, 'the review');
  await page.goto(REVIEW);
  await page.getByRole('heading', { level: 1, name: 'Review 2 changes' }).waitFor();
});
