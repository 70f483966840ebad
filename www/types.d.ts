// Made from the Rust types of gbac-json by `cargo xtask types`. Do not edit.

/** One operation on one resource. */
export type Access = {
  /** The operation, in either form. */
  operation: Operation | OperationName,
  /** The resource's type, in either form. */
  resource_type: ResourceType | ResourceTypeName,
  /** Any text; the cluster and the Schema Registry need none. */
  resource_name?: string,
};

/** What a change does to the requests of a principal. */
export type AccessEffect = 'gains' | 'loses' | 'gains_with_others' | 'loses_with_others' | 'still_blocked';

/** A path from the identity to a principal. */
export type AccessPath = {
  /** The source that its ACLs count as. */
  source: Source,
  /** The group on the path. */
  group?: string,
  /** The role on the path. */
  role?: string,
  /** The principal at its end. */
  principal: Principal,
};

/** Requests: operations on names from hosts. */
export type AccessRegion = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** The names among them that do not belong to it. */
  except?: Array<NamePattern>,
  /** As in a grant. */
  operations: Array<Operation>,
  /** Absent when from anywhere. */
  hosts?: HostSet,
};

/** An ACL, its seven members. */
export type Acl = {
  /** What the resource is. */
  resource_type: ResourceType,
  /** The name or prefix; `*` with the literal pattern is every name. The cluster and the Schema Registry need none. */
  resource_name?: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** Whom it is for; `RedpandaRole:<name>` is read as `Role:<name>`. */
  principal: Principal | `RedpandaRole:${string}`,
  /** `*`, or one IPv4 or IPv6 address. */
  host: string,
  /** What it is about. */
  operation: Operation,
  /** Whether it allows or denies. */
  permission_type: PermissionType,
};

/** An ACL that matches, and the path to it. */
export type AclMatch = {
  /** The ACL. */
  acl: FullAcl,
  /** The group on the path. */
  group?: string,
  /** The role on the path. */
  role?: string,
};

/** The answer to a check: a decision, or the decisions of a whole request. */
export type Answer = Decision | RequestAnswer;

/** The APIs whose requests are known. */
export type Api = 'kafka' | 'schema_registry' | 'http_proxy';

/** A whole request of an API. */
export type ApiRequest = {
  /** The API. */
  api: Api,
  /** In any letter case, such as `OffsetCommit` or `GET /subjects/{subject}/versions`. */
  name: string,
  /** Names by kind; the cluster and the registry are implied. */
  resources?: Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>,
};

/** A candidate ACL and how it compares. */
export type Candidate = {
  /** The ACL. */
  acl: FullAcl,
  /** The paths to its principal. */
  paths: Array<AccessPath>,
  /** `matches`, `everyone`, `letter_case`, `leading_slash`, `member_letter_case` or `member_leading_slash`. */
  principal: PrincipalFacet,
  /** The identity's own principal, where the ACL's is only near it. */
  own_principal?: Principal,
  /** The member of the role that is a near miss of the identity's own principal. */
  member?: Principal,
  /** Whether the resource type matches. */
  resource_type: boolean,
  /** `literal`, `prefixed`, `all_names`, `letter_case`, `leading_slash` or `no`. */
  name: NameFacet,
  /** `exact`, `implied`, `all`, `deny_implies_nothing` or `no`. */
  operation: OperationFacet,
  /** `any`, `exact`, `unknown` or `no`. */
  host: HostFacet,
  /** `decides`, `agrees`, `overridden`, `not_reached`, `near_miss` or `no_match`. */
  standing: CandidateStatus,
  /** The one field in which a near miss does not match. */
  near_miss?: NearMiss,
};

/** What became of a candidate ACL. */
export type CandidateStatus = 'decides' | 'agrees' | 'overridden' | 'not_reached' | 'near_miss' | 'no_match';

/** A change of a policy, as it is written and read. */
export type Change = {
  "change": "add_acl",
  /** The ACL. */
  acl: Acl,
} | {
  "change": "remove_acl",
  /** The ACL. */
  acl: Acl,
} | {
  "change": "create_role",
  /** Its bare name. */
  role: string,
} | {
  "change": "delete_role",
  /** Its bare name. */
  role: string,
} | {
  "change": "delete_role_and_acls",
  /** Its bare name. */
  role: string,
} | {
  "change": "add_member",
  /** The role's bare name. */
  role: string,
  /** The member. */
  principal: MemberPrincipal,
} | {
  "change": "remove_member",
  /** The role's bare name. */
  role: string,
  /** The member. */
  principal: MemberPrincipal,
} | {
  "change": "settings",
  /** The new settings. */
  settings: Settings,
};

