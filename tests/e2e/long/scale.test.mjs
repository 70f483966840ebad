// A first visit, and large policies: the page loads them, checks answer, the list of roles is searched, a draft is reviewed. Times
// are told, not judged; `cargo xtask pages` prints them.

import assert from 'node:assert/strict';
import { stage } from '../support/journey.mjs';
import { MainThread, median, tell } from '../support/measure.mjs';
import { Draft } from '../support/review.mjs';
import { Role, Roles } from '../support/roles.mjs';
import { Search } from '../support/search.mjs';
import { Simulator } from '../support/simulator.mjs';

const { set, journey } = stage({ provider: true, own: true });
const ACLS = 10_000;
const KEYS = 'team-0042.orders';
const ROUNDS = 5;

/** ACLs of users, groups and roles, on prefixes and on names; one role holds the group of the token. */
function largePolicy(policy) {
  const roles = Array.from({ length: 200 }, (_, n) => ({
    name: `Team${n}`,
    members: [{ principal: `Group:team-${n}` }, ...(n === 42 ? [{ principal: 'Group:engineering' }] : [])],
  }));
  const acls = Array.from({ length: ACLS }, (_, n) => {
    const team = n % 200;
    const principal = [`Group:team-${team}`, `Role:Team${team}`, `User:service-${n % 500}`][n % 3];
    return {
      resource_type: ['RESOURCE_TYPE_TOPIC', 'RESOURCE_TYPE_GROUP', 'RESOURCE_TYPE_SUBJECT'][(n % 7) % 3],
      resource_name: `team-${String(team).padStart(4, '0')}.${n % 5 ? `stream-${n}` : ''}`,
      resource_pattern_type: n % 5 ? 'RESOURCE_PATTERN_TYPE_LITERAL' : 'RESOURCE_PATTERN_TYPE_PREFIXED',
      principal,
      host: '*',
      operation: ['OPERATION_READ', 'OPERATION_WRITE', 'OPERATION_DESCRIBE'][(n >> 3) % 3],
      permission_type: n % 11 ? 'PERMISSION_TYPE_ALLOW' : 'PERMISSION_TYPE_DENY',
    };
  });
  // Equal ones are one ACL.
  const unique = new Map(acls.map((acl) => [JSON.stringify(acl), acl]));
  for (let n = 0; unique.size < ACLS; n += 1) {
    const acl = { ...acls[n], resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', resource_name: `more-${n}` };
    unique.set(JSON.stringify(acl), acl);
  }
  const deciding = {
    resource_type: 'RESOURCE_TYPE_TOPIC',
    resource_name: KEYS,
    resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
    principal: 'Role:Team42',
    host: '*',
    operation: 'OPERATION_WRITE',
    permission_type: 'PERMISSION_TYPE_ALLOW',
  };
  return { ...policy, roles, acls: [...unique.values()].slice(0, ACLS - 1).concat(deciding) };
}

/** The rows of the console's table, as the journeys find them. */
const rows = [];
const inScripts = ({ all, script }) => `${all.toFixed(0)} ms, ${script.toFixed(0)} ms of it in scripts`;

journey('a first visit of the roles answers', async ({ page, context }) => {
  const thread = await MainThread.of(page, context);
  const roles = new Roles(page);
  await roles.open();
  await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
  await roles.search.fill('PaymentsW');
  await roles.row('AnalyticsReaders').waitFor({ state: 'detached' });
  assert.equal(await roles.table.getByRole('rowheader').count(), 1);
  rows.push(['a first visit: the main thread until the list of roles shows the result of a search', inScripts(await thread.busy()), 1000]);
});

journey('a first visit of the simulator answers', async ({ page, context }) => {
  const thread = await MainThread.of(page, context);
  const simulator = new Simulator(page);
  await simulator.open();
  await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  rows.push(['a first visit: the main thread until the simulator shows the verdict of a check', inScripts(await thread.busy()), 1000]);
});

journey('10,000 ACLs are loaded, and a check answers', async ({ page, context, t }) => {
  const policy = await set.service.policy();
  await set.service.putPolicy(largePolicy(policy));
  assert.equal((await set.service.acls()).length, ACLS);

  const simulator = new Simulator(page);
  const started = performance.now();
  await simulator.open();
  t.diagnostic(`from the address to a page that knows ${ACLS} ACLs: ${Math.round(performance.now() - started)} ms`);
  await page.getByText('evaluated in this browser on 10,000 ACLs and 200 roles.').waitFor();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: KEYS.slice(0, -1) });
  await simulator.sees('Denied, nothing allows it');

  // One keystroke, and all that the main thread does until the verdict is another.
  const thread = await MainThread.of(page, context);
  const longTasks = await thread.longTasks();
  await simulator.resourceName.press('End');
  const spent = await thread.spent(() => page.keyboard.type(KEYS.at(-1)));
  t.diagnostic(`from a keystroke to the paint of its verdict: ${spent.toFixed(1)} ms; tasks over 50 ms: ${await longTasks()}`);
  await simulator.sees('Allowed, if…');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Role:Team42',
    `Allow Write, topic ${KEYS} literal`,
  ]);

  // The whole trace can be opened.
  await simulator.trace.getByRole('radio', { name: /^All/ }).check();
  await simulator.trace.getByText('Decides').waitFor();
});

