// Prepares the crates for a registry: `node packaging/crates.mjs FOLDER CONSOLE CRATE,.. [REPOSITORY]` copies the workspace into a folder,
// where these crates can be published, have the address of the repository, and `gbac` contains the console.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT } from './program.mjs';

const [, , folder, page, crates, repository] = process.argv;
rmSync(folder, { recursive: true, force: true });
const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
for (const path of listed.split('\0').filter((path) => /\.(?:rs|toml|lock|md|html|json|binpb|proto)$/.test(path))) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  copyFileSync(join(ROOT, path), join(folder, path));
}
const names = crates.split(',');
for (const path of listed.split('\0').filter((path) => path.endsWith('/Cargo.toml'))) {
  const manifest = readFileSync(join(folder, path), 'utf8');
  const [, name] = /^name = "(.*)"$/m.exec(manifest) ?? [];
  if (!names.includes(name)) continue;
  const published = repository ? `repository = "${repository}"` : 'publish = true';
  writeFileSync(join(folder, path), manifest.replace('publish.workspace = true', published));
}
const files = join(folder, 'cli/console');
mkdirSync(files);
for (const name of readdirSync(page)) writeFileSync(join(files, name), brotliCompressSync(readFileSync(join(page, name))));
