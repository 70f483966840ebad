// Two clusters side by side: what differs, and the changes that make one decide as the other.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { download } from '../support/downloads.mjs';
import { dropFile, heading } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';

const { set, journey } = stage();
const COMPARE = '/security/compare';

/** The policy of the service, and one more reader. */
async function withReader(name) {
  const policy = await set.service.policy();
  const acl = {
    resource_type: 'RESOURCE_TYPE_TOPIC',
    resource_name: 'compared-',
    resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: `Group:${name}`,
    host: '*',
    operation: 'OPERATION_READ',
    permission_type: 'PERMISSION_TYPE_ALLOW',
  };
  return JSON.stringify({ ...policy, acls: [...policy.acls, acl] });
}

/** Opens the page, and drops a document as A. */
async function compare(page, text) {
  await page.goto('/security/exchange');
  await page.getByRole('link', { name: 'Compare clusters', exact: true }).click();
  await heading(page, 'Compare clusters').waitFor();
  await page.getByRole('heading', { name: 'A is missing' }).waitFor();
  await dropFile(page.getByRole('textbox', { name: /of A$/ }), 'other.json', text);
}

for (const colorScheme of ['light', 'dark']) {
  journey(`a difference converges through the review, ${colorScheme}`, { colorScheme }, async ({ page, t }) => {
    const before = await set.service.policy();
    await compare(page, await withReader('other-readers'));
    const box = page.getByRole('checkbox', { name: /^Converge: Group:other-readers/ });
    await box.waitFor();
    await page.getByText('1 difference', { exact: true }).first().waitFor();
    await isAccessible(page, `compare, ${colorScheme}`);
    const converge = page.getByRole('button', { name: 'Converge B to A' });
    assert.ok(await converge.isDisabled(), 'nothing is selected');
    await box.check();
    await page.getByRole('radio', { name: 'A to B' }).check();
    await page.getByText('A is a document').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Converge A to B' }).isDisabled(), 'a document is not changed');
    const saved = await download(t, page, () => page.getByRole('button', { name: 'Save the changes' }).click());
    assert.equal(JSON.parse(saved.text)[0].change, 'remove_acl');
    await page.getByRole('radio', { name: 'B to A' }).check();
    await isAccessible(page, `compare, selected, ${colorScheme}`);
    await converge.click();
    await page.getByRole('heading', { level: 1, name: /^Review/ }).waitFor();
    await page.getByText('other-readers').first().waitFor();
    assert.deepEqual(await set.service.policy(), before, 'nothing is sent');
  });
}

journey('what is equal, and what is not understood, is told', async ({ page }) => {
  await compare(page, JSON.stringify(await set.service.policy()));
  await page.getByRole('heading', { name: 'Everybody can do the same in both' }).waitFor();
  await isAccessible(page, 'compare, equal');
  await page.getByRole('textbox', { name: /of A$/ }).fill('{ "version": 1, "what": 2 }');
  await page.getByRole('heading', { name: 'A was not read: 1 problem' }).waitFor();
  await isAccessible(page, 'compare, refused');
});

for (const width of [320, 390]) {
  journey(`nothing is wider than a page of ${width} px`, { viewport: { width, height: 700 } }, async ({ page }) => {
    await compare(page, await withReader('other-readers-with-a-long-name-that-has-to-break-somewhere'));
    await page.getByRole('checkbox', { name: /^Converge: Group:other/ }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} px wide`);
    await isAccessible(page, `compare, ${width} px`);
  });
}
