// Writes the folder of the program that archives and packages contain: `node packaging/program.mjs BINARY FOLDER`.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));
export const DOCUMENTS = ['LICENSE', 'README.md', 'CHANGELOG.md'];
/** The shells, and the name of the file that each looks for. */
export const COMPLETIONS = { bash: 'gbac', zsh: '_gbac', fish: 'gbac.fish' };

/** The program, its documents, the completions of each shell and the manual pages. */
export function writeProgram(binary, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `gbac${extname(binary)}`);
  copyFileSync(binary, program);
  chmodSync(program, 0o755);
  for (const name of DOCUMENTS) copyFileSync(join(ROOT, name), join(folder, name));
  for (const [shell, name] of Object.entries(COMPLETIONS)) {
    mkdirSync(join(folder, 'completions', shell), { recursive: true });
    writeFileSync(join(folder, 'completions', shell, name), execFileSync(program, ['completions', shell]));
  }
  execFileSync(program, ['man', join(folder, 'man')], { stdio: ['ignore', 'ignore', 'inherit'] });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) writeProgram(process.argv[2], process.argv[3]);
