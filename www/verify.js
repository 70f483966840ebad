// The engine with signature checks: tokens are verified before anything is read from them.
import * as glue from './pkg/gbac_engine_verify.js';
import { EngineError, FREED, freed, jsonText, reading, wellFormed } from './lib/error.js';
import { Module } from './lib/module.js';
import * as base from './lib/policy.js';

const module = new Module(glue, () => new URL('./pkg/gbac_engine_verify_bg.wasm', import.meta.url));

export { EngineError } from './lib/error.js';
export { Resource } from './lib/names.js';
export { Identity } from './lib/policy.js';

/** Loads the wasm module, the first time; `Policy.load` and `verifier` do it as well. */
export const init = (wasm) => module.load(wasm);

/** A policy that takes verified claims, too. */
export class Policy extends base.Policy {
  /** Loads a policy document, an object or JSON text. */
  static load(document, options) {
    return base.loadPolicy(this, module, document, options);
  }

  /** Opens an identity once: from verified claims, or as without verification. */
  open(who, { userinfo } = {}) {
    const claims = handleOf(who);
    if (claims === undefined) return super.open(who);
    const text = jsonText({ token: '', userinfo }, 'a user-info document');
    return base.openIdentity(this, (engine) => engine.openVerified(claims, text));
  }
}

/** The engine's handle of verified claims; none of anything else. */
let handleOf;

/** What nobody else has: who could make one would need no token. */
const MADE = Symbol('verified');

/** The claims of a token that passed every check. Only a verifier makes them. */
export class VerifiedClaims {
  #engine;

  static {
    handleOf = (claims) => {
      if (typeof claims !== 'object' || claims === null || !(#engine in claims)) return undefined;
      if (claims.#engine === FREED) throw freed();
      return claims.#engine;
    };
  }

  constructor(key, engine) {
    if (key !== MADE) throw new EngineError('not_verified', 'only a verifier makes these');
    this.#engine = engine;
  }

  /** The claims, to be read; what is done to them does not reach the engine. */
  get claims() {
    return JSON.parse(this.#engine.text());
  }

  /** When the token ends, in seconds since 1970. */
  get expiresAt() {
    return this.claims.exp;
  }

  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free() {
    if (this.#engine !== FREED) this.#engine.free();
    this.#engine = FREED;
  }

  /** For a policy of another entry, which cannot take them. */
  toJSON() {
    throw new EngineError('other_module', 'verified claims are opened by a policy of `gbac-engine/verify`');
  }
}

/** Makes a verifier of the keys of an identity provider. */
export async function verifier(jwks, options = {}) {
  await module.load(options?.wasm);
  return new Verifier(jwks, options);
}

/** Checks tokens against keys, an issuer and an audience. */
class Verifier {
  #engine;
  #issuer;
  #audience;

  constructor(jwks, options) {
    [this.#issuer, this.#audience] = reading('the options of a verifier', () => [
      expected(options.issuer, 'issuer'),
      expected(options.audience, 'audience'),
    ]);
    const text = jsonText(jwks, 'a key set');
    this.#engine = module.call(() => glue.KeySet.read(text));
  }

  /** Checks a token: form, signature, issuer, audience, times, type. */
  verify(token, { now = Date.now() / 1000 } = {}) {
    if (typeof now !== 'number') throw new EngineError('wrong_type', '`now` is a number: seconds since 1970');
    const text = wellFormed(token, 'a token');
    return new VerifiedClaims(MADE, module.call(() => this.#engine.verify(text, this.#issuer, this.#audience, now)));
  }

  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free() {
    if (this.#engine !== FREED) this.#engine.free();
    this.#engine = FREED;
  }
}

if (Symbol.dispose) {
  for (const { prototype } of [VerifiedClaims, Verifier]) {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free, configurable: true, writable: true });
  }
}

/** What a token has to say: a text, or `null` where nobody looks. Leaving it out is no way to switch a check off. */
function expected(value, name) {
  if (value === null) return undefined;
  if (value === undefined) throw new EngineError('missing_member', `\`${name}\` is missing; \`null\` leaves it unchecked`);
  return wellFormed(value, `\`${name}\``);
}
