// Sign-in to the console with a real identity provider, which is another site for the browser, as in production.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAccessible } from './support/axe.mjs';
import { startCluster } from './support/cluster.mjs';
import { text } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { AUDIENCE, CONSOLE_CLIENT, startProvider } from './support/provider.mjs';
import { Draft, REVIEW } from './support/review.mjs';
import { Roles } from './support/roles.mjs';
import { until } from './support/until.mjs';

const { journey } = stage();
/** What the browser reports about refused requests, and about a provider that is down. */
const REFUSED = { tolerates: [/status of 40[13]/, /blocked by CORS policy/, /net::ERR_FAILED/] };
const ROOT = 'maya.okafor';
const OTHER = 'jonas.lindqvist';

let provider, cluster, folder, host;

before(async () => {
  provider = await startProvider({ host: 'localhost' });
  folder = await mkdtemp(join(tmpdir(), 'gbac-secret-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, `${CONSOLE_CLIENT.secret}\n`);
  cluster = await startCluster({
    flags: [
      ...['--oidc-discovery-url', provider.discovery, '--oidc-audience', AUDIENCE],
      ...['--oidc-client-id', CONSOLE_CLIENT.id, '--oidc-client-secret-file', secret, '--oidc-scope', 'openid kafka'],
    ],
  });
  await provider.redirectTo(`${cluster.origin}/gbac/v1/sign-in/callback`);
  await cluster.setProperties({ superusers: [ROOT], audit_enabled: true });
  host = new URL(provider.issuer).host;
});
after(async () => {
  await cluster?.remove();
  await provider?.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** The sign-in page as a person sees it. */
class SignIn {
  constructor(page) {
    this.page = page;
    this.heading = page.getByRole('heading', { level: 1, name: /^Sign in/ });
    this.provider = page.getByRole('link', { name: /^Continue with/ });
    this.user = page.getByRole('textbox', { name: 'User name' });
    this.password = page.getByLabel('Password');
    this.button = page.getByRole('button', { name: 'Sign in', exact: true });
  }

  async open(path) {
    await this.page.goto(cluster.origin + path);
    await this.heading.waitFor();
  }

  /** Goes to the provider, and chooses a person there; nobody cancels. */
  async as(person) {
    await this.provider.click();
    await this.page.getByRole('button', { name: person || 'Cancel', exact: true }).click();
  }

  async withPassword(password) {
    await this.user.fill('admin');
    await this.password.fill(password);
    await this.button.click();
  }
}

const isFocused = (locator) => until(async () => assert.ok(await locator.evaluate((one) => one === document.activeElement)));
const here = (page) => page.url().slice(cluster.origin.length);

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

journey('a session that ended continues on the same page after sign-in', REFUSED, async ({ page }) => {
  const signIn = new SignIn(page);
  await signIn.open('/security/permissions?q=eng');
  await signIn.as(ROOT);
  await page.getByRole('heading', { level: 1, name: /^Permissions/ }).waitFor();
  await until(async () => assert.match(await text(page.getByRole('link', { name: /^Connection/ })), /gbac/));
  // As if in another tab.
  await page.evaluate(() => fetch('/gbac/v1/session', { method: 'DELETE', headers: { 'gbac-session': '1' } }));
  await page.getByRole('button', { name: 'Refresh' }).first().click();
  await page.getByRole('heading', { name: 'Your session expired' }).waitFor();
  assert.match(await text(page.getByRole('main')), /After you sign in, you return to Permissions\./);
  await isFocused(signIn.provider);
  // The provider still knows who it is.
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Permissions/ }).waitFor();
  assert.match(here(page), /^\/security\/permissions\?/);
});

journey('a draft waits for its owner, whoever signs in with the provider in between', REFUSED, async ({ page, context }) => {
  const [signIn, draft] = [new SignIn(page), new Draft(page)];
  await cluster.setProperties({ superusers: [ROOT, OTHER] });
  /** Signs out here and at the provider, and in again as `person` on the page of the roles. */
  const changeTo = async (person) => {
    await page.goto(`${cluster.origin}/connection`);
    const connection = page.getByRole('region', { name: 'Current connection' });
    await connection.getByRole('button', { name: 'Sign out' }).click();
    await until(async () => assert.match(await text(connection), /Not signed in/));
    assert.equal(await draft.bar.count(), 0, 'the draft goes with its account');
    await context.clearCookies({ domain: 'localhost' });
    await signIn.open('/security/roles');
    await signIn.as(person);
    await page.getByRole('button', { name: 'Create role' }).waitFor();
  };
  await signIn.open('/security/roles');
  await signIn.as(ROOT);
  await new Roles(page).create('PlanOfMaya');
  await draft.bar.waitFor();

  await changeTo(OTHER);
  assert.equal(await draft.bar.count(), 0);
  assert.doesNotMatch(await text(page.locator('body')), /PlanOfMaya/);
  // Each of the two has a draft of their own.
  await new Roles(page).create('PlanOfAnother');
  await draft.bar.waitFor();

  await changeTo(ROOT);
  await draft.bar.waitFor();
  await page.goto(`${cluster.origin}${REVIEW}`);
  await page.getByRole('heading', { level: 1, name: 'Review 1 change' }).waitFor();
  const review = await text(page.getByRole('main'));
  assert.match(review, /PlanOfMaya/);
  assert.doesNotMatch(review, /PlanOfAnother/);
});

journey('whoever cancels, or finds the provider down, is told and signs in with the local account', REFUSED, async ({ page }) => {
  const signIn = new SignIn(page);
  await signIn.open('/security/settings');
  await signIn.as('');
  await page.getByRole('heading', { name: 'Sign-in canceled' }).waitFor();
  assert.match(await text(page.getByRole('main')), new RegExp(`${host} did not sign you in\\.`));

  provider.issueTokens(false);
  try {
    await signIn.as(ROOT);
    await page.getByRole('heading', { name: "Can't reach the identity provider" }).waitFor();
    assert.match(await text(page.getByRole('main')), /or sign in with the local account\./);
  } finally {
    provider.issueTokens(true);
  }
  await signIn.withPassword('wrong');
  await page.getByText(/Credentials rejected/).first().waitFor();
  assert.equal(await signIn.user.inputValue(), 'admin');
  await isFocused(signIn.password);
  await signIn.password.fill(cluster.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Settings/ }).waitFor();
  assert.equal(here(page), '/security/settings', 'the page where the sign-in began');
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

journey('a forged cookie opens nothing, and an answer of the provider counts once', REFUSED, async ({ page, context, t }) => {
  const signIn = new SignIn(page);
  const domain = new URL(cluster.origin).hostname;
  const session = async () => (await context.cookies(cluster.origin)).find(({ name }) => name === 'gbac-session')?.value;
  const put = (value) => context.addCookies([{ name: 'gbac-session', value, domain, path: '/', httpOnly: true, sameSite: 'Strict' }]);
  // A session that somebody made up is none, and a sign-in does not take it over.
  await put('A'.repeat(43));
  await signIn.open('/security/roles');
  assert.equal(await page.getByRole('button', { name: 'Create role' }).count(), 0);
  const answers = [];
  page.on('request', (request) => request.url().includes('/sign-in/callback?') && answers.push(request.url()));
  await signIn.as(ROOT);
  await page.getByRole('button', { name: 'Create role' }).waitFor();
  const real = await session();
  assert.notEqual(real, 'A'.repeat(43));
  assert.equal(answers.length, 1);

  // One character differs.
  await put(real.slice(0, -1) + (real.endsWith('A') ? 'B' : 'A'));
  await page.reload();
  await signIn.heading.waitFor();
  await put(real);

  // The same answer again, in this browser and in another one.
  await page.goto(answers[0]);
  await page.waitForURL((url) => url.pathname !== '/gbac/v1/sign-in/callback');
  assert.equal(await session(), real, 'the session stays the same');
  const elsewhere = await context.browser().newContext();
  t.after(() => elsewhere.close());
  const other = await elsewhere.newPage();
  await other.goto(answers[0]);
  await other.getByRole('heading', { name: 'The sign-in was not completed' }).waitFor();
  assert.deepEqual((await elsewhere.cookies(cluster.origin)).filter(({ name }) => name === 'gbac-session'), []);

  // Signed out, the session is none for whoever has kept it.
  await page.goto(`${cluster.origin}/connection`);
  const connection = page.getByRole('region', { name: 'Current connection' });
  await connection.getByRole('button', { name: 'Sign out' }).click();
  await until(async () => assert.match(await text(connection), /Not signed in/));
  await put(real);
  await signIn.open('/security/roles');
});

journey('the sign-in page is usable at every width, in both themes, and the simulator without it', REFUSED, async ({ page }) => {
  const signIn = new SignIn(page);
  await signIn.open('/sign-in?problem=provider_unavailable&return=%2Fsecurity%2Freview');
  await page.getByRole('heading', { name: "Can't reach the identity provider" }).waitFor();
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1440, 1024, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const size of ['100%', '200%']) {
        await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
        await isAccessible(page, `sign-in at ${width}, ${colorScheme}, text of ${size}`);
        const [seen, wide] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
        assert.ok(wide <= seen, `no scrolling sideways at ${width}, text of ${size}`);
      }
    }
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
  await page.getByRole('button', { name: 'Use the simulator without signing in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor();
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn.heading.waitFor();
});
