// Roles against the service: every step is checked twice, on the page and over HTTP.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { accepted, refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { fetchedAhead, go } from '../support/navigation.mjs';
import { Draft, giveReason } from '../support/review.mjs';
import { Role, Roles, addressOf, holdsAcls, holdsMembers } from '../support/roles.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true, own: true });
/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };

journey('names of every kind are kept letter by letter', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('Names');
  const groups = [
    'urn:example:eng',
    '/eng/platform',
    'On Call',
    'CN=ops,OU=eng',
    'Ökonomie 日本',
    'User:eng',
    'a'.repeat(200),
    'eng',
    '%2Feng',
    '<b>&amp;',
    '$(id)',
  ];
  const principals = [...groups.map((group) => `Group:${group}`), 'User:eng', 'User:maya@example.com'];
  for (const principal of principals) {
    await role.addMember(principal);
    await role.member(principal).waitFor();
  }
  await draft.apply();
  await holdsMembers(set.service, 'Names', principals);

  // The same after reading it anew; a user and a group of one name are two members.
  await role.open();
  for (const principal of principals) await role.member(principal).waitFor();
  assert.equal(await role.memberTable.getByRole('rowheader').count(), principals.length);
  const gone = ['Group:eng', 'Group:CN=ops,OU=eng', 'Group:urn:example:eng'];
  for (const principal of gone) await role.removeMember(principal);
  await draft.apply();
  await holdsMembers(set.service, 
    'Names',
    principals.filter((principal) => !gone.includes(principal)),
  );
});

journey('several pasted names are several members once that was confirmed', async ({ page }) => {
  await set.service.addMembers('Pasted', 'Group:first');
  const role = new Role(page, 'Pasted');
  await role.open();
  await role.memberName.focus();
  await role.memberName.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'CN=a,OU=x\nCN=b,OU=x\nfirst\n');
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  assert.equal(await role.memberName.inputValue(), 'CN=a,OU=x; CN=b,OU=x; first');
  await role.members.getByText('Group:first is already a member of this role').waitFor();
  await isAccessible(page, 'several names in one field');
  // Enter asks, and the question has focus.
  await page.keyboard.press('Enter');
  await until(async () => assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Add 2 members'));
  assert.equal(await role.memberTable.getByRole('rowheader').count(), 1);
  await page.keyboard.press('Enter');
  await role.member('Group:CN=a,OU=x').waitFor();
  await role.member('Group:CN=b,OU=x').waitFor();
  assert.equal(await role.memberName.inputValue(), '');
  await new Draft(page).apply();
  await holdsMembers(set.service, 'Pasted', ['Group:CN=a,OU=x', 'Group:CN=b,OU=x', 'Group:first']);
});

journey('roles of every name have a page, by link and by address', async ({ page }) => {
  const roles = new Roles(page);
  const names = ['a/b', 'a%2Fb', 'team: platform', 'Zürich', 'x?y#z', 'r'.repeat(128), '-'];
  for (const name of names) await set.service.addMembers(name, 'Group:eng');
  await roles.open();
  for (const name of names) {
    await roles.row(name).getByRole('link', { name, exact: true }).click();
    const role = new Role(page, name);
    await role.member('Group:eng').waitFor();
    await page.reload();
    await role.member('Group:eng').waitFor();
    await page.goBack();
    await roles.table.waitFor();
  }
  // One of them changed does not change its likeness.
  const role = new Role(page, 'a/b');
  await role.open();
  await role.addMember('Group:likeness');
  await new Draft(page).apply();
  await holdsMembers(set.service, 'a/b', ['Group:eng', 'Group:likeness']);
  await holdsMembers(set.service, 'a%2Fb', ['Group:eng']);
});

