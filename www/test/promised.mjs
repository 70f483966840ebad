// The output that a program documents: `console.log(..); // text`.
import assert from 'node:assert/strict';

export function promised(code) {
  const lines = [...code.matchAll(/console\.log\(.*\); +\/\/ (.*)/g)].map(([, text]) => text);
  assert.ok(lines.length > 0, 'the program promises nothing');
  return lines;
}
