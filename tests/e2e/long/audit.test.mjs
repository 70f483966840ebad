// The last audit events: readable, filtered by the address, and as they are.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { AUDIT, decide, rows, table } from '../support/audit.mjs';
import { download } from '../support/downloads.mjs';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ own: true });

journey('filters stand in the address, and say how much they leave out', async ({ page }) => {
  await decide(set.service, 'filtered', ['eng one', 'eng/two'], 'read', 'x');
  await page.goto(AUDIT);
  await page.getByRole('combobox', { name: 'Event type' }).selectOption('sign_in');
  await page.getByRole('textbox', { name: 'User' }).fill('filtered');
  await page.getByRole('textbox', { name: 'IdP group or role' }).fill('eng/two');
  await until(() => assert.equal(new URL(page.url()).search, '?kind=sign_in&user=filtered&group=eng%2Ftwo'));
  const [row, ...more] = await rows(page);
  assert.equal(more.length, 0);
  assert.match(row[4], /Group:eng one.*Group:eng\/two/);
  await page.getByText(/^1 of \d+ events$/).waitFor();
  const choices = page.getByRole('combobox', { name: 'Event type' }).getByRole('option');
  const numbers = { Everything: 2, Changes: 0, 'Sign-ins': 1, 'Decisions by ACLs': 1, 'Requests to this service': 0 };
  // No group decided, so that the filter for groups leaves the decision out.
  await page.getByRole('textbox', { name: 'IdP group or role' }).fill('');
  const counted = Object.entries(numbers).map(([label, number]) => `${label} (${number})`);
  await until(async () => assert.deepEqual(await choices.allInnerTexts(), counted));
  await page.getByRole('textbox', { name: 'IdP group or role' }).fill('eng/two');

  await page.reload();
  assert.equal((await rows(page)).length, 1, 'the address keeps the filter');
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'Denied, refused' });
  await page.getByRole('heading', { name: 'No events match the filter' }).waitFor();
  await page.getByRole('button', { name: 'Clear filter' }).click();
  assert.ok((await rows(page)).length > 1);
  assert.equal(new URL(page.url()).search, '');
});

journey('the event itself is there on demand, without credentials', async ({ page }) => {
  await decide(set.service, 'raw', ['analytics'], 'read', 'analytics-events');
  await page.goto(`${AUDIT}?kind=decision&user=raw`);
  const button = table(page).getByRole('button', { name: /^JSON of the event/ });
  await button.click();
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  const shown = JSON.parse(await page.getByRole('region', { name: 'Event', exact: true }).innerText());
  const { body } = await set.service.ask('GET', '/gbac/v1/audit?limit=100');
  assert.ok(
    body.events.some((event) => isDeepStrictEqual(event, shown)),
    'it is the event of the service',
  );

  // What was sent with a password is recorded without it.
  await set.service.ask('PUT', '/v1/cluster_config?dry_run=true', { body: { upsert: {}, remove: [] } });
  await page.goto(`${AUDIT}?kind=access&limit=1000`);
  await table(page).getByRole('button', { name: /^JSON of the event/ }).first().click();
  const access = await page.getByRole('region', { name: 'Event', exact: true }).innerText();
  assert.ok(!access.includes(btoa('admin:demo')), access);
});

journey('the listed events can be exported, and the filter counts', async ({ page, t }) => {
  for (const topic of ['exported-first', 'exported-second']) {
    assert.equal(await decide(set.service, 'exported', ['other'], 'write', topic), false);
  }
  await decide(set.service, 'not-listed', ['other'], 'write', 'exported-first');
  await page.goto(`${AUDIT}?kind=decision&user=exported`);
  assert.equal((await rows(page)).length, 2);
  const file = await download(t, page, () => page.getByRole('button', { name: 'Export events' }).click());
  assert.equal(file.name, 'audit-events.jsonl');
  const lines = file.text.trimEnd().split('\n').map((line) => JSON.parse(line));
  const { body } = await set.service.ask('GET', '/gbac/v1/audit?limit=100');
  const expected = body.events.filter(({ actor }) => actor?.user?.name === 'exported');
  assert.equal(expected.length, 2);
  assert.deepEqual(lines, expected.reverse(), 'the events of the service, the oldest first');
});

