// The static site below a path: the claim doctor, the documentation, its search and unknown addresses, in both themes, without a
// message of the browser and without a violation of axe.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { isAccessible } from '../support/axe.mjs';
import { openBrowser } from '../support/browser.mjs';
import { Fixes } from '../support/fixes.mjs';
import { part } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { SITE, serveSite } from '../support/site.mjs';
import { until } from '../support/until.mjs';

/** What the first verdict may take over the wire. */
const MOST = { brotli: 450_000, gzip: 540_000 };
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 320, height: 740 };

let browser;
let site;
before(async () => {
  [browser, site] = await Promise.all([openBrowser(), serveSite()]);
});
after(async () => {
  await Promise.all([browser.close(), site.stop()]);
});

/** A page of its own; whatever the browser says about it, and every request to elsewhere, fails the test. */
async function visit(options, walk, { tolerates = [] } = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const said = [];
  const hear = (text) => tolerates.some((known) => known.test(text)) || said.push(text);
  page.on('console', (message) => hear(message.text()));
  page.on('pageerror', (error) => hear(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site.origin) && !url.startsWith('file:') && !url.startsWith('blob:')) said.push(`request to ${url}`);
  });
  try {
    await walk(page);
    assert.deepEqual(said, []);
  } finally {
    await context.close();
  }
}

const result = (page) => page.locator('#h-result');
const example = (page, name) => page.getByRole('button', { name, exact: true }).click();
const isNarrow = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const colorScheme of ['light', 'dark']) {
  test(`the doctor, the documentation and the search are accessible, ${colorScheme}`, async () => {
    await visit({ viewport: WIDE, colorScheme }, async (page) => {
      await page.goto(site.address('index.html'));
      await isAccessible(page, 'doctor, empty');
      await example(page, 'Roles only');
      await isAccessible(page, 'doctor, with names elsewhere');
      await page.getByRole('link', { name: 'Documentation', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'GBAC documentation' }).waitFor();
      await isAccessible(page, 'home of the documentation');
      await page.getByRole('link', { name: 'Commands and variables', exact: true }).click();
      await isAccessible(page, 'page of the documentation');
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').pressSequentially('nested group behavior');
      await page.locator('#found a').first().waitFor();
      await isAccessible(page, 'search');
      await page.getByRole('searchbox').fill('audit');
      await page.locator('#found a b', { hasText: /audit/i }).first().waitFor();
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/\.html#/);
    });
  });
}

test('the first verdict is small, and nothing leaves the page', async () => {
  await visit({ viewport: WIDE }, async (page) => {
    site.reset();
    await page.goto(site.address('index.html'));
    await example(page, 'Entra ID, over 200 groups');
    assert.equal(await result(page).textContent(), 'The groups of this user are unknown');
    const { brotli, gzip } = site.sent();
    assert.ok(brotli <= MOST.brotli && gzip <= MOST.gzip, `${brotli} bytes with brotli, ${gzip} with gzip`);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
  });
});

test('each example has its verdict, and settings change it', async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('index.html'));
    for (const [name, title] of [
      ['Nested groups', '3 groups with the default setting'],
      ['Roles only', 'No groups with the default setting'],
      ['One string', '3 groups with the default setting'],
      ['ID token', 'This looks like an ID token'],
    ]) {
      await example(page, name);
      assert.equal(await result(page).textContent(), title);
    }
    await example(page, 'Nested groups');
    await page.getByRole('radio', { name: 'Apache Kafka with GBAC' }).check();
    assert.equal(await page.locator('#setting').textContent(), 'gbac.groups.claim');
    await page.getByRole('radio', { name: 'suffix' }).check();
    assert.equal(await page.locator('#rows .names').first().textContent(), 'Group:paymentsGroup:platform');
    await example(page, 'Roles only');
    assert.match(await page.locator('#recognized').textContent(), /Keycloak/);
    await page.getByRole('radio', { name: 'Okta' }).check();
    assert.match(await page.locator('#request').textContent(), /Include in: Access Token/);
    await page.getByRole('radio', { name: 'Cognito' }).check();
    assert.equal(await page.locator('#then-path').textContent(), '$.cognito:groups');
    assert.ok(await page.locator('#request').isHidden());
  });
});

