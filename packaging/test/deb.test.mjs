// Tests the Debian package: its unit, and that it is installed, serves, is upgraded and removed, in a root folder of its own.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDeb } from '../deb.mjs';
import { writeProgram } from '../program.mjs';

const { GBAC_BIN: binary, CI } = process.env;
const home = mkdtempSync(join(tmpdir(), 'gbac-deb-test-'));
const run = (program, words, options) => execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
const asSuperuser = ([program, ...words], options) => (process.getuid() === 0 ? run(program, words, options) : run('sudo', ['-n', program, ...words], options));
test.after(() => asSuperuser(['rm', '-rf', home]));

const works = (program, ...words) => {
  try {
    run(program, words);
    return true;
  } catch {
    return false;
  }
};

/** Why a test cannot run here; hosted workflows have everything. */
function missing(...programs) {
  const absent = programs.filter((program) => !works(program, '--version'));
  if (absent.length === 0 || CI) return false;
  return `not installed: ${absent.join(', ')}`;
}

/** Runs dpkg as the superuser of the root folder. */
function dpkg(root, ...words) {
  const env = { ...process.env, LC_ALL: 'C', PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return asSuperuser(['dpkg', `--root=${root}`, '--force-script-chrootless', '--force-depends', ...words], { env });
}

/** Packs the program of this run as a version. */
function deb(version) {
  const folder = join(home, 'program');
  if (!existsSync(folder)) writeProgram(binary, folder);
  // The program of this run is large.
  return writeDeb(folder, home, version, 'https://example.com/gbac', ['-Zgzip', '-z1']);
}

/** The options of a section of the unit. */
function unit(file) {
  const values = {};
  for (const [, name, value] of readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) (values[name] ??= []).push(value);
  return values;
}

test('systemd accepts the unit, and rates its exposure as low', { skip: missing('systemd-analyze') }, () => {
  const folder = join(home, 'unit');
  mkdirSync(folder);
  // The program of the unit must exist.
  const source = new URL('../debian/gbac.service', import.meta.url);
  const file = join(folder, 'gbac.service');
  writeFileSync(file, readFileSync(source, 'utf8').replaceAll('/usr/bin/gbac', binary));
  assert.equal(run('systemd-analyze', ['verify', '--man=no', file]), '');
  const rating = run('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=20', file]);
  assert.match(rating, /Overall exposure level for gbac\.service: [01]\.\d OK/);
});

test('installed, started, upgraded, removed and purged', { skip: missing('dpkg', 'dpkg-deb', 'systemd-sysusers') }, async (t) => {
  const root = join(home, 'root');
  for (const folder of ['var/lib/dpkg/updates', 'var/lib/dpkg/info', 'etc']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['var/lib/dpkg/status', 'var/lib/dpkg/available', 'etc/passwd', 'etc/group']) writeFileSync(join(root, file), '');
  const state = () => dpkg(root, '--status', 'gbac');

  const [first, second] = [deb('0.1.0'), deb('0.1.1')];
  assert.equal(run('dpkg-deb', ['--field', first, 'Homepage']), 'https://example.com/gbac\n');
  dpkg(root, '--install', first);
  assert.match(state(), /Status: install ok installed\n[^]*Version: 0\.1\.0\n/);
  const data = join(root, 'var/lib/gbac');
  const { uid, mode } = statSync(data);
  const [, account] = /^gbac:[^:]*:(\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'));
  assert.deepEqual([uid, mode & 0o777], [Number(account), 0o700]);
  for (const file of ['usr/share/man/man1/gbac-serve.1.gz', 'usr/share/bash-completion/completions/gbac', 'usr/lib/sysusers.d/gbac.conf']) {
    assert.ok(existsSync(join(root, file)), file);
  }

  // The command line of the unit, with the paths of the root folder.
  const values = unit(join(root, 'usr/lib/systemd/system/gbac.service'));
  assert.equal(values.ExecStart.length, 1);
  const config = join(root, 'etc/gbac/gbac.toml');
  const [program, ...words] = values.ExecStart[0].split(' ').map((word) => (word.startsWith('/') ? join(root, word) : word));
  const serve = async (password) => {
    const env = { GBAC_SERVE_DATA: join(home, 'data'), GBAC_SERVE_LISTEN: '127.0.0.1:0', GBAC_ADMIN_PASSWORD: password };
    const service = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => service.kill('SIGKILL'));
    const url = await new Promise((give, fail) => {
      service.stdout.on('data', (line) => give(/^listening on (\S+)/.exec(line)[1]));
      service.on('exit', fail);
    });
    const stop = async () => {
      const ended = new Promise((give) => service.on('exit', give));
      service.kill('SIGTERM');
      assert.equal(await ended, 0);
    };
    const gbac = (...command) => run(program, command, { env: { GBAC_URL: url, GBAC_USER: 'admin', GBAC_PASSWORD: password } });
    return { gbac, stop };
  };
  const before = await serve('a long password of this test');
  before.gbac('ready');
  before.gbac('security', 'role', 'create', 'kept');
  await before.stop();

  appendFileSync(config, '# edited\n');
  writeFileSync(join(data, 'kept'), '');
  dpkg(root, '--install', second);
  assert.match(state(), /Version: 0\.1\.1\n/);
  assert.match(readFileSync(config, 'utf8'), /# edited\n$/);
  assert.ok(existsSync(join(data, 'kept')));
  const after = await serve('a long password of this test');
  assert.match(after.gbac('security', 'role', 'list'), /^kept$/m);
  await after.stop();

  dpkg(root, '--remove', 'gbac');
  assert.equal(existsSync(join(root, 'usr/bin/gbac')), false);
  assert.ok(existsSync(config) && existsSync(join(data, 'kept')), 'the configuration and the data stay');
  dpkg(root, '--purge', 'gbac');
  assert.equal(existsSync(join(root, 'etc/gbac')) || existsSync(data), false);
});