/** An element of the claim and what became of it. */
export type ClaimElement = {
  /** Where it is. */
  location: string,
  /** As the token writes it. */
  raw: string,
  /** `kept`, `duplicate` or `dropped`. */
  outcome: ElementOutcome,
  /** The group that it is, or is a duplicate of. */
  group?: string,
  /** Why it was dropped. */
  code?: DropCode,
};

/** What was found where the groups should be. */
export type ClaimFinding = 'array' | 'comma_list' | 'union' | 'missing' | 'overage' | 'id_token' | 'wrong_type'
  | 'not_string' | 'too_many' | 'no_userinfo';

/** Who asks, by the claims of a token; nobody has checked them. */
export type Claims = {
  /** The claims. */
  claims: Record<string, unknown>,
  /** The user-info document, where the settings need it. */
  userinfo?: Record<string, unknown>,
};

/** A name that becomes the group of another. */
export type CollidingName = {
  /** The name as the provider has it. */
  name: string,
  /** Whether it is in the token. */
  in_token: boolean,
  /** Whether an ACL or a role names it. */
  known: boolean,
};

/** One group that several names become. */
export type Collision = {
  /** Its bare name. */
  group: string,
  /** `suffix` or `comma`. */
  merging: CollisionKind,
  /** The names. */
  names: Array<CollidingName>,
  /** What somebody in only one of the names gains. */
  gains: Array<Gain>,
};

/** What makes several names one group. */
export type CollisionKind = 'suffix' | 'comma';

/** Names that become one group. */
export type CollisionReport = {
  /** The collisions, those of names in the token first. */
  collisions: Array<Collision>,
  /** How many more there are. */
  more?: number,
};

/** What one identity is allowed and another is not. */
export type Comparison = {
  /** Whether each is a superuser, who may do everything. */
  superusers: [boolean, boolean],
  /** What the second is allowed and the first is not. */
  gains: Array<AccessRegion>,
  /** What the first is allowed and the second is not. */
  loses: Array<AccessRegion>,
};

/** A check whose answer differs: its first members are a check as in docs/policy-document.md. */
export type Counterexample = {
  /** Who asks. */
  identity: IdentityNames,
  /** The client's address. */
  host?: string,
  /** The operation. */
  operation: Operation,
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name. */
  resource_name: string,
  /** What the earlier policy decides. */
  before: Decision,
  /** What the later one decides. */
  after: Decision,
};

/** A decision, told apart by its `outcome`, `reason` and `source`; members that do not apply are absent. */
export type Decision = {
  /** Present and true when the host could change the answer. */
  host_unknown?: true,
  /** Whether the identity came from a verified token. */
  verified: boolean,
} & ({
  "reason": "allow_rule",
  /** It is allowed. */
  outcome: 'allow',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** The role on the path. */
  role: string,
}) | {
  "reason": "deny_rule",
  /** It is denied. */
  outcome: 'deny',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** The role on the path. */
  role: string,
}) | {
  "reason": "superuser",
  /** It is allowed. */
  outcome: 'allow',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
} | {
  "reason": "no_match",
  /** It is denied. */
  outcome: 'deny',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
} | {
  "reason": "expired",
  /** It is denied. */
  outcome: 'deny',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
});

/** How the decisions of two policies differ, over every identity. */
export type Diff = {
  /** `settings_differ` if tokens are read differently or others have access to the service, otherwise the same as `acl_relation`. */
  relation: Relation,
  /** `equal`, `wider`, `narrower` or `mixed`: the relation of ACLs, roles and superusers alone. */
  acl_relation: Exclude<Relation, 'settings_differ'>,
  /** The differences for users, groups and everyone. */
  differences: Array<Difference>,
  /** The differences for members of roles. */
  roles: Array<Difference>,
  /** The names of the settings that differ. */
  settings: Array<string>,
  /** The effect of changed settings on groups. */
  groups: Array<GroupChange>,
  /** The users that the policies name, if `oidc_principal_mapping` differs. */
  users?: Array<string>,
};

/** One effect on one principal. */
export type Difference = {
  /** `Type:name`; `User:*` for everyone. */
  principal: Principal,
  /** Present and true for everyone. */
  everyone?: true,
  /** `gains`, `loses`, `gains_with_others`, `loses_with_others` or `still_blocked`. */
  effect: AccessEffect,
  /** The resources and operations that it affects. */
  extents: Array<AccessRegion>,
  /** A request that is decided differently. */
  counterexample?: Counterexample,
  /** With `still_blocked`, the denies that block it. */
  blocked_by?: Array<FullAcl>,
};

/** Why an element of the groups claim was dropped. */
export type DropCode = 'claim_discarded' | 'claim_wrong_type' | 'element_not_string' | 'empty_name' | 'empty_part'
  | 'suffix_empty';

