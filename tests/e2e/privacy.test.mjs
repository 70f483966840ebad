// The token stays in the tab: it is in no address, no storage, no line of the console and no request.

import assert from 'node:assert/strict';
import { stage } from './support/journey.mjs';
import { fetchedAhead } from './support/navigation.mjs';
import { ROLES, Roles, addressOf } from './support/roles.mjs';
import { SIMULATOR, Simulator } from './support/simulator.mjs';

const { set, journey } = stage({ provider: true });

/** What Chromium logs when there is no answer, or one with a fault. */
const AWAY = { tolerates: [/Failed to load resource/] };

/** Everything that a page may ask its service for while somebody reads. */
const READS = ['/gbac/v1/service', '/gbac/v1/policy', '/v1/cluster_config', '/demo/idp/people', '/demo/idp/jwks'];

journey('a token is nowhere but in its field, during a whole session', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  const { provider, service } = set;
  await simulator.open();
  await fetchedAhead(page);
  const before = watched.requests().length;

  const token = await provider.token('jonas.lindqvist');
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await simulator.sees('Denied by rule');
  await simulator.settings('Custom');
  await page.getByRole('radio', { name: 'suffix' }).check();
  await simulator.sees('Allowed, if…');
  await simulator.verify({ keys: await provider.keys(), issuer: provider.issuer, audience: provider.audience });
  await simulator.says('Signature verified');
  await simulator.trace.getByRole('radio', { name: /^All/ }).check();
  // A wrong token is kept no more than a right one, and neither is one on another page.
  await simulator.token.fill(`${token}.x`);
  await simulator.check.getByText('Shown for').waitFor();
  await simulator.token.fill(token);
  await page.getByRole('link', { name: 'Roles' }).first().click();
  await new Roles(page).table.waitFor();
  await page.getByRole('link', { name: 'Simulator' }).click();
  await simulator.sees('Allowed, if…');
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/gbac/v1/policy');
  await page.getByRole('button', { name: /Refresh/ }).click();
  await (await answered).finished();

  assert.deepEqual(await watched.leaks(page, token), []);
  // Not the token, not its claims, nothing: only reads, and all of them of the service itself.
  const asked = watched.requests().slice(before);
  const allowed = new Set(READS.map((path) => `GET ${service.origin}${path}`));
  assert.ok(asked.length > 0, 'the session did read the service again');
  assert.deepEqual(
    asked.filter((request) => !allowed.has(request)),
    [],
  );
  assert.deepEqual(watched.violations(), []);

  // A reload forgets it.
  await page.reload();
  await simulator.token.waitFor();
  assert.equal(await simulator.token.inputValue(), '');
  assert.deepEqual(await watched.leaks(page, token), []);
});

journey('groups by hand and keys are sent nowhere either', { watched: true }, async ({ page, watched }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const keys = await set.provider.keys();
  await simulator.token.fill(await set.provider.token('maya.okafor'));
  await simulator.verify({ keys, issuer: set.provider.issuer, audience: set.provider.audience });
  await simulator.says('Signature verified');
  await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
  const group = 'a-group-that-nobody-else-may-know-of';
  await simulator.user.fill('someone-whose-name-is-long-enough');
  await simulator.groups.fill(group);
  await simulator.ask({ operation: 'Read', name: 'a-topic-whose-name-is-a-secret' });
  await simulator.sees('Denied, nothing allows it');
  for (const secret of [
    group,
    'someone-whose-name-is-long-enough',
    'a-topic-whose-name-is-a-secret',
    keys.slice(0, 400),
  ]) {
    assert.deepEqual(await watched.leaks(page, secret), []);
  }
});

journey('no page breaks its content security policy', { watched: true, ...AWAY }, async ({ page, watched }) => {
  for (const path of [
    '/',
    '/security',
    ROLES,
    addressOf('PaymentsWriters'),
    addressOf('no such role'),
    SIMULATOR,
    '/no/such/page',
  ]) {
    const response = await page.goto(path);
    const policy = response.headers()['content-security-policy'];
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /connect-src 'self'/, path);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|\*/, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await fetchedAhead(page);
  }
  assert.deepEqual(watched.violations(), []);
  // Every request went to the service itself.
  const origins = new Set(watched.requests().map((request) => new URL(request.split(' ')[1]).origin));
  assert.deepEqual([...origins], [set.service.origin]);
});

journey('a loaded page decides without the network', AWAY, async ({ page, context }) => {
  const simulator = new Simulator(page);
  const token = await set.provider.token('maya.okafor');
  const keys = await set.provider.keys();
  await simulator.open();
  await fetchedAhead(page);
  await context.setOffline(true);

  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  await simulator.verify({ keys, issuer: set.provider.issuer, audience: set.provider.audience });
  await simulator.says('Signature verified');
  await page.getByRole('link', { name: 'Roles' }).first().click();
  await new Roles(page).row('PaymentsWriters').waitFor();
  await page.getByRole('link', { name: 'Simulator' }).click();
  await simulator.resourceName.fill('orders-archive');
  await simulator.sees('Denied by rule');
});
