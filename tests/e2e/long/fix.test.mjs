// Fix this: from a denied request to a reviewed draft, beside the verdict.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { text } from '../support/fields.mjs';
import { Fixes } from '../support/fixes.mjs';
import { stage } from '../support/journey.mjs';
import { part } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true, own: true });

/** Opens the simulator with a token of this person and this request. */
async function denied(page, person, name, verdict) {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token(person));
  await simulator.ask({ operation: 'Write', name });
  await simulator.sees(verdict);
  return { simulator, fixes: new Fixes(page, simulator) };
}

journey('a denied request is a reviewed draft after two clicks', async ({ page }) => {
  // Somebody with one of the groups signs in, which the audit log records.
  const [{ token }] = (await set.service.people()).filter(({ id }) => id === 'comma-separated');
  await fetch(`${set.service.origin}/v1/roles`, { headers: { authorization: `Bearer ${token}` } });

  const { simulator, fixes } = await denied(page, 'maya.okafor', 'payments-new', 'Denied, nothing allows it');
  await fixes.open.click();
  // Neither group shares a word with the topic or the role, and the same user was seen with both: by name.
  assert.deepEqual(await fixes.all(), [
    'Assign Group:analytics to Role:PaymentsWriters',
    'Assign Group:engineering to Role:PaymentsWriters',
    'Add an ACL to Role:AnalyticsReaders',
    'Add an ACL to Role:SchemaStewards',
    'Create a role for Group:analytics on this topic only',
    'Create a role for Group:engineering on this topic only',
    'Add the user to Group:/eng/payments',
    'Add the user to Group:payments',
    'Assign User:maya.okafor to Role:PaymentsWriters',
    'Add an ACL for User:maya.okafor',
  ]);
  assert.deepEqual(await fixes.headings.allInnerTexts(), [
    'Through groups and roles',
    'In the identity provider',
    'For one user, outside groups',
  ]);
  // The effect is there before anything else is done.
  await fixes.says(2, /Group:engineering gains Read, Write and Describe on 1 topic pattern and 1 transactional ID pattern\./);
  await fixes.says(2, /Other users may hold this group\./);
  await fixes.says(2, /\d+ users? (was|were) seen with this group since /);
  await fixes.says(5, /3 changes\. Role:PaymentsNewWriters with Allow Write, topic payments-new literal\./);
  await fixes.says(5, /Group:analytics gains Write and Describe on topic payments-new literal\./);
  await fixes.says(10, /User:maya\.okafor gains Write and Describe on topic payments-new literal\./);
  await fixes.fix(2).getByRole('button', { name: 'See who' }).click();
  await fixes.says(2, /User:maya\.okafor was seen with Group:engineering since .*Group:engineering Gains/);
  // Where only this user gains, in one place, there is nobody else to see.
  assert.equal(await fixes.fix(10).getByRole('button', { name: /^See wh/ }).count(), 0);

  await fixes.add(2);
  await fixes.says(2, /In draft/);
  await until(async () => {
    const draft = await text(fixes.draft);
    assert.match(draft, /1 principal added\./);
    assert.match(draft, /5 operations gained by 1 principal/);
    assert.match(draft, /Group:Engineering and Group:engineering differ only in letter case/);
    assert.match(draft, /gbac security role assign PaymentsWriters --principal Group:engineering/);
  });
  assert.equal(await text(fixes.review), 'Review 1 change');
  // What Review shows is the same.
  await fixes.review.click();
  await page.getByRole('heading', { level: 1, name: 'Review 1 change' }).waitFor();
  await until(async () => {
    const main = await text(page.locator('main'));
    assert.match(main, /operations gained by 1 principal 5 operations lost/);
    assert.match(main, /Group:Engineering and Group:engineering differ only in letter case/);
  });
  await page.getByText('gbac security role assign PaymentsWriters --principal Group:engineering').waitFor();
  assert.ok(!(await set.service.members('PaymentsWriters')).includes('Group:engineering'), 'nothing is sent by that');

  // Undo in the sheet takes it out again.
  await page.getByRole('link', { name: 'Simulator' }).first().click();
  await simulator.sees('Denied, nothing allows it');
  await fixes.open.click();
  await fixes.says(2, /In draft/);
  await fixes.sheet.getByRole('button', { name: 'Remove fix 2 from the draft', exact: true }).click();
  await fixes.sheet.getByRole('button', { name: 'Add to draft: fix 2', exact: true }).waitFor();
  assert.equal(await fixes.review.count(), 0);
  // Another one has no findings.
  await fixes.add(1);
  await until(async () => assert.match(await text(fixes.draft), /No findings in the draft\./));
  await fixes.sheet.getByRole('button', { name: 'Remove fix 1 from the draft' }).click();
  // A new role comes with its ACL and member, and goes with them.
  await fixes.add(5);
  await until(async () => assert.equal(await text(fixes.review), 'Review 3 changes'));
  // It says how much it opens. On other names, the draft follows.
  await fixes.says(5, /Opens one topic, payments-new\./);
  await fixes.fix(5).getByRole('radio', { name: 'payments- prefix' }).check();
  await fixes.says(5, /3 changes\. Role:PaymentsWriters2 with Allow Write, topic payments- prefixed\..*Opens topics that begin with payments-\./);
  await until(async () => assert.match(await text(fixes.draft), /gbac security role create PaymentsWriters2/));
  assert.equal(await text(fixes.review), 'Review 3 changes');
  await fixes.fix(5).getByRole('radio', { name: 'every topic' }).check();
  await fixes.says(5, /Create a role for Group:analytics on every topic .*Opens every topic\./);
  await fixes.fix(5).getByRole('radio', { name: 'payments-new' }).check();
  await until(async () => assert.match(await text(fixes.draft), /gbac security role create PaymentsNewWriters/));
  await fixes.sheet.getByRole('button', { name: 'Remove fix 5 from the draft' }).click();
  await until(async () => assert.equal(await fixes.review.count(), 0));
});

