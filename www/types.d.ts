// Arguments and results, as plain JSON values. Tests compare the unions with the engine's tables, and
// the members with actual results.

/** The type of a resource, with the values of the platform. `RESOURCE_TYPE_GROUP` is a Kafka consumer group. */
export type ResourceType =
  | 'RESOURCE_TYPE_TOPIC' | 'RESOURCE_TYPE_GROUP' | 'RESOURCE_TYPE_CLUSTER' | 'RESOURCE_TYPE_TRANSACTIONAL_ID'
  | 'RESOURCE_TYPE_REGISTRY' | 'RESOURCE_TYPE_SUBJECT';
/** The same in the short form of the command line. */
export type ResourceTypeName = 'topic' | 'group' | 'cluster' | 'transactional-id' | 'registry-global' | 'registry-subject';
/** An operation, with the values of the platform. */
export type Operation =
  | 'OPERATION_ALL' | 'OPERATION_READ' | 'OPERATION_WRITE' | 'OPERATION_CREATE' | 'OPERATION_DELETE' | 'OPERATION_ALTER'
  | 'OPERATION_DESCRIBE' | 'OPERATION_CLUSTER_ACTION' | 'OPERATION_DESCRIBE_CONFIGS' | 'OPERATION_ALTER_CONFIGS'
  | 'OPERATION_IDEMPOTENT_WRITE';
/** The same in the short form of the command line. */
export type OperationName =
  | 'all' | 'read' | 'write' | 'create' | 'delete' | 'alter' | 'describe' | 'clusteraction' | 'describeconfigs'
  | 'alterconfigs' | 'idempotentwrite';
/** How the resource name of an ACL matches; a literal `*` matches every name. */
export type PatternType = 'RESOURCE_PATTERN_TYPE_LITERAL' | 'RESOURCE_PATTERN_TYPE_PREFIXED';
/** Whether an ACL allows or denies. */
export type PermissionType = 'PERMISSION_TYPE_DENY' | 'PERMISSION_TYPE_ALLOW';
/** `User:<name>`, `Group:<name>` or `Role:<name>`; `User:*` is everyone. */
export type Principal = `User:${string}` | `Group:${string}` | `Role:${string}`;
/** The APIs with known requests. */
export type Api = 'kafka' | 'schema_registry' | 'http_proxy';
/** The outcome of a decision. */
export type Outcome = 'deny' | 'allow';
/** The reason of a decision. */
export type Reason = 'expired' | 'superuser' | 'deny_rule' | 'allow_rule' | 'no_match';
/** The source of the ACL that decided. */
export type Source = 'user_acl' | 'role_acl' | 'group_acl' | 'group_role_acl';

/** An ACL. */
export interface Acl {
  resource_type: ResourceType;
  /** The name or prefix; `*` with the literal pattern is every name. Optional for the cluster and the Schema Registry. */
  resource_name?: string;
  resource_pattern_type: PatternType;
  /** The principal; `RedpandaRole:<name>` is read as `Role:<name>`. */
  principal: Principal | `RedpandaRole:${string}`;
  /** `*`, or one IPv4 or IPv6 address. */
  host: string;
  operation: Operation;
  permission_type: PermissionType;
}

/** An ACL as the engine writes it. */
export type FullAcl = Required<Acl> & { principal: Principal };

/** How groups and users are read from tokens, and the superusers. Omitted members have their defaults. */
export interface Settings {
  /** A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; by default `$.groups`. */
  oidc_group_claim_path?: string;
  /** `none` (default): names are unchanged; `suffix`: only the text after the last `/` is used. */
  nested_group_behavior?: NestedGroupBehavior;
  /** The claim that names the user: `$.path[/regex/replacement/[L|U]]`; by default `$.sub`. */
  oidc_principal_mapping?: string;
  /** Bare user names, for whom everything is allowed. */
  superusers?: string[];
  /** The managed cloud's mapping, instead of the first two. */
  sso?: { mode: 'use_map'; attributes: Record<string, string> };
}

/** A role. Its permissions are the ACLs of `Role:<name>`. */
export interface Role {
  /** 1 to 128 characters without `,`, `=` and control characters. */
  name: string;
  members?: { principal: `User:${string}` | `Group:${string}` }[];
}

/** Everything that a decision needs, except the identity and the request. Any other member is refused. */
export interface PolicyDocument {
  version: 1;
  settings?: Settings;
  roles?: Role[];
  acls?: Acl[];
  /** For editors; ignored otherwise. */
  $schema?: string;
}

