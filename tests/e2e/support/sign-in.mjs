// What journeys need that sign in with a real identity provider, which is another site for the browser, as in production.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { after, before } from 'node:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from './cluster.mjs';
import { stage } from './journey.mjs';
import { AUDIENCE, CONSOLE_CLIENT, startProvider } from './provider.mjs';
import { until } from './until.mjs';

export const { journey } = stage();
/** What the browser reports about refused requests, and about a provider that is down. */
export const REFUSED = { tolerates: [/status of 40[13]/, /blocked by CORS policy/, /net::ERR_FAILED/] };
export const ROOT = 'maya.okafor';
export const OTHER = 'jonas.lindqvist';

/** The provider, the service whose users sign in with it, and the provider's host, once the first test runs. */
export let provider, cluster, host;
let folder;

before(async () => {
  provider = await startProvider({ host: 'localhost' });
  folder = await mkdtemp(join(tmpdir(), 'gbac-secret-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, `${CONSOLE_CLIENT.secret}\n`);
  cluster = await startCluster({
    flags: [
      ...['--oidc-discovery-url', provider.discovery, '--oidc-audience', AUDIENCE],
      ...['--oidc-client-id', CONSOLE_CLIENT.id, '--oidc-client-secret-file', secret, '--oidc-scope', 'openid kafka'],
    ],
  });
  await provider.redirectTo(`${cluster.origin}/gbac/v1/sign-in/callback`);
  await cluster.setProperties({ superusers: [ROOT], audit_enabled: true });
  host = new URL(provider.issuer).host;
});
after(async () => {
  await cluster?.remove();
  await provider?.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** The sign-in page as a person sees it. */
export class SignIn {
  constructor(page) {
    this.page = page;
    this.heading = page.getByRole('heading', { level: 1, name: /^Sign in/ });
    this.provider = page.getByRole('link', { name: /^Continue with/ });
    this.user = page.getByRole('textbox', { name: 'User name' });
    this.password = page.getByLabel('Password');
    this.button = page.getByRole('button', { name: 'Sign in', exact: true });
  }

  async open(path) {
    await this.page.goto(cluster.origin + path);
    await this.heading.waitFor();
  }

  /** Goes to the provider, and chooses a person there; nobody cancels. */
  async as(person) {
    await this.provider.click();
    await this.page.getByRole('button', { name: person || 'Cancel', exact: true }).click();
  }

  async withPassword(password) {
    await this.user.fill('admin');
    await this.password.fill(password);
    await this.button.click();
  }
}

export const isFocused = (locator) => until(async () => assert.ok(await locator.evaluate((one) => one === document.activeElement)));
export const here = (page) => page.url().slice(cluster.origin.length);