journey('a role whose name no path can hold is used and deleted as any other', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  const before = await set.service.policy();
  const holds = async (name, members) => {
    const held = (await set.service.policy()).roles.find((role) => role.name === name);
    assert.deepEqual(held.members ?? [], members.map((principal) => ({ principal })));
  };
  for (const name of ['.', '..']) {
    await roles.open();
    const role = await roles.create(name);
    await role.addMember('Group:eng');
    await role.addMember('User:maya');
    await role.addAcl({ name: 'dots', operations: ['Read'] });
    await draft.apply();
    await holds(name, ['User:maya', 'Group:eng']);
    await holdsAcls(set.service, name, [`allow read topic literal dots from * for Role:${name}`]);
    await roles.open();
    await roles.row(name).getByRole('link', { name, exact: true }).click();
    await role.removeMember('Group:eng');
    await draft.apply();
    await holds(name, ['User:maya']);
    await go(page, 'Roles');
    await (await roles.openDeletion(name)).confirm();
    await draft.apply();
    assert.ok(!(await set.service.roles()).includes(name));
  }
  assert.deepEqual(await set.service.policy(), before, 'nothing else changed');
});

journey('a pasted type counts for its own name only', { clipboard: true }, async ({ page }) => {
  await set.service.addMembers('Pasted', 'Group:first');
  const role = new Role(page, 'Pasted');
  await role.open();
  const type = (name) => role.memberForm.getByRole('radio', { name, exact: true });
  const paste = async (words) => {
    await page.evaluate((words) => navigator.clipboard.writeText(words), words);
    await role.memberName.focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('ControlOrMeta+V');
  };
  assert.ok(await type('Group').isChecked());
  await paste('User:alice');
  await until(async () => assert.ok(await type('User').isChecked(), 'the type of what was pasted'));
  await role.memberName.press('Enter');
  await role.member('User:alice').waitFor();
  // The next one is of the type that was chosen, whether the last was added or typed over.
  assert.ok(await type('Group').isChecked(), 'the type of what is typed next');
  await role.memberName.fill('ops');
  await role.memberName.press('Enter');
  await role.member('Group:ops').waitFor();
  await paste('User:bob');
  await role.memberName.fill('oncall');
  await role.memberForm.locator('xpath=..').getByText('Will be stored as').waitFor();
  await role.memberName.press('Enter');
  await role.member('Group:oncall').waitFor();
});

journey('a member that cannot be meant is caught at its field, and stored nowhere', async ({ page }) => {
  const role = new Role(page, 'AnalyticsReaders');
  await role.open();
  const before = await set.service.members('AnalyticsReaders');
  const send = role.memberForm.getByRole('button', { name: 'Add principal' });

  await role.memberName.fill('User:Group:eng');
  await refusal(role.memberName, /Group:eng/);
  await send.click();
  assert.equal(await role.memberName.inputValue(), 'User:Group:eng');
  await role.members.getByRole('button', { name: 'Use Group:eng' }).click();
  await accepted(role.memberName);
  assert.equal(await role.memberName.inputValue(), 'Group:eng');
  assert.ok(await role.memberForm.getByRole('radio', { name: 'Group', exact: true }).isChecked());

  for (const [words, why] of [
    ['Group:*', /\*/],
    ['User:*', /User:\*/],
    ['Role:AnalyticsReaders', /[Rr]ole/],
    ['Group:analytics', /already/],
  ]) {
    await role.memberName.fill(words);
    await refusal(role.memberName, why);
    await send.click();
    assert.equal(await role.memberName.inputValue(), words, 'what was typed is still there');
  }
  await role.memberName.fill('');
  await send.click();
  await refusal(role.memberName, /name/i);

  // A blank at the edge is not refused, but shown and offered without.
  await role.memberName.fill('Group:ops ');
  await role.members.getByText('The name starts or ends with a space').waitFor();
  await role.members.getByRole('button', { name: 'Use Group:ops' }).click();
  assert.equal(await role.memberName.inputValue(), 'Group:ops');
  // A name that is almost a known one.
  await role.memberName.fill('Group:Analytics');
  await role.members.getByRole('button', { name: 'Use Group:analytics' }).waitFor();
  assert.deepEqual(await set.service.members('AnalyticsReaders'), before);
});

