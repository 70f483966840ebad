// Moving between the pages of the console.

/** Goes to another page of the console by its navigation, so that what was entered is kept. */
export const go = (page, name) => page.getByRole('navigation', { name: 'Security' }).getByRole('link', { name }).click();

/** Waits until the files of all pages have come, which follow those of the first page. */
export const fetchedAhead = (page) =>
  page.waitForFunction(() => performance.getEntriesByName('console: fetched ahead').length > 0);
