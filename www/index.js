// The wasm engine as an ES module, for browsers and Node. `pkg/` is made by `cargo xtask build-js`.
import init, { Policy as Engine, operationNumber, resourceTypeNumber } from './pkg/gbac_engine.js';

let loading;
let memory;

/** Loads the wasm module once; in Node it is read from disk, elsewhere it is fetched beside this file. */
function load() {
  loading ??= (async () => {
    const url = new URL('./pkg/gbac_engine_bg.wasm', import.meta.url);
    if (url.protocol === 'file:') {
      const { readFile } = await import('node:fs/promises');
      ({ memory } = await init({ module_or_path: await readFile(url) }));
    } else {
      ({ memory } = await init({ module_or_path: url }));
    }
  })();
  return loading;
}

/** A policy, loaded once and asked many times. */
export class Policy {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  /**
   * Loads a policy document, an object or JSON text.
   * Throws an Error with `code` and `problems` ({path, code, message} each) when anything in it is wrong.
   */
  static async load(document) {
    await load();
    return new Policy(new Engine(document));
  }

  /** Answers a check. Throws an Error with `code` when the check cannot be read. */
  check(check) {
    return this.#engine.check(check);
  }

  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check) {
    return this.#engine.explain(check);
  }

  /** Says what comes out of `{ identity }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who) {
    return this.#engine.inspect(who);
  }

  /**
   * Opens an identity once, from `{ user, groups }` or `{ claims }`, to ask it many times.
   * It stays right when the policy changes. Throws an Error with `code` when it names no user.
   */
  open(who) {
    const { user, groups, ...rest } = who;
    return new Identity(this.#engine.open(user === undefined ? rest : { identity: { user, groups: groups ?? [] }, ...rest }));
  }

  /** Finds a resource that is asked about often, for `identity.checkResource`. */
  resource(resourceType, name) {
    return this.#engine.resource(resourceTypes.number(resourceType), wellFormed(name));
  }

  /** The policy document of this policy. */
  export() {
    return this.#engine.export();
  }

  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes() {
    return memory.buffer.byteLength;
  }

  /** Gives the policy's memory back at once; otherwise that happens when it is collected. */
  free() {
    this.#engine.free();
  }
}

/** An identity that is open: its principals are found once, and a check costs the same however many groups it has. */
export class Identity {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  /** The bare names of its groups, in the order of the token. */
  get groups() {
    return this.#engine.opened.groups.map((group) => group.name);
  }

  /** What to know about the token and its groups. */
  get warnings() {
    return this.#engine.opened.warnings;
  }

  /**
   * Whether an operation on a resource is allowed: `"allow"` or `"deny"`. Without a host an ACL of one host fails closed.
   * Throws an Error with `code` for an operation, type or host that does not exist.
   */
  check(operation, resourceType, name, options) {
    const asked = operations.number(operation);
    const of = resourceTypes.number(resourceType);
    const host = options?.host;
    const allowed = host === undefined
      ? this.#engine.check(asked, of, wellFormed(name))
      : this.#engine.checkFrom(asked, of, wellFormed(name), wellFormed(host));
    return allowed ? 'allow' : 'deny';
  }

  /** The same for a resource of `policy.resource`. */
  checkResource(operation, resource) {
    return this.#engine.checkResource(operations.number(operation), resource) ? 'allow' : 'deny';
  }

  /** Those of the names on which the operation is allowed, in their order. */
  filter(operation, resourceType, names, options) {
    return Array.from(names).filter((name) => this.check(operation, resourceType, name, options) === 'allow');
  }

  /** The answers to many `{ operation, resource_type, resource_name, host }`, in their order. */
  checkMany(requests) {
    return Array.from(requests, ({ operation, resource_type, resource_name, host }) =>
      this.check(operation, resource_type, resource_name, { host }));
  }

  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free() {
    this.#engine.free();
  }
}

/** The values of one enumeration and their numbers, asked of the engine once for each spelling. */
class Numbers {
  #known = new Map();
  #ask;
  #what;

  constructor(ask, what) {
    this.#ask = ask;
    this.#what = what;
  }

  number(text) {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const number = typeof text === 'string' ? this.#ask(text) : undefined;
    if (number === undefined) throw fault('unknown_value', `${JSON.stringify(text) ?? String(text)} is not ${this.#what}`);
    // Spellings in every letter case are many; what a program uses is few.
    if (this.#known.size < 256) this.#known.set(text, number);
    return number;
  }
}

const operations = new Numbers(operationNumber, 'an operation');
const resourceTypes = new Numbers(resourceTypeNumber, 'a resource type');

/** A text as it is; one with half a character would silently become another on its way into the engine. */
function wellFormed(text) {
  if (typeof text !== 'string') throw fault('wrong_type', 'a name or host is a string');
  if (text.isWellFormed ? !text.isWellFormed() : /\p{Surrogate}/u.test(text)) {
    throw fault('not_well_formed', 'the text holds half of a surrogate pair');
  }
  return text;
}

function fault(code, message) {
  return Object.assign(new Error(message), { code });
}
