// Policies and identities: objects become text on the way in, and come back as objects.
import { EngineError, FREED, freed, jsonText, listed, reading, wellFormed } from './error.js';
import { foundBy, Names, REMEMBERED, Resource } from './names.js';

/** For the other files of this package, and nobody else: the engine's handles, and the ways to make ours. */
export let policyEngine;
export let identityEngine;
export let loadPolicy;
export let openIdentity;

/** A policy, loaded once and asked many times. */
export class Policy {
  #engine;
  #names;
  #module;

  constructor(engine, module, remember) {
    if (module === undefined) throw new EngineError('not_loaded', 'a policy is made by `Policy.load`');
    this.#engine = engine;
    this.#module = module;
    this.#names = new Names(module, engine, remember);
  }

  static {
    policyEngine = (policy, module) => {
      const isOne = typeof policy === 'object' && policy !== null && #engine in policy;
      if (!isOne || policy.#module !== module) throw new EngineError('wrong_type', 'this is no policy of the same entry');
      if (policy.#engine === FREED) throw freed();
      return policy.#engine;
    };
    loadPolicy = async (Class, module, document, { remember = REMEMBERED, wasm } = {}) => {
      if (!(remember >= 0)) throw new EngineError('wrong_type', '`remember` is a number of names, 0 for none');
      await module.load(wasm);
      const bytes = new TextEncoder().encode(jsonText(document, 'a policy document', { longest: Infinity }));
      return new Class(module.call(() => module.glue.Policy.load(bytes)), module, remember);
    };
    openIdentity = (policy, open) =>
      new policy.constructor.Identity(policy.#module.call(() => open(policy.#engine)), policy.#names.hold());
  }

  /** Answers a check: who asks, and what. */
  check(check) {
    const text = jsonText(check, 'a check');
    const answer = this.#module.ask(() => this.#engine.ask(text, false));
    return withId(text, answer);
  }

  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check) {
    const text = jsonText(check, 'a check');
    return withId(text, this.#module.ask(() => this.#engine.ask(text, true)));
  }

  /** Says what comes out of `{ user, groups }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who) {
    const identity = this.open(who);
    const { inspection } = identity;
    identity.free();
    return inspection;
  }

  /** Opens an identity once, to ask it many times. */
  open(who) {
    const text = whoText(who);
    return openIdentity(this, (engine) => engine.open(text));
  }

  /** The identity of a token whose signature nobody looks at: to try a policy, never to let somebody in. */
  openUnverified(token, { userinfo } = {}) {
    return this.open({ unverified_token: wellFormed(token, 'a token'), userinfo });
  }

  /** A resource that is asked about often, for `identity.checkResource`. */
  resource(resourceType, name) {
    if (this.#engine === FREED) throw freed();
    return new Resource(this.#names, resourceType, name);
  }

  /** Makes one change in place; says whether anything is different now. */
  apply(change) {
    const text = jsonText(change, 'a change');
    const changed = this.#module.call(() => this.#engine.apply(text));
    if (changed) this.#names.forget();
    return changed;
  }

  /** The policy document of this policy. */
  export() {
    return this.#module.ask(() => this.#engine.export());
  }

  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes() {
    return this.#module.memoryBytes;
  }

  /** Gives the policy's memory back, as soon as no identity of it is open; otherwise that happens when it is collected. */
  free() {
    if (this.#engine === FREED) return;
    this.#engine = FREED;
    this.#names.release();
  }
}

/** An identity that is open: its principals are found once, and a check costs the same however many groups it has. */
export class Identity {
  #engine;
  #names;
  #module;
  #opened;
  #seen;

  static {
    identityEngine = (identity) => identity.#engine;
  }

  constructor(engine, names) {
    this.#engine = engine;
    this.#names = names;
    this.#module = names.module;
  }

  /** What came out of what it was opened from. */
  get inspection() {
    return JSON.parse((this.#opened ??= this.#engine.takeOpened()));
  }

  get #known() {
    return (this.#seen ??= this.inspection);
  }

  /** The bare name of the user. */
  get user() {
    return this.#known.user;
  }

  /** The bare names of its groups, in the order of the token. */
  get groups() {
    return this.#known.groups.map((group) => group.name);
  }

  /** What to know about the token and its groups. */
  get warnings() {
    return this.#known.warnings;
  }

  /** Whether its token was verified. */
  get verified() {
    return this.#known.verified;
  }

  /** When its token ends, in seconds since 1970. */
  get expiresAt() {
    return this.#known.expires_at;
  }

  /** Whether its token has ended at `now`, in seconds since 1970. */
  isExpired(now = Date.now() / 1000) {
    return this.#engine.isExpired(seconds(now));
  }

  /** Whether an operation on a resource is allowed: `"allow"` or `"deny"`. */
  check(operation, resourceType, name, options) {
    const asked = this.#module.operations.number(operation);
    const found = this.#names.find(this.#module.resourceTypes.number(resourceType), name);
    const allowed = options == null ? this.#engine.check(asked, found) : this.#checkWith(asked, found, options);
    return allowed ? 'allow' : 'deny';
  }

  #checkWith(asked, found, options) {
    const [host, now] = reading('the options of a check', () => [options.host, options.now]);
    if (now !== undefined && this.#engine.isExpired(seconds(now))) return false;
    if (host === undefined) return this.#engine.check(asked, found);
    return this.#module.call(() => this.#engine.checkFrom(asked, found, wellFormed(host, 'a host')));
  }

  /** The same for a resource of `policy.resource`. */
  checkResource(operation, resource) {
    const asked = this.#module.operations.number(operation);
    return this.#engine.check(asked, foundBy(resource, this.#names)) ? 'allow' : 'deny';
  }

  /** Those of the names on which the operation is allowed, in their order. */
  filter(operation, resourceType, names, options) {
    return listed(names, 'the names').filter((name) => this.check(operation, resourceType, name, options) === 'allow');
  }

  /** The answers to many requests, in their order. */
  checkMany(requests) {
    return listed(requests, 'the requests').map((request) => {
      const [operation, type, name, host, now] = reading('a request', () =>
        [request.operation, request.resource_type, request.resource_name, request.host, request.now]);
      return this.check(operation, type, name, host === undefined && now === undefined ? undefined : { host, now });
    });
  }

  /** The decision of a check, with the ACL that decides and the way to it. */
  decide(question) {
    return this.#ask(question, false);
  }

  /** The decision with all that led to it. */
  explain(question) {
    return this.#ask(question, true);
  }

  /** The answer to a whole request of an API, with every check that it needs. */
  request(request, options) {
    const { host, now, id } = reading('the options of a request', () =>
      ({ host: options?.host, now: options?.now, id: options?.id }));
    return this.#ask({ request, host, now, id }, false);
  }

  #ask(question, explain) {
    const text = jsonText(question, 'a question');
    return withId(text, this.#module.ask(() => this.#engine.ask(text, explain)));
  }

  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free() {
    if (this.#engine === FREED) return;
    this.#engine.free();
    this.#engine = FREED;
    this.#names.release();
  }
}

Policy.Identity = Identity;

// Older browsers do not know the symbol of `using`.
if (Symbol.dispose) {
  for (const { prototype } of [Policy, Identity]) {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free, configurable: true, writable: true });
  }
}

/** Who somebody is, as text. */
export const whoText = (who) => jsonText(who, 'an identity', { shape: named });

/** `{ user, groups }` as a check writes it; anything else as it is. */
function named(who) {
  const { user, groups, ...rest } = who;
  return user === undefined ? who : { identity: { user, groups: groups ?? [] }, ...rest };
}

/** An answer with the `id` of its check, where that has one. */
function withId(text, answer) {
  if (!text.includes('"id"')) return answer;
  const { id } = JSON.parse(text);
  return id === undefined ? answer : { id, ...answer };
}

function seconds(now) {
  if (typeof now !== 'number') throw new EngineError('wrong_type', '`now` is a number: seconds since 1970');
  return now;
}
