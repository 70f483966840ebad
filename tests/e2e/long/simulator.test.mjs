// The simulator with tokens that a real provider signed, and with the demo's three people.

import assert from 'node:assert/strict';
import { refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { PEOPLE } from '../support/people.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });

journey('a comma-separated claim is split, and what was dropped is told', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Maya Okafor');
  await simulator.ask({ operation: 'Read', name: 'analytics-daily' });
  await simulator.sees('Allowed');
  assert.match(await simulator.step('Group claim'), /\$\.groups found: one string, split at its commas/);
  const principals = (await simulator.elements()).map(([, , principal]) => principal);
  assert.deepEqual(principals.toSorted(), ['Group:analytics', 'Group:engineering', 'dropped: empty']);
  assert.equal(principals[0], 'Group:analytics', 'what decides comes first');
});

journey('the collision of two names under suffix is named, and changes a verdict', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Jonas Lindqvist');
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied by rule');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[1]',
    'Group:/contractors/payments',
    'Deny Write, topic payments-settled literal',
  ]);
  assert.deepEqual(await simulator.notes(), []);

  await simulator.settings('Custom');
  await page.getByRole('radio', { name: 'suffix' }).check();
  // The deny names a group that no longer comes out of the token.
  await simulator.sees('Allowed, if…');
  assert.ok((await simulator.notes()).includes('Two groups become Group:payments'));
  assert.match(
    await text(simulator.note('Two groups become Group:payments')),
    /\/eng\/payments and \/contractors\/payments .*1 role with 3 ACLs/,
  );
  assert.match(await simulator.step('Principals'), /2, one merged/);
  assert.deepEqual(
    (await simulator.elements()).map(([, , principal]) => principal),
    ['Group:payments merged with another group', 'Group:payments merged with another group', 'Group:on-call'],
  );

  // Only tried: the service keeps its own.
  assert.equal((await set.service.policy()).settings.nested_group_behavior, 'none');
  await simulator.settings('Service settings');
  await simulator.sees('Denied by rule');
});

journey('an overage is named as one, and what the user has without groups still counts', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Priya Raman');
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied, nothing allows it');
  assert.match(await simulator.step(/Group claim/), /^failed: Group claim 0 names .*\$\.groups/);
  // Once, at the verdict.
  assert.ok(!(await simulator.notes()).includes('The groups of this user are unknown'));
  assert.match(await text(simulator.overage), /200/);
  await simulator.operation.selectOption({ label: 'Read' });
  await simulator.sees('Allowed');
  assert.deepEqual(await simulator.decidedBy(), [
    'User:priya.raman',
    'Role:IncidentResponders',
    'Allow Read, topic * all names',
  ]);
});

journey('another claim path is offered, tried, and not saved', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('ana.sousa'));
  await simulator.ask({ operation: 'Write', name: 'payments-eu' });
  await simulator.sees('Denied, nothing allows it');
  assert.match(await simulator.step(/Group claim/), /^failed: Group claim 0 names .*\$\.groups/);

  await simulator.extraction.getByRole('button', { name: 'Try $.realm_access.roles' }).first().click();
  await simulator.sees('Allowed, if…');
  assert.equal(await simulator.claimPath.inputValue(), '$.realm_access.roles');
  assert.deepEqual(
    (await simulator.elements()).map(([, name, principal]) => [name, principal]),
    [
      ['payments', 'Group:payments'],
      ['offline_access', 'Group:offline_access'],
    ],
  );
  assert.deepEqual(await simulator.decidedBy(), [
    'realm_access.roles[0]',
    'Group:payments',
    'Role:PaymentsWriters',
    'Allow Write, topic payments- prefixed',
  ]);

  await simulator.claimPath.fill("$['realm_access']['roles'][1]");
  await simulator.sees('Denied, nothing allows it');
  assert.equal((await set.service.policy()).settings.oidc_group_claim_path, '$.groups');
});

journey('the decoded token is opened, and groups are read from a claim that is pressed', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('ana.sousa'));
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied, nothing allows it');
  await page.getByRole('button', { name: 'Decoded token' }).click();
  assert.match(await text(page.getByRole('region', { name: 'Decoded header' })), /"alg": "RS256"/);
  const claims = page.getByRole('list', { name: 'Claims' });
  assert.match(await text(claims), /sub "ana\.sousa"/);
  const roles = claims.getByRole('button', { name: 'roles', exact: true });
  assert.equal(await roles.getAttribute('aria-pressed'), 'false');
  await roles.click();
  await simulator.sees('Allowed, if…');
  assert.equal(await claims.getByRole('button', { name: 'roles', exact: true }).getAttribute('aria-pressed'), 'true');
  assert.equal(await simulator.claimPath.inputValue(), '$.realm_access.roles');
  assert.equal((await set.service.policy()).settings.oidc_group_claim_path, '$.groups', 'nothing is saved by that');
});

