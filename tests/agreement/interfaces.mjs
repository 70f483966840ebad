// Every interface that answers the same questions: the calls of the JavaScript package, the built command line,
// and a running service's AuthZEN. All give `{ outcome, reason?, .. }`, or `{ error }`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GBAC, serve } from '../e2e/support/launch.mjs';
import { asking, basic } from '../e2e/support/ask.mjs';
import { Policy } from '../../www/index.js';
import * as verify from '../../www/verify.js';
import { decide, decideOnAny, plainAcl } from '../../www/test/oracle.mjs';
import { AUDIENCE, provider } from '../../www/test/tokens.mjs';
import { ADMIN, claimsOf, isExpired, questionOf, whoOf, withAdmin } from './cases.mjs';

/** A decision with every member that the rules determine: null and false stand for absent. */
export const plain = (decision) => ({
  outcome: decision.outcome,
  reason: decision.reason,
  source: decision.source ?? null,
  group: decision.group ?? null,
  role: decision.role ?? null,
  acl: decision.acl ? plainAcl(decision.acl) : null,
  implied_by: decision.implied_by ?? null,
  host_unknown: decision.host_unknown ?? false,
});

/** An answer to a whole request in the same form: of each of its checks, what was asked and decided. */
const plainAnswer = (answer) => (answer.checks === undefined ? plain(answer) : {
  outcome: answer.outcome,
  requires: answer.requires,
  checks: answer.checks.map(({ operation, resource_type, resource_name, decision }) => ({ operation, resource_type, resource_name, decision: plain(decision) })),
});

/** What the second oracle says. Which checks a request needs, and how they combine, is `answer`'s; it decides them. */
export function oracle(document, asked, answer, now) {
  const expired = isExpired(asked, now);
  const { identity, host, request } = asked;
  if (request === undefined) return decide(document, asked, expired);
  if (answer.error !== undefined) return answer;
  const decided = ({ operation, resource_type, resource_name, decision }) => {
    const check = { identity, host, operation, resource_type, resource_name };
    if (resource_name !== undefined) return decide(document, check, expired);
    // Which of several ACLs is named is the engine's own choice, the same everywhere.
    return { ...plain(decision), ...decideOnAny(document, check, expired) };
  };
  const checks = answer.checks.map((check) => {
    const { operation, resource_type, resource_name } = check;
    return { operation, resource_type, resource_name, decision: decided(check) };
  });
  const holds = (need) => (typeof need === 'number' ? checks[need].decision.outcome === 'allow' : need.all ? need.all.every(holds) : need.any.some(holds));
  return { outcome: !expired && holds(answer.requires) ? 'allow' : 'deny', requires: answer.requires, checks };
}

/** The answer of a call as it is, or its error. */
function attempt(call) {
  try {
    return { answer: call(), error: undefined };
  } catch (error) {
    return { answer: undefined, error };
  }
}

/** What a call gives, in the form of all interfaces; undefined where it cannot be asked that. */
function given({ answer, error }) {
  if (error !== undefined) {
    if (error?.name !== 'EngineError') throw error;
    return { error: error.code };
  }
  if (answer === undefined) return undefined;
  if (typeof answer === 'boolean') return { outcome: answer ? 'allow' : 'deny' };
  return typeof answer === 'string' ? { outcome: answer } : plainAnswer(answer);
}

/** The calls of the JavaScript package. Each is asked with the policy, an identity that is open, and the question. */
export const CALLS = {
  'policy.check': ({ policy, check }) => policy.check(check),
  'policy.can': ({ policy, check }) => policy.can(check),
  'policy.explain': ({ policy, check, request }) => (request ? undefined : policy.explain(check)),
  'identity.decide': ({ identity, question }) => identity.decide(question),
  'identity.explain': ({ identity, question, request }) => (request ? undefined : identity.explain(question)),
  'identity.request': ({ identity, request, options }) => (request ? identity.request(request, options) : undefined),
  'identity.can': ({ identity, direct, options }) => direct && identity.can(...direct, options),
  'identity.check': ({ identity, direct, options }) => direct && identity.check(...direct, options),
  'identity.can, a resource': ({ policy, identity, direct, options }) => direct && identity.can(direct[0], policy.resource(direct[1], direct[2]), options),
  'identity.checkResource': ({ policy, identity, direct, options }) => direct && identity.checkResource(direct[0], policy.resource(direct[1], direct[2]), options),
  'identity.filter': ({ identity, direct, options }) => direct && identity.filter(direct[0], direct[1], [direct[2]], options).length === 1,
  'identity.checkMany': ({ identity, direct, question }) => direct && identity.checkMany([{ resource_name: direct[2], ...question }])[0],
};

