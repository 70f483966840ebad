// `npm pack` calls it first and, with `--remove`, last: while it packs, package.json names the addresses of the project that the
// variables GBAC_REPOSITORY, GBAC_HOMEPAGE and GBAC_BUGS have. The source names none, because each place of publication has its own.
import { readFileSync, writeFileSync } from 'node:fs';

const FIELDS = {
  repository: (url) => ({ type: 'git', url }),
  homepage: (url) => url,
  bugs: (url) => ({ url }),
};

const file = new URL('../package.json', import.meta.url);
const text = readFileSync(file, 'utf8').replaceAll(/^  "(repository|homepage|bugs)": .*\n/gm, '');
let lines = '';
if (!process.argv.includes('--remove')) {
  for (const [name, valueOf] of Object.entries(FIELDS)) {
    const variable = `GBAC_${name.toUpperCase()}`;
    const address = process.env[variable] ?? '';
    if (address === '') continue;
    if (!URL.canParse(address) || new URL(address).protocol !== 'https:') throw new Error(`${variable} must be an https URL, such as https://example.com/gbac`);
    lines += `  ${JSON.stringify(name)}: ${JSON.stringify(valueOf(address))},\n`;
  }
}
writeFileSync(file, text.replace(/^  "license": .*\n/m, (line) => line + lines));
