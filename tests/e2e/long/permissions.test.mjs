// Permissions: every principal, the matrix, who can, and findings, each against what the service holds and decides.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { heading, refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { FINDINGS, MATRIX, PERMISSIONS, WHO_CAN, Permissions, WhoCan } from '../support/permissions.mjs';
import { giveReason } from '../support/review.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage();
/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };

const acl = (principal, operation, name, more = {}) => ({
  resource_type: 'RESOURCE_TYPE_TOPIC',
  resource_name: name,
  resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
  principal,
  host: '*',
  operation: `OPERATION_${operation}`,
  permission_type: 'PERMISSION_TYPE_ALLOW',
  ...more,
});

const PREFIXED = { resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED' };
const DENY = { permission_type: 'PERMISSION_TYPE_DENY' };

journey('every principal is there with its type, direct and inherited ACLs in one place', async ({ page }) => {
  const permissions = new Permissions(page);
  await permissions.open();
  // Users, groups and roles, those in roles only, superusers, and everyone.
  const { roles, acls, settings } = await set.service.policy();
  const everybody = new Set([
    ...acls.map(({ principal }) => principal),
    ...roles.flatMap(({ name, members = [] }) => [`Role:${name}`, ...members.map(({ principal }) => principal)]),
    ...settings.superusers.map((name) => `User:${name}`),
  ]);
  await until(async () => assert.deepEqual((await permissions.names()).sort(), [...everybody].sort()));
  // A group that is in a role only is a group, and what it has through the role is counted.
  assert.match(await permissions.line('Group:payments'), /^IdP group Group:payments 3 ACLs via 1 role$/);
  assert.match(await permissions.line('Group:analytics'), /1 direct ACL, 2 via 1 role 1 deny/);
  assert.match(await permissions.line('User:*'), /1 direct ACL, for every user/);
  assert.match(await permissions.line('User:root'), /Superuser/);
  assert.match(await permissions.line('User:maya.okafor'), /2 direct ACLs, 1 from one host/);
  await until(async () => assert.match(await permissions.line('Group:Engineering'), /Near miss of Group:engineering/));

  const table = await permissions.expand('Group:analytics');
  await until(async () =>
    assert.deepEqual(
      (await permissions.rows(table)).map((row) => row.join(' | ')),
      [
        'Direct 1 ACL of this group itself, not of a role',
        'Topic | orders-archive | literal | Write | Deny | *',
        'Via Role:AnalyticsReaders 2 ACLs, read-only here',
        'Topic | analytics- | prefixed | Read | Allow | *',
        'Consumer group | analytics- | prefixed | Read | Allow | *',
        'Via User:* 1 ACL for every user, read-only here',
        'Topic | status | literal | Read | Allow | *',
      ],
    ),
  );
  // Until when somebody keeps it who leaves it.
  await page.getByText('A user who leaves this group keeps these ACLs until the user’s token expires.').waitFor();
  // A row leads to who else can do the same.
  await table.getByRole('link', { name: 'orders-archive: who can write', exact: true }).click();
  await page.getByRole('table', { name: 'Who can write' }).waitFor();
  assert.match(page.url(), /who-can\?operation=write&type=topic&name=orders-archive$/);
});

journey('twins, an allow beside its deny, and denies across groups and roles are all shown', async ({ page }) => {
  const before = await set.service.policy();
  await set.service.addMembers('Twins', 'Group:twins');
  for (const more of [{}, PREFIXED, DENY, { ...PREFIXED, ...DENY, host: '10.0.0.7' }]) {
    await set.service.createAcl(acl('Group:twins', 'READ', 'twin', more));
  }
  await set.service.createAcl(acl('Role:Twins', 'READ', 'tw', PREFIXED));
  // A role without ACLs is listed too.
  await set.service.addMembers('Nothing', 'Group:twins');
  const permissions = new Permissions(page);
  await permissions.open('?search=%5EGroup%3Atwins%24');
  // The only one that was found is open.
  const table = page.getByRole('table', { name: 'ACLs that apply to Group:twins' });
  await until(async () =>
    assert.deepEqual(
      (await permissions.rows(table)).map((row) => row.join(' | ')).sort(),
      [
        'Direct 4 ACLs of this group itself, not of a role',
        'Topic | tw | prefixed | Read | Allow Blocked on twin and on twin from 10.0.0.7 | *',
        'Topic | twin | literal | Read | Allow Read blocked by a deny | *',
        'Topic | twin | literal | Read | Deny Overrides 3 allows | *',
        'Topic | twin | prefixed | Read | Allow Blocked on twin and on twin from 10.0.0.7 | *',
        'Topic | twin | prefixed | Read | Deny Overrides 3 allows | 10.0.0.7',
        'Via Role:Twins 1 ACL, read-only here',
        'Via Role:Nothing no ACLs',
        'Via User:* 1 ACL for every user, read-only here',
        'Topic | status | literal | Read | Allow | *',
      ].sort(),
    ),
  );
  await set.service.putPolicy(before);
});

journey('a direct ACL of a group is deleted through the draft, and no form makes one', async ({ page }) => {
  const before = await set.service.acls();
  await set.service.createAcl(acl('Group:deleting, now', 'READ', 'gone'));
  await set.service.createAcl(acl('Group:deleting, now', 'READ', 'kept'));
  const permissions = new Permissions(page);
  await permissions.open('?search=deleting');
  await page.getByRole('table', { name: 'ACLs that apply to Group:deleting, now' }).waitFor();
  // The page names the call, quoted for the shell and for the list of the flag, and offers no field for an ACL.
  await page
    .getByText(`gbac security acl create --allow-principal '"Group:deleting, now"' --operation read --topic TOPIC`)
    .waitFor();
  assert.equal(await page.getByRole('button', { name: /create acl|add acl/i }).count(), 0);

  const line = 'Allow Read, topic gone literal';
  const dialog = await permissions.remove(line);
  await dialog.getByRole('heading', { name: 'Change in effective access' }).waitFor();
  assert.match(await text(dialog), /Group:deleting, now Loses Read, Describe, Topic gone literal/);
  await isAccessible(page, 'deleting an ACL');
  // Esc leaves everything as it is, and focus where it was.
  await page.keyboard.press('Escape');
  await until(async () =>
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), `Delete ACL ${line}`),
  );
  await (await permissions.remove(line)).getByRole('button', { name: 'Delete ACL' }).click();
  await page.getByText('Deleted in draft').waitFor();
  const own = () => set.service.acls('Group:deleting, now');
  assert.equal((await own()).length, 2, 'nothing is sent yet');
  // Taken back, and done again.
  await page.getByRole('button', { name: `Keep ACL ${line}` }).click();
  await page.getByText('Deleted in draft').waitFor({ state: 'detached' });
  await (await permissions.remove(line)).getByRole('button', { name: 'Delete ACL' }).click();
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: 'Review 1 change' }).click();
  await giveReason(page);
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await heading(page, '1 change applied').waitFor();
  await until(async () =>
    assert.deepEqual(await own(), ['allow read topic literal kept from * for Group:deleting, now']),
  );

  // All of a principal's at once.
  await set.service.createAcl(acl('Group:deleting, now', 'WRITE', 'more'));
  await permissions.open('?search=deleting');
  await page.getByRole('button', { name: 'Delete all 2 direct ACLs' }).click();
  await page.getByRole('dialog', { name: 'Delete 2 ACLs' }).getByRole('button', { name: 'Delete 2 ACLs' }).click();
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: 'Review 2 changes' }).click();
  await giveReason(page);
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await heading(page, '2 changes applied').waitFor();
  await until(async () => assert.deepEqual(await own(), []));
  assert.deepEqual(await set.service.acls(), before);
});

