// The error of every call of the package.

/**
 * Whether a value has the private member that `read` reads. Not `instanceof`: reading an object's prototype may throw. Neither
 * `#member in value` nor a static block: the parsers of React Native read none of them.
 */
export function has(value, read) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is an error of this package. */
export let isOurs;

/** An error of this package: a stable `code`, a message, and all problems of a document. */
export class EngineError extends Error {
  #ours;

  static #access = (() => {
    isOurs = (value) => has(value, () => value.#ours);
  })();

  constructor(code, message, more) {
    const { problems, cause } = { __proto__: null, ...more };
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    if (problems !== undefined) this.problems = problems;
  }
}

/** Whether this runtime checks for lone surrogates itself. */
const HAS_CHECK = typeof ''.isWellFormed === 'function';

/** The most characters of a name. Longer ones never reach the engine, because its memory never shrinks. */
const LONGEST_NAME = 2 ** 20;
/** A string, unchanged. Lone surrogates are refused, because they would silently become other characters in the engine. */
export function wellFormed(text, what, longest = LONGEST_NAME) {
  if (typeof text !== 'string') throw new EngineError('wrong_type', `${what} must be a string, but is ${kind(text)}`);
  if (text.length > longest) throw new EngineError('too_long', `${what} has more than ${longest} characters`);
  if (HAS_CHECK ? !text.isWellFormed() : /\p{Surrogate}/u.test(text)) {
    throw new EngineError('not_well_formed', `${what} contains a lone surrogate, which is not valid Unicode`);
  }
  return text;
}

/** A member's name for messages; names that could be anything, even a token, are not repeated. */
export const nameOf = (name) => (typeof name === 'string' && /^\w{1,32}$/.test(name) ? `\`${name}\`` : 'a member');

/** The error for a text that is none of the accepted ones. Only words are repeated, because anything else could be a secret. */
export const unknownValue = (text, what, accepted) => new EngineError('unknown_value',
  `${/^[\w -]{0,40}$/.test(text) ? JSON.stringify(text) : 'the given value'} is not ${what}; write one of ${Object.keys(accepted).join(', ')}`);

/** Refuses surplus arguments, which would be ignored silently. */
export function noMore(more, method, instead = 'remove those that it does not accept') {
  // Not `every`: usually, the array is empty.
  if (more.length === 0 || more.every((argument) => argument === undefined)) return;
  throw new EngineError('too_many_arguments', `\`${method}\` has too many arguments; ${instead}`);
}

export function kind(value) {
  return value === null ? 'null' : `of type ${typeof value}`;
}

/** The error for a handle that was freed. */
export const freed = () => new EngineError('freed', 'this object was freed; load or open it again');

/** Replaces the engine of a freed handle. */
export const FREED = new Proxy({}, {
  get() {
    throw freed();
  },
});
