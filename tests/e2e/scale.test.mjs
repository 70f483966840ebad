// A policy of 10,000 ACLs: the page loads it, and a check answers. Times are told, not judged.

import assert from 'node:assert/strict';
import { stage } from './support/journey.mjs';
import { Simulator } from './support/simulator.mjs';

const { set, journey } = stage({ provider: true });
const ACLS = 10_000;
const KEYS = 'team-0042.orders';

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

journey('10,000 ACLs are loaded, and a check answers', async ({ page, context, t }) => {
  const policy = await set.service.policy();
  await set.service.putPolicy(largePolicy(policy));
  assert.equal((await set.service.acls()).length, ACLS);

  const simulator = new Simulator(page);
  const started = performance.now();
  await simulator.open();
  t.diagnostic(`from the address to a page that knows ${ACLS} ACLs: ${Math.round(performance.now() - started)} ms`);
  await page.getByText('decided in this browser on 10,000 ACLs and 200 roles.').waitFor();
  await simulator.token.fill(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: KEYS.slice(0, -1) });
  await simulator.sees('Denied, nothing allows it');

  // One keystroke, and all that the main thread does until the verdict is another.
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) =>
      list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration))),
    ).observe({ type: 'longtask' });
  });
  const before = await busy();
  await simulator.resourceName.press('End');
  await page.keyboard.type(KEYS.at(-1));
  await simulator.check.getByRole('heading', { level: 3, name: 'Allowed' }).waitFor();
  const spent = (await busy()) - before;
  const longest = await page.evaluate(() => window.longest);
  t.diagnostic(
    `main thread from a keystroke to its verdict: ${spent.toFixed(1)} ms; longest task: ${longest ? `${longest} ms` : 'under 50 ms'}`,
  );
  await simulator.sees('Allowed');
  assert.deepEqual(await simulator.decidedBy(), [
    'groups[0]',
    'Group:engineering',
    'Role:Team42',
    `Allow Write, topic ${KEYS} literal`,
  ]);

  // The whole trace can be asked for.
  await simulator.trace.getByRole('radio', { name: /^All/ }).check();
  await simulator.trace.getByText('Decides').waitFor();
});