journey('a direct ACL is edited in place, and the edit is taken back as one', async ({ page }) => {
  const before = await set.service.policy();
  await set.service.createAcl(acl('Group:editing', 'READ', 'old'));
  const permissions = new Permissions(page);
  await permissions.open('?search=%5EGroup%3Aediting%24');
  const line = 'Allow Read, topic old literal';
  await page.getByRole('button', { name: `Edit ACL ${line}`, exact: true }).click();
  const form = page.getByRole('form', { name: `Edit ACL ${line}`, exact: true });
  await form.getByRole('textbox', { name: /^Resource name/ }).fill('new');
  await page.keyboard.press('Enter');
  await page.getByText('Edited in draft').waitFor();
  await page.getByText('becomes Allow Read, topic new literal').waitFor();
  await isAccessible(page, 'an edited ACL');
  await page.getByRole('button', { name: `Undo editing ACL ${line}`, exact: true }).click();
  await page.getByText('Edited in draft').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
  await set.service.putPolicy(before);
});

journey('the search is over principals, resources and roles, and lives in the address', async ({ page }) => {
  const permissions = new Permissions(page);
  await permissions.open();
  const finds = (names) => until(async () => assert.deepEqual((await permissions.names()).sort(), [...names].sort()));
  await permissions.search.fill('schemastew');
  await finds(['Role:SchemaStewards', 'Group:engineering', 'User:jonas.lindqvist']);
  await until(() => assert.match(page.url(), /search=schemastew$/));
  await permissions.search.fill('clickstr');
  await finds(['User:maya.okafor']);
  await permissions.search.fill('^Group:.*pay');
  await finds(['Group:/contractors/payments', 'Group:/eng/payments', 'Group:payments']);
  await page.getByRole('radio', { name: 'With deny' }).check();
  await finds(['Group:/contractors/payments']);
  await page.reload();
  await finds(['Group:/contractors/payments']);
  await page.getByRole('radio', { name: 'Users', exact: true }).check();
  await page.getByRole('heading', { name: 'No principals match your search' }).waitFor();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await until(async () => assert.ok((await permissions.names()).length > 12));
  assert.ok(page.url().endsWith(PERMISSIONS));
  await permissions.search.fill('a(b');
  await page.getByText('Not a regular expression, so searched as plain text').waitFor();
});

