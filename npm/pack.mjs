// Packs the packages of npm into a folder: `node npm/pack.mjs launcher|platform|engine --out DIR`. Only the packed ones have addresses, and
// only these can be published.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LAUNCHER = join(ROOT, 'npm/gbac');
const shell = process.platform === 'win32';
const read = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Runs `npm pack` in a folder; returns the path of the tarball. */
function npmPack(folder, out, ...more) {
  const words = ['pack', '--json', '--loglevel=error', '--pack-destination', resolve(out), ...more];
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { cwd: folder, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'inherit'] }));
  return join(resolve(out), filename);
}

/** The addresses of a package, if the repository has one. */
function addresses(repository, directory) {
  if (!repository) return {};
  return { homepage: `${repository}#readme`, bugs: `${repository}/issues`, repository: { type: 'git', url: `git+${repository}.git`, directory } };
}

/** Compresses a tarball again, with the program, whose result is 2% smaller than that of Node. */
function compressed(tarball) {
  const smaller = spawnSync('gzip', ['-9n'], { input: gunzipSync(readFileSync(tarball)), maxBuffer: 2 ** 28 });
  if (smaller.status === 0) writeFileSync(tarball, smaller.stdout);
  return tarball;
}

/** Packs what `fill` writes into an empty folder. */
function staged(out, fill) {
  const folder = mkdtempSync(join(tmpdir(), 'gbac-pack-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(fill(folder), null, 2) + '\n');
    mkdirSync(out, { recursive: true });
    return compressed(npmPack(folder, out, '--ignore-scripts'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const copy = (folder, ...names) => names.forEach((name) => copyFileSync(join(ROOT, name), join(folder, name)));

/** The package `gbac`, with the console for platforms without a program. */
export function packLauncher({ out, repository, console: page }) {
  return staged(out, (folder) => {
    for (const name of ['bin', 'lib', 'README.md']) cpSync(join(LAUNCHER, name), join(folder, name), { recursive: true });
    copy(folder, 'LICENSE', 'CHANGELOG.md');
    cpSync(page, join(folder, 'console'), { recursive: true });
    return { ...read(LAUNCHER), ...addresses(repository, 'npm/gbac') };
  });
}

/** The package of a platform, such as `linux-x64-gnu`. */
export function packPlatform({ out, repository, platform, binary }) {
  const { version, license, optionalDependencies, publishConfig } = read(LAUNCHER);
  const name = `gbac-${platform}`;
  if (!(name in optionalDependencies)) throw new Error(`npm/gbac/package.json does not name the package ${name}`);
  const [os, cpu, libc] = platform.split('-');
  return staged(out, (folder) => {
    const program = join('bin', os === 'win32' ? 'gbac.exe' : 'gbac');
    mkdirSync(join(folder, 'bin'));
    copyFileSync(binary, join(folder, program));
    chmodSync(join(folder, program), 0o755);
    copy(folder, 'LICENSE');
    writeFileSync(join(folder, 'README.md'), `# ${name}\n\nThe program of the package \`gbac\` for ${platform}.\n`);
    return {
      name, version, description: `The program of gbac for ${platform}`, license, os: [os], cpu: [cpu],
      ...(libc && { libc: [libc === 'gnu' ? 'glibc' : libc] }), files: ['bin'], preferUnplugged: true, publishConfig, ...addresses(repository, 'npm/gbac'),
    };
  });
}

/** The package `gbac-engine`; its modules and tools must be there (`cargo xtask build-js`). */
export function packEngine({ out, repository }) {
  const source = mkdtempSync(join(tmpdir(), 'gbac-pack-'));
  try {
    execFileSync('tar', ['-xzf', npmPack(join(ROOT, 'www'), source), '-C', source]);
    const packed = join(source, 'package');
    return staged(out, (folder) => {
      cpSync(packed, folder, { recursive: true });
      const { private: _, scripts, devDependencies, overrides, ...content } = read(packed);
      return { ...content, ...addresses(repository, 'www') };
    });
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

const PACKERS = { launcher: packLauncher, platform: packPlatform, engine: packEngine };

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const string = { type: 'string' };
  const { positionals: [kind], values } = parseArgs({
    allowPositionals: true, options: { out: string, repository: string, platform: string, binary: string, console: string },
  });
  if (!(kind in PACKERS) || !values.out) throw new Error('usage: node npm/pack.mjs launcher|platform|engine --out DIR ...');
  console.log(PACKERS[kind](values));
}
