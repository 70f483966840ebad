import { Identity as BaseIdentity, Policy as Base } from './index.js';
import type {
  Circumstances, UnverifiedClaims, CollisionReport, Diff, Finding, HypotheticalChange, IdentityComparison, IfImported, ImportedDocument, LeastGrant, LoadOptions, Names,
  NestedGroupBehavior, Permissions, PolicyDocument, Principal, Query, RequestQuery, Revocation, UnverifiedToken, WasmSource,
  WhatIf, WhoCan,
} from './index.js';
export { acls, EngineError, init, Resource } from './index.js';
export type * from './index.js';

/** An identity that also lists its permissions. */
export class Identity extends BaseIdentity {
  protected constructor();
  /**
   * Everything that the identity is allowed to do until it expires, with `expired: true` once it has expired. `now` replaces
   * the clock, and `ignoreExpiry` ignores the expiry.
   *
   * @example
   * alice.permissions().grants;
   */
  permissions(options?: Omit<Circumstances, 'host'>): Permissions;
  /**
   * The smallest grant that allows a denied request. Throws `check_invalid`, and `request_has_choice` for an API request that any one
   * of several permissions allows.
   *
   * @example
   * alice.leastGrant({ operation: 'write', resource_type: 'topic', resource_name: 'orders' }).memberships_to_add;
   */
  leastGrant(question: Query | RequestQuery | string): LeastGrant;
  /**
   * The smallest change that denies an allowed request. Throws `check_invalid` or `request_unsupported`.
   *
   * @example
   * alice.revoke({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).smallest_changes;
   */
  revoke(question: Query | string): Revocation;
}

/** A policy with questions about the whole policy (docs/analysis.md); otherwise as in `gbac-engine`. */
export class Policy extends Base {
  protected constructor();
  /** As in `gbac-engine`. */
  static load<const Document extends ImportedDocument>(document: Document & IfImported<Document>, options?: LoadOptions): Promise<Policy>;
  static load(document: PolicyDocument | string, options?: LoadOptions): Promise<Policy>;
  /** As in `gbac-engine`. */
  open(who: Names | UnverifiedClaims | string): Identity;
  /** As in `gbac-engine`. */
  openUnverified(token: string, options?: { userinfo?: Record<string, unknown> }): Identity;
  /**
   * Who can perform an operation on a resource. Throws `check_invalid` or `request_unsupported`.
   *
   * @example
   * policy.whoCan({ operation: 'write', resource_type: 'topic', resource_name: 'orders' }).entries;
   */
  whoCan(question: Query | string): WhoCan;
  /**
   * The effective permissions of a user, with `expired: true` once the claims have expired, or of a principal. Throws the codes
   * of principals and of claims.
   *
   * @example
   * policy.permissions('Group:engineering').grants;
   */
  permissions(who: Principal): Permissions;
  permissions(who: Names | UnverifiedClaims, options?: Omit<Circumstances, 'host'>): Permissions;
  /**
   * The smallest grant that allows a denied request of a user. Throws like `identity.leastGrant` and `policy.open`.
   *
   * @example
   * policy.leastGrant({ user: 'alice' }, { operation: 'write', resource_type: 'topic', resource_name: 'orders' }).acls_to_add;
   */
  leastGrant(who: Names | UnverifiedClaims, question: Query | RequestQuery | string): LeastGrant;
  /**
   * The smallest change that denies an allowed request of a user. Throws like `identity.revoke` and `policy.open`.
   *
   * @example
   * policy.revoke({ user: 'alice' }, { operation: 'read', resource_type: 'topic', resource_name: 'orders' }).memberships_to_leave;
   */
  revoke(who: Names | UnverifiedClaims, question: Query | string): Revocation;
  /**
   * Compares two users: their groups, ACLs and effective access. With a request, also its decisions
   * for both. Accepts identities of this policy. Throws `other_module` for one of another entry point, and like
   * `policy.open` and `policy.check`.
   *
   * @example
   * policy.compare({ user: 'alice', groups: ['eng'] }, { user: 'bob' }).loses;
   */
  compare(first: Names | UnverifiedClaims | Identity, second: Names | UnverifiedClaims | Identity, question?: Query | RequestQuery | string): IdentityComparison;
  /**
   * Different names that become the same group, among `names` (as in a token) and all groups of the policy, with
   * the access that each gains. Returns at most `limit` collisions, by default 100. Throws `wrong_type`, or the code of an unknown behavior.
   *
   * @example
   * policy.collisions({ names: alice.inspection.elements.map(({ raw }) => raw), nested: 'suffix' }).collisions;
   */
  collisions(options?: { names?: Iterable<string>; nested?: NestedGroupBehavior; limit?: number }): CollisionReport;
  /**
   * How changes would affect a user's access; the policy stays unchanged. With a request, also its decisions before and after. Throws
   * `change_invalid`, and like `policy.open` and `policy.check`.
   *
   * @example
   * policy.whatIf({ user: 'alice' }, [{ change: 'add_to_group', group: 'eng' }]).gains;
   */
  whatIf(
    who: Names | UnverifiedClaims | { identity: Names } | UnverifiedToken | string, changes: readonly HypotheticalChange[] | string,
    question?: Query | RequestQuery | string,
  ): WhatIf;
  /**
   * The decisions that differ in a new policy, and for whom.
   *
   * @example
   * before.diff(after).relation;
   */
  diff(later: Policy): Diff;
  /**
   * Finds rules that probably don't do what you intended. Only {@link lintDocument} finds duplicates.
   *
   * @example
   * policy.lint().filter((finding) => finding.severity === 'error');
   */
  lint(): Finding[];
}

/**
 * Finds rules of a policy document that probably don't do what you intended, and duplicates. Throws `policy_invalid`.
 *
 * @example
 * await lintDocument(await readFile('policy.json', 'utf8'));
 */
export function lintDocument<const Document extends ImportedDocument>(
  document: Document & IfImported<Document>, options?: { wasm?: WasmSource | Promise<WasmSource> },
): Promise<Finding[]>;
export function lintDocument(
  document: PolicyDocument | string, options?: { wasm?: WasmSource | Promise<WasmSource> },
): Promise<Finding[]>;
