// Names that can never match: told on the page of a role and in the review, before anything is sent.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { go } from '../support/navigation.mjs';
import { Draft } from '../support/review.mjs';
import { Role } from '../support/roles.mjs';
import { SIMULATOR, Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ own: true });
/** The row of a review about a principal, as text. */
const rowOf = async (review, name) => (await review.rows()).find((row) => row.startsWith(`+ Add Principal ${name}`));

journey('wildcards and types inside a name are told at the field, in the table and in the review', async ({ page }) => {
  await set.service.addMembers('Odd', 'Group:first');
  const [role, draft] = [new Role(page, 'Odd'), new Draft(page)];
  await role.open();
  for (const [words, said] of [
    ['Group:eng*', /Group:eng\* is not a wildcard: it is the one group with this exact name\. Only User:\* means everyone/],
    ['Group:Group:eng', /Group:Group:eng is the group named Group:eng\. Write Group:eng if you mean that group/],
  ]) {
    await role.memberName.fill(words);
    await until(async () => assert.match(await text(role.members.locator('#member-remarks')), said));
    await role.memberName.press('Enter');
    await role.member(words).waitFor();
    assert.match(await text(role.members.getByRole('row').filter({ hasText: words })), said);
  }
  const review = await draft.review();
  assert.match(await rowOf(review, 'Group:eng*'), /Group:eng\* is not a wildcard/);
  assert.match(await rowOf(review, 'Group:Group:eng'), /is the group named Group:eng/);
});

journey('names that differ by letter case or slashes are told, also where both exist', async ({ page }) => {
  await set.service.addMembers('Near', 'Group:readers', 'Group:Readers', 'Group:/writers');
  const [role, draft] = [new Role(page, 'Near'), new Draft(page)];
  await role.open();
  const said = async (name) => await text(role.members.getByRole('row').filter({ has: page.getByText(name, { exact: true }) }).first());
  assert.match(await said('Readers'), /Group:Readers and Group:readers differ only in letter case, but are different principals/);
  assert.match(await said('readers'), /Group:Readers and Group:readers differ only in letter case, but are different principals/);
  await role.memberName.fill('Group:writers');
  await role.members.getByRole('button', { name: 'Use Group:/writers' }).waitFor();
  await role.memberName.press('Enter');
  const review = await draft.review();
  assert.match(await rowOf(review, 'Group:writers'), /Group:\/writers and Group:writers differ only in leading or trailing slashes/);
});

journey('a group that no token and no policy names is told in the review, until it is seen', async ({ page }) => {
  await set.service.addMembers('Unseen', 'Group:first');
  await page.goto(SIMULATOR);
  const [role, draft] = [new Role(page, 'Unseen'), new Draft(page)];
  await go(page, 'Roles');
  await page.getByRole('link', { name: 'Unseen' }).click();
  await role.addMember('Group:brand-new');
  await role.addMember('Group:first-too');
  await role.addMember('User:new.hire');
  const review = await draft.review();
  const unseen = /Group:brand-new is not seen in any token or policy here\. Check that the identity provider sends this name/;
  assert.match(await rowOf(review, 'Group:brand-new'), unseen);
  assert.doesNotMatch(await rowOf(review, 'User:new.hire'), /not seen/);

  // A token of the simulator has it, if only by its claims.
  await go(page, 'Simulator');
  const simulator = new Simulator(page);
  await simulator.token.fill(JSON.stringify({ sub: 'a', groups: ['brand-new'] }));
  await page.getByRole('button', { name: 'Read it as claims' }).click();
  await until(async () => assert.deepEqual((await simulator.elements()).map(([, name]) => name), ['brand-new']));
  const again = await draft.review();
  await until(async () => assert.doesNotMatch(await rowOf(again, 'Group:brand-new'), /not seen/));
  assert.match(await rowOf(again, 'Group:first-too'), /not seen in any token or policy here/);
});

journey('a group of an audit event has been seen', async ({ page }) => {
  // A user with groups asks the service, which writes an event.
  const { token } = (await set.service.people()).find(({ id }) => id === 'path-names');
  await set.service.setProperties({ audit_enabled: true, nested_group_behavior: 'suffix' });
  await set.service.addMembers('Audited', 'Group:first');
  const asked = await fetch(`${set.service.origin}/service.core.admin.v2.SecurityService/ResolveOidcIdentity`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  });
  const { groups } = await asked.json();
  await set.service.setProperties({ nested_group_behavior: 'none' });
  const known = new Set((await set.service.policy()).roles.flatMap(({ members }) => members.map(({ principal }) => principal)));
  const acls = new Set((await set.service.policy()).acls.map(({ principal }) => principal));
  const group = groups.find((name) => !known.has(`Group:${name}`) && !acls.has(`Group:${name}`));
  assert.ok(group, `every group is known: ${groups}`);

  const [role, draft] = [new Role(page, 'Audited'), new Draft(page)];
  await role.open();
  await role.addMember(`Group:${group}`);
  assert.match(await rowOf(await draft.review(), `Group:${group}`), /not seen in any token or policy here/);
  await go(page, 'Audit');
  await page.getByText(group).first().waitFor();
  const review = await draft.review();
  await until(async () => assert.doesNotMatch(await rowOf(review, `Group:${group}`), /not seen/));
});
