// The settings: what another way to read groups would do before it is saved, what is wrong with a field, and what the
// service says about itself. Each journey looks at the service, too.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { accepted, dropFile, refusal, text } from '../support/fields.mjs';
import { stage } from '../support/journey.mjs';
import { Draft } from '../support/review.mjs';
import { SETTINGS, Settings, properties } from '../support/settings.mjs';
import { until } from '../support/until.mjs';

const { set, journey } = stage({ cluster: {} });
const REFUSED = { tolerates: [/Failed to load resource/] };

journey('another claim path: what cannot be known is told on both pages, and nobody is said to lose nothing', async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await settings.path.fill('$.realm_access.roles');
  const unknown = /[Uu]nknown for \d+ groups/;
  await page.getByText(unknown).waitFor();
  const [, today, then, happens] = await settings.row('analytics');
  assert.deepEqual([today, then], ['Group:analytics', 'not known']);
  assert.match(happens, /Unknown: groups are read from another claim/);
  assert.equal(await page.getByText('No change in effective access').count(), 0);
  await settings.form.getByRole('button', { name: 'Review 1 change' }).click();
  await page.getByText(/compared$/).waitFor();
  const review = await text(page.getByRole('region', { name: 'Change in effective access' }));
  assert.match(review, unknown);
  assert.match(review, /operations lost: none that is known/);
  assert.doesNotMatch(review, /No change in effective access|Nobody|0 operations/);
  // A token that has the new claim makes its groups known, here too.
  const field = page.getByRole('textbox', { name: 'Tokens, one of each kind of user' });
  await field.fill(await set.service.token('path-names'));
  await page.getByRole('table', { name: 'Names in tokens and the groups that they become' }).getByRole('row', { name: /^payments-ops not read/ }).waitFor();
  await page.getByText(/^1 token read\. It settles \d+ groups?; /).waitFor();
  assert.ok(await field.evaluate((element) => element === document.activeElement), 'the field stays while it is typed in');
  // One more kind of user, dropped as a file, has no such claim: it loses what the first one keeps.
  const other = await set.service.token('path-names');
  const claims = JSON.parse(Buffer.from(other.split('.')[1], 'base64url').toString());
  await dropFile(field, 'other.json', JSON.stringify({ ...claims, realm_access: undefined, groups: ['payments-ops', 'analytics'] }));
  await page.getByText(/^2 tokens read\. They settle \d+ groups?; /).waitFor();
  const names = page.getByRole('table', { name: 'Names in tokens and the groups that they become' });
  await names.getByRole('row', { name: /^analytics Group:analytics not read/ }).waitFor();
  await names.getByRole('row', { name: /^payments-ops in token 1 not read/ }).waitFor();
  await names.getByRole('row', { name: /^payments-ops in token 2 Group:payments-ops not read/ }).waitFor();
  // What is discarded in the form goes from the draft, too.
  await page.getByRole('link', { name: 'Back to Settings' }).click();
  await settings.form.getByRole('button', { name: 'Discard' }).click();
  await new Draft(page).bar.waitFor({ state: 'detached' });
  assert.equal(await settings.path.inputValue(), '$.groups');
});

journey('another claim path says what it finds, and a wrong one where it is wrong', async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await settings.token.fill(await set.service.token('path-names'));
  await settings.path.fill('$.realm_access.roles');
  await settings.form.getByText('Found in the token: an array of 2 strings').waitFor();
  assert.deepEqual((await settings.row('payments-ops')).slice(1, 3), ['not read', 'Group:payments-ops']);
  await settings.path.fill('$.groups[');
  await refusal(settings.path, /At character 9: .*not closed/);
  await settings.form.getByRole('button', { name: /^Review/ }).click();
  assert.ok(await settings.path.evaluate((field) => field === document.activeElement), 'the wrong field gets focus');
  await settings.path.fill('$.groups');
  await accepted(settings.path);
  assert.ok(await settings.form.getByRole('button', { name: 'Nothing to review' }).isDisabled());
  assert.equal((await properties(set.service.ask)).oidc_group_claim_path, '$.groups');
});

journey('the logger of tokens writes claims for a while, and the time that is left is seen', async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await settings.part('Loggers');
  const level = async () => (await set.service.ask('GET', '/v1/config/log_level/security')).body;
  await settings.loggers.getByRole('combobox', { name: 'Duration' }).selectOption({ label: 'for 5 minutes' });
  await settings.loggers.getByText(/personal data/).waitFor();
  await settings.loggers.getByRole('button', { name: 'Set level' }).click();
  await settings.loggers.getByText(/security at debug, reverts in \d:\d\d/).waitFor();
  const { level: now, expiration } = await level();
  assert.equal(now, 'debug');
  assert.ok(expiration > 0 && expiration <= 300, `${expiration}`);
  const first = await text(settings.loggers.getByRole('listitem').first());
  await until(async () => assert.notEqual(await text(settings.loggers.getByRole('listitem').first()), first));
  await settings.loggers.getByRole('button', { name: 'Back to info for security' }).click();
  await settings.loggers.getByText(/^All \d+ log at info\.$/).waitFor();
  assert.deepEqual(await level(), { name: 'security', level: 'info', expiration: 0 });
});