/** 10,000 roles with a group and ten ACLs each. */
function manyRoles(policy) {
  const names = Array.from({ length: 10_000 }, (_, n) => `team-${String(n).padStart(5, '0')}`);
  const roles = names.map((name, n) => ({
    name,
    members: [{ principal: `Group:${name}` }, { principal: `Group:division-${n % 100}` }],
  }));
  const acls = names.flatMap((name, n) =>
    Array.from({ length: 10 }, (_, k) => ({
      resource_type: ['RESOURCE_TYPE_TOPIC', 'RESOURCE_TYPE_GROUP', 'RESOURCE_TYPE_SUBJECT'][k % 3],
      resource_name: k < 3 ? `${name}.` : `${name}.stream-${k}`,
      resource_pattern_type: k < 3 ? 'RESOURCE_PATTERN_TYPE_PREFIXED' : 'RESOURCE_PATTERN_TYPE_LITERAL',
      principal: `Role:${name}`,
      host: '*',
      operation: ['OPERATION_READ', 'OPERATION_WRITE', 'OPERATION_DESCRIBE'][k % 3],
      permission_type: (n + k) % 53 ? 'PERMISSION_TYPE_ALLOW' : 'PERMISSION_TYPE_DENY',
    })),
  );
  return { ...policy, roles, acls };
}

journey('10,000 roles with 100,000 ACLs are listed, searched, changed and reviewed', async ({ page, context, t }) => {
  // A service that is built for debugging takes its time for a policy of this size.
  context.setDefaultTimeout(60_000);
  const policy = await set.service.policy();
  await set.service.putPolicy(manyRoles(policy));
  const thread = await MainThread.of(page, context);
  const roles = new Roles(page);
  await new Simulator(page).open();
  // From the press of the link to the frame after the first rows: the policy is there already.
  const painted = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const link = [...document.querySelectorAll('nav a')].find((link) => link.textContent.trim() === 'Roles');
        const started = performance.now();
        new MutationObserver((_, observer) => {
          if (document.querySelectorAll('table tbody tr').length < 20) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
        }).observe(document.body, { childList: true, subtree: true });
        link.click();
      }),
  );
  rows.push(['10,000 roles: from the link to the first paint of the list', painted, 200]);
  await roles.table.waitFor();
  await page.getByText('10,000 roles, 10,000 with an IdP group').waitFor();
  t.diagnostic(`of that, the rows: ${(await thread.noted('roles: rows')).toFixed(1)} ms`);

  // How long a frame is blocked while somebody types: tasks of more than 50 ms are noted by the browser.
  await page.waitForFunction(() => performance.getEntriesByName('roles: findings', 'measure').length > 0);
  t.diagnostic(`findings of a page of roles: ${(await thread.noted('roles: findings')).toFixed(1)} ms`);
  const longTasks = await thread.longTasks();
  await roles.search.focus();
  for (const letter of '^team-0424') await page.keyboard.type(letter);
  await roles.row('team-04242').waitFor();
  assert.equal(await roles.table.getByRole('rowheader').count(), 10);
  const tasks = await longTasks();
  const longest = tasks.length ? Math.max(...tasks) : 'under 50 ms';
  rows.push(['10,000 roles: the longest task while ten letters are typed into the search', longest, 50]);
  rows.push(['10,000 roles: the search after each letter', await thread.noted('roles: search'), 50]);

  // A letter of the search of every page, for a name and for a question: all of the main thread until its results are painted.
  // Of each letter the median of the rounds, and of those the largest.
  const search = new Search(page);
  for (const [what, words] of [
    ['a name', 'team-0424'],
    ['a question', 'who can read team-042'],
  ]) {
    const spent = [...words].map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      await search.open();
      for (const [at, letter] of [...words].entries()) {
        spent[at].push(await thread.spent(() => page.keyboard.type(letter)));
      }
      assert.equal(await search.field.inputValue(), words);
      await search.close();
    }
    t.diagnostic(`of the last letter of ${what}, the search: ${(await thread.noted('search: results')).toFixed(1)} ms`);
    const letters = spent.map(median);
    rows.push([`10,000 roles: a letter of ${what} in the search of every page: all of the main thread`, Math.max(...letters), 16]);
  }
  t.diagnostic(`names for the search, once for each policy: ${(await thread.noted('search: index')).toFixed(1)} ms`);

  // One edit of a role that a hundred divisions know, and its review.
  await roles.row('team-04242').getByRole('link', { name: 'team-04242' }).click();
  const [role, draft] = [new Role(page, 'team-04242'), new Draft(page)];
  await role.removeMember('Group:division-42');
  await role.addAcl({ pattern: 'Prefixed', name: 'shared.', operations: ['Read'] });
  const review = await draft.review();
  const people = await review.people();
  rows.push(['10,000 roles: the effective difference of a review', await thread.noted('review: effect'), 300]);
  assert.ok(people.some((row) => row.startsWith('Group:division-42 leaves team-04242')), people.slice(0, 5).join('\n'));
  await review.apply();
  assert.deepEqual(await set.service.members('team-04242'), ['Group:team-04242']);

  tell(t, rows);
});
