// The permissions pages as a person sees them: what can be found, done, and seen.

import { cells, text } from './fields.mjs';

export const PERMISSIONS = '/security/permissions';
export const MATRIX = `${PERMISSIONS}/matrix`;
export const WHO_CAN = `${PERMISSIONS}/who-can`;
export const FINDINGS = `${PERMISSIONS}/findings`;

export class Permissions {
  constructor(page) {
    this.page = page;
    this.search = page.getByRole('searchbox', { name: /^Search principals/ });
    this.cards = page.locator('ul.disc > li');
  }

  async open(query = '') {
    await this.page.goto(PERMISSIONS + query);
    await this.search.waitFor();
  }

  /** The button that opens a principal. */
  head(principal) {
    return this.page.getByRole('button', { name: new RegExp(`^(User|IdP group|Role) ${escape(principal)}$`) });
  }

  /** The line of a principal, as text. */
  async line(principal) {
    return await text(this.cards.filter({ has: this.head(principal) }).locator('.disc-h'));
  }

  /** The names of the principals that are shown. */
  async names() {
    return await this.page
      .locator('ul.disc > li .disc-b .pr')
      .evaluateAll((found) => found.map((name) => name.textContent));
  }

  /** Opens a principal; gives its table. */
  async expand(principal) {
    const head = this.head(principal);
    await head.waitFor();
    if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
    return this.page.getByRole('table', { name: `ACLs that apply to ${principal}`, exact: true });
  }

  /** The rows of a table: type, resource, pattern, operation, permission with its marks, host; a head is one cell. */
  async rows(table) {
    return (await cells(table)).map((row) => row.slice(0, 6));
  }

  async remove(line) {
    await this.page.getByRole('button', { name: `Delete ACL ${line}`, exact: true }).click();
    return this.page.getByRole('dialog', { name: 'Delete ACL' });
  }
}

const escape = (words) => words.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export class WhoCan {
  constructor(page) {
    this.page = page;
    this.form = page.getByRole('form', { name: 'Who can' });
    this.operation = this.form.getByRole('combobox', { name: 'Operation' });
    this.resourceType = this.form.getByRole('combobox', { name: 'Resource type' });
    this.resourceName = this.form.getByRole('textbox', { name: 'Resource name' });
    this.host = this.form.getByRole('textbox', { name: 'Host' });
    this.answer = page.locator('p.answer');
    this.table = page.getByRole('table', { name: /^Who can/ });
  }

  async open() {
    await this.page.goto(WHO_CAN);
    await this.form.waitFor();
  }

  async ask({ operation, type = 'Topic', name, host = '' }) {
    await this.resourceType.selectOption({ label: type });
    await this.operation.selectOption({ label: operation });
    if (name !== undefined) await this.resourceName.fill(name);
    await this.host.fill(host);
    await this.form.getByRole('button', { name: 'Find' }).click();
  }

  async rows() {
    return await cells(this.table);
  }
}
