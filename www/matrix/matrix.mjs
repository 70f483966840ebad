// Installs the packed package into an empty folder for each environment and runs one verdict there.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ENVIRONMENTS } from './environments.mjs';

const SOURCE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = join(SOURCE, '../..');
/** The tools are installed once; each environment has a folder beside them. */
const FOLDER = join(ROOT, 'target/matrix');
const DOCUMENT = {
  version: 1,
  acls: [{
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: 'Group:engineering', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  }],
};
/** The expected output of every environment. */
export const EXPECTED = 'allow deny';

const body = `
async function verdict() {
  const policy = await Policy.load(${JSON.stringify(DOCUMENT)});
  const alice = policy.open({ user: 'alice', groups: ['engineering'] });
  return [alice.check('read', 'topic', 'analytics-events'), alice.check('read', 'topic', 'orders')].join(' ');
}
`;
const PROGRAMS = {
  'program.mjs': `import { Policy } from 'gbac-engine';\n${body}\nexport { verdict };\n`,
  'program.cjs': `const { Policy } = require('gbac-engine');\n${body}\nexports.verdict = verdict;\n`,
};

const npm = (args, cwd) => execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

/** Installs the tools, unless they are installed already, and packs the package. */
export function prepare() {
  if (process.env.GBAC_TARBALL) return process.env.GBAC_TARBALL;
  mkdirSync(FOLDER, { recursive: true });
  const lock = createHash('sha256').update(readFileSync(join(SOURCE, 'package-lock.json'))).digest('hex');
  const note = join(FOLDER, 'node_modules/.installed');
  if (!existsSync(note) || readFileSync(note, 'utf8') !== lock) {
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(SOURCE, name), join(FOLDER, name));
    // With the versions of the lock file, which need not list the binaries of every platform, as `npm ci` requires. No package
    // needs its install script here.
    npm(['install', '--ignore-scripts', '--prefer-offline'], FOLDER);
    writeFileSync(note, lock);
  }
  copyFileSync(join(SOURCE, 'support.mjs'), join(FOLDER, 'support.mjs'));
  const packed = mkdtempSync(join(tmpdir(), 'gbac-packed-'));
  process.once('exit', () => rmSync(packed, { recursive: true, force: true }));
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', packed], join(ROOT, 'www')));
  return join(packed, filename);
}

/** The environments with these names, or of the short form, or all. */
export function select(names, short) {
  const unknown = names.find((name) => ENVIRONMENTS.every((one) => one.name !== name));
  if (unknown !== undefined) throw new Error(`there is no environment \`${unknown}\`; there are ${ENVIRONMENTS.map(({ name }) => name).join(', ')}`);
  return ENVIRONMENTS.filter((one) => (names.length > 0 ? names.includes(one.name) : !short || one.short));
}

/** The version of the tool of an environment, as it is installed. */
export function versionOf({ tool }) {
  if (tool === undefined) return '';
  if (tool === 'node') return process.versions.node;
  return JSON.parse(readFileSync(join(FOLDER, 'node_modules', tool, 'package.json'), 'utf8')).version;
}

/** The reason why an environment cannot be tested on this machine, if there is one. */
export function missing({ node, tool }) {
  const absent = [node, tool].find((name) => name !== undefined && name !== 'node' && !existsSync(join(FOLDER, 'node_modules', name, 'package.json')));
  return absent === undefined ? undefined : `npm has no \`${absent}\` for this machine`;
}

/** Runs one environment; returns the last line that its program prints. */
export async function verdictOf(environment, tarball) {
  const { name, folder = name, variant = '', node } = environment;
  const place = join(FOLDER, name);
  rmSync(place, { recursive: true, force: true });
  cpSync(join(SOURCE, 'environments', folder), place, { recursive: true });
  for (const [file, text] of Object.entries(PROGRAMS)) writeFileSync(join(place, file), text);
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: `matrix-${name}`, version: '1.0.0', private: true }));
  npm(['install', '--offline', '--no-package-lock', tarball], place);
  const program = node === undefined ? process.execPath : join(FOLDER, 'node_modules', node, 'bin/node');
  const env = {
    ...process.env, GBAC_VARIANT: variant, GBAC_VARIANT_PROGRAM: program,
    GBAC_BROWSER: new URL('../../tests/e2e/support/browser.mjs', import.meta.url).href,
  };
  // Variables of the test runner would change how the tools run.
  for (const variable of ['NODE_TEST_CONTEXT', 'NODE_OPTIONS', 'NODE_ENV']) delete env[variable];
  const { stdout } = await promisify(execFile)(program, ['verdict.mjs'], { cwd: place, env, timeout: 600_000, maxBuffer: 2 ** 26 });
  return stdout.trim().split('\n').at(-1);
}
