// The JavaScript in README.md runs and prints what it says.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the JavaScript of the README prints what it says', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, code] = readme.match(/```js\n([\s\S]*?)```/) ?? assert.fail('README.md has no JavaScript');
  const promised = [...code.matchAll(/console\.log\(.*\); +\/\/ (.*)/g)].map(([, text]) => text);
  assert.ok(promised.length > 0);
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' });
  assert.deepEqual(printed.trimEnd().split('\n'), promised);
});
