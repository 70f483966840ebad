// Policies and identities: objects become text on the way in; answers come out as objects.
import { documentText, jsonText, listed, optionsOf, requestOf, shortRequestOf } from './arguments.js';
import { EngineError, FREED, freed, kind, nameOf, noMore, wellFormed } from './error.js';
import { CACHE_SIZE, foundBy, isNames, isResource, Names, Resource } from './names.js';
import { Outcomes } from './outcomes.js';
import { addHandle, isPlain, membersOf, notReactive, reading } from './plain.js';

/** For the other files of this package, and nobody else: the engine's handles, and the ways to make ours. */
export let policyCall;
export let identityCall;
export let identityEngine;
export let loadPolicy;
export let openIdentity;
export let identityOf;
export let instantFor;

/** The time, in seconds since 1970. */
export const clock = () => Date.now() / 1000;

/** A policy, loaded once and asked many times. */
export class Policy {
  #engine;
  #names;
  #instance;
  #listeners = new Set();

  constructor(engine, instance, cacheSize) {
    if (instance === undefined) throw new EngineError('not_loaded', 'create policies with `Policy.load`');
    this.#engine = engine;
    this.#instance = instance;
    this.#names = new Names(instance, engine, cacheSize);
  }

  static {
    addHandle((value) => #engine in value, () => ['wrong_type', 'this is a policy; pass what it is asked about']);
    policyCall = (policy, instance, run) => {
      const isOne = typeof policy === 'object' && policy !== null && #engine in policy;
      if (!isOne) throw new EngineError('wrong_type', 'this is not a policy from the same entry point');
      if (policy.#engine === FREED) throw freed();
      // What was made in one instance means nothing in another.
      if (instance !== undefined && policy.#instance !== instance) {
        throw new EngineError('other_module', 'these policies are from different entry points, or one was loaded before the engine failed');
      }
      return run(policy.#engine, policy.#instance);
    };
    loadPolicy = async (Class, module, document, options, more = []) => {
      noMore(more, 'Policy.load');
      const { cacheSize = CACHE_SIZE, wasm } = optionsOf(options, 'Policy.load', ['cacheSize', 'wasm']);
      if (!(typeof cacheSize === 'number' && cacheSize >= 0)) {
        throw new EngineError('wrong_type', '`cacheSize` must be a number of names, 0 for none');
      }
      const text = documentText(document);
      const instance = await module.load(wasm);
      const bytes = new TextEncoder().encode(text);
      return new Class(instance.take(() => instance.glue.Policy.load(bytes)), instance, cacheSize);
    };
    openIdentity = (policy, open) =>
      new policy.constructor.Identity(policyCall(policy, undefined, (engine, instance) => instance.take(() => open(engine))), policy.#names);
    identityOf = (policy, value) => ownIdentity(value, policy.#names, policy.#instance);
  }

  /** Answers a check: who asks, and what. */
  check(check, ...more) {
    return this.#ask(check, more, 'check', false);
  }

  /** Whether a check is allowed: `true` only when it is. */
  can(check, ...more) {
    return this.#ask(check, more, 'can', false).outcome === 'allow';
  }

  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check, ...more) {
    return this.#ask(check, more, 'explain', true);
  }

  #ask(check, more, method, explain) {
    noMore(more, method, MEMBERS);
    const text = jsonText(check, 'a check');
    return withId(text, this.#instance.take(() => this.#engine.ask(text, explain, clock())));
  }

  /** Says what comes out of `{ user, groups }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who, ...more) {
    noMore(more, 'inspect', 'write `userinfo` beside `claims`');
    const identity = this.open(who);
    const { inspection } = identity;
    identity.free();
    return inspection;
  }

  /** Opens an identity once, to ask it many times. */
  open(who, ...more) {
    noMore(more, 'open', 'write `userinfo` beside `claims`');
    const text = whoText(who);
    return openIdentity(this, (engine) => engine.open(text));
  }

  /** The identity of a token whose signature nobody looks at: to try a policy, never to let somebody in. */
  openUnverified(token, options, ...more) {
    noMore(more, 'openUnverified');
    const { userinfo } = optionsOf(options, 'openUnverified', ['userinfo']);
    return this.open({ unverified_token: wellFormed(token, 'a token'), userinfo });
  }

  /** A resource that is asked about often, for `identity.can` and `identity.checkResource`. */
  resource(resourceType, name, ...more) {
    noMore(more, 'resource');
    if (this.#engine === FREED) throw freed();
    return new Resource(this.#names, resourceType, name);
  }

  /** Makes one change in place; says whether anything is different now. */
  apply(change, ...more) {
    noMore(more, 'apply', 'make one change with each call');
    const text = jsonText(change, 'a change');
    const changed = this.#instance.take(() => this.#engine.apply(text));
    if (changed) {
      this.#names.forget();
      if (this.#listeners.size > 0) this.#tell(text);
    }
    return changed;
  }

  /** Calls a listener with every later change that `apply` makes; returns what ends that. */
  subscribe(listener, ...more) {
    noMore(more, 'subscribe', 'it takes only the listener');
    if (typeof listener !== 'function') throw new EngineError('wrong_type', `the listener must be a function, but is ${kind(listener)}`);
    if (this.#engine === FREED) throw freed();
    // Not the function itself: one that subscribes twice is called twice, until each is ended.
    const subscription = { listener };
    this.#listeners.add(subscription);
    return () => void this.#listeners.delete(subscription);
  }

  /** Those who were there before the change. The policy has changed, so that no listener can prevent the others from hearing it. */
  #tell(text) {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(Object.freeze(JSON.parse(text)));
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }

  /** The policy document of this policy. */
  export(...more) {
    noMore(more, 'export');
    return this.#instance.take(() => this.#engine.export());
  }

  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes(...more) {
    noMore(more, 'memoryBytes');
    return this.#instance.memoryBytes;
  }

  /** Gives the policy's memory back, as soon as no identity of it is open; otherwise that happens when it is collected. */
  free() {
    if (this.#engine === FREED) return;
    this.#engine = FREED;
    this.#listeners.clear();
    this.#names.release();
  }
}

/** An open identity as it is, where it is one of these names; its own error for another's, and nothing for any other value. */
let ownIdentity;

/** An identity that is open: its principals are found once, and a check costs the same however many groups it has. */
export class Identity {
  #engine;
  #names;
  #instance;
  /** Without an expiry, no answer depends on the time, and nobody looks at the clock. */
  #expires;
  #outcomes;
  #opened;
  #seen;

  static {
    addHandle((value) => #engine in value, () => [
      'wrong_type', 'this is an open identity, and reading it as data would lose its expiry; call the methods of the identity itself, such as `identity.can(..)`',
    ]);
    ownIdentity = (value, names, instance) => {
      if (typeof value !== 'object' || value === null || !(#engine in value)) return undefined;
      if (value.#engine === FREED) throw freed();
      if (value.#instance !== instance) throw new EngineError('other_module', 'this identity is from a different entry point, or was opened before the engine failed');
      if (value.#names !== names) throw new EngineError('wrong_type', 'this identity is of another policy; open it with the policy that is asked');
      return value;
    };
    instantFor = (identity, options, method) => identity.#instantFor(options, method);
    identityCall = (identity, run) => identity.#instance.take(() => run(identity.#engine));
    identityEngine = (identity) => identity.#engine;
  }

  constructor(engine, names) {
    if (!isNames(names)) throw new EngineError('not_loaded', 'create identities with `policy.open`');
    this.#engine = engine;
    this.#names = names.hold();
    this.#instance = names.instance;
    this.#expires = this.#instance.call(() => engine.hasExpiry());
    this.#outcomes = new Outcomes(names);
  }

  /** What came out of what it was opened from, each time a new copy. From text, which is twice as fast as `structuredClone`. */
  get inspection() {
    return JSON.parse((this.#opened ??= JSON.stringify(this.#instance.call(() => this.#engine.takeOpened()))));
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
  isExpired(now = clock(), ...more) {
    noMore(more, 'isExpired', 'it takes only the time, in seconds since 1970');
    const instant = instantOf(this.#instance, now);
    return this.#instance.call(() => this.#engine.isExpired(instant));
  }

  /** Whether an operation on a resource is allowed: `true` only when it is. */
  can(operation, resource, name, options, ...more) {
    if (more.length > 0) noMore(more, 'can');
    if (!isResource(resource)) return this.#allows(operation, resource, name, options, 'can');
    if (options !== undefined) noMore([options], 'can', 'after a resource it takes only options');
    return this.#allowsOn(operation, resource, name, 'can');
  }

  /** The same in words: `"allow"` or `"deny"`. */
  check(operation, resourceType, name, options, ...more) {
    if (more.length > 0) noMore(more, 'check');
    return this.#allows(operation, resourceType, name, options, 'check') ? 'allow' : 'deny';
  }

  /** The same for a resource of `policy.resource`. */
  checkResource(operation, resource, options, ...more) {
    if (more.length > 0) noMore(more, 'checkResource', 'after a resource it takes only options');
    return this.#allowsOn(operation, resource, options, 'checkResource') ? 'allow' : 'deny';
  }

  #allows(operation, resourceType, name, options, method) {
    const asked = this.#instance.operations.number(operation);
    const type = this.#instance.resourceTypes.number(resourceType);
    if (options !== undefined) return this.#allowsAt(asked, type, name, this.#circumstances(options, method));
    return this.#allowsFromAnywhere(asked, this.#names.find(type, name), this.#expires ? clock() : undefined);
  }

  /** `circumstances` were read before: they are the same for all names of a call. */
  #allowsAt(asked, type, name, { host, now }) {
    const found = this.#names.find(type, name);
    if (host === undefined) return this.#allowsFromAnywhere(asked, found, now);
    return this.#instance.take(() => this.#engine.checkFrom(asked, found, host, now)) === true;
  }

  #allowsOn(operation, resource, options, method) {
    const asked = this.#instance.operations.number(operation);
    const { host, now } = this.#circumstances(options, method);
    const found = foundBy(resource, this.#names);
    if (host === undefined) return this.#allowsFromAnywhere(asked, found, now);
    return this.#instance.take(() => this.#engine.checkFrom(asked, found, host, now)) === true;
  }

  /** Without a host. Before the identity expires, its outcomes change only with the policy. */
  #allowsFromAnywhere(operation, found, now) {
    if (this.#engine === FREED) throw freed();
    const depends = now !== undefined && now !== IGNORING_EXPIRY;
    if (depends && this.#instance.call(() => this.#engine.isExpired(now))) return false;
    const known = this.#outcomes.get(operation, found);
    if (known !== undefined) {
      this.#instance.ensureRunning();
      return known;
    }
    const isAllowed = this.#instance.call(() => this.#engine.check(operation, found, now)) === true;
    this.#outcomes.set(operation, found, isAllowed);
    return isAllowed;
  }

  /** Those of the names on which the operation is allowed, in their order. */
  filter(operation, resourceType, names, options, ...more) {
    noMore(more, 'filter');
    const all = listed(names, 'the names');
    const asked = this.#instance.operations.number(operation);
    const type = this.#instance.resourceTypes.number(resourceType);
    const circumstances = this.#circumstances(options, 'filter');
    return all.filter((name) => this.#allowsAt(asked, type, name, circumstances));
  }

  /** The answers to many requests, in their order. */
  checkMany(requests, options, ...more) {
    noMore(more, 'checkMany');
    const all = listed(requests, 'the requests');
    const common = this.#circumstances(options, 'checkMany');
    // What a request does when it is read is an error, wherever in the list it is.
    return reading('a request', () => all.map((request) => {
      const { operation, resource_type: type, resource_name: name, host, now, ignore_expiry: ignoreExpiry } = shortRequestOf(request) ?? requestOf(request, REQUEST);
      const asked = this.#instance.operations.number(operation);
      const isCommon = host === undefined && now === undefined && ignoreExpiry === undefined;
      const own = isCommon ? common : {
        host: host === undefined ? common.host : wellFormed(host, 'a host'),
        now: now === undefined && ignoreExpiry === undefined ? common.now : this.#instant(now, ignoreExpiry),
      };
      return this.#allowsAt(asked, this.#instance.resourceTypes.number(type), name, own) ? 'allow' : 'deny';
    }));
  }

  /** From where and when is asked: what the options say, and the clock where they do not. */
  #circumstances(options, method) {
    if (options === undefined) return { host: undefined, now: this.#expires ? clock() : undefined };
    const { host, now, ignoreExpiry } = optionsOf(options, method, OPTIONS);
    return { host: host === undefined ? undefined : wellFormed(host, 'a host'), now: this.#instant(now, ignoreExpiry) };
  }

  /** The instant to decide at; none where no answer depends on it. */
  #instant(now, ignoreExpiry = false) {
    if (typeof ignoreExpiry !== 'boolean') throw new EngineError('wrong_type', '`ignoreExpiry` must be `true` or `false`');
    const instant = now === undefined ? undefined : instantOf(this.#instance, now);
    if (ignoreExpiry && instant !== undefined) {
      throw new EngineError('exclusive_options', '`now` and `ignoreExpiry` exclude each other; pass only one of them');
    }
    if (!this.#expires) return undefined;
    return ignoreExpiry ? IGNORING_EXPIRY : instant ?? clock();
  }

  /** The time of the options; none where no expiry matters. */
  #instantFor(options, method) {
    const { now, ignoreExpiry } = optionsOf(options, method, INSTANT);
    const instant = this.#instant(now, ignoreExpiry);
    return instant === IGNORING_EXPIRY ? undefined : instant;
  }

  /** The decision of a check, with the ACL that decides and the way to it. */
  decide(question, ...more) {
    noMore(more, 'decide', MEMBERS);
    return this.#ask(question, false);
  }

  /** The decision with all that led to it. */
  explain(question, ...more) {
    noMore(more, 'explain', MEMBERS);
    return this.#ask(question, true);
  }

  /** The answer to a whole request of an API, with every check that it needs. */
  request(request, options, ...more) {
    noMore(more, 'request');
    const { host, now, ignoreExpiry, id } = optionsOf(options, 'request', [...OPTIONS, 'id']);
    return this.#ask({ request, host, now, ignore_expiry: ignoreExpiry, id }, false);
  }

  #ask(question, explain) {
    const text = jsonText(question, 'a question');
    return withId(text, this.#instance.take(() => this.#engine.ask(text, explain, clock())));
  }

  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free() {
    if (this.#engine === FREED) return;
    const engine = this.#engine;
    this.#engine = FREED;
    this.#instance.free(engine);
    this.#names.release();
  }
}

Policy.Identity = Identity;

for (const Class of [Policy, Identity, Resource]) notReactive(Class);

// Older browsers do not know the symbol of `using`.
if (Symbol.dispose) {
  for (const { prototype } of [Policy, Identity]) {
    Object.defineProperty(prototype, Symbol.dispose, { __proto__: null, value: prototype.free, configurable: true, writable: true });
  }
}

/** The options of every method that answers about one operation on one resource, or several. */
const OPTIONS = ['host', 'now', 'ignoreExpiry'];
/** Tells the engine to ignore the expiry: no instant that a caller can state. Without any instant it denies. */
const IGNORING_EXPIRY = -Infinity;
/** Those of a method that is not about one host. */
const INSTANT = ['now', 'ignoreExpiry'];
/** The members of a request of `checkMany`. */
const REQUEST = ['operation', 'resource_type', 'resource_name', 'host', 'now', 'ignore_expiry'];
/** Where a question that is an object says it. */
export const MEMBERS = '`host`, `now` and `ignore_expiry` are members of the question';

/** An instant that is given: seconds since 1970. */
export function instantOf(instance, now) {
  if (typeof now !== 'number') throw new EngineError('wrong_type', '`now` must be a number: seconds since 1970, such as `Date.now() / 1000`');
  return instance.take(() => instance.glue.instant(now));
}

/** Who somebody is, as text: `{ user, groups }` as a check writes it, anything else as it is. */
export function whoText(who) {
  const what = 'an identity';
  return reading(what, () => {
    if (!isPlain(who)) return jsonText(who, what);
    const members = membersOf(who, what);
    const { user, groups, ...others } = members;
    if (user === undefined) return jsonText(members, what);
    for (const name of Object.keys(others)) {
      if (others[name] !== undefined) {
        throw new EngineError('identity_invalid', `${nameOf(name)} does not belong beside \`user\` and \`groups\`; write only these two, or \`claims\`, where an expiry belongs: \`{ claims: { sub, groups, exp } }\``);
      }
    }
    if (!('groups' in members)) return jsonText({ identity: { user } }, what);
    // Everything else would be read as "no groups", and lose what denies them.
    if (!Array.isArray(groups)) throw new EngineError('wrong_type', `\`groups\` must be an array of names, but is ${kind(groups)}; omit it if there are none`);
    return jsonText({ identity: { user, groups } }, what);
  });
}

/** An answer with the `id` of its check, where that has one. */
function withId(text, answer) {
  if (!text.includes('"id"')) return answer;
  const { id } = { __proto__: null, ...JSON.parse(text) };
  return id === undefined ? answer : { id, ...answer };
}
