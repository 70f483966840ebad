// The simulator: a pasted token, its signature, input that is no token, a link, and a change that is tried.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { refusal, text } from './support/fields.mjs';
import { Fixes } from './support/fixes.mjs';
import { stage } from './support/journey.mjs';
import { go } from './support/navigation.mjs';
import { lines, part } from './support/parts.mjs';
import { Review } from './support/review.mjs';
import { SIMULATOR, Simulator } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage({ provider: true });
const encoded = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** The verdict of one side. */
const side = async (what, title) => await text(what.getByRole('group', { name: title, exact: true }));

journey('a pasted token gives its groups, their places, and a verdict with its reason', { clipboard: true }, async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.paste(await set.provider.token('maya.okafor'));
  await simulator.accept();

  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…', /User:maya\.okafor can write to topic orders-2026/);
  assert.deepEqual(await simulator.elements(), [
    ['0', 'engineering', 'Group:engineering'],
    ['1', 'analytics', 'Group:analytics'],
  ]);
  assert.match(await simulator.step('Decode'), /9 claims.*RS256, key key-RS256/);
  assert.match(await simulator.step('User'), /\$\.sub is maya\.okafor, so User:maya\.okafor/);
  assert.match(await simulator.step('Group claim'), /\$\.groups found: an array of strings/);
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Allow Write, topic orders- prefixed',
  ]);

  // A deny of one group against an allow of another: the deny wins, and both are shown.
  await simulator.resourceName.fill('orders-archive');
  await simulator.sees('Denied by rule', /can't write to topic orders-archive/);
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[1]',
    'Group:analytics',
    'Deny Write, topic orders-archive literal',
  ]);
  assert.match(
    (await simulator.reasons()).Overridden,
    /groups\[0\].*Group:engineering.*Allow overridden|groups\[0\].*Group:engineering.*Write/,
  );
  assert.match(await text(simulator.trace), /Decides.*Allows overridden/);

  // Through a role.
  await simulator.ask({ operation: 'Read', name: 'analytics-daily' });
  await simulator.sees('Allowed, if…');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[1]',
    'Group:analytics',
    'Role:AnalyticsReaders',
    'Allow Read, topic analytics- prefixed',
  ]);

  // Nothing allows it, and one ACL is a near miss.
  await simulator.ask({ operation: 'Write', name: 'clickstream', host: '10.20.4.17' });
  await simulator.sees('Denied, nothing allows it');
  assert.match((await simulator.reasons())['Near misses'], /1 ACL almost matches: only the host differs/);
  await simulator.host.fill('10.20.4.71');
  await simulator.sees('Allowed, if…');
  assert.deepEqual(await simulator.decidedBy(), [
    'User:maya.okafor',
    'Allow Write, topic clickstream literal, host 10.20.4.71',
  ]);
});

