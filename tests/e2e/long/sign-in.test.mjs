// Tokens that the service refuses: the verdict is what the service would say, with the first thing to fix, and no advice
// about ACLs until somebody can sign in.

import assert from 'node:assert/strict';
import { text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { part } from '../support/parts.mjs';
import { Simulator } from '../support/simulator.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage();
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part) => JSON.parse(Buffer.from(part, 'base64url'));

/** A token that the service accepts, as far as header and claims say: nobody changed anything but what is named. */
async function changed({ claims = {}, header = {}, unsigned = false }) {
  const token = (await set.service.people()).find(({ id }) => id === 'path-names').token;
  const [first, second, third] = token.split('.');
  const head = encode({ ...decode(first), ...header });
  // A member that is undefined is left out.
  const payload = encode({ ...decode(second), ...claims });
  return `${head}.${payload}.${unsigned ? '' : third}`;
}

/** Waits for the verdict on a refused token, and gives its reasons. */
async function refused(simulator, fix) {
  await simulator.sees('Denied: sign-in fails');
  const reasons = await simulator.reasons();
  assert.match(reasons['Fix first'], fix);
  assert.equal(reasons['If accepted'], 'Allowed. User:jonas.lindqvist can read topic payments-settled.');
  for (const label of ['Would allow', 'Near misses', 'ACLs considered', 'Decided by']) {
    assert.equal(reasons[label], undefined, `${label} beside a token that is refused`);
  }
  assert.equal(await simulator.check.locator('.verdict-allow').count(), 0, 'nothing is green');
  assert.equal(await simulator.trace.count(), 0, 'no ACL is evaluated');
  return reasons;
}

journey('a token that the service refuses is denied, whatever the ACLs say', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.withoutProviderKeys();
  await simulator.open();
  const now = Math.floor(Date.now() / 1000);
  await simulator.token.fill(await changed({}));
  await simulator.ask({ operation: 'Read', name: 'payments-settled' });
  await simulator.sees('Allowed, if…');
  for (const [change, fix] of [
    [{ claims: { iss: 'https://other.example' } }, /^The issuer is https:\/\/other\.example, and the service accepts only .*\/demo\/idp\. Use a token/],
    [{ claims: { aud: ['billing'] } }, /^The token is for billing, and the service accepts only streams\. Configure the provider/],
    [{ claims: { nbf: now + 3600 } }, /^The token is not valid yet; it becomes valid in \d+ min\./],
    [{ claims: { exp: undefined } }, /^The token has no expiry time \(exp\)\. Configure the identity provider/],
    [{ claims: { exp: 'tomorrow' } }, /^The claim exp is not a time in seconds since 1970\./],
    [{ claims: { exp: now - 7300 } }, /^The token expired 2 h ago\. Get a new token\.$/],
    [{ header: { alg: 'HS256' } }, /^The algorithm HS256 is not accepted\. Anyone who can verify with a shared secret/],
    [{ header: { alg: 'none' }, unsigned: true }, /^The token has no signature\./],
    [{ header: { typ: 'logout+jwt' } }, /^The type logout\+jwt is not a type of access tokens\./],
    [{ header: { kid: undefined } }, /^The header has no key ID \(kid\)\./],
  ]) {
    await simulator.token.fill(await changed(change));
    await until(async () => {
      const reasons = await refused(simulator, fix);
      assert.equal(reasons['Also fails'], undefined);
    });
  }
  // With keys that are entered: a signature that is proven bad.
  await simulator.token.fill(await changed({ claims: { groups: ['payments'], jti: 'forged' } }));
  await simulator.sees('Allowed, if…');
  const { provider } = await set.service.info();
  await simulator.verify({ keys: await set.service.keys(), issuer: provider.issuer, audience: provider.audience });
  await until(() => refused(simulator, /^The signature is not valid\. The token was changed after it was signed/));
  await simulator.token.fill(await changed({}));
  await simulator.says('Signature verified');
  await simulator.sees('Allowed');
});

journey('no change of the policy is advised before sign-in works', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.open();
  await simulator.token.fill(await changed({ claims: { iss: 'https://other.example', aud: 'billing', groups: [] } }));
  // Without a request too: the token is refused for every request.
  await simulator.sees('Denied: sign-in fails', /The service refuses this token/);
  await simulator.ask({ operation: 'Write', name: 'payments-settled' });
  await until(async () => {
    const reasons = await simulator.reasons();
    assert.equal(reasons['Also fails'], 'Audience');
    assert.equal(
      reasons['If accepted'],
      "Denied, nothing allows it. User:jonas.lindqvist can't write to topic payments-settled.",
    );
  });
  for (const title of ['Smallest change', 'Whole request', 'Try a change']) {
    const opened = await part(page, title);
    await opened.getByText('Fix it first. ACLs are not evaluated.').waitFor();
    assert.match(await text(opened), /The issuer is https:\/\/other\.example/);
    assert.doesNotMatch(await text(opened), /New ACL|would allow/);
  }
  assert.ok(await page.getByRole('button', { name: 'Save as test' }).isDisabled());

  // The user can choose to ignore the check, and then sees the whole answer.
  await simulator.accept();
  await simulator.sees('Denied, nothing allows it');
  assert.match((await simulator.reasons())['Would allow'], /One ACL that allows Write/);
  await (await part(page, 'Smallest change')).getByRole('heading', { name: 'New ACL' }).waitFor();
});

journey('two people: who cannot sign in is allowed nothing', async ({ page }) => {
  const simulator = new Simulator(page);
  await simulator.withoutProviderKeys();
  await simulator.open();
  await simulator.token.fill(await changed({}));
  await simulator.ask({ operation: 'Read', name: 'payments-settled' });
  await simulator.sees('Allowed, if…');
  const compare = await part(page, 'Compare users');
  const other = compare.getByRole('textbox', { name: 'Access token of the other user' });
  await other.fill(await changed({ claims: { exp: 1, sub: 'somebody' } }));
  const verdicts = compare.getByRole('group', { name: 'Verdicts of both users' });
  await until(async () =>
    assert.match(await text(verdicts), /User:jonas\.lindqvist Allowed, if… .*if the signature is valid User:somebody Denied: sign-in fails .*expired/),
  );
});
