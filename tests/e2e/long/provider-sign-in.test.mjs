// Sign-in to the console with a real identity provider, which is another site for the browser, as in production.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { text } from '../support/fields.mjs';
import { REVIEW, Draft } from '../support/review.mjs';
import { Roles } from '../support/roles.mjs';
import { OTHER, REFUSED, ROOT, SignIn, cluster, here, host, isFocused, journey, provider } from '../support/sign-in.mjs';
import { until } from '../support/until.mjs';

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
