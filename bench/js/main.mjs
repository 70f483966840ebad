// `node main.mjs FOLDER ACLS [--quick]`: measures the wasm engine and all other engines, for one number of ACLs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as byHand from './by_hand.mjs';
import { abilities, can } from './casl.mjs';
import { enforce } from './casbin.mjs';
import { stateful } from './cedar.mjs';
import * as engine from './engine.mjs';
import { contest, median, runs, time } from './measure.mjs';
import { together } from './together.mjs';
import { asking, fewer, policyText } from './workload.mjs';

const [folder, size] = process.argv.slice(2);
const quick = process.argv.includes('--quick');
const acls = Number(size);

/** The most ACLs for each other engine; beyond, it takes seconds for a decision or minutes to initialize. */
const MOST = { cedar_wasm: 10_000, casbin: 10_000, casl: 100_000 };
/** CASL builds an ability for each identity, with all of the identity's rules. */
const CASL_IDENTITIES = 20;
/** The number of Cedar's calls, which are objects with all groups and roles. No measurement makes more. */
const CEDAR_CALLS = 2_000;

const text = policyText(folder, acls);
const document = JSON.parse(text);
const results = [];

const policy = await engine.load(text);
results.push(await runs({ name: 'wasm_load', acls, groups: 0 }, acls < 1_000_000 ? 5 : 1, async () => {
  const another = await engine.load(text);
  return () => another.free();
}));

for (const groups of [10, 1, 200]) {
  const all = asking(folder, acls, groups);
  const contestants = [];
  const add = (name, answer, queries = all.queries, of = acls) => contestants.push({ name, acls: of, groups, answer, queries });

  add('wasm_check', engine.check(policy, all));
  // Each round opens the identities again, so that none of their outcomes is cached.
  contestants.push({ name: 'wasm_check_first', acls, groups, answer: engine.check(policy, all), queries: all.queries, renew: () => engine.check(policy, all) });
  if (groups === 10 && acls < 1_000_000) add('wasm_check_new', engine.check(await engine.loadWithoutCache(text), all));
  add('wasm_resource', engine.checkResource(policy, all));
  if (groups === 10 && acls === 1_000_000) {
    // Growth is the ratio of two policies in one process, measured alternately.
    const small = asking(folder, 1_000, groups);
    add('wasm_check_beside', engine.check(await engine.load(policyText(folder, 1_000)), small), small.queries, 1_000);
  }
  add('wasm_can', engine.can(policy, all));
  add('js_indexed', byHand.indexed(document, all));
  const remembering = byHand.remembering(document, all);
  const remembered = (place) => {
    const { identity, operation, resource_type, name } = all.queries[place];
    return remembering(identity, operation, resource_type, name);
  };
  add('js_remembered', remembered);
  if (groups === 10) {
    add('js_loop', byHand.loop(document, all));
    if (acls <= MOST.cedar_wasm) add('cedar_wasm', await stateful(document, all, CEDAR_CALLS), all.queries.slice(0, CEDAR_CALLS));
    if (acls <= MOST.casbin) add('casbin', await enforce(document, all));
  }
  if (acls <= MOST.casl) {
    const some = fewer(all, CASL_IDENTITIES);
    add('casl', can(document, some), some.queries);
    const { build } = abilities(document, []);
    results.push({ name: 'casl_build', acls, groups, ns_median: median(some.identities.map((who) => time(() => build(who)))) });
  }
  results.push(...contest(contestants, { quick }));
  if (groups === 10) results.push(...together({ acls, groups, all, policy, engine, remembering, quick }));

  const opening = all.identities.flatMap((who) => Array.from({ length: 5 }, () => time(() => engine.open(policy, who))));
  results.push({ name: 'wasm_open', acls, groups, ns_median: median(opening) });
}

const version = (name) => JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
const versions = ['@cedar-policy/cedar-wasm', '@casl/ability', 'casbin'].map((name) => [name, version(name)]);
mkdirSync(join(folder, 'parts'), { recursive: true });
writeFileSync(join(folder, 'parts', `node-${size.padStart(8, '0')}.json`), JSON.stringify({ results, versions }, null, 1));
