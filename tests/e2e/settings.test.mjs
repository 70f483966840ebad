// The settings: what another way to read groups does is told before it is saved.

import assert from 'node:assert/strict';
import { cells, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { Settings, properties } from './support/settings.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage({ cluster: {} });

journey('suffix shows who merges and who gains what, and nothing is saved before the review', async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await settings.token.fill(await set.service.token('path-names'));
  await settings.form.getByText('Found in the token: an array of 3 strings').waitFor();
  assert.deepEqual(await settings.row('/eng/payments'), ['/eng/payments', 'Group:/eng/payments', 'Group:/eng/payments', 'Same']);

  await settings.nested('suffix');
  await page.getByRole('heading', { name: 'This change affects who has which permissions' }).waitFor();
  const [, today, then, happens] = await settings.row('/contractors/payments');
  assert.deepEqual([today, then], ['Group:/contractors/payments', 'Group:payments']);
  assert.match(happens, /Merges with .*\/eng\/payments/);
  // No column is cut off on a small screen.
  await page.setViewportSize({ width: 1024, height: 768 });
  for (const table of [settings.names, settings.effects]) {
    const wide = await table.evaluate((table) => {
      const frame = table.closest('.scroll') ?? table.parentElement;
      return frame.scrollWidth - frame.clientWidth;
    });
    assert.ok(wide <= 0, `a table is ${wide} px wider than its panel`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const gains = (await cells(settings.effects)).filter(([name]) => name === '/contractors/payments');
  assert.ok(gains.length > 0, 'a contractor gains nothing');
  assert.match(gains[0].join(' '), /Gains .*becomes Group:payments, a member of Role:PaymentsWriters/);
  assert.equal((await properties(set.service.ask)).nested_group_behavior, 'none', 'nothing is saved by looking');

  // Staged, thrown away, staged again, and saved.
  await settings.form.getByText('Changed, not saved').waitFor();
  await settings.form.getByRole('button', { name: 'Discard' }).click();
  await settings.effects.waitFor({ state: 'detached' });
  await settings.nested('suffix');
  await settings.effects.waitFor();
  const told = await settings.told();
  assert.match(told.numbers, /^[1-9]\d* gains?, [1-9]\d* loss(es)? for [1-9]\d* names?$/);
  await settings.form.getByRole('button', { name: 'Review 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: /^Review/ }).waitFor();
  // The review says the same of the same change, name by name.
  await page.getByText(/compared$/).waitFor();
  assert.deepEqual(await settings.told(), told);
  const [gained, lost] = told.numbers.match(/\d+/g);
  const review = await text(page.getByRole('region', { name: 'Change in effective access' }));
  assert.match(review, new RegExp(`gained by \\d+ principals? ${gained} operations? lost by \\d+ principals? ${lost} `));
  assert.doesNotMatch(review, /No change in effective access|Nobody/);
  assert.equal((await properties(set.service.ask)).nested_group_behavior, 'none');
  // It affects everyone, so nothing is sent without a reason.
  const [apply, reason] = [page.getByRole('button', { name: /^Apply/ }), page.getByRole('textbox', { name: 'Reason' })];
  await page.getByText('Affects everyone who signs in.', { exact: true }).waitFor();
  await apply.click();
  await until(async () => assert.equal(await reason.getAttribute('aria-invalid'), 'true'));
  assert.ok(await reason.evaluate((field) => field === document.activeElement));
  assert.equal((await properties(set.service.ask)).nested_group_behavior, 'none');
  await reason.fill('The provider sends paths');
  await apply.click();
  await until(async () => assert.equal((await properties(set.service.ask)).nested_group_behavior, 'suffix'));
  await set.service.setProperties({ nested_group_behavior: 'none' });
});
