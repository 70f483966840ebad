// WCAG 2.2 AA on every route: axe in both themes and in every state, then what axe cannot see.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { descriptions, refusal } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { REVIEW, Draft } from '../support/review.mjs';
import { ROLES, Role, Roles, addressOf } from '../support/roles.mjs';
import { SIMULATOR, Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });
/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };
const ANYTHING = { tolerates: [/./] };

/** The routes that have no file of journeys of their own to name them. */
const OTHERS = [
  '/security/permissions',
  '/security/exchange',
  '/security/compare',
  '/security/settings',
  '/security/audit',
  '/connection',
  REVIEW,
];

const SMALL = { viewport: { width: 360, height: 740 } };

/** Each state of each route: how it is reached. */
const states = {
  'roles, filled': async (page) => new Roles(page).open(),
  'roles, no match': async (page) => {
    const roles = new Roles(page);
    await roles.open();
    await roles.search.fill('no such role');
    await page.getByRole('heading', { name: 'No roles match your search' }).waitFor();
  },
  'roles, creating, with an error': async (page) => {
    const roles = new Roles(page);
    await roles.open();
    await roles.openCreation();
    await isAccessible(page, 'roles, creating');
    await roles.newName.fill('a,b');
    await refusal(roles.newName, /,/);
  },
  'roles, deleting': async (page) => {
    const roles = new Roles(page);
    await roles.open();
    await (await roles.openDeletion('PaymentsWriters')).dialog.waitFor();
  },
  'role, filled': async (page) => new Role(page, 'PaymentsWriters').open(),
  'role, empty': async (page) => {
    await set.service.createRole('Empty');
    await new Role(page, 'Empty').open();
    await page.getByRole('heading', { name: 'No members yet' }).waitFor();
  },
  'role, missing': async (page) => {
    await page.goto(addressOf('no such role'));
    await page.getByRole('heading', { name: 'Role not found' }).waitFor();
  },
  'role, with errors': async (page) => {
    const role = new Role(page, 'PaymentsWriters');
    await role.open();
    await role.memberName.fill('User:Group:eng');
    await refusal(role.memberName, /Group:eng/);
    await role.host.fill('10.0.0.0/8');
    await role.addAcls.click();
    await refusal(role.host, /range/);
  },
  'role, removing a principal': async (page) => {
    const role = new Role(page, 'PaymentsWriters');
    await role.open();
    await role.removeMember('Group:payments');
    await role.addMember('Group:auditors');
    await role.addAcl({ pattern: 'Prefixed', name: 'refunds-', operations: ['Read', 'Write'] });
    await role.member('Group:auditors').getByText('Added').waitFor();
  },
  'review, filled': async (page) => {
    const role = new Role(page, 'PaymentsWriters');
    await role.open();
    await role.removeMember('Group:payments');
    await role.addMember('Group:auditors');
    await role.addAcl({ pattern: 'Prefixed', name: 'refunds-', operations: ['Read', 'Write'] });
    await (await new Draft(page).review()).people();
  },
  'review, a deny that stops applying': async (page) => {
    await set.service.addMembers('Guarded', 'Group:guarded');
    await set.service.createAcl({
      resource_type: 'RESOURCE_TYPE_TOPIC',
      resource_name: 'vault-',
      resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
      principal: 'Role:Guarded',
      host: '*',
      operation: 'OPERATION_WRITE',
      permission_type: 'PERMISSION_TYPE_DENY',
    });
    const role = new Role(page, 'Guarded');
    await role.open();
    await role.removeMember('Group:guarded');
    await (await new Draft(page).review()).people();
    await page.getByRole('table', { name: 'Denies that stop applying, with the reasons' }).waitFor();
  },
  'review, nothing': async (page) => {
    await page.goto(REVIEW);
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
  },
  'role, a preset': async (page) => {
    const role = new Role(page, 'PaymentsWriters');
    await role.open();
    await role.preset.selectOption({ label: 'Streams application' });
    await role.aclForm.getByRole('textbox').first().waitFor();
  },
  'simulator, empty': async (page) => new Simulator(page).open(),
  'simulator, denied by rule': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.pick('Jonas Lindqvist');
    await simulator.ask({ operation: 'Write', name: 'payments-settled' });
    await simulator.sees('Denied by rule');
    await simulator.trace.getByRole('radio', { name: /^All/ }).check();
  },
  'simulator, allowed, verified': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.enter(await set.provider.token('maya.okafor'));
    await simulator.ask({ operation: 'Write', name: 'orders-2026' });
    await simulator.sees('Allowed, if…');
    await simulator.verify({ keys: await set.provider.keys(), issuer: set.provider.issuer, audience: set.provider.audience });
    await simulator.says('Signature verified');
  },
  'simulator, sign-in fails': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.token.fill(await set.provider.token('maya.okafor'));
    await simulator.ask({ operation: 'Write', name: 'orders-2026' });
    await simulator.sees('Denied: sign-in fails');
  },
  'simulator, with warnings': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.pick('Priya Raman');
    await simulator.ask({ operation: 'Write', name: 'x' });
    await simulator.sees('Denied, nothing allows it');
  },
  'simulator, with errors, what if, old result': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.pick('Jonas Lindqvist');
    await simulator.ask({ operation: 'Write', name: 'payments-eu' });
    await simulator.sees('Allowed');
    await simulator.settings('Custom');
    await page.getByRole('radio', { name: 'suffix' }).check();
    await simulator.claimPath.fill('$.groups[');
    await simulator.host.fill('10.0.0.0/8');
    await refusal(simulator.claimPath, /not closed/);
    await refusal(simulator.host, /range/);
  },
  'simulator, by hand': async (page) => {
    const simulator = new Simulator(page);
    await simulator.open();
    await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
    await simulator.groups.fill('engineering');
  },
  'permissions, filled': async (page) => {
    await page.goto('/security/permissions');
    await page.getByRole('heading', { level: 1, name: 'Permissions' }).waitFor();
    await page.getByText('Group:').first().waitFor();
  },
  'import and export': async (page) => {
    await page.goto('/security/exchange');
    await page.getByRole('heading', { level: 1, name: 'Import and export' }).waitFor();
  },
  'settings, filled': async (page) => {
    await page.goto('/security/settings');
    await page.getByText('Groups and roles can be used without a limit.').waitFor();
    await page.getByRole('button', { name: /^Loggers/ }).click();
    await page.getByRole('button', { name: /^Managed cloud/ }).click();
    await page.getByRole('button', { name: 'Set level' }).waitFor();
  },
  'settings, with a preview': async (page) => {
    await page.goto('/security/settings');
    const path = page.getByRole('textbox', { name: 'Claim path' });
    await path.waitFor();
    await page.getByRole('textbox', { name: /^Tokens, one/ }).fill(await set.provider.token('jonas.lindqvist'));
    await page.getByRole('radio', { name: 'suffix' }).check();
    await page.getByRole('table', { name: 'Access gained and lost by the change' }).waitFor();
  },
  'settings, with errors': async (page) => {
    await page.goto('/security/settings');
    const path = page.getByRole('textbox', { name: 'Claim path' });
    await path.fill('$.groups[');
    await refusal(path, /not closed/);
    await page.getByRole('button', { name: /^Managed cloud/ }).click();
    await page.getByRole('textbox', { name: 'Attributes (JSON)' }).fill('{');
    await page.getByRole('textbox', { name: /^Tokens, one/ }).fill('no token');
  },
  'audit, filled, with an event open': async (page) => {
    await page.goto('/security/audit?limit=100');
    const button = page.getByRole('button', { name: /^JSON of the event/ }).first();
    await button.click();
    await page.getByRole('region', { name: 'Event', exact: true }).waitFor();
  },
  'audit, a change': async (page) => {
    await set.service.addMembers('PaymentsWriters', 'Group:audited');
    await page.goto('/security/audit?kind=change');
    await page.getByRole('button', { name: /^Evidence of the change of / }).first().click();
    await page.getByRole('region', { name: 'Event', exact: true }).waitFor();
  },
  'audit, a denied decision': async (page) => {
    await set.service.ask('POST', '/access/v1/evaluation', {
      body: {
        subject: { type: 'user', id: 'audited', properties: { groups: ['audited'] } },
        action: { name: 'write' },
        resource: { type: 'topic', id: 'audited' },
      },
    });
    await page.goto('/security/audit?kind=decision');
    await page.getByRole('link', { name: /^Check in simulator/ }).first().waitFor();
  },
  'audit, no match': async (page) => {
    await page.goto('/security/audit?user=nobody-at-all');
    await page.getByRole('heading', { name: 'No events match the filter' }).waitFor();
  },
  'connection, filled': async (page) => {
    await page.goto('/connection');
    await page.getByText('Connected', { exact: true }).waitFor();
  },
  'connection, with errors and a failed test': async (page) => {
    await page.goto('/connection');
    const form = page.getByRole('form', { name: 'Connect' });
    await form.getByRole('button', { name: 'Sign in' }).waitFor();
    await form.getByRole('textbox', { name: 'User' }).fill('User:admin');
    await form.getByRole('button', { name: 'Sign in' }).click();
    await refusal(form.getByRole('textbox', { name: 'User' }), /no colon/);
    await form.getByRole('textbox', { name: 'User' }).fill('nobody');
    await form.getByLabel('Password').fill('wrong');
    await form.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('region', { name: 'Result of the test' }).waitFor();
  },
  'a page that is not there': async (page) => {
    await page.goto('/no/such/page');
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
};

