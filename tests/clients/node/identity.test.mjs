// A running service and a real OpenID provider: whose token counts, and which groups come out of it (specification 1.3, 2.2
// and 5, D-19, D-30).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Code } from '@connectrpc/connect';
import { asking } from '../../e2e/support/ask.mjs';
import { startCluster } from '../../e2e/support/cluster.mjs';
import { PEOPLE } from '../../e2e/support/people.mjs';
import { startProvider } from '../../e2e/support/provider.mjs';
import { group, resolved, securityClient } from './security-service.mjs';

let provider, cluster;

before(async () => {
  provider = await startProvider();
  const flags = ['--oidc-discovery-url', provider.discovery, '--oidc-audience', provider.audience];
  cluster = await startCluster({ flags });
  await cluster.setProperties({ audit_enabled: true });
});
after(async () => {
  await cluster?.remove();
  await provider?.stop();
});

/** Everything that was ever sent to sign in, right or wrong: none of it may be found anywhere. */
const sent = new Set();

async function tokenOf(person) {
  const token = await provider.token(person);
  sent.add(token);
  return token;
}

const groupsOf = async (token) => (await resolved(cluster.origin, token)).groups;
const admin = () => securityClient(cluster.origin, cluster.authorization);

/** A token is refused, as every token that does not count. */
const isRefused = (token) =>
  assert.rejects(resolved(cluster.origin, token), (error) => {
    assert.equal(Code[error.code], 'Unauthenticated', `${error}`);
    return true;
  });

test('an array, paths and a string with commas are read as they come', async () => {
  const expected = {
    'maya.okafor': PEOPLE['maya.okafor'].groups,
    'jonas.lindqvist': PEOPLE['jonas.lindqvist'].groups,
    'tom.weber': PEOPLE['tom.weber'].groups,
    // Her groups are elsewhere.
    'ana.sousa': [],
  };
  for (const [person, groups] of Object.entries(expected))
    assert.deepEqual(await resolved(cluster.origin, await tokenOf(person)), { principal: person, groups });
});

test('another claim path counts at once, for a token that was seen before too', async () => {
  const [ana, maya] = [await tokenOf('ana.sousa'), await tokenOf('maya.okafor')];
  assert.deepEqual(await groupsOf(ana), []);
  await cluster.setProperties({ oidc_group_claim_path: '$.realm_access.roles' });
  assert.deepEqual(await groupsOf(ana), ['payments', 'offline_access']);
  assert.deepEqual(await groupsOf(maya), []);
  await assert.rejects(cluster.setProperties({ oidc_group_claim_path: '$.' }), /400 .*oidc_group_claim_path/);
  assert.deepEqual(await groupsOf(ana), ['payments', 'offline_access']);
  await cluster.setProperties({ oidc_group_claim_path: '$.groups' });
  assert.deepEqual(await groupsOf(maya), ['engineering', 'analytics']);
});

test('nested_group_behavior counts at once, for a token that was seen before too', async () => {
  const token = await tokenOf('jonas.lindqvist');
  assert.deepEqual(await groupsOf(token), PEOPLE['jonas.lindqvist'].groups);
  await cluster.setProperties({ nested_group_behavior: 'suffix' });
  assert.deepEqual(await groupsOf(token), ['payments', 'on-call']);
  await cluster.setProperties({ nested_group_behavior: 'none' });
  assert.deepEqual(await groupsOf(token), PEOPLE['jonas.lindqvist'].groups);
});

test('a changed membership is in the next token only', async () => {
  const before = await tokenOf('maya.okafor');
  provider.setGroups('maya.okafor', ['analytics']);
  assert.deepEqual(await groupsOf(before), ['engineering', 'analytics']);
  assert.deepEqual(await groupsOf(await tokenOf('maya.okafor')), ['analytics']);
  assert.deepEqual(await groupsOf(before), ['engineering', 'analytics']);
  provider.setGroups('maya.okafor', PEOPLE['maya.okafor'].groups);
});

test('a token that was changed, or is for somebody else, does not count', async () => {
  const [header, claims, signature] = (await tokenOf('maya.okafor')).split('.');
  const other = (await tokenOf('jonas.lindqvist')).split('.');
  const turned = (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1);
  for (const parts of [
    [header, claims, turned],
    [header, other[1], signature],
    [header, claims, ''],
    [Buffer.from('{"alg":"none"}').toString('base64url'), claims, ''],
  ]) {
    sent.add(parts.join('.'));
    await isRefused(parts.join('.'));
  }
  const stranger = await startProvider();
  try {
    const token = await stranger.token('maya.okafor');
    sent.add(token);
    await isRefused(token);
  } finally {
    await stranger.stop();
  }
});

