// Names and values cross into the engine once; afterwards as numbers.
import { EngineError, FREED, wellFormed } from './error.js';
import { addHandle } from './plain.js';

/** How many names a policy remembers unless it is told otherwise; a name takes about 200 bytes. */
export const CACHE_SIZE = 16_384;

/** Whether these are names of a policy. */
export let isNames;

/** The engine's number of a name that it does not cache: good for the one call that follows. */
const NOT_CACHED = 2 ** 32 - 1;

/**
 * The names that a policy was asked about, by resource type, with the numbers under which the engine has found them: a name
 * that is asked about again crosses as a number. When there are too many, or they take too much memory, all are forgotten,
 * which costs as little as finding them did. A long name is not remembered at all.
 *
 * It holds the engine's policy for the policy's own handle and for the identities that are open: the last one gives it back.
 */
export class Names {
  static {
    isNames = (value) => typeof value === 'object' && value !== null && #engine in value;
  }

  /** How often all were forgotten. */
  since = 0;
  #engine;
  #cacheSize;
  #known = [];
  #count = 0;
  #holders = 1;

  constructor(instance, engine, cacheSize) {
    this.instance = instance;
    this.#engine = engine;
    this.#cacheSize = cacheSize;
  }

  /** Whether a number that `find` returned is that of the same name until `since` changes. */
  isStable(found) {
    return found !== NOT_CACHED && this.#cacheSize > 0;
  }

  /** The engine's policy, for one more holder. */
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

  find(resourceType, name) {
    const known = typeof name === 'string' ? this.#known[resourceType]?.[name] : undefined;
    return known ?? this.#findNew(resourceType, name);
  }

  #findNew(resourceType, name) {
    wellFormed(name, 'the name of a resource');
    if (this.#count >= this.#cacheSize) this.forget();
    let found = this.instance.call(() => this.#engine.find(resourceType, name));
    if (found === undefined) {
      // There is no room for another.
      this.forget();
      found = this.instance.take(() => this.#engine.find(resourceType, name));
    }
    if (found === NOT_CACHED) return found;
    // Not a Map: a name that was a key before is found again without a look at its letters.
    if (this.#cacheSize > 0) (this.#known[resourceType] ??= Object.create(null))[name] = found;
    this.#count++;
    return found;
  }

  /** Forgets all: there are too many, or the policy was changed and they would be found anew at each check. */
  forget() {
    this.instance.call(() => this.#engine.forget());
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
  #instance;
  #ask;
  #what;

  constructor(instance, ask, what) {
    this.#instance = instance;
    this.#ask = ask;
    this.#what = what;
  }

  number(text) {
    const known = typeof text === 'string' ? this.#known[text] : undefined;
    return known ?? this.#find(text);
  }

  #find(text) {
    const value = wellFormed(text, this.#what);
    const number = this.#instance.call(() => this.#ask(value));
    if (number === undefined) throw new EngineError('unknown_value', `${shown(text)} is not ${this.#what}`);
    // Spellings in every letter case are many; what a program uses is few.
    if (this.#count < 256) {
      this.#known[text] = number;
      this.#count++;
    }
    return number;
  }
}

/** A value in a message; what is no word is not repeated, since it could be a secret. */
const shown = (text) => (/^[\w -]{0,40}$/.test(text) ? JSON.stringify(text) : 'the given value');

/** The number of a resource; it is found anew where its names have been forgotten, or are another policy's. */
export let foundBy;

/** Whether something is a resource of `policy.resource`. */
export let isResource;

/** A resource that is asked about often. */
export class Resource {
  #resourceType;
  #name;
  #names;
  #since;
  #found;

  constructor(names, resourceType, name) {
    if (!isNames(names)) throw new EngineError('not_loaded', 'create resources with `policy.resource`');
    this.#resourceType = names.instance.resourceTypes.number(resourceType);
    this.#name = name;
    this.#find(names);
  }

  static {
    isResource = (resource) => typeof resource === 'object' && resource !== null && #found in resource;
    addHandle(isResource, () => ['wrong_type', 'this is a resource of `policy.resource`; write its type and name, or call `identity.can(operation, resource)`']);
    foundBy = (resource, names) => {
      if (!isResource(resource)) throw new EngineError('wrong_type', 'the resource must come from `policy.resource`');
      const isKnown = resource.#names === names && resource.#since === names.since && resource.#found !== NOT_CACHED;
      if (!isKnown) resource.#find(names);
      return resource.#found;
    };
  }

  #find(names) {
    this.#found = names.find(this.#resourceType, this.#name);
    this.#names = names;
    this.#since = names.since;
  }
}