/** What became of an element of the groups claim. */
export type ElementOutcome = 'kept' | 'duplicate' | 'dropped';

/** A decision with all that led to it. */
export type Explanation = {
  /** Every path from the identity to a principal, in order. */
  paths: Array<AccessPath>,
  /** Every candidate ACL. */
  candidates: Array<Candidate>,
  /** How many ACLs the policy holds. */
  acls: number,
  /** Present and true when the host could change the answer. */
  host_unknown?: true,
  /** Whether the identity came from a verified token. */
  verified: boolean,
} & ({
  "reason": "allow_rule",
  /** It is allowed. */
  outcome: 'allow',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** The role on the path. */
  role: string,
}) | {
  "reason": "deny_rule",
  /** It is denied. */
  outcome: 'deny',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, where it is not the one asked for. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** The role on the path. */
  role: string,
}) | {
  "reason": "superuser",
  /** It is allowed. */
  outcome: 'allow',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
} | {
  "reason": "no_match",
  /** It is denied. */
  outcome: 'deny',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
} | {
  "reason": "expired",
  /** It is denied. */
  outcome: 'deny',
  /** No ACL decides. */
  source?: undefined,
  /** No ACL decides. */
  acl?: undefined,
  /** No ACL decides. */
  implied_by?: undefined,
  /** No ACL decides. */
  group?: undefined,
  /** No ACL decides. */
  role?: undefined,
});

/** The policy document of a policy, for writing: the stated settings, roles by name, ACLs in order of their fields. */
export type ExportedDocument = {
  /** The version of the format. */
  version: 1,
  /** The settings that were stated. */
  settings?: Settings,
  /** The roles, by name. */
  roles: Array<ExportedRole>,
  /** The ACLs, in order of their members. */
  acls: Array<FullAcl>,
};

/** A member of a role, as a document is written. */
export type ExportedMember = {
  /** `Type:name`. */
  principal: Principal,
};

/** A role, as a document is written. */
export type ExportedRole = {
  /** Its bare name. */
  name: string,
  /** Its members. */
  members: Array<ExportedMember>,
};

/** A group and the claim element that it came from. */
export type ExtractedGroup = {
  /** The name, as ACLs and roles write it after `Group:`. */
  name: string,
  /** The element, as the token writes it. */
  raw: string,
  /** Where the element is, such as `groups[1]`. */
  location: string,
};

/** The code of a call that the engine refuses. */
export type FaultCode = 'alg_mismatch' | 'alg_missing' | 'alg_refused' | 'audience_mismatch' | 'audience_missing'
  | 'b64_refused' | 'base64_invalid' | 'byte_order_mark' | 'change_invalid' | 'check_invalid' | 'clock_in_milliseconds'
  | 'clock_invalid' | 'crit_refused' | 'discovery_document' | 'duplicate_member' | 'exp_missing' | 'header_type'
  | 'host_invalid' | 'iat_missing' | 'identity_invalid' | 'issuer_mismatch' | 'issuer_missing' | 'json_serialization'
  | 'json_syntax' | 'json_too_deep' | 'json_unfinished' | 'key_set_invalid' | 'key_set_pem' | 'key_set_too_long'
  | 'kid_missing' | 'kid_unknown' | 'member_is_everyone' | 'member_is_role' | 'name_control_character' | 'name_with_type'
  | 'nested_group_behavior_invalid' | 'no_keys' | 'no_usable_key' | 'not_a_token' | 'not_an_object' | 'not_in_dialect'
  | 'number_out_of_range' | 'opaque_token' | 'policy_invalid' | 'principal_control_character' | 'principal_empty'
  | 'principal_empty_result' | 'principal_missing' | 'principal_name_empty' | 'principal_no_match'
  | 'principal_not_identity' | 'principal_not_string' | 'principal_too_long' | 'principal_type_twice'
  | 'principal_type_unknown' | 'principal_wildcard' | 'principal_without_type' | 'request_has_choice'
  | 'request_has_no_explanation' | 'request_invalid' | 'request_not_taken' | 'resource_implied' | 'resource_list_empty'
  | 'resource_missing' | 'resource_not_taken' | 'role_exists' | 'role_name_character' | 'role_name_empty'
  | 'role_name_too_long' | 'role_unknown' | 'signature_invalid' | 'time_invalid' | 'token_empty' | 'token_encrypted'
  | 'token_expired' | 'token_issued_in_future' | 'token_lifetime_too_long' | 'token_nested' | 'token_not_yet_valid'
  | 'token_part_empty' | 'token_parts' | 'token_too_long' | 'token_unsigned' | 'two_tokens' | 'typ_not_access_token'
  | 'typ_refused' | 'unknown_api' | 'unknown_request' | 'unknown_resource' | 'utf8_invalid' | 'wrong_type';