journey('a change is told in words, with who made it', async ({ page }) => {
  await set.service.ask('POST', '/v1/roles', { body: { name: 'told-in-words' } });
  try {
    await page.goto(`${AUDIT}?kind=change&user=admin`);
    const told = (await rows(page)).find((row) => row[2].includes('told-in-words'));
    assert.deepEqual(told.slice(2, 4), ['admin created the role told-in-words', 'Done']);
    assert.match(told[1], /^User:admin/);
  } finally {
    await set.service.ask('DELETE', '/v1/roles/told-in-words');
  }
});

journey('a change shows what was there before and after, and the changes of one request are one row', async ({ page }) => {
  const before = await set.service.policy();
  const members = { create: true, add: [{ principal: 'Group:told-a' }, { principal: 'User:told-b' }] };
  await set.service.ask('PUT', '/v1/roles/told-together', { body: members });
  try {
    await page.goto(`${AUDIT}?kind=change&user=admin`);
    const told = (await rows(page)).filter((row) => row[2].includes('told-together'));
    assert.deepEqual(told.map((row) => row.slice(2, 4)), [
      ['admin changed the role told-together. 1 role created. 2 principals added.', 'Done'],
    ]);
    const row = table(page).getByRole('row').filter({ hasText: 'told-together' });
    const button = row.getByRole('button', { name: /^Evidence of the change of / });
    await button.click();
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const evidence = page.locator('.evidence');
    const sides = (await evidence.locator('section').allInnerTexts()).map((side) => side.replaceAll(/\s+/g, ' ').trim());
    assert.deepEqual(sides, [
      'Before Nothing was removed.',
      'After + added: Role told-together + added: Group:told-a in the role told-together + added: User:told-b in the role told-together',
    ]);
    assert.match(await text(evidence), /Signed in with password Request \S+ from 127\.0\.0\.1, 3 changes State after it \S+$/);
    const events = await page.getByRole('region', { name: 'Event', exact: true }).innerText();
    assert.equal(events.split('"class_uid"').length - 1, 3, 'the events of the request');
  } finally {
    await set.service.putPolicy(before);
  }
});

journey('the console that reads again and again does not fill the list', async ({ page }) => {
  await page.goto(AUDIT);
  await table(page).waitFor();
  const before = (await rows(page)).length;
  for (let read = 0; read < 12; read += 1) {
    const answered = page.waitForResponse((response) => response.url().includes('/gbac/v1/audit'));
    await page.getByRole('main').getByRole('button', { name: 'Refresh', exact: true }).click();
    await answered;
  }
  await decide(set.service, 'after-reads', ['analytics'], 'read', 'analytics-events');
  await page.getByRole('main').getByRole('button', { name: 'Refresh', exact: true }).click();
  await until(async () => assert.ok((await rows(page)).some((row) => row[1].startsWith('User:after-reads'))));
  const after = await rows(page);
  // The decision and its sign-in are new, and at most one row for the reads after it.
  assert.ok(after.length <= before + 4, `${before} rows before, ${after.length} after`);
  assert.ok(after.every((row) => !row[2].includes('/gbac/v1/')), 'requests of the console have words');
});

journey('a log that is off is a finding with a way to switch it on', async ({ page }) => {
  await set.service.setProperties({ audit_enabled: false });
  try {
    await page.goto(AUDIT);
    await page.getByRole('heading', { name: 'The audit log is off' }).waitFor();
    await page.getByRole('link', { name: 'Turn on the audit log in the settings' }).click();
    await page.getByRole('button', { name: 'Turn on audit log' }).click();
    await until(async () =>
      assert.equal((await set.service.ask('GET', '/v1/cluster_config')).body.audit_enabled, true),
    );
  } finally {
    await set.service.setProperties({ audit_enabled: true });
  }
});
