// The simulator as a person sees it: what can be found on the page, done on it, and seen.

import assert from 'node:assert/strict';
import { cells, text } from './fields.mjs';
import { openSteps } from './parts.mjs';
import { until } from './until.mjs';

export const SIMULATOR = '/security/simulator';

export class Simulator {
  constructor(page) {
    this.page = page;
    // The panes.
    this.identity = page.getByRole('region', { name: /^(Token|Identity)$/ });
    this.extraction = page.getByRole('region', { name: 'Path', exact: true });
    this.check = page.getByRole('region', { name: 'Check', exact: true });
    this.trace = page.getByRole('region', { name: 'Trace', exact: true });
    this.overage = this.check.getByRole('group', { name: 'The groups of this user are unknown' });
    this.assumptions = this.check.getByRole('group', { name: 'Assumptions' });
    // Their controls.
    this.token = this.identity.getByRole('textbox', { name: /^(Access token|Claims)$/ });
    this.user = this.identity.getByRole('combobox', { name: 'User', exact: true });
    this.groups = this.identity.getByRole('textbox', { name: 'IdP groups, one per line' });
    this.claimPath = this.identity.getByRole('combobox', { name: 'Group claim' });
    this.keys = this.extraction.getByRole('textbox', { name: 'Keys (JWKS)' });
    this.issuer = this.extraction.getByRole('textbox', { name: 'Issuer, optional' });
    this.audience = this.extraction.getByRole('textbox', { name: 'Audience, optional' });
    this.operation = this.check.getByRole('combobox', { name: 'Operation' });
    this.resourceType = this.check.getByRole('combobox', { name: 'Resource type' });
    this.resourceName = this.check.getByRole('combobox', { name: 'Resource name' });
    this.host = this.check.getByRole('combobox', { name: 'Host' });
    this.checks = this.extraction.getByRole('list', { name: 'Token checks' });
    this.verification = this.extraction.getByRole('list', { name: 'Verification, check by check' });
    this.requests = this.check.getByRole('list', { name: 'From the policy' });
    this.mapping = this.extraction.getByRole('table', { name: 'Path from the token to the verdict' });
  }

  /** The service has no keys of its provider: tokens are verified only with keys that somebody enters. */
  async withoutProviderKeys() {
    await this.page.route('**/gbac/v1/provider/keys', (route) => route.fulfill({ json: { keys: [] } }));
  }

  /** Opens the page and waits until it knows the service's policy. */
  async open() {
    await this.page.goto(SIMULATOR);
    await this.loaded();
  }

  /** Waits until the page knows the service's policy. */
  async loaded() {
    // Narrow pages leave the sentence out.
    await this.page.getByText(/evaluated in this browser on [\d,]+ ACLs?/).waitFor({ state: 'attached' });
    // The request to begin with comes with those that the policy offers.
    const isEmpty = await this.page.getByText('evaluated in this browser on 0 ACLs').count();
    if (!isEmpty) await this.requests.waitFor();
  }

  /** Pastes from the clipboard, as a person does; needs the permission to use it. */
  async paste(words) {
    await this.page.evaluate((words) => navigator.clipboard.writeText(words), words);
    await this.token.focus();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.press('ControlOrMeta+V');
  }

  /** Picks one of the demo's people. */
  async pick(person) {
    await this.identity.getByRole('list', { name: 'Demo users' }).getByRole('button', { name: person }).click();
  }

  /** Answers as if the service accepted the token's issuer and audience, which are those of another provider. */
  async accept() {
    const name = 'Assume that the service accepts its issuer and audience';
    await this.check.getByRole('button', { name }).click();
  }

  /** Enters a token of another provider than the service's, and accepts that provider. */
  async enter(token) {
    await this.token.fill(token);
    await this.accept();
  }

  /** Takes back what the verdict rests on, by its chip. */
  async unassume(short) {
    await this.assumptions.getByRole('button', { name: `Remove the assumption: ${short}`, exact: true }).click();
  }

