// The settings as a person sees them.

import { cells } from './fields.mjs';

export const SETTINGS = '/security/settings';

/** The page, as a person sees it. */
export class Settings {
  constructor(page) {
    this.page = page;
    this.form = page.getByRole('form', { name: 'Group claim' });
    this.path = this.form.getByRole('textbox', { name: 'Claim path' });
    this.token = page.getByRole('textbox', { name: /^Tokens, one/ });
    this.names = page.getByRole('table', { name: 'Names in tokens and the groups that they become' });
    this.effects = page.getByRole('table', { name: 'Access gained and lost by the change' });
    this.service = page.getByRole('region', { name: 'Service', exact: true });
    this.loggers = page.getByRole('region', { name: 'Loggers' });
  }

  async open(origin = '') {
    await this.page.goto(`${origin}${SETTINGS}`);
    await this.path.waitFor();
  }

  /** Opens one of the parts below the other settings. */
  async part(title) {
    await this.page.getByRole('button', { name: new RegExp(`^${title}`) }).click();
  }

  async nested(behavior) {
    await this.form.getByRole('radio', { name: behavior }).check();
  }

  /** What is told of groups, here and in the review: how much is gained and lost, and each line of both tables. */
  async told() {
    const numbers = await this.page.getByText(/^\d+ gains?, \d+ loss(es)? for \d+ names?$/).innerText();
    const names = (await cells(this.names)).map(([name, today, then]) => [name, today, then]);
    return { numbers, names, effects: await cells(this.effects) };
  }

  /** The row of a name: the name, what it is today, what it becomes, what happens. */
  async row(name) {
    return (await cells(this.names)).find(([first]) => first === name || first === `${name} known`);
  }
}

/** The properties as the service has them. */
export const properties = async (ask) => (await ask('GET', '/v1/cluster_config')).body;
