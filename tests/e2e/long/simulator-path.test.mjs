// The simulator's path: from the first screen to a verdict, along the path to the ACL that decides, and without a part of it.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });

/** Opens the simulator with a demo user and a request. */
async function asked(page, person, operation, name) {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick(person);
  await simulator.ask({ operation, name });
  return simulator;
}

journey('a demo user is one press away from a verdict, and a request of the policy another', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  // The request is one that the policy is about.
  const [first] = await simulator.requests.getByRole('button').allInnerTexts();
  assert.equal(first, `${await simulator.operation.locator('option:checked').innerText()} ${await simulator.resourceName.inputValue()}`);
  await simulator.pick('Jonas Lindqvist');
  await simulator.sees('Denied, nothing allows it', /User:jonas\.lindqvist can't write to topic orders-archive/);
  const jonas = simulator.identity.getByRole('button', { name: /^Jonas Lindqvist: / });
  assert.equal(await jonas.getAttribute('aria-pressed'), 'true');

  // The name field suggests what was used, then what ACLs name. A name counts as used once its verdict has stood for a moment.
  const names = page.locator('#resource-names option');
  const labels = () => names.evaluateAll((all) => all.map(({ value, label }) => `${value} (${label})`));
  await until(async () => assert.equal((await labels())[0], 'orders-archive (recent)'));
  await simulator.requests.getByRole('button', { name: 'Write payments-settled' }).click();
  await simulator.sees('Denied by rule', /can't write to topic payments-settled/);
  await until(async () => assert.equal((await labels())[0], 'payments-settled (recent)'));
  await simulator.resourceName.fill('');
  await until(async () => {
    const suggested = await labels();
    assert.equal(suggested[0], 'payments-settled (recent)');
    assert.ok(suggested.includes('payments- (prefixed, 2 ACLs)'), suggested.join());
  });
  await simulator.resourceName.fill('orders');
  await until(async () => {
    const found = await names.evaluateAll((all) => all.map(({ value }) => value));
    // What is typed may have become a recent name itself.
    assert.deepEqual(found.filter((name) => name !== 'orders'), ['orders-archive', 'orders-']);
  });
  // A request that somebody entered is not replaced.
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
  await page.getByRole('link', { name: 'Simulator' }).first().click();
  await simulator.requests.waitFor();
  assert.equal(await simulator.resourceName.inputValue(), 'orders');
});

journey('one path leads from each claim element to its ACL and the verdict', async ({ page }) => {
  const simulator = await asked(page, 'Jonas Lindqvist', 'Write', 'payments-settled');
  await simulator.sees('Denied by rule');
  await until(async () => assert.deepEqual(await simulator.path(), [
    [await text(simulator.mapping.locator('tbody[data-of=claim]'))],
    ['[1] /contractors/payments', 'Group:/contractors/payments', 'direct ACL', 'Deny Write, topic payments-settled literal decides'],
    ['[0] /eng/payments', 'Group:/eng/payments', 'Role:PaymentsWriters', 'Allow Write, topic payments- prefixed overridden by a deny'],
    ['[2] /eng/platform/on-call', 'Group:/eng/platform/on-call', 'Role:IncidentResponders', 'Allow Read, topic * all names no match, requested: Write'],
    ['sub jonas.lindqvist', 'User:jonas.lindqvist', 'Role:SchemaStewards', 'none on this topic'],
  ]));
  assert.match(await text(simulator.mapping.locator('tbody[data-of=claim]')), /^groups 3 names Claim path \$\.groups/);
});

journey('an arrow is pressed to see the verdict without what it leads to', async ({ page }) => {
  const simulator = await asked(page, 'Jonas Lindqvist', 'Write', 'payments-settled');
  await simulator.sees('Denied by rule');
  const ends = async () => (await simulator.path()).slice(1, -1).map(([, , , acl]) => acl.replace(/^.* (?=decides|would|left|over|no match)/, ''));

  // Without the group that denies, the allow of another decides; the trace and the page's own words follow.
  const group = simulator.arrow('Group:/contractors/payments');
  await group.click();
  await simulator.sees('Allowed, if…', /Remove the user from Group:\/contractors\/payments in the identity provider/);
  assert.match((await simulator.reasons())['Without the assumptions'], /^Denied by rule/);
  assert.equal(await group.getAttribute('aria-pressed'), 'true');
  await until(async () => assert.deepEqual(await ends(), ['left out', 'would decide', 'no match, requested: Write']));
  await until(async () => assert.match(await text(simulator.trace), /8 of \d+ ACLs listed: 1 allow, 7 do not match With the changes .* Decides/));
  await simulator.requests.getByRole('button', { name: 'Write orders-archive' }).click();
  await simulator.sees('Still denied, if…');
  await simulator.requests.getByRole('button', { name: 'Write payments-settled' }).click();
  await simulator.sees('Allowed, if…');

  // Both, and it is denied again; each can be put back.
  await simulator.arrow('Group:/eng/payments in Role:PaymentsWriters').click();
  await simulator.sees('Still denied, if…');
  await group.click();
  await simulator.sees('Still denied, if…', /Remove Group:\/eng\/payments from Role:PaymentsWriters/);
  await simulator.tried.getByRole('button', { name: /^Undo: Remove Group:\/eng\/payments from/ }).click();
  await simulator.sees('Denied by rule');

  // The ACL itself.
  await simulator.arrow('Deny Write, topic payments-settled literal, of Group:/contractors/payments').click();
  await simulator.sees('Allowed, if…');
  await simulator.tried.getByRole('button', { name: 'Undo the try' }).click();
  await simulator.sees('Denied by rule');
  assert.equal(await simulator.tried.count(), 0);
  assert.equal((await set.service.policy()).acls.length, 18, 'nothing is sent by that');
});

journey('a claim is pressed in the path, and a provider beside the token, to read groups from it', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('ana.sousa'));
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied, nothing allows it');
  const claim = simulator.mapping.locator('tbody[data-of=claim]');
  assert.match(await text(claim), /no names found/);
  await claim.getByRole('button', { name: 'realm_access.roles' }).click();
  await simulator.sees('Allowed, if…');
  assert.equal(await claim.getByRole('button', { name: 'realm_access.roles' }).getAttribute('aria-pressed'), 'true');

  // A provider's preset finds the claim of this token.
  await simulator.settings('Service settings');
  await simulator.sees('Denied, nothing allows it');
  await simulator.settings('Keycloak');
  await simulator.sees('Allowed, if…');
  await simulator.identity.getByText(/\$\.realm_access\.roles, full names \(none\)/).waitFor();
  await simulator.settings('Okta');
  await simulator.sees('Denied, nothing allows it');
  assert.equal((await set.service.policy()).settings.oidc_group_claim_path, '$.groups', 'nothing is saved by that');
});