  /** Asks whether an operation on a resource is possible. */
  async ask({ operation, type = 'Topic', name, host = '' }) {
    await this.resourceType.selectOption({ label: type });
    await this.operation.selectOption({ label: operation });
    await this.resourceName.fill(name);
    await this.host.fill(host);
  }

  /** Chooses how groups are read: `Service settings`, a provider, or `Custom`. */
  async settings(source) {
    await this.identity.getByRole('radio', { name: source, exact: true }).check();
  }

  /** Verifies with these keys, for this issuer and audience. */
  async verify({ keys, issuer, audience }) {
    if (!(await this.keys.isVisible()))
      await this.extraction.getByRole('button', { name: 'Verify', exact: true }).click();
    await this.keys.fill(keys);
    await this.issuer.fill(issuer);
    await this.audience.fill(audience);
  }

  /** Waits for a verdict that is about what is entered now. */
  async sees(verdict, sentence) {
    await until(async () => {
      assert.equal(await text(this.check.getByRole('heading', { level: 3 })), verdict);
      assert.equal((await this.reasons())['Shown for'], undefined, 'the verdict is an old one');
      if (sentence) assert.match(await text(this.check), sentence);
    });
  }

  /** The reasons under the verdict, by their labels. */
  async reasons() {
    return await this.check.locator('dl > div').evaluateAll((pairs) => {
      const words = (element) => element.innerText.replaceAll(/\s+/g, ' ').trim();
      return Object.fromEntries(
        pairs.map((pair) => [words(pair.querySelector('dt')), words(pair.querySelector('dd'))]),
      );
    });
  }

  /** The way to the deciding ACL: claim element, principal, role, ACL. */
  async decidedBy() {
    const reason = this.check.locator('dl > div').filter({ has: this.page.getByText('Decided by', { exact: true }) });
    return (await reason.getByRole('listitem').allInnerTexts()).map((hop) => hop.replaceAll(/\s+/g, ' ').trim());
  }

  /** The elements of the group claim: place, element, principal. */
  async elements() {
    return await this.mapping.locator('tbody[data-of=element]').evaluateAll((elements) => {
      const words = (element) => element.innerText.replaceAll(/\s+/g, ' ').trim();
      return elements.map((element) => {
        const place = words(element.querySelector('.place')).replace(/^\[(.*)\]$/, '$1');
        return [place, words(element.querySelector('.el')), words(element.querySelector('tr').cells[1])];
      });
    });
  }

  /** The rows of the path: claim, principal, role, ACL. */
  async path() {
    return await cells(this.mapping);
  }

  /** The arrow that leads to this. */
  arrow(words) {
    return this.mapping.getByRole('button', { name: `Try without ${words}`, exact: true });
  }

  /** The verdict with the changes that are tried. */
  get tried() {
    return this.check.getByRole('group', { name: 'Verdict with the changes' });
  }

  /** One step of the extraction, as text. */
  async step(title) {
    await openSteps(this.extraction);
    const heading = this.page.getByRole('heading', { level: 3, name: title });
    return await text(this.extraction.getByRole('listitem').filter({ has: heading }));
  }

  /** The titles of what there is to know about the extraction. */
  async notes() {
    const titles = this.extraction.getByRole('heading', { level: 3 });
    const all = await titles.evaluateAll((found) =>
      found.filter((title) => !title.closest('li')).map((title) => title.innerText),
    );
    return all.map((title) => title.trim());
  }

  /** One banner of the extraction, by its title. */
  note(title) {
    return this.extraction
      .locator('div')
      .filter({ has: this.page.getByRole('heading', { level: 3, name: title }) })
      .last();
  }

  /** Waits until the token's checks say this. */
  async says(words) {
    await this.checks.getByText(words, { exact: true }).waitFor();
  }
}