/** A rule or setting that probably does not do what was intended. */
export type Finding = {
  /** The stable code of its kind. */
  code: FindingCode,
  /** `error`, `warning` or `notice`. */
  severity: Severity,
  /** What was found. */
  message: string,
  /** What to do about it. */
  hint: string,
  /** The ACL that it is about, then those that make it so. */
  acls?: Array<FullAcl>,
  /** `Type:name` of each principal that it is about. */
  principals?: Array<Principal>,
  /** JSON Pointers into the document. */
  places?: Array<string>,
};

/** The code of a rule or setting that probably does not do what was intended. */
export type FindingCode = 'access_group_unknown' | 'acl_covered' | 'acl_unreachable' | 'cluster_name'
  | 'duplicate_acl' | 'duplicate_member' | 'duplicate_superuser' | 'group_path_with_suffix' | 'host_range_unsupported'
  | 'member_is_everyone' | 'member_is_role' | 'name_leading_slash' | 'name_letter_case' | 'name_with_type'
  | 'operation_foreign' | 'principal_control_character' | 'principal_name_empty' | 'principal_not_identity'
  | 'principal_type_twice' | 'principal_type_unknown' | 'principal_wildcard' | 'principal_without_type'
  | 'resource_name_control_character' | 'resource_name_empty' | 'resource_name_too_long' | 'role_missing'
  | 'role_name_character' | 'role_name_empty' | 'role_name_not_ascii' | 'role_name_too_long' | 'role_without_acls'
  | 'role_without_members' | 'superuser_name_chosen' | 'superuser_unreachable' | 'topic_name';

/** An ACL as it is written, with all of its members. */
export type FullAcl = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** `Type:name`. */
  principal: Principal,
  /** `*` or an address. */
  host: string,
  /** The operation. */
  operation: Operation,
  /** Whether it allows or denies. */
  permission_type: PermissionType,
};

/** What somebody in only this name gains. */
export type Gain = {
  /** The name. */
  name: string,
  /** The resources and operations. */
  extents: Array<AccessRegion>,
};

/** Operations that are allowed on the names of a pattern. */
export type Grant = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** `OPERATION_*`; `OPERATION_ALL` alone is every operation, among others it is a request for `ALL` itself (D-27). */
  operations: Array<Operation>,
  /** `*` or an address. */
  host: string,
  /** What is denied of it. */
  except?: Array<GrantException>,
};

/** Names of a grant that are denied. */
export type GrantException = {
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** `*` or an address; what is denied from an address is also denied where none is known. */
  host: string,
};

/** The effect of changed settings on a group that the policies name, or on a name in a token. */
export type GroupChange = {
  /** The name of a group in a policy, or a name in the token. */
  name: string,
  /** The name in the token; absent if it is unknown. */
  raw?: string,
  /** Present and true if the given token contains the name. */
  in_token?: true,
  /** `renamed`, `dropped`, `not_read`, `added`, `more_names`, `fewer_names`, `unknown` or `unchanged`. */
  effect: GroupEffect,
  /** The group that the name produced before; null if it produced none, or if that is unknown. */
  before: string | null,
  /** The group that the name produces now; null if it produces none, or if that is unknown. */
  after: string | null,
  /** The other names that now produce the same group and did not before. */
  merges?: Array<string>,
  /** The roles that a user with this name gains. */
  joins?: Array<string>,
  /** The roles that a user with this name loses. */
  leaves?: Array<string>,
  /** What a user with this name gains and loses. */
  effects?: Array<NameEffect>,
};

/** What changed settings do to a group, or to a name in a token. */
export type GroupEffect = 'renamed' | 'dropped' | 'not_read' | 'added' | 'more_names' | 'fewer_names' | 'unknown'
  | 'unchanged';

/** How the host of an ACL compares with the request. */
export type HostFacet = 'any' | 'exact' | 'in_range' | 'unknown' | 'no';

/** From where requests come: `only` these addresses or `all_but` these. */
export type HostSet = {
  /** Whether requests that name no address are among them. */
  unknown: boolean,
  /** These addresses. */
  only?: Array<string>,
  /** Every address but these. */
  all_but?: Array<string>,
};

/** A change that is tried: of the policy, or of what the identity provider says of the person. */
export type HypotheticalChange = Change | MembershipChange;