/** A policy document as the engine writes it: the settings that were stated, roles and ACLs in order. */
export interface ExportedDocument {
  version: 1;
  settings?: Settings;
  roles: { name: string; members: { principal: Principal }[] }[];
  acls: FullAcl[];
}

/** One change of a policy. */
export type Change =
  | { change: 'add_acl' | 'remove_acl'; acl: Acl }
  | { change: 'create_role' | 'delete_role' | 'delete_role_and_acls'; role: string }
  | { change: 'add_member' | 'remove_member'; role: string; principal: `User:${string}` | `Group:${string}` }
  | { change: 'settings'; settings: Settings };

/** A hypothetical change: of the policy, or of the groups of a user in the identity provider. */
export type Trial = Change | { change: 'join_group' | 'leave_group'; group: string };

/** Handling of path-style group names. */
export type NestedGroupBehavior = 'none' | 'suffix';

/** An identity by its bare names; `User:alice` and `Group:eng` are refused. */
export interface Names {
  user: string;
  /** An array of names; anything else is refused. If it is omitted, there are no groups. */
  groups?: readonly string[];
}
/** A user by unverified claims. */
export interface Claims {
  claims: Record<string, unknown>;
  /** The user-info document, if the settings require it. */
  userinfo?: Record<string, unknown>;
}
/** A user by a token that is not verified. */
export interface UnverifiedToken {
  /** A compact JWS. */
  unverified_token: string;
  userinfo?: Record<string, unknown>;
}

/** The options of a method that returns an outcome. Any other member is refused. */
export interface Circumstances {
  /** IP address of the client. Without it, ACLs limited to one host do not allow, but still deny. */
  host?: string;
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number;
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignoreExpiry?: boolean;
}
/** The same as members of a request. */
export interface QuestionCircumstances {
  /** See {@link Circumstances}. */
  host?: string;
  /** See {@link Circumstances}. */
  now?: number;
  /** `true` ignores the identity's expiry. Cannot be used with `now`. */
  ignore_expiry?: boolean;
}

/** One operation on one resource. */
export interface Access {
  operation: Operation | OperationName;
  resource_type: ResourceType | ResourceTypeName;
  /** Any text; optional for the cluster and the Schema Registry. */
  resource_name?: string;
}
/** An API request. */
export interface ApiRequest {
  api: Api;
  /** In any letter case, such as `OffsetCommit` or `GET /subjects/{subject}/versions`. */
  name: string;
  /** Names by kind; the cluster and the registry are implied. */
  resources?: Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>;
}
/** Returned unchanged with the result. */
export interface WithId {
  id?: unknown;
}
/** A request of a resolved identity. */
export type Question = Access & QuestionCircumstances & WithId;
/** An API request of a resolved identity. */
export type RequestQuestion = { request: ApiRequest } & QuestionCircumstances & WithId;
/** The user of a check. */
export type Who = { identity: Names } | Claims | UnverifiedToken;

/** A decision. Members that do not apply are absent. */
export interface Decision extends WithId {
  outcome: Outcome;
  reason: Reason;
  /** Absent if no ACL decided. */
  source?: Source;
  /** The group through which the ACL applies. */
  group?: string;
  /** The role through which the ACL applies. */
  role?: string;
  /** The ACL that decided. */
  acl?: FullAcl;
  /** The operation of the ACL that decided, if it differs from the requested one. */
  implied_by?: Operation;
  /** The result could differ if the host were known. */
  host_unknown?: true;
  /** Whether the identity came from a verified token. A decision with `false` is information only and must not grant access. */
  verified: boolean;
}

/** How the checks of a request combine: the index of one in `checks`, all of these, or any of these. */
export type Need = number | { all: Need[] } | { any: Need[] };
/** The result of an API request. */
export interface RequestAnswer extends WithId {
  outcome: Outcome;
  checks: { operation: Operation; resource_type: ResourceType; resource_name: string; decision: Decision }[];
  need: Need;
  verified: boolean;
}

