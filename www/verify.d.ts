import { Identity, Policy as Base } from './index.js';
import type { Claims, LoadOptions, Names, PolicyDocument, WasmSource } from './index.js';
export { EngineError, Identity, init, Resource } from './index.js';
export type * from './index.js';

/** A policy that takes verified claims, too; the rest is as in `gbac-engine`. */
export class Policy extends Base {
  protected constructor();
  /** As in `gbac-engine`. */
  static load(document: PolicyDocument | string, options?: LoadOptions): Promise<Policy>;
  /**
   * Opens an identity once: from verified claims, with the user-info document where the settings ask for it, or as in
   * `gbac-engine`. Throws `principal_missing` and the other codes of claims that name no user.
   *
   * @example
   * using alice = policy.open(keys.verify(token));
   */
  open(who: VerifiedClaims, options?: { userinfo?: Record<string, unknown> }): Identity;
  open(who: Names | Claims | string): Identity;
}

/** The claims of a token that passed every check. Only a {@link Verifier} makes them. */
export class VerifiedClaims {
  private constructor();
  /** The claims, to be read. */
  readonly claims: Record<string, unknown>;
  /** When the token ends, in seconds since 1970. */
  readonly expiresAt: number;
  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free(): void;
  [Symbol.dispose](): void;
}

/** Checks tokens against keys, an issuer and an audience. */
export interface Verifier {
  /**
   * Checks a token: form, signature, issuer, audience, times (with a clock skew of 30 seconds), type. `now` is in seconds since
   * 1970, not in milliseconds; the default is the current time. Throws the code of the first check that failed, such as
   * `token_expired` or `kid_unknown`.
   *
   * @example
   * const claims = keys.verify(token);
   */
  verify(token: string, options?: { now?: number }): VerifiedClaims;
  /** Gives its memory back at once; otherwise that happens when it is collected. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * Makes a verifier of a JWKS (RFC 7517), an object or JSON text. `null` leaves the issuer or the audience unchecked. Throws
 * `missing_member`, `key_set_invalid`, `no_usable_key` and the other codes of keys.
 *
 * @example
 * const keys = await verifier(jwks, { issuer: 'https://idp.example.com', audience: 'streaming' });
 */
export function verifier(
  jwks: object | string,
  options: { issuer: string | null; audience: string | null; wasm?: WasmSource | Promise<WasmSource> },
): Promise<Verifier>;