test('what looks well and is not is never green', async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('index.html'));
    const field = page.getByLabel('Access token, or claims as JSON');
    const examine = (claims) => field.fill(JSON.stringify({ sub: 'a', ...claims }));
    const isAmber = async (title, note) => {
      assert.match(await page.locator('#result').getAttribute('class'), /note-warn/);
      assert.equal(await result(page).textContent(), title);
      assert.match(await page.locator('.ans2').textContent(), note);
    };
    await examine({ groups: '["a","b"]' });
    await isAmber('The 2 group names are broken', /a list written in one string/);
    await examine({ groups: ['a'], exp: 1_600_000_000 });
    await isAmber('1 group with the default setting', /This token expired on 2020-09-13/);
    await examine({ 'https://acme.example/groups': ['a'] });
    await isAmber('No groups with the default setting', /Redpanda's brokers refuse this path/);
    assert.equal(await page.locator('#recognized').textContent(), 'Choose your provider');
    assert.ok(await page.locator('#steps').isHidden());
    await page.getByRole('radio', { name: 'Apache Kafka with GBAC' }).check();
    assert.equal(await page.locator('#rows .refused').count(), 0);
    await example(page, 'ID token');
    await isAmber('This looks like an ID token', /Paste the access token first/);
    assert.ok(await page.locator('#provider').isHidden());
  });
});

test('hostile texts are refused with a sentence', async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('index.html'));
    const field = page.getByLabel('Access token, or claims as JSON');
    for (const text of ['<img src=x onerror=alert(1)>', '2YotnFZFEjr1zCsicMWpAA', 'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d', '{']) {
      await field.fill(text);
      assert.equal(await result(page).textContent(), "This text can't be examined", text);
      assert.notEqual(await page.locator('#words').textContent(), '');
    }
    await field.evaluate((element) => {
      element.value = 'e'.repeat(6 << 20);
      element.dispatchEvent(new Event('input'));
    });
    assert.equal(await result(page).textContent(), "This text can't be examined");
    await field.fill('{"sub":"a","groups":["<b>x</b>","\\u202e"]}');
    assert.equal(await result(page).textContent(), '2 groups with the default setting');
    assert.equal(await page.locator('#rows b').count(), 0);
    assert.ok(!(await page.locator('#rows').textContent()).includes('\u202e'));
  });
});

test('unknown addresses lead back to the site', async () => {
  await visit(
    { viewport: WIDE },
    async (page) => {
      await page.goto(site.address('x/y/z'));
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.waitForFunction(() => document.styleSheets.length === 3);
      await isAccessible(page, 'page not found');
      await page.getByRole('main').getByRole('link', { name: 'documentation' }).click();
      await page.getByRole('heading', { level: 1, name: 'GBAC documentation' }).waitFor();
    },
    // Looking for the site's folder asks for files that are not there.
    { tolerates: [/status of 404/] },
  );
});

/** Chromium's remark on wasm files that are fetched by name after they were preloaded. */
const PRELOADED = { tolerates: [/preloaded using link preload/] };
/** The ordinary site of a check has no simulator, which takes minutes to build. */
const skip = !existsSync(join(SITE, 'simulator'));