/** Two identities side by side. */
export type IdentityComparison = {
  /** Groups of the first alone. */
  groups_first: Array<string>,
  /** Groups of the second alone. */
  groups_second: Array<string>,
  /** Groups of both. */
  groups_both: Array<string>,
  /** ACLs that reach the first alone. */
  acls_first: Array<FullAcl>,
  /** ACLs that reach the second alone. */
  acls_second: Array<FullAcl>,
  /** The answers to what is asked, of the first and the second. */
  answers?: [Answer, Answer],
  /** Whether each is a superuser, who may do everything. */
  superusers: [boolean, boolean],
  /** What the second is allowed and the first is not. */
  gains: Array<AccessRegion>,
  /** What the first is allowed and the second is not. */
  loses: Array<AccessRegion>,
};

/** A user and groups, as in a check. */
export type IdentityNames = {
  /** The bare user name. */
  user: string,
  /** The bare group names. */
  groups: Array<string>,
};

/** What would allow requests that are denied. */
export type LeastGrant = {
  /** How each request is decided now. */
  decisions: Array<Decision>,
  /** The denies that no grant overrides. */
  denied_by?: Array<AclMatch>,
  /** The smallest sets of groups and roles, each as `Type:name`. */
  sets: Array<Array<Principal>>,
  /** Whether these are all, and there is no smaller one. */
  complete: boolean,
  /** The narrowest new ACLs. */
  acls: Array<FullAcl>,
};

/** A principal that can be a member of a role. */
export type MemberPrincipal = `User:${string}` | `Group:${string}`;

/** A change of a person's groups, by the identity provider. */
export type MembershipChange = {
  "change": "join_group",
  /** Its bare name. */
  group: string,
} | {
  "change": "leave_group",
  /** Its bare name. */
  group: string,
};

/** One effect on the users whose token contains a name. */
export type NameEffect = {
  /** As in a difference. */
  effect: AccessEffect,
  /** The resources and operations that it affects. */
  extents: Array<AccessRegion>,
  /** With `still_blocked`, the denies that block it. */
  blocked_by?: Array<FullAcl>,
};

/** How the resource name of an ACL compares with the request. */
export type NameFacet = 'literal' | 'prefixed' | 'all_names' | 'letter_case' | 'leading_slash' | 'no';

/** Names of resources, as in an ACL. */
export type NamePattern = {
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
};

/** An identity by its bare names; `User:alice` and `Group:eng` are refused. */
export type Names = {
  /** The user. */
  user: string,
  /** An array of names; anything else is refused. If it is omitted, there are no groups. */
  groups?: readonly string[],
};

/** The one field in which a near miss does not match. */
export type NearMiss = 'host' | 'principal_letter_case' | 'principal_leading_slash' | 'member_letter_case'
  | 'member_leading_slash' | 'name_letter_case' | 'name_leading_slash';

/** What becomes of path-style names. */
export type NestedGroupBehavior = 'none' | 'suffix';

/** A change that does nothing. */
export type NoOp = {
  /** The change. */
  change: HypotheticalChange,
  /** The stable code of the reason. */
  code: NoOpCode,
  /** The reason. */
  message: string,
};

/** Why a change does nothing. */
export type NoOpCode = 'host_invalid' | 'member_is_everyone' | 'member_is_role' | 'name_with_type' | 'no_change'
  | 'not_in_dialect' | 'principal_control_character' | 'principal_name_empty' | 'principal_not_identity'
  | 'principal_type_twice' | 'principal_type_unknown' | 'principal_wildcard' | 'principal_without_type' | 'role_exists'
  | 'role_name_character' | 'role_name_empty' | 'role_name_too_long' | 'role_unknown';

/** What a request does, in the platform's own values. */
export type Operation = 'OPERATION_ALL' | 'OPERATION_READ' | 'OPERATION_WRITE' | 'OPERATION_CREATE'
  | 'OPERATION_DELETE' | 'OPERATION_ALTER' | 'OPERATION_DESCRIBE' | 'OPERATION_CLUSTER_ACTION'
  | 'OPERATION_DESCRIBE_CONFIGS' | 'OPERATION_ALTER_CONFIGS' | 'OPERATION_IDEMPOTENT_WRITE' | 'OPERATION_CREATE_TOKENS'
  | 'OPERATION_DESCRIBE_TOKENS' | 'OPERATION_TWO_PHASE_COMMIT';

/** How the operation of an ACL compares with the request. */
export type OperationFacet = 'exact' | 'implied' | 'all' | 'deny_implies_nothing' | 'no';

/** An operation in the short form of the command line. */
export type OperationName = 'all' | 'read' | 'write' | 'create' | 'delete' | 'alter' | 'describe' | 'clusteraction'
  | 'describeconfigs' | 'alterconfigs' | 'idempotentwrite' | 'createtokens' | 'describetokens' | 'twophasecommit';