journey('a role name that cannot be is caught at its field', async ({ page }) => {
  const roles = new Roles(page);
  const before = await set.service.roles();
  await roles.open();
  await roles.openCreation();
  const create = roles.creation.getByRole('button', { name: 'Create role' });
  for (const [name, why] of [
    ['a,b', /,/],
    ['a=b', /=/],
    ['x'.repeat(129), /128/],
    ['AnalyticsReaders', /already/],
    ['two  words ', /Write two words/],
    ['Role:Ops', /Write Ops/],
    ['', /empty|name/i],
  ]) {
    await roles.newName.fill(name);
    await create.click();
    await refusal(roles.newName, why);
    assert.equal(await roles.newName.inputValue(), name);
    assert.ok(await roles.newName.evaluate((field) => field === document.activeElement), 'focus is at the field');
  }
  await roles.creation.getByRole('button', { name: 'Cancel' }).click();
  await roles.creation.waitFor({ state: 'detached' });
  assert.deepEqual(await set.service.roles(), before);
});

journey('an ACL is edited in place, without a mouse, and both changes are one step', async ({ page }) => {
  const [role, draft] = [new Role(page, 'EditedReaders'), new Draft(page)];
  await set.service.addMembers('EditedReaders', 'Group:eng');
  await set.service.createAcl({
    resource_type: 'RESOURCE_TYPE_TOPIC',
    resource_name: 'edited',
    resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
    principal: 'Role:EditedReaders',
    host: '*',
    operation: 'OPERATION_READ',
    permission_type: 'PERMISSION_TYPE_ALLOW',
  });
  await role.open();
  const [old, line] = ['Allow Read, topic edited literal', 'Deny Write, topic edited- prefixed'];
  const focused = () => page.evaluate(() => document.activeElement.ariaLabel);
  let form = await role.editAcl(old);
  const operation = form.getByRole('combobox', { name: 'Operation' });
  await until(async () => assert.ok(await operation.evaluate((field) => field === document.activeElement)));
  await isAccessible(page, 'the editor of an ACL');
  // Esc leaves everything as it is, and so does saving what was not changed.
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await until(async () => assert.equal(await focused(), `Edit ACL ${old}`));
  form = await role.editAcl(old);
  await form.getByRole('button', { name: 'Save to draft' }).click();
  await form.getByText('Nothing is changed.').waitFor();

  await operation.selectOption({ label: 'Write' });
  await form.getByRole('radio', { name: 'Prefixed' }).check();
  await form.getByRole('textbox', { name: /^Resource name/ }).fill('edited-');
  await form.getByRole('radio', { name: 'Deny' }).check();
  await page.keyboard.press('Enter');
  await until(async () => assert.equal(await focused(), `Edit ACL ${line}`));
  // One row, with the way back, which takes both changes out.
  await role.acls.getByText('was Allow Read, topic edited literal').waitFor();
  await page.getByText('1 ACL and 1 principal on the service. Your draft edits 1 ACL.').waitFor();
  await role.acls.getByText('1 row, 1 edited').waitFor();
  await page.getByRole('link', { name: 'Review 2 changes' }).waitFor();
  await role.acls.getByRole('button', { name: `Undo editing ${line}` }).click();
  await role.acls.getByRole('button', { name: `Edit ACL ${old}`, exact: true }).waitFor();
  await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });

  form = await role.editAcl(old);
  await form.getByRole('textbox', { name: 'Host' }).fill('10.0.0.7');
  await page.keyboard.press('Enter');
  // One row of the review, too, which says what it was.
  const review = await draft.review();
  const rows = await review.rows();
  assert.equal(rows.length, 1, rows.join('\n'));
  assert.match(rows[0], /^→ Edit Allow Read, topic edited literal → Allow Read, topic edited literal/);
  await review.apply();
  await holdsAcls(set.service, 'EditedReaders', ['allow read topic literal edited from 10.0.0.7 for Role:EditedReaders']);
});

