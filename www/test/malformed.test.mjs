// Tests malformed calls through every entry: with the embedded module, and with one that `init` is given.
import test from 'node:test';
import { readFileSync } from 'node:fs';
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