/** The states by page, so that no journey takes too long on a loaded machine. */
const PARTS = { roles: /^(role|roles|review),/, simulator: /^simulator,/, others: /^(?!roles?,|review,|simulator,)/ };

for (const colorScheme of ['light', 'dark']) {
  for (const [part, wanted] of Object.entries(PARTS)) {
    journey(`axe finds nothing, ${part}, ${colorScheme}`, { colorScheme, ...AWAY }, async ({ page }) => {
      const ran = new Set();
      // Each state begins without the draft of the one before.
      await page.addInitScript(() => sessionStorage.clear());
      for (const [state, reach] of Object.entries(states).filter(([state]) => wanted.test(state))) {
        await reach(page).catch((error) => assert.fail(`${state} is not reached: ${error.stack}`));
        (await isAccessible(page, `${state}, ${colorScheme}`)).forEach((id) => ran.add(id));
      }
      for (const id of ['target-size', 'color-contrast', 'label', 'page-has-heading-one', 'region', 'button-name']) {
        assert.ok(ran.has(id), `axe looked at ${id}`);
      }
      // The system's theme is the one that was looked at.
      const luminance = await page.evaluate(() =>
        getComputedStyle(document.body)
          .backgroundColor.match(/[\d.]+/g)
          .slice(0, 3)
          .map(Number),
      );
      assert.equal(Math.max(...luminance) < 128, colorScheme === 'dark', `${luminance}`);
    });
  }
}

