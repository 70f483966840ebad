// Tests the environments of the short form, or all of them with GBAC_MATRIX=long, and the table of the README.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { EXPECTED, missing, prepare, select, verdictOf } from './matrix.mjs';
import { README, tableIn, tableOf } from './table.mjs';

const tarball = prepare();

for (const environment of select([], process.env.GBAC_MATRIX !== 'long')) {
  const absent = missing(environment);
  test(environment.name, { skip: absent }, async () => assert.equal(await verdictOf(environment, tarball), EXPECTED));
}

test('the table of the README is that of the environments', () => {
  assert.equal(tableIn(readFileSync(README, 'utf8')), tableOf());
});
