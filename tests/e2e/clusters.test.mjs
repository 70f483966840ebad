// A service with several clusters: the chooser in the header, and what belongs to a cluster.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { FIRST, SECOND, startClusters } from './support/clusters.mjs';
import { download } from './support/downloads.mjs';
import { stage } from './support/journey.mjs';
import { Draft } from './support/review.mjs';
import { Roles } from './support/roles.mjs';

const { set, journey } = stage({ start: startClusters });
/** What Chromium logs when an answer is a refusal. */
const REFUSED = { tolerates: [/Failed to load resource/] };

const chooser = (page) => page.getByRole('button', { name: /^Cluster: / });
const nav = (page) => page.getByRole('navigation', { name: 'Security' }).getByRole('link', { name: 'Roles', exact: true });
const list = (page) => page.getByRole('list', { name: 'Clusters' });
const addressed = (page, path, cluster) => page.waitForURL((url) => url.pathname === path && url.searchParams.get('cluster') === cluster);

/** Chooses a cluster as somebody does with a pointer. */
async function choose(page, name) {
  await chooser(page).click();
  await list(page).getByRole('link', { name }).click();
  await chooser(page).filter({ hasText: name }).waitFor();
}

for (const colorScheme of ['light', 'dark']) {
  journey(`every page is about the cluster that is chosen, ${colorScheme}`, { colorScheme }, async ({ page, context }) => {
    const [only, made] = [`OnlyInSecond-${colorScheme}`, `MadeInSecond-${colorScheme}`];
    await set.service.second.createRole(only);
    const [roles, draft] = [new Roles(page), new Draft(page)];
    await page.goto('/security/roles?name=e');
    await roles.table.waitFor();
    await addressed(page, '/security/roles', FIRST);
    await chooser(page).filter({ hasText: FIRST }).waitFor();
    await page.goto('/security/roles');
    await roles.create('DraftOfFirst');
    assert.match(await draft.says(), /Draft, 1 change/);

    // By keyboard.
    await chooser(page).focus();
    await page.keyboard.press('Enter');
    await list(page).getByRole('link', { name: FIRST }).and(page.locator('[aria-current]')).waitFor();
    await list(page).getByText('stale').waitFor();
    await isAccessible(page, `the list of clusters, ${colorScheme}`);
    await page.keyboard.press('Escape');
    await list(page).waitFor({ state: 'hidden' });
    assert.ok(await chooser(page).evaluate((button) => button === document.activeElement));
    await nav(page).click();
    await chooser(page).focus();
    await page.keyboard.press('Enter');
    for (let pressed = 0; pressed < 2; pressed += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await addressed(page, '/security/roles', SECOND);
    await roles.row(only).waitFor();
    assert.equal(await draft.bar.count(), 0, 'the draft of the first stays there');
    assert.equal(await roles.row('DraftOfFirst').count(), 0);

    // What is applied goes to this cluster only.
    await roles.create(made);
    await draft.apply();
    assert.ok((await set.service.second.roles()).includes(made));
    assert.ok(!(await set.service.roles()).includes(made));

    // A link opens the same cluster in a new tab, and so does its address.
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      nav(page).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await addressed(tab, '/security/roles', SECOND);
    await new Roles(tab).row(made).waitFor();
    await tab.close();

    // Each cluster has its draft again, also by the browser's back.
    await nav(page).click();
    await choose(page, FIRST);
    await addressed(page, '/security/roles', FIRST);
    assert.match(await draft.says(), /Draft, 1 change/);
    await page.goBack();
    await addressed(page, '/security/roles', SECOND);
    await roles.row(made).waitFor();
    assert.equal(await draft.bar.count(), 0);
    await page.reload();
    await roles.row(made).waitFor();
  });
}

journey('an address of a cluster that is not there leads to those that are', REFUSED, async ({ page }) => {
  await page.goto('/security/roles?cluster=gone');
  await page.getByText(/has no cluster/).first().waitFor();
  await page.getByRole('link', { name: 'Open the first cluster' }).click();
  await addressed(page, '/security/simulator', FIRST);
  await choose(page, SECOND);
  await new Roles(page).open();
});

journey('both clusters are compared, and the filters are in the address', async ({ page, t }) => {
  await page.goto('/security/compare');
  const [a, b] = ['A', 'B'].map((letter) => page.getByRole('combobox', { name: `Cluster ${letter}` }));
  const chosen = (side) => side.evaluate((select) => select.selectedOptions[0].text);
  await page.getByRole('heading', { name: 'Everybody can do the same in both' }).or(page.getByRole('table', { name: 'Differences' })).waitFor();
  assert.deepEqual([await chosen(a), await chosen(b)], [SECOND, FIRST]);
  await set.service.second.createAcl({
    resource_type: 'RESOURCE_TYPE_TOPIC',
    resource_name: 'compared-',
    resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: 'Group:other-readers',
    host: '*',
    operation: 'OPERATION_READ',
    permission_type: 'PERMISSION_TYPE_ALLOW',
  });
  await page.reload();
  await page.getByText('permissions are the same').waitFor();
  await page.getByRole('searchbox', { name: 'Principal or resource' }).fill('other-readers');
  await page.waitForURL(/find=other-readers/);
  await page.reload();
  await page.getByText(/^1 of \d+ differences?, [\d,]+ permissions are the same$/).or(page.getByText(/^1 difference, /)).waitFor();
  await isAccessible(page, 'two clusters side by side');
  const saved = await download(t, page, () => page.getByRole('button', { name: 'Download report' }).click());
  assert.match(saved.text, new RegExp(`^Compare clusters\nA: ${SECOND}\nB: ${FIRST}\n`));
  assert.match(saved.text, /\nGroup:other-readers\n {2}Read, .*topics that begin with compared-/);
  // The sides stay as they are when the other cluster is opened, which can converge then.
  await choose(page, SECOND);
  await page.getByRole('checkbox', { name: /^Converge: Group:other-readers/ }).check();
  assert.deepEqual([await chosen(a), await chosen(b)], [SECOND, FIRST]);
  await page.getByRole('radio', { name: 'A to B' }).check();
  await page.getByRole('button', { name: 'Converge A to B' }).click();
  await page.getByRole('heading', { level: 1, name: /^Review/ }).waitFor();
  await addressed(page, '/security/review', SECOND);
});

journey('another value of a setting of the brokers is tried', async ({ page }) => {
  await page.goto('/security/settings');
  await page.getByRole('button', { name: /^Settings of the brokers/ }).click();
  const part = page.getByRole('region', { name: 'Settings of the brokers' });
  await part.getByRole('textbox', { name: 'Present value of super.users' }).fill('User:admin');
  await part.getByRole('button', { name: 'Show the effect' }).click();
  await part.getByText('denies 14 of the 31 principals seen').waitFor();
  await part.getByText('Seen: 120 different requests in the last audit events').waitFor();
  await part.getByRole('row', { name: /User:maya Loses everything that no ACL is for/ }).waitFor();
  await part.getByText('and 13 more').waitFor();
  assert.equal(await part.getByText('can be a super user').count(), 0, 'the value that was entered is sent');
  await isAccessible(page, 'the effect of a setting');
});

for (const width of [320, 390]) {
  journey(`the chooser fits a page of ${width} px`, { viewport: { width, height: 700 } }, async ({ page }) => {
    await new Roles(page).open();
    await choose(page, SECOND);
    await chooser(page).click();
    await list(page).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} px wide`);
    await isAccessible(page, `the list of clusters, ${width} px`);
  });
}
