// Writes the installer and the formula of Homebrew for the archives of a folder: `node packaging/install.mjs DIST VERSION REPOSITORY`.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './program.mjs';

/** What `uname` says, and what a formula says, for each archive that they install; on Linux, the static program. */
const SYSTEMS = {
  'x86_64-unknown-linux-musl': { uname: 'Linux-x86_64 | Linux-amd64', formula: ['linux', 'intel'] },
  'aarch64-unknown-linux-musl': { uname: 'Linux-aarch64 | Linux-arm64', formula: ['linux', 'arm'] },
  'x86_64-apple-darwin': { uname: 'Darwin-x86_64', formula: ['macos', 'intel'] },
  'aarch64-apple-darwin': { uname: 'Darwin-arm64', formula: ['macos', 'arm'] },
};

/** Writes both files into the folder. */
export function writeInstallers(dist, version, repository) {
  const archives = [];
  for (const name of readdirSync(join(dist, 'bin')).sort()) {
    const target = name.replace(/^gbac-|\.tar\.gz$/g, '');
    const system = SYSTEMS[target];
    if (system) archives.push({ target, ...system, sum: createHash('sha256').update(readFileSync(join(dist, 'bin', name))).digest('hex') });
  }
  const write = (name, targets) => {
    const text = readFileSync(join(ROOT, 'packaging', name), 'utf8');
    const values = { VERSION: version, REPOSITORY: repository, TARGETS: targets.join('\n') };
    writeFileSync(join(dist, name), text.replaceAll(/@([A-Z]+)@/g, (_, key) => values[key]));
  };
  write('install.sh', archives.map(({ uname, target, sum }) => `    ${uname}) target=${target} sum=${sum} ;;`));
  const url = (target) => `${repository}/releases/download/v${version}/gbac-${target}.tar.gz`;
  write('gbac.rb', archives.map(({ formula: [system, cpu], target, sum }) => `  on_${system} do
    on_${cpu} do
      url "${url(target)}"
      sha256 "${sum}"
    end
  end`));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) writeInstallers(...process.argv.slice(2));