journey('the addresses of the platform’s console lead to the same lists', async ({ page }) => {
  const permissions = new Permissions(page);
  const leads = async (from, to) => {
    await page.goto(from);
    await permissions.search.waitFor();
    await until(() => assert.equal(page.url().replace(set.service.origin, ''), to));
  };
  await leads('/security/users?q=maya', `${PERMISSIONS}?search=maya&type=user`);
  await until(async () => assert.deepEqual(await permissions.names(), ['User:maya.okafor']));
  await leads('/security/permissions-list?search=payments', `${PERMISSIONS}?search=payments`);
  await leads('/security/users/Group%3Aanalytics/details', `${PERMISSIONS}?search=%5EGroup%3Aanalytics%24`);
  await page.getByRole('table', { name: 'ACLs that apply to Group:analytics' }).waitFor();
  // Back does not lead into a circle.
  await page.goto('about:blank');
  await page.goto('/security/acls');
  await permissions.search.waitFor();
  await page.goBack();
  assert.equal(page.url(), 'about:blank');
});

journey('names of every kind are shown safely and led to', async ({ page }) => {
  const before = await set.service.policy();
  const names = ['/eng/x y', 'CN=ops,OU=eng', 'a:b:c', 'Ökonomie 日本', '%2Fx', '<b>&amp;', 'x'.repeat(200), '.*[a-z]+$'];
  for (const name of names) await set.service.createAcl(acl(`Group:${name}`, 'READ', 'hostile'));
  // Not by the API, which refuses control characters: a policy may hold them.
  const hostile = { ...(await set.service.policy()) };
  hostile.acls = [...hostile.acls, acl('Group:pay\u202estnem\u001b[31m', 'READ', 'hostile')];
  await set.service.putPolicy(hostile);
  const permissions = new Permissions(page);
  await permissions.open('?search=%5Ehostile%24');
  await until(async () => assert.equal((await permissions.names()).length, names.length + 1));
  assert.ok((await permissions.names()).includes('Group:payU+202EstnemU+001B[31m'));
  for (const name of names) {
    await permissions.open('?search=%5Ehostile%24');
    await permissions.expand(`Group:${name}`);
    await page.getByRole('link', { name: 'Open in matrix' }).click();
    await until(async () =>
      assert.equal(await page.getByRole('combobox', { name: 'Principal' }).inputValue(), `Group:${name}`),
    );
    await page.getByRole('button', { name: /^Read on Topic hostile: Allow, from direct$/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Read on Topic hostile: Allow, from direct$/ }).waitFor();
  }
  await set.service.putPolicy(before);
});

