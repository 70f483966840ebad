// What goes in and comes out, as plain JSON values. Tests hold it against the engine: its unions against the engine's tables,
// its members against real answers.

/** What a resource is, in the platform's own values. `RESOURCE_TYPE_GROUP` is a consumer group. */
export type ResourceType =
  | 'RESOURCE_TYPE_TOPIC' | 'RESOURCE_TYPE_GROUP' | 'RESOURCE_TYPE_CLUSTER' | 'RESOURCE_TYPE_TRANSACTIONAL_ID'
  | 'RESOURCE_TYPE_REGISTRY' | 'RESOURCE_TYPE_SUBJECT';
/** The same in the short form of the command line. */
export type ResourceTypeName = 'topic' | 'group' | 'cluster' | 'transactional-id' | 'registry-global' | 'registry-subject';
/** What somebody wants to do, in the platform's own values. */
export type Operation =
  | 'OPERATION_ALL' | 'OPERATION_READ' | 'OPERATION_WRITE' | 'OPERATION_CREATE' | 'OPERATION_DELETE' | 'OPERATION_ALTER'
  | 'OPERATION_DESCRIBE' | 'OPERATION_CLUSTER_ACTION' | 'OPERATION_DESCRIBE_CONFIGS' | 'OPERATION_ALTER_CONFIGS'
  | 'OPERATION_IDEMPOTENT_WRITE';
/** The same in the short form of the command line. */
export type OperationName =
  | 'all' | 'read' | 'write' | 'create' | 'delete' | 'alter' | 'describe' | 'clusteraction' | 'describeconfigs'
  | 'alterconfigs' | 'idempotentwrite';
/** How the name of an ACL's resource is compared; the literal `*` is every name. */
export type PatternType = 'RESOURCE_PATTERN_TYPE_LITERAL' | 'RESOURCE_PATTERN_TYPE_PREFIXED';
/** What an ACL says. */
export type PermissionType = 'PERMISSION_TYPE_DENY' | 'PERMISSION_TYPE_ALLOW';
/** `User:<name>`, `Group:<name>` or `Role:<name>`; `User:*` is everyone. */
export type Principal = `User:${string}` | `Group:${string}` | `Role:${string}`;
/** The APIs whose requests are known. */
export type Api = 'kafka' | 'schema_registry' | 'http_proxy';
/** What a decision comes to. */
export type Outcome = 'deny' | 'allow';
/** Why. */
export type Reason = 'expired' | 'superuser' | 'deny_rule' | 'allow_rule' | 'no_match';
/** Through which of the four sources the deciding ACL was found. */
export type Source = 'user_acl' | 'role_acl' | 'group_acl' | 'group_role_acl';

/** An ACL, its seven members. */
export interface Acl {
  resource_type: ResourceType;
  /** The name or prefix; `*` with the literal pattern is every name. The cluster and the Schema Registry may go without. */
  resource_name?: string;
  resource_pattern_type: PatternType;
  /** Of whom; `RedpandaRole:<name>` is read as `Role:<name>`. */
  principal: Principal | `RedpandaRole:${string}`;
  /** `*`, or one IPv4 or IPv6 address. */
  host: string;
  operation: Operation;
  permission_type: PermissionType;
}

/** An ACL as the engine writes it. */
export type FullAcl = Required<Acl> & { principal: Principal };

/** Where groups and users come from, and who is a superuser. What is left out has its default. */
export interface Settings {
  /** A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; `$.groups` unless it is given. */
  oidc_group_claim_path?: string;
  /** `none`, the default: names as they are; `suffix`: what follows the last `/`. */
  nested_group_behavior?: NestedGroupBehavior;
  /** The claim that names the user: `$.path[/regex/replacement/[L|U]]`; `$.sub` unless it is given. */
  oidc_principal_mapping?: string;
  /** Bare user names, for whom everything is allowed. */
  superusers?: string[];
  /** The managed cloud's mapping, in place of the first two. */
  sso?: { mode: 'use_map'; attributes: Record<string, string> };
}

