// Every page at three widths, in both themes, with text of the usual size and twice as large: axe finds nothing, and nothing is
// wider than the page.

import assert from 'node:assert/strict';
import { isAccessible } from '../support/axe.mjs';
import { stage } from '../support/journey.mjs';
import { EVERY_PAGE } from '../support/pages.mjs';

const { set, journey } = stage();
const WIDTHS = [1440, 1024, 390];
const THEMES = ['light', 'dark'];
/** The height of a page on which no bar lies over half of a control, by the size of the text. */
const HEIGHTS = { '100%': 900, '200%': 6000 };

for (const [name, open] of Object.entries(EVERY_PAGE)) {
  journey(`${name}: usable at every width, in both themes, with large text`, { reducedMotion: 'reduce' }, async ({ page }) => {
    await open(page, set.service);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        for (const [size, height] of Object.entries(HEIGHTS)) {
          const state = `${name}, ${width} px, ${colorScheme}, text of ${size}`;
          await page.setViewportSize({ width, height });
          const { wide, seen, hidden } = await page.evaluate((size) => {
            const root = document.documentElement;
            root.style.fontSize = size;
            const isHidden = (one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !one.closest('.scroll, pre');
            const hidden = [...document.querySelectorAll('dialog[open] *')].filter(isHidden);
            return {
              wide: root.scrollWidth,
              seen: root.clientWidth,
              hidden: hidden.map((one) => `${one.tagName} ${one.innerText ?? ''}`.slice(0, 60)),
            };
          }, size);
          assert.ok(wide <= seen, `${state}: ${wide} px in ${seen} px`);
          assert.deepEqual(hidden, [], `${state}: outside the window`);
          await isAccessible(page, state);
        }
      }
    }
  });
}
