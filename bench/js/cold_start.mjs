// `node cold_start.mjs FOLDER [--quick]`: measures a new Node process from its first line to the first decision with 1,000
// ACLs, alternately with the engine and with Cedar. With the argument `engine` or `cedar`, it is that process.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const [folder, who] = process.argv.slice(2);
const ACLS = 1_000;
const GROUPS = 10;
const prepared = join(folder, 'cold_start.json');

const starts = {
  async engine(started, { query, identity }) {
    const { check, load } = await import('./engine.mjs');
    const text = readFileSync(join(folder, String(ACLS), 'policy.json'), 'utf8');
    // The promised time begins when the program is loaded: instantiate, load and decide.
    const imported = performance.now();
    const policy = await load(text);
    const allowed = check(policy, { identities: [identity], queries: [{ ...query, identity: 0 }] })(0);
    return [performance.now() - started, allowed, performance.now() - imported];
  },
  async cedar(started, { call }) {
    const { load } = await import('./cedar.mjs');
    const cedar = await load(readFileSync(`${prepared}.cedar`, 'utf8'), 'acls');
    const allowed = cedar.statefulIsAuthorized(call).response.decision === 'allow';
    return [performance.now() - started, allowed];
  },
};

if (who in starts) {
  const facts = JSON.parse(readFileSync(prepared, 'utf8'));
  const [milliseconds, allowed, decided] = await starts[who](performance.now(), facts);
  if (allowed !== facts.query.allowed) throw new Error(`${who} and the naive reference differ at a cold start`);
  console.log(JSON.stringify([milliseconds, decided]));
} else {
  const { call, policies } = await import('./cedar.mjs');
  const { asking, policyText, principalsOf, rolesOf } = await import('./workload.mjs');
  const { median } = await import('./measure.mjs');
  const document = JSON.parse(policyText(folder, ACLS));
  const all = asking(folder, ACLS, GROUPS);
  const query = all.queries.find(({ allowed }) => allowed);
  const identity = all.identities[query.identity];
  const facts = { query, identity, call: call(principalsOf(identity, rolesOf(document)), query, identity.user, 'acls') };
  writeFileSync(prepared, JSON.stringify(facts));
  writeFileSync(`${prepared}.cedar`, policies(document));

  const times = { engine: [], cedar: [] };
  const first = [];
  // Whole processes: one that makes a single decision, and one that does nothing.
  const whole = { engine: [], empty: [] };
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const wholeOf = (args) => {
    const started = performance.now();
    execFileSync(process.execPath, args);
    return performance.now() - started;
  };
  for (let count = 0; count < (process.argv.includes('--quick') ? 7 : 21); count++) {
    for (const who of Object.keys(starts)) {
      const printed = execFileSync(process.execPath, [fileURLToPath(import.meta.url), folder, who], { encoding: 'utf8' });
      const [milliseconds, decided] = JSON.parse(printed);
      times[who].push(milliseconds);
      if (who === 'engine') first.push(decided);
    }
    whole.engine.push(wholeOf([fileURLToPath(import.meta.url), folder, 'engine']));
    whole.empty.push(wholeOf([empty]));
  }
  const row = (name, milliseconds) => ({ name, acls: ACLS, groups: GROUPS, ns_median: median(milliseconds) * 1e6, checked: 1 });
  const results = [row('cold_start', times.engine), row('cold_start_cedar', times.cedar), row('js_first_decision', first),
    row('js_process', whole.engine), row('js_process_empty', whole.empty), entryBytes()];
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'parts', 'node-cold_start.json'), JSON.stringify({ results, versions: [] }, null, 1));
}

/** The downloaded bytes of the default entry, each file after brotli. */
function entryBytes() {
  const www = new URL('../../www/', import.meta.url);
  const files = new Set();
  const add = (url) => {
    if (files.has(url.href)) return;
    files.add(url.href);
    for (const [, path] of readFileSync(url, 'utf8').matchAll(/^(?:import|export)\b.* from '(\..*)';$/gm)) add(new URL(path, url));
  };
  add(new URL('index.js', www));
  const bytes = [...files].reduce((sum, href) => sum + brotliCompressSync(readFileSync(new URL(href))).length, 0);
  return { name: 'js_entry_brotli', acls: 0, groups: 0, bytes };
}
