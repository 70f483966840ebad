// Plain data: values that JSON can represent completely.
import { EngineError, isOurs, kind, nameOf, wellFormed } from './error.js';

/** The handles of this package, with their errors. An identity that is read as `{ user, groups }` would lose its expiry. */
const HANDLES = [];

/** Registers a class of handles: `is` recognizes its instances; the others are the code and the hint of the error. */
export const addHandle = (is, code, hint) => void HANDLES.push({ is, code, hint });

/** Prevents Vue from wrapping the handles of a class in a proxy, which has no access to private fields. */
export const notReactive = (Class) => void Object.defineProperty(Class.prototype, '__v_skip', { __proto__: null, value: true });

/** Reads from an argument, which may throw. */
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
  for (const { is, code, hint } of HANDLES) {
    if (is(value)) throw new EngineError(code, `${what} must be plain data; ${hint}`);
  }
}

/** Whether this is the `Object.prototype` of any realm. */
function isObjectPrototype(prototype) {
  if (prototype === Object.prototype) return true;
  if (Object.getPrototypeOf(prototype) !== null) return false;
  const { value: make } = ownField(prototype, 'constructor');
  return typeof make === 'function' && ownField(make, 'prototype').value === prototype
    && Function.prototype.toString.call(make).replaceAll(/\s/g, '') === 'functionObject(){[nativecode]}';
}

/** The descriptor of an own property, without inherited members. */
const ownField = (object, name) => ({ __proto__: null, ...Object.getOwnPropertyDescriptor(object, name) });

/** Whether this is a plain object, as an object literal creates it. */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Bare.prototype || isObjectPrototype(prototype);
}

/** The same for arrays: those of another realm are accepted, instances of subclasses are not. */
function isPlainArray(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Array.prototype || (Array.isArray(prototype) && isObjectPrototype(Object.getPrototypeOf(prototype)));
}

/** The value of one own member. Getters and hidden members are refused, because JSON would lose them. */
function member(object, name, what) {
  const field = typeof name === 'string' ? Object.getOwnPropertyDescriptor(object, name) : undefined;
  if (field !== undefined && field.enumerable && Object.hasOwn(field, 'value')) return field.value;
  throw new EngineError('not_json', `${nameOf(name)} in ${what} is not a plain member: it is a getter, hidden, a symbol or missing; write its value`);
}

/** The own members of a plain object, each read once; neither the object's prototype nor the result's adds members. */
export function membersOf(object, what) {
  const read = new Bare();
  for (const name of Reflect.ownKeys(object)) read[name] = member(object, name, what);
  return read;
}

/**
 * The JSON text of plain data; everything else is refused, at every depth. A member of the argument itself may be `undefined`, which
 * is the same as omitting it.
 */
export function plainText(root, what) {
  const copy = (value, name) => {
    switch (typeof value) {
      case 'string': return wellFormed(value, name === undefined ? what : `${nameOf(name)} in ${what}`, Infinity);
      case 'boolean': return value;
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
    // Its elements and its length, and nothing else.
    if (Reflect.ownKeys(values).length !== length + 1) throw new EngineError('not_json', `an array in ${what} has holes or named members; write only elements`);
    const copied = Object.setPrototypeOf([], Bare.prototype);
    for (let place = 0; place < length; place += 1) copied[place] = copy(member(values, `${place}`, what), `${place}`);
    return copied;
  };
  const object = (value) => {
    const copied = new Bare();
    for (const name of Reflect.ownKeys(value)) {
      const inner = member(value, name, what);
      if (inner === undefined && value === root) continue;
      copied[wellFormed(name, 'the name of a member', Infinity)] = copy(inner, name);
    }
    return copied;
  };
  return JSON.stringify(copy(root));
}

/** An object that inherits nothing, whatever is added to `Object.prototype`; unlike those without a prototype it is fast. */
function Bare() {}
Bare.prototype = Object.freeze(Object.create(null));

/** The error for a value that is not plain. */
function notPlain(value, name, what) {
  const where = name === undefined ? what : `${nameOf(name)} in ${what}`;
  if (typeof value !== 'object') {
    if (name === undefined && typeof value !== 'number') return new EngineError('not_json', `${what} must be an object, but is ${kind(value)}`);
    const problem = typeof value === 'number' ? 'not a finite number' : kind(value);
    return new EngineError('not_json', `${where} is ${problem}, which JSON cannot represent; use a plain value, or omit it`);
  }
  refuseHandle(value, where);
  return new EngineError('not_json', `${where} is an instance of a class, or inherits members, which JSON cannot represent; write a plain object or array`);
}
