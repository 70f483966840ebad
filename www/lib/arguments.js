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
  return wellFormed(reading(what, () => plainText(value, what)), what, LONGEST_TEXT);
}

/** The same for a policy document, of any length. */
export function documentText(document) {
  const what = 'a policy document';
  if (ArrayBuffer.isView(document)) throw new EngineError('not_json', `${what} must be an object or JSON text, but is bytes; read the file as text, such as \`readFile(path, 'utf8')\``);
  const text = typeof document === 'string' ? document : reading(what, () => plainText(document, what));
  return wellFormed(text, what, Infinity);
}

/** A whole number of at least 0 that the engine can take. */
export function wholeNumber(number, what) {
  if (Number.isInteger(number) && number >= 0 && number < 2 ** 32) return number;
  throw new EngineError('wrong_type', `${what} must be a whole number of at least 0`);
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

/** The members of the most common form of a request. */
const SHORT = ['operation', 'resource_type', 'resource_name'];

/** Whether requests inherit none of these members. */
export const areShortMembersOwn = () => !SHORT.some((name) => name in Object.prototype);

/**
 * Whether a plain object has no other members. Symbols and hidden members with other names than those of a request do not count: they
 * say nothing in it. Not `Object.getOwnPropertyNames`, which takes longer than the rest of a request.
 */
export function isShort(given) {
  if (Object.getPrototypeOf(given) !== Object.prototype) return false;
  for (const name in given) {
    if (name !== 'operation' && name !== 'resource_type' && name !== 'resource_name') return false;
  }
  return given.host === undefined && given.now === undefined && given.ignore_expiry === undefined;
}

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
    if (typeof values === 'object' && typeof values?.[Symbol.iterator] === 'function') {
      if (Array.isArray(values)) refuseHoles(values, what);
      return [...values];
    }
    throw new EngineError('wrong_type', `expected an array or another iterable for ${what}, but the value is ${kind(values)}`);
  });
}

/** A hole would be read from `Object.prototype`. `Object.hasOwn` takes four times as long as asking the array and its prototype. */
function refuseHoles(values, what) {
  const prototype = Object.getPrototypeOf(values);
  for (let place = 0; place < values.length; place += 1) {
    const isOwn = (place in values && !(place in prototype)) || Object.hasOwn(values, place);
    if (!isOwn) throw new EngineError('wrong_type', `${what} have a hole at ${place}; write every element`);
  }
}
