// Export and import: exports run no code and import to the same policy; imports report every problem before the review.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { download } from '../support/downloads.mjs';
import { EXCHANGE, open } from '../support/exchange.mjs';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Role } from '../support/roles.mjs';

const { set, journey } = stage();
/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };

journey('a role is exported as commands, without the draft', async ({ page, t }) => {
  const role = new Role(page, 'PaymentsWriters');
  await role.open();
  await role.addMember('Group:only-in-the-draft');
  const file = await download(t, page, () => page.getByRole('button', { name: 'Export', exact: true }).click());
  const { name, text: script } = file;
  assert.equal(name, 'role-paymentswriters.gbac.sh');
  assert.match(script, /gbac security role create PaymentsWriters/);
  assert.match(script, /role assign PaymentsWriters --principal \S*Group:payments/);
  assert.match(script, /--allow-principal Role:PaymentsWriters .*--topic payments-/);
  assert.doesNotMatch(script, /only-in-the-draft|AnalyticsReaders/);
});

journey('every problem of a document is told with its place, and nothing is taken', async ({ page }) => {
  await open(page);
  const field = page.getByRole('textbox', { name: /^Policy document/ });
  await field.fill('{ "version": 1, "acls": [{ "host": "10.0.0.0/8" }], "roles": [{ "name": "a,b" }] }');
  const problems = page.getByRole('group', { name: 'Problems' });
  await problems.waitFor();
  const said = await text(problems);
  assert.match(said, /\/acls\/0\/host/);
  assert.match(said, /\/roles\/0\/name/);
  assert.equal(await page.getByRole('button', { name: /to the draft$/ }).count(), 0);
  await isAccessible(page, 'exchange, with problems');
  await field.fill('{ "version": 1');
  await page.getByRole('heading', { name: /^Unrecognized format/ }).waitFor();
});

journey('replacing removes what is not there, adding does not', async ({ page }) => {
  const before = await set.service.policy();
  await open(page);
  const small = { ...before, acls: [], roles: [{ name: 'New', members: [{ principal: 'Group:new' }] }] };
  await page.getByRole('textbox', { name: /^Policy document/ }).fill(JSON.stringify(small));
  // What is there stays unless somebody says otherwise.
  assert.ok(await page.getByRole('radio', { name: 'Keep and add' }).isChecked());
  await page.getByText('Compared with the current policy: 2 rows added, 0 rows removed.').waitFor();
  await page.getByRole('radio', { name: 'Replace' }).check();
  const removed = before.acls.length + before.roles.length;
  await page.getByText(`2 rows added, ${removed} rows removed.`).waitFor();
  await page.getByRole('button', { name: `Add ${removed + 2} changes to the draft` }).click();
  // The draft goes out as a script of its own.
  await page.getByRole('radio', { name: 'The draft only' }).or(page.getByRole('radio', { name: 'With the draft' })).check();
  await page.getByLabel('Format', { exact: true }).selectOption('gbac script');
  await page.getByRole('region', { name: 'Text' }).getByText('gbac security role assign New --principal Group:new').waitFor();
  assert.deepEqual(await set.service.policy(), before, 'nothing is sent');
});

for (const colorScheme of ['light', 'dark']) {
  journey(`axe finds nothing, ${colorScheme}`, { colorScheme }, async ({ page }) => {
    await open(page);
    await isAccessible(page, `exchange, ${colorScheme}`);
    await page.getByLabel('Format', { exact: true }).selectOption('Terraform');
    await page.getByRole('textbox', { name: /^Policy document/ }).fill('{ "version": 1, "roles": [{ "name": "R" }] }');
    await page.getByRole('button', { name: /to the draft$/ }).waitFor();
    await isAccessible(page, `exchange, with an import, ${colorScheme}`);
  });
}

journey('nothing is wider than a page of 320 px', { viewport: { width: 320, height: 700 } }, async ({ page }) => {
  await open(page);
  await page.getByRole('textbox', { name: /^Policy document/ }).fill('{ "version": 1, "what": 2 }');
  await page.getByRole('group', { name: 'Problems' }).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 320, `the page is ${width} px wide`);
  await isAccessible(page, 'exchange, 320 px');
});

journey('axe finds nothing while the service is away', AWAY, async ({ page, context }) => {
  await context.route(/\/(gbac|v1|demo)\//, (route) => route.abort('connectionrefused'));
  await page.goto(EXCHANGE);
  await page.getByRole('heading', { name: 'The policy could not be read' }).waitFor();
  await isAccessible(page, 'exchange, away');
});
