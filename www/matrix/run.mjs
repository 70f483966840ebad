// `node run.mjs [--short] [--write] [NAME...]`: runs environments one after the other and prints their results; `--write` also writes
// the table of the README, if all of them passed.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXPECTED, missing, prepare, select, verdictOf, versionOf } from './matrix.mjs';
import { README, tableOf, withTable } from './table.mjs';

const { values: { short, write }, positionals } = parseArgs({ options: { short: { type: 'boolean' }, write: { type: 'boolean' } }, allowPositionals: true });
if (write && (short || positionals.length > 0)) throw new Error('`--write` needs all environments');
const chosen = select(positionals, short);
const tarball = prepare();
let failed = 0;
for (const environment of chosen) {
  const absent = missing(environment);
  const started = performance.now();
  const verdict = absent === undefined ? await verdictOf(environment, tarball).catch((error) => error) : `not tested: ${absent}`;
  const isRight = verdict === EXPECTED;
  if (!isRight) failed += 1;
  const text = verdict instanceof Error ? `${verdict.message}\n${verdict.stdout ?? ''}` : verdict;
  console.log(`${isRight ? 'ok    ' : 'FAILED'} ${environment.name.padEnd(18)} ${versionOf(environment).padEnd(10)} ${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${isRight ? '' : text}`);
}
if (write && failed === 0) writeFileSync(README, withTable(readFileSync(README, 'utf8'), tableOf()));
process.exitCode = failed === 0 ? 0 : 1;
