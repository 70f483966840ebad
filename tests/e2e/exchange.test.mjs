// Export and import: what goes out runs nothing and comes back, and what another tool prints is read.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAccessible } from './support/axe.mjs';
import { download } from './support/downloads.mjs';
import { open } from './support/exchange.mjs';
import { dropFile, heading } from './support/fields.mjs';
import { stage } from './support/journey.mjs';
import { giveReason } from './support/review.mjs';
import { until } from './support/until.mjs';

const { set, journey } = stage();
const run = promisify(execFile);
/** A name that runs something, breaks a line and steers a terminal, where it is not quoted. */
const HOSTILE = '$(id)\n\u001b[31m`id`\'"; id #\u202e';

const HOSTILE_ACL = {
  resource_type: 'RESOURCE_TYPE_TOPIC',
  resource_name: 'orders-hostile',
  resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
  principal: `Group:${HOSTILE}`,
  host: '*',
  operation: 'OPERATION_READ',
  permission_type: 'PERMISSION_TYPE_ALLOW',
};

/** A document as a set: its rows in an order. */
const sorted = (document) => ({
  ...document,
  acls: document.acls.map((acl) => JSON.stringify(acl, Object.keys(acl).sort())).sort(),
  roles: document.roles.map((role) => JSON.stringify(role)).sort(),
});

/** Saves the export of a form; gives its text. */
async function save(t, page, form) {
  await page.getByLabel('Format', { exact: true }).selectOption(form);
  const file = await download(t, page, () => page.getByRole('button', { name: /^Save policy/ }).click());
  return file.text;
}

/** Runs a script under sh where the program writes its arguments down and does nothing else. */
async function recorded(script, program) {
  const folder = await mkdtemp(join(tmpdir(), 'gbac-exchange-'));
  try {
    const log = join(folder, 'calls');
    // Each argument ends with a NUL, each call with two.
    // Scripts of rpk assign groups with curl.
    for (const name of new Set([program, 'curl'])) {
      await writeFile(join(folder, name), '#!/bin/sh\nprintf \'%s\\0\' "$@" >> "$CALLS"\nprintf \'\\0\' >> "$CALLS"\n', {
        mode: 0o755,
      });
    }
    // Were a name run, this would be found.
    await writeFile(join(folder, 'id'), '#!/bin/sh\necho ran >> "$CALLS.ran"\n', { mode: 0o755 });
    await writeFile(join(folder, 'script.sh'), script);
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      CALLS: log,
      GBAC_URL: 'https://gbac.example',
      GBAC_ADMIN_URL: 'https://gbac.example',
      GBAC_TOKEN: 'token',
    };
    await run('sh', [join(folder, 'script.sh')], { env, cwd: folder });
    const ran = await readFile(`${log}.ran`, 'utf8').catch(() => '');
    assert.equal(ran, '', 'a name was run');
    const calls = (await readFile(log, 'utf8')).split('\0\0').slice(0, -1);
    return calls.map((call) => call.split('\0'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

journey('a hostile name goes out unharmed, runs nothing, and comes back', { clipboard: true }, async ({ page, t }) => {
  const before = await set.service.policy();
  const hostile = {
    ...before,
    roles: [...before.roles, { name: 'Hostile', members: [{ principal: `Group:${HOSTILE}` }] }],
    acls: [...before.acls, HOSTILE_ACL],
  };
  await set.service.putPolicy(hostile);
  await open(page);

  // The document says the same, and shows no character that cannot be seen.
  const document = await save(t, page, 'Policy document');
  assert.deepEqual(sorted(JSON.parse(document)), sorted(await set.service.policy()));
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(document));
  await page.getByRole('button', { name: 'Copy all' }).click();
  await until(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), document));

  // A table goes out and comes back; resources say what they leave out.
  assert.match(await save(t, page, 'CSV'), /^principal,host,resource_type,resource_name,pattern_type,operation,permission\n/);
  assert.match(await save(t, page, 'Terraform'), /resource "redpanda_role"/);
  assert.match(await save(t, page, 'Kubernetes operator'), /kind: RedpandaRole/);
  assert.match(await save(t, page, 'Strimzi'), /^# not written: role `Hostile` with its member: Strimzi has no roles$/m);

  // The scripts under a shell: each name is one argument, letter by letter.
  for (const [form, program, list] of [
    ['gbac script', 'gbac', true],
    ['rpk script', 'rpk', true],
    ['curl script', 'curl', false],
  ]) {
    const script = await save(t, page, form);
    assert.ok(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(script), form);
    const calls = await recorded(script, program);
    const words = calls.flat();
    if (list) {
      // A flag takes a list, in which the name is quoted.
      const entry = `"Group:${HOSTILE.replaceAll('"', '""')}"`;
      assert.ok(words.includes(entry), `${form} has the name as an argument`);
    } else {
      const bodies = words.filter((word) => word.startsWith('{')).map((word) => JSON.parse(word));
      assert.ok(bodies.some((body) => body.principal === `Group:${HOSTILE}`), 'a body has the name');
      assert.ok(
        bodies.some((body) => body.add?.some?.(({ principal }) => principal === `Group:${HOSTILE}`)),
        'a body has the member',
      );
    }
  }

  // Back in: the service without it, the document pasted, the difference reviewed and applied.
  await set.service.putPolicy(before);
  await open(page);
  await page.getByRole('textbox', { name: /^Policy document/ }).fill(document);
  await page.getByText('Compared with the current policy: 3 rows added, 0 rows removed.').waitFor();
  await page.getByRole('button', { name: 'Add 3 changes to the draft' }).click();
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: 'Review 3 changes' }).click();
  await giveReason(page);
  await page.getByRole('button', { name: 'Apply 3 changes' }).click();
  await heading(page, '3 changes applied').waitFor();
  await until(async () => assert.deepEqual(sorted(await set.service.policy()), sorted(hostile)));
  await set.service.putPolicy(before);
});

