// The audit log: what decided, the way to the simulator, and names from outside.

import assert from 'node:assert/strict';
import { AUDIT, decide, rows, table } from './support/audit.mjs';
import { text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { Simulator } from './support/simulator.mjs';

const { set, journey } = stage({ own: true });
const REFUSED = { tolerates: [/Failed to load resource/] };

journey('a decision is told with the group, the role and the ACL that decided', async ({ page }) => {
  assert.equal(await decide(set.service, 'audited', ['other', 'analytics'], 'read', 'analytics-events'), true);
  assert.equal(await decide(set.service, 'audited', ['other'], 'write', 'no-such-topic'), false);
  await page.goto(`${AUDIT}?kind=decision&user=audited`);
  const [denied, allowed] = await rows(page);
  assert.match(allowed[0], /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  assert.match(allowed[1], /^User:audited/);
  assert.deepEqual(allowed.slice(2, 4), ['read topic analytics-events', 'Allowed']);
  assert.match(allowed[4], /Group:analytics.*Role:AnalyticsReaders.*Allow read, topic analytics- prefixed/);
  assert.deepEqual(denied.slice(2), ['write topic no-such-topic', 'Denied', 'No matches']);
});

journey('a denied decision opens in the simulator, with the groups of its sign-in', async ({ page }) => {
  const [groups, name] = [['simulated-a', '/simulated/b'], 'simulated-topic'];
  assert.equal(await decide(set.service, 'simulated', groups, 'write', name), false);
  assert.equal(await decide(set.service, 'simulated', ['analytics'], 'read', 'analytics-events'), true);
  await page.goto(`${AUDIT}?kind=decision&user=simulated`);
  assert.equal((await rows(page)).length, 2);
  const links = table(page).getByRole('link', { name: /^Check in simulator/ });
  assert.equal(await links.count(), 1, 'only what was denied');
  const simulator = new Simulator(page);
  const isOpen = async () => {
    await simulator.sees('Denied, nothing allows it', /User:simulated can't write to topic simulated-topic/);
    assert.equal(await simulator.user.inputValue(), 'simulated');
    assert.equal(await simulator.groups.inputValue(), groups.join('\n'));
    assert.equal(new URL(page.url()).hash, '');
  };
  const address = await links.getAttribute('href');
  await links.click();
  await isOpen();
  // In a tab of its own, too.
  await page.goto('about:blank');
  await page.goto(address);
  await isOpen();
});

journey('names from outside are shown by their codes', REFUSED, async ({ page }) => {
  await decide(set.service, 'ev\u202eil\u0007', ['a\u202eb'], 'read', 'x\u0000y');
  await page.goto(`${AUDIT}?kind=decision&user=ev`);
  await table(page).waitFor();
  const said = await text(table(page));
  assert.match(said, /evU\+202EilU\+0007/);
  assert.doesNotMatch(said, /\u202e/);
});