test('the simulator has example tokens, decides over the example policy, and refuses what needs a service', { skip }, async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('index.html'));
    await page.getByRole('link', { name: 'Use with a policy' }).click();
    await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor();
    await isAccessible(page, 'simulator of the site');
    const tokens = page.getByRole('list', { name: 'Example tokens' }).getByRole('button');
    assert.deepEqual(await tokens.allInnerTexts(), ['Ana', 'Ben', 'Cleo']);
    await tokens.first().click();
    assert.match(await page.getByLabel('Access token', { exact: true }).inputValue(), /^eyJ/);
    await page.getByRole('link', { name: 'Roles', exact: true }).click();
    await page.getByRole('link', { name: 'PaymentsWriters' }).click();
    await page.getByRole('heading', { level: 1, name: 'PaymentsWriters' }).waitFor();
    assert.match(page.url(), /\/a\/b\/simulator\/index\.html#\/security\/roles\/PaymentsWriters\/details$/);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'PaymentsWriters' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByText('This page has no service').first().waitFor();
    await page.getByRole('link', { name: 'Connection: example policy' }).click();
    await page.getByText('No service: an example policy in this page').waitFor();
    await page.getByLabel('User', { exact: true }).fill('root');
    await page.getByLabel('Password', { exact: true }).fill('x');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.banner, main').getByText('This page has no service: it decides over an example policy').first().waitFor();
    await page.getByRole('link', { name: 'Claim doctor' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which groups are in this token?' }).waitFor();
  }, PRELOADED);
});

test('the doctor hands its token to the simulator, in memory', { skip }, async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('index.html'));
    await example(page, 'Nested groups');
    const token = await page.locator('#token').inputValue();
    const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Use with a policy' }).click()]);
    const simulator = new Simulator(opened);
    await simulator.requests.waitFor();
    await until(async () => assert.equal(await simulator.token.inputValue(), token));
    assert.ok(!opened.url().includes(token.slice(0, 20)), opened.url());
    assert.equal(await opened.evaluate(() => Object.values(sessionStorage).some((value) => value.includes('eyJ'))), false);
  }, PRELOADED);
});

test('a check of the site leads back to it, and nothing hides its fixes', { skip }, async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(site.address('simulator/index.html'));
    const simulator = new Simulator(page);
    await simulator.requests.waitFor();
    await simulator.identity.getByRole('radio', { name: 'Groups by hand' }).check();
    await simulator.user.fill('maya');
    await simulator.groups.fill('nobody');
    const fixes = new Fixes(page, simulator);
    await fixes.open.click();
    await fixes.sheet.getByRole('button', { name: 'Close' }).click();
    const share = await part(page, 'Share');
    const link = await share.getByRole('region', { name: 'the link' }).innerText();
    assert.ok(link.startsWith(`${site.address('simulator/index.html')}#/security/simulator#check=`), link);
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForURL(/#\/security\/simulator$/);
    assert.equal(await simulator.user.inputValue(), 'maya');
  }, PRELOADED);
});

test('nothing scrolls sideways on a narrow screen', async () => {
  await visit({ viewport: NARROW }, async (page) => {
    for (const path of ['index.html', 'docs/index.html', 'docs/command-line.html', 'docs/decisions.html']) {
      await page.goto(site.address(path));
      if (path === 'index.html') await example(page, 'Roles only');
      assert.ok(await isNarrow(page), path);
    }
  });
});

test('the site works from a folder of files', async () => {
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(pathToFileURL(join(SITE, 'index.html')).href);
    await example(page, 'Nested groups');
    assert.equal(await result(page).textContent(), '3 groups with the default setting');
    await page.getByRole('link', { name: 'Documentation', exact: true }).click();
    await page.waitForURL(/docs\/index\.html$/);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('backup');
    await page.locator('#found a').first().waitFor();
  });
});

test('from a folder of files, the simulator says what it needs', { skip }, async () => {
  const blocked = [/CORS policy/, /net::ERR_FAILED/];
  await visit({ viewport: WIDE }, async (page) => {
    await page.goto(pathToFileURL(join(SITE, 'simulator/index.html')).href);
    await page.getByRole('alert').getByText('A browser cannot run it from a folder of files.').waitFor();
  }, { tolerates: blocked });
});
