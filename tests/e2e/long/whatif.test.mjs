// What if, the smallest change, whole requests, collisions and two people, as somebody would use them.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { collisions, lines, part } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });
/** The verdict of one side. */
const side = async (what, title) => await text(what.getByRole('group', { name: title, exact: true }));

journey('a setting and an ACL are tried on a token with paths', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('jonas.lindqvist'));
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied by rule');
  const whatIf = await part(page, 'Try a change');
  const kind = whatIf.getByRole('combobox', { name: 'Change', exact: true });
  await kind.selectOption({ label: 'Change nested names' });
  await whatIf.getByText('From full names to names after the last slash.').waitFor();
  await whatIf.getByRole('button', { name: 'Add change' }).click();
  await until(async () => assert.match(await side(whatIf, 'With the changes'), /Allowed/));
  await whatIf.getByRole('button', { name: /^Remove: Read groups from/ }).click();
  await whatIf.getByText('Add a change to see its effect on the verdict').waitFor();
  await simulator.sees('Denied by rule');
  await kind.selectOption({ label: 'Remove an ACL' });
  await whatIf.getByRole('combobox', { name: 'ACL on this resource' }).selectOption({ index: 0 });
  await whatIf.getByRole('button', { name: 'Add change' }).click();
  await until(async () => assert.match(await side(whatIf, 'With the changes'), /Allowed/));
  assert.equal((await set.service.policy()).settings.nested_group_behavior, 'none');
});

journey('the least that would allow it is found and tried, and so is what takes it away', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'payments-new' });
  const least = await part(page, 'Smallest change');
  await least.getByRole('heading', { name: 'Existing group or role' }).waitFor();
  const ways = await lines(least.getByRole('list', { name: 'Existing group or role' }));
  assert.ok(ways.some((way) => /Add the user to Group:payments in the identity provider/.test(way)), ways.join(' | '));
  assert.ok(ways.some((way) => /Add User:maya\.okafor to Role:PaymentsWriters/.test(way)), ways.join(' | '));
  const acl = await lines(least.getByRole('list', { name: 'New ACL' }));
  assert.match(acl.join(), /Add Allow Write, topic payments-new literal, of User:maya\.okafor/);
  await least.getByRole('button', { name: 'Try: Add User:maya.okafor to Role:PaymentsWriters' }).click();
  const whatIf = await part(page, 'Try a change');
  await until(async () => assert.match(await side(whatIf, 'With the changes'), /Allowed/));
  await whatIf.getByRole('button', { name: 'Remove all', exact: true }).click();

  // What is denied by a rule: the deny has to go.
  await simulator.resourceName.fill('orders-archive');
  await simulator.sees('Denied by rule');
  await least.getByRole('heading', { name: 'Remove the denies' }).waitFor();
  // What is allowed: what to take away.
  await simulator.resourceName.fill('orders-2026');
  await simulator.sees('Allowed, if…');
  await least.getByRole('heading', { name: 'ACLs to remove' }).waitFor();
  assert.match(
    (await lines(least.getByRole('list', { name: 'ACLs to remove' }))).join(),
    /Remove Allow Write, topic orders- prefixed, of Group:engineering/,
  );
  await least.getByRole('button', { name: 'Try: Remove the user from Group:engineering in the identity provider' }).click();
  await until(async () => assert.match(await side(whatIf, 'With the changes'), /Denied, nothing allows it/));
});

journey('a whole request is decided check by check', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Read', name: 'analytics-weekly' });
  const request = await part(page, 'Whole request');
  // It begins with the question.
  assert.equal(await request.getByRole('textbox', { name: 'Topic', exact: true }).inputValue(), 'analytics-weekly');
  await request.getByText('To see the required checks, fill in Group.').waitFor();
  await request.getByRole('textbox', { name: 'Topic', exact: true }).fill('analytics-daily');
  await request.getByRole('textbox', { name: 'Group', exact: true }).fill('analytics-app');
  await request.getByText(/^The request is allowed, if the service accepts the issuer .*\.$/).waitFor();
  await request.getByRole('textbox', { name: 'Group', exact: true }).fill('other-app');
  await request.getByText(/^Denied: \d of \d checks not allowed\.$/).waitFor();
  const checks = request.getByRole('table', { name: 'Checks required by the request' });
  await checks.getByRole('row', { name: /join consumer group other-app.*Denied, nothing allows it/ }).waitFor();
  await checks.getByRole('button', { name: 'Open check: join consumer group other-app' }).click();
  await simulator.sees('Denied, nothing allows it', /join consumer group other-app/);

  await request.getByRole('radio', { name: 'Kafka API' }).check();
  await request.getByRole('combobox', { name: 'Request' }).selectOption('produce');
  await request.getByRole('textbox', { name: 'Topics' }).fill('orders-1\norders-archive');
  await request.getByText(/^Denied: 1 of 2 checks not allowed\.$/).waitFor();
  await request.getByRole('heading', { name: 'Remove the denies' }).waitFor();
});

journey('names that become one group are told, with what each gains', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('jonas.lindqvist'));
  const found = await collisions(page);
  // Both settings are shown at once, the one in force first.
  await found.getByText(/^No collisions/).first().waitFor();
  assert.match(await text(found.getByRole('heading', { level: 4 }).first()), /With full names, the current setting/);
  const told = await text(found.getByRole('list', { name: 'Collisions with names after the last slash' }));
  assert.match(told, /\/contractors\/payments \(in the token and in the policy\)/);
  assert.match(told, /A user with only \/contractors\/payments gains: Gains .*Topic payments- prefixed/i);
});

journey('two people are compared', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-archive' });
  await simulator.sees('Denied by rule');
  const compare = await part(page, 'Compare users');
  await compare.getByText('Enter the other user.').waitFor();
  await compare.getByRole('radio', { name: 'Groups by hand' }).check();
  await compare.getByRole('textbox', { name: 'Name of the other user' }).fill('new.hire');
  await compare.getByRole('textbox', { name: 'Groups, one per line' }).fill('engineering');
  await until(async () => {
    const both = await text(compare.getByRole('group', { name: 'Verdicts of both users' }));
    assert.match(both, /User:maya\.okafor Denied by rule.*User:new\.hire Allowed/);
  });
  const told = await text(compare.getByRole('region', { name: 'Differences in effective access' }));
  assert.match(told, /Gains Write, Topic orders-archive literal/i);
  assert.match(told, /Loses .*Topic analytics- prefixed/i);
  assert.match(await text(compare), /ACLs that apply only to User:new\.hire/);
  // A token of a demo person does as well.
  await compare.getByRole('button', { name: 'Compare with Jonas Lindqvist' }).click();
  await compare.getByRole('radio', { name: 'Token' }).check();
  await until(async () => assert.match(await text(compare), /User:jonas\.lindqvist/));
  await compare.getByRole('button', { name: 'Clear the other token' }).click();
  await compare.getByText('Enter the other user.').waitFor();
});
