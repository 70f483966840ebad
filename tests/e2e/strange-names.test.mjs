// Names of 300 letters, right-to-left, combining, emoji and hidden characters: every page and every suggestion shows them, whole and
// harmless.

import assert from 'node:assert/strict';
import { isAccessible } from './support/axe.mjs';
import { heading, text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { FINDINGS, MATRIX, Permissions, WHO_CAN } from './support/permissions.mjs';
import { Draft, REVIEW } from './support/review.mjs';
import { Role, Roles, addressOf } from './support/roles.mjs';
import { Search } from './support/search.mjs';
import { SIMULATOR, Simulator } from './support/simulator.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage();

/** Each kind of name: as it is stored, and as it is shown. */
const NAMES = {
  long: ['l'.repeat(300), 'l'.repeat(300)],
  words: [Array.from({ length: 60 }, (_, n) => `w${n}`).join('-'), Array.from({ length: 60 }, (_, n) => `w${n}`).join('-')],
  rtl: ['مجموعة-المدفوعات', 'مجموعة-المدفوعات'],
  hebrew: ['צוות/תשלומים (eu)', 'צוות/תשלומים (eu)'],
  combining: [`e\u0301quipe-${'a\u0351\u0352\u0353'.repeat(12)}`, `e\u0301quipe-${'a\u0351\u0352\u0353'.repeat(12)}`],
  emoji: ['👩‍👩‍👧‍👦-🏳️‍🌈-team', undefined],
  hidden: ['pay\u202estnem\u200b\u0007', 'payU+202EstnemU+200BU+0007'],
};
/** Characters that nobody sees, or that turn what stands around them. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const WIDTHS = [1440, 1024, 390];

const cut = (name, most) => [...name].slice(0, most).join('');
/** The name of a role: at most 128 letters, without control characters. */
const roleOf = (kind) => cut(NAMES[kind][0].replaceAll(/\p{Cc}/gu, ''), 128);

const acl = (principal, name, more = {}) => ({
  resource_type: 'RESOURCE_TYPE_GROUP',
  resource_name: name,
  resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
  principal,
  host: '*',
  operation: 'OPERATION_READ',
  permission_type: 'PERMISSION_TYPE_ALLOW',
  ...more,
});
const TOPIC = { resource_type: 'RESOURCE_TYPE_TOPIC', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED', operation: 'OPERATION_WRITE' };
const DENY = { permission_type: 'PERMISSION_TYPE_DENY' };

let filled;

/** Puts each name into every place of a policy that a name can have, once. */
const fill = () => (filled ??= put());

async function put() {
  const before = await set.service.policy();
  const kinds = Object.keys(NAMES);
  const roles = kinds.map((kind) => ({
    name: roleOf(kind),
    members: [{ principal: `Group:${NAMES[kind][0]}` }, { principal: `User:${NAMES[kind][0]}` }],
  }));
  const acls = kinds.flatMap((kind) => {
    const name = NAMES[kind][0];
    return [
      acl(`Role:${roleOf(kind)}`, name),
      acl(`Role:${roleOf(kind)}`, cut(name, 80), TOPIC),
      acl(`Group:${name}`, name, DENY),
      acl(`User:${name}`, cut(name, 80), TOPIC),
    ];
  });
  await set.service.putPolicy({ ...before, roles: [...before.roles, ...roles], acls: [...before.acls, ...acls] });
}

/** Nothing is wider than the page at any width, no hidden character stands in its text, and axe finds nothing. */
async function isSafe(page, state, { atEnd = false } = {}) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { scroll, client, words, wide } = await page.evaluate(() => {
      const root = document.scrollingElement;
      const isWide = (element) =>
        element.getBoundingClientRect().right > root.clientWidth + 1 && !element.closest('.scroll, #nav, pre, .tabs');
      return {
        scroll: root.scrollWidth,
        client: root.clientWidth,
        words: `${document.title}\n${document.body.textContent}`,
        wide: [...document.querySelectorAll('main *, dialog *')].filter(isWide).map((one) => `${one.tagName}.${one.className}`),
      };
    });
    assert.ok(scroll <= client, `${state}, ${width} px: ${scroll} px in ${client} px: ${wide.slice(0, 5).join(', ')}`);
    const found = words.match(HIDDEN);
    assert.equal(found, null, `${state}: hidden character ${found?.[0].codePointAt(0).toString(16)} in ${JSON.stringify(words.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 20))}`);
  }
  await isAccessible(page, state, { atEnd });
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** The names of links and buttons hold no hidden character either. */
async function areNamesSafe(page, state) {
  const names = await page.evaluate(() =>
    [...document.querySelectorAll('[aria-label], [title], [placeholder], option')].map(
      (one) => `${one.ariaLabel ?? ''} ${one.title ?? ''} ${one.placeholder ?? ''} ${one.tagName === 'OPTION' ? one.label : ''}`,
    ),
  );
  const bad = names.filter((name) => HIDDEN.test(name));
  assert.deepEqual(bad, [], `${state}: names with hidden characters`);
}

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
    await fill();
    await open(page);
    await isSafe(page, name);
    await areNamesSafe(page, name);
  });
}

for (const kind of Object.keys(NAMES)) {
  journey(`${kind} names: the role, its draft and the review`, async ({ page }) => {
    await fill();
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
  await fill();
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
  await fill();
  const simulator = new Simulator(page);
  await page.goto(SIMULATOR);
  const groups = Object.values(NAMES).map(([name]) => name);
  await simulator.token.fill(JSON.stringify({ sub: NAMES.rtl[0], groups }));
  await page.getByRole('button', { name: 'Read it as claims' }).click();
  await until(async () => assert.match(await text(page.getByRole('main')), /payU\+202Estnem/));
  await isSafe(page, 'the simulator', { atEnd: true });
  await areNamesSafe(page, 'the simulator');
});
