// The draft and its review as a person sees them.

import { text } from './fields.mjs';

export const REVIEW = '/security/review';

/** Types a reason where the review asks for one: a cluster behind the service takes none. */
export async function giveReason(page) {
  await page.getByRole('button', { name: /^(Apply|Retry) [\d,]+ changes?$/ }).waitFor();
  const reason = page.getByRole('textbox', { name: 'Reason', exact: true });
  if ((await reason.count()) > 0) await reason.fill('as agreed');
}

export class Draft {
  constructor(page) {
    this.page = page;
    this.bar = page.getByRole('region', { name: 'Draft', exact: true });
  }

  /** What the bar says. */
  async says() {
    return await text(this.bar);
  }

  /** Goes to the review by the bar. */
  async review() {
    await this.bar.getByRole('link', { name: /^Review \d/ }).click();
    const review = new Review(this.page);
    await review.sent.waitFor();
    return review;
  }

  /** Reviews and applies everything; what was said to change for people is given back. */
  async apply() {
    const review = await this.review();
    const people = await review.people();
    await review.apply();
    return people;
  }
}

export class Review {
  constructor(page) {
    this.page = page;
    this.heading = page.getByRole('heading', { level: 1, name: /^Review/ });
    this.sent = page.getByRole('region', { name: 'Changes to apply' });
    this.effect = page.getByRole('region', { name: 'Change in effective access' });
    this.table = page.getByRole('table', { name: 'Effective difference by principal' });
    this.button = page.getByRole('button', { name: /^(Apply|Retry) [\d,]+ changes?$/ });
    this.drift = page.getByRole('heading', { name: 'The policy changed' });
  }

  /** The rows that will be sent, as text: `+ Add Allow Read, topic orders literal`. */
  async rows() {
    const rows = this.sent.locator('ul.diff > li');
    return (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim());
  }

  /** The effective difference, as rows of text, once it is worked out. */
  async people() {
    await this.effect.getByText(/compared$/).waitFor();
    if (!(await this.table.isVisible())) return [];
    const rows = this.table.locator('tbody').getByRole('row');
    return (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim());
  }

  /** Applies the draft and waits until all of it is made. */
  async apply() {
    await giveReason(this.page);
    await this.button.click();
    await this.page.getByRole('heading', { name: /^[\d,]+ changes? applied$/ }).waitFor();
  }
}