journey('axe finds nothing while the service is away', AWAY, async ({ page, context }) => {
  await context.route(/\/(gbac|v1|demo)\//, (route) => route.abort('connectionrefused'));
  for (const path of [ROLES, addressOf('PaymentsWriters'), SIMULATOR, ...OTHERS]) {
    await page.goto(path);
    await page.getByRole('heading', { name: "Can't reach the service" }).waitFor();
    await isAccessible(page, `${path}, away`);
  }
});

journey('axe finds nothing on a small screen', { ...SMALL, ...AWAY }, async ({ page }) => {
  for (const state of [
    'roles, filled',
    'roles, deleting',
    'role, filled',
    'simulator, denied by rule',
    'simulator, with errors, what if, old result',
    'settings, with a preview',
    'audit, filled, with an event open',
    'audit, a change',
    'audit, a denied decision',
    'connection, with errors and a failed test',
  ]) {
    await states[state](page);
    // At its end the page shows all that the bar with the verdict covers elsewhere.
    await isAccessible(page, `${state}, 360 px`, { atEnd: true });
  }
});

journey('what has focus is not hidden under the bar with the verdict', SMALL, async ({ page }) => {
  await states['simulator, denied by rule'](page);
  const bar = page.getByRole('region', { name: 'Verdict in short' });
  await bar.waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  const start = page.getByRole('link', { name: 'GBAC' });
  await start.focus();
  const stops = new Set();
  for (let at = 0; at < 60; at += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      const shown = element.matches('input[type=radio]') ? element.labels[0] : element;
      const { left, right, top, bottom } = shown.getBoundingClientRect();
      const points = [
        [(left + right) / 2, top + 3],
        [(left + right) / 2, bottom - 3],
        [left + 3, (top + bottom) / 2],
      ];
      const isSeen = points.some(([x, y]) => {
        const hit = document.elementFromPoint(x, y);
        return hit !== null && (shown.contains(hit) || hit.contains(shown));
      });
      return {
        name: element.id || element.getAttribute('aria-label') || element.innerText,
        isSeen,
        isBody: element === document.body,
      };
    });
    if (stop.isBody) break;
    assert.ok(stop.isSeen, `${stop.name} has focus and cannot be seen`);
    stops.add(stop.name);
  }
  for (const id of ['tok', 'op', 'rt', 'rn', 'ho'])
    assert.ok(stops.has(id), `${id} is reached by Tab: ${[...stops].join(', ')}`);
});

