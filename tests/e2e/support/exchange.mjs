// The page that exports and imports.

export const EXCHANGE = '/security/exchange';

/** Opens it. */
export async function open(page) {
  await page.goto(EXCHANGE);
  await page.getByRole('region', { name: 'Text' }).waitFor();
}
