// The outcomes of checks that an identity repeats.

/** How many names share a page. */
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;
/** Two bits for each operation: whether its outcome is known, and whether it is allowed. */
const KNOWN = 1;
const ALLOWED = 2;
/** How many operations fit. The outcome of another one is not kept. */
const OPERATIONS = 16;

/**
 * The outcomes of operations on the names of a policy, by the engine's numbers of both, in pages of four bytes for each name.
 * They are forgotten together with the names, and so whenever the policy changes.
 */
export class Outcomes {
  #names;
  #since;
  #pages = [];

  constructor(names) {
    this.#names = names;
    this.#since = names.since;
  }

  /** Whether the operation is allowed; `undefined` where that is not known. */
  get(operation, name) {
    if (operation >= OPERATIONS || this.#since !== this.#names.since) return undefined;
    const page = this.#pages[name >>> PAGE_BITS];
    if (page === undefined) return undefined;
    const bits = page[name & (PAGE - 1)] >> (2 * operation);
    return (bits & KNOWN) === 0 ? undefined : (bits & ALLOWED) !== 0;
  }

  set(operation, name, isAllowed) {
    if (operation >= OPERATIONS || !this.#names.isStable(name)) return;
    if (this.#since !== this.#names.since) {
      this.#pages = [];
      this.#since = this.#names.since;
    }
    const page = (this.#pages[name >>> PAGE_BITS] ??= new Int32Array(PAGE));
    page[name & (PAGE - 1)] |= (isAllowed ? KNOWN | ALLOWED : KNOWN) << (2 * operation);
  }
}
