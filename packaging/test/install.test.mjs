// Tests the installer and the formula: with the archive of the program of this run, from a server of this test.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { writeInstallers } from '../install.mjs';
import { writeProgram } from '../program.mjs';

const { GBAC_BIN: binary } = process.env;
const home = mkdtempSync(join(tmpdir(), 'gbac-install-test-'));
test.after(() => rmSync(home, { recursive: true, force: true }));
const [system, machine] = ['-s', '-m'].map((word) => execFileSync('uname', [word], { encoding: 'utf8' }).trim());
const target = `${machine === 'arm64' ? 'aarch64' : machine}-${system === 'Darwin' ? 'apple-darwin' : 'unknown-linux-musl'}`;
const repository = 'https://example.com/gbac';
const archive = join(home, 'dist/bin', `gbac-${target}.tar.gz`);

writeProgram(binary, join(home, `gbac-${target}`));
mkdirSync(join(home, 'dist/bin'), { recursive: true });
execFileSync('tar', ['-czf', archive, '-C', home, `gbac-${target}`]);
for (const other of ['x86_64-pc-windows-msvc', 'sparc64-apple-darwin']) writeFileSync(join(home, 'dist/bin', `gbac-${other}.tar.gz`), other);
writeInstallers(join(home, 'dist'), '0.1.0', repository);

const server = createServer((request, response) => {
  const file = join(home, 'dist/bin', basename(request.url));
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await new Promise((give) => server.once('listening', give));
test.after(() => server.close());

async function install(folder, more = {}) {
  const env = { PATH: process.env.PATH, GBAC_INSTALL: folder, GBAC_RELEASE: `http://127.0.0.1:${server.address().port}/v`, ...more };
  try {
    const { stdout } = await promisify(execFile)('sh', [join(home, 'dist/install.sh')], { env });
    return { code: 0, out: stdout, err: '' };
  } catch ({ code, stdout, stderr }) {
    return { code, out: stdout, err: stderr };
  }
}

test('the installer installs the program of this machine, and again over itself', async () => {
  const folder = join(home, 'bin');
  for (let count = 0; count < 2; count += 1) {
    const { code, out, err } = await install(folder);
    assert.equal(code, 0, err);
    assert.match(out, /^gbac 0\.1\.0\nAdd .*\/bin to PATH\.\n$/);
  }
});

test('a download that fails or that was changed installs nothing', async () => {
  const folder = join(home, 'nothing');
  appendFileSync(archive, 'x');
  const changed = await install(folder);
  assert.match(changed.err, /^gbac is not installed: the SHA-256 of .* download it again\n$/);
  renameSync(archive, `${archive}.away`);
  const missing = await install(folder);
  assert.match(missing.err, /gbac is not installed: cannot download http:.*\n$/);
  assert.deepEqual([changed.code, missing.code, existsSync(folder)], [1, 1, false]);
});

test('the formula names each archive that it can install', () => {
  const formula = readFileSync(join(home, 'dist/gbac.rb'), 'utf8');
  assert.deepEqual([...formula.matchAll(/url "(.*)"/g)].map(([, url]) => url), [`${repository}/releases/download/v0.1.0/gbac-${target}.tar.gz`]);
  assert.equal(formula.match(/sha256 "[0-9a-f]{64}"/g).length, 1);
  assert.doesNotMatch(formula + readFileSync(join(home, 'dist/install.sh'), 'utf8'), /@[A-Z]+@/);
});
