// Names and values cross into the engine once; afterwards as numbers.
import { RESOURCE_TYPES } from './acls.js';
import { EngineError, FREED, has, unknownValue, wellFormed } from './error.js';
import { addHandle } from './plain.js';

/** No name known of any type. Each type has its place: one that were missing would be read from `Object.prototype`. */
const nothingKnown = () => Object.keys(RESOURCE_TYPES).map(() => Object.create(null));

/** The default number of names that a policy caches; a name takes about 200 bytes. */
export const CACHE_SIZE = 16_384;

/** Whether a value is an instance of `Names`. */
export let isNames;

/** The engine's number of a name that it does not cache, valid for the next call only. */
const NOT_CACHED = 2 ** 32 - 1;

/**
 * The names that a policy has checked, by resource type, with the engine's numbers: a name that is checked again crosses as a
 * number. If there are too many, or they take too much memory, the cache is cleared. Long names are not cached.
 *
 * It holds the engine's policy for the policy's handle and for its open identities; the last holder frees it.
 */
export class Names {
  static #access = (() => {
    isNames = (value) => has(value, () => value.#engine);
  })();

  /** How often the cache was cleared. */
  since = 0;
  #engine;
  #cacheSize;
  #known = nothingKnown();
  #count = 0;
  #holders = 1;

  constructor(instance, engine, cacheSize) {
    this.instance = instance;
    this.#engine = engine;
    this.#cacheSize = cacheSize;
  }

  /** Whether a number that `find` returned is that of the same name until `since` changes. */
  isStable(number) {
    return number !== NOT_CACHED && this.#cacheSize > 0;
  }

  /** Adds a holder of the engine's policy. */
  hold() {
    this.#holders++;
    return this;
  }

  release() {
    if (--this.#holders > 0) return;
    const engine = this.#engine;
    this.#engine = FREED;
    this.instance.free(engine);
  }

  /** The known names of a type, with their numbers, until `since` changes or another name is found. */
  knownOf(resourceType) {
    return this.#known[resourceType];
  }

  find(resourceType, name) {
    const known = typeof name === 'string' ? this.#known[resourceType][name] : undefined;
    return known ?? this.#findNew(resourceType, name);
  }

  #findNew(resourceType, name) {
    wellFormed(name, 'the name of a resource');
    if (this.#count >= this.#cacheSize) this.forget();
    let number = this.instance.call(() => this.#engine.find(resourceType, name));
    if (number === undefined) {
      // The engine's cache is full.
      this.forget();
      number = this.instance.take(() => this.#engine.find(resourceType, name));
    }
    if (number === NOT_CACHED) return number;
    // Not a Map: V8 looks up interned strings in objects without comparing their characters.
    if (this.#cacheSize > 0) this.#known[resourceType][name] = number;
    this.#count++;
    return number;
  }

  /** Clears the cache: it is full, or the policy has changed and every number is stale. */
  forget() {
    this.instance.call(() => this.#engine.forget());
    this.#known = nothingKnown();
    this.#count = 0;
    this.since++;
  }
}

/** The values of one enumeration and their numbers; the engine is called once for each spelling. */
export class Numbers {
  // Not a Map: for a few keys that are literals in the program, an object is faster.
  #known = Object.create(null);
  #count = 0;
  #instance;
  #ask;
  #what;
  #accepted;

  constructor(instance, ask, what, accepted) {
    this.#instance = instance;
    this.#ask = ask;
    this.#what = what;
    this.#accepted = accepted;
  }

  number(text) {
    const known = typeof text === 'string' ? this.#known[text] : undefined;
    return known ?? this.#find(text);
  }

  #find(text) {
    const value = wellFormed(text, this.#what);
    const number = this.#instance.call(() => this.#ask(value));
    if (number === undefined) throw unknownValue(text, this.#what, this.#accepted);
    // Limited, because an enumeration has many spellings in mixed letter case.
    if (this.#count < 256) {
      this.#known[text] = number;
      this.#count++;
    }
    return number;
  }
}

/** The number of a resource, looked up again if the names were cleared or belong to another policy. */
export let numberOf;

/** Whether a value was created by `policy.resource`. */
export let isResource;

/** A resource that is checked often. */
export class Resource {
  #resourceType;
  #name;
  #names;
  #since;
  #number;

  constructor(names, resourceType, name) {
    if (!isNames(names)) throw new EngineError('not_loaded', 'create resources with `policy.resource`');
    this.#resourceType = names.instance.resourceTypes.number(resourceType);
    this.#name = name;
    this.#find(names);
  }

  static #access = (() => {
    isResource = (resource) => has(resource, () => resource.#number);
    addHandle(isResource, 'wrong_type', 'this is a resource of `policy.resource`; write its type and name, or call `identity.can(operation, resource)`');
    numberOf = (resource, names) => {
      if (!isResource(resource)) throw new EngineError('wrong_type', 'the resource must come from `policy.resource`');
      const isKnown = resource.#names === names && resource.#since === names.since && resource.#number !== NOT_CACHED;
      if (!isKnown) resource.#find(names);
      return resource.#number;
    };
  })();

  #find(names) {
    this.#number = names.find(this.#resourceType, this.#name);
    this.#names = names;
    this.#since = names.since;
  }
}
