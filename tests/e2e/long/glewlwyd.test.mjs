// Glewlwyd as the identity provider of a running service: a provider that nobody made for this product.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { asking } from '../support/ask.mjs';
import { startCluster } from '../support/cluster.mjs';
import { CONSOLE_CLIENT, startGlewlwyd, whyNoGlewlwyd } from '../support/glewlwyd.mjs';

const PEOPLE = {
  'maya.okafor': ['engineering', 'analytics'],
  'jonas.lindqvist': ['/eng/payments', '/contractors/payments', '/eng/platform/on-call'],
  'ana.sousa': ['payments'],
  'tom.weber': [],
};

describe('Glewlwyd', { skip: await whyNoGlewlwyd() }, () => {
  let provider, cluster;

  before(async () => {
    provider = await startGlewlwyd(PEOPLE);
    const flags = ['--oidc-discovery-url', provider.discovery, '--oidc-audience', provider.audience];
    const client = ['--oidc-client-id', CONSOLE_CLIENT, '--oidc-scope', provider.audience];
    cluster = await startCluster({ flags: [...flags, ...client] });
    await provider.redirectTo(`${cluster.origin}/gbac/v1/sign-in/callback`);
    await cluster.setProperties({ oidc_principal_mapping: '$.username' });
  });
  after(async () => {
    await cluster?.remove();
    await provider?.stop();
  });

  /** Whom the service sees in a token. */
  async function resolve(token) {
    const ask = asking(cluster.origin, `Bearer ${token}`);
    const { principal, groups = [] } = (await ask('POST', '/service.core.admin.v2.SecurityService/ResolveOidcIdentity', { body: {} })).body;
    return { principal, groups };
  }

  test('its access token is what we take it for', async () => {
    const token = await provider.token('jonas.lindqvist');
    const claims = decodeJwt(token);
    assert.equal(decodeProtectedHeader(token).typ, 'at+jwt');
    assert.equal(claims.aud, 'openid kafka');
    assert.equal(claims.groups, PEOPLE['jonas.lindqvist'].join(','));
  });

  for (const [person, groups] of Object.entries(PEOPLE))
    test(`${person} has the groups ${groups.join(', ') || '(none)'}`, async () => {
      assert.deepEqual(await resolve(await provider.token(person)), { principal: person, groups });
    });

  test('a person signs in to the console, and has the same groups as with a token', async () => {
    const cookie = (response, name) => response.headers.getSetCookie().find((set) => set.startsWith(name)).split(';')[0];
    const started = await fetch(`${cluster.origin}/gbac/v1/sign-in?return=%2Fsecurity%2Froles`, { redirect: 'manual' });
    const answer = await provider.authorize('jonas.lindqvist', started.headers.get('location'));
    assert.match(answer, /\/gbac\/v1\/sign-in\/callback\?/);
    const headers = { cookie: cookie(started, 'gbac-sign-in=') };
    const opened = await fetch(answer, { redirect: 'manual', headers });
    assert.equal(opened.headers.get('location'), '/security/roles');
    const session = { cookie: cookie(opened, 'gbac-session='), 'gbac-session': '1', origin: cluster.origin };
    const identity = await fetch(`${cluster.origin}/service.core.admin.v2.SecurityService/ResolveOidcIdentity`, {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json' },
      body: '{}',
    });
    const { principal, groups } = await identity.json();
    assert.deepEqual({ principal, groups }, { principal: 'jonas.lindqvist', groups: PEOPLE['jonas.lindqvist'] });
  });

  test('suffix counts at once, for a token that was seen before too', async () => {
    const token = await provider.token('jonas.lindqvist');
    await resolve(token);
    await cluster.setProperties({ nested_group_behavior: 'suffix' });
    assert.deepEqual((await resolve(token)).groups, ['payments', 'on-call']);
    await cluster.setProperties({ nested_group_behavior: 'none' });
    assert.deepEqual((await resolve(token)).groups, PEOPLE['jonas.lindqvist']);
  });

  test('a changed membership is in the next token only', async () => {
    const before = await provider.token('maya.okafor');
    await provider.setGroups('maya.okafor', ['analytics', '/a/b/c']);
    const after = await provider.token('maya.okafor');
    assert.deepEqual((await resolve(before)).groups, ['engineering', 'analytics']);
    assert.deepEqual((await resolve(after)).groups, ['analytics', '/a/b/c']);
  });
});