journey('a role with a group member is made with the keyboard alone', async ({ page }) => {
  const { keyboard } = page;
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText}`
        .replaceAll(/\s+/g, ' ')
        .trim();
    });
  /** Presses Tab until this has focus; every stop on the way shows where it is. */
  async function tabTo(name, limit = 60) {
    const way = [];
    for (let at = 0; at < limit; at += 1) {
      await keyboard.press('Tab');
      const here = await focused();
      way.push(here);
      assert.ok(await isFocusVisible(page), `focus is seen at ${here}`);
      if (name.test(here)) return;
    }
    assert.fail(`no Tab leads to ${name}: ${way.join(' > ')}`);
  }

  await new Roles(page).open();
  await keyboard.press('Tab');
  assert.match(await focused(), /Skip to content/);
  await keyboard.press('Enter');
  await tabTo(/^button Create role/);
  await keyboard.press('Enter');
  await until(async () => assert.match(await focused(), /^input Role name/));
  // Focus stays in the dialog, and Esc leads back to the button.
  for (let at = 0; at < 8; at += 1) {
    await keyboard.press('Tab');
    assert.ok(
      await page.evaluate(
        () => document.activeElement === document.body || document.activeElement.closest('dialog') !== null,
      ),
      await focused(),
    );
  }
  await keyboard.press('Escape');
  await isDialogGone(page);
  assert.match(await focused(), /^button Create role/);
  await keyboard.press('Enter');
  await until(async () => assert.match(await focused(), /^input Role name/));
  await keyboard.type('KeyboardRole');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'KeyboardRole' }).waitFor();
  await until(async () => assert.match(await focused(), /^h1 KeyboardRole/));

  await tabTo(/^input Name, or paste Group:name/);
  await keyboard.type('Group:engineering');
  await keyboard.press('Enter');
  const role = new Role(page, 'KeyboardRole');
  await role.member('Group:engineering').waitFor();
  assert.match(await focused(), /^input Name, or paste/, 'the field is ready for the next one');

  // An ACL, with the arrow keys for the choices.
  await keyboard.press('Shift+Tab');
  while (!/^select Resource type/.test(await focused())) await keyboard.press('Shift+Tab');
  await tabTo(/^input Literal/);
  await keyboard.press('ArrowRight');
  assert.match(await focused(), /^input Prefixed/);
  await tabTo(/^input Resource name/);
  await keyboard.type('keyboard-');
  await tabTo(/^input Read/);
  await keyboard.press('Space');
  await tabTo(/^button Add ACL/);
  await keyboard.press('Enter');

  // The review, and what it sends.
  const apply = async () => {
    await tabTo(/^a Review/);
    await keyboard.press('Enter');
    await until(async () => assert.match(await focused(), /^h1 Review/));
    await tabTo(/^button Apply/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: /changes? applied$/ }).waitFor();
  };
  await apply();
  assert.deepEqual(await set.service.members('KeyboardRole'), ['Group:engineering']);
  await until(async () =>
    assert.deepEqual(await set.service.acls('Role:KeyboardRole'), [
      'allow read topic prefixed keyboard- from * for Role:KeyboardRole',
    ]),
  );

  // A removal can be taken back where it was made, and focus does not get lost.
  await role.open();
  await role.memberName.focus();
  await tabTo(/^button Remove Group:engineering/);
  await keyboard.press('Enter');
  await until(async () => assert.match(await focused(), /^button Undo removing Group:engineering/));
  await keyboard.press('Enter');
  await until(async () => assert.match(await focused(), /^button Remove Group:engineering/));
  await keyboard.press('Enter');
  await until(async () => assert.match(await focused(), /^button Undo removing Group:engineering/));
  await apply();
  assert.deepEqual(await set.service.members('KeyboardRole'), []);
});

/** Waits until a dialog is out of the page: one that is closed is hidden at once, and goes a little later. */
const isDialogGone = (page) => page.locator('dialog').waitFor({ state: 'detached' });

/** Whether the focused element has an outline or a shadow of its own that it does not have without focus. */
async function isFocusVisible(page) {
  return await page.evaluate(() => {
    const element = document.activeElement;
    if (element === document.body || !element.matches(':focus-visible')) return element === document.body;
    const look = (node) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
      return `${outlineStyle === 'none' ? 0 : outlineWidth} ${boxShadow}`;
    };
    // A radio button may show its focus on its label.
    const shown = [element, element.nextElementSibling, element.parentElement].filter(Boolean);
    return shown.some((node) => !look(node).startsWith('0 none') && look(node) !== '0px none');
  });
}

journey('a change of route moves focus to the heading, and tells the title', async ({ page }) => {
  await new Roles(page).open();
  const focus = () =>
    page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.innerText}`.trim());
  const nav = page.getByRole('navigation', { name: 'Security' });
  await nav.getByRole('link', { name: 'Simulator' }).click();
  await until(async () => assert.equal(await focus(), 'H1 Simulator'));
  assert.equal(await page.title(), 'Simulator - GBAC');
  assert.equal(await nav.getByRole('link', { name: 'Simulator' }).getAttribute('aria-current'), 'page');
  await nav.getByRole('link', { name: 'Roles' }).click();
  await until(async () => assert.equal(await focus(), 'H1 Roles'));
  assert.equal(await page.title(), 'Roles - GBAC');
  await new Roles(page).row('PaymentsWriters').getByRole('link').click();
  await until(async () => assert.equal(await focus(), 'H1 PaymentsWriters'));
  assert.match(await page.title(), /^PaymentsWriters/);
  await page.goBack();
  await until(async () => assert.equal(await focus(), 'H1 Roles'));
  // A change of the search is no change of route: focus stays in the field.
  const roles = new Roles(page);
  await roles.search.fill('pay');
  await page.waitForURL(/name=pay/);
  assert.ok(await roles.search.evaluate((field) => field === document.activeElement));
  await page.goto('/security/permissions/matrix?of=Group%3Apayments');
  await until(async () => assert.equal(await page.title(), 'Matrix of Group:payments - Permissions - GBAC'));
});

