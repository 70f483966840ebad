// Bad input: a precise message at the field, and nothing lost.

import assert from 'node:assert/strict';
import { accepted, descriptions, refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ provider: true });
const part = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

journey('what people paste around a token is left out', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  const lines = token.match(/.{1,60}/g).join('\n  ');
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.enter(token);
  for (const words of [
    `Bearer ${token}`,
    `Authorization: Bearer ${token}\r\n`,
    `  "${token}"\n`,
    `Bearer\n${lines}\n`,
    JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }, null, 2),
    `curl -H 'Authorization: Bearer ${token}' https://example.com/topics`,
  ]) {
    await simulator.token.fill(words);
    await simulator.sees('Allowed, if…', /User:maya\.okafor/);
    await accepted(simulator.token);
    // A text area knows one kind of line break.
    assert.equal(await simulator.token.inputValue(), words.replaceAll('\r\n', '\n'));
    await simulator.token.fill('');
  }
});

journey('claims without a token can be tried as they are', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.token.fill('{ "sub": "maya", "groups": ["engineering"] }');
  await refusal(simulator.token, /JSON/);
  await page.getByRole('button', { name: 'Read it as claims' }).click();
  // A token with these claims alone opens nothing.
  await simulator.sees('Denied: sign-in fails', /The token has no iss/);
  const { provider } = await set.service.info();
  const more = { iss: provider.issuer, aud: provider.audience, exp: Math.floor(Date.now() / 1000) + 600 };
  await simulator.token.fill(JSON.stringify({ sub: 'maya', groups: ['engineering'], ...more }));
  await simulator.sees('Allowed, if…', /User:maya/);
  await simulator.says('Claims only, without a signature');
});

journey('one megabyte of text is refused, and the page goes on', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  const token = await set.provider.token('maya.okafor');
  const [header, , signature] = token.split('.');
  const many = Array.from({ length: 60_000 }, (_, n) => `g${n}`);
  const large = `${header}.${part({ sub: 'maya', groups: many })}.${signature}`;
  for (const [words, why] of [
    ['x'.repeat(1_000_000), /opaque/],
    [`${token} `.repeat(1_400), /more than one token/],
    [large.padEnd(2 ** 20 + 1, 'A'), /1048577 bytes, more than 1048576/],
  ]) {
    await simulator.token.fill(words);
    await refusal(simulator.token, why);
    assert.equal((await simulator.token.inputValue()).length, words.length);
  }
  // A token of that size is read; few of its groups are shown at first.
  await simulator.token.fill(large);
  await until(async () => assert.match(await text(simulator.extraction), /60,?000 names in the token/));
  await accepted(simulator.token);
  const shown = (await simulator.elements()).length;
  assert.ok(shown <= 200, `${shown} rows`);
  await simulator.extraction.getByText(/more groups/).waitFor();
  await simulator.enter(token);
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
});

journey('a claim path that does not parse is refused at its place', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.settings('Custom');
  await simulator.sees('Allowed, if…');
  for (const [path, why] of [
    ['groups', /^At character 1: \$ is missing/],
    ['$.groups[', /^At character 9: \[ is not closed/],
    ['$.2nd', /^At character 3: .*\$\['2nd'\]/],
    ['$.x y', /^At character 4: .*\$\['x y'\]/],
    ['$["ä"]x', /^At character 7: unexpected x/],
    ['$.groups[?match(@, "a")]', /^At character 11: match: functions are not available in claim paths/],
    ['${context.userinfo.groups', /^At the end: /],
    [`$.${'a'.repeat(600)}`, /602 bytes, more than 512/],
  ]) {
    await simulator.claimPath.fill(path);
    await refusal(simulator.claimPath, why).catch((error) => assert.fail(`${path}: ${error.message}`));
    assert.equal(await simulator.claimPath.inputValue(), path);
    await simulator.check.getByText('Shown for').waitFor();
  }
  await simulator.claimPath.fill("$['groups']");
  await accepted(simulator.claimPath);
  await simulator.sees('Allowed, if…');

  const mapping = simulator.identity.getByRole('textbox', { name: 'User claim' });
  await mapping.fill('$.sub/(/x/');
  await refusal(mapping, /character \d+|At the end/);
  await mapping.fill('$.sub/([a-z]+)\\.([a-z]+)/$2/');
  await simulator.sees('Allowed, if…', /User:okafor/);
});

journey('a host that is no address is refused, and asked for precisely', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-2026' });
  await simulator.sees('Allowed, if…');
  for (const [host, why] of [
    ['broker.example.com', /broker\.example\.com is not an IP address/],
    ['10.20.0.0/16', /range/],
    ['300.1.1.1', /not an IP address/],
    ['[::1]', /not an IP address/],
    ['*', /for ACLs/],
  ]) {
    await simulator.host.fill(host);
    await refusal(simulator.host, why);
    assert.equal(await simulator.host.inputValue(), host);
    await simulator.check.getByText('Shown for').waitFor();
  }
  await page.getByRole('button', { name: 'Leave it empty' }).click();
  await simulator.sees('Allowed, if…');
  await simulator.host.fill('::ffff:10.0.0.1');
  await accepted(simulator.host);
  await simulator.sees('Allowed, if…');
});

journey('what is odd but possible is answered, with a word about it', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.enter(await set.provider.token('maya.okafor'));
  await simulator.ask({ operation: 'Write', name: 'orders-*' });
  await simulator.sees('Allowed, if…');
  assert.ok((await descriptions(simulator.resourceName)).some((words) => /not a wildcard here/.test(words)));
  await simulator.resourceName.fill(' orders-2026');
  await simulator.sees('Denied, nothing allows it');
  await page.getByRole('button', { name: 'Remove it' }).click();
  await simulator.sees('Allowed, if…');
  await simulator.resourceType.selectOption({ label: 'Consumer group' });
  await simulator.operation.selectOption({ label: 'Write' });
  await simulator.check.getByText(/No request needs Write on a consumer group/).waitFor();
});

journey('an address without a page says so, not that the connection is lost', async ({ page }) => {
  await page.goto('/security/nothing-is-here');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  const icon = page.getByRole('main').locator('.empty use');
  assert.deepEqual(await icon.evaluateAll((all) => all.map((use) => use.getAttribute('href'))), ['#i-missing']);
});
