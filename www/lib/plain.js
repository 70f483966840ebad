// Plain data, as arguments have to be: what can be written down as JSON without losing anything.
import { EngineError, isOurs, kind, nameOf } from './error.js';

/**
 * The handles of this package, each with the code and the hint for whoever passes one where plain data belongs. Its getters
 * do not tell all that it is: an identity that is read as `{ user, groups }` would lose its expiry.
 */
const HANDLES = [];

/** Makes a class of handles known: `is` tells its instances, `tell` gives the code and the hint. */
export const addHandle = (is, tell) => void HANDLES.push([is, tell]);

/** Keeps Vue from putting a proxy around the handles of a class, which would have none of their private fields. */
export const notReactive = (Class) => void Object.defineProperty(Class.prototype, '__v_skip', { __proto__: null, value: true });

/** Reads something of an argument, which may be an object that throws. */
export function reading(what, read) {
  try {
    return read();
  } catch (cause) {
    throw unreadable(what, cause);
  }
}

/** The error for an argument that throws when it is read; our own errors are returned unchanged. */
export const unreadable = (what, cause) =>
  (isOurs(cause) ? cause : new EngineError('not_json', `${what} cannot be read as plain JSON values`, { cause }));

/** Refuses a handle of this package where plain data belongs. */
export function refuseHandle(value, what) {
  if (typeof value !== 'object' || value === null) return;
  for (const [is, tell] of HANDLES) {
    if (!is(value)) continue;
    const [code, hint] = tell(value);
    throw new EngineError(code, `${what} must be plain data; ${hint}`);
  }
}

/** Whether this is the `Object.prototype` of some realm, and no object that stands in its place. */
function isObjectPrototype(prototype) {
  if (prototype === Object.prototype) return true;
  if (Object.getPrototypeOf(prototype) !== null) return false;
  const { value: make } = ownField(prototype, 'constructor');
  return typeof make === 'function' && ownField(make, 'prototype').value === prototype
    && Function.prototype.toString.call(make).replaceAll(/\s/g, '') === 'functionObject(){[nativecode]}';
}

/** The descriptor of an own property; nothing is inherited by it. */
const ownField = (object, name) => ({ __proto__: null, ...Object.getOwnPropertyDescriptor(object, name) });

/** Whether this is an object as it is written down, and nothing that happens to have a member of some name. */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Bare.prototype || isObjectPrototype(prototype);
}

/** The same for an array: those of another realm are arrays too, those of a class are not. */
function isPlainArray(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Array.prototype || (Array.isArray(prototype) && isObjectPrototype(Object.getPrototypeOf(prototype)));
}

/** The value of one own member; one that is computed or hidden would be lost when the object is written as JSON. */
function member(object, name, what) {
  const field = typeof name === 'string' ? Object.getOwnPropertyDescriptor(object, name) : undefined;
  if (field !== undefined && field.enumerable && Object.hasOwn(field, 'value')) return field.value;
  throw new EngineError('not_json', `${nameOf(name)} in ${what} is no plain member: it is a getter, hidden, a symbol or missing; write its value`);
}

/** The own members of a plain object, each read once; the prototype counts for nothing, here and in what is returned. */
export function membersOf(object, what) {
  const read = new Bare();
  for (const name of Reflect.ownKeys(object)) read[name] = member(object, name, what);
  return read;
}

/**
 * The JSON text of plain data, with all that is in it. Everything else is refused, at every depth: instances of classes, getters,
 * members that are hidden or inherited, and what has no JSON value. A member of the argument itself may be `undefined`, which
 * is as if it was omitted, unless the argument has to be `complete`.
 */
export function plainText(root, what, complete) {
  const copy = (value, name) => {
    switch (typeof value) {
      case 'string': case 'boolean': return value;
      case 'number':
        if (Number.isFinite(value)) return value;
        break;
      case 'object':
        if (value === null) return null;
        if (Array.isArray(value)) {
          if (isPlainArray(value)) return array(value);
        } else if (isPlain(value)) return object(value);
        break;
      default:
    }
    throw notPlain(value, name, what);
  };
  const array = (values) => {
    const { length } = values;
    // Its elements and its length, and nothing beside them.
    if (Reflect.ownKeys(values).length !== length + 1) throw new EngineError('not_json', `an array in ${what} has holes or members with names; write only elements`);
    const copied = Object.setPrototypeOf([], Bare.prototype);
    for (let place = 0; place < length; place += 1) copied[place] = copy(member(values, `${place}`, what), `${place}`);
    return copied;
  };
  const object = (value) => {
    const copied = new Bare();
    for (const name of Reflect.ownKeys(value)) {
      const inner = member(value, name, what);
      if (inner === undefined && value === root && !complete) continue;
      copied[name] = copy(inner, name);
    }
    return copied;
  };
  return JSON.stringify(copy(root));
}

/** An object that inherits nothing, whatever is added to `Object.prototype`; unlike those without a prototype it is fast. */
function Bare() {}
Bare.prototype = Object.freeze(Object.create(null));

/** The error for what is not plain. */
function notPlain(value, name, what) {
  const where = name === undefined ? what : `${nameOf(name)} in ${what}`;
  if (typeof value !== 'object') {
    if (name === undefined && typeof value !== 'number') return new EngineError('not_json', `${what} is an object, and this is ${kind(value)}`);
    const found = typeof value === 'number' ? 'not a finite number' : kind(value);
    return new EngineError('not_json', `${where} is ${found}, which JSON cannot represent; use a plain value, or omit it`);
  }
  refuseHandle(value, where);
  return new EngineError('not_json', `${where} is an instance of a class, or inherits members, which JSON cannot represent; write a plain object or array`);
}