/** A path from an identity to a principal. */
export interface Path {
  source: Source;
  group?: string;
  role?: string;
  principal: Principal;
}
/** An ACL that matches or nearly matches, and how each part of it compares. */
export interface Candidate {
  acl: FullAcl;
  /** The paths to its principal. */
  paths: Path[];
  principal: 'matches' | 'everyone' | 'letter_case' | 'leading_slash' | 'member_letter_case' | 'member_leading_slash';
  /** The principal of the identity, if that of the ACL is only a near miss. */
  own_principal?: Principal;
  /** The member of the role that is a near miss of `own_principal`. */
  member?: Principal;
  resource_type: boolean;
  name: 'literal' | 'prefixed' | 'all_names' | 'letter_case' | 'leading_slash' | 'no';
  operation: 'exact' | 'implied' | 'all' | 'deny_implies_nothing' | 'no';
  host: 'any' | 'exact' | 'unknown' | 'no';
  standing: 'decides' | 'agrees' | 'overridden' | 'not_reached' | 'near_miss' | 'no_match';
  /** The only part that does not match. */
  near_miss?: 'host' | 'principal_letter_case' | 'principal_leading_slash' | 'member_letter_case' | 'member_leading_slash' | 'name_letter_case' | 'name_leading_slash';
}
/** A decision with its explanation. */
export interface Explanation extends Decision {
  /** Every path from the identity to a principal, in order. */
  paths: Path[];
  candidates: Candidate[];
  /** Number of ACLs in the policy. */
  acls: number;
}

/** A warning; it never changes an extraction or a decision. */
export interface Warning {
  code: string;
  message: string;
  /** The location in the claims, such as `groups[1]`. */
  location?: string;
}
/** The user and groups of a token or of names. */
export interface Inspection {
  user: string;
  groups: { name: string; raw: string; location: string }[];
  /** Seconds since 1970. */
  expires_at?: number;
  verified: boolean;
  /** What was found at the claim path; absent for names. */
  claim?:
    | 'array' | 'comma_list' | 'union' | 'missing' | 'overage' | 'id_token' | 'wrong_type' | 'not_string' | 'too_many'
    | 'no_userinfo';
  /** Every element of the claim and its result. */
  elements: { location: string; raw: string; outcome: 'kept' | 'duplicate' | 'dropped'; group?: string; code?: string }[];
  warnings: Warning[];
}

/** A problem of a document. */
export interface Problem {
  /** The location: a JSON Pointer (RFC 6901) such as `/acls/3/host`; empty for the whole. */
  path: string;
  /** A stable code. */
  code: string;
  /** What is wrong and how to fix it. */
  message: string;
}

