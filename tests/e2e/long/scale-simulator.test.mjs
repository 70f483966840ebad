// The simulator over 100,000 ACLs, with a token of 200 groups: a keystroke, a person's permissions, the least grant, the fixes. Times
// are told, not judged; `cargo xtask pages` prints them.

import assert from 'node:assert/strict';
import { Fixes } from '../support/fixes.mjs';
import { stage } from '../support/journey.mjs';
import { MainThread, median, tell } from '../support/measure.mjs';
import { part } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ own: true });
const ACLS = 100_000;
const GROUPS = 200;
const ROUNDS = 9;
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const team = (n) => `team-${String(n).padStart(5, '0')}`;

/** 10,000 teams with a role and ten ACLs each; every fifth team's group is in the token below. */
function largePolicy(policy) {
  const names = Array.from({ length: ACLS / 10 }, (_, n) => team(n));
  const roles = names.map((name) => ({ name, members: [{ principal: `Group:${name}` }] }));
  const acls = names.flatMap((name, n) =>
    Array.from({ length: 10 }, (_, k) => ({
      resource_type: ['RESOURCE_TYPE_TOPIC', 'RESOURCE_TYPE_GROUP', 'RESOURCE_TYPE_SUBJECT'][k % 3],
      resource_name: k < 3 ? `${name}.` : `${name}.stream-${k}`,
      resource_pattern_type: k < 3 ? 'RESOURCE_PATTERN_TYPE_PREFIXED' : 'RESOURCE_PATTERN_TYPE_LITERAL',
      principal: k % 2 ? `Role:${name}` : `Group:${name}`,
      host: '*',
      operation: ['OPERATION_READ', 'OPERATION_WRITE', 'OPERATION_DESCRIBE'][k % 3],
      permission_type: (n + k) % 53 ? 'PERMISSION_TYPE_ALLOW' : 'PERMISSION_TYPE_DENY',
    })),
  );
  return { ...policy, roles, acls };
}

/** Counts the clicks on the page from now on; gives their number, when called. */
async function clicks(page) {
  await page.evaluate(() => {
    window.clicks = 0;
    addEventListener('click', ({ isTrusted }) => (window.clicks += Number(isTrusted)), true);
  });
  return () => page.evaluate(() => window.clicks);
}

const claims = {
  sub: 'maya',
  exp: 9_000_000_000,
  groups: Array.from({ length: GROUPS }, (_, n) => team(n * 5)),
};

const tokenOf = (claims) =>
  `${encode({ alg: 'RS256', typ: 'JWT', kid: 'k' })}.${encode(claims)}.${Buffer.alloc(256, 7).toString('base64url')}`;

