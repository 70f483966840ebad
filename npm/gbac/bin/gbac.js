#!/usr/bin/env node
// Runs the program of this platform. Without arguments, it starts a demonstration and opens its console.
import { findProgram } from '../lib/platform.js';
import { runProgram } from '../lib/run.js';
import { serveConsole } from '../lib/console.js';

const DEMO = ['serve', '--demo', '--listen', '127.0.0.1:0'];

const words = process.argv.slice(2);
const isDemo = words.length === 0 || (words.length === 1 && words[0] === '--no-open');
const { program, missing } = findProgram();
if (program !== undefined) {
  runProgram(program, isDemo ? [...DEMO, ...(words.length === 0 ? ['--open'] : [])] : words);
} else if (isDemo) {
  console.error(`gbac: ${missing} The console runs without a service instead: its simulator evaluates tokens in your browser.`);
  serveConsole();
} else {
  console.error(`gbac: ${missing}`);
  process.exitCode = 1;
}