/** The outcome of a decision. */
export type Outcome = 'deny' | 'allow';

/** How the resource name of an ACL is compared; the literal `*` is every name. */
export type PatternType = 'RESOURCE_PATTERN_TYPE_LITERAL' | 'RESOURCE_PATTERN_TYPE_PREFIXED';

/** Whether an ACL allows or denies. */
export type PermissionType = 'PERMISSION_TYPE_DENY' | 'PERMISSION_TYPE_ALLOW';

/** Everything that somebody is allowed to do. A request is allowed exactly if a grant covers it and none of its exceptions does. */
export type Permissions = {
  /** Whether everything is allowed, without any grant. */
  superuser: boolean,
  /** Present and true if the identity has expired: it is allowed none of this. */
  expired?: true,
  /** What ACLs allow. */
  grants: Array<Grant>,
};

/** Everything that a decision needs besides the identity and the request. Any other member is refused. */
export type PolicyDocument = {
  /** The version of the format. */
  version: 1,
  /** The settings; what is omitted has its default. */
  settings?: Settings,
  /** The roles. */
  roles?: readonly Role[],
  /** The ACLs. */
  acls?: readonly Acl[],
  /** For editors; nothing reads it. */
  $schema?: string,
};

/** A principal of an ACL; `User:*` is everyone. */
export type Principal = `User:${string}` | `Group:${string}` | `Role:${string}`;

/** How the principal of an ACL compares with the identity. */
export type PrincipalFacet = 'matches' | 'everyone' | 'letter_case' | 'leading_slash' | 'member_letter_case'
  | 'member_leading_slash';

/** One thing that is wrong with a document. */
export type Problem = {
  /** Where: a JSON Pointer (RFC 6901) such as `/acls/3/host`; empty for the whole document. */
  path: string,
  /** The stable code. */
  code: ProblemCode,
  /** What was found and what to do. */
  message: string,
};

/** The code of one thing that is wrong with a document. */
export type ProblemCode = 'access_role' | 'access_wildcard' | 'bad_case' | 'bad_escape' | 'bad_filter' | 'bad_index'
  | 'bad_operator' | 'bad_pattern' | 'bad_reference' | 'brackets' | 'byte_order_mark' | 'clock_in_milliseconds'
  | 'clock_invalid' | 'cluster_name' | 'control_character' | 'curly_quote' | 'dot_before_bracket' | 'dotted_digits'
  | 'duplicate_member' | 'edge_blank' | 'empty' | 'empty_name' | 'empty_pattern' | 'empty_selector' | 'exclusive_members'
  | 'filter_type' | 'host_invalid' | 'identity_ways' | 'instant_missing' | 'json_syntax' | 'json_too_deep'
  | 'json_unfinished' | 'kafka_version_invalid' | 'kafka_version_unused' | 'member_is_everyone' | 'member_is_role'
  | 'missing_dot' | 'missing_member' | 'missing_root' | 'name_with_type' | 'needs_brackets'
  | 'nested_group_behavior_invalid' | 'not_in_dialect' | 'number_out_of_range' | 'principal_control_character'
  | 'principal_name_empty' | 'principal_not_identity' | 'principal_type_twice' | 'principal_type_unknown'
  | 'principal_wildcard' | 'principal_without_type' | 'quoted_path' | 'regex_function'
  | 'resource_name_control_character' | 'resource_name_empty' | 'resource_name_too_long' | 'role_exists'
  | 'role_name_character' | 'role_name_empty' | 'role_name_too_long' | 'role_unknown' | 'script' | 'sso_form'
  | 'sso_groups_attribute_missing' | 'sso_unclosed' | 'sso_unknown' | 'superuser_empty' | 'superuser_with_type'
  | 'too_deep' | 'too_long' | 'too_many_descendants' | 'topic_name' | 'trailing_dot' | 'unclosed_bracket'
  | 'unclosed_parenthesis' | 'unclosed_pattern' | 'unclosed_quote' | 'unclosed_replacement' | 'unexpected_character'
  | 'unexpected_end' | 'unknown_function' | 'unknown_member' | 'unknown_value' | 'unquoted_name' | 'unsupported_version'
  | 'userinfo_unused' | 'wrong_type';

/** What an open identity is asked: one operation on one resource. */
export type Query = {
  /** The operation, in either form. */
  operation: Operation | OperationName,
  /** The resource's type, in either form. */
  resource_type: ResourceType | ResourceTypeName,
  /** Any text; the cluster and the Schema Registry need none. */
  resource_name?: string,
  /** The client's address. Without it an allow for one host does not count, and a deny for one host does. */
  host?: string,
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number,
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignore_expiry?: boolean,
  /** Any value. */
  id?: unknown,
};

