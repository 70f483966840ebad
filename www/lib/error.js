// What every call of the package throws, and how arguments become text.

// Not `instanceof`, here and elsewhere: an object may throw when it is asked for its prototype.
export let isOurs;

/** Every error of this package: a stable `code`, a message for people, and for a document every problem at once. */
export class EngineError extends Error {
  #ours;

  static {
    isOurs = (value) => typeof value === 'object' && value !== null && #ours in value;
  }

  constructor(code, message, { problems, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    if (problems !== undefined) this.problems = problems;
  }
}

/** No name of anything is as long; it is refused before it crosses, since the engine's memory never shrinks. */
const LONGEST_NAME = 2 ** 20;
/** No check, token or key set is. A policy document may be as long as a string can be. */
const LONGEST_TEXT = 2 ** 26;

/** A text as it is; one with half a character would silently become another on its way into the engine. */
export function wellFormed(text, what, longest = LONGEST_NAME) {
  if (typeof text !== 'string') throw new EngineError('wrong_type', `${what} is a string, and this is ${kind(text)}`);
  if (text.length > longest) throw new EngineError('too_long', `${what} has more than ${longest} characters`);
  if (text.isWellFormed ? !text.isWellFormed() : /\p{Surrogate}/u.test(text)) {
    throw new EngineError('not_well_formed', `${what} holds half of a surrogate pair`);
  }
  return text;
}

/**
 * The JSON text of an argument: text as it is, anything else as `JSON.stringify` writes what `shape` makes of it. Whatever
 * an object does meanwhile is an error, before the engine has heard of it.
 */
export function jsonText(value, what, { shape = (value) => value, longest = LONGEST_TEXT } = {}) {
  if (typeof value === 'string') return wellFormed(value, what, longest);
  const text = reading(what, () => JSON.stringify(shape(value)));
  if (text === undefined) throw new EngineError('not_json', `${what} is an object, and this is ${kind(value)}`);
  return wellFormed(text, what, longest);
}

/** Reads something of an argument, which may be an object that throws. */
export function reading(what, read) {
  try {
    return read();
  } catch (cause) {
    if (isOurs(cause)) throw cause;
    throw new EngineError('not_json', `${what} cannot be read as plain JSON values`, { cause });
  }
}

/** What is in something iterable; a text is not meant as one. */
export function listed(values, what) {
  return reading(what, () => {
    if (typeof values === 'object' && typeof values?.[Symbol.iterator] === 'function') return [...values];
    throw new EngineError('wrong_type', `${what} can be iterated, such as an array, and this is ${kind(values)}`);
  });
}

function kind(value) {
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
