// Sign-in to the console with a real identity provider, which is another site for the browser, as in production.

import assert from 'node:assert/strict';
import { text } from './support/fields.mjs';
import { Draft } from './support/review.mjs';
import { Roles } from './support/roles.mjs';
import { REFUSED, ROOT, SignIn, cluster, here, host, isFocused, journey, provider } from './support/sign-in.mjs';
import { until } from './support/until.mjs';

journey('a superuser signs in with the provider, applies a change, and signs out', REFUSED, async ({ page, context }) => {
  const signIn = new SignIn(page);
  await signIn.open('/security/roles?search=From');
  assert.equal(await text(signIn.heading), 'Sign in to gbac');
  assert.equal(await text(signIn.provider), `Continue with ${host}`);
  await isFocused(signIn.provider);
  await signIn.as(ROOT);
  await page.getByRole('heading', { level: 1, name: 'Roles', exact: true }).waitFor();
  assert.equal(here(page), '/security/roles?search=From');

  // Neither scripts nor other sites have the session.
  const cookies = await context.cookies(cluster.origin);
  assert.deepEqual(
    cookies.filter(({ name }) => name.startsWith('gbac')).map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite })),
    [{ name: 'gbac-session', httpOnly: true, sameSite: 'Strict' }],
  );
  assert.doesNotMatch(await page.evaluate(() => document.cookie), /gbac/);

  await new Roles(page).create('FromProvider');
  await new Draft(page).apply();
  const { roles } = (await cluster.ask('GET', '/v1/roles')).body;
  assert.ok(roles.some(({ name }) => name === 'FromProvider'));
  const events = await cluster.audit();
  const change = events.find(({ message }) => message?.includes('FromProvider'));
  assert.match(JSON.stringify(change), /maya\.okafor/);

  // A reload keeps the session.
  await page.reload();
  await page.getByRole('link', { name: /^Connection/ }).click();
  const connection = page.getByRole('region', { name: 'Current connection' });
  await until(async () => assert.match(await text(connection), /Signed in as maya\.okafor/));
  await connection.getByRole('button', { name: 'Sign out' }).click();
  await until(async () => assert.match(await text(connection), /Not signed in/));
  const [{ value }] = cookies.filter(({ name }) => name === 'gbac-session');
  const replayed = await fetch(`${cluster.origin}/v1/roles`, { headers: { cookie: `gbac-session=${value}`, 'gbac-session': '1' } });
  assert.equal(replayed.status, 401, 'the session has ended, whoever has the cookie');
  await until(async () => {
    const signedOut = (await cluster.audit()).filter((event) => event.class_uid === 3002 && event.activity_id === 2);
    assert.deepEqual(signedOut.map(({ user }) => user.name), [ROOT]);
  });
});

journey('a page of another site can neither use the session nor choose where a sign-in leads', REFUSED, async ({ page, context }) => {
  const signIn = new SignIn(page);
  await signIn.open('/sign-in?return=https%3A%2F%2Fevil.example%2F&problem=nothing');
  await signIn.as(ROOT);
  await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor();

  const foreign = await context.newPage();
  await foreign.goto(provider.discovery);
  const tried = await foreign.evaluate(async (origin) => {
    const send = (init) =>
      fetch(`${origin}/v1/roles`, { method: 'POST', credentials: 'include', body: '{"name":"Foreign"}', ...init }).then(
        () => 'sent',
        () => 'blocked',
      );
    return [
      await send({ mode: 'no-cors' }),
      await send({ headers: { 'content-type': 'application/json' } }),
      await send({ headers: { 'content-type': 'application/json', 'gbac-session': '1' } }),
      await fetch(`${origin}/gbac/v1/policy`, { credentials: 'include' }).then(() => 'read', () => 'blocked'),
    ];
  }, cluster.origin);
  assert.deepEqual(tried, ['blocked', 'blocked', 'blocked', 'blocked']);
  const { roles } = (await cluster.ask('GET', '/v1/roles')).body;
  assert.ok(roles.every(({ name }) => name !== 'Foreign'));
});
