// What every call of the package throws, and how arguments are read.

// Not `instanceof`, here and elsewhere: an object may throw when it is asked for its prototype.
export let isOurs;

/** Every error of this package: a stable `code`, a message for people, and for a document every problem at once. */
export class EngineError extends Error {
  #ours;

  static {
    isOurs = (value) => typeof value === 'object' && value !== null && #ours in value;
  }

  constructor(code, message, more) {
    const { problems, cause } = { __proto__: null, ...more };
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    if (problems !== undefined) this.problems = problems;
  }
}

/** No name of anything is as long; it is refused before it crosses, since the engine's memory never shrinks. */
const LONGEST_NAME = 2 ** 20;
/** A text as it is; one with half a character would silently become another on its way into the engine. */
export function wellFormed(text, what, longest = LONGEST_NAME) {
  if (typeof text !== 'string') throw new EngineError('wrong_type', `${what} is a string, and this is ${kind(text)}`);
  if (text.length > longest) throw new EngineError('too_long', `${what} has more than ${longest} characters`);
  if (text.isWellFormed ? !text.isWellFormed() : /\p{Surrogate}/u.test(text)) {
    throw new EngineError('not_well_formed', `${what} holds half of a surrogate pair`);
  }
  return text;
}

/** How a message calls a member; a name that could be anything, even a token, is not repeated. */
export const nameOf = (name) => (typeof name === 'string' && /^\w{1,32}$/.test(name) ? `\`${name}\`` : 'a member');

/** Refuses arguments beyond those that a method has: they would be ignored silently. */
export function noMore(more, method, instead = 'remove those that it does not take') {
  // Not `every`: the usual case is an array without elements.
  if (more.length === 0 || more.every((argument) => argument === undefined)) return;
  throw new EngineError('too_many_arguments', `\`${method}\` has too many arguments; ${instead}`);
}

export function kind(value) {
  return value === null ? 'null' : `of type ${typeof value}`;
}

/** What use of a handle whose memory was given back throws. */
export const freed = () => new EngineError('freed', 'its memory was given back with `free`; load or open it again');

/** Stands for such a handle's engine. */
export const FREED = new Proxy({}, {
  get() {
    throw freed();
  },
});