journey('a signature is not verified until it was, with the provider’s keys', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const { provider, service } = set;
  const keys = await provider.keys();
  // One person for each algorithm.
  for (const person of ['maya.okafor', 'jonas.lindqvist', 'tom.weber']) {
    await simulator.token.fill(await provider.token(person));
    await simulator.says('Signature not verified');
    await simulator.verify({ keys, issuer: provider.issuer, audience: provider.audience });
    await simulator.says('Signature verified');
    const lines = (await simulator.verification.getByRole('listitem').allInnerTexts()).map((line) =>
      line.replaceAll(/\s+/g, ' '),
    );
    for (const name of ['Signature', 'Issuer', 'Audience', 'Expiry', 'Type']) {
      assert.ok(
        lines.some((line) => line.startsWith(`${name} passed:`)),
        `${person}: ${name} in ${lines.join(' | ')}`,
      );
    }
    await simulator.identity.getByRole('button', { name: 'Clear' }).click();
  }

  const token = await provider.token('maya.okafor');
  await simulator.token.fill(token);
  await simulator.says('Signature not verified');
  await simulator.verify({ keys, issuer: provider.issuer, audience: 'another service' });
  await simulator.says('The signature is valid, but the token is refused');
  await simulator.audience.fill(provider.audience);
  await simulator.says('Signature verified');

  // The same header and signature over other claims.
  const [header, payload, signature] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url')), groups: ['admins'] };
  await simulator.token.fill([header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.'));
  await simulator.says('The signature is not valid');
  assert.deepEqual(
    (await simulator.elements()).map(([, name]) => name),
    ['admins'],
  );

  // Keys of another provider; then no keys at all.
  await simulator.token.fill(token);
  await simulator.says('Signature verified');
  await simulator.keys.fill(await service.keys());
  await simulator.says('The signature could not be verified');
  await simulator.keys.fill('-----BEGIN PUBLIC KEY-----');
  await refusal(simulator.keys, /\w/);
  await simulator.says('Signature not verified');
});

journey('a forged token allows nothing outright, and what the verdict rests on is taken back chip by chip', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  // Groups that the provider never gave: the signature is of other claims.
  const [header, payload, signature] = (await set.provider.token('maya.okafor')).split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url')), groups: ['payments'] };
  await simulator.enter([header, encoded(claims), signature].join('.'));
  await simulator.ask({ operation: 'Write', name: 'payments-eu' });
  await simulator.sees('Allowed, if…', /can write to topic payments-eu, if the service accepts the issuer .* and 1 more/);
  const { issuer, audience } = set.provider;
  const chips = async () => await lines(simulator.assumptions.getByRole('list'));
  const assumed = [`Assuming issuer ${issuer}`, `Assuming audience ${audience}`, 'Signature not verified Verify the token'];
  await until(async () => assert.deepEqual(await chips(), assumed));
  assert.equal(await simulator.check.locator('.verdict-allow').count(), 0, 'nothing is green');
  assert.equal(await simulator.check.locator('.verdict-try').count(), 1, 'it is blue');
  assert.match(await text(simulator.checks), /Issuer \S+, assumed/);
  await isAccessible(page, 'the simulator with assumptions');

  // Without an arrow it is denied, and the chip puts the arrow back.
  await simulator.arrow('Group:payments in Role:PaymentsWriters').click();
  await simulator.sees('Denied, if…');
  const without = 'Without Group:payments → Role:PaymentsWriters';
  await until(async () => assert.deepEqual(await chips(), [...assumed, without]));
  await simulator.unassume(without);
  await simulator.sees('Allowed, if…');

  // Without the issuer the service refuses the token; the chip stays, and keys restore it.
  const focused = async (id) => await until(async () => assert.equal(await page.evaluate(() => document.activeElement.id), id));
  await simulator.unassume(`Assuming issuer ${issuer}`);
  await simulator.sees('Denied: sign-in fails', /The issuer is/);
  await until(async () => assert.deepEqual(await chips(), [...assumed, without]));
  await focused('hyp-0');
  await page.keyboard.press('Enter');
  await simulator.sees('Allowed, if…');
  await focused('hyp-0');
  await page.keyboard.press('ArrowRight');
  await focused('hyp-1');
  await page.keyboard.press('Delete');
  await simulator.sees('Denied: sign-in fails', /audience/);
  await simulator.assumptions.getByRole('button', { name: 'Restore all' }).click();
  await simulator.sees('Denied, if…');
  await simulator.unassume(without);
  await simulator.sees('Allowed, if…');
  await simulator.check.getByRole('heading', { level: 3 }).click();
  await page.keyboard.press('a');
  await focused('hyp-0');
  // The real answer, and what each of them takes.
  assert.match((await simulator.reasons())['Without the assumptions'], /^Denied: sign-in fails The issuer/);
  assert.match((await simulator.reasons())['What it takes'], /Accept the issuer .* Affects everyone who signs in .* Verify the token\. Verify$/);
  // Something else is entered, and what was removed is gone.
  await simulator.resourceName.fill('payments-us');
  await until(async () => assert.deepEqual(await chips(), assumed));
  await simulator.resourceName.fill('payments-eu');
  await simulator.sees('Allowed, if…');

  // What verifies it is one press away, and finds the forgery.
  await simulator.assumptions.getByRole('button', { name: 'Verify the token' }).click();
  await simulator.keys.fill(await set.provider.keys());
  await simulator.sees('Denied: sign-in fails', /The signature is not valid/);
});

