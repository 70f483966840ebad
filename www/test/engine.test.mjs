// The wasm engine under Node: bad input, flat memory, explanations.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Policy } from '../index.js';

const document = {
  version: 1,
  acls: [{
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: 'Group:engineering', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW',
  }],
};
const check = {
  identity: { user: 'alice', groups: ['engineering'] },
  operation: 'OPERATION_READ', resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-events',
};

test('a policy document with ten faults names all ten', async () => {
  const bad = {
    version: 2,
    settings: { oidc_group_claim_path: '$[', nested_group_behavior: 'Suffix', superusers: ['User:admin'] },
    roles: [{ name: 'a,b' }, { name: 'ok', members: [{ principal: 'alice' }] }],
    acls: [{ ...document.acls[0], resource_type: 'RESOURCE_TYPE_QUEUE', host: '10.0.0.0/8', principal: 'Group:' }],
    extra: true,
  };
  const error = await Policy.load(bad).then(() => assert.fail('it loaded'), (error) => error);
  assert.equal(error.code, 'policy_invalid');
  assert.deepEqual(error.problems.map((problem) => problem.path).sort(), [
    '/acls/0/host', '/acls/0/principal', '/acls/0/resource_type', '/extra', '/roles/0/name', '/roles/1/members/0/principal',
    '/settings/nested_group_behavior', '/settings/oidc_group_claim_path', '/settings/superusers/0', '/version',
  ]);
  for (const problem of error.problems) assert.ok(problem.code && problem.message, JSON.stringify(problem));
});

test('twenty thousand malformed calls leave memory flat and the answer right', async () => {
  const policy = await Policy.load(document);
  const cyclic = {};
  cyclic.self = cyclic;
  const bad = [
    undefined, null, 1, 'x', '{', [], {}, cyclic, { get identity() { throw new Error('no'); } }, { ...check, host: 'here' },
    { ...check, operation: 'READ ' }, { ...check, resource_type: 'RESOURCE_TYPE_QUEUE' }, { ...check, identity: '\ud800' },
    { unverified_token: 'a.b.c', operation: 'read', resource_type: 'topic', resource_name: 'x' }, { claims: [] }, Symbol('x'), 10n,
    { ...check, extra: 1 }, { ...check, now: 'today' }, { request: { api: 'kafka', name: 'Nothing' }, identity: check.identity },
  ];
  const attempt = (value) => {
    assert.throws(() => policy.check(value), (error) => error instanceof Error && typeof error.code === 'string');
  };
  bad.forEach(attempt);
  const memory = () => policy.memoryBytes();
  const before = memory();
  for (let call = 0; call < 20_000; call += 1) attempt(bad[call % bad.length]);
  assert.equal(memory(), before);
  assert.equal(policy.check(check).outcome, 'allow');
  policy.free();
});

test('ten thousand ACLs load, and one check answers', async () => {
  const acls = Array.from({ length: 10_000 }, (_, index) => ({
    ...document.acls[0], resource_name: `org.team${index}.`, principal: `Group:team${index % 500}`,
  }));
  const policy = await Policy.load({ version: 1, acls });
  const answer = policy.check({
    ...check, identity: { user: 'alice', groups: ['team7'] }, resource_name: 'org.team1507.events',
  });
  assert.equal(answer.outcome, 'allow');
  assert.equal(answer.acl.resource_name, 'org.team1507.');
  policy.free();
});

test('an explanation names what nearly matched', async () => {
  const policy = await Policy.load(document);
  const explained = policy.explain({ ...check, identity: { user: 'alice', groups: ['Engineering'] } });
  assert.equal(explained.reason, 'no_match');
  assert.equal(explained.candidates[0].near_miss, 'principal_letter_case');
  assert.equal(explained.candidates[0].own_principal, 'Group:Engineering');
  policy.free();
});