journey('100,000 ACLs and 200 groups: a keystroke, permissions, least grant, fixes', { clipboard: true }, async ({ page, context, t }) => {
  // A service that is built for debugging takes its time for a policy of this size.
  context.setDefaultTimeout(60_000);
  await set.service.putPolicy(largePolicy(await set.service.policy()));
  const simulator = new Simulator(page);
  await simulator.open();
  await page.getByText('evaluated in this browser on 100,000 ACLs and 10,000 roles.').waitFor();
  // The service accepts the issuer and audience of its demo.
  const [, payload] = (await set.service.people())[0].token.split('.');
  const { iss, aud } = JSON.parse(Buffer.from(payload, 'base64url'));
  const tokenFor = (iat) => tokenOf({ ...claims, iss, aud, iat });
  await simulator.token.fill(tokenFor(1_700_000_000));
  await simulator.ask({ operation: 'Read', name: `${team(5)}.x` });
  await simulator.sees('Allowed, if…');

  const thread = await MainThread.of(page, context);
  // A whole paste: from an empty field to the painted verdict.
  const heading = simulator.check.getByRole('heading', { level: 3 });

  const pastes = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Another token each time, of the same size.
    const pasted = tokenFor(1_700_000_001 + round);
    await simulator.identity.getByRole('button', { name: 'Clear' }).click();
    await simulator.check.getByText('Paste a token to see the verdict').waitFor();
    await page.evaluate((words) => navigator.clipboard.writeText(words), pasted);
    await simulator.token.focus();
    pastes.push(await thread.spent(() => page.keyboard.press('ControlOrMeta+V')));
    // Not waited for: it was painted.
    assert.equal(await heading.innerText(), 'Allowed, if…');
    const { length } = await simulator.elements();
    assert.ok(length > 0 && length <= 50, `${length} rows`);
  }

  // The last letter decides: `team-00005.` is a prefix that a group of the token reads, `team-00005` is none. Every key turns
  // the verdict.
  await simulator.resourceName.fill(team(5));
  await simulator.sees('Denied, nothing allows it');
  await simulator.resourceName.press('End');
  const [keys, evaluations] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [key, verdict] of [['.', 'Allowed, if…'], ['Backspace', 'Denied, nothing allows it']]) {
      keys.push(await thread.spent(() => page.keyboard.press(key)));
      // Not waited for: it was painted.
      assert.equal(await heading.innerText(), verdict);
      evaluations.push(await thread.noted('simulator: verdict'));
    }
  }

  // The least grant, worked out anew for each name.
  await simulator.resourceName.fill(`${team(6)}.x`);
  const ways = await part(page, 'Smallest change');
  const [least, leasts] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const name = team(6 + round * 5);
    least.push(await thread.spent(() => simulator.resourceName.fill(`${name}.x`)));
    assert.match(await ways.innerText(), new RegExp(`Group:${name}`));
    leasts.push(await thread.noted('simulator: smallest change'));
  }

  // From the denied request to its reviewed draft.
  await simulator.resourceName.fill(`${team(7)}.x`);
  await simulator.sees('Denied, nothing allows it');
  const counted = await clicks(page);
  const first = new Fixes(page, simulator);
  await first.open.click();
  await first.add(1);
  await first.draft.waitFor();
  await until(async () => assert.match(await first.draft.innerText(), /operations? gained by/));
  const toDraft = await counted();
  await first.sheet.getByRole('button', { name: 'Remove fix 1 from the draft', exact: true }).click();
  await page.keyboard.press('Escape');

  // The fixes with their effects, worked out anew for each name that a group of somebody else reads.
  const fixes = new Fixes(page, simulator);
  const [sheet, sheets] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const name = team(7 + round * 5);
    await simulator.resourceName.fill(`${name}.x`);
    await simulator.sees('Denied, nothing allows it');
    sheet.push(await thread.spent(() => fixes.open.click()));
    assert.match((await fixes.all())[0], new RegExp(`to Role:${name}$|^Add an ACL to Role:`));
    sheets.push(await thread.noted('simulator: fixes'));
    await page.keyboard.press('Escape');
  }

  // The access of one user compared with a user without access: the page lists everything that the groups allow.
  const compare = await part(page, 'Compare users');
  await compare.getByRole('radio', { name: 'Groups by hand' }).check();
  const people = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await compare.getByRole('textbox', { name: 'Name of the other user' }).fill(`somebody-${round}`);
    await until(async () => assert.match(await compare.innerText(), new RegExp(`User:somebody-${round}\\b`)));
    people.push(await thread.noted('simulator: two people'));
  }

  const rows = [
    ['a paste to its verdict: all of the main thread, until it is painted', median(pastes), 50],
    ['a keystroke to its new verdict: all of the main thread, until it is painted', median(keys), 16],
    ['of that, the evaluation', median(evaluations), 16],
    ['the comparison of two users', median(people), 100],
    ['the least grant', median(leasts), 500],
    ['the least grant from a keystroke: all of the main thread, until it is painted', median(least), 500],
    ['the fixes of a denied request, with their effects', median(sheets), 200],
    ['the sheet with the fixes, from a click: all of the main thread, until it is painted', median(sheet), 200],
    ['from a denied request to its reviewed draft', `${toDraft} clicks`, '2 clicks'],
  ];
  assert.equal(toDraft, 2);
  tell(t, rows);
});
