// Names of 300 letters, right-to-left, combining, emoji and hidden characters: every page and every suggestion shows them, whole and
// harmless.

import assert from 'node:assert/strict';
import { heading, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { NAMES, areNamesSafe, cut, fill, isSafe, roleOf } from '../support/names.mjs';
import { FINDINGS, MATRIX, WHO_CAN, Permissions } from '../support/permissions.mjs';
import { REVIEW, Draft } from '../support/review.mjs';
import { Role, Roles, addressOf } from '../support/roles.mjs';
import { Search } from '../support/search.mjs';
import { SIMULATOR, Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ own: true });

const places = {
  roles: async (page) => new Roles(page).open(),
  permissions: async (page) => new Permissions(page).open(),
  'permissions, a user': async (page) => {
    await new Permissions(page).open(`?search=${encodeURIComponent('^User:pay.stnem')}`);
    await page.getByRole('table', { name: /^ACLs that apply to User:pay/ }).waitFor();
  },
  'permissions, a group': async (page) => {
    await new Permissions(page).open('?search=%5EGroup%3Al%2B%24');
    await page.getByRole('table', { name: /^ACLs that apply to Group:lll/ }).waitFor();
  },
  matrix: async (page) => {
    await page.goto(`${MATRIX}?of=${encodeURIComponent(`User:${NAMES.hidden[0]}`)}`);
    await page.getByRole('button', { name: /^Read on Consumer group/ }).first().waitFor();
  },
  'who can': async (page) => {
    await page.goto(`${WHO_CAN}?operation=read&type=group&name=${encodeURIComponent(NAMES.long[0])}`);
    await page.getByRole('table', { name: /^Who can/ }).waitFor();
  },
  findings: async (page) => {
    await page.goto(FINDINGS);
    await page.getByRole('link', { name: /^Findings \d/ }).waitFor();
  },
  settings: async (page) => {
    await page.goto('/security/settings');
    await page.getByText('Groups and roles can be used without a limit.').waitFor();
  },
  audit: async (page) => {
    for (const [name] of Object.values(NAMES)) {
      await set.service.ask('POST', '/access/v1/evaluation', {
        body: {
          subject: { type: 'user', id: name, properties: { groups: [name] } },
          action: { name: 'read' },
          resource: { type: 'group', id: name },
        },
      });
    }
    await page.goto('/security/audit?limit=300');
    await page.getByRole('table', { name: 'Audit events, newest first' }).waitFor();
  },
  'audit, a change': async (page) => {
    await page.goto('/security/audit?kind=change&limit=300');
    const button = page.getByRole('button', { name: /^Evidence of the change of / }).first();
    await button.click();
    await page.getByRole('heading', { name: 'After' }).waitFor();
  },
  exchange: async (page) => {
    await page.goto('/security/exchange');
    await heading(page, 'Import and export').waitFor();
  },
};

for (const [name, open] of Object.entries(places)) {
  journey(`${name}: names of every kind`, async ({ page }) => {
    await fill(set.service);
    await open(page);
    await isSafe(page, name);
    await areNamesSafe(page, name);
  });
}

// The ordinary run has the hidden ones.
for (const kind of Object.keys(NAMES).filter((kind) => kind !== 'hidden')) {
  journey(`${kind} names: the role, its draft and the review`, async ({ page }) => {
    await fill(set.service);
    const role = new Role(page, roleOf(kind));
    await page.goto(addressOf(role.name));
    await role.memberForm.waitFor();
    await isSafe(page, `the role, ${kind}`);
    await areNamesSafe(page, `the role, ${kind}`);
    await role.members.getByRole('button', { name: /^Remove Group:/ }).click();
    await role.acls.getByRole('button', { name: /^Remove ACL/ }).first().click();
    await new Draft(page).review().then((review) => review.people());
    await isSafe(page, `the review, ${kind}`);
    await areNamesSafe(page, `the review, ${kind}`);
    await page.goto(REVIEW);
    await page.getByRole('heading', { level: 1, name: 'Review 2 changes' }).waitFor();
  });
}

journey('names of every kind in every suggestion', async ({ page }) => {
  await fill(set.service);
  const [roles, search] = [new Roles(page), new Search(page)];
  await roles.open();
  // The search finds each by what is typed of it, and shows it as every page does.
  for (const [kind, [stored]] of Object.entries(NAMES)) {
    const typed = kind === 'hidden' ? 'stnem' : cut(stored, 6);
    await search.open();
    await page.keyboard.insertText(typed);
    await until(async () => assert.ok((await search.group('Principals')).length >= 2, kind));
    await isSafe(page, `the search, ${kind}`);
    await search.close();
  }
  // A question about one, and its answer.
  await search.open();
  await page.keyboard.insertText('who can read group stnem');
  await until(async () => assert.ok((await text(search.answer.first())).length > 0));
  await isSafe(page, 'the search, an answer');
  await search.close();

  // The known names that an ACL covers.
  const role = new Role(page, 'PaymentsWriters');
  await role.open();
  await role.resourceType.selectOption({ label: 'Consumer group' });
  await role.aclForm.getByText('All names', { exact: true }).or(role.aclForm.getByRole('radio', { name: 'Any' })).first().click();
  await isSafe(page, 'the names that an ACL covers');
  // A name that is nearly another one is offered.
  await role.memberName.fill(`Group:${NAMES.combining[0].toUpperCase()}`);
  await isSafe(page, 'a name that is nearly another one');
});

journey('names of every kind in the simulator', async ({ page }) => {
  await fill(set.service);
  const simulator = new Simulator(page);
  await page.goto(SIMULATOR);
  const groups = Object.values(NAMES).map(([name]) => name);
  await simulator.token.fill(JSON.stringify({ sub: NAMES.rtl[0], groups }));
  await page.getByRole('button', { name: 'Read it as claims' }).click();
  await page.getByRole('button', { name: 'Show them' }).click();
  await until(async () => assert.match(await text(page.getByRole('main')), /payU\+202Estnem/));
  await isSafe(page, 'the simulator', { atEnd: true });
  await areNamesSafe(page, 'the simulator');
});
