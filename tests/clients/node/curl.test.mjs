// The specification's calls as README.md shows them, by curl itself, against the demonstration; each answers what it says.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startService } from '../../e2e/support/service.mjs';

const run = promisify(execFile);
/** Where the demonstration of the README listens. */
const SHOWN = 'http://127.0.0.1:8420';
/** What a line with an answer begins with, and what stands for what differs from run to run. */
const [ANSWER, ANYTHING] = ['#> ', '…'];
/** Ends what one command prints; JSON has no such character. */
const END = '\x04';

let service;
before(async () => (service = await startService()));
after(() => service?.stop());

/** The shell lines of the section, and what the calls among them answer, in order. */
function shown() {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, code] =
    readme.match(/^## The service\n[^]*?^```sh\n([^]*?)^```$/m) ?? assert.fail('README.md shows no calls');
  const lines = code.replaceAll(SHOWN, service.origin).split('\n');
  const answers = lines.filter((line) => line.startsWith(ANSWER)).map((line) => line.slice(ANSWER.length));
  const script = lines.map((line) => (line.startsWith(ANSWER) ? `printf '${END}'` : line)).join('\n');
  return { script, answers };
}

test('the calls of the README answer what it says', async () => {
  const { script, answers } = shown();
  for (const call of ['/v1/clusters/', '/v1/acls', '/members', 'filter.principal=', '"add"', '"remove"'])
    assert.ok(script.includes(call), call);
  for (const operation of ['AddRoleMembers', 'RemoveRoleMembers', 'GetRole', 'ListRoles', 'ResolveOidcIdentity'])
    assert.ok(script.includes(`/${operation} `), operation);
  const calls = script.match(/^curl /gm).length;
  assert.equal(answers.length, calls, 'every call has its answer below it');

  // A person's .curlrc and proxies are not the README's.
  const { PATH, TMPDIR } = process.env;
  const { stdout } = await run('sh', ['-euc', script], { env: { PATH, ...(TMPDIR && { TMPDIR }) } });
  const printed = stdout.split(END);
  assert.equal(printed.pop(), '');
  assert.equal(printed.length, answers.length);
  printed.forEach((text, at) => {
    const parts = answers[at].split(ANYTHING).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    assert.match(text, new RegExp(`^${parts.join('.*')}$`));
  });

  // What curl changed is in force.
  assert.deepEqual(await service.members('ReportingLegacy'), ['Group:/departments/eng', 'Group:finance']);
  assert.deepEqual(await service.acls('Group:/departments/eng'), [
    'allow read topic literal orders from * for Group:/departments/eng',
  ]);
});
