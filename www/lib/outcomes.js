// The outcomes of checks that an identity repeats.

/** The most names in the map. For a few names, making pages takes longer than the checks. */
const FEW = 128;
/** How many names share a page. */
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;
/** Two bits for each operation: whether its outcome is known, and whether it is allowed. */
const KNOWN = 1;
const ALLOWED = 2;
/** How many operations fit. */
const OPERATIONS = 16;

/**
 * The outcomes of operations on names, by the engine's numbers of both: in a map, then in pages of four bytes for each name. They are
 * forgotten together with the names, and so whenever the policy changes.
 */
export class Outcomes {
  #names;
  #since;
  #few;
  #pages;

  constructor(names) {
    this.#names = names;
    this.#since = names.since;
  }

  /** Whether the operation is allowed; `undefined` where that is not known. */
  get(operation, name) {
    if (operation >= OPERATIONS || this.#since !== this.#names.since) return undefined;
    const known = this.#pages === undefined ? this.#few?.get(name) : this.#pages.get(name >>> PAGE_BITS)?.[name & (PAGE - 1)];
    const bits = known >> (2 * operation);   // 0 for `undefined`
    return (bits & KNOWN) === 0 ? undefined : (bits & ALLOWED) !== 0;
  }

  set(operation, name, isAllowed) {
    if (operation >= OPERATIONS || !this.#names.isStable(name)) return;
    if (this.#since !== this.#names.since) {
      this.#few = this.#pages = undefined;
      this.#since = this.#names.since;
    }
    const bits = (isAllowed ? KNOWN | ALLOWED : KNOWN) << (2 * operation);
    if (this.#pages === undefined) {
      const few = (this.#few ??= new Map());
      const known = few.get(name);
      if (known !== undefined || few.size < FEW) {
        few.set(name, known | bits);
        return;
      }
      this.#pages = new Map();
      few.forEach((known, name) => this.#add(name, known));
      this.#few = undefined;
    }
    this.#add(name, bits);
  }

  #add(name, bits) {
    let page = this.#pages.get(name >>> PAGE_BITS);
    if (page === undefined) this.#pages.set(name >>> PAGE_BITS, page = new Int32Array(PAGE));
    page[name & (PAGE - 1)] |= bits;
  }
}
