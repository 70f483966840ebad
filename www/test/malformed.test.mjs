// Tests malformed calls through every entry: with the embedded module, with one that `init` is given, and those of workers and edge
// runtimes.
import test from 'node:test';
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import * as analyze from '../analyze.js';
import * as base from '../index.js';
import * as slimAnalyze from '../slim/analyze.js';
import * as slimBase from '../slim/index.js';
import * as slimVerify from '../slim/verify.js';
import * as verify from '../verify.js';
import { CALLS, callMalformed } from './malformed.mjs';

test('malformed calls are errors with a code, or answers that the oracle gives', (t) => callMalformed(t, { base, verify, analyze }));

test('the same with a module that `init` is given', async (t) => {
  const bytes = (name) => readFileSync(new URL(`../pkg/${name}_bg.wasm`, import.meta.url));
  await slimBase.init(bytes('gbac_engine'));
  await slimVerify.init(bytes('gbac_engine_verify'));
  await slimAnalyze.init(bytes('gbac_engine_analyze'));
  await callMalformed(t, { base: slimBase, verify: slimVerify, analyze: slimAnalyze }, CALLS / 2);
});

/** A loader that compiles imported wasm files, as the bundlers of workers and edge runtimes do. */
const COMPILED = `import { readFileSync } from 'node:fs';
  export async function load(url, context, next) {
    if (!/\\.wasm(\\?module)?$/.test(url)) return next(url, context);
    const bytes = readFileSync(new URL(url.replace('?module', ''))).toString('base64');
    return { format: 'module', shortCircuit: true, source: "export default new WebAssembly.Module(Buffer.from('" + bytes + "', 'base64'));" };
  }`;

for (const folder of ['worker', 'edge']) {
  test(`the same with the entries in ${folder}/`, async (t) => {
    register(`data:text/javascript,${encodeURIComponent(COMPILED)}`);
    const [base, verify, analyze] = await Promise.all(['index', 'verify', 'analyze'].map((name) => import(`../${folder}/${name}.js`)));
    await callMalformed(t, { base, verify, analyze }, CALLS / 2);
  });
}
