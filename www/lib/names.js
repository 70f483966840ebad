// Names and values cross into the engine once; afterwards as numbers.
import { EngineError, FREED, wellFormed } from './error.js';

/** How many names a policy remembers unless it is told otherwise; a name takes about 200 bytes. */
export const REMEMBERED = 16_384;

/**
 * The names that a policy was asked about, by resource type, with the numbers under which the engine has found them: a name
 * that is asked about again crosses as a number. When there are too many all are forgotten, which costs as little as finding
 * them did.
 *
 * It holds the engine's policy for the policy's own handle and for the identities that are open: the last one gives it back.
 */
export class Names {
  /** How often all were forgotten. */
  since = 0;
  #engine;
  #remember;
  #known = [];
  #count = 0;
  #holders = 1;

  constructor(module, engine, remember) {
    this.module = module;
    this.#engine = engine;
    this.#remember = remember;
  }

  /** The engine's policy, for one more holder. */
  hold() {
    this.#holders++;
    return this;
  }

  release() {
    if (--this.#holders === 0) {
      this.#engine.free();
      this.#engine = FREED;
    }
  }

  find(resourceType, name) {
    const known = typeof name === 'string' ? this.#known[resourceType]?.[name] : undefined;
    return known ?? this.#findNew(resourceType, name);
  }

  #findNew(resourceType, name) {
    wellFormed(name, 'the name of a resource');
    if (this.#count >= this.#remember) this.forget();
    const found = this.#engine.find(resourceType, name);
    // Not a Map: a name that was a key before is found again without a look at its letters.
    if (this.#remember > 0) (this.#known[resourceType] ??= Object.create(null))[name] = found;
    this.#count++;
    return found;
  }

  /** Forgets all: there are too many, or the policy was changed and they would be found anew at each check. */
  forget() {
    this.#engine.forget();
    this.#known = [];
    this.#count = 0;
    this.since++;
  }
}

/** The values of one enumeration and their numbers, asked of the engine once for each spelling. */
export class Numbers {
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
    const number = this.#ask(wellFormed(text, this.#what));
    if (number === undefined) throw new EngineError('unknown_value', `${JSON.stringify(text.slice(0, 80))} is not ${this.#what}`);
    // Spellings in every letter case are many; what a program uses is few.
    if (this.#count < 256) {
      this.#known[text] = number;
      this.#count++;
    }
    return number;
  }
}

/** The number of a resource; it is found anew where its names have been forgotten, or are another policy's. */
export let foundBy;

/** A resource that is asked about often. */
export class Resource {
  #resourceType;
  #name;
  #names;
  #since;
  #found;

  constructor(names, resourceType, name) {
    this.#resourceType = names.module.resourceTypes.number(resourceType);
    this.#name = name;
    this.#find(names);
  }

  static {
    foundBy = (resource, names) => {
      const isOne = typeof resource === 'object' && resource !== null && #found in resource;
      if (!isOne) throw new EngineError('wrong_type', 'the resource is one of `policy.resource`');
      if (resource.#names !== names || resource.#since !== names.since) resource.#find(names);
      return resource.#found;
    };
  }

  #find(names) {
    this.#found = names.find(this.#resourceType, this.#name);
    this.#names = names;
    this.#since = names.since;
  }
}