journey('no form makes an ACL of a group itself', { watched: true }, async ({ page, watched }) => {
  const role = new Role(page, 'ReportingLegacy');
  await role.open();
  const labels = await page
    .getByRole('form')
    .evaluateAll((forms) =>
      forms.flatMap((form) =>
        [...form.elements].flatMap((field) => [...(field.labels ?? [])].map((label) => label.innerText)),
      ),
    );
  assert.ok(labels.length > 5, labels.join());
  assert.deepEqual(
    labels.filter((label) => /principal|member|granted to/i.test(label)),
    [],
  );
  // Every kind of resource; whatever is made belongs to the role.
  for (const type of ['Topic', 'Consumer group', 'Transactional ID', 'Subject']) {
    await role.addAcl({ type, name: 'group-analytics', operations: ['All'] });
  }
  await new Draft(page).apply();
  assert.equal((await set.service.acls('Role:ReportingLegacy')).length, 5);
  const sent = watched.bodies('POST', '/gbac/v1/policy/changes').map((body) => JSON.parse(body).changes);
  const named = sent.flat().map(({ acl }) => acl);
  assert.deepEqual(
    named.map((acl) => acl.principal),
    Array(4).fill('Role:ReportingLegacy'),
  );
});

journey('a service that is away is said to be away, and no draft is lost', AWAY, async ({ page }) => {
  const [roles, role, draft] = [new Roles(page), new Role(page, 'AnalyticsReaders'), new Draft(page)];
  // A demo remembers nothing: this role is gone when it starts again.
  await set.service.createRole('Forgotten');
  await role.open();
  await fetchedAhead(page);
  await set.service.stop();

  await role.addMember('Group:auditors');
  await role.member('Group:auditors').getByText('Added').waitFor();
  await go(page, 'Roles');
  const created = await roles.create('LateRole');
  await created.addMember('Group:late');
  const review = await draft.review();
  await review.button.click();
  await page.getByRole('heading', { name: "Can't reach the service" }).waitFor();
  await page.getByRole('heading', { name: '0 of 3 changes applied' }).waitFor();
  assert.match(await text(page.locator('#h-outcome')), /Can't reach the service\. Nothing was changed\. The draft is unchanged\./);
  assert.equal((await review.rows()).length, 3);

  await set.service.restart();
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('heading', { name: "Can't reach the service" }).waitFor({ state: 'detached' });
  await review.drift.waitFor();
  assert.match(await text(page.locator('#h-drift')), /Role Forgotten/);
  await page.getByRole('button', { name: 'Review against the new policy' }).click();
  await giveReason(page);
  await page.getByRole('button', { name: 'Apply 3 changes' }).click();
  await page.getByRole('heading', { name: '3 changes applied', exact: true }).waitFor();
  assert.ok((await set.service.roles()).includes('LateRole'));
  await holdsMembers(set.service, 'AnalyticsReaders', ['Group:analytics', 'Group:auditors']);
});

journey('a service that was never there leaves an error state that heals', AWAY, async ({ page, context }) => {
  // The page itself is loaded, the API is not: a service that dies between the two.
  await context.route(/\/(gbac|v1|demo)\//, (route) => route.abort('connectionrefused'));
  await page.goto(addressOf('AnalyticsReaders'));
  await page.getByRole('heading', { name: "Can't reach the service" }).waitFor();
  await page.getByRole('heading', { name: 'The role could not be read' }).waitFor();
  await go(page, 'Roles');
  await page.getByRole('heading', { name: 'Roles could not be read' }).waitFor();
  await context.unroute(/\/(gbac|v1|demo)\//);
  await page.getByRole('button', { name: 'Try now' }).click();
  await new Roles(page).row('PaymentsWriters').waitFor();
});

journey('the list is searched and sorted, and the address keeps the search', async ({ page }) => {
  const roles = new Roles(page);
  await roles.open();
  await roles.search.fill('^(payments|schema)');
  await until(async () =>
    assert.deepEqual(await roles.table.getByRole('rowheader').allInnerTexts(), ['PaymentsWriters', 'SchemaStewards']),
  );
  await page.waitForURL(/name=/);
  await page.reload();
  assert.equal(await roles.search.inputValue(), '^(payments|schema)');
  await roles.row('SchemaStewards').waitFor();
  assert.equal(await roles.row('AnalyticsReaders').count(), 0);
  await roles.search.fill('no such role');
  await page.getByRole('heading', { name: 'No roles match your search' }).waitFor();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await roles.row('AnalyticsReaders').waitFor();
  // Letter by letter, also what looks as if it were encoded.
  await roles.search.fill('%41nalytics');
  await page.waitForURL(/name=%2541nalytics/);
  await page.reload();
  await page.getByRole('heading', { name: 'No roles match your search' }).waitFor();
  assert.equal(await roles.search.inputValue(), '%41nalytics');
  await page.getByRole('button', { name: 'Clear search' }).click();
  await roles.row('AnalyticsReaders').waitFor();
  await page.waitForURL((url) => url.search === '');

  const head = roles.table.getByRole('columnheader', { name: 'Assigned principals' });
  await head.getByRole('button').click();
  await page.waitForURL(/sort=principals&order=desc/);
  await until(async () => assert.equal(await head.getAttribute('aria-sort'), 'descending'));
  const counts = () =>
    roles.table
      .getByRole('row')
      .evaluateAll((rows) => rows.slice(1).map((row) => Number(row.cells[1].innerText)));
  const sorted = await counts();
  assert.deepEqual(
    sorted,
    [...sorted].sort((a, b) => b - a),
  );
  await page.reload();
  await roles.table.waitFor();
  assert.deepEqual(await counts(), sorted);
  await page.goBack();
  await until(async () => assert.equal(await head.getAttribute('aria-sort'), null));

  // A broken expression is text, and the page says so.
  await roles.search.fill('a(');
  await page.getByText('Not a regular expression').waitFor();
});

journey('a long list has pages, which the address keeps', async ({ page }) => {
  const roles = new Roles(page);
  const policy = await set.service.policy();
  const many = Array.from({ length: 120 }, (_, n) => ({ name: `Zone${String(n).padStart(3, '0')}` }));
  await set.service.putPolicy({ ...policy, roles: [...policy.roles, ...many] });
  await roles.open();
  const names = () => roles.table.getByRole('rowheader').allInnerTexts();
  await until(async () => assert.equal((await names()).length, 50));
  const above = page.getByRole('navigation', { name: 'Pages, above the list' });
  await above.getByRole('button', { name: 'Next page' }).click();
  await page.waitForURL(/page=2/);
  await until(async () => assert.match(await text(above), /^Rows 51 to 100 of/));
  await until(async () => assert.equal((await names()).length, 50));
  const second = await names();
  await page.reload();
  await roles.table.waitFor();
  await until(async () => assert.deepEqual(await names(), second));
  await page.getByRole('navigation', { name: 'Pages, below the list' }).getByRole('button', { name: 'Last page' }).click();
  await roles.row('Zone119').waitFor();
  assert.ok(await page.getByRole('region', { name: 'Roles' }).evaluate((region) => region === document.activeElement));
  // A search starts at its first page.
  await roles.search.fill('^Zone00');
  await roles.row('Zone000').waitFor();
  await page.waitForURL((url) => url.search === '?name=%5EZone00');
  assert.equal((await names()).length, 10);
});

journey('ACLs are selected and removed together, and taken back', async ({ page }) => {
  const [role, draft] = [new Role(page, 'PaymentsWriters'), new Draft(page)];
  const before = await set.service.acls('Role:PaymentsWriters');
  await role.open();
  await role.acls.getByRole('checkbox', { name: 'Select all ACLs' }).check();
  await role.acls.getByRole('button', { name: `Delete selected (${before.length})` }).click();
  assert.equal(await role.acls.getByRole('button', { name: /^Undo removing/ }).count(), before.length);
  assert.match(await draft.says(), new RegExp(`Draft, ${before.length} changes`));
  for (let left = before.length; left > 0; left -= 1) {
    await role.acls.getByRole('button', { name: /^Undo removing/ }).first().click();
  }
  await draft.bar.waitFor({ state: 'detached' });
  assert.deepEqual(await set.service.acls('Role:PaymentsWriters'), before);
});

journey('all operations are allowed after a preview', async ({ page }) => {
  await set.service.createRole('Everything');
  const [role, draft] = [new Role(page, 'Everything'), new Draft(page)];
  await role.open();
  await role.acls.getByRole('button', { name: 'Allow all operations' }).click();
  await until(async () => assert.match(await text(role.aclForm), /Will be stored as Allow All, topic \* all names/));
  assert.equal(await draft.bar.count(), 0, 'a preview adds nothing');
  await role.addAcls.click();
  await draft.apply();
  const acls = await set.service.acls('Role:Everything');
  assert.ok(acls.length >= 6 && acls.every((acl) => acl.startsWith('allow all ')), acls.join('\n'));
});

journey('a preset shows its rows before they are added', async ({ page }) => {
  const [roles, draft] = [new Roles(page), new Draft(page)];
  await roles.open();
  const role = await roles.create('InvoiceConsumers');
  await role.preset.selectOption({ label: 'Consumer' });
  await role.aclForm.getByRole('textbox', { name: 'Topic name' }).fill('invoices-2026');
  await role.aclForm.getByRole('textbox', { name: 'Consumer group name' }).fill('invoice-readers');
  await role.aclForm.getByText('Will be stored as').waitFor();
  assert.match(
    await text(role.aclForm),
    /Allow Read, topic invoices-2026 literal Allow Read, consumer group invoice-readers literal/,
  );
  // The bar of the draft covers no button of the form.
  const add = role.aclForm.getByRole('button', { name: 'Add 2 ACLs' });
  const [button, bar] = [await add.boundingBox(), await draft.bar.boundingBox()];
  assert.ok(button.y + button.height <= bar.y, `the button ends at ${button.y + button.height}, the bar begins at ${bar.y}`);
  await add.click();
  // From the review, and from the role, the way back leads to the role in the list.
  const review = await draft.review();
  await review.people();
  const isAtRole = async () => {
    const link = roles.row('InvoiceConsumers').getByRole('link', { name: 'InvoiceConsumers' });
    await until(async () => assert.ok(await link.evaluate((link) => link === document.activeElement)));
  };
  await page.getByRole('link', { name: 'Back to InvoiceConsumers' }).click();
  await role.aclForm.waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Roles' }).click();
  await isAtRole();
  await draft.review();
  await page.getByRole('link', { name: 'Back to Roles' }).click();
  await isAtRole();
  await page.keyboard.press('Enter');
  await role.aclForm.waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Roles' }).click();
  await isAtRole();
  await draft.apply();
  await holdsAcls(set.service, 'InvoiceConsumers', [
    'allow read group literal invoice-readers from * for Role:InvoiceConsumers',
    'allow read topic literal invoices-2026 from * for Role:InvoiceConsumers',
  ]);

  // The known names that an ACL covers are shown while it is typed.
  await role.open();
  await role.aclForm.getByRole('radio', { name: 'Prefixed', exact: true }).check();
  await role.resourceName.fill('invoices-');
  await until(async () => assert.match(await text(role.aclForm), /Covers 1 of \d+ known topic names invoices- ?2026/));
  await role.resourceName.fill('invoices-2026');
  await role.aclForm.getByRole('radio', { name: 'Literal', exact: true }).check();
  await role.operation('Describe').check();
  await role.aclForm.getByText(/is already covered by/).waitFor();
});
