// The keys of an identity provider: fetched when needed, in one fetch at a time, and kept while the provider is down (D-19).
import { EngineError } from 'gbac-engine/verify';
import { own } from '../lib/own.js';
import { TextDecoder } from '../lib/runtime.js';

/** @typedef {import('gbac-engine/verify').Verifier} Verifier */
/** @typedef {import('gbac-engine/verify').VerifiedClaims} VerifiedClaims */
/**
 * What is needed of `fetch`, which TypeScript declares only with the library of browsers.
 * @typedef {(url: string, options: { headers: Record<string, string>, signal: any, redirect: 'manual' }) => Promise<{ ok: boolean, status: number, body: any }>} Fetch
 */

/** The age in seconds after which keys are fetched again. */
const MAX_AGE = 3600;
/** The pause in seconds after a failed fetch. */
const RETRY_DELAY = 5;
/** The longest time for a fetch, in milliseconds, and the most bytes of a key set. */
const FETCH_TIMEOUT = 5_000;
const MAX_BYTES = 2 ** 20;
/** The limit on fetches for tokens with unknown keys: so many at once, then one in so many seconds. */
const BURST = 5;
const INTERVAL = 10;

/**
 * The key sets of the functions that `remoteKeys` returned.
 * @type {WeakMap<object, RemoteKeySet>}
 */
const SETS = new WeakMap();

/**
 * A function that verifies tokens with a key set. `keySetOf` finds the set again.
 * @param {RemoteKeySet} keySet
 * @returns {(token: string, now: number) => Promise<VerifiedClaims>}
 */
export function verifying(keySet) {
  const verify = (/** @type {string} */ token, /** @type {number} */ now) => keySet.verify(token, now);
  SETS.set(verify, keySet);
  return verify;
}
/** @param {object} verify */
export const keySetOf = (verify) => SETS.get(verify);

/** A key set at an address. */
export class RemoteKeySet {
  /** How often the keys changed: what was verified with earlier ones has to be verified again. */
  version = 0;
  #url;
  #fetch;
  #clock;
  #verifierOf;
  #Unavailable;
  /** @type {Verifier | undefined} */
  #keys;
  /** @type {string | undefined} */
  #text;
  #fetchedAt = -Infinity;
  #failedAt = -Infinity;
  /** @type {Promise<Verifier> | undefined} */
  #fetching;
  #fetchesLeft = BURST;
  #refilledAt = -Infinity;

  /**
   * @param {string} url
   * @param {Fetch} fetch
   * @param {() => number} clock
   * @param {(text: string) => Promise<Verifier>} verifierOf makes a verifier of the text of a key set
   * @param {new (message: string, options?: { cause: unknown }) => Error} Unavailable what is thrown if there are no keys
   */
  constructor(url, fetch, clock, verifierOf, Unavailable) {
    this.#url = addressOf(url);
    this.#fetch = fetch;
    this.#clock = clock;
    this.#verifierOf = verifierOf;
    this.#Unavailable = Unavailable;
  }

  /**
   * Verifies a token. Only one with an unknown key waits for a fetch, and any token while there are no keys.
   * @param {string} token
   * @param {number} now
   */
  async verify(token, now) {
    this.refresh();
    const keys = this.#keys ?? await this.#fetched();
    try {
      return keys.verify(token, { now });
    } catch (error) {
      const { code } = /** @type {EngineError} */ (error);
      if (code === 'engine_failed') this.#keys = undefined;
      if (code !== 'kid_unknown' || !this.#mayFetchForKey()) throw error;
    }
    return (await this.#fetched()).verify(token, { now });
  }

  /** Starts to fetch keys that are too old. Nobody waits: until there are new ones, the last ones count. */
  refresh() {
    if (this.#keys === undefined || !this.#isPast(this.#fetchedAt, MAX_AGE) || this.#isResting()) return;
    this.#fetched().catch(() => {});
  }

  /**
   * Whether a time passed since an instant; a clock that went back counts as passed.
   * @param {number} since
   * @param {number} seconds
   */
  #isPast(since, seconds) {
    const passed = this.#clock() - since;
    return passed >= seconds || passed < 0;
  }

  #isResting() {
    return this.#fetching === undefined && !this.#isPast(this.#failedAt, RETRY_DELAY);
  }

  /** Whether a token with an unknown key may cause a fetch, or wait for one. */
  #mayFetchForKey() {
    if (this.#fetching !== undefined || this.#isResting()) return true;
    if (this.#isPast(this.#refilledAt, INTERVAL)) {
      const more = Math.floor((this.#clock() - this.#refilledAt) / INTERVAL);
      this.#fetchesLeft = Math.min(BURST, this.#fetchesLeft + Math.max(1, more));
      this.#refilledAt = this.#clock();
    }
    if (this.#fetchesLeft < 1) return false;
    this.#fetchesLeft -= 1;
    return true;
  }

  /**
   * The keys of the fetch that is under way, or of a new one. A failed one is not repeated at once.
   * @returns {Promise<Verifier>}
   */
  #fetched() {
    if (this.#isResting()) return Promise.reject(new this.#Unavailable('fetching the keys of the identity provider failed a moment ago'));
    this.#fetching ??= this.#replaceKeys().finally(() => { this.#fetching = undefined; });
    return this.#fetching;
  }

  async #replaceKeys() {
    const startedAt = this.#clock();
    try {
      const text = await this.#read();
      const isSame = text === this.#text;
      const keys = (isSame ? this.#keys : undefined) ?? await this.#verifierOf(text);
      if (!isSame && this.#text !== undefined) this.version += 1;
      this.#keys = keys;
      this.#text = text;
      this.#fetchedAt = startedAt;
      this.#failedAt = -Infinity;
      return keys;
    } catch (cause) {
      this.#failedAt = this.#clock();
      throw new this.#Unavailable('the keys of the identity provider cannot be fetched', { cause });
    }
  }

  /** The text of the key set, within the time and the size, whatever `fetch` does. */
  #read() {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT);
    /** @type {Promise<never>} */
    const late = new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); });
    return Promise.race([this.#download(signal), late]);
  }

  /** @param {AbortSignal} signal */
  async #download(signal) {
    const headers = own({ accept: 'application/json' });
    const fetch = this.#fetch;
    // Not `error`, which Workers do not know; a redirect that is not followed is not `ok`.
    const response = await fetch(this.#url, own({ headers, signal, redirect: /** @type {const} */ ('manual') }));
    if (!response.ok || response.body === null) throw new Error(`the status is ${response.status}`);
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > MAX_BYTES) {
        await reader.cancel();
        throw new Error(`the key set has more than ${MAX_BYTES} bytes`);
      }
      text += decoder.decode(value, own({ stream: true }));
    }
  }
}

/**
 * The address of a key set, checked at the start of the program instead of at the first token.
 * @param {string} url
 */
function addressOf(url) {
  if (typeof url !== 'string') throw new EngineError('wrong_type', `\`url\` must be the address of the keys, a string, but is of type ${typeof url}`);
  let address;
  try {
    address = new URL(url);
  } catch {
    throw new EngineError('unknown_value', '`url` is not an address; write the `jwks_uri` of the identity provider');
  }
  const { protocol, hostname } = address;
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return url;
  throw new EngineError('unknown_value', '`url` must begin with `https:`, or with `http:` for a loopback address; otherwise, others could replace the keys');
}
