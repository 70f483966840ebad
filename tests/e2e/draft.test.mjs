// A draft: what keeps it, what it sends, and what stops it.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { signIn } from './support/connection.mjs';
import { text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { go } from './support/navigation.mjs';
import { REVIEW, Draft, Review } from './support/review.mjs';
import { ROLES, Role, Roles, addressOf } from './support/roles.mjs';

const { set, journey } = stage({ cluster: {} });
/** What Chromium logs when there is no answer, or one with a fault. */
const REFUSED = { tolerates: [/Failed to load resource/] };
const CHANGES = '/gbac/v1/policy/changes';

journey('a draft survives a reload, and back and forward', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('Reloaded');
  await role.addMember('Group:eng');
  await role.addAcl({ pattern: 'Prefixed', name: 'reloaded-', operations: ['Read', 'Write'] });
  // Nothing asks: nothing would be lost.
  await page.reload();
  assert.match(await draft.says(), /Draft, 4 changes/);
  await page.goto('about:blank');
  await page.goBack();
  assert.match(await draft.says(), /Draft, 4 changes/);
  await role.member('Group:eng').getByText('Added').waitFor();

  // Somebody else changes the policy meanwhile: the draft is made on what is there now.
  await page.goto('about:blank');
  await set.service.createRole('Reloaded');
  await page.goto(REVIEW);
  await page.getByRole('heading', { name: '1 change can no longer be applied' }).waitFor();
  await page.getByRole('button', { name: 'Remove them from the draft' }).click();
  await new Review(page).apply();
  assert.deepEqual(await set.service.members('Reloaded'), ['Group:eng']);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: '3 changes applied' }).waitFor();
  assert.equal(await draft.bar.count(), 0, 'what was applied does not come back');
});

journey('two tabs notice each other', async ({ page, context }) => {
  const other = await context.newPage();
  const [roles, theirs] = [new Roles(page), new Roles(other)];
  await roles.open();
  await theirs.open();
  await theirs.create('TabOne');
  const notice = page.getByRole('heading', { name: 'Another tab has a draft with 1 change' });
  await notice.waitFor();
  await isAccessible(page, 'the notice about another tab');
  // A tab that is opened later knows it, too.
  const third = await context.newPage();
  await third.goto(ROLES);
  await third.getByRole('heading', { name: 'Another tab has a draft with 1 change' }).waitFor();
  await third.close();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });

  const mine = await roles.create('TabTwo');
  await mine.addMember('Group:eng');
  await other.getByRole('heading', { name: 'Another tab has a draft with 2 changes' }).waitFor();
  await new Draft(other).apply();
  await page.getByRole('heading', { name: 'Another tab applied 1 change' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Refresh', exact: true }).click();
  await go(page, 'Roles');
  await roles.row('TabOne').waitFor();
  await new Draft(page).apply();
  assert.deepEqual(await set.service.members('TabTwo'), ['Group:eng']);
  // A tab that is closed has no draft any more.
  await other.close();
});

journey('a draft is one request, over the state that was reviewed', { watched: true }, async ({ page, watched }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('OneRequest');
  await role.addMember('Group:eng');
  await role.addAcl({ pattern: 'Prefixed', name: 'one-', operations: ['Read', 'Write'] });
  const sent = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request);
  });
  await draft.apply();
  assert.deepEqual(sent.map((request) => `${request.method()} ${new URL(request.url()).pathname}`), [`POST ${CHANGES}`]);
  assert.match((await sent[0].allHeaders())['if-match'], /^".+"$/);
  const [body] = watched.bodies('POST', CHANGES).map((body) => JSON.parse(body));
  assert.deepEqual(
    body.changes.map(({ change }) => change),
    ['create_role', 'add_member', 'add_acl', 'add_acl'],
  );
  assert.deepEqual(await set.service.members('OneRequest'), ['Group:eng']);
  assert.equal((await set.service.acls('Role:OneRequest')).length, 2);
});

journey('nothing is sent over a state that has changed since it was reviewed', { tolerates: [/412/] }, async ({ page }) => {
  await set.service.addMembers('Shifting', 'Group:first');
  const [role, draft] = [new Role(page, 'Shifting'), new Draft(page)];
  await role.open();
  await role.addMember('Group:mine');
  const review = await draft.review();
  await review.people();

  // Somebody else is faster.
  await set.service.addMembers('Shifting', 'Group:theirs');
  await review.button.click();
  await review.drift.waitFor();
  const note = page.locator('#h-drift');
  assert.match(await text(note), /Not sent\. Someone else made.*Role Shifting.*Principal Group:theirs/);
  assert.ok(await review.button.isDisabled());
  assert.deepEqual((await set.service.members('Shifting')).sort(), ['Group:first', 'Group:theirs']);

  await note.getByRole('button', { name: 'Review against the new policy' }).click();
  await review.drift.waitFor({ state: 'detached' });
  await review.apply();
  assert.deepEqual((await set.service.members('Shifting')).sort(), ['Group:first', 'Group:mine', 'Group:theirs']);
});

journey('a service that stops in the middle of Apply: what it made is found out, and nothing is lost', REFUSED, async ({ page }) => {
  const { origin, password } = set.cluster;
  await page.goto(`${origin}${ROLES}`);
  await signIn(page, 'admin', password);
  const [roles, draft] = [new Roles(page), new Draft(page)];

  // It stops after it has made the changes, before it answers.
  await roles.create('MadeIt');
  let review = await draft.review();
  await review.people();
  await page.route(`**${CHANGES}`, async (route) => {
    await route.fetch();
    await set.cluster.kill();
    await route.abort('connectionreset');
  });
  await review.button.click();
  await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();
  assert.deepEqual(await review.rows(), ['+ Create Role'], 'the draft is kept until it is known');
  await page.unroute(`**${CHANGES}`);
  await set.cluster.start();
  await page.getByRole('heading', { level: 1, name: '1 change applied' }).waitFor();
  assert.equal(await draft.bar.count(), 0);

  // It stops before it hears of them.
  await go(page, 'Roles');
  await roles.create('NotMade');
  review = await draft.review();
  await review.people();
  await page.route(`**${CHANGES}`, async (route) => {
    await set.cluster.kill();
    await route.abort('connectionreset');
  });
  await review.button.click();
  await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();
  await page.unroute(`**${CHANGES}`);
  await set.cluster.start();
  await page.getByRole('heading', { name: 'Not applied: the service did not answer' }).waitFor();
  assert.deepEqual(await review.rows(), ['+ Create Role']);
  assert.equal(await review.drift.count(), 0, 'nobody else changed anything');
  await review.apply();
  await page.goto(`${origin}${addressOf('NotMade')}`);
});
