// Installs the packages of npm for this machine from a folder into an empty one, and measures how long `npx gbac` takes until it listens:
// `node packaging/try-npm.mjs target/dist/npm`.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const LIMIT = 3_000;
const source = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'gbac-npm-'));
const shell = process.platform === 'win32';
const options = { cwd: folder, shell, env: { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true', CI: '1' } };
const find = (start) => {
  const name = readdirSync(source).find((file) => file.startsWith(start));
  if (name === undefined) throw new Error(`${source} has no package ${start}`);
  return join(source, name);
};

const libc = { linux: '-gnu' }[process.platform] ?? '';
writeFileSync(join(folder, 'package.json'), '{ "private": true }');
execFileSync('npm', ['install', '--no-audit', '--no-fund', find(`gbac-${process.platform}-${process.arch}${libc}`), find('gbac-0.')], { ...options, stdio: 'inherit' });
const version = execFileSync('npx', ['gbac', 'version'], { ...options, encoding: 'utf8' });
if (!version.includes('Build: release')) throw new Error(version);

const started = performance.now();
const demo = spawn('npx', ['gbac', '--no-open'], { ...options, detached: !shell, stdio: ['ignore', 'pipe', 'inherit'] });
for await (const line of createInterface(demo.stdout)) {
  const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
  if (url === undefined) continue;
  const milliseconds = Math.round(performance.now() - started);
  const { status } = await fetch(`${url}/readyz`);
  console.log(`listening after ${milliseconds} ms`);
  if (status !== 200 || milliseconds > LIMIT) process.exitCode = 1;
  break;
}
if (shell) execFileSync('taskkill', ['/pid', String(demo.pid), '/t', '/f']);
else process.kill(-demo.pid, 'SIGTERM');
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
