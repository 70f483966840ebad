// Policies and identities: arguments become text for the engine; results are objects. `index.d.ts` documents the public methods.
import { areShortMembersOwn, documentText, isShort, jsonText, listed, optionsOf, requestOf, wholeNumber } from './arguments.js';
import { EngineError, freed, FREED, has, isOurs, kind, nameOf, noMore, wellFormed } from './error.js';
import { CACHE_SIZE, numberOf, isNames, isResource, Names, Resource } from './names.js';
import { Outcomes } from './outcomes.js';
import { addHandle, isPlain, membersOf, notReactive, plainText, reading, unreadable } from './plain.js';
import { TextEncoder } from './runtime.js';

/** For the other files of this package only: the engine's handles, and constructors of ours. */
export let isPolicy;
export let policyCall;
export let identityCall;
export let identityEngine;
export let loadPolicy;
export let openIdentity;
export let identityOf;
export let instantFor;

/** The time, in seconds since 1970. */
export const clock = () => Date.now() / 1000;

/** A policy: load it once, use it for many checks. */
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

  static #access = (() => {
    isPolicy = (value) => has(value, () => value.#engine);
    addHandle(isPolicy, 'wrong_type', 'this is a policy; pass the check');
    policyCall = (policy, instance, run) => {
      if (!isPolicy(policy)) throw new EngineError('wrong_type', 'expected a policy of the same entry point');
      if (policy.#engine === FREED) throw freed();
      // An object of one instance is meaningless in another.
      if (instance !== undefined && policy.#instance !== instance) {
        throw new EngineError('other_module', 'these policies are from different entry points, or one was loaded before the engine failed; load both again');
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
      try {
        return new Class(instance.take(() => instance.glue.Policy.load(bytes)), instance, cacheSize);
      } catch (error) {
        throw withShortFormHint(error);
      }
    };
    openIdentity = (policy, open, isShared = false) => {
      const engine = policyCall(policy, undefined, (engine, instance) => instance.take(() => open(engine)));
      const identity = new policy.constructor.Identity(engine, policy.#names, isShared);
      return isShared ? Object.freeze(identity) : identity;
    };
    identityOf = (policy, value) => ownIdentity(value, policy.#names, policy.#instance);
  })();

  check(check, ...more) {
    return this.#ask(check, more, 'check');
  }

  can(check, ...more) {
    return this.#ask(check, more, 'can').outcome === 'allow';
  }

  explain(check, options, ...more) {
    return this.#ask(check, more, 'explain', candidatesOf(options));
  }

  #ask(check, more, method, candidates) {
    noMore(more, method, MEMBERS);
    const text = jsonText(check, 'a check');
    return withId(text, this.#instance.take(() => this.#engine.ask(text, candidates, clock())));
  }

  inspect(who, ...more) {
    noMore(more, 'inspect', 'write `userinfo` beside `claims`');
    const identity = this.open(who);
    const { inspection } = identity;
    identity.free();
    return inspection;
  }

  open(who, ...more) {
    noMore(more, 'open', 'write `userinfo` beside `claims`');
    const text = whoText(who);
    return openIdentity(this, (engine) => engine.open(text));
  }

  openUnverified(token, options, ...more) {
    noMore(more, 'openUnverified');
    const { userinfo } = optionsOf(options, 'openUnverified', ['userinfo']);
    return this.open({ unverified_token: wellFormed(token, 'a token'), userinfo });
  }

  resource(resourceType, name, ...more) {
    noMore(more, 'resource');
    if (this.#engine === FREED) throw freed();
    return new Resource(this.#names, resourceType, name);
  }

  apply(change, ...more) {
    noMore(more, 'apply', 'pass one change in each call');
    const text = jsonText(change, 'a change');
    const changed = this.#instance.take(() => this.#engine.apply(text));
    if (changed) {
      this.#names.forget();
      if (this.#listeners.size > 0) this.#tell(text);
    }
    return changed;
  }

  subscribe(listener, ...more) {
    noMore(more, 'subscribe', 'pass only the listener');
    if (typeof listener !== 'function') throw new EngineError('wrong_type', `the listener must be a function, but is ${kind(listener)}`);
    if (this.#engine === FREED) throw freed();
    // A new object each time: a function that subscribes twice is called twice, until each subscription ends.
    const subscription = { listener };
    this.#listeners.add(subscription);
    return () => void this.#listeners.delete(subscription);
  }

  /** Calls the listeners from before the change, whatever they throw. */
  #tell(text) {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(Object.freeze(JSON.parse(text)));
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }

  export(...more) {
    noMore(more, 'export');
    return this.#instance.take(() => this.#engine.export());
  }

  memoryBytes(...more) {
    noMore(more, 'memoryBytes');
    return this.#instance.memoryBytes;
  }

  free() {
    if (this.#engine === FREED) return;
    this.#engine = FREED;
    this.#listeners.clear();
    this.#names.release();
  }
}

/** An open identity of these names; `undefined` for what is none. */
let ownIdentity;

/** An open identity, resolved once for all checks. */
export class Identity {
  #engine;
  #names;
  #instance;
  /** Without an expiry, no result depends on the time, and the clock is not read. */
  #expires;
  #outcomes;
  #opened;
  #seen;
  /** Whether others use it too, so that nobody may free it. */
  #isShared;

  static #access = (() => {
    addHandle((value) => has(value, () => value.#engine), 'wrong_type',
      'this is an open identity, and reading it as data would lose its expiry; call the methods of the identity itself, such as `identity.can(..)`');
    ownIdentity = (value, names, instance) => {
      if (!has(value, () => value.#engine)) return undefined;
      if (value.#engine === FREED) throw freed();
      if (value.#instance !== instance) throw new EngineError('other_module', 'this identity is from a different entry point, or was opened before the engine failed; open it again');
      if (value.#names !== names) throw new EngineError('wrong_type', 'this identity is of another policy; open it with this policy');
      return value;
    };
    instantFor = (identity, options, method) => identity.#instantFor(options, method);
    identityCall = (identity, run) => identity.#instance.take(() => run(identity.#engine));
    identityEngine = (identity) => identity.#engine;
  })();

  constructor(engine, names, isShared) {
    if (!isNames(names)) throw new EngineError('not_loaded', 'create identities with `policy.open`');
    this.#engine = engine;
    this.#names = names.hold();
    this.#instance = names.instance;
    this.#expires = this.#instance.call(() => engine.hasExpiry());
    this.#outcomes = new Outcomes(names);
    this.#isShared = isShared;
  }

  get inspection() {
    // Not `JSON.stringify`, which calls a `toJSON` of `Object.prototype`.
    return JSON.parse((this.#opened ??= plainText(this.#instance.call(() => this.#engine.takeOpened()), 'an identity')));
  }

  /** Its members, without what `Object.prototype` would add. */
  get #known() {
    return (this.#seen ??= { __proto__: null, ...this.inspection });
  }

  get user() {
    return this.#known.user;
  }

  get groups() {
    return this.#known.groups.map((group) => group.name);
  }

  get warnings() {
    return this.inspection.warnings;
  }

  get verified() {
    return this.#known.verified;
  }

  get expiresAt() {
    return this.#known.expires_at;
  }

  isExpired(now = clock(), ...more) {
    noMore(more, 'isExpired', 'pass only the time, in seconds since 1970');
    const instant = instantOf(this.#instance, now);
    return this.#instance.call(() => this.#engine.isExpired(instant));
  }

  can(operation, resource, name, options, ...more) {
    if (more.length > 0) noMore(more, 'can');
    if (!isResource(resource)) return this.#allows(operation, resource, name, options, 'can');
    if (options !== undefined) noMore([options], 'can', 'after a resource, pass only options');
    return this.#allowsOn(operation, resource, name, 'can');
  }

  check(operation, resourceType, name, options, ...more) {
    if (more.length > 0) noMore(more, 'check');
    return this.#allows(operation, resourceType, name, options, 'check') ? 'allow' : 'deny';
  }

  checkResource(operation, resource, options, ...more) {
    if (more.length > 0) noMore(more, 'checkResource', 'after a resource, pass only options');
    return this.#allowsOn(operation, resource, options, 'checkResource') ? 'allow' : 'deny';
  }

  #allows(operation, resourceType, name, options, method) {
    const operationNumber = this.#instance.operations.number(operation);
    const type = this.#instance.resourceTypes.number(resourceType);
    if (options !== undefined) {
      const circumstances = this.#circumstances(options, method);
      return this.#allowsAt(operationNumber, this.#names.find(type, name), circumstances);
    }
    const nameNumber = this.#names.find(type, name);
    const now = this.#expires ? clock() : undefined;
    return !this.#isExpiredAt(now) && this.#allowsFromAnywhere(operationNumber, nameNumber, now);
  }

  #allowsOn(operation, resource, options, method) {
    const operationNumber = this.#instance.operations.number(operation);
    const circumstances = this.#circumstances(options, method);
    return this.#allowsAt(operationNumber, numberOf(resource, this.#names), circumstances);
  }

  /** Host, time and expiry are decided once for all names of a call. */
  #allowsAt(operation, nameNumber, { host, now, isExpired }) {
    if (host === undefined) return !isExpired && this.#allowsFromAnywhere(operation, nameNumber, now);
    return this.#instance.take(() => this.#engine.checkFrom(operation, nameNumber, host, now)) === true;
  }

  /** Whether the identity has expired at the time of `#instant`. */
  #isExpiredAt(now) {
    return now !== undefined && now !== IGNORING_EXPIRY && this.#instance.call(() => this.#engine.isExpired(now));
  }

  /** Without a host, outcomes change only with the policy. */
  #allowsFromAnywhere(operation, nameNumber, now) {
    if (this.#engine === FREED) throw freed();
    const known = this.#outcomes.get(operation, nameNumber);
    if (known !== undefined) {
      this.#instance.ensureRunning();
      return known;
    }
    const isAllowed = this.#instance.call(() => this.#engine.check(operation, nameNumber, now)) === true;
    this.#outcomes.set(operation, nameNumber, isAllowed);
    return isAllowed;
  }

  filter(operation, resourceType, names, options, ...more) {
    noMore(more, 'filter');
    const all = listed(names, 'the names');
    const operationNumber = this.#instance.operations.number(operation);
    const type = this.#instance.resourceTypes.number(resourceType);
    const circumstances = this.#circumstances(options, 'filter');
    return all.filter((name) => this.#allowsAt(operationNumber, this.#names.find(type, name), circumstances));
  }

  checkMany(requests, options, ...more) {
    noMore(more, 'checkMany');
    const all = listed(requests, 'the requests');
    const common = this.#circumstances(options, 'checkMany');
    try {
      return this.#checkAll(all, common);
    } catch (cause) {
      throw unreadable('a request', cause);
    }
  }

  /** One loop without closures: a shorter form takes longer than a loop of `can`. */
  #checkAll(all, common) {
    const { operations, resourceTypes } = this.#instance;
    const names = this.#names;
    const outcomes = this.#outcomes;
    const isFromAnywhere = common.host === undefined && !common.isExpired;
    const areOwn = areShortMembersOwn();
    // What is the same in adjacent requests is looked up once.
    let lastOperation, operationNumber, lastType, typeNumber, since, known;
    for (let place = 0; place < all.length; place += 1) {
      const request = all[place];
      let operation, type, name;
      let circumstances = common;
      if (areOwn && typeof request === 'object' && request !== null) ({ operation, resource_type: type, resource_name: name } = request);
      if (operation === undefined || type === undefined || name === undefined || !isShort(request)) {
        const read = requestOf(request, REQUEST);
        ({ operation, resource_type: type, resource_name: name } = read);
        circumstances = this.#circumstancesOf(read, common);
      }
      if (operation !== lastOperation || operationNumber === undefined) {
        operationNumber = operations.number(operation);
        lastOperation = operation;
      }
      if (type !== lastType || names.since !== since) {
        typeNumber = resourceTypes.number(type);
        lastType = type;
        since = names.since;
        known = names.knownOf(typeNumber);
      }
      const nameNumber = (typeof name === 'string' ? known[name] : undefined) ?? names.find(typeNumber, name);
      const outcome = isFromAnywhere && circumstances === common ? outcomes.get(operationNumber, nameNumber) : undefined;
      all[place] = outcome ?? this.#allowsAt(operationNumber, nameNumber, circumstances) ? 'allow' : 'deny';
    }
    return all;
  }

  /** The host and the time of a request, and of the options where it states none. */
  #circumstancesOf({ host, now, ignore_expiry: ignoreExpiry }, common) {
    const isTimed = now !== undefined || ignoreExpiry !== undefined;
    if (host === undefined && !isTimed) return common;
    return this.#at(host === undefined ? common.host : wellFormed(host, 'a host'), isTimed ? this.#instant(now, ignoreExpiry) : common.now);
  }

  /** The host and the time of the options; the clock's time if they state none. */
  #circumstances(options, method) {
    if (options === undefined) return this.#at(undefined, this.#expires ? clock() : undefined);
    const { host, now, ignoreExpiry } = optionsOf(options, method, OPTIONS);
    return this.#at(host === undefined ? undefined : wellFormed(host, 'a host'), this.#instant(now, ignoreExpiry));
  }

  /** With a host, each call of the engine decides the expiry. */
  #at(host, now) {
    return { host, now, isExpired: host === undefined && this.#isExpiredAt(now) };
  }

  /** The time to decide at; none if no result depends on it. */
  #instant(now, ignoreExpiry = false) {
    if (typeof ignoreExpiry !== 'boolean') throw new EngineError('wrong_type', '`ignoreExpiry` must be `true` or `false`');
    const instant = now === undefined ? undefined : instantOf(this.#instance, now);
    if (ignoreExpiry && instant !== undefined) {
      throw new EngineError('exclusive_options', '`now` and `ignoreExpiry` exclude each other; pass only one of them');
    }
    if (!this.#expires) return undefined;
    return ignoreExpiry ? IGNORING_EXPIRY : instant ?? clock();
  }

  /** The time of the options; none if the identity has no expiry. */
  #instantFor(options, method) {
    const { now, ignoreExpiry } = optionsOf(options, method, INSTANT);
    const instant = this.#instant(now, ignoreExpiry);
    return instant === IGNORING_EXPIRY ? undefined : instant;
  }

  decide(question, ...more) {
    noMore(more, 'decide', MEMBERS);
    return this.#ask(question);
  }

  explain(question, options, ...more) {
    noMore(more, 'explain', MEMBERS);
    return this.#ask(question, candidatesOf(options));
  }

  request(request, options, ...more) {
    noMore(more, 'request');
    const { host, now, ignoreExpiry, id } = optionsOf(options, 'request', [...OPTIONS, 'id']);
    return this.#ask({ request, host, now, ignore_expiry: ignoreExpiry, id });
  }

  #ask(question, candidates) {
    const text = jsonText(question, 'a question');
    return withId(text, this.#instance.take(() => this.#engine.ask(text, candidates, clock())));
  }

  /** For logs. It is no identity that could be opened again: its expiry would be lost. */
  toJSON() {
    const { user, groups, verified, expiresAt } = this;
    return { user, groups, verified, expiresAt };
  }

  /** What Node writes for `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](_depth, options, inspect) {
    try {
      return `Identity ${inspect(this.toJSON(), options)}`;
    } catch (error) {
      return `Identity (${error.code})`;
    }
  }

  free() {
    if (this.#isShared || this.#engine === FREED) return;
    const engine = this.#engine;
    this.#engine = FREED;
    this.#instance.free(engine);
    this.#names.release();
  }
}

Policy.Identity = Identity;

for (const Class of [Policy, Identity, Resource]) notReactive(Class);

// Older browsers lack the symbol that `using` needs.
if (Symbol.dispose) {
  for (const { prototype } of [Policy, Identity]) {
    Object.defineProperty(prototype, Symbol.dispose, { __proto__: null, value: prototype.free, configurable: true, writable: true });
  }
}

/** The options of methods that check one operation on one or more resources. */
const OPTIONS = ['host', 'now', 'ignoreExpiry'];
/** Tells the engine to ignore the expiry. Callers cannot state this time, and without any time the engine denies. */
const IGNORING_EXPIRY = -Infinity;
/** The options of methods without a host. */
const INSTANT = ['now', 'ignoreExpiry'];
/** The members of a request of `checkMany`. */
const REQUEST = ['operation', 'resource_type', 'resource_name', 'host', 'now', 'ignore_expiry'];
/** The number of candidates in an explanation. */
function candidatesOf(options) {
  const { limit = 50 } = optionsOf(options, 'explain', ['limit']);
  return wholeNumber(limit, '`limit`');
}

/** Where a request object states its host and time. */
export const MEMBERS = '`host`, `now` and `ignore_expiry` are members of the question';

/** A time argument, in seconds since 1970. */
export function instantOf(instance, now) {
  if (typeof now !== 'number') throw new EngineError('wrong_type', '`now` must be a number: seconds since 1970, such as `Date.now() / 1000`');
  return instance.take(() => instance.glue.instant(now));
}

/** The problems of an ACL in the short form do not name the remedy. */
function withShortFormHint(error) {
  const isShort = ({ path }) => /^\/acls.*\/(allow|deny)$/.test(path);
  if (!isOurs(error) || !Object.hasOwn(error, 'problems') || !error.problems.some(isShort)) return error;
  return new EngineError(error.code, `${error.message}\nconvert ACLs in the short form with \`acls([..])\``, { problems: error.problems });
}

/** An identity as JSON text: `{ user, groups }` in the form of a check, anything else unchanged. */
export function whoText(who) {
  const what = 'an identity';
  if (typeof who === 'string' && !/^\s*\{/.test(who)) {
    throw new EngineError('identity_invalid', 'an identity is an object such as `{ user, groups }`, or its JSON text; for a token, use `openUnverified` or `gbac-engine/verify`');
  }
  return reading(what, () => {
    if (!isPlain(who)) return jsonText(who, what);
    const members = membersOf(who, what);
    const { user, groups, ...others } = members;
    if (user === undefined) return jsonText(members, what);
    // As for an empty claim.
    if (user === '') throw new EngineError('identity_invalid', 'no user: `user` is empty; write the name of the user');
    for (const name of Object.keys(others)) {
      if (others[name] !== undefined) {
        throw new EngineError('identity_invalid', `${nameOf(name)} does not belong beside \`user\` and \`groups\`; write only these two, or \`claims\`, where an expiry belongs: \`{ claims: { sub, groups, exp } }\``);
      }
    }
    if (!('groups' in members)) return jsonText({ identity: { user } }, what);
    // Anything else would be read as "no groups" and lose their denies.
    if (!Array.isArray(groups)) throw new EngineError('wrong_type', `\`groups\` must be an array of names, but is ${kind(groups)}; omit it if there are none`);
    return jsonText({ identity: { user, groups } }, what);
  });
}

/** A result with the `id` of its check, if it has one. */
function withId(text, answer) {
  if (!text.includes('"id"')) return answer;
  const { id } = { __proto__: null, ...JSON.parse(text) };
  return id === undefined ? answer : { id, ...answer };
}
