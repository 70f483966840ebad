// The wasm engine as an ES module, for browsers and Node. `pkg/` is made by `cargo xtask build-js`.
import init, { Policy as Engine, initSync, operationNumber, resourceTypeNumber } from './pkg/gbac_engine.js';

let loading;
let memory;

/** Loads the wasm module once; in Node it is read from disk, elsewhere it is fetched beside this file. */
function load() {
  loading ??= (async () => {
    const url = new URL('./pkg/gbac_engine_bg.wasm', import.meta.url);
    if (url.protocol === 'file:') {
      const { readFile } = await import('node:fs/promises');
      // Compiled at once, V8 leaves each function until it is called: a third of the time to the first decision.
      ({ memory } = initSync({ module: new WebAssembly.Module(await readFile(url)) }));
    } else {
      ({ memory } = await init({ module_or_path: url }));
    }
  })();
  return loading;
}

/** A policy, loaded once and asked many times. */
export class Policy {
  #engine;
  #names;

  constructor(engine, remember) {
    this.#engine = engine;
    this.#names = new Names(engine, remember);
  }

  /**
   * Loads a policy document, an object or JSON text. `remember` says how many names that were asked about stay found.
   * Throws an Error with `code` and `problems` ({path, code, message} each) when anything in it is wrong.
   */
  static async load(document, { remember = REMEMBERED } = {}) {
    await load();
    return new Policy(new Engine(document), remember);
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
    const opened = this.#engine.open(user === undefined ? rest : { identity: { user, groups: groups ?? [] }, ...rest });
    return new Identity(opened, this.#names);
  }

  /** A resource that is asked about often, for `identity.checkResource`. */
  resource(resourceType, name) {
    return new Resource(this.#names, resourceTypes.number(resourceType), name);
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
  #names;

  constructor(engine, names) {
    this.#engine = engine;
    this.#names = names;
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
    const found = this.#names.find(resourceTypes.number(resourceType), name);
    const host = options?.host;
    const allowed = host === undefined
      ? this.#engine.check(asked, found)
      : this.#engine.checkFrom(asked, found, wellFormed(host));
    return allowed ? 'allow' : 'deny';
  }

  /** The same for a resource of `policy.resource`. */
  checkResource(operation, resource) {
    return this.#engine.check(operations.number(operation), resource.foundBy(this.#names)) ? 'allow' : 'deny';
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

/** A resource that is asked about often. */
export class Resource {
  #resourceType;
  #name;
  #names;
  #since;
  #found;

  constructor(names, resourceType, name) {
    this.#resourceType = resourceType;
    this.#name = name;
    this.foundBy(names);
  }

  /** Its number; it is found anew where its names have been forgotten, or are another policy's. */
  foundBy(names) {
    if (this.#names !== names || this.#since !== names.since) {
      this.#found = names.find(this.#resourceType, this.#name);
      this.#names = names;
      this.#since = names.since;
    }
    return this.#found;
  }
}

/** How many names a policy remembers unless it is told otherwise; a name takes about 200 bytes. */
const REMEMBERED = 16_384;

/**
 * The names that a policy was asked about, by resource type, with the numbers under which the engine has found them: a name
 * that is asked about again crosses as a number. When there are too many all are forgotten, which costs as little as finding
 * them did.
 */
class Names {
  /** How often all were forgotten. */
  since = 0;
  #engine;
  #remember;
  #known = [];
  #count = 0;

  constructor(engine, remember) {
    this.#engine = engine;
    this.#remember = remember;
  }

  find(resourceType, name) {
    return this.#known[resourceType]?.get(name) ?? this.#findNew(resourceType, name);
  }

  #findNew(resourceType, name) {
    wellFormed(name);
    if (this.#count >= this.#remember) {
      this.#engine.forget();
      this.#known = [];
      this.#count = 0;
      this.since++;
    }
    const found = this.#engine.find(resourceType, name);
    if (this.#remember > 0) (this.#known[resourceType] ??= new Map()).set(name, found);
    this.#count++;
    return found;
  }
}

/** The values of one enumeration and their numbers, asked of the engine once for each spelling. */
class Numbers {
  // Not a Map: few keys, all of them names in the program that asks, are found faster in an object.
  #known = Object.create(null);
  #count = 0;
  #ask;
  #what;

  constructor(ask, what) {
    this.#ask = ask;
    this.#what = what;
  }

  number(text) {
    const known = typeof text === 'string' ? this.#known[text] : undefined;
    return known ?? this.#find(text);
  }

  #find(text) {
    const number = typeof text === 'string' ? this.#ask(text) : undefined;
    if (number === undefined) throw fault('unknown_value', `${JSON.stringify(text) ?? String(text)} is not ${this.#what}`);
    // Spellings in every letter case are many; what a program uses is few.
    if (this.#count < 256) {
      this.#known[text] = number;
      this.#count++;
    }
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