journey('a deny lists only what removes it, and a manual step is copied', { clipboard: true }, async ({ page }) => {
  const { fixes } = await denied(page, 'jonas.lindqvist', 'payments-settled', 'Denied by rule');
  await fixes.open.click();
  assert.deepEqual(await fixes.all(), [
    'Remove the deny on topic payments-settled literal for Group:/contractors/payments',
    'Remove the user from Group:/contractors/payments',
  ]);
  await fixes.sheet.getByText('A deny blocks this. An added allow changes nothing while it applies.').waitFor();
  await fixes.says(1, /1 change\. A deny is usually deliberate: .*\. The allow of Role:PaymentsWriters then decides\./);
  await fixes.says(1, /Group:\/contractors\/payments gains Write on topic payments-settled literal\./);
  await fixes.says(2, /Manual step/);
  await fixes.says(2, /User:jonas\.lindqvist gains Write on topic payments-settled literal\./);
  assert.equal(await fixes.fix(2).getByRole('button', { name: /^Add to draft/ }).count(), 0);
  await fixes.sheet.getByRole('button', { name: 'Copy request for fix 2' }).click();
  await until(async () =>
    assert.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /^Remove the user jonas\.lindqvist from the group \/contractors\/payments\.\nReason: /,
    ),
  );
});

