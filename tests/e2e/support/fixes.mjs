// The sheet with the fixes of a denied request, as a person sees it.

import assert from 'node:assert/strict';
import { text } from './fields.mjs';
import { until } from './until.mjs';

export class Fixes {
  constructor(page, simulator) {
    this.page = page;
    this.open = simulator.check.getByRole('button', { name: 'Fix this', exact: true });
    this.sheet = page.getByRole('dialog', { name: 'Fix this', exact: true });
    this.headings = this.sheet.getByRole('heading', { level: 3 });
    this.titles = this.sheet.getByRole('heading', { level: 4 });
    this.draft = this.sheet.getByRole('group', { name: 'The draft', exact: true });
    this.review = this.sheet.getByRole('link', { name: /^Review \d+ changes?$/ });
  }

  /** The titles of the fixes, in order, without their numbers. */
  async all() {
    await this.titles.first().waitFor();
    const titles = await this.titles.allInnerTexts();
    return titles.map((title) => title.replaceAll(/\s+/g, ' ').trim().replace(/^\d+\. /, ''));
  }

  /** One fix, by its number from 1. */
  fix(number) {
    return this.sheet.getByRole('region', { name: new RegExp(`^${number}\\.`) });
  }

  /** Adds a fix to the draft. */
  async add(number) {
    await this.sheet.getByRole('button', { name: `Add to draft: fix ${number}`, exact: true }).click();
  }

  /** Waits until a fix says this. */
  async says(number, words) {
    await until(async () => assert.match(await text(this.fix(number)), words));
  }
}
