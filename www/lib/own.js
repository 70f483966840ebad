// Members that an object has itself: what other code adds to `Object.prototype` decides nothing.

/**
 * The own members of an object.
 * @template {object} T
 * @param {T} object
 * @returns {T}
 */
export const own = (object) => /** @type {any} */ ({ __proto__: null, ...object });

/**
 * A member of an object or of its class.
 * @param {object} object
 * @param {string} name
 * @returns {any}
 */
export function memberOf(object, name) {
  for (let holder = object; !Object.hasOwn(holder, name);) {
    holder = Object.getPrototypeOf(holder);
    // The last one is `Object.prototype`.
    if (holder === null || Object.getPrototypeOf(holder) === null) return undefined;
  }
  return Reflect.get(object, name);
}
