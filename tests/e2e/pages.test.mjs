// Every page of the console, and the dialogs over its pages, can be reached and has no violation of WCAG 2.2 AA; the long form looks
// at them at every width, in both themes and with large text.

import { isAccessible } from './support/axe.mjs';
import { stage } from './support/journey.mjs';
import { EVERY_PAGE } from './support/pages.mjs';

const { set, journey } = stage();

for (const [name, open] of Object.entries(EVERY_PAGE)) {
  journey(`${name}: accessible`, { reducedMotion: 'reduce' }, async ({ page }) => {
    await open(page, set.service);
    await isAccessible(page, name);
  });
}