journey('a verdict and an error are announced', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const status = page.getByRole('status').filter({ hasText: /./ });
  const says = (words) =>
    until(async () =>
      assert.ok(
        (await status.allInnerTexts()).some((said) => words.test(said)),
        (await status.allInnerTexts()).join('|'),
      ),
    );
  await simulator.pick('Jonas Lindqvist');
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await says(/^Denied by rule: User:jonas\.lindqvist can't write to topic payments-settled/);
  await simulator.host.fill('10.0.0.0/8');
  await says(/10\.0\.0\.0\/8 is not an IP address/);
  assert.ok((await descriptions(simulator.token)).some((words) => /stays in this tab/.test(words)));
});

// WCAG 1.4.10: a page as narrow as a telephone, or a wide one that is enlarged four times.
journey('no page scrolls sideways at 320 px', { viewport: { width: 320, height: 640 } }, async ({ page }) => {
  await areNarrow(page);
});

// WCAG 1.4.4 and 1.4.12: letters twice as large, and everything as far apart as a reader may want it.
for (const [width, size, colorScheme] of [
  [1440, '200%', 'light'],
  [1024, '200%', 'dark'],
  [390, '200%', 'light'],
  [320, '100%', 'dark'],
]) {
  const options = { viewport: { width, height: 800 }, colorScheme, ...AWAY };
  journey(`text of ${size}, set wide, has room at ${width} px`, options, async ({ page }) => {
    await page.addInitScript((size) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`
        html { font-size: ${size} !important; }
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
        p { margin-bottom: 2em !important; }
      `);
      document.adoptedStyleSheets = [sheet];
    }, size);
    await areNarrow(page, async (state) => {
      // As high as the page, so that no bar lies over half of a control.
      // What comes into view gets its own height with the next frame.
      const heightOf = () =>
        page.evaluate(
          () =>
            new Promise((resolve) => {
              const measure = () => resolve(document.documentElement.scrollHeight);
              requestAnimationFrame(() => requestAnimationFrame(measure));
            }),
        );
      for (let [height, next] = [0, await heightOf()]; next > height; next = await heightOf()) {
        height = next;
        await page.setViewportSize({ width, height });
      }
      await isAccessible(page, `${state}, text of ${size} at ${width} px`);
      await page.setViewportSize(options.viewport);
    });
  });
}

