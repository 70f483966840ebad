// Applying a draft: one request, all or nothing, and the messages for a refusal and for a lost answer.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Draft } from '../support/review.mjs';
import { Role } from '../support/roles.mjs';

const { set, journey } = stage({ own: true });
const CHANGES = '/gbac/v1/policy/changes';
/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };

journey('a refusal is told at the change that it is about, and nothing is half done', AWAY, async ({ page }) => {
  await set.service.addMembers('Licensed', 'Group:eng');
  for (const name of ['kept-a', 'kept-b']) {
    await set.service.createAcl({
      resource_type: 'RESOURCE_TYPE_TOPIC',
      resource_name: name,
      resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
      principal: 'Role:Licensed',
      host: '*',
      operation: 'OPERATION_READ',
      permission_type: 'PERMISSION_TYPE_ALLOW',
    });
  }
  const before = await set.service.policy();
  const [role, draft] = [new Role(page, 'Licensed'), new Draft(page)];
  await role.open();
  await role.addMember('Group:more');
  await role.removeAcl('Allow Read, topic kept-a literal');
  const review = await draft.review();
  // Without a license nothing is added to a role; what is there can go.
  await set.service.ask('PUT', '/gbac/v1/license', { body: { license: 'expired' } });
  try {
    await review.button.click();
    const outcome = page.locator('#h-outcome');
    await outcome.waitFor();
    assert.match(await text(outcome), /0 of 2 changes applied .*Nothing was changed: 1 change was refused, marked below\. The draft is unchanged\./);
    const rows = await review.rows();
    assert.match(rows.find((row) => row.includes('Group:more')), /Not applied: roles cannot be created or changed without a valid enterprise license/i);
    assert.doesNotMatch(rows.find((row) => row.includes('kept-a')), /Not made/);
    assert.deepEqual(await set.service.policy(), before, 'nothing is half done');
  } finally {
    await set.service.ask('PUT', '/gbac/v1/license', { body: { license: 'valid' } });
  }
  await review.apply();
  assert.deepEqual((await set.service.members('Licensed')).sort(), ['Group:eng', 'Group:more']);
  assert.equal((await set.service.acls('Role:Licensed')).length, 1);
});

journey('a connection that is lost before the service hears it leaves everything as it was', AWAY, async ({ page }) => {
  await set.service.addMembers('Cut', 'Group:first');
  const before = await set.service.policy();
  const [role, draft] = [new Role(page, 'Cut'), new Draft(page)];
  await role.open();
  await role.addMember('Group:mine');
  const review = await draft.review();
  await page.route(`**${CHANGES}`, (route) => route.abort('connectionreset'));
  await review.button.click();
  await page.getByRole('heading', { name: 'Not applied: the service did not answer' }).waitFor();
  assert.match(await text(page.locator('#h-outcome')), /does not have these changes\. The draft is unchanged\. You can apply it again\./);
  assert.deepEqual(await set.service.policy(), before);
  assert.equal((await review.rows()).length, 1, 'the draft stays');
  await page.unroute(`**${CHANGES}`);
  await review.apply();
  assert.deepEqual((await set.service.members('Cut')).sort(), ['Group:first', 'Group:mine']);
});

journey('an answer that is lost is no loss: the changes are found in the policy', AWAY, async ({ page }) => {
  await set.service.addMembers('Answered', 'Group:first');
  const [role, draft] = [new Role(page, 'Answered'), new Draft(page)];
  await role.open();
  await role.addMember('Group:mine');
  const review = await draft.review();
  // The service hears it and makes it; its answer never arrives.
  await page.route(`**${CHANGES}`, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await review.button.click();
  await page.getByRole('heading', { level: 1, name: '1 change applied' }).waitFor();
  assert.equal(await review.drift.count(), 0, 'nobody else changed anything');
  assert.deepEqual((await set.service.members('Answered')).sort(), ['Group:first', 'Group:mine']);
  await page.unroute(`**${CHANGES}`);
});