/** Names of resources, as in an ACL. */
export interface NamePattern {
  resource_name: string;
  resource_pattern_type: PatternType;
}
/** An ACL that matches, and the path to it. */
export interface Match {
  acl: FullAcl;
  group?: string;
  role?: string;
}
/** Who can perform an operation on a resource. */
export interface WhoCan {
  superusers: string[];
  /** Every principal with a matching ACL. */
  entries: {
    principal: Principal;
    /** `User:*` as everyone, and not as the user whose name is an asterisk. */
    everyone?: true;
    /** `User:*`, as the principal or among the members, is the user named `*`. */
    literal?: true;
    /** The members of a role. */
    members?: Principal[];
    outcome: Outcome;
    /** Present even if a deny blocks it. */
    granted_by?: Match;
    denied_by?: Match[];
    host_unknown?: true;
  }[];
  /** Users with one of these principals are denied, whatever else allows them. */
  blocked_for: Principal[];
}
/** Effective permissions: a request is allowed exactly if a grant covers it and none of its exceptions does. */
export interface Permissions {
  /** Everything is allowed, without any grant. */
  superuser: boolean;
  /** Present if the identity has expired, and everything is denied. */
  expired?: true;
  grants: (NamePattern & {
    resource_type: ResourceType;
    /** `OPERATION_ALL` alone is every operation. */
    operations: Operation[];
    host: string;
    except?: (NamePattern & { host: string })[];
  })[];
}
/** A region of access: operations on names from hosts. */
export type Extent = NamePattern & {
  resource_type: ResourceType;
  except?: NamePattern[];
  operations: Operation[];
  /** Absent for any host. */
  hosts?: { unknown: boolean; only?: string[]; all_but?: string[] };
};
/** Differences in access between two users, or of one before and after changes. */
export interface Comparison {
  /** Whether each is a superuser. */
  superusers: [boolean, boolean];
  /** Access of the second only. */
  gains: Extent[];
  /** Access of the first only. */
  loses: Extent[];
}
/** A comparison of two users. */
export interface People extends Comparison {
  groups_first: string[];
  groups_second: string[];
  groups_both: string[];
  /** ACLs that apply only to the first. */
  acls_first: FullAcl[];
  acls_second: FullAcl[];
  /** The decisions on the request, for the first and the second. */
  answers?: [Decision | RequestAnswer, Decision | RequestAnswer];
}
/** A user's access before and after hypothetical changes. */
export interface WhatIf extends Comparison {
  before: { user: string; groups: string[] };
  after: { user: string; groups: string[] };
  groups_gained: string[];
  groups_lost: string[];
  /** Changes without an effect, and why; `no_change` if the policy already is as requested. */
  idle?: { change: Trial; code: string; message: string }[];
  /** The decisions on the request, before and after. */
  answers?: [Decision | RequestAnswer, Decision | RequestAnswer];
}
/** The smallest change that denies an allowed request. */
export interface Revocation {
  decision: Decision;
  /** All of them have to be removed. */
  acls: FullAcl[];
  /** For each, all memberships or all ACLs have to be removed. */
  roles: { role: string; members: Principal[]; acls: FullAcl[] }[];
  /** The smallest set of removals; absent if the request is denied, or allowed to a superuser. */
  least?: Change[];
  /** Groups and roles that the user would have to leave if the policy stays unchanged; absent if that does not help. */
  leave?: Principal[];
  /** A single ACL that denies only this request. */
  deny?: FullAcl;
}
/** Different names that become the same group. */
export interface Collisions {
  collisions: {
    /** The bare name of this group. */
    group: string;
    merging: 'suffix' | 'comma';
    names: { name: string; in_token: boolean; known: boolean }[];
    /** The access that a user with only one of the names gains. */
    gains: { name: string; extents: Extent[] }[];
  }[];
  /** Number of collisions that are not listed. */
  more?: number;
}
/** A difference between two policies for a principal. */
export interface Difference {
  principal: Principal;
  everyone?: true;
  effect: 'gains' | 'loses' | 'gains_with_others' | 'loses_with_others' | 'still_blocked';
  /** Exactly the affected requests. */
  extents: Extent[];
  /** A check with different decisions. */
  counterexample?: {
    identity: { user: string; groups: string[] };
    host?: string;
    operation: Operation;
    resource_type: ResourceType;
    resource_name: string;
    before: Decision;
    after: Decision;
  };
  /** With `still_blocked`, the denies that block it. */
  blocked_by?: FullAcl[];
}
/** The differences between two policies, over all possible identities. */
export interface Diff {
  /** `settings_differ` if tokens are read differently, otherwise the same as `acl_relation`. */
  relation: 'equal' | 'wider' | 'narrower' | 'mixed' | 'settings_differ';
  /** The relation of only ACLs, roles and superusers. */
  acl_relation: 'equal' | 'wider' | 'narrower' | 'mixed';
  differences: Difference[];
  /** Differences for members of a role. */
  roles: Difference[];
  /** The names of the settings that differ. */
  settings: string[];
  /** The effect of changed settings on the groups that the policies name. */
  groups: GroupChange[];
  /** The users that the policies name, if `oidc_principal_mapping` differs. */
  users?: string[];
}
/** The effect of changed settings on a group that the policies name. */
export interface GroupChange {
  name: string;
  /** The name in the token, before `suffix`; absent if it is unknown. */
  raw?: string;
  /** The name is in the token that was given. */
  in_token?: true;
  effect: 'renamed' | 'dropped' | 'not_read' | 'added' | 'more_names' | 'fewer_names' | 'unknown' | 'unchanged';
  /** The group that the name produced before; null if it produced none, or if that is unknown. */
  before: string | null;
  /** The group that the name produces now; null if it produces none, or if that is unknown. */
  after: string | null;
  /** Other names that now produce the same group and did not before. */
  merges?: string[];
  /** The roles that a user with this name gains. */
  joins?: string[];
  /** The roles that a user with this name loses. */
  leaves?: string[];
  /** What a user with this name gains and loses. */
  effects?: { effect: Difference['effect']; extents: Extent[]; blocked_by?: FullAcl[] }[];
}
/** The smallest grant that allows a denied request. */
export interface LeastGrant {
  decisions: Decision[];
  /** Denies that have to be removed first. */
  denied_by?: Match[];
  /** The smallest sets of additional groups and roles. */
  sets: Principal[][];
  /** Whether all of the smallest sets are listed. */
  complete: boolean;
  /** The narrowest new ACLs. */
  acls: FullAcl[];
}
/** A rule that probably doesn't do what was intended. */
export interface Finding {
  code: string;
  severity: 'error' | 'warning' | 'notice';
  message: string;
  hint: string;
  /** The ACL of the finding, then those that cause it. */
  acls?: FullAcl[];
  principals?: Principal[];
  /** JSON Pointers into the document. */
  places?: string[];
}