/** From where and when a query is asked. */
export type QueryCircumstances = {
  /** The client's address. Without it an allow for one host does not count, and a deny for one host does. */
  host?: string,
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number,
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignore_expiry?: boolean,
};

/** Why a decision has its outcome. */
export type Reason = 'expired' | 'superuser' | 'deny_rule' | 'allow_rule' | 'no_match';

/** How what two policies allow compares; `settings_differ` if tokens are read differently or others have access to the service. */
export type Relation = 'equal' | 'wider' | 'narrower' | 'mixed' | 'settings_differ';

/** The answer to a whole request. */
export type RequestAnswer = {
  /** `allow` or `deny`, for the whole. */
  outcome: Outcome,
  /** Each needed check with its decision. */
  checks: Array<RequiredCheck>,
  /** How they combine. */
  need: Requirement,
  /** Whether the identity came from a verified token. */
  verified: boolean,
};

/** What an open identity is asked: a whole request. */
export type RequestQuery = {
  /** What is asked. */
  request: ApiRequest,
  /** The client's address. Without it an allow for one host does not count, and a deny for one host does. */
  host?: string,
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number,
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignore_expiry?: boolean,
  /** Any value. */
  id?: unknown,
};

/** A check that a request needs, with its decision. */
export type RequiredCheck = {
  /** The decision. */
  decision: Decision,
  /** The operation. */
  operation: Operation,
  /** The resource's name. */
  resource_name: string,
  /** The resource's type. */
  resource_type: ResourceType,
};

/** How checks combine: the place of one in the list, `{"all": [..]}` or `{"any": [..]}`. */
export type Requirement = number | {
  /** What has to be allowed. */
  all: Array<Requirement>,
} | {
  /** Of which one has to be allowed. */
  any: Array<Requirement>,
};

/** An identity and how it came about. */
export type ResolvedIdentity = {
  /** The bare user name. */
  user: string,
  /** The groups and the elements that they came from; for names given by hand, the names. */
  groups: Array<ExtractedGroup>,
  /** Seconds since 1970. */
  expires_at?: number,
  /** Whether a signature was verified. */
  verified: boolean,
  /** What was found where the groups should be; absent for names. */
  claim?: ClaimFinding,
  /** Every element and what became of it; empty for names. */
  elements: Array<ClaimElement>,
  /** Warnings about the token and its groups. */
  warnings: Array<Warning>,
};

/** What a resource is, in the platform's own values. `RESOURCE_TYPE_GROUP` is a consumer group. */
export type ResourceType = 'RESOURCE_TYPE_TOPIC' | 'RESOURCE_TYPE_GROUP' | 'RESOURCE_TYPE_CLUSTER'
  | 'RESOURCE_TYPE_TRANSACTIONAL_ID' | 'RESOURCE_TYPE_REGISTRY' | 'RESOURCE_TYPE_SUBJECT'
  | 'RESOURCE_TYPE_DELEGATION_TOKEN' | 'RESOURCE_TYPE_USER';

/** A resource type in the short form of the command line. */
export type ResourceTypeName = 'topic' | 'group' | 'cluster' | 'transactional-id' | 'registry-global'
  | 'registry-subject' | 'delegation-token' | 'user-principal';

/** What to remove so that a request is denied. */
export type Revocation = {
  /** How the request is decided now. */
  decision: Decision,
  /** ACLs that all have to be removed. */
  acls: Array<FullAcl>,
  /** Roles of which either all memberships or all ACLs have to be removed. */
  roles: Array<RoleGrant>,
  /** The fewest changes that deny it; absent if it is denied, or allowed to a superuser. */
  least?: Array<Change>,
  /** Groups and roles to leave instead; absent if leaving does not help. */
  leave?: Array<Principal>,
  /** One ACL that denies it and nothing else. */
  deny?: FullAcl,
};

/** A role. The ACLs of `Role:<name>` are what it permits. */
export type Role = {
  /** 1 to 128 characters without `,`, `=` and control characters. */
  name: string,
  /** Its members. */
  members?: readonly RoleMember[],
};

/** A role through which something is allowed. */
export type RoleGrant = {
  /** Its bare name. */
  role: string,
  /** The members through which the person has it. */
  members: Array<Principal>,
  /** Its ACLs that allow it. */
  acls: Array<FullAcl>,
};

/** A member of a role. */
export type RoleMember = {
  /** A user or a group. */
  principal: MemberPrincipal,
};

/** The users and groups of the identity provider that have limited access to the service. */
export type ServiceAccess = {
  /** Those that may read everything: the console, exports, the audit log and metrics. */
  read_only?: readonly MemberPrincipal[],
  /** Those that may evaluate requests of others, such as gateways. */
  evaluate?: readonly MemberPrincipal[],
};

