// The WebAssembly ABI from Python, where `cargo xtask test` found it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const python = process.env.GBAC_ABI_PYTHON;
const script = fileURLToPath(new URL('vectors.py', import.meta.url));

if (python) {
  test('every vector holds through the WebAssembly ABI in Python', () => {
    const run = spawnSync(python, [script], { encoding: 'utf8', env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    console.log(run.stdout.trim());
  });
}
