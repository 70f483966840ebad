// The audit log as a person sees it, and what fills it.

import { cells } from './fields.mjs';

export const AUDIT = '/security/audit';

/** Asks as a gateway does, so that there is a decision to be read. */
export async function decide(service, id, groups, action, name) {
  const { body } = await service.ask('POST', '/access/v1/evaluation', {
    body: {
      subject: { type: 'user', id, properties: { groups } },
      action: { name: action },
      resource: { type: 'topic', id: name },
    },
  });
  return body.decision;
}

/** The table of events. */
export const table = (page) => page.getByRole('table', { name: 'Audit events, newest first' });

/** The rows: when, who, what, outcome, by. */
export async function rows(page) {
  await table(page).waitFor();
  return (await cells(table(page))).filter((row) => row.length === 6).map((row) => row.slice(0, 5));
}
