// Tests that the JavaScript of the documentation prints what it says, and that the JavaScript in the package's README is part of
// tested examples.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promised } from './promised.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the JavaScript of the guide for Node prints what it says', () => {
  const page = readFileSync(new URL('../../docs/how-to/embed-node.md', import.meta.url), 'utf8');
  const [, code] = page.match(/```js\n([\s\S]*?)```/) ?? assert.fail('the page has no JavaScript');
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' });
  assert.deepEqual(printed.trimEnd().split('\n'), promised(code));
});

test('the programs in the README of the package, and in the guide for React, are parts of the examples', () => {
  const pages = ['../README.md', '../../docs/how-to/embed-react.md'];
  const readme = pages.map((page) => readFileSync(new URL(page, import.meta.url), 'utf8')).join('\n');
  const folder = new URL('../examples/', import.meta.url);
  const examples = readdirSync(folder).filter((name) => name.endsWith('.mjs')).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const programs = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code).filter((code) => /^(import|const) /m.test(code));
  assert.equal(programs.length, 6);
  for (const program of programs) assert.ok(examples.some((example) => example.includes(program)), program);
});
