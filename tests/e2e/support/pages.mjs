// Every page of the console, and the dialogs over its pages: how each is reached, with something to see on it.

import { heading } from './fields.mjs';
import { FINDINGS, MATRIX, Permissions, WHO_CAN } from './permissions.mjs';
import { Draft } from './review.mjs';
import { Role, Roles, addressOf } from './roles.mjs';
import { Search } from './search.mjs';
import { SIMULATOR } from './simulator.mjs';

const go = async (page, path, title) => {
  await page.goto(path);
  await heading(page, title).waitFor();
};

/** A role with a principal and an ACL that are not applied yet. */
async function edit(page, name) {
  const role = new Role(page, name);
  await role.open();
  await role.addMember('Group:auditors');
  await role.addAcl({ pattern: 'Prefixed', name: 'refunds-', operations: ['Read', 'Write'] });
  await role.member('Group:auditors').getByText('Added').waitFor();
}

/** How a page is reached, by its name; `service` is the one that the page is about. */
export const EVERY_PAGE = {
  'the roles': async (page) => new Roles(page).open(),
  'the form for a role': async (page) => {
    const roles = new Roles(page);
    await roles.open();
    await roles.openCreation();
  },
  'the deletion of a role': async (page) => {
    const roles = new Roles(page);
    await roles.open();
    await (await roles.openDeletion('PaymentsWriters')).losses();
  },
  'a role with a draft': async (page) => edit(page, 'PaymentsWriters'),
  'the question before a draft is discarded': async (page) => {
    await edit(page, 'PaymentsWriters');
    await new Draft(page).bar.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog', { name: /^Discard/ }).waitFor();
  },
  'a role that does not exist': async (page) => {
    await page.goto(addressOf('no such role'));
    await page.getByRole('heading', { name: 'Role not found' }).waitFor();
  },
  'the review': async (page) => {
    await edit(page, 'PaymentsWriters');
    await (await new Draft(page).review()).people();
  },
  'the applied changes': async (page, service) => {
    await service.createRole('Reported');
    const role = new Role(page, 'Reported');
    await role.open();
    await role.addMember('Group:reporters');
    await role.addAcl({ pattern: 'Prefixed', name: 'reports-', operations: ['Read'] });
    await new Draft(page).apply();
    await page.getByRole('button', { name: 'Undo 2 changes' }).waitFor();
  },
  'the permissions of a principal': async (page) => {
    const permissions = new Permissions(page);
    await permissions.open('?type=group');
    await (await permissions.expand('Group:analytics')).waitFor();
  },
  'the matrix': async (page) => {
    await page.goto(`${MATRIX}?of=Group%3Aanalytics`);
    const cell = page.getByRole('button', { name: 'Write on Topic orders-archive: Deny, from direct', exact: true });
    await cell.click();
    await page.getByRole('region', { name: 'Reason' }).waitFor();
  },
  'who can': async (page) => {
    await page.goto(`${WHO_CAN}?operation=write&type=topic&name=orders-archive`);
    await page.getByRole('table', { name: /^Who can/ }).waitFor();
  },
  'the findings': async (page) => {
    await go(page, FINDINGS, 'Permissions');
    await page.getByRole('link', { name: /^Findings \d/ }).waitFor();
  },
  'the simulator': async (page) => go(page, SIMULATOR, 'Simulator'),
  'the settings': async (page) => {
    await go(page, '/security/settings', 'Settings');
    await page.getByText('Groups and roles can be used without a limit.').waitFor();
  },
  'the audit log': async (page) => {
    await go(page, '/security/audit', 'Audit');
    await page.getByRole('table', { name: 'Audit events, newest first' }).waitFor();
  },
  'import and export': async (page) => go(page, '/security/exchange', 'Import and export'),
  'two clusters': async (page) => go(page, '/security/compare', 'Compare clusters'),
  'the connection': async (page) => {
    await page.goto('/connection');
    await page.getByText('Connected', { exact: true }).waitFor();
  },
  'the search': async (page) => {
    await new Roles(page).open();
    const search = new Search(page);
    await search.open();
    await page.keyboard.type('can maya write orders-*');
    await search.answer.first().getByText('Partly').waitFor();
  },
  'the shortcuts': async (page) => {
    await go(page, '/security/settings', 'Settings');
    await page.getByText('Groups and roles can be used without a limit.').waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await new Search(page).shortcuts.waitFor();
  },
  'an address without a page': async (page) => go(page, '/no/such/page', 'Page not found'),
};
