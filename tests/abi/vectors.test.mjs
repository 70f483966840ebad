// The WebAssembly ABI under Node: every vector that a host without a clock and without keys can ask.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Host, compiled, operation, records, resourceType, text, u64, u8, vectors } from './module.mjs';

test('the module needs nothing and has the documented functions', () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
  const names = WebAssembly.Module.exports(compiled).filter(({ kind }) => kind === 'function').map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith('gbac_')).sort(), [
    'gbac_abi', 'gbac_alloc', 'gbac_any', 'gbac_apply', 'gbac_clear', 'gbac_close', 'gbac_event', 'gbac_explain',
    'gbac_extract', 'gbac_free', 'gbac_mask', 'gbac_members', 'gbac_near_miss', 'gbac_open',
  ]);
  assert.equal(new Host().exports.gbac_abi(), 1);
});

/** The principal and groups of a check; nothing where the module does not read the token. */
function who(host, { settings = {} }, { identity, claims }) {
  if (identity) return { principal: identity.principal ?? `User:${identity.user}`, groups: identity.groups ?? [] };
  if (!claims || settings.sso) return undefined;
  const found = host.extract({
    path: settings.oidc_group_claim_path, nested: settings.nested_group_behavior, mapping: settings.oidc_principal_mapping ?? '$.sub',
  }, JSON.stringify(claims));
  return found.error ? undefined : { principal: `User:${found.user}`, groups: found.groups };
}

test('every vector holds through the WebAssembly ABI', () => {
  let compared = 0;
  for (const { name, policy, tests } of vectors()) {
    const host = new Host();
    const all = records(policy);
    assert.equal(host.apply(all.slice(0, 3)) >= 0 && host.apply(all.slice(3)) >= 0, true, name);
    for (const { id, check, expect } of tests) {
      const subject = who(host, policy, check);
      // The module does not know when a token expires.
      if (!subject || expect.reason === 'expired' || subject.principal === 'User:') continue;
      const handle = host.open(subject.principal, subject.groups);
      assert.ok(handle >= 0, `${id}: ${handle}`);
      const [asked, type] = [operation(check.operation), resourceType(check.resource_type)];
      const mask = host.mask(handle, type, check.host, check.resource_name ?? '');
      assert.ok(mask >= 0, `${id}: ${mask}`);
      assert.equal((mask >> asked & 1) === 1 ? 'allow' : 'deny', expect.outcome, id);
      const words = host.explain(handle, asked, type, check.host, check.resource_name ?? '');
      assert.ok(words.startsWith(`${expect.outcome}: `), `${id}: ${words}`);
      if (expect.group && expect.role) assert.ok(words.includes(`through group \`${expect.group}\``), `${id}: ${words}`);
      if (expect.groups && check.claims) assert.deepEqual(subject.groups, expect.groups, id);
      assert.equal(host.exports.gbac_close(handle), 0);
      compared += 1;
    }
  }
  assert.ok(compared >= 400, `${compared} vectors`);
  console.log(`${compared} vectors through the WebAssembly ABI`);
});

const POLICY = {
  roles: [{ name: 'writers', members: [{ principal: 'Group:eng' }] }],
  acls: [['orders', 'Group:Eng', '*'], ['hosts', 'Group:eng', '10.0.0.1'], ['t', 'Role:writers', '*']].map(([name, principal, host]) => ({
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: name, resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
    principal, host, operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  })),
};
const [READ, TOPIC] = [operation('read'), resourceType('topic')];

test('the ACL that would allow a request but for one field is found', () => {
  const host = new Host();
  assert.ok(host.apply(records(POLICY)) > 0);
  const handle = host.open('User:alice', ['eng']);
  assert.match(host.nearMiss(handle, READ, TOPIC, '10.0.0.9', 'orders'), /^principal_letter_case: Allow Read, topic orders.* of Group:Eng/);
  assert.match(host.nearMiss(handle, READ, TOPIC, '10.0.0.9', 'hosts'), /^host: Allow Read, topic hosts/);
  assert.equal(host.nearMiss(handle, READ, TOPIC, '10.0.0.9', 'nothing'), '');
});

test('an audit event has the groups of a sign-in, and the group that matched of a decision', () => {
  const host = new Host();
  assert.ok(host.apply(records(POLICY)) > 0);
  const handle = host.open('User:alice', ['eng', 'ops']);
  const common = (start, end, count) => [text('7'), text('alice'), text('10.0.0.9'), text('client'), u64(start), u64(end), u64(count)];
  const event = (handle, ...parts) => JSON.parse(host.result(host.call('gbac_event', [handle], Buffer.concat(parts))).toString());
  const signIn = event(handle, u8(1), ...common(5, 5, 1), u8(1));
  assert.equal(signIn.class_uid, 3002);
  assert.deepEqual(signIn.user.groups, [{ type: 'idp_group', name: 'eng' }, { type: 'idp_group', name: 'ops' }]);
  const decided = event(handle, u8(2), ...common(5, 60_005, 9), u8(READ), u8(TOPIC), text('t'), u8(0), text(''));
  assert.equal(decided.class_uid, 6003);
  assert.deepEqual([decided.count, decided.start_time, decided.end_time], [9, 5, 60_005]);
  assert.deepEqual(decided.actor.user.groups, [{ type: 'idp_group', name: 'eng' }, { type: 'role', name: 'writers' }]);
  const other = event(-1, u8(2), ...common(5, 5, 1), u8(READ), u8(TOPIC), text('t'), u8(1), text('no groups'));
  assert.equal(other.actor.authorizations[0].decision, 'denied');
  assert.equal(other.actor.authorizations[0].policy.desc, 'no groups');
  // A decision of ACLs needs an identity.
  assert.equal(host.call('gbac_event', [-1], Buffer.concat([u8(2), ...common(5, 5, 1), u8(READ), u8(TOPIC), text('t'), u8(0), text('')])), -4);
  assert.equal(host.call('gbac_event', [handle], Buffer.concat([u8(3)])), -3);
});