journey('who can names everybody, the row that grants, and what blocks', async ({ page }) => {
  const whoCan = new WhoCan(page);
  await whoCan.open();
  // The tabs scroll sideways where they have to, and never upwards.
  const overflow = () => page.locator('nav.tabs').evaluate((tabs) => [
    tabs.scrollHeight - tabs.clientHeight,
    tabs.offsetHeight - tabs.clientHeight,
  ]);
  for (const width of [1440, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    assert.deepEqual(await overflow(), [0, 0], `a scroll bar at ${width}`);
  }
  await whoCan.ask({ operation: 'Write', name: 'orders-archive' });
  await until(async () => assert.match(await text(whoCan.answer), /^2 principals can write to topic orders-archive\./));
  assert.deepEqual(
    (await whoCan.rows()).map((row) => row.join(' | ').trim()),
    [
      'Can 2 principals',
      'User:root | Allowed | superuser, ACLs are not evaluated | denies do not apply',
      'Group:engineering | Allowed | direct Write, topic orders- prefixed |',
      'Has only a deny blocks everyone who also has one of these',
      'Group:analytics | Denied by rule | nothing | direct Deny Write, topic orders-archive literal',
    ],
  );
  await until(() => assert.match(page.url(), /operation=write&type=topic&name=orders-archive$/));

  await whoCan.ask({ operation: 'Write', name: 'clickstream' });
  await until(async () => assert.match(await text(whoCan.answer), /1 depends on the host/));
  await whoCan.ask({ operation: 'Write', name: 'clickstream', host: '10.20.4.71' });
  await until(async () => assert.match(await text(whoCan.answer), /1 only from one host/));
  await page.goBack();
  await until(async () => assert.match(await text(whoCan.answer), /1 depends on the host/));
  await whoCan.ask({ operation: 'Write', name: 'clickstream', host: '10.0.0.0/8' });
  await refusal(whoCan.host, /range/);
  await whoCan.ask({ operation: 'Describe', type: 'Cluster' });
  await until(async () => assert.match(await text(whoCan.answer), /can describe the Cluster/));
  assert.ok(await whoCan.resourceName.isDisabled());
});

journey('each finding says what it means, and its fix joins the draft', async ({ page }) => {
  const before = await set.service.policy();
  await page.goto(FINDINGS);
  const kind = (name) => page.getByRole('region', { name });
  await kind(/^Names that differ only in letter case/).waitFor();
  assert.match(await text(kind(/^Names that differ only in letter case/)), /Group:Engineering and Group:engineering/);
  assert.match(await text(kind(/^Consumers without a consumer group/)), /members of the role PaymentsWriters can read topics, but no consumer group/i);
  const empty = kind(/^Roles without members/);
  assert.match(await text(empty), /ReportingLegacy/);
  await empty.getByRole('button', { name: /^Delete the role ReportingLegacy/ }).click();
  await empty.getByText('In draft:').waitFor();
  await empty.getByRole('button', { name: 'Undo' }).click();
  await empty.getByText('In draft:').waitFor({ state: 'detached' });
  await empty.getByRole('button', { name: /^Delete the role ReportingLegacy/ }).click();
  assert.ok((await set.service.roles()).includes('ReportingLegacy'), 'nothing is sent yet');
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: /^Review/ }).click();
  await giveReason(page);
  await page.getByRole('button', { name: /^Apply/ }).click();
  await until(async () => assert.ok(!(await set.service.roles()).includes('ReportingLegacy')));
  await page.goto(FINDINGS);
  await kind(/^Names that differ only in letter case/).waitFor();
  await kind(/^Roles without members/).waitFor({ state: 'detached' });

  // Where only a person can tell, a link leads there.
  await page.getByRole('link', { name: 'Open Group:Engineering', exact: true }).first().click();
  await page.getByRole('table', { name: 'ACLs that apply to Group:Engineering' }).waitFor();

  // Several of a kind at once, and the filter in the address.
  await set.service.createRole('Nobody1');
  await set.service.createRole('Nobody2');
  await page.goto(`${FINDINGS}?severity=notice`);
  await page.getByRole('button', { name: 'Fix all 2' }).first().click();
  await page.getByText('All in draft').first().waitFor();
  assert.equal(await kind(/^Names that differ/).count(), 0);
  await set.service.putPolicy(before);
});