journey('what kafka-acls prints is read, and a dropped file too', async ({ page }) => {
  const listed = [
    'Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=from-kafka, patternType=LITERAL)`:',
    '\t(principal=Group:eng, host=*, operation=READ, permissionType=ALLOW)',
    '\t(principal=Nobody:x, host=*, operation=READ, permissionType=ALLOW)',
    '',
  ].join('\n');
  await open(page);
  await page.getByRole('textbox', { name: /^Policy document/ }).fill(listed);
  await page.getByRole('heading', { name: '1 entry could not be read' }).waitFor();
  await page.getByText('line 3', { exact: true }).waitFor();
  // Nothing is added without the entry that could not be read, unless the user says so.
  const add = page.getByRole('button', { name: 'Add 1 change to the draft' });
  const skip = page.getByRole('checkbox', { name: 'Skip 1 entry that could not be read' });
  assert.ok(await add.isDisabled());
  await isAccessible(page, 'exchange, with an entry to skip');
  await skip.check();
  assert.ok(await add.isEnabled());
  await page.locator('#import-file').setInputFiles({ name: 'acls.txt', mimeType: 'text/plain', buffer: Buffer.from(listed) });
  await page.getByText('acls.txt', { exact: true }).waitFor();
  await add.waitFor();

  await page.getByRole('textbox', { name: /^Policy document/ }).fill('');
  await dropFile(page.locator('#h-import'), 'dropped.txt', listed);
  await page.getByText('dropped.txt', { exact: true }).waitFor();
  // The text is read when it has not changed for a moment.
  await until(async () => assert.equal(await skip.isChecked(), false, 'of another text, another decision'));
  await skip.check();
  await add.click();
  await page.getByRole('region', { name: 'Draft' }).getByRole('link', { name: 'Review 1 change' }).click();
  await giveReason(page);
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await heading(page, '1 change applied').waitFor();
  await until(async () =>
    assert.deepEqual(await set.service.acls('Group:eng'), ['allow read topic literal from-kafka from * for Group:eng']),
  );
});
