// The list of roles and the page of a role as a person sees them: what can be found, done, and seen.

import assert from 'node:assert/strict';
import { cells, text } from './fields.mjs';
import { until } from './until.mjs';

export const ROLES = '/security/roles';

/** The address of a role's page. */
export const addressOf = (role) => `${ROLES}/${encodeURIComponent(role)}/details`;

export class Roles {
  constructor(page) {
    this.page = page;
    this.search = page.getByRole('searchbox', { name: /^Search roles/ });
    this.table = page.getByRole('table', { name: 'Roles' });
    this.creation = page.getByRole('dialog', { name: 'Create role' });
    this.newName = this.creation.getByRole('textbox', { name: 'Role name' });
  }

  async open() {
    await this.page.goto(ROLES);
    await this.table.waitFor();
  }

  /** A role's line in the list. */
  row(role) {
    return this.table.getByRole('row').filter({ has: this.page.getByRole('link', { name: role, exact: true }) });
  }

  async openCreation() {
    await this.page.getByRole('button', { name: 'Create role' }).click();
    await this.newName.waitFor();
  }

  /** Creates a role in the draft; its page follows. */
  async create(role) {
    await this.openCreation();
    await this.newName.fill(role);
    await this.creation.getByRole('button', { name: 'Create role' }).click();
    await this.page.getByRole('heading', { level: 1, name: role, exact: true }).waitFor();
    return new Role(this.page, role);
  }

  async openDeletion(role) {
    await this.page.getByRole('button', { name: `Delete role ${role}`, exact: true }).click();
    return new Deletion(this.page, role);
  }
}

/** The dialog that deletes a role. */
export class Deletion {
  constructor(page, role) {
    this.dialog = page.getByRole('dialog', { name: `Delete role ${role}` });
    this.button = this.dialog.getByRole('button', { name: 'Delete role' });
  }

  /** What is said to be lost, as text, once it is worked out. */
  async losses() {
    await this.dialog.getByText(/Lost access|No change in effective access|This role has no members/).first().waitFor();
    return await text(this.dialog);
  }

  /** Deletes the role in the draft. */
  async confirm() {
    await this.button.click();
    await this.dialog.waitFor({ state: 'detached' });
  }
}

export class Role {
  constructor(page, name) {
    this.page = page;
    this.name = name;
    this.acls = page.getByRole('region', { name: 'ACLs', exact: true });
    this.aclTable = page.getByRole('table', { name: `ACLs of role ${name}`, exact: true });
    this.members = page.getByRole('region', { name: 'Principals', exact: true });
    this.memberTable = page.getByRole('table', { name: `Principals of role ${name}`, exact: true });
    // The form for a member.
    this.memberForm = page.getByRole('form', { name: 'Add a principal' });
    this.memberName = this.memberForm.getByRole('textbox', { name: 'Name, or paste Group:name' });
    // The form for ACLs.
    this.preset = page.getByRole('combobox', { name: 'Start from' });
    this.aclForm = page.getByRole('form', { name: 'Add ACL' });
    this.resourceType = this.aclForm.getByRole('combobox', { name: 'Resource type' });
    this.resourceName = this.aclForm.getByRole('textbox', { name: /^Resource name/ });
    this.operations = this.aclForm.getByRole('group', { name: 'Operations' });
    this.host = this.aclForm.getByRole('textbox', { name: 'Host' });
    this.addAcls = this.aclForm.getByRole('button', { name: /^Add / });
  }

  async open() {
    await this.page.goto(addressOf(this.name));
    await this.memberForm.waitFor();
  }

  /** Types a member and adds it to the draft; a name with a type in front sets the type. */
  async addMember(words, type) {
    if (type) await this.memberForm.getByRole('radio', { name: type, exact: true }).check();
    await this.memberName.fill(words);
    // A name that could be a list is asked about.
    const one = this.members.getByRole('button', { name: 'Add one member', exact: true });
    if (await one.count()) await one.click();
    else await this.memberForm.getByRole('button', { name: 'Add principal' }).click();
  }

  /** The line of a member. */
  member(principal) {
    return this.memberTable
      .getByRole('row')
      .filter({ has: this.page.getByRole('rowheader', { name: principal, exact: true }) });
  }

  /** Removes a member in the draft; the line stays, with the way back. */
  async removeMember(principal) {
    await this.members.getByRole('button', { name: `Remove ${principal}`, exact: true }).click();
    await this.members.getByRole('button', { name: `Undo removing ${principal}`, exact: true }).waitFor();
  }

  /** The box of an operation. */
  operation(name) {
    return this.operations.getByRole('checkbox', { name, exact: true });
  }

  /** Fills the form of ACLs and adds them to the draft. */
  async addAcl({ type = 'Topic', pattern = 'Literal', name, operations, permission = 'Allow', host = '*' }) {
    await this.resourceType.selectOption({ label: type });
    const pattern_ = this.aclForm.getByRole('radio', { name: pattern, exact: true });
    if (name !== undefined) {
      await pattern_.check();
      await this.resourceName.fill(name);
    }
    for (const operation of operations) await this.operation(operation).check();
    await this.host.fill(host);
    await this.aclForm.getByRole('radio', { name: permission, exact: true }).check();
    await this.addAcls.click();
  }

  /** Opens the editor of an ACL by its line, and gives its form. */
  async editAcl(line) {
    await this.acls.getByRole('button', { name: `Edit ACL ${line}`, exact: true }).click();
    const form = this.acls.getByRole('form', { name: `Edit ACL ${line}`, exact: true });
    await form.waitFor();
    return form;
  }

  /** Removes an ACL in the draft by its line, such as `Deny Write, topic payments- prefixed`. */
  async removeAcl(line) {
    await this.acls.getByRole('button', { name: `Remove ACL ${line}`, exact: true }).click();
    await this.acls.getByRole('button', { name: `Undo removing ${line}`, exact: true }).waitFor();
  }

  /** The rows of the ACLs: type, resource, pattern, operation, permission with what is remarked, host. */
  async aclRows() {
    return (await cells(this.aclTable)).map((row) => row.slice(1, 7));
  }

  async openDeletion() {
    await this.page.getByRole('button', { name: 'Delete role', exact: true }).click();
    return new Deletion(this.page, this.name);
  }
}

/** Waits until the service holds these members. */
export const holdsMembers = (service, role, members) =>
  until(async () => assert.deepEqual((await service.members(role)).sort(), [...members].sort()));

/** Waits until the service holds these ACLs of a role, and no others. */
export const holdsAcls = (service, role, acls) =>
  until(async () => assert.deepEqual(await service.acls(`Role:${role}`), [...acls].sort()));
