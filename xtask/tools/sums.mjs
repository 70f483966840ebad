// Writes SHA256SUMS into a folder: the sums of all its files, as `sha256sum --check` reads them. Prints the files with their sizes.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUMS = 'SHA256SUMS';
const [, , root] = process.argv;

function* filesIn(folder) {
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) yield* filesIn(path);
    else if (path !== SUMS) yield path;
  }
}

let sums = '';
for (const path of filesIn('')) {
  const content = readFileSync(join(root, path));
  sums += `${createHash('sha256').update(content).digest('hex')}  ${path}\n`;
  console.log(`${String(content.length).padStart(10)}  ${path}`);
}
writeFileSync(join(root, SUMS), sums);
