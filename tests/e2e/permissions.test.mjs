// What the matrix and a typed question answer, against what the service decides.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { heading, refusal, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { MATRIX, PERMISSIONS } from './support/permissions.mjs';
import { Search } from './support/search.mjs';
import { Simulator } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage();

journey('the matrix says what is decided, for a principal and for a person, and why', async ({ page }) => {
  await page.goto(MATRIX);
  const who = page.getByRole('combobox', { name: 'Principal' });
  await page.getByRole('heading', { name: 'Enter a principal' }).waitFor();
  await who.fill('analytics');
  await refusal(who, /User:analytics/);
  await who.fill('Group:analytics');
  const cell = (name) => page.getByRole('button', { name, exact: true });
  await cell('Read on Topic analytics-: Allow, from AnalyticsReaders').waitFor();
  await cell('Describe on Topic analytics-: Allow, implied by Read').waitFor();
  await cell('Write on Topic orders-archive: Deny, from direct').waitFor();
  await cell('Read on Topic orders-archive: no rule, denied by default').waitFor();
  await until(() => assert.match(page.url(), /matrix\?of=Group%3Aanalytics$/));

  // By keyboard: the reason of a cell.
  await cell('Write on Topic orders-archive: Deny, from direct').focus();
  await page.keyboard.press('Enter');
  const reason = page.getByRole('region', { name: 'Reason' });
  await until(async () =>
    assert.match(
      await text(reason),
      /Write, topic orders-archive literal: denied by rule.*Decided by.*direct.*Deny Write, topic orders-archive literal/,
    ),
  );
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^Create on Topic orders-archive/);

  // A person with groups: what one group denies blocks what another allows.
  await who.fill('User:jonas.lindqvist');
  await page.getByRole('textbox', { name: 'IdP groups, one per line' }).fill('engineering\nanalytics');
  await cell('Write on Topic orders-: Allow, from Group:engineering').waitFor();
  await cell('Write on Topic orders-archive: Deny, from Group:analytics').click();
  await until(async () =>
    assert.match(await text(reason), /Overridden.*Group:engineering.*Allow Write, topic orders- prefixed/),
  );
  await until(() => assert.match(page.url(), /of=User%3Ajonas.lindqvist&group=engineering&group=analytics$/));
  // The service decides the same.
  const answer = await fetch(`${set.service.origin}/access/v1/evaluation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('admin:demo')}` },
    body: JSON.stringify({
      subject: { type: 'user', id: 'jonas.lindqvist', properties: { groups: ['engineering', 'analytics'] } },
      action: { name: 'write' },
      resource: { type: 'topic', id: 'orders-archive' },
    }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal((await answer.json()).decision, false);

  // An ACL for one host.
  await who.fill('User:maya.okafor');
  await cell('Write on Topic clickstream: depends on the host, denied for an unknown host').waitFor();
  await page.getByRole('textbox', { name: 'Host' }).fill('10.20.4.71');
  await cell('Write on Topic clickstream: Allow, from direct').waitFor();
  await who.fill('User:root');
  await page.getByText('Superusers are allowed everything. ACLs are not evaluated.').waitFor();
  await who.fill('Group:nobody-knows');
  await cell('Read on Topic status: Allow, from User:*').waitFor();
});

journey('a question is answered as the simulator, the matrix and who can answer it', async ({ page }) => {
  const [search, simulator] = [new Search(page), new Simulator(page)];
  await page.goto(PERMISSIONS);
  await page.getByText('Group:').first().waitFor();
  const ask = async (question) => {
    await search.open();
    await page.keyboard.type(question);
  };
  // The name itself is answered, with the groups of the demo's token; what contains it stands below.
  await ask('can maya write orders');
  await until(async () =>
    assert.match(
      await text(search.answer.first()),
      /^No .* User:maya\.okafor can't write to topic orders\. .*The groups Group:engineering and Group:analytics come from the token of the demo\./,
    ),
  );
  assert.deepEqual((await search.group('Answer')).slice(1), [
    'orders- prefixed allowed by Group:engineering',
    'orders-archive literal denied by Group:analytics',
  ]);
  await isAccessible(page, 'search, an answer');
  // The second match is chosen: the simulator has the same user, request and verdict.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'Simulator').waitFor();
  await simulator.sees('Denied by rule');
  assert.equal(await simulator.resourceName.inputValue(), 'orders-archive');

  await ask('why can’t maya write orders-archive?');
  await until(async () =>
    assert.match(
      await text(search.answer.first()),
      /^No Denied by rule User:maya\.okafor can't write to topic orders-archive\. Decided by: .*Group:analytics/,
    ),
  );
  await search.close();

  await ask('who can read payments-*');
  await until(async () => assert.match(await text(search.answer.first()), /can read all 2 topic patterns that match payments-\*\./));
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Who can read' }).waitFor();
  await page.getByText('can read every topic that starts with').waitFor();
  assert.match(page.url(), /who-can\?operation=read&type=topic&pattern=prefixed&name=payments-$/);

  // An ambiguous name: the user chooses one, and the question is repeated with it.
  await ask('can eng write orders-eu');
  await until(async () => assert.match(await text(search.answer.first()), /^Which one\? 2 principals match/));
  assert.deepEqual(await search.group('Matches'), [
    'Group:Engineering Ask about this one',
    'Group:engineering Ask about this one',
  ]);
  await isAccessible(page, 'search, an ambiguous name');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => assert.equal(await search.field.inputValue(), 'can Group:engineering write orders-eu'));
  await until(async () => assert.match(await text(search.answer.first()), /^Yes Allowed Group:engineering can write to topic orders-eu\./));
  await search.field.fill('can maya');
  await until(async () => assert.match(await text(search.answer.first()), /For example: can maya write orders/));
});
