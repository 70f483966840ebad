// What a page says about one of its controls, found the way assistive technology finds it.

import assert from 'node:assert/strict';
import { until } from './until.mjs';

/** The texts that describe a control: of each id in `aria-describedby`, in order. */
export async function descriptions(control) {
  return await control.evaluate((element) => {
    const ids = (element.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);
    return ids.map(
      (id) => document.getElementById(id)?.innerText.replaceAll(/\s+/g, ' ').trim() ?? `nothing has the id ${id}`,
    );
  });
}

/** Waits until a control is marked invalid and tells why in words that fit; gives those words. */
export async function refusal(control, words) {
  return await until(async () => {
    assert.equal(await control.getAttribute('aria-invalid'), 'true', 'the control is not marked invalid');
    const said = await descriptions(control);
    const fitting = said.find((text) => words.test(text));
    assert.ok(fitting, `none of its descriptions fits ${words}: ${JSON.stringify(said)}`);
    return fitting;
  });
}

/** Waits until a control is not marked invalid. */
export async function accepted(control) {
  await until(async () =>
    assert.notEqual(await control.getAttribute('aria-invalid'), 'true', `${await descriptions(control)}`),
  );
}

/** The visible text of something, each run of blanks as one. */
export async function text(locator) {
  return (await locator.innerText()).replaceAll(/\s+/g, ' ').trim();
}

/** The cells of a table's body rows, as text. */
export async function cells(table) {
  return await table
    .locator('tbody')
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.cells].map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim())),
    );
}

/** The heading of a page. */
export const heading = (page, name) => page.getByRole('heading', { level: 1, name, exact: true });

/** Drops a file of text on an element. */
export async function dropFile(target, name, text) {
  const dataTransfer = await target.evaluateHandle((_, [name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type: 'text/plain' }));
    return transfer;
  }, [name, text]);
  await target.dispatchEvent('drop', { dataTransfer });
}
