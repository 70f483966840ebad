// Tests the launcher as users get it: packed with the program of this test run, and installed from the tarballs without a network.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packLauncher, packPlatform } from '../pack.mjs';

const { GBAC_BIN: binary } = process.env;
const isWindows = process.platform === 'win32';
const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
const libc = process.platform === 'linux' ? [isMusl ? 'musl' : 'gnu'] : [];
const platform = [process.platform, process.arch, ...libc].join('-');

const home = mkdtempSync(join(tmpdir(), 'gbac-launcher-'));
const page = join(home, 'console');
mkdirSync(join(page, 'parts'), { recursive: true });
writeFileSync(join(page, 'index.html'), '<!doctype html><title>GBAC</title>');
writeFileSync(join(page, 'parts', 'a-0f.wasm'), '\0asm');
const tarballs = [packLauncher({ out: home, console: page }), packPlatform({ out: home, platform, binary: withoutSymbols(binary) })];
const withProgram = install('with', tarballs);
const withoutProgram = install('without', tarballs.slice(0, 1));
test.after(() => rmSync(home, { recursive: true, force: true }));

/** A copy without debug information, where a program can make one: packing it takes a third of the time. */
function withoutSymbols(file) {
  const copy = join(home, basename(file));
  try {
    execFileSync('strip', ['-o', copy, file], { stdio: 'ignore' });
    return copy;
  } catch {
    return file;
  }
}

/** Installs tarballs into an empty folder; returns the path of the launcher. */
function install(name, files) {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const words = ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...files.map((file) => `../${basename(file)}`)];
  execFileSync('npm', words, { cwd: folder, shell: isWindows, env: { ...process.env, npm_config_cache: join(home, 'cache') } });
  return join(folder, 'node_modules/gbac/bin/gbac.js');
}

/** Starts the launcher, with a home folder that nothing can write to. */
function start(t, launcher, words, { env } = {}) {
  const nowhere = join(home, 'nowhere', 'home');
  const child = spawn(process.execPath, [launcher, ...words], {
    cwd: home, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: nowhere, USERPROFILE: nowhere, XDG_CONFIG_HOME: nowhere, ...env },
  });
  t.after(() => child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.on('data', (bytes) => { said.out += bytes; });
  child.stderr.on('data', (bytes) => { said.err += bytes; });
  const ended = new Promise((give) => child.on('close', (code, signal) => give({ code, signal, ...said })));
  const listening = new Promise((give, fail) => {
    child.stdout.on('data', () => {
      const [, url] = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(said.out) ?? [];
      if (url !== undefined) give(url);
    });
    void ended.then(({ code, err }) => fail(new Error(`ended with ${code}: ${err}`)));
  });
  listening.catch(() => {});
  return { child, ended, listening };
}

const run = (t, words, options) => start(t, withProgram, words, options).ended;

/** The response to a path exactly as it is written, which `fetch` would normalize. */
const raw = (url, path) => new Promise((give, fail) => {
  get(url, { path }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (text) => { body += text; });
    response.on('end', () => give({ status: response.statusCode, type: response.headers['content-type'], body }));
  }).on('error', fail);
});

test('without arguments, a demonstration answers a verdict and ends with SIGTERM', async (t) => {
  for (const words of [[], ['--no-open']]) {
    const { child, ended, listening } = start(t, withProgram, words);
    const url = await listening;
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const authorization = `Basic ${Buffer.from('admin:demo').toString('base64')}`;
    const body = JSON.stringify({
      subject: { type: 'user', id: 'nobody' }, action: { name: 'read' }, resource: { type: 'topic', id: 'no-such-topic' },
    });
    const evaluation = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body };
    const response = await fetch(`${url}/access/v1/evaluation`, evaluation);
    assert.equal((await response.json()).decision, false);
    child.kill('SIGTERM');
    const { code, signal } = await ended;
    if (!isWindows) assert.deepEqual({ code, signal }, { code: 0, signal: null });
    await assert.rejects(fetch(`${url}/readyz`), 'the program ended, too');
  }
});

test('every command, with its streams and its exit code', async (t) => {
  const policy = fileURLToPath(new URL('../../examples/policy.json', import.meta.url));
  const question = ['--user', 'ana', '--operation', 'write', '--topic', 'payments-events', '--format', 'json'];
  const check = (...groups) => run(t, ['check', '--policy', policy, ...question, ...groups]);
  const [ana, ben] = [await check('--group', 'payments-team'), await check()];
  assert.equal(ana.code, 0, ana.err);
  assert.equal(ben.code, 2, ben.err);
  assert.equal(JSON.parse(ben.out).outcome, 'deny');
  const unknown = await run(t, ['chekc']);
  assert.equal(unknown.code, 64);
  assert.match(unknown.err, /check/);
});

test('a port that is taken', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await new Promise((give) => taken.once('listening', give));
  const { port } = taken.address();
  const { code, out, err } = await run(t, ['serve', '--demo', '--listen', `127.0.0.1:${port}`]);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, new RegExp(`127\\.0\\.0\\.1:${port}`));
});

test('without the package of the platform, one sentence and the console without a service', async (t) => {
  const command = await start(t, withoutProgram, ['check', '--help']).ended;
  assert.deepEqual([command.code, command.out], [1, '']);
  const version = JSON.parse(readFileSync(new URL('../gbac/package.json', import.meta.url), 'utf8')).version;
  assert.match(command.err, new RegExp(`^gbac: The package gbac-${platform} is not installed; run \`npm install gbac-${platform}@${version}\`, .*\n$`));

  const { child, ended, listening } = start(t, withoutProgram, []);
  const url = await listening;
  for (const path of ['/', '/security/simulator']) assert.match(await (await fetch(url + path)).text(), /<title>GBAC/);
  assert.equal((await raw(url, '/parts/a-0f.wasm')).type, 'application/wasm');
  assert.equal((await raw(url, '/missing-0f.js')).status, 404);
  for (const path of ['/../package.json', '/..%2fpackage.json', '//etc/passwd', '/%00.js', '/parts/../../package.json', '\\..\\package.json']) {
    assert.doesNotMatch((await raw(url, path)).body, /"name": "gbac"|root:/, path);
  }
  child.kill('SIGTERM');
  const { err } = await ended;
  assert.match(err, /^gbac: The package .* evaluates tokens in your browser\.\n$/);
});

test('a platform that no package is for', async () => {
  const { packagesFor } = await import('../gbac/lib/platform.js');
  assert.deepEqual(packagesFor('linux', 'x64', true), ['gbac-linux-x64-gnu', 'gbac-linux-x64-musl']);
  assert.deepEqual(packagesFor('linux', 'arm64', false), ['gbac-linux-arm64-musl']);
  assert.deepEqual(packagesFor('freebsd', 'x64', false), ['gbac-freebsd-x64']);
});

test('the versions of the packages are those of the crates', () => {
  const [, version] = /^version = "(.*)"$/m.exec(readFileSync(new URL('../../Cargo.toml', import.meta.url), 'utf8'));
  const launcher = JSON.parse(readFileSync(new URL('../gbac/package.json', import.meta.url), 'utf8'));
  const engine = JSON.parse(readFileSync(new URL('../../www/package.json', import.meta.url), 'utf8'));
  assert.deepEqual(new Set([launcher.version, engine.version, ...Object.values(launcher.optionalDependencies)]), new Set([version]));
});
