// The search of every page as a person sees it, and moving through a page with the keyboard alone.

import assert from 'node:assert/strict';
import { text } from './fields.mjs';
import { until } from './until.mjs';

export class Search {
  constructor(page) {
    this.page = page;
    this.dialog = page.getByRole('dialog', { name: 'Search or ask' });
    this.field = this.dialog.getByRole('combobox', { name: 'Search or ask a question' });
    this.options = this.dialog.getByRole('option');
    this.answer = this.dialog.locator('.ans');
    this.shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  }

  /** Opens it by its keys. */
  async open() {
    await this.page.keyboard.press('ControlOrMeta+k');
    await this.hasFocus();
  }

  /** Closes it by its key. */
  async close() {
    await this.page.keyboard.press('Escape');
    await this.dialog.waitFor({ state: 'detached' });
  }

  async hasFocus() {
    await until(async () => assert.ok(await this.field.evaluate((field) => field === document.activeElement)));
  }

  /** The results of a group, as text. */
  async group(name) {
    const options = this.dialog.getByRole('group', { name: new RegExp(`^${name}`) }).getByRole('option');
    return (await options.allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' ').trim());
  }

  /** The result that Enter opens, as text. */
  async selected() {
    const id = await this.field.getAttribute('aria-activedescendant');
    assert.ok(id, 'nothing is selected');
    const option = this.page.locator(`#${id}`);
    assert.equal(await option.getAttribute('aria-selected'), 'true');
    return await text(option);
  }

  /** What is marked as fitting, of all results. */
  async marked() {
    return [...new Set(await this.dialog.locator('b.m').allInnerTexts())];
  }
}

/** The accessible name of what has focus, as far as a page gives it: label, `aria-label`, or its text. */
const focusedName = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const labels = [...(element.labels ?? [])].map((label) => label.innerText);
    const name = element.ariaLabel || labels.join(' ') || element.innerText || '';
    return name.replaceAll(/\s+/g, ' ').trim();
  });

/** Presses Tab until what has focus has this name. */
export async function tabTo(page, name, most = 80) {
  for (let presses = 0; presses < most; presses += 1) {
    if (name.test(await focusedName(page))) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${most} presses of Tab do not reach ${name}; focus is on "${await focusedName(page)}"`);
}
