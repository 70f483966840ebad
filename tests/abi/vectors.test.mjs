// The WebAssembly ABI under Node: every vector that a host without a clock and without keys can ask.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Host, compiled, operation, records, resourceType, vectors } from './module.mjs';

test('the module needs nothing and has the documented functions', () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
  const names = WebAssembly.Module.exports(compiled).filter(({ kind }) => kind === 'function').map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith('gbac_')).sort(), [
    'gbac_abi', 'gbac_alloc', 'gbac_any', 'gbac_apply', 'gbac_clear', 'gbac_close', 'gbac_explain', 'gbac_extract',
    'gbac_free', 'gbac_mask', 'gbac_members', 'gbac_open',
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
