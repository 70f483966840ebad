// How arguments are read: text, plain data, options, lists.
import { EngineError, kind, nameOf, wellFormed } from './error.js';
import { isPlain, membersOf, plainText, reading, refuseHandle } from './plain.js';

/** The most characters of a check, token or key set. */
const LONGEST_TEXT = 2 ** 26;

/**
 * The JSON text of an argument: text unchanged, plain data as JSON. A value that JSON would drop is refused: with lost groups, their
 * denies would be lost too.
 */
export function jsonText(value, what) {
  if (typeof value === 'string') return wellFormed(value, what, LONGEST_TEXT);
  return wellFormed(reading(what, () => plainText(value, what, false)), what, LONGEST_TEXT);
}

/** The same for a policy document, of any length and without members that are `undefined`. */
export function documentText(document) {
  const what = 'a policy document';
  const text = typeof document === 'string' ? document : reading(what, () => plainText(document, what, true));
  return wellFormed(text, what, Infinity);
}

const NONE = Object.freeze(Object.create(null));

/**
 * The options of a method, own members only, each read once. An unknown option is refused: if it were ignored, the answer
 * would be to another question.
 */
export function optionsOf(given, method, names) {
  if (given === undefined) return NONE;
  return reading('the options object', () => {
    if (!isPlain(given)) {
      refuseHandle(given, `the options of \`${method}\``);
      const example = names.includes('now') ? '`{ now: seconds }`' : `\`{ ${names[0]} }\``;
      throw new EngineError('wrong_type', `the options of \`${method}\` must be a plain object such as ${example}, but are ${kind(given)}`);
    }
    return known(given, names, 'the options object', `an option of \`${method}\``);
  });
}

/** The same for one element of a list. */
export function requestOf(given, names, what = 'a request') {
  return reading(what, () => {
    if (!isPlain(given)) {
      refuseHandle(given, what);
      throw new EngineError('wrong_type', `${what} must be a plain object, but is ${kind(given)}`);
    }
    return known(given, names, what, `a member of ${what}`);
  });
}

/** How many members a request without host and time has. */
const SHORT = 3;

/** A faster way for the most common form of a request; `undefined` for all others, valid or not. */
export function shortRequestOf(given) {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return undefined;
  // Hidden and symbol members count too, so these three are all. `Reflect.ownKeys` is slower.
  if (Object.getOwnPropertyNames(given).length !== SHORT || Object.getOwnPropertySymbols(given).length !== 0) return undefined;
  const operation = Object.getOwnPropertyDescriptor(given, 'operation');
  const type = Object.getOwnPropertyDescriptor(given, 'resource_type');
  const name = Object.getOwnPropertyDescriptor(given, 'resource_name');
  if (!isWritten(operation) || !isWritten(type) || !isWritten(name)) return undefined;
  return new ShortRequest(operation.value, type.value, name.value);
}

/** Whether a member exists, is enumerable, and is not a getter. */
const isWritten = (field) => field !== undefined && field.enumerable && field.get === undefined && field.set === undefined;

/** A prototype that inherits nothing, even if `Object.prototype` was changed. */
function ShortRequest(operation, type, name) {
  this.operation = operation;
  this.resource_type = type;
  this.resource_name = name;
}
ShortRequest.prototype = Object.freeze(Object.create(null));

function known(given, names, what, member) {
  const read = membersOf(given, what);
  for (const name in read) {
    if (!names.includes(name)) throw new EngineError('unknown_option', `${nameOf(name)} is not ${member}; write ${listOf(names)}`);
  }
  return read;
}

const listOf = (names) => names.map((name) => `\`${name}\``).join(', ');

/** The elements of an iterable; strings are refused. */
export function listed(values, what) {
  return reading(what, () => {
    if (typeof values === 'object' && typeof values?.[Symbol.iterator] === 'function') return [...values];
    throw new EngineError('wrong_type', `expected an array or another iterable for ${what}, but the value is ${kind(values)}`);
  });
}
