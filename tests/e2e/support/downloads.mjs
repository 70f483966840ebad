// What a page gives to be saved.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Does something that saves a file; gives its text, its suggested name, and its path until the test ends. */
export async function download(t, page, act) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  const folder = await mkdtemp(join(tmpdir(), 'gbac-saved-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'saved');
  await file.saveAs(path);
  return { path, name: file.suggestedFilename(), text: await readFile(path, 'utf8') };
}