/** Looks at each kind of page, and at one with long names; `check` looks at more of each. */
async function areNarrow(page, check = async () => {}) {
  await set.service.addMembers(
    'r'.repeat(128),
    `Group:${'g'.repeat(200)}`,
    'Group:/a/very/long/path/of/many/nested/groups/that/goes/on',
  );
  for (const state of [
    'roles, filled',
    'roles, creating, with an error',
    'roles, deleting',
    'role, filled',
    'role, with errors',
    'role, missing',
    'simulator, empty',
    'simulator, denied by rule',
    'simulator, with warnings',
    'simulator, allowed, verified',
    'settings, with a preview',
    'settings, with errors',
    'audit, filled, with an event open',
    'audit, a change',
    'audit, a denied decision',
    'audit, no match',
    'connection, filled',
    'a page that is not there',
  ]) {
    await states[state](page);
    await isNarrow(page, state);
    await check(state);
  }
  await new Role(page, 'r'.repeat(128)).open();
  await isNarrow(page, 'a role with long names');
  await check('a role with long names');
}

/** Nothing is wider than the page, and nothing that cannot be scrolled is larger than its place. */
async function isNarrow(page, state) {
  const { scroll, client, wide, cut, letters } = await page.evaluate(() => {
    const root = document.scrollingElement;
    const wide = [...document.querySelectorAll('body *')]
      .filter(
        (element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !element.closest('.scroll, #nav'),
      )
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
    const cut = [...document.querySelectorAll('body *:not(input, .sr, .sr *)')]
      .filter((element) => {
        const { overflowX, overflowY } = getComputedStyle(element);
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
        const isCut = (overflow, inner, outer) => /hidden|clip/.test(overflow) && outer > 1 && inner > outer + 1;
        return isCut(overflowX, scrollWidth, clientWidth) || isCut(overflowY, scrollHeight, clientHeight);
      })
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
    // Words that are set one letter a line, except in what only screen readers read.
    const isForReaders = (element) =>
      element && (element.getBoundingClientRect().width <= 1 || isForReaders(element.parentElement));
    const letters = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (isForReaders(parentElement)) continue;
      for (const { 0: word, index } of data.matchAll(/[^\s]{4,40}/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 2 && lines.size >= word.length * 0.75) letters.push(word);
      }
    }
    return { scroll: root.scrollWidth, client: root.clientWidth, wide, cut, letters };
  });
  assert.deepEqual(cut, [], `${state}: cut off`);
  assert.deepEqual(letters, [], `${state}: one letter a line`);
  assert.ok(scroll <= client, `${state}: ${scroll} px in ${client} px: ${wide.slice(0, 5).join(', ')}`);
}

journey('reduced motion is respected', { reducedMotion: 'reduce' }, async ({ page }) => {
  for (const state of ['roles, deleting', 'role, filled', 'simulator, denied by rule']) {
    await states[state](page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, transitionProperty, animationName, animationDuration } = getComputedStyle(element);
        const moves =
          transitionDuration.split(', ').some((time) => parseFloat(time) > 0.01) &&
          !/^(opacity|none)$/.test(transitionProperty);
        const plays = animationName !== 'none' && parseFloat(animationDuration) > 0.01;
        return moves || plays
          ? [
              `${element.tagName.toLowerCase()}.${element.className}: ${transitionProperty} ${transitionDuration} ${animationName}`,
            ]
          : [];
      }),
    );
    assert.deepEqual([...new Set(moving)], [], state);
  }
});

journey('a chosen theme is there before the first paint, and stays', async ({ page }) => {
  await new Roles(page).open();
  await page.getByRole('button', { name: 'Switch to dark' }).click();
  await page.getByRole('button', { name: 'Switch to light' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  await page.goto(SIMULATOR, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.body !== null);
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  await page.getByRole('button', { name: 'Switch to light' }).click();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
});

journey('without scripts the page says what it needs', { javaScriptEnabled: false }, async ({ page }) => {
  await page.goto(SIMULATOR);
  await page.getByRole('heading', { name: 'The console needs scripts' }).waitFor();
});

journey('a program that cannot be loaded leaves a panel', ANYTHING, async ({ page, context }) => {
  await context.route(/\.wasm$/, (route) => route.abort());
  await page.goto(SIMULATOR);
  await page.getByRole('alert').getByRole('heading', { name: 'The console is not running' }).waitFor();
  await page.getByRole('link', { name: 'Load again' }).waitFor();
});
