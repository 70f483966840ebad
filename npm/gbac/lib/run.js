// Runs a program in place of this process: its streams, its signals and its exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs the program until it ends. */
export function runProgram(program, words) {
  const child = spawn(program, words, { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // Ctrl-C on a terminal reaches the program directly.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`gbac: cannot run ${program}: ${error.message}; install the package again`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