/** What every call gives for each question of a world. `around` makes the calls, for example in a program with other prototypes. */
export async function javascript(document, cases, calls = CALLS, around = (ask) => ask()) {
  const policy = await Policy.load(document);
  const entries = Object.entries(calls).map(([name, ask]) => ({ name, ask }));
  // With every member, so that none is inherited.
  const asked = cases.map((one) => {
    const question = questionOf(one);
    const { host, now, ignore_expiry: ignoreExpiry } = question;
    return {
      who: one.form === 'names' ? one.identity : whoOf(one), check: { ...whoOf(one), ...question }, question, request: one.request,
      options: host === undefined && now === undefined && ignoreExpiry === undefined ? undefined : { host, now, ignoreExpiry },
      direct: one.request ? undefined : [one.operation, one.resource_type, one.resource_name ?? ''],
    };
  });
  const answers = around(() => asked.map(({ who, ...one }) => {
    const identity = policy.open(who);
    const found = entries.map(({ name, ask }) => ({ name, result: attempt(() => ask({ policy, identity, ...one })) }));
    identity.free();
    return found;
  }));
  policy.free();
  return answers.map((found) => Object.fromEntries(found.map(({ name, result }) => [name, given(result)]).filter(([, answer]) => answer !== undefined)));
}

/** What other code may have left in `Object.prototype`: members that would allow, and what could be taken for known names. */
const MEMBERS = {
  host: '10.0.0.1', now: 1, ignore_expiry: true, ignoreExpiry: true, user: ADMIN, principal: `User:${ADMIN}`, groups: ['g', 'h'], identity: { user: ADMIN }, claims: { sub: ADMIN },
  operation: 'OPERATION_READ', resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'a', request: { api: 'kafka', name: 'ApiVersions', resources: {} }, resources: {}, id: 7, outcome: 'allow',
  expires_at: 4e9, verified: true, permission_type: 'PERMISSION_TYPE_ALLOW', superusers: ['u', 'v', 'g'], limit: 0, isExpired: false, number: 1, known: 1, since: 0, problems: [], cause: 'x', code: 'x',
};

/** Calls `ask` with an `Object.prototype` that has every index below a thousand, and some of these members. */
export function polluting({ pick, chance, below }, cases) {
  const names = Object.fromEntries(cases.map(({ resource_name: name }) => [name ?? '', below(4)]));
  const values = [{}, names, 0, 1, -1, true, 'allow', [], null, Object.values(names)];
  const members = Object.fromEntries([...Array(1_000).keys()].map((index) => [index, pick(values)]));
  for (const [name, value] of Object.entries(MEMBERS)) if (chance(1, 2)) members[name] = chance(1, 4) ? pick(values) : value;
  return (ask) => {
    Object.assign(Object.prototype, members);
    try {
      return ask();
    } finally {
      for (const name of Object.getOwnPropertyNames(members)) delete Object.prototype[name];
    }
  };
}

/** The command line, one process for each world; and the service, one for all of them. */
export class Programs {
  #folder = mkdtempSync(join(tmpdir(), 'gbac-agreement-'));
  #idp = provider();
  #issuer;
  #server;
  #service;
  #ask;
  #etag;

