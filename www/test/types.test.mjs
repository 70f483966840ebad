// Tests the types: strict for the examples and the documentation, closed where declared, and equal to the engine's results.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { Policy as Analyze, lintDocument } from '../analyze.js';
import { Policy } from '../index.js';
import { DOCUMENT } from './tokens.mjs';

const WWW = fileURLToPath(new URL('../', import.meta.url));
/** Inside the package, so that it can import it by name; ignored by git like all build output. */
const folder = join(WWW, 'pkg', 'types');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
test.after(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS = {
  strict: true, noEmit: true, allowJs: true, checkJs: true, exactOptionalPropertyTypes: false, target: 'esnext', module: 'nodenext', resolveJsonModule: true,
  moduleResolution: 'nodenext', lib: ['esnext', 'dom', 'dom.iterable'], types: [],
};

/** The errors of `tsc --strict` for files, one line each. */
function check(files, { skipLibCheck = true } = {}) {
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...OPTIONS, skipLibCheck }, files }));
  const tsc = join(WWW, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => /error TS/.test(line));
}

const declarations = ['index.d.ts', 'verify.d.ts', 'analyze.d.ts', 'types.d.ts', 'wasm.d.ts'].map((name) => join(WWW, name));
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Files that import libraries or Node modules whose declarations are separate packages. */
const UNTYPED = ['react.js', 'app.mjs', 'express.mjs', 'react.mjs'];

test('`tsc --strict` over the declarations, the examples and the adapters', () => {
  const listed = (folder, ending) => readdirSync(join(WWW, folder)).filter((name) => name.endsWith(ending) && !UNTYPED.includes(name)).map((name) => join(WWW, folder, name));
  const examples = [...listed('examples', '.mjs'), ...listed('adapters', '.js')];
  assert.ok(examples.length >= 6);
  // Only this test checks the declarations themselves.
  assert.deepEqual(check([...declarations, ...examples], { skipLibCheck: false }), []);
});