test('a superuser by token administers, as long as it is one', async () => {
  const [maya, jonas] = [await tokenOf('maya.okafor'), await tokenOf('jonas.lindqvist')];
  const as = (token) => asking(cluster.origin, `Bearer ${token}`);
  const makeRole = (token, name) => as(token)('POST', '/v1/roles', { body: { name } });
  await assert.rejects(makeRole(maya, 'early'), / 403 /);
  await cluster.setProperties({ superusers: ['root', 'maya.okafor'] });
  await makeRole(maya, 'Analysts');
  await securityClient(cluster.origin, `Bearer ${maya}`).addRoleMembers({
    roleName: 'Analysts',
    members: [group('analytics')],
  });
  await as(maya)('PUT', '/v1/cluster_config', { body: { upsert: { oidc_clock_skew_tolerance: 10 }, remove: [] } });
  await assert.rejects(makeRole(jonas, 'late'), / 403 /);
  await cluster.setProperties({ superusers: ['root'] });
  await assert.rejects(makeRole(maya, 'late'), / 403 /);
  const { roles } = await admin().listRoles({});
  assert.deepEqual(
    roles.map(({ name, members }) => [name, members.map(({ member }) => member.value.name)]),
    [['Analysts', ['analytics']]],
  );
  const events = await cluster.audit();
  assert.ok(events.some(({ class_uid, actor }) => class_uid === 6003 && actor.user.name === 'maya.okafor'));
});

test('new keys count with their first token, and then the old ones no longer do', async () => {
  const before = await tokenOf('maya.okafor');
  await groupsOf(before);
  await provider.rotateKeys();
  const after = await tokenOf('maya.okafor');
  assert.deepEqual(await groupsOf(after), ['engineering', 'analytics']);
  await isRefused(before);
  assert.deepEqual(await groupsOf(after), ['engineering', 'analytics']);
});

test('RefreshOidcKeys ends old keys before anybody uses a new one', async () => {
  const before = await tokenOf('jonas.lindqvist');
  await provider.rotateKeys();
  assert.deepEqual(await groupsOf(before), PEOPLE['jonas.lindqvist'].groups);
  await admin().refreshOidcKeys({});
  await isRefused(before);
  assert.deepEqual(await groupsOf(await tokenOf('jonas.lindqvist')), PEOPLE['jonas.lindqvist'].groups);
});

test('while the provider is away known keys count; a service that starts then knows none, and learns them later', async () => {
  const [seen, unseen] = [await tokenOf('maya.okafor'), await tokenOf('tom.weber')];
  await groupsOf(seen);
  const { roles } = await admin().listRoles({});
  await provider.stop();
  assert.deepEqual(await groupsOf(seen), ['engineering', 'analytics']);
  assert.deepEqual(await groupsOf(unseen), ['engineering', 'analytics']);
  await assert.rejects(admin().refreshOidcKeys({}), (error) => error.code === Code.Unavailable);
  assert.deepEqual(await groupsOf(seen), ['engineering', 'analytics']);

  await cluster.stop();
  await cluster.start();
  assert.equal((await fetch(`${cluster.origin}/readyz`)).status, 200);
  await isRefused(seen);
  assert.deepEqual((await admin().listRoles({})).roles, roles);

  await provider.start();
  await admin().refreshOidcKeys({});
  assert.deepEqual(await groupsOf(seen), ['engineering', 'analytics']);
});

test('the audit log has every sign-in with its groups', async () => {
  const token = await tokenOf('jonas.lindqvist');
  await groupsOf(token);
  await isRefused(`${token}x`);
  const events = await cluster.audit();
  const signIns = events.filter(({ class_uid }) => class_uid === 3002);
  const jonas = signIns.find(({ user, status_id }) => user.name === 'jonas.lindqvist' && status_id === 1);
  const named = (name) => ({ type: 'idp_group', name });
  assert.deepEqual(jonas.user.groups, PEOPLE['jonas.lindqvist'].groups.map(named));
  assert.ok(signIns.some(({ status_id }) => status_id === 2));
});

test('no token and no password is anywhere in the log, the audit log or the data', async () => {
  const token = await tokenOf('maya.okafor');
  for (const person of Object.keys(PEOPLE)) await groupsOf(await tokenOf(person));
  await cluster.ask('PUT', '/v1/config/log_level/security?level=debug&expires=60');
  await cluster.ask('PUT', '/v1/config/log_level/oidc?level=trace&expires=60');
  await cluster.ask('PUT', '/v1/config/log_level/request?level=trace&expires=60');
  await groupsOf(token);
  const mistyped = 'correct-horse-battery-stable';
  const wrong = [`Basic ${btoa(`admin:${mistyped}`)}`, `Basic ${token}`, `Token ${token}`, `Bearer ${token}x`, token];
  for (const authorization of wrong) {
    const { status } = await fetch(`${cluster.origin}/v1/roles`, { headers: { authorization } });
    assert.equal(status, 401, authorization);
  }
  const traces = await cluster.traces();
  // What is there to be found is found: the claims that the logger wrote, and a group in the data.
  assert.ok(traces.includes('urn:example:streams') && traces.includes('analytics'));
  const secrets = [cluster.password, mistyped, ...[cluster.password, mistyped].map((it) => btoa(`admin:${it}`))];
  for (const token of sent) secrets.push(...token.split('.').slice(1).filter(Boolean));
  assert.ok(secrets.length > 10);
  for (const secret of secrets) assert.ok(!traces.includes(secret), `found: ${secret}`);
});