journey('the check of the token that fails is where the path ends', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  // Another provider's token, which the service does not accept.
  await simulator.token.fill(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Denied: sign-in fails');
  assert.match((await simulator.reasons())['If accepted'], /^Allowed\. User:maya\.okafor can write to topic orders-2026/);
  await simulator.extraction.getByText('The path is the one of an accepted token.').waitFor();
  const decides = (await simulator.path()).find(([, principal]) => principal === 'Group:engineering');
  assert.match(decides[3], /^Allow Write, topic orders- prefixed would decide/);
  assert.equal(await simulator.check.locator('.verdict-allow').count(), 0, 'nothing is green');
});

journey('a link in place of the groups is told at the verdict', async ({ page }) => {
  const simulator = await asked(page, 'Priya Raman', 'Write', 'payments-settled');
  await simulator.sees('Denied, nothing allows it');
  assert.match(await text(simulator.mapping.locator('tbody[data-of=claim]')), /^groups no names found Claim path/);
  assert.match(await text(simulator.overage), /^The groups of this user are unknown .*a link instead of/);
  // A group that would allow it is one press away.
  await simulator.overage.getByRole('button', { name: 'Assume Group:/eng/payments' }).click();
  await simulator.sees('Allowed, if…');
  await simulator.unassume('With Group:/eng/payments');
  await simulator.sees('Denied, nothing allows it');
  await simulator.assumptions.getByRole('button', { name: 'Restore the assumption: With Group:/eng/payments', exact: true }).waitFor();
  // Without groups, the user's own role still counts.
  await simulator.requests.getByRole('button', { name: 'Read clickstream' }).click();
  await simulator.sees('Allowed');
});

journey('of 200 groups the one that decides is in sight', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
  await simulator.user.fill('maya');
  const groups = Array.from({ length: 199 }, (_, n) => `team-${n}`);
  await simulator.groups.fill([...groups, 'engineering'].join('\n'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed');
  await until(async () => assert.deepEqual(await simulator.elements(), [['200', 'engineering', 'Group:engineering']]));
  await simulator.extraction.getByText('199 more groups without an ACL on this topic.').waitFor();
  await simulator.extraction.getByRole('button', { name: 'Show them' }).click();
  await until(async () => assert.equal((await simulator.elements()).length, 200));
  // A group of the policy is offered, and joins the others.
  await simulator.identity.getByRole('button', { name: 'Add group /contractors/payments' }).click();
  assert.match(await simulator.groups.inputValue(), /\nengineering\n\/contractors\/payments$/);
});

journey('the trace begins on the first screen, below a path that a deny overrides', async ({ page }) => {
  const simulator = await asked(page, 'Jonas Lindqvist', 'Write', 'payments-settled');
  await simulator.sees('Denied by rule');
  await simulator.trace.waitFor();
  const { y } = await simulator.trace.boundingBox();
  assert.ok(y <= 780, `the trace begins at ${y} of 900 px`);
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  journey(`the verdict is in sight once a token is there, ${width} px`, { viewport: { width, height } }, async ({ page }) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.token.fill((await set.service.people())[1].token);
    await simulator.sees('Denied, nothing allows it');
    const box = await simulator.check.getByRole('heading', { level: 3 }).boundingBox();
    assert.equal(await page.evaluate(() => scrollY), 0);
    const bar = page.getByRole('region', { name: 'Verdict in short' });
    const bottom = (await bar.isVisible()) ? (await bar.boundingBox()).y : height;
    assert.ok(box.y >= 0 && box.y + box.height <= bottom, `the verdict is at ${JSON.stringify(box)} of ${bottom}`);
  });
}
