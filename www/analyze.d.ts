import { Identity as BaseIdentity, Policy as Base } from './index.js';
import type {
  Circumstances, Claims, CollisionReport, Diff, Finding, HypotheticalChange, IdentityComparison, LeastGrant, LoadOptions, Names,
  NestedGroupBehavior, Permissions, PolicyDocument, Principal, Query, RequestQuery, Revocation, UnverifiedToken, WasmSource,
  WhatIf, WhoCan,
} from './index.js';
export { EngineError, init, Resource } from './index.js';
export type * from './index.js';

/** An identity that can also be asked what it may do. */
export class Identity extends BaseIdentity {
  protected constructor();
  /**
   * Everything that the identity is allowed to do until it expires, with `expired: true` once it has expired. `now` replaces
   * the clock, and `ignoreExpiry` leaves the expiry out.
   *
   * @example
   * alice.permissions().grants;
   */
  permissions(options?: Omit<Circumstances, 'host'>): Permissions;
  /**
   * The least that would allow what a question asks. Throws `check_invalid`, and `request_has_choice` for a request for which one
   * of several permissions is enough.
   *
   * @example
   * alice.leastGrant({ operation: 'write', resource_type: 'topic', resource_name: 'orders' }).sets;
   */
  leastGrant(question: Query | RequestQuery | string): LeastGrant;
  /**
   * The least that has to go for what a question asks to be denied. Throws `check_invalid` or `request_not_taken`.
   *
   * @example
   * alice.revoke({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).least;
   */
  revoke(question: Query | string): Revocation;
}

/** A policy that can also be asked about as a whole (docs/analysis.md); the rest is as in `gbac-engine`. */
export class Policy extends Base {
  protected constructor();
  /** As in `gbac-engine`. */
  static load(document: PolicyDocument | string, options?: LoadOptions): Promise<Policy>;
  /** As in `gbac-engine`. */
  open(who: Names | Claims | string): Identity;
  /** As in `gbac-engine`. */
  openUnverified(token: string, options?: { userinfo?: Record<string, unknown> }): Identity;
  /**
   * Who may do one operation on one resource. Throws `check_invalid` or `request_not_taken`.
   *
   * @example
   * policy.whoCan({ operation: 'write', resource_type: 'topic', resource_name: 'orders' }).entries;
   */
  whoCan(question: Query | string): WhoCan;
  /**
   * Everything that somebody may do: a person, with `expired: true` once that person's claims have expired, or a principal by its name. Throws the codes of principals and of claims.
   *
   * @example
   * policy.permissions('Group:engineering').grants;
   */
  permissions(who: Principal): Permissions;
  permissions(who: Names | Claims, options?: Omit<Circumstances, 'host'>): Permissions;
  /**
   * The least that would allow somebody what a question asks. Throws as `identity.leastGrant` and `policy.open`.
   *
   * @example
   * policy.leastGrant({ user: 'alice' }, { operation: 'write', resource_type: 'topic', resource_name: 'orders' }).acls;
   */
  leastGrant(who: Names | Claims, question: Query | RequestQuery | string): LeastGrant;
  /**
   * The least that has to go for what a question asks to be denied to somebody. Throws as `identity.revoke` and `policy.open`.
   *
   * @example
   * policy.revoke({ user: 'alice' }, { operation: 'read', resource_type: 'topic', resource_name: 'orders' }).leave;
   */
  revoke(who: Names | Claims, question: Query | string): Revocation;
  /**
   * How two people differ: groups and ACLs of one alone, and all that one may and the other may not. With a question, its answers
   * for both. An open identity of this policy is compared as it is. Throws `other_module` for one of another entry, and as
   * `policy.open` and `policy.check`.
   *
   * @example
   * policy.compare({ user: 'alice', groups: ['eng'] }, { user: 'bob' }).loses;
   */
  compare(first: Names | Claims | Identity, second: Names | Claims | Identity, question?: Query | RequestQuery | string): IdentityComparison;
  /**
   * Names that become one group, by `suffix` or at a comma: of `names`, which are as a token has them, and of all known groups; with
   * what each extra person gains. At most `limit` of them, 100 unless told. Throws `wrong_type`, or the code of an unknown behavior.
   *
   * @example
   * policy.collisions({ names: alice.inspection.elements.map(({ raw }) => raw), nested: 'suffix' }).collisions;
   */
  collisions(options?: { names?: Iterable<string>; nested?: NestedGroupBehavior; limit?: number }): CollisionReport;
  /**
   * What changes would do to somebody: nothing is changed. With a question, its answers before and after. Throws `change_invalid`, and
   * as `policy.open` and `policy.check`.
   *
   * @example
   * policy.whatIf({ user: 'alice' }, [{ change: 'join_group', group: 'eng' }]).gains;
   */
  whatIf(
    who: Names | Claims | { identity: Names } | UnverifiedToken | string, changes: readonly HypotheticalChange[] | string,
    question?: Query | RequestQuery | string,
  ): WhatIf;
  /**
   * What a later policy decides differently, and for whom.
   *
   * @example
   * before.diff(after).relation;
   */
  diff(later: Policy): Diff;
  /**
   * What is odd in it. What a document holds twice is seen by {@link lintDocument} only.
   *
   * @example
   * policy.lint().filter((finding) => finding.severity === 'error');
   */
  lint(): Finding[];
}

/**
 * What is odd in a policy document, what it holds twice too. Throws `policy_invalid`.
 *
 * @example
 * await lintDocument(await readFile('policy.json', 'utf8'));
 */
export function lintDocument(
  document: PolicyDocument | string, options?: { wasm?: WasmSource | Promise<WasmSource> },
): Promise<Finding[]>;
