// The engine with signature verification: tokens are verified before their claims are used.
import * as glue from '../../pkg/gbac_engine_verify.js';
import id from '../../pkg/gbac_engine_verify_id.js';
import { jsonText, optionsOf } from '../arguments.js';
import { EngineError, freed, FREED, has, noMore, wellFormed } from '../error.js';
import { Module } from '../module.js';
import { addHandle, notReactive } from '../plain.js';
import * as base from '../policy.js';

export { acls } from '../acls.js';
export { EngineError } from '../error.js';
export { Resource } from '../names.js';
export { Identity } from '../policy.js';

/** Opens verified claims, too. */
class VerifiedPolicy extends base.Policy {
  /** Opens an identity from verified claims, or like the entry without verification. */
  open(who, options, ...more) {
    if (!areVerified(who)) return super.open(who, options, ...more);
    noMore(more, 'open');
    const { userinfo, shared = false } = optionsOf(options, 'open', ['userinfo', 'shared']);
    if (typeof shared !== 'boolean') throw new EngineError('wrong_type', '`shared` must be `true` or `false`');
    const text = jsonText({ token: '', userinfo }, 'a user-info document');
    return base.policyCall(this, undefined, (_, instance) => {
      const claims = handleOf(who, instance);
      return base.openIdentity(this, (engine) => engine.openVerified(claims, text), shared);
    });
  }
}

/** Whether a verifier made these claims, and the engine's handle of them. */
let areVerified;
let handleOf;

/** A private key of the constructor: whoever could create claims would need no token. */
const MADE = Symbol('verified');

/** The claims of a token that passed every check. Only a verifier creates them. */
export class VerifiedClaims {
  #engine;
  #instance;

  static #access = (() => {
    areVerified = (claims) => has(claims, () => claims.#engine);
    addHandle(areVerified, 'other_module', 'open verified claims with `policy.open(claims)`, where the policy is from `gbac-engine/verify`');
    handleOf = (claims, instance) => {
      if (claims.#engine === FREED) throw freed();
      if (claims.#instance !== instance) {
        throw new EngineError('other_module', 'these claims were verified before the engine failed; verify the token again');
      }
      return claims.#engine;
    };
  })();

  constructor(key, engine, instance) {
    if (key !== MADE) throw new EngineError('not_verified', 'only `verify` of a verifier creates verified claims');
    this.#engine = engine;
    this.#instance = instance;
  }

  /** A copy of the claims; changing it has no effect on the engine. */
  get claims() {
    return this.#instance.take(() => this.#engine.members());
  }

  /** When the token expires, in seconds since 1970. */
  get expiresAt() {
    return this.claims.exp;
  }

  /** Frees its memory now. Without this call, the garbage collector does it. */
  free() {
    const engine = this.#engine;
    this.#engine = FREED;
    if (engine !== FREED) this.#instance.free(engine);
  }

  /** The error for a policy of another entry, which cannot use them. */
  toJSON() {
    throw new EngineError('other_module', 'open verified claims with `policy.open(claims)`, where the policy is from `gbac-engine/verify`');
  }
}

/** Checks tokens against keys, an issuer and an audience. */
class Verifier {
  #engine;
  #instance;
  #issuer;
  #audience;

  static #access = (() => {
    addHandle((value) => has(value, () => value.#engine), 'wrong_type', 'this is a verifier; pass the claims that its `verify` returns');
  })();

  constructor(instance, jwks, issuer, audience) {
    this.#instance = instance;
    this.#issuer = issuer;
    this.#audience = audience;
    this.#engine = instance.take(() => glue.KeySet.read(jwks));
  }

  /** Checks a token: form, signature, issuer, audience, times, type. */
  verify(token, options, ...more) {
    noMore(more, 'verify');
    const { now = base.clock() } = optionsOf(options, 'verify', ['now']);
    const instant = base.instantOf(this.#instance, now);
    const text = wellFormed(token, 'a token');
    const claims = this.#instance.take(() => this.#engine.verify(text, this.#issuer, this.#audience, instant));
    return new VerifiedClaims(MADE, claims, this.#instance);
  }

  /** Frees its memory now. Without this call, the garbage collector does it. */
  free() {
    const engine = this.#engine;
    this.#engine = FREED;
    if (engine !== FREED) this.#instance.free(engine);
  }
}

for (const Class of [VerifiedClaims, Verifier]) notReactive(Class);

if (Symbol.dispose) {
  for (const { prototype } of [VerifiedClaims, Verifier]) {
    Object.defineProperty(prototype, Symbol.dispose, { __proto__: null, value: prototype.free, configurable: true, writable: true });
  }
}

/** The value that a token must contain: a string, or `null` to skip the check. Omitting it does not skip the check. */
function expected(value, name) {
  if (value === null) return undefined;
  if (value === undefined) throw new EngineError('missing_member', `\`${name}\` is missing; pass \`null\` to skip its check`);
  return wellFormed(value, `\`${name}\``);
}

/** The entry for its wasm module: compiled, as text, or `undefined` if `init` must be given one. */
export function verify(code) {
  const module = new Module(glue, id, code);

  /** Loads the wasm module at the first call; `Policy.load` and `verifier` do so too. */
  async function init(wasm, ...more) {
    noMore(more, 'init');
    await module.load(wasm);
  }

  /** A policy that accepts verified claims, too. */
  class Policy extends VerifiedPolicy {
    /** Loads a policy document, an object or JSON text. */
    static load(document, options, ...more) {
      return base.loadPolicy(this, module, document, options, more);
    }
  }

  /** Creates a verifier from the keys of an identity provider. */
  async function verifier(jwks, options, ...more) {
    noMore(more, 'verifier');
    const { issuer, audience, wasm } = optionsOf(options, 'verifier', ['issuer', 'audience', 'wasm']);
    const expectedIssuer = expected(issuer, 'issuer');
    const expectedAudience = expected(audience, 'audience');
    const text = jsonText(jwks, 'a key set');
    return new Verifier(await module.load(wasm), text, expectedIssuer, expectedAudience);
  }

  return { init, Policy, verifier };
}
