// A draft is not lost, and nobody else sees it: reload, sign-out, two tabs, settings that are left, and what was applied.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { signIn } from '../support/connection.mjs';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { go } from '../support/navigation.mjs';
import { REVIEW, Draft, Review } from '../support/review.mjs';
import { ROLES, Role, Roles } from '../support/roles.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ cluster: {} });
/** What Chromium logs when there is no answer, or one with a fault. */
const REFUSED = { tolerates: [/Failed to load resource/] };
const SETTINGS = '/security/settings';
/** What the tab keeps. */
const kept = (page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));

async function signOut(page) {
  await page.getByRole('link', { name: /^Connection/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Not signed in').first().waitFor();
}

journey('a draft survives a crash of the tab', { tolerates: [/\[crash\]/] }, async ({ page, context }) => {
  const roles = new Roles(page);
  await roles.open();
  const role = await roles.create('AfterACrash');
  await role.addMember('Group:eng');
  await until(async () => assert.match(await kept(page), /AfterACrash.*eng/));
  // The page is gone without a word, as if its process was killed. The same tab loads it again, over the protocol of the
  // browser, because Playwright gives up a page that has crashed.
  const tab = await context.newCDPSession(page);
  const crashed = new Promise((resolve) => page.once('crash', resolve));
  tab.send('Page.crash').catch(() => {});
  await crashed;
  await tab.send('Page.navigate', { url: `${set.service.origin}${REVIEW}` });
  const seen = () => tab.send('Runtime.evaluate', { expression: 'document.body?.innerText', returnByValue: true });
  await until(async () => {
    const { value } = (await seen()).result;
    assert.match(`${value}`, /Review 2 changes[^]*AfterACrash/);
  });
  assert.ok(!(await set.service.roles()).includes('AfterACrash'), 'nothing was sent');
});

journey('the button that adds ACLs stands above the draft bar', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('InSight');
  await role.aclForm.getByRole('radio', { name: 'Prefixed', exact: true }).check();
  await role.resourceName.fill('orders-');
  for (const operation of ['Read', 'Write']) await role.operation(operation).check();
  const add = role.aclForm.getByRole('button', { name: 'Add 2 ACLs' });
  // Without scrolling, at the usual size of a screen.
  const [button, bar] = [await add.boundingBox(), await draft.bar.boundingBox()];
  assert.ok(button.y + button.height <= bar.y, `the button ends at ${button.y + button.height}, the bar begins at ${bar.y}`);
});

journey('a draft survives a sign-out, and somebody else does not see it', REFUSED, async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  const { origin, password } = set.cluster;
  const { provider } = await set.service.info();
  const [person] = await set.service.people();
  const user = JSON.parse(Buffer.from(person.token.split('.')[1], 'base64url').toString()).sub;
  await set.cluster.setProperties({
    oidc_discovery_url: `${set.service.origin}${provider.discovery}`,
    oidc_token_audience: provider.audience,
    superusers: [user],
  });
  await page.goto(`${origin}${ROLES}`);
  await signIn(page, 'admin', password);
  await roles.create('PrivatePlan');
  await signOut(page);
  assert.equal(await draft.bar.count(), 0, 'the draft goes with its account');
  await page.goto(`${origin}${ROLES}`);
  // A rejected password shows nothing.
  await page.getByRole('textbox', { name: 'User' }).fill('admin');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The user name admin or the password is wrong').first().waitFor();
  assert.equal(await draft.bar.count(), 0);

  // Another account of the same service.
  await page.getByLabel('Password').fill('');
  await page.getByText('Use an access token').click();
  await page.getByLabel('Access token').fill(person.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create role' }).waitFor();
  assert.equal(await draft.bar.count(), 0);
  assert.doesNotMatch(await text(page.locator('body')), /PrivatePlan/);
  await page.goto(`${origin}${REVIEW}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  // The first account again.
  await signIn(page, 'admin', password);
  await page.getByRole('heading', { level: 1, name: 'Review 1 change' }).waitFor();
  const storage = await kept(page);
  assert.match(storage, /PrivatePlan/);
  assert.ok(!storage.includes(password) && !storage.includes(person.token.split('.')[2]), 'no credentials are kept');

  // The same data after a restart.
  await set.cluster.stop();
  await set.cluster.start();
  await page.reload();
  await signIn(page, 'admin', password);
  await page.getByRole('heading', { level: 1, name: 'Review 1 change' }).waitFor();
});

journey('settings that are not in the draft ask before they are left', async ({ page }) => {
  const path = page.getByRole('textbox', { name: 'Claim path' });
  const dialog = page.getByRole('dialog', { name: 'Leave without saving the settings?' });
  const draft = new Draft(page);
  await page.goto(ROLES);
  // Before the console has started, its links load a new document, which the browser leaves without a question of the page.
  await new Roles(page).table.waitFor();
  await go(page, 'Settings');
  await path.fill('$.realm_access.roles');
  await go(page, 'Roles');
  assert.match(await text(dialog), /Changed, and not in the draft: Claim path\./);
  await isAccessible(page, 'the question before settings are left');
  await dialog.getByRole('button', { name: 'Stay' }).click();
  assert.equal(await path.inputValue(), '$.realm_access.roles');
  assert.equal(new URL(page.url()).pathname, SETTINGS);

  // The browser's back asks, too, and goes there afterwards.
  await page.goBack();
  await dialog.waitFor();
  assert.equal(new URL(page.url()).pathname, SETTINGS);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goBack();
  await dialog.getByRole('button', { name: 'Discard changes' }).click();
  await new Roles(page).table.waitFor();
  assert.equal(new URL(page.url()).pathname, ROLES);
  assert.equal(await draft.bar.count(), 0);

  // A reload asks, as far as the browser does.
  await go(page, 'Settings');
  await path.fill('$.realm_access.roles');
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const question = await asked;
  assert.equal(question.type(), 'beforeunload');
  await question.accept();
  await reloaded;
  await path.waitFor();
  assert.equal(await path.inputValue(), '$.groups');

  // What is wrong cannot join the draft.
  await path.fill('$.groups[');
  await go(page, 'Roles');
  await dialog.getByText('The claim path has an error').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Add to draft' }).count(), 0);
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await path.fill('$.teams');
  await go(page, 'Roles');
  await dialog.getByRole('button', { name: 'Add to draft' }).click();
  await new Roles(page).table.waitFor();
  assert.match(await draft.says(), /Draft, 1 change\. Settings changed\./);
  // In the draft, it is not asked about any more.
  await go(page, 'Settings');
  assert.equal(await path.inputValue(), '$.teams');
  await go(page, 'Roles');
  await new Roles(page).table.waitFor();
});

journey('what was applied is shown, checked in the simulator, and undone by another draft', async ({ page }) => {
  await set.service.addMembers('Undone', 'Group:old');
  const before = await set.service.policy();
  const [role, draft] = [new Role(page, 'Undone'), new Draft(page)];
  await role.open();
  await role.removeMember('Group:old');
  await role.addMember('Group:undoers');
  await role.addAcl({ pattern: 'Prefixed', name: 'undone-', operations: ['Write'] });
  await draft.apply();
  const applied = page.getByRole('region', { name: '3 changes applied' });
  await until(async () => assert.ok(await applied.evaluate((panel) => panel === document.activeElement), 'focus is on the result'));
  const said = await text(applied);
  assert.match(said, /Applied by User:admin to demo, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  assert.match(said, /Role:Undone .*Added Allow Write, topic undone- prefixed.*Removed Principal Group:old.*Added Principal Group:undoers/);
  assert.match(await text(page.getByRole('region', { name: /^Principals/ })), /1 principal gained \d+ operations?\./);
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await isAccessible(page, `what was applied at ${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `the page is ${wide} px too wide at ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  // The request that the change is about.
  await applied.getByRole('button', { name: /^Check as Group:/ }).click();
  const simulator = new Simulator(page);
  await simulator.sees('Allowed');
  assert.equal(await simulator.resourceName.inputValue(), 'undone-');
  await page.goBack();
  await applied.getByRole('link', { name: 'Role:Undone' }).click();
  await role.member('Group:undoers').waitFor();
  await page.goBack();

  // One of the three is no longer there to be undone.
  await set.service.ask('PUT', '/v1/roles/Undone', { body: { remove: [{ principal: 'Group:undoers' }] } });
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await until(async () => {
    const policy = await set.service.policy();
    assert.ok(!JSON.stringify(policy).includes('undoers'));
  });
  await page.reload();
  await applied.getByRole('button', { name: 'Undo 3 changes' }).click();
  await page.getByRole('heading', { name: '1 change can no longer be undone' }).waitFor();
  await page.getByText('Already undone.').waitFor();
  const review = new Review(page);
  const [acl, member, ...more] = await review.rows();
  assert.deepEqual([acl, more], ['− Remove Allow Write, topic undone- prefixed', []]);
  assert.match(member, /^\+ Add Principal Group:old/);
  await review.apply();
  assert.deepEqual(await set.service.policy(), before);
});

journey('the request in the simulator has its verdict before and after', async ({ page }) => {
  const [simulator, draft] = [new Simulator(page), new Draft(page)];
  await set.service.createRole('Starters');
  await simulator.open();
  await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
  await simulator.user.fill('maya');
  await simulator.groups.fill('starters');
  await simulator.ask({ operation: 'Write', name: 'starting-point' });
  await simulator.sees('Denied, nothing allows it');
  await go(page, 'Roles');
  await new Roles(page).row('Starters').getByRole('link', { name: 'Starters' }).click();
  const role = new Role(page, 'Starters');
  await role.addMember('Group:starters');
  await role.addAcl({ name: 'starting-point', operations: ['Write'] });
  await draft.apply();
  const request = page.getByRole('region', { name: 'The request in the simulator' });
  assert.match(await text(request), /User:maya can write to topic starting-point\. Before: Denied, nothing allows it\. Now: Allowed\./);
  await page.getByRole('button', { name: 'Check in simulator' }).click();
  await simulator.sees('Allowed');
  assert.equal(await simulator.user.inputValue(), 'maya');
});
