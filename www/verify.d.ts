/// <reference lib="esnext.disposable" />
import { Identity, Policy as Base } from './index.js';
import type { UnverifiedClaims, IfImported, ImportedDocument, LoadOptions, Names, PolicyDocument, WasmSource } from './index.js';
export { acls, EngineError, Identity, init, Resource } from './index.js';
export type * from './index.js';

/** A policy that also accepts verified claims; otherwise as in `gbac-engine`. */
export class Policy extends Base {
  protected constructor();
  /** As in `gbac-engine`. */
  static load<const Document extends ImportedDocument>(document: Document & IfImported<Document>, options?: LoadOptions): Promise<Policy>;
  static load(document: PolicyDocument | string, options?: LoadOptions): Promise<Policy>;
  /**
   * Resolves an identity: from verified claims, with the user-info document if the settings require it, or as in
   * `gbac-engine`. A `shared` identity is for several users: nothing can be assigned to it, and `free` does nothing. Throws
   * `principal_missing` and the other codes of claims without a user.
   *
   * @example
   * using alice = policy.open(keys.verify(token));
   */
  open(who: VerifiedClaims, options?: { userinfo?: Record<string, unknown>; shared?: boolean }): Identity;
  open(who: Names | UnverifiedClaims | string): Identity;
}

/** The claims of a token that passed every check. Only a {@link Verifier} creates them. */
export class VerifiedClaims {
  private constructor();
  /** The claims. */
  readonly claims: Record<string, unknown>;
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt: number;
  /** Frees its memory immediately; otherwise the garbage collector does. */
  free(): void;
  [Symbol.dispose](): void;
}

/** Verifies tokens with keys, an issuer and an audience. */
export interface Verifier {
  /**
   * Verifies a token: form, signature, issuer, audience, times (with a clock skew of 30 seconds), type. `now` is in seconds since
   * 1970, not in milliseconds; the default is the current time. Throws the code of the first check that failed, such as
   * `token_expired` or `kid_unknown`.
   *
   * @example
   * const claims = keys.verify(token);
   */
  verify(token: string, options?: { now?: number }): VerifiedClaims;
  /** Frees its memory immediately; otherwise the garbage collector does. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * Creates a verifier from a JWKS (RFC 7517), an object or JSON text. With `null`, the issuer or the audience is not checked. Throws
 * `missing_member`, `key_set_invalid`, `no_usable_key` and the other codes of keys.
 *
 * @example
 * const keys = await verifier(jwks, { issuer: 'https://idp.example.com', audience: 'streaming' });
 */
export function verifier(
  jwks: object | string,
  options: { issuer: string | null; audience: string | null; wasm?: WasmSource | Promise<WasmSource> },
): Promise<Verifier>;