/** Where groups and users come from, who is a superuser, and who has access to the service. What is omitted has its default. */
export type Settings = {
  /** A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; the default is `$.groups`. */
  oidc_group_claim_path?: string,
  /** `none`, the default: names as they are; `suffix`: what follows the last `/`. */
  nested_group_behavior?: NestedGroupBehavior,
  /** The claim that names the user: `$.path[/regex/replacement/[L|U]]`; the default is `$.sub`. */
  oidc_principal_mapping?: string,
  /** Bare user names, for whom everything is allowed. */
  superusers?: readonly string[],
  /** Who has limited access to the service; decisions do not depend on it. */
  access?: ServiceAccess,
  /** The system that the policy is for; the default is the platform. */
  dialect?: 'platform' | 'kafka',
  /** The version of Kafka, such as `4.4`, the default; hosts of ACLs can be ranges from then on. */
  kafka_version?: string,
  /** The managed cloud's mapping, in place of the first two. */
  sso?: Sso,
};

/** How much a finding matters. */
export type Severity = 'error' | 'warning' | 'notice';

/** Which of the four sources the deciding ACL comes from. */
export type Source = 'user_acl' | 'role_acl' | 'group_acl' | 'group_role_acl';

/** The managed cloud's mapping of claims. */
export type Sso = {
  /** How claims are mapped. */
  mode: 'use_map',
  /** Paths by the name of what they select. */
  attributes: Readonly<Record<string, string>>,
};

/** Who asks. */
export type Subject = {
  /** The names. */
  identity: Names,
} | Claims | UnverifiedToken;

/** Who asks, by a token whose signature is not checked. */
export type UnverifiedToken = {
  /** A compact JWS. */
  unverified_token: string,
  /** The user-info document, where the settings need it. */
  userinfo?: Record<string, unknown>,
};

/** A warning about a token or its groups; it never changes what is decided. */
export type Warning = {
  /** The stable code. */
  code: WarningCode,
  /** What was found, for people. */
  message: string,
  /** Where in the claims. */
  location?: string,
};

/** The code of a warning about a token or its groups. */
export type WarningCode = 'blanks_removed' | 'claim_missing' | 'claim_wrong_type' | 'duplicate_group'
  | 'edge_whitespace' | 'element_not_string' | 'empty_name' | 'empty_part' | 'expiry_unreadable' | 'group_overage'
  | 'id_token' | 'invisible_removed' | 'kid_missing' | 'near_claim' | 'platform_alg' | 'platform_empty_part'
  | 'platform_path' | 'platform_typ' | 'suffix_collision' | 'suffix_empty' | 'surroundings_removed' | 'token_response'
  | 'too_many_nodes' | 'typ_refused';

/** One person before and after changes. */
export type WhatIf = {
  /** The person as it is. */
  before: IdentityNames,
  /** The person with the changes. */
  after: IdentityNames,
  /** Groups gained. */
  groups_gained: Array<string>,
  /** Groups lost. */
  groups_lost: Array<string>,
  /** Changes that do nothing, and why. */
  idle?: Array<NoOp>,
  /** The answers to what is asked, before and after. */
  answers?: [Answer, Answer],
  /** Whether each is a superuser, who may do everything. */
  superusers: [boolean, boolean],
  /** What the second is allowed and the first is not. */
  gains: Array<AccessRegion>,
  /** What the first is allowed and the second is not. */
  loses: Array<AccessRegion>,
};

/** Who is allowed one operation on one resource. */
export type WhoCan = {
  /** The superusers, by name. */
  superusers: Array<string>,
  /** Every principal that an ACL for this names. */
  entries: Array<WhoCanEntry>,
  /** Principals whose members are denied, whatever else they are. */
  blocked_for: Array<Principal>,
};

/** A principal, and the decision for somebody who is nothing else. */
export type WhoCanEntry = {
  /** `Type:name`; `User:*` for everyone. */
  principal: Principal,
  /** Present and true for everyone; the user whose name is an asterisk is not (D-33). */
  everyone?: true,
  /** Present and true if `User:*`, as the principal or among the members, is the user named `*`. */
  literal?: true,
  /** The members of a role. */
  members?: Array<Principal>,
  /** `allow` or `deny`. */
  outcome: Outcome,
  /** What allows it; there also where a deny blocks it. */
  granted_by?: AclMatch,
  /** What denies it. */
  denied_by?: Array<AclMatch>,
  /** Present and true when the host could change the answer. */
  host_unknown?: true,
};

/** Comes back with the answer, unchanged. */
export type WithId = {
  /** Any value. */
  id?: unknown,
};