journey('a token without its groups is fixed at the provider first', { clipboard: true }, async ({ page }) => {
  const simulator = new Simulator(page);
  const fixes = new Fixes(page, simulator);
  await simulator.open();
  await simulator.pick('Priya Raman');
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  await simulator.sees('Denied, nothing allows it');
  await fixes.open.click();
  const all = await fixes.all();
  assert.equal(all[0], 'Have the identity provider send the groups in the token');
  assert.ok(all.every((title) => !title.startsWith('Add the user to Group:')), all.join('; '));
  assert.deepEqual(await fixes.headings.allInnerTexts(), [
    'The token has no groups',
    // Her role needs no group of the token.
    'Through groups and roles',
    'For one user, outside groups',
  ]);
  await fixes.says(1, /Allowed once the token has .*Group:payments/);
  await fixes.sheet.getByRole('button', { name: 'Copy request for fix 1' }).click();
  await until(async () =>
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^Have the access tokens of this application contain/),
  );
});

journey('a refused token is fixed first, without a change of the policy', async ({ page }) => {
  const simulator = new Simulator(page);
  const fixes = new Fixes(page, simulator);
  await simulator.open();
  // Another provider's token, which the service does not accept.
  await simulator.token.fill(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  await simulator.sees('Denied: sign-in fails');
  await fixes.open.click();
  await fixes.sheet.getByRole('heading', { name: 'Fix the token first' }).waitFor();
  assert.match(await text(fixes.sheet), /The issuer is .*no change of the policy helps\./);
  assert.equal(await fixes.sheet.getByRole('button', { name: /^Add to draft/ }).count(), 0);
  assert.equal(await fixes.titles.count(), 0);
});

journey('the sheet leaves the page usable, follows the request, and gives focus back', async ({ page }) => {
  const { simulator, fixes } = await denied(page, 'maya.okafor', 'payments-new', 'Denied, nothing allows it');
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await fixes.open.focus();
  await page.keyboard.press('Enter');
  await fixes.sheet.waitFor();
  await until(async () => assert.equal(await focused(), 'fix-title'));
  assert.equal(await fixes.open.getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('Escape');
  await fixes.sheet.waitFor({ state: 'detached' });
  assert.equal(await focused(), 'fix-this');
  assert.equal(await fixes.open.getAttribute('aria-expanded'), 'false');

  // It is not modal: the request can be changed beside it, and the fixes follow.
  await page.setViewportSize({ width: 1920, height: 1080 });
  await fixes.open.click();
  await simulator.resourceName.fill('orders-archive');
  await simulator.sees('Denied by rule');
  await until(async () =>
    assert.match((await fixes.all())[0], /^Remove the deny on topic orders-archive literal for Group:analytics/),
  );
  await fixes.sheet.getByRole('button', { name: 'Close fix this' }).click();
  await fixes.sheet.waitFor({ state: 'detached' });
  assert.equal(await focused(), 'fix-this');

  // The other actions of the verdict lead to their parts.
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const title of ['Whole request', 'Compare users', 'Share', 'Try a change']) {
    await simulator.check.getByRole('button', { name: title, exact: true }).click();
    const opened = page.getByRole('region', { name: title, exact: true });
    await opened.waitFor();
    await until(async () => assert.ok(await opened.evaluate((region) => region.contains(document.activeElement)), title));
  }
  // What is allowed has nothing to fix.
  await simulator.ask({ operation: 'Read', name: 'orders-eu' });
  await simulator.sees('Allowed, if…');
  assert.equal(await fixes.open.count(), 0);
  await (await part(page, 'Try a change')).waitFor();
});

for (const colorScheme of ['light', 'dark']) {
  journey(`the sheet is accessible at every width, ${colorScheme}`, { colorScheme }, async ({ page }) => {
    const { fixes } = await denied(page, 'maya.okafor', 'payments-new', 'Denied, nothing allows it');
    await fixes.open.click();
    await fixes.add(1);
    await fixes.draft.waitFor();
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await isAccessible(page, `Fix this at ${width}, ${colorScheme}`);
      const box = await fixes.sheet.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, `the sheet is at ${JSON.stringify(box)}`);
      assert.equal(width < 900, box.width === width, 'it covers a narrow page');
      const overflow = await fixes.sheet.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth);
      assert.equal(overflow, 0, `something is cut at ${width}`);
    }
  });
}