  async start() {
    this.#server = createServer((request, response) => {
      const discovery = { issuer: this.#issuer, jwks_uri: `${this.#issuer}/keys` };
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(request.url === '/keys' ? this.#idp.jwks : discovery));
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#issuer = `http://127.0.0.1:${this.#server.address().port}`;
    const flags = ['--data', join(this.#folder, 'data'), '--listen', '127.0.0.1:0', '--admin-user', ADMIN];
    const oidc = ['--oidc-discovery-url', `${this.#issuer}/.well-known/openid-configuration`, '--oidc-audience', AUDIENCE];
    const password = 'not-a-secret-1';
    this.#service = await serve([...flags, ...oidc], { GBAC_ADMIN_PASSWORD: password });
    this.#ask = asking(this.#service.origin, basic(ADMIN, password));
  }

  async stop() {
    await this.#service?.stop();
    this.#server?.close();
    this.#server?.closeAllConnections();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What `gbac check --checks -` answers to each question, in order. */
  async commandLine(document, cases) {
    const lines = await this.#check(document, cases.map((asked) => ({ ...whoOf(asked), ...questionOf(asked) })));
    return lines.map((line) => (line.error ? { error: line.error.code } : plainAnswer(line)));
  }

  /** The lines of `gbac check --checks -` for these checks, in order. */
  async #check(document, checks, flags = []) {
    const path = this.#file('policy.json', document);
    const child = spawn(GBAC, ['check', '--policy', path, '--checks', '-', ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stdin.end(checks.map((check) => `${JSON.stringify(check)}\n`).join(''));
    const [code] = await once(child, 'close');
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
    if (lines.length !== checks.length || code > 1) throw new Error(`gbac check ended with ${code} after ${lines.length} lines`);
    return lines;
  }

  #file(name, value) {
    const path = join(this.#folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  }

  /** The name of the identity provider, and tokens that it signs. */
  get provider() {
    return { issuer: this.#issuer, token: this.#idp.token };
  }

  /** What every interface decides about a request with each of these tokens; the package has only the code of its error. */
  async judged(tokens) {
    const document = withAdmin({ version: 1, settings: { superusers: [] }, roles: [], acls: [] });
    const question = { operation: 'read', resource_type: 'topic', resource_name: 'x' };
    const keys = ['--jwks', this.#file('keys.json', this.#idp.jwks), '--issuer', this.#issuer, '--audience', AUDIENCE];
    const lines = await this.#check(document, tokens.map((token) => ({ token, ...question })), keys);
    await this.#put(document);
    const evaluations = tokens.map((token) => (
      { subject: { type: 'token', id: token }, action: { name: 'read' }, resource: { type: 'topic', id: 'x' } }
    ));
    const { body } = await this.#ask('POST', '/access/v1/evaluations', { body: { evaluations } });
    const policy = await verify.Policy.load(document);
    const verifier = await verify.verifier(this.#idp.jwks, { issuer: this.#issuer, audience: AUDIENCE });
    return tokens.map((token, place) => ({
      'gbac check': lines[place],
      AuthZEN: body.evaluations[place].context,
      code: attempt(() => policy.open(verifier.verify(token))).error?.code,
    }));
  }

  /** What the service answers; undefined where a gateway cannot ask that, such as at another instant than its own. */
  async authzen(document, cases) {
    await this.#put(document);
    const tokens = new Map();
    const evaluations = cases.map((asked) => this.#evaluation(asked, tokens));
    const places = [...evaluations.keys()].filter((place) => evaluations[place] !== undefined);
    const answers = Array(cases.length).fill(undefined);
    for (let first = 0; first < places.length; first += BATCH) {
      const batch = places.slice(first, first + BATCH);
      const { body } = await this.#ask('POST', '/access/v1/evaluations', { body: { evaluations: batch.map((place) => evaluations[place]) } });
      if (body.evaluations.length !== batch.length) throw new Error('the service has not answered every question');
      body.evaluations.forEach((evaluated, index) => {
        answers[batch[index]] = plainEvaluated(evaluated);
      });
    }
    return answers;
  }

  /** Makes a document the policy of the service. */
  async #put(document) {
    this.#etag ??= (await this.#ask('GET', '/gbac/v1/policy')).response.headers.get('etag');
    const { response } = await this.#ask('PUT', '/gbac/v1/policy', { body: document, headers: { 'if-match': this.#etag } });
    this.#etag = response.headers.get('etag') ?? undefined;
  }

  /** A token, signed once for each of whom it tells. */
  #token(asked, tokens) {
    const key = JSON.stringify(claimsOf(asked));
    if (!tokens.has(key)) tokens.set(key, this.#idp.token({ iss: this.#issuer, iat: undefined, ...claimsOf(asked) }));
    return tokens.get(key);
  }

  #evaluation(asked, tokens) {
    const { form, exp, identity, instant, request, operation, resource_type: type, resource_name: name, host } = asked;
    // Instants are the service's own; a token without an expiry is refused.
    const canExpire = form === 'claims';
    if (canExpire && (instant !== 'clock' || exp === undefined)) return undefined;
    const subject = canExpire
      ? { type: 'token', id: this.#token(asked, tokens) }
      : { type: 'user', id: identity.user, properties: { groups: identity.groups } };
    const context = host === undefined ? undefined : { host };
    if (request === undefined) return { subject, action: { name: operation }, resource: { type, id: name ?? '' }, context };
    const [[kind, [first, ...others]] = ['cluster', ['']], ...more] = Object.entries(request.resources);
    const resources = { ...(others.length > 0 ? { [kind]: others } : {}), ...Object.fromEntries(more) };
    return {
      subject, action: { name: `${request.api}:${request.name}`, properties: { resources } }, resource: { type: kind, id: first }, context,
    };
  }
}

/** How many questions are in one request to the service; it takes a thousand, of a megabyte in all. */
const BATCH = 400;

function plainEvaluated({ decision, context }) {
  const refused = context.error?.code ?? (context.reason === 'token_refused' ? context.code : undefined);
  const answer = refused === undefined ? plainAnswer(context) : { outcome: 'deny', refused };
  if (decision !== (answer.outcome === 'allow')) throw new Error(`a decision contradicts its reason: ${JSON.stringify({ decision, context })}`);
  return answer;
}