test('every public method says what it throws or does, with an example that compiles', () => {
  const source = { 'index.d.ts': '', 'verify.d.ts': 'verify', 'analyze.d.ts': 'analyze' };
  const programs = [];
  for (const [name, entry] of Object.entries(source)) {
    const text = readFileSync(join(WWW, name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      const isOurs = (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isFunctionDeclaration(node)) && ts.isIdentifier(node.name);
      if (isOurs) {
        const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
        const overloads = (node.parent.members ?? node.parent.statements ?? []).filter((member) => member.name?.getText() === node.name.text);
        const first = overloads[0] ?? node;
        if (first === node) {
          assert.ok(comment?.comment, `${name}: ${node.name.text} has no comment`);
          const example = comment.tags?.find((tag) => tag.tagName.text === 'example')?.comment;
          const asBefore = /^As in/.test(comment.comment) || node.name.text === 'free';
          assert.ok(example || asBefore, `${name}: ${node.name.text} has no example`);
          if (example) programs.push([entry, node.name.text, example]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  assert.ok(programs.length >= 25, String(programs.length));
  const files = programs.map(([entry, method, example], place) => {
    const imports = example.match(/^import .*$/gm) ?? [];
    const body = example.replace(/^import .*$/gm, '');
    return write(`example-${place}.mts`, `// ${method}
      import * as all from '${entry ? `gbac-engine/${entry}` : 'gbac-engine'}';
      ${imports.join('\n')}
      declare const { acls, EngineError, Policy, init }: typeof all;
      ${entry === 'verify' ? 'declare const { verifier }: typeof all; declare const keys: all.Verifier; declare const jwks: object;' : ''}
      ${entry === 'analyze' ? 'declare const { lintDocument }: typeof all; declare const before: all.Policy, after: all.Policy;' : ''}
      declare const readFile: (path: string, encoding: 'utf8') => Promise<string>, writeFile: (path: string, text: string) => Promise<void>;
      declare const document: all.PolicyDocument, token: string, topics: string[], orders: all.Resource;
      declare const check: all.Subject & all.Query, console: { log(...all: unknown[]): void, error(...all: unknown[]): void };
      async function example(policy: all.Policy, alice: all.Identity, identity: all.Identity) { ${
        // Declarations in the example shadow the parameters.
        `{ ${body}\n }`
      } }
      void example;`);
  });
  assert.deepEqual(check(files), []);
});

test('what is wrong does not compile', () => {
  const wrong = [
    `if (policy.open({ user: 'alice' }).decide({ operation: 'read', resource_type: 'topic' }).outcome === 'maybe') {}`,
    `if (policy.open({ user: 'alice' }).decide({ operation: 'read', resource_type: 'topic' }).reason === 'because') {}`,
    `acls([{ allow: 'peek', topic: 'x', to: 'Group:eng' }])`,
    `acls([{ allow: 'read', topic: 'x', group: 'y', to: 'Group:eng' }])`,
    `acls([{ allow: 'read', deny: 'write', topic: 'x', to: 'Group:eng' }])`,
    `acls([{ allow: 'read', topic: 'x', to: 'eng' }])`,
    `acls([{ allow: 'read', topic: 'x' }])`,
    `acls([{ allow: 'read', cluster: 'x', to: 'Group:eng' }])`,
    `Policy.load({ version: 1, acls: [{ resource_type: 'RESOURCE_TYPE_QUEUE', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL', principal: 'User:a', host: '*', operation: 'OPERATION_READ', permission_type: 'PERMISSION_TYPE_ALLOW' }] })`,
    `policy.subscribe('change')`,
    `policy.open({ user: 'alice' }).check('peek', 'topic', 'x')`,
    `policy.open({ user: 'alice' }).check('read', 'queue', 'x')`,
    `policy.open({ user: 'alice' }).check('OPERATION_READ', 'RESOURCE_TYPE_TOPIC', 7)`,
    `policy.open({ groups: [] })`,
    `policy.open({ user: 'alice', groups: null })`,
    `policy.open({ user: 'alice' }).can('read', 'topic', 'x') === 'allow'`,
    `policy.open({ user: 'alice' }).can('read', 'topic', 'x', Date.now() / 1000)`,
    `policy.open({ user: 'alice' }).can('read', 'topic', 'x', { time: 1 })`,
    `policy.open({ user: 'alice' }).check('read', 'topic', 'x', { ignore_expiry: true })`,
    `policy.open({ user: 'alice' }).decide({ operation: 'read', resource_type: 'topic', ignoreExpiry: true })`,
    `policy.open({ user: 'alice', role: 'x' })`,
    `policy.apply({ change: 'add_acl', role: 'x' })`,
    `policy.apply({ change: 'add_member', role: 'x', principal: 'Role:y' })`,
    `policy.check({ identity: { user: 'a' }, operation: 'read', resource_type: 'topic' , resources: {} })`,
    `policy.check({ operation: 'read', resource_type: 'topic', resource_name: 'x' })`,
    `Policy.load({ version: 2 })`,
    `Policy.load({ version: 1, rolls: [] })`,
    `new Policy()`,
    `policy.open({ user: 'alice' }).check('read', 'topic', 'x') === 'allowed'`,
    `verifier({}, { issuer: 'x' })`,
    `policy.open(new VerifiedClaims())`,
  ];
  const right = `policy.open({ user: 'alice' }).check('read', 'topic', 'x') === 'allow'`;
  const lines = [right, ...wrong].map((line) => `${line};`);
  const file = write('wrong.mts', `import { acls, Policy, VerifiedClaims, verifier } from 'gbac-engine/verify'; declare const policy: Policy;\n${lines.join('\n')}\n`);
  const refused = new Set(check([file]).map((line) => Number(/\((\d+),/.exec(line)[1])));
  lines.forEach((line, place) => assert.equal(refused.has(place + 2), place > 0, line));
});

test('a decision is told apart by its outcome, reason and source', () => {
  const right = `import { acls, Policy, type Decision } from 'gbac-engine';
    import * as verify from 'gbac-engine/verify';
    import * as analyze from 'gbac-engine/analyze';
    declare const decision: Decision;
    if (decision.source === 'group_role_acl') { const path: [string, string] = [decision.group, decision.role]; void path; }
    if (decision.source === 'user_acl') { const none: undefined = decision.group; void [none, decision.acl.principal]; }
    if (decision.reason === 'superuser') { const outcome: 'allow' = decision.outcome; void outcome; }
    if (decision.outcome === 'allow' && decision.reason !== 'superuser') { const reason: 'allow_rule' = decision.reason; void [reason, decision.acl.host]; }
    if (decision.source === undefined) { const acl: undefined = decision.acl; void acl; }
    void decision.acl?.principal;
    const policies: Policy[] = [await verify.Policy.load({ version: 1 }), await analyze.Policy.load({ version: 1 })];
    const short: Parameters<typeof Policy.load>[0] = { version: 1, acls: acls([{ deny: ['write', 'OPERATION_READ'], 'transactional-id': ['a-*', 'b'], to: ['Group:eng', 'User:*'], host: '10.0.0.1' }, { allow: 'all', cluster: true, to: 'Role:admins' }]) };
    void [policies, short];
`;
  assert.deepEqual(check([write('union.mts', right)]), []);
});

test('a policy in a `.json` file type-checks, as one that a program writes down does not with a mistake', () => {
  write('policy.json', JSON.stringify({ ...DOCUMENT, roles: [{ name: 'readers', members: [{ principal: 'Group:eng' }] }, { name: 'none' }], settings: { superusers: ['admin'] } }));
  const file = write('json.mts', `import { Policy } from 'gbac-engine';
    import { lintDocument, Policy as Analyzed } from 'gbac-engine/analyze';
    import policy from './policy.json' with { type: 'json' };
    void [Policy.load(policy), Analyzed.load(policy), lintDocument(policy)];
    // @ts-expect-error a version that is written down
    void Policy.load({ version: 2 });
    // @ts-expect-error a member that does not exist
    void Policy.load({ version: 1, rolls: [] });
`);
  assert.deepEqual(check([file]), []);
});

/** Real results of every call, each with its declared type. */
async function answers() {
  const all = [];
  const vectors = new URL('../../tests/vectors/', import.meta.url);
  const attempt = (type, call) => {
    try {
      all.push([type, call()]);
    } catch (error) {
      assert.equal(error.name, 'EngineError');
      for (const problem of error.problems ?? []) all.push(['Problem', problem]);
    }
  };
  const [acl] = DOCUMENT.acls;
  all.push(['Finding[]', await lintDocument({ ...DOCUMENT, acls: [acl, acl] })]);
  // One change without effect, and one that cannot be applied.
  const changes = [{ change: 'remove_from_group', group: 'nobody' }, { change: 'add_member', role: 'nowhere', principal: 'Group:a' }];
  all.push(['WhatIf', (await Analyze.load(DOCUMENT)).whatIf({ user: 'alice' }, changes)]);
  await Analyze.load({ version: 2, acls: [{}] }).catch(({ problems }) => all.push(['Problem[]', problems]));
  let before = await Analyze.load(DOCUMENT);
  for (const name of readdirSync(vectors).filter((name) => name.endsWith('.json')).sort()) {
    const { policy: document, tests } = JSON.parse(readFileSync(new URL(name, vectors), 'utf8'));
    const policy = await Analyze.load(document);
    all.push(['ExportedDocument', policy.export()], ['Finding[]', await lintDocument(document)], ['Diff', before.diff(policy)]);
    for (const { check } of tests) {
      const { identity, claims, userinfo, unverified_token, token, ...question } = check;
      const who = JSON.parse(JSON.stringify({ identity, claims, userinfo, unverified_token, token }));
      attempt('ResolvedIdentity', () => policy.inspect(who));
      if (question.request) {
        attempt('RequestAnswer & t.WithId', () => policy.check(check));
        attempt('LeastGrant', () => policy.leastGrant(who, question));
        continue;
      }
      attempt('Decision & t.WithId', () => policy.check(check));
      attempt('Explanation & t.WithId', () => policy.explain(check));
      attempt('WhoCan', () => policy.whoCan(question));
      attempt('Permissions', () => policy.permissions(who));
      attempt('LeastGrant', () => policy.leastGrant(who, question));
      attempt('Revocation', () => policy.revoke(who, question));
      attempt('IdentityComparison', () => policy.compare(who, { user: 'somebody', groups: ['eng', 'engineering'] }, question));
      attempt('WhatIf', () => policy.whatIf(who, [{ change: 'add_to_group', group: 'engineering' }, { change: 'create_role', role: 'tried' }], question));
    }
    const names = ['/a/engineering', '/b/engineering', 'a,b', '/c/engineering', '/a/ops', '/b/ops'];
    attempt('CollisionReport', () => policy.collisions({ names, nested: 'suffix', limit: 1 }));
    before.free();
    before = policy;
  }
  before.free();
  return all;
}

test('every answer of the engine to every vector is of its type, and every member of a type is in an answer', async () => {
  const all = await answers();
  assert.ok(all.length > 1000, String(all.length));
  // Deduplicates results for the compiler.
  const distinct = new Map(all.map(([type, value]) => [`${type} ${JSON.stringify(value)}`, [type, value]]));
  const byType = new Map();
  for (const value of distinct.values()) byType.set(value[0], [...(byType.get(value[0]) ?? []), value]);
  const files = [...byType].map(([type, values]) => {
    const text = values.map(([, value]) => `(${JSON.stringify(value)}) satisfies t.${type};`);
    return write(`answers-${type.replace('[]', 's').replaceAll(/\W/g, '')}.mts`, `import type * as t from 'gbac-engine';\n${text.join('\n')}\n`);
  });
  assert.deepEqual(check(files).slice(0, 5), []);

  const names = new Set();
  const walk = (value) => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (value && typeof value === 'object') Object.entries(value).forEach(([name, inner]) => { names.add(name); walk(inner); });
  };
  all.forEach(([, value]) => walk(value));
  const file = ts.createSourceFile('types.d.ts', readFileSync(join(WWW, 'types.d.ts'), 'utf8'), ts.ScriptTarget.Latest, true);
  const outputs = ['Decision', 'RequestAnswer', 'Path', 'Candidate', 'Explanation', 'Warning', 'Inspection', 'Problem', 'NamePattern', 'Match',
    'WhoCan', 'Permissions', 'Extent', 'Comparison', 'People', 'WhatIf', 'Revocation', 'Collisions', 'Difference', 'Diff', 'LeastGrant', 'Finding', 'ExportedDocument', 'FullAcl'];
  const missing = [];
  for (const statement of file.statements.filter((node) => outputs.includes(node.name?.text))) {
    const visit = (node) => {
      // A member of type `undefined` is absent in results.
      const isThere = ts.isPropertySignature(node) && node.type.kind !== ts.SyntaxKind.UndefinedKeyword;
      if (isThere && !names.has(node.name.text)) {
        missing.push(`${statement.name.text}.${node.name.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
  }
  assert.deepEqual(missing, []);
});

test('every operation and resource type that is declared exists, in both spellings', async () => {
  const file = ts.createSourceFile('types.d.ts', readFileSync(join(WWW, 'types.d.ts'), 'utf8'), ts.ScriptTarget.Latest, true);
  const union = (name) => {
    const { type } = file.statements.find((node) => node.name?.text === name);
    return type.types.map(({ literal }) => literal.text);
  };
  const policy = await Policy.load({ version: 1 });
  const identity = policy.open({ user: 'alice' });
  for (const operation of [...union('Operation'), ...union('OperationName')]) assert.equal(identity.check(operation, 'topic', 'x'), 'deny');
  for (const type of [...union('ResourceType'), ...union('ResourceTypeName')]) assert.equal(identity.check('read', type, 'x'), 'deny');
  for (const api of union('Api')) {
    assert.throws(() => identity.request({ api, name: 'no-such-request' }), (error) => error.code === 'unknown_request');
  }
  assert.equal(union('Operation').length, union('OperationName').length);
  assert.equal(union('ResourceType').length, union('ResourceTypeName').length);
});

test('every code that the package throws is declared, and no other', () => {
  const sources = ['', 'lib', 'lib/entries'].flatMap((place) => readdirSync(join(WWW, place)).filter((name) => name.endsWith('.js')).map((name) => join(WWW, place, name)));
  const thrown = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const errors = [...text.matchAll(/new EngineError\(\s*'(\w+)'/g), ...text.matchAll(/\[\s*'(\w+)', (?:'this is|verified)/g)];
    return errors.map(([, code]) => code);
  });
  const declared = readFileSync(join(WWW, 'index.d.ts'), 'utf8').match(/type PackageErrorCode =([^;]*);/)[1].match(/\w+(?=')/g);
  assert.deepEqual([...new Set(thrown)].sort(), declared);
  // Each has a cause and a remedy in the table of the README.
  const rows = readFileSync(join(WWW, 'README.md'), 'utf8').split('\n').filter((line) => /^\| `\w+`.*\|.*\|.*\|$/.test(line));
  assert.deepEqual(declared.filter((code) => !rows.some((row) => row.split('|')[1].includes(`\`${code}\``))), []);
});
