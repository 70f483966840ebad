// Troubleshooting, named tests, links and privacy of the simulator's parts.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { download } from '../support/downloads.mjs';
import { dropFile, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { PARTS, collisions, lines, part, troubleshoot } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });

journey('who never saw the page finds out why an overage token is refused', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Priya Raman');
  const extraction = await troubleshoot(page);
  await extraction.getByText('3 failed, 1 for you to check').waitFor();
  // Each diagnosis stands in the step that it is about.
  await until(async () => {
    const claim = await simulator.step('Group claim');
    assert.match(claim, /Decode the token and look for the group claim failed/i);
    assert.match(claim, /sent a link instead, which is not followed/);
    assert.match(claim, /Next/);
    assert.match(await simulator.step('Nested names'), /Compare the two properties with the token failed/);
    const principals = await simulator.step('Principals');
    assert.match(principals, /See which groups the token produces failed/);
    assert.match(principals, /See all claims of the token .*for you to check/);
  });
});

journey('a missed group is looked for, and the service is asked only when somebody says so', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Jonas Lindqvist');
  const token = await simulator.token.inputValue();
  const extraction = await troubleshoot(page);
  await extraction.getByRole('textbox', { name: 'Groups you expected, one per line' }).fill('payments');
  await extraction.getByText(/is not among them/).waitFor();
  assert.deepEqual(await watched.leaks(page, token), [], 'nothing is sent before');
  await extraction.getByText(/sends the token to/).waitFor();
  const asked = page.waitForRequest(/ResolveOidcIdentity/);
  await extraction.getByRole('button', { name: 'Send the token and compare' }).click();
  const request = await asked;
  assert.equal((await request.allHeaders()).authorization, `Bearer ${token}`);
  assert.equal(new URL(request.url()).search, '');
  await until(async () => assert.match(await simulator.step('Principals'), /the service sees/i));
  const settings = extraction.getByRole('table', { name: 'Settings of this page and of the service' });
  assert.match(await text(settings), /Group claim \$\.groups \$\.groups/);
});

journey('tests are saved, fail when something is tried, and come back from a file', async ({ page, t }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  const tests = await part(page, 'Tests');
  await tests.getByRole('textbox', { name: 'Test name' }).fill('maya writes orders');
  await tests.getByRole('button', { name: 'Add test' }).click();
  const saved = tests.getByRole('list', { name: 'Saved tests' });
  await until(async () => assert.match((await lines(saved)).join(), /Passed maya writes orders expected allow/));

  // What is tried is tested too.
  const least = await part(page, 'Smallest change');
  await least.getByRole('button', { name: /^Try: Remove Allow Write, topic orders- prefixed/ }).click();
  await until(async () => assert.match((await lines(saved)).join(), /Failed maya writes orders expected allow, found deny/));
  const report = await download(t, page, () => saved.getByRole('button', { name: 'Bug report' }).click());
  assert.match(report.text, /Expected: allow\nFound: deny/);
  assert.match(report.text, /gbac test/);
  const whatIf = await part(page, 'Try a change');
  await whatIf.getByRole('button', { name: 'Remove all', exact: true }).click();
  await until(async () => assert.match((await lines(saved)).join(), /Passed/));

  const file = await download(t, page, () => tests.getByRole('button', { name: 'Export tests' }).click());
  assert.equal(JSON.parse(file.text).tests[0].name, 'maya writes orders');
  assert.ok(!file.text.includes((await simulator.token.inputValue()).slice(0, 40)), 'the token is not in the file');
  await saved.getByRole('button', { name: 'Remove the test maya writes orders' }).click();
  await page.locator('#tests-file').setInputFiles(file.path);
  await until(async () => assert.match((await lines(saved)).join(), /Passed maya writes orders/));
  await page.locator('#tests-file').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('[]') });
  await tests.getByText(/x\.json could not be read/).waitFor();
});

journey('with every part open, the token is nowhere but in its field, and axe finds nothing', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  for (const title of PARTS) await part(page, title);
  await collisions(page);
  await troubleshoot(page);
  const compare = await part(page, 'Compare users');
  const other = await set.provider.token('jonas.lindqvist');
  await compare.getByRole('textbox', { name: 'Access token of the other user' }).fill(other);
  await until(async () => assert.match(await text(compare), /User:jonas\.lindqvist/));
  assert.deepEqual(await watched.leaks(page, token), []);
  assert.deepEqual(await watched.leaks(page, other), []);
  assert.deepEqual(watched.violations(), []);
  for (const width of [1440, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await isAccessible(page, `every part open at ${width} px`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px wider than ${width}`);
  }
});

journey('the platform’s own rules refuse what it does not read', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('jonas.lindqvist'));
  await simulator.ask({ operation: 'Read', name: 'payments-settled' });
  await simulator.sees('Allowed, if…');
  const extraction = await troubleshoot(page);
  const otherwise = extraction.getByRole('list', { name: 'Differences of these brokers' });
  assert.match((await lines(otherwise)).join(' '), /ES256.*only RS256.*at\+jwt.*only JWT/);
  await extraction.getByRole('radio', { name: 'Brokers managed with rpk' }).check();
  await simulator.sees('Denied: sign-in fails', /only RS256/);
  await extraction.getByRole('radio', { name: 'GBAC' }).check();
  await simulator.sees('Allowed, if…');
});

journey('a claim path comes from a provider’s preset, and the token completes it', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('ana.sousa'));
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied, nothing allows it');
  await simulator.settings('Custom');
  const offered = await page.locator('#claim-paths option').evaluateAll((all) => all.map(({ value }) => value));
  assert.equal(offered[0], '$.realm_access.roles');
  const provider = simulator.identity.getByRole('combobox', { name: 'Provider' });
  await provider.selectOption({ label: 'ZITADEL' });
  await simulator.identity.getByText('Roles are the keys of an object').waitFor();
  await provider.selectOption({ label: 'Keycloak, realm roles' });
  assert.equal(await simulator.claimPath.inputValue(), '$.realm_access.roles');
  await simulator.sees('Allowed, if…');
  assert.deepEqual(
    (await simulator.elements()).map(([, name]) => name),
    ['payments', 'offline_access'],
  );
});

journey('keys are dropped as a file, and the provider’s address is shown, not fetched', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  await simulator.withoutProviderKeys();
  await simulator.open();
  await simulator.pick('Maya Okafor');
  const before = watched.requests().length;
  await simulator.extraction.getByRole('button', { name: 'Verify', exact: true }).click();
  await dropFile(simulator.keys, 'jwks.json', await set.service.keys());
  await simulator.says('Signature verified');
  await dropFile(simulator.keys, 'large.json', 'x'.repeat(1_000_001));
  await simulator.extraction.getByText('large.json is larger than 1 MB. A key set (JWKS) is smaller.').waitFor();
  assert.deepEqual(
    watched.requests().slice(before).filter((request) => /well-known/.test(request)),
    [],
  );
});
