// Tests every vector with the wasm engine in Node. The Rust API and the command line use the same files.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Policy } from '../index.js';

const folder = new URL('../../tests/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();

/** The result of a check: the decision's members and the identity's groups, or the error's code. */
function observe(policy, check) {
  try {
    const { identity, claims, userinfo, unverified_token, token } = check;
    const who = JSON.parse(JSON.stringify({ identity, claims, userinfo, unverified_token, token }));
    const answer = policy.check(check);
    return { ...answer, groups: policy.inspect(who).groups.map((group) => group.name) };
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
    return { error: error.code };
  }
}

test('there are vectors', () => {
  assert.ok(files.length > 0);
});

for (const name of files) {
  test(`vectors ${name}`, async () => {
    const file = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    const policy = await Policy.load(file.policy);
    for (const { id, check, expect } of file.tests) {
      const observed = observe(policy, check);
      for (const [member, wanted] of Object.entries(expect)) {
        assert.deepEqual(observed[member] ?? null, wanted, `${id}: ${member}`);
      }
      if (!('error' in expect)) assert.equal(observed.error, undefined, id);
    }
    policy.free();
  });
}