/** A role: what it permits are the ACLs of `Role:<name>`. */
export interface Role {
  /** 1 to 128 characters without `,`, `=` and control characters. */
  name: string;
  members?: { principal: `User:${string}` | `Group:${string}` }[];
}

/** Everything that a decision needs besides the identity and the request. Any other member is refused. */
export interface PolicyDocument {
  version: 1;
  settings?: Settings;
  roles?: Role[];
  acls?: Acl[];
  /** For editors; nothing reads it. */
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

/** A change that is tried: of the policy, or of what the identity provider says of the person. */
export type Trial = Change | { change: 'join_group' | 'leave_group'; group: string };

/** What becomes of path-style names. */
export type NestedGroupBehavior = 'none' | 'suffix';

/** An identity by its bare names; `User:alice` and `Group:eng` are refused. */
export interface Names {
  user: string;
  /** An array of names; anything else is refused. If it is omitted, there are no groups. */
  groups?: readonly string[];
}
/** Who asks, as the claims of a token say it; nobody has checked them. */
export interface Claims {
  claims: Record<string, unknown>;
  /** The user-info document, where the settings ask for it. */
  userinfo?: Record<string, unknown>;
}
/** Who asks, as a token says it whose signature nobody looks at. */
export interface UnverifiedToken {
  /** A compact JWS. */
  unverified_token: string;
  userinfo?: Record<string, unknown>;
}

/** The options of a method that returns an outcome. Any other member is refused. */
export interface Circumstances {
  /** The client's address. Without it an allow for one host does not count, and a deny for one host does. */
  host?: string;
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number;
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignoreExpiry?: boolean;
}
/** The same as members of a question. */
export interface QuestionCircumstances {
  /** As in {@link Circumstances}. */
  host?: string;
  /** As in {@link Circumstances}. */
  now?: number;
  /** `true` ignores the identity's expiry. Cannot be used with `now`. */
  ignore_expiry?: boolean;
}

/** One operation on one resource. */
export interface Access {
  operation: Operation | OperationName;
  resource_type: ResourceType | ResourceTypeName;
  /** Any text; the cluster and the Schema Registry may go without. */
  resource_name?: string;
}
/** A whole request of an API. */
export interface ApiRequest {
  api: Api;
  /** In any letter case, such as `OffsetCommit` or `GET /subjects/{subject}/versions`. */
  name: string;
  /** Names by kind; the cluster and the registry are implied. */
  resources?: Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>;
}
/** Comes back with the answer, unchanged. */
export interface WithId {
  id?: unknown;
}
/** What is asked of an identity that is open. */
export type Question = Access & QuestionCircumstances & WithId;
/** The same about a whole request. */
export type RequestQuestion = { request: ApiRequest } & QuestionCircumstances & WithId;
/** Who asks, in a check. */
export type Who = { identity: Names } | Claims | UnverifiedToken;

/** A decision. Members that do not apply are absent. */
export interface Decision extends WithId {
  outcome: Outcome;
  reason: Reason;
  /** Absent where no ACL decided. */
  source?: Source;
  /** The group on the way to the ACL. */
  group?: string;
  /** The role on the way to the ACL. */
  role?: string;
  /** The deciding ACL. */
  acl?: FullAcl;
  /** The deciding ACL's operation, where it is not the one that was asked for. */
  implied_by?: Operation;
  /** The answer could be another one, were the host known. */
  host_unknown?: true;
  /** Whether the identity came from a verified token. A decision with `false` is information and must not open anything. */
  verified: boolean;
}

/** How the checks of a request combine: the place of one in `checks`, all of these, or any of these. */
export type Need = number | { all: Need[] } | { any: Need[] };
/** The answer to a whole request. */
export interface RequestAnswer extends WithId {
  outcome: Outcome;
  checks: { operation: Operation; resource_type: ResourceType; resource_name: string; decision: Decision }[];
  need: Need;
  verified: boolean;
}

/** A way from an identity to a principal. */
export interface Path {
  source: Source;
  group?: string;
  role?: string;
  principal: Principal;
}
/** An ACL that decides, or nearly did, and how each part of it compares. */
export interface Candidate {
  acl: FullAcl;
  /** The ways to its principal. */
  paths: Path[];
  principal: 'matches' | 'everyone' | 'letter_case' | 'leading_slash' | 'member_letter_case' | 'member_leading_slash';
  /** The identity's own principal, where the ACL's is only near it. */
  own_principal?: Principal;
  /** The member of the role that is a near miss of `own_principal`. */
  member?: Principal;
  resource_type: boolean;
  name: 'literal' | 'prefixed' | 'all_names' | 'letter_case' | 'leading_slash' | 'no';
  operation: 'exact' | 'implied' | 'all' | 'deny_implies_nothing' | 'no';
  host: 'any' | 'exact' | 'unknown' | 'no';
  standing: 'decides' | 'agrees' | 'overridden' | 'not_reached' | 'near_miss' | 'no_match';
  /** What alone is in the way. */
  near_miss?: 'host' | 'principal_letter_case' | 'principal_leading_slash' | 'member_letter_case' | 'member_leading_slash' | 'name_letter_case' | 'name_leading_slash';
}
/** A decision with all that led to it. */
export interface Explanation extends Decision {
  /** Every way from the identity to a principal, in order. */
  paths: Path[];
  candidates: Candidate[];
  /** How many ACLs the policy holds. */
  acls: number;
}

/** Something to know; it never changes what was extracted or decided. */
export interface Warning {
  code: string;
  message: string;
  /** Where in the claims, such as `groups[1]`. */
  location?: string;
}
/** What came out of a token, or of names. */
export interface Inspection {
  user: string;
  groups: { name: string; raw: string; location: string }[];
  /** Seconds since 1970. */
  expires_at?: number;
  verified: boolean;
  /** What was found where the groups should be; absent for names. */
  claim?:
    | 'array' | 'comma_list' | 'union' | 'missing' | 'overage' | 'id_token' | 'wrong_type' | 'not_string' | 'too_many'
    | 'no_userinfo';
  /** Every element of the claim and what became of it. */
  elements: { location: string; raw: string; outcome: 'kept' | 'duplicate' | 'dropped'; group?: string; code?: string }[];
  warnings: Warning[];
}

/** One thing that is wrong with a document. */
export interface Problem {
  /** Where: a JSON Pointer (RFC 6901) such as `/acls/3/host`; empty for the whole. */
  path: string;
  /** A stable name of the fault. */
  code: string;
  /** What was found and what to do. */
  message: string;
}

/** Names of resources, as in an ACL. */
export interface NamePattern {
  resource_name: string;
  resource_pattern_type: PatternType;
}
/** An ACL that matches, and the way to it. */
export interface Match {
  acl: FullAcl;
  group?: string;
  role?: string;
}
/** Who may do one thing. */
export interface WhoCan {
  superusers: string[];
  /** Every holder that an ACL on this concerns. */
  entries: {
    principal: Principal;
    /** `User:*` as everyone, and not as the user whose name is an asterisk. */
    everyone?: true;
    /** `User:*`, as the principal or among the members, is the user named `*`. */
    literal?: true;
    /** Of a role. */
    members?: Principal[];
    outcome: Outcome;
    /** There also where a deny blocks it. */
    granted_by?: Match;
    denied_by?: Match[];
    host_unknown?: true;
  }[];
  /** Whoever holds one of these is denied, whatever else they hold. */
  blocked_for: Principal[];
}
/** What somebody may do: a request is allowed exactly when a grant covers it and none of its exceptions does. */
export interface Permissions {
  /** Everything is allowed, without any grant. */
  superuser: boolean;
  /** Only where the identity has expired: it may do none of this any more. */
  expired?: true;
  grants: (NamePattern & {
    resource_type: ResourceType;
    /** `OPERATION_ALL` alone is every operation. */
    operations: Operation[];
    host: string;
    except?: (NamePattern & { host: string })[];
  })[];
}
/** Requests: operations on names from hosts. */
export type Extent = NamePattern & {
  resource_type: ResourceType;
  except?: NamePattern[];
  operations: Operation[];
  /** Absent when from anywhere. */
  hosts?: { unknown: boolean; only?: string[]; all_but?: string[] };
};
/** What one may and the other may not: two people, or one before and after. */
export interface Comparison {
  /** Whether each is a superuser, who may do everything. */
  superusers: [boolean, boolean];
  /** What the second may and the first may not. */
  gains: Extent[];
  /** What the first may and the second may not. */
  loses: Extent[];
}
/** Two people side by side. */
export interface People extends Comparison {
  groups_first: string[];
  groups_second: string[];
  groups_both: string[];
  /** ACLs that reach the first alone. */
  acls_first: FullAcl[];
  acls_second: FullAcl[];
  /** To what was asked, of the first and the second. */
  answers?: [Decision | RequestAnswer, Decision | RequestAnswer];
}
/** One person before and after changes that are tried. */
export interface WhatIf extends Comparison {
  before: { user: string; groups: string[] };
  after: { user: string; groups: string[] };
  groups_gained: string[];
  groups_lost: string[];
  /** Changes that do nothing, and why; `no_change` if the policy already is as requested. */
  idle?: { change: Trial; code: string; message: string }[];
  /** To what was asked, before and after. */
  answers?: [Decision | RequestAnswer, Decision | RequestAnswer];
}
/** What has to go for what is allowed to be denied. */
export interface Revocation {
  decision: Decision;
  /** All of them have to go. */
  acls: FullAcl[];
  /** Of each, all memberships or all ACLs have to go. */
  roles: { role: string; members: Principal[]; acls: FullAcl[] }[];
  /** The least rows that have to go; absent where it is denied, or allowed to a superuser. */
  least?: Change[];
  /** Groups and roles that the person has to leave where the policy stays; absent where leaving does not help. */
  leave?: Principal[];
  /** One ACL that denies it and nothing else. */
  deny?: FullAcl;
}
/** Names that become one group. */
export interface Collisions {
  collisions: {
    /** The group that they become, its bare name. */
    group: string;
    merging: 'suffix' | 'comma';
    names: { name: string; in_token: boolean; known: boolean }[];
    /** What somebody in one of the names only gains by it. */
    gains: { name: string; extents: Extent[] }[];
  }[];
  /** How many more there are. */
  more?: number;
}
/** A difference between two policies for one holder. */
export interface Difference {
  principal: Principal;
  everyone?: true;
  effect: 'gains' | 'loses' | 'gains_with_others' | 'loses_with_others' | 'still_blocked';
  /** Exactly the requests that the effect is on. */
  extents: Extent[];
  /** A check that is decided differently. */
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
/** What two policies decide differently, over every identity that there can be. */
export interface Diff {
  /** `settings_differ` if tokens are read differently, otherwise the same as `acl_relation`. */
  relation: 'equal' | 'wider' | 'narrower' | 'mixed' | 'settings_differ';
  /** The relation of ACLs, roles and superusers alone. */
  acl_relation: 'equal' | 'wider' | 'narrower' | 'mixed';
  differences: Difference[];
  /** For whoever is given a role. */
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
/** What would allow what is denied. */
export interface LeastGrant {
  decisions: Decision[];
  /** Denies because of which no grant helps. */
  denied_by?: Match[];
  /** The smallest sets of groups and roles. */
  sets: Principal[][];
  /** Whether these are all, and there is no smaller one. */
  complete: boolean;
  /** The narrowest new ACLs. */
  acls: FullAcl[];
}
/** Something odd in a policy. */
export interface Finding {
  code: string;
  severity: 'error' | 'warning' | 'notice';
  message: string;
  hint: string;
  /** The ACL that it is about, then those that make it so. */
  acls?: FullAcl[];
  principals?: Principal[];
  /** JSON Pointers into the document. */
  places?: string[];
}