journey('license, pinned properties, user claim and superusers are told', async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await until(async () => {
    const said = await text(settings.service);
    assert.match(said, /License Valid Groups and roles can be used without a limit\./);
    assert.match(said, /Identity provider http:\S+ set on the command line/);
    assert.match(said, /User claim \$\.sub Superusers User:root Read-only access none Evaluate access none/);
    assert.match(said, /Audit log On/);
  });
  await set.service.ask('PUT', '/gbac/v1/license', { body: { license: 'expired' } });
  try {
    await page.reload();
    await settings.service.getByText('Expired', { exact: true }).waitFor();
    await settings.service.getByText(/What exists goes on counting/).waitFor();
  } finally {
    await set.service.ask('PUT', '/gbac/v1/license', { body: { license: 'valid' } });
  }
});

journey('a service without an identity provider and without audit says so, audit is switched on, and off only when confirmed', REFUSED, async ({ page }) => {
  await set.cluster.setProperties({ audit_enabled: false });
  await page.goto(`${set.cluster.origin}${SETTINGS}`);
  await page.getByRole('textbox', { name: 'User' }).fill('admin');
  await page.getByLabel('Password').fill(set.cluster.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'No identity provider is configured' }).waitFor();
  await page.getByText(/oidc_discovery_url and oidc_token_audience are not set/).waitFor();

  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.getByRole('heading', { name: 'The audit log is off' }).waitFor();
  await page.getByRole('link', { name: 'Turn on the audit log in the settings' }).click();
  const settings = new Settings(page);
  await settings.service.getByRole('button', { name: 'Turn on audit log' }).click();
  await settings.service.getByText('On', { exact: true }).waitFor();
  assert.equal((await properties(set.cluster.ask)).audit_enabled, true);

  // Turning it off loses events for good, so its name is typed to confirm.
  const off = settings.service.getByRole('button', { name: 'Turn off audit log' });
  const dialog = page.getByRole('dialog', { name: 'Turn off the audit log' });
  await off.click();
  await dialog.getByText(/can't be recovered later/).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await properties(set.cluster.ask)).audit_enabled, true);
  await off.click();
  const confirm = dialog.getByRole('button', { name: 'Turn off audit log' });
  const name = dialog.getByRole('textbox', { name: 'Enter audit_enabled to confirm' });
  for (const typed of ['', 'audit', 'AUDIT_ENABLED']) {
    await name.fill(typed);
    await confirm.click();
    await refusal(name, /Enter audit_enabled to confirm/);
    assert.equal((await properties(set.cluster.ask)).audit_enabled, true, `typed ${typed}`);
  }
  // What was typed does not stay in the dialog.
  await name.fill('audit_enabled');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await off.click();
  assert.equal(await name.inputValue(), '');
  await name.fill('audit_enabled');
  await confirm.click();
  await settings.service.getByText('Off', { exact: true }).waitFor();
  assert.equal((await properties(set.cluster.ask)).audit_enabled, false);
});

journey('the mapping of the managed cloud is text to copy, and is checked', { clipboard: true }, async ({ page }) => {
  const settings = new Settings(page);
  await settings.open();
  await settings.part('Managed cloud');
  const panel = page.getByRole('region', { name: 'Managed cloud' });
  const attributes = panel.getByRole('textbox', { name: 'Attributes (JSON)' });
  assert.deepEqual(JSON.parse(await attributes.inputValue()), { federated_groups: '$.groups' });
  await attributes.fill('{ "federated_groups": "$.groups[" }');
  await refusal(attributes, /at character 9/);
  assert.ok(await panel.getByRole('button', { name: 'Copy attributes' }).isDisabled());
  const wanted = '{ "federated_groups": "$.realm_access.roles" }';
  await attributes.fill(wanted);
  await panel.getByText('Valid attributes').waitFor();
  await panel.getByRole('button', { name: 'Copy attributes' }).click();
  await panel.getByText('Copied', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), wanted);
  assert.equal((await set.service.policy()).settings.sso, undefined, 'nothing is changed here');
});

journey('ACLs that may not apply to the Kafka API are told', async ({ page, context }) => {
  // As a cluster reports it that has SASL on single listeners.
  await context.route('**/v1/cluster_config', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), kafka_enable_authorization: null } });
  });
  const settings = new Settings(page);
  await settings.open();
  await settings.service.getByRole('heading', { name: 'ACLs may not apply to the Kafka API' }).waitFor();
  assert.match(await text(settings.service), /kafka_enable_authorization is null, so it follows enable_sasl/);
  await isAccessible(page, 'settings, without authorization');
});