journey('a text that is no token is refused with what it is', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  const [header, payload, signature] = token.split('.');
  const cases = [
    ['an opaque token', '2YotnFZFEjr1zCsicMWpAA', /opaque/i],
    ['HTML', '<!doctype html><html><body>Sign in</body></html>', /HTML|XML/],
    ['a certificate', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----', /key|PEM/i],
    ['two tokens', `${token} ${token}`, /more than one token/],
    ['one part', header, /1 part.*3/],
    ['four parts', `${token}.${signature}`, /4 parts/],
    ['an encrypted token', `${token}.${signature}.${signature}`, /encrypted/i],
    ['no signature', `${header}.${payload}.`, /signature|signed/i],
    ['the algorithm none', `${encoded({ alg: 'none' })}.${payload}.`, /no signature.*never accepted/],
    ['a shared secret', `${encoded({ alg: 'HS256' })}.${payload}.${signature}`, /HS256/],
    [
      'a character that cannot be',
      `${header}.${payload.slice(0, 20)}§${payload.slice(21)}.${signature}`,
      /characters that no token has \(byte \d+\)/,
    ],
    ['a header that is cut off', `${encoded('{"alg":')}.${payload}.${signature}`, /header.*line 1 column 7/],
    ['claims that are a list', `${header}.${encoded(['groups'])}.${signature}`, /object/i],
    ['a claim twice', `${header}.${encoded('{"groups":["a"],"groups":["admin"]}')}.${signature}`, /groups appears twice/],
    ['keys', '{"keys":[]}', /keys/i],
    ['JSON with a slip', '{"sub":"maya",}', /JSON.*line 1 column 15/],
  ];
  const seen = new Set();
  for (const [what, words, why] of cases) {
    await simulator.token.fill(words);
    const said = await refusal(simulator.token, why).catch((error) => assert.fail(`${what}: ${error.message}`));
    assert.match(said, /^[A-Z].*\w[.?]$/s, `${what}: ${said}`);
    assert.ok(!said.includes(payload.slice(0, 40)), `${what}: the message repeats the token`);
    assert.equal(await simulator.token.inputValue(), words, what);
    seen.add(said);
  }
  assert.ok(seen.size > cases.length / 2, 'most faults have words of their own');
});

journey('a check travels as a link without the token', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-archive' });
  await simulator.sees('Denied by rule');
  const share = await part(page, 'Share');
  const link = await text(share.getByRole('region', { name: 'the link' }));
  assert.ok(!link.includes(token.slice(0, 30)) && link.includes('#check='), link);

  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('heading', { name: 'A check from a link' }).waitFor();
  await page.getByText(/without the token or its expiry/).waitFor();
  await simulator.sees('Denied by rule', /User:maya\.okafor/);
  assert.equal(new URL(page.url()).hash, '', 'the address does not keep it');
  await page.goto('about:blank');
  await page.goto(`${SIMULATOR}#check=%7B`);
  await page.getByRole('heading', { name: 'The link could not be read' }).waitFor();
});

