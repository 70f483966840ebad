// What a failed journey looked like: a picture, the page, what was logged and what the service said, kept in target/e2e.

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from './fields.mjs';

/** The folder for all of it. */
export const EVIDENCE = fileURLToPath(new URL('../../../target/e2e/', import.meta.url));
/** How much of a page and of its console is told; all of it is in the files. */
const [MOST_LETTERS, MOST_LINES] = [1500, 20];
const LIMIT_MS = 60_000;

/** Keeps what a journey looked like when it failed; gives words about it for the error. */
export async function keepEvidence({ title, page, log, error, service }) {
  const file = basename(process.argv[1] ?? 'journey', '.test.mjs');
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const folder = join(EVIDENCE, `${file}-${words.slice(0, 80)}`);
  await mkdir(folder, { recursive: true });
  const write = (name, text) => writeFile(join(folder, name), text);
  await write('console.txt', `${page.url()}\n\n${log.lines.join('\n')}\n\n${error?.stack ?? error}\n`);
  await write('service.txt', service.output());
  const told = [`the page was ${page.url()}`, `kept in ${folder}`, ...log.lines.slice(-MOST_LINES)];
  try {
    await write('page.html', await page.content());
    const picture = join(folder, 'page.png');
    await page.screenshot({ path: picture, fullPage: true, timeout: LIMIT_MS });
    told.splice(1, 1, `its picture is ${picture}`);
    told.push(`it says: ${(await text(page.locator('body'))).slice(0, MOST_LETTERS)}`);
  } catch (why) {
    told.push(`there is no picture: ${why.message}`);
  }
  return told.join('\n');
}
