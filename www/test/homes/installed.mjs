// The package like users get it: packed, and installed from the tarball into a folder outside of the repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package's source. */
export const WWW = fileURLToPath(new URL('../../', import.meta.url));
const shell = process.platform === 'win32';
const npm = (args, cwd) => execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8', shell });

/** Packs and installs the package; `also` are our packages that the folder's programs import. */
export function install(also = []) {
  const folder = mkdtempSync(join(tmpdir(), 'gbac-engine-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [{ filename, files, size }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], WWW));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'someone', private: true, type: 'module' }));
  npm(['install', '--offline', `./${filename}`], folder);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of also) symlinkSync(join(WWW, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { folder, tarball: join(folder, filename), write, files: files.map(({ path }) => path), size };
}