/** Each state of each view: how it is reached. */
const states = {
  'permissions, closed': async (page) => {
    await new Permissions(page).open();
    await page.getByText('Near miss of').first().waitFor();
  },
  'permissions, open': async (page) => {
    const permissions = new Permissions(page);
    await permissions.open();
    await (await permissions.expand('Group:analytics')).waitFor();
    await (await permissions.expand('Role:PaymentsWriters')).waitFor();
  },
  'permissions, no match': async (page) => {
    await new Permissions(page).open('?search=nothing-at-all');
    await page.getByRole('heading', { name: 'No principals match your search' }).waitFor();
  },
  'matrix, empty': async (page) => {
    await page.goto(MATRIX);
    await page.getByRole('heading', { name: 'Enter a principal' }).waitFor();
  },
  'matrix, with a reason': async (page) => {
    await page.goto(`${MATRIX}?of=User%3Ajonas.lindqvist&group=engineering&group=analytics`);
    await page.getByRole('button', { name: /^Write on Topic orders-archive: Deny/ }).click();
    await page.getByRole('region', { name: 'Reason' }).getByText('Overridden').waitFor();
  },
  'matrix, with errors': async (page) => {
    await page.goto(`${MATRIX}?of=jonas&host=10.0.0.0%2F8`);
    await refusal(page.getByRole('combobox', { name: 'Principal' }), /User:jonas/);
  },
  'who can, empty': async (page) => new WhoCan(page).open(),
  'who can, answered': async (page) => {
    await page.goto(`${WHO_CAN}?operation=write&type=topic&name=payments-settled`);
    await new WhoCan(page).table.waitFor();
  },
  'who can, with errors': async (page) => {
    const whoCan = new WhoCan(page);
    await whoCan.open();
    await whoCan.ask({ operation: 'Read', name: '', host: 'x' });
    await refusal(whoCan.resourceName, /resource/);
  },
  findings: async (page) => {
    await page.goto(FINDINGS);
    await page.getByRole('region', { name: /^Roles without members/ }).waitFor();
  },
};

for (const colorScheme of ['light', 'dark']) {
  journey(`axe finds nothing, ${colorScheme}`, { colorScheme }, async ({ page }) => {
    for (const [state, reach] of Object.entries(states)) {
      await reach(page).catch((error) => assert.fail(`${state} is not reached: ${error.stack}`));
      // What is under the bar that stays is no target there.
      await page.evaluate(() => scrollTo(0, 0));
      await isAccessible(page, `${state}, ${colorScheme}`);
    }
  });
}

journey('nothing is wider than a page of 320 px', { viewport: { width: 320, height: 700 } }, async ({ page }) => {
  for (const [state, reach] of Object.entries(states)) {
    await reach(page).catch((error) => assert.fail(`${state} is not reached: ${error.stack}`));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 320, `${state} is ${width} px wide`);
    await page.evaluate(() => scrollTo(0, 0));
    await isAccessible(page, `${state}, 320 px`);
  }
});

journey('axe finds nothing while the service is away', AWAY, async ({ page, context }) => {
  await context.route(/\/(gbac|v1|demo)\//, (route) => route.abort('connectionrefused'));
  for (const path of [PERMISSIONS, MATRIX, WHO_CAN, FINDINGS]) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'Permissions could not be read' }).waitFor();
    await isAccessible(page, `${path}, away`);
  }
});