journey('the last good result stays in sight, marked as old, while an input is wrong', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  const before = await simulator.elements();

  /** The result before is there, in the panes and in the trace, and says what it is of. */
  async function isOld(of) {
    await simulator.check.getByText('Shown for').waitFor();
    assert.equal((await simulator.reasons())['Shown for'], of);
    assert.match(await text(simulator.check.getByRole('heading', { level: 3 })), /^Allowed, if…$/);
    assert.match(await text(simulator.trace), new RegExp(`of ${of}`));
  }

  await simulator.token.press('ControlOrMeta+End');
  await page.keyboard.type('.x');
  await refusal(simulator.token, /./);
  await isOld('the last readable token');
  assert.deepEqual(await simulator.elements(), before);
  assert.match(await text(simulator.extraction), /Shown for the last readable token/);
  assert.equal(await simulator.token.inputValue(), `${token}.x`);
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await simulator.sees('Allowed, if…');

  await simulator.settings('Custom');
  await simulator.claimPath.fill('$.groups[');
  await refusal(simulator.claimPath, /not closed/);
  await simulator.check.getByText('Shown for').waitFor();
  assert.deepEqual(await simulator.elements(), before);
  await simulator.claimPath.fill('$.groups');
  await simulator.sees('Allowed, if…');

  await simulator.resourceName.fill('');
  await isOld('the last complete check');
  await simulator.resourceName.fill('orders-archive');
  await simulator.sees('Denied by rule');

  // What was cleared on purpose is not kept.
  await simulator.identity.getByRole('button', { name: 'Clear' }).click();
  await simulator.check.getByText('Paste a token to see the verdict').waitFor();
  assert.equal(await simulator.mapping.count(), 0);
  assert.equal(await simulator.trace.count(), 0);
});

journey('a token of the service’s provider is verified without being asked', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.pick('Jonas Lindqvist');
  await simulator.says('Signature verified');
  await simulator.says('The audience streams is the one that the service accepts.');
  // Every check passed, so the verdict rests on nothing.
  await simulator.ask({ operation: 'Write', name: 'payments-eu' });
  await simulator.sees('Allowed');
  await until(async () => assert.match(await text(simulator.assumptions), /^Assumptions None Signature verified with key /));
  const token = await simulator.token.inputValue();
  assert.deepEqual(await watched.leaks(page, token), [], 'nothing of it is sent');
  // With another claim, the signature is not that of the token, and the service would refuse it.
  const [head, payload, signature] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url')), groups: ['payments-admins'] };
  const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
  await simulator.token.fill([head, forged, signature].join('.'));
  await simulator.sees('Denied: sign-in fails', /The signature is not valid/);
});

journey('an expired token is denied, and can be answered for as if it were not', async ({ page, context }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
  // In the middle of a minute.
  await context.clock.setFixedTime((exp + 90 * 60 + 30) * 1000);
  await simulator.sees('Denied: sign-in fails', /The token expired 90 min ago\. Get a new token/);
  await simulator.checks.getByText(/^Expired 1 h ago/).waitFor();
  await simulator.check.getByRole('button', { name: 'Ignore the expiry' }).click();
  await simulator.sees('Allowed, if…');
  assert.match((await simulator.reasons()).Expired, /ignores the expiry/);
  await simulator.check.getByRole('button', { name: 'Apply the expiry' }).click();
  await simulator.sees('Denied: sign-in fails');
});

journey('groups by hand give the same verdict as a token', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
  await simulator.user.fill('maya.okafor');
  await simulator.groups.fill('engineering\nanalytics\na, b');
  await simulator.ask({ operation: 'Write', name: 'orders-archive' });
  await simulator.sees('Denied by rule');
  assert.deepEqual(await simulator.decidedBy(), ['Group:analytics', 'Deny Write, topic orders-archive literal']);
  assert.deepEqual(
    (await simulator.elements()).map(([, , principal]) => principal),
    ['Group:analytics', 'Group:engineering', 'Group:a, b'],
  );
  await simulator.groups.fill('engineering');
  await simulator.sees('Allowed');
  await simulator.user.fill('root');
  await simulator.sees('Allowed', /User:root is a superuser/);

  // The token that was entered before is still there.
  await simulator.identity.getByRole('radio', { name: 'Token', exact: true }).check();
  await simulator.enter(await set.provider.token('tom.weber'));
  await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
  assert.equal(await simulator.groups.inputValue(), 'engineering');
  await simulator.identity.getByRole('radio', { name: 'Token', exact: true }).check();
  await simulator.sees('Denied by rule', /User:tom\.weber/);
});

journey('a changed membership counts with the next token only', async ({ page, t }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const before = await set.provider.token('tom.weber');
  set.provider.setGroups('tom.weber', ['engineering']);
  t.after(() => set.provider.setGroups('tom.weber', PEOPLE['tom.weber'].groups));
  await simulator.enter(before);
  await simulator.ask({ operation: 'Write', name: 'orders-archive' });
  await simulator.sees('Denied by rule');
  await simulator.token.fill(await set.provider.token('tom.weber'));
  await simulator.sees('Allowed, if…');
});

journey('settings that the service changed are in force at the next reading', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('jonas.lindqvist'));
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied by rule');
  await set.service.setProperties({ nested_group_behavior: 'suffix' });
  try {
    await page.getByRole('button', { name: /Refresh/ }).click();
    await simulator.sees('Allowed, if…');
    assert.deepEqual(await simulator.decidedBy(), [
      'groups[0] and groups[1]',
      'Group:payments',
      'Role:PaymentsWriters',
      'Allow Write, topic payments- prefixed',
    ]);
  } finally {
    await set.service.setProperties({ nested_group_behavior: 'none' });
  }
});