journey('a change is tried beside today, tells what else it does, and becomes a draft', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  await simulator.sees('Denied, nothing allows it');

  const whatIf = await part(page, 'Try a change');
  await whatIf.getByRole('combobox', { name: 'Change', exact: true }).selectOption({ label: 'Add a member to a role' });
  await whatIf.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Group:engineering' });
  await whatIf.getByRole('button', { name: 'Add change' }).click();
  await whatIf.getByText('Enter a role.').waitFor();
  await whatIf.getByRole('combobox', { name: 'Role' }).fill('PaymentsWriters');
  await whatIf.getByRole('button', { name: 'Add change' }).click();
  await until(async () => {
    assert.match(await side(whatIf, 'Today'), /Denied, nothing allows it/);
    assert.match(await side(whatIf, 'With the changes'), /Allowed, if… .*Role:PaymentsWriters/);
  });
  const changes = await text(whatIf.getByRole('region', { name: 'Change in effective access of this user' }));
  assert.match(changes, /Gains Read, Write, Describe, Topic payments- prefixed/);
  assert.match(changes, /Transactional ID payments- prefixed/i);
  // The verdict says so and names that of today, and the service was told nothing.
  await simulator.sees('Allowed, if…');
  assert.match((await simulator.reasons())['Without the assumptions'], /^Denied/);
  assert.ok(!(await set.service.members('PaymentsWriters')).includes('Group:engineering'));

  // A group of the person is the provider's: it can be tried, and goes into no draft.
  await whatIf.getByRole('combobox', { name: 'Change', exact: true }).selectOption({ label: 'Remove a group from the user' });
  await whatIf.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'Group:analytics' });
  await whatIf.getByRole('button', { name: 'Add change' }).click();
  await whatIf.getByText("Change a user's groups in the identity provider").waitFor();
  await until(async () => {
    const now = await text(whatIf.getByRole('region', { name: 'Change in effective access of this user' }));
    assert.match(now, /Groups lost: Group:analytics/);
    assert.match(now, /Loses .*Topic analytics- prefixed/i);
    assert.match(now, /Gains .*orders-archive/i);
  });
  await whatIf.getByRole('button', { name: 'Add 1 change to the draft' }).click();
  await whatIf.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { level: 1, name: /Review/ }).waitFor();
  await until(async () => assert.match(await text(page.locator('main')), /Group:engineering/));
  assert.ok(!(await set.service.members('PaymentsWriters')).includes('Group:engineering'), 'nothing is sent by that');

  // What was tried is still there, and can be dropped.
  await page.getByRole('link', { name: 'Simulator' }).first().click();
  const again = await part(page, 'Try a change');
  await again.getByRole('button', { name: 'Remove all', exact: true }).click();
  await again.getByText('Add a change to see its effect on the verdict').waitFor();
  assert.equal(await again.getByRole('group', { name: 'With the changes', exact: true }).count(), 0);
  assert.deepEqual(await lines(again.getByRole('list', { name: 'Tried' })), []);
});

journey('a denied request is fixed, reviewed, applied and then allowed', async ({ page }) => {
  const simulator = new Simulator(page);
  const fixes = new Fixes(page, simulator);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  await simulator.sees('Denied, nothing allows it');
  await fixes.open.click();
  const number = 1 + (await fixes.all()).indexOf('Assign Group:engineering to Role:PaymentsWriters');
  assert.notEqual(number, 0);
  await fixes.says(number, /Group:engineering gains Read, Write and Describe on 1 topic pattern and 1 transactional ID pattern\./);
  await fixes.add(number);
  await fixes.says(number, /In draft/);
  assert.equal(await text(fixes.review), 'Review 1 change');
  assert.ok(!(await set.service.members('PaymentsWriters')).includes('Group:engineering'), 'nothing is sent by that');

  await fixes.review.click();
  const review = new Review(page);
  assert.match((await review.people())[0], /^Group:engineering joins PaymentsWriters, gains 5 operations/);
  await review.apply();
  assert.ok((await set.service.members('PaymentsWriters')).includes('Group:engineering'));
  await go(page, 'Simulator');
  await simulator.sees('Allowed, if…');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Role:PaymentsWriters',
    'Allow Write, topic payments- prefixed',
  ]);
});
