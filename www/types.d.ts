// Made from the Rust types of gbac-json by `cargo xtask types`. Do not edit.

/** One operation on one resource. */
export type Access = {
  /** The operation, in either form. */
  operation: Operation | OperationName,
  /** The resource's type, in either form. */
  resource_type: ResourceType | ResourceTypeName,
  /** The resource's name, any text. The cluster and the Schema Registry need no name. */
  resource_name?: string,
};

/** The effect of a change on the requests of a principal. */
export type AccessEffect = 'gains' | 'loses' | 'can_gain' | 'can_lose' | 'still_denied';

/** A path from the identity to a principal. */
export type AccessPath = {
  /** The source that its ACLs count as. */
  source: Source,
  /** The group on the path. */
  group?: string,
  /** The role on the path. */
  role?: string,
  /** The principal at the end of the path. */
  principal: Principal,
};

/** A set of requests: operations on resource names from hosts. */
export type AccessRegion = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** The names that the set does not include. */
  except?: Array<NamePattern>,
  /** The operations, as in a grant. */
  operations: Array<Operation>,
  /** The hosts; absent for any host. */
  hosts?: HostSet,
};

/** An ACL. */
export type Acl = {
  /** The type of the resource. */
  resource_type: ResourceType,
  /**
   * The name or prefix; `*` with the literal pattern means every name. The cluster and the
   * Schema Registry need no name.
   */
  resource_name?: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** The principal. `RedpandaRole:<name>` is read as `Role:<name>`. */
  principal: Principal | `RedpandaRole:${string}`,
  /** `*` for any host, or one IPv4 or IPv6 address. */
  host: string,
  /** The operation. */
  operation: Operation,
  /** Whether the ACL allows or denies. */
  permission_type: PermissionType,
};

/** A matching ACL, and the path to its principal. */
export type AclMatch = {
  /** The ACL. */
  acl: FullAcl,
  /** The group on the path. */
  group?: string,
  /** The role on the path. */
  role?: string,
};

/** The answer to a check: a decision, or the decisions on an API request. */
export type Answer = Decision | RequestAnswer;

/** The APIs whose requests are known. */
export type Api = 'kafka' | 'schema_registry' | 'http_proxy';

/** An API request, which can need several checks. */
export type ApiRequest = {
  /** The API. */
  api: Api,
  /**
   * The name of the request in any letter case, such as `OffsetCommit` or `GET
   * /subjects/{subject}/versions`.
   */
  name: string,
  /** Resource names by type. The cluster and the registry are implied. */
  resources?: Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>,
};

/** What a decision takes for granted about a token, because it was not checked. */
export type Assumption = 'signature' | 'issuer' | 'audience' | 'expiry';

/** How many names access covers; `cluster` is also that of the Schema Registry. */
export type Breadth = 'one_name' | 'prefix' | 'every_name' | 'cluster';

/** A candidate ACL, and how it compares with the request. */
export type Candidate = {
  /** The ACL. */
  acl: FullAcl,
  /** The paths to its principal. */
  paths: Array<AccessPath>,
  /**
   * How the principal compares: `matches`, `everyone`, `letter_case`, `slashes`,
   * `member_letter_case` or `member_slashes`.
   */
  principal_match: PrincipalMatch,
  /**
   * The identity's principal, if the ACL's principal or a member of its role is a near miss of
   * it.
   */
  own_principal?: Principal,
  /** The member of the role that is a near miss of the identity's principal. */
  member?: Principal,
  /** Whether the resource type matches. */
  resource_type_matches: boolean,
  /**
   * How the name compares: `literal`, `prefixed`, `all_names`, `letter_case`, `slashes` or
   * `no`.
   */
  name_match: NameMatch,
  /** How the operation compares: `exact`, `implied`, `all`, `deny_implies_nothing` or `no`. */
  operation_match: OperationMatch,
  /** How the host compares: `any`, `exact`, `unknown` or `no`. */
  host_match: HostMatch,
  /**
   * The effect on the decision: `decides`, `agrees`, `overridden`, `not_reached`, `near_miss` or
   * `no_match`.
   */
  status: CandidateStatus,
  /** The one field in which a near miss does not match. */
  near_miss?: NearMiss,
};

/** The effect of a candidate ACL on the decision. */
export type CandidateStatus = 'decides' | 'agrees' | 'overridden' | 'not_reached' | 'near_miss' | 'no_match';

/** A change of a policy. */
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

/** An element of the groups claim and its outcome. */
export type ClaimElement = {
  /** The location. */
  location: string,
  /** The element, as in the token. */
  raw: string,
  /** The outcome: `kept`, `duplicate` or `dropped`. */
  outcome: ElementOutcome,
  /** The group of a kept or duplicate element. */
  group?: string,
  /** The reason for a dropped element. */
  code?: DropCode,
};

/** The groups claim, or why there is none. */
export type ClaimFinding = 'array' | 'comma_list' | 'id_token' | 'missing' | 'no_userinfo' | 'not_string' | 'overage'
  | 'too_many' | 'union' | 'wrong_type';

/** A name of a collision. */
export type CollidingName = {
  /** The name in the identity provider. */
  name: string,
  /** Whether the token contains the name. */
  in_token: boolean,
  /** Whether an ACL or a role mentions the name. */
  named_by_policy: boolean,
};

/** Several names that become the same group. */
export type Collision = {
  /** The bare name of the group. */
  group: string,
  /** The reason: `suffix` or `comma`. */
  collision_reason: CollisionReason,
  /** The names. */
  names: Array<CollidingName>,
  /** The access that users with only one of the names gain. */
  gains: Array<Gain>,
};

/** Why several names become the same group. */
export type CollisionReason = 'suffix' | 'comma';

/** Names that become the same group. */
export type CollisionReport = {
  /** The collisions, those of names in the token first. */
  collisions: Array<Collision>,
  /** The number of further collisions. */
  omitted?: number,
};

/** The requests that are allowed to only one of two identities. */
export type Comparison = {
  /** Whether each identity is a superuser, whose requests are all allowed. */
  superusers: [boolean, boolean],
  /** The requests that are allowed to the second, but not to the first. */
  gains: Array<AccessRegion>,
  /** The requests that are allowed to the first, but not to the second. */
  loses: Array<AccessRegion>,
};

/**
 * A check that is decided differently. Its members other than `before` and `after` are a check as
 * in docs/policy-document.md.
 */
export type Counterexample = {
  /** The subject. */
  identity: IdentityNames,
  /** The client's address. */
  host?: string,
  /** The operation. */
  operation: Operation,
  /** The resource's type. */
  resource_type: ResourceType,
  /** The resource's name. */
  resource_name: string,
  /** The decision of the earlier policy. */
  before: Decision,
  /** The decision of the later policy. */
  after: Decision,
};

/** A decision: a union by `outcome`, `reason` and `source`. Members that do not apply are absent. */
export type Decision = {
  /** Present and true if the decision could differ if the host were known. */
  host_unknown?: true,
  /** Whether the identity came from a verified token. */
  verified: boolean,
  /** What is taken for granted about the token; absent if nothing is. */
  assumed?: Array<Assumption>,
} & ({
  "reason": "allow_rule",
  /** It is allowed. */
  outcome: 'allow',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
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
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
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

/** How the decisions of two policies differ, for all identities. */
export type Diff = {
  /**
   * `settings_differ` if tokens are read differently or others have access to the service,
   * otherwise the same as `acl_relation`.
   */
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

/** The effect of a change on one principal. */
export type Difference = {
  /** `Type:name`; `User:*` for everyone. */
  principal: Principal,
  /** Present and true for everyone. */
  everyone?: true,
  /** `gains`, `loses`, `can_gain`, `can_lose` or `still_denied`. */
  effect: AccessEffect,
  /** The resources and operations that it affects. */
  regions: Array<AccessRegion>,
  /** A request that is decided differently. */
  counterexample?: Counterexample,
  /** With `still_denied`, the denies that block it. */
  denied_by?: Array<FullAcl>,
};

/** Why an element of the groups claim was dropped. */
export type DropCode = 'claim_discarded' | 'claim_wrong_type' | 'element_not_string' | 'empty_name' | 'empty_part'
  | 'suffix_empty';

/** The outcome of extraction for an element of the groups claim. */
export type ElementOutcome = 'kept' | 'duplicate' | 'dropped';

/** A decision with the reasons for it. */
export type Explanation = {
  /** The paths from the identity to its principals, in order. */
  paths: Array<AccessPath>,
  /** The candidate ACLs. */
  candidates: Array<Candidate>,
  /** The number of candidates that are left out. */
  omitted: number,
  /** The number of ACLs in the policy. */
  acl_count: number,
  /** Present and true if the decision could differ if the host were known. */
  host_unknown?: true,
  /** Whether the identity came from a verified token. */
  verified: boolean,
  /** What is taken for granted about the token; absent if nothing is. */
  assumed?: Array<Assumption>,
} & ({
  "reason": "allow_rule",
  /** It is allowed. */
  outcome: 'allow',
} & ({
  "source": "user_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
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
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** No group is on the path. */
  group?: undefined,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The role on the path. */
  role: string,
  /** No group is on the path. */
  group?: undefined,
} | {
  "source": "group_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
  implied_by?: Operation,
  /** The group on the path. */
  group: string,
  /** No role is on the path. */
  role?: undefined,
} | {
  "source": "group_role_acl",
  /** The ACL. */
  acl: FullAcl,
  /** Its operation, if it differs from the request's. */
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

/**
 * The policy document of a policy: the stated settings, roles sorted by name, and ACLs sorted by
 * their fields.
 */
export type ExportedDocument = {
  /** The version of the format. */
  version: 1,
  /** The stated settings. */
  settings?: Settings,
  /** The roles, sorted by name. */
  roles: Array<ExportedRole>,
  /** The ACLs, sorted by their members. */
  acls: Array<FullAcl>,
};

/** A member of a role in an exported document. */
export type ExportedMember = {
  /** The principal, as `Type:name`. */
  principal: Principal,
};

/** A role in an exported document. */
export type ExportedRole = {
  /** The bare name. */
  name: string,
  /** The members. */
  members: Array<ExportedMember>,
};

/** A group and the claim element that it came from. */
export type ExtractedGroup = {
  /** The name, as in ACLs and roles after `Group:`. */
  name: string,
  /** The element, as in the token. */
  raw: string,
  /** The location of the element, such as `groups[1]`. */
  location: string,
};

/** The code of a failed call. */
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
  | 'request_has_no_explanation' | 'request_invalid' | 'request_unsupported' | 'resource_implied' | 'resource_list_empty'
  | 'resource_missing' | 'resource_unsupported' | 'role_exists' | 'role_name_character' | 'role_name_empty'
  | 'role_name_too_long' | 'role_unknown' | 'signature_invalid' | 'time_invalid' | 'token_empty' | 'token_encrypted'
  | 'token_expired' | 'token_issued_in_future' | 'token_lifetime_too_long' | 'token_nested' | 'token_not_yet_valid'
  | 'token_part_empty' | 'token_parts' | 'token_too_long' | 'token_unsigned' | 'two_tokens' | 'typ_not_access_token'
  | 'typ_refused' | 'unknown_api' | 'unknown_request' | 'unknown_resource' | 'utf8_invalid' | 'wrong_type';

/** A rule or setting that probably does not do what was intended. */
export type Finding = {
  /** The stable code. */
  code: FindingCode,
  /** `error`, `warning` or `notice`. */
  severity: Severity,
  /** The problem. */
  message: string,
  /** What to do about it. */
  hint: string,
  /** How much the ACLs of the finding open, if it is about too much access. */
  breadth?: Breadth,
  /** The ACL that the finding is about, then the ACLs that cause the problem. */
  acls?: Array<FullAcl>,
  /** The principals that the finding is about, each as `Type:name`. */
  principals?: Array<Principal>,
  /** The locations in the document, as JSON Pointers. */
  places?: Array<string>,
};

/** The code of a rule or setting that probably does not do what was intended. */
export type FindingCode = 'access_group_unknown' | 'acl_begins_to_match' | 'acl_covered' | 'acl_open_to_everyone'
  | 'acl_unreachable' | 'cluster_name' | 'consumer_group_missing' | 'duplicate_acl' | 'duplicate_member'
  | 'duplicate_superuser' | 'group_path_with_suffix' | 'host_name' | 'host_range_unsupported' | 'member_is_everyone'
  | 'member_is_role' | 'name_with_type' | 'operation_unsupported' | 'principal_control_character'
  | 'principal_edge_whitespace' | 'principal_letter_case' | 'principal_name_empty' | 'principal_not_identity'
  | 'principal_slashes' | 'principal_type_twice' | 'principal_type_unknown' | 'principal_wildcard'
  | 'principal_without_type' | 'resource_name_control_character' | 'resource_name_empty' | 'resource_name_too_long'
  | 'resource_name_wildcard' | 'role_missing' | 'role_name_character' | 'role_name_empty' | 'role_name_not_ascii'
  | 'role_name_too_long' | 'role_without_acls' | 'role_without_members' | 'schema_reader_without_configs'
  | 'subject_context' | 'superuser_unreachable' | 'topic_name' | 'user_claim_editable';

/** An ACL with all of its members. */
export type FullAcl = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** The principal, as `Type:name`. */
  principal: Principal,
  /** `*` for any host, or an address. */
  host: string,
  /** The operation. */
  operation: Operation,
  /** Whether the ACL allows or denies. */
  permission_type: PermissionType,
};

/** The access that users with only this name gain from a collision. */
export type Gain = {
  /** The name. */
  name: string,
  /** The resources and operations. */
  regions: Array<AccessRegion>,
};

/** Operations that are allowed on the names of a pattern. */
export type Grant = {
  /** The resource's type. */
  resource_type: ResourceType,
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /**
   * The operations. `OPERATION_ALL` alone means all operations; among others, it means requests
   * for `ALL` itself (D-27).
   */
  operations: Array<Operation>,
  /** `*` for any host, or an address. */
  host: string,
  /** The names that are denied. */
  except?: Array<GrantException>,
};

/** Names of a grant that are denied. */
export type GrantException = {
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
  /** `*` for any host, or an address. Requests from an unknown host are denied too. */
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
  /**
   * `renamed`, `dropped`, `not_read`, `added`, `more_names`, `fewer_names`, `unknown` or
   * `unchanged`.
   */
  effect: GroupEffect,
  /** The group that the name produced before; null if it produced none, or if that is unknown. */
  before: string | null,
  /** The group that the name produces now; null if it produces none, or if that is unknown. */
  after: string | null,
  /** The other names that now produce the same group and did not before. */
  collides_with?: Array<string>,
  /** The roles that a user with this name gains. */
  roles_gained?: Array<string>,
  /** The roles that a user with this name loses. */
  roles_lost?: Array<string>,
  /** What a user with this name gains and loses. */
  effects?: Array<NameEffect>,
};

/** The effect of changed settings on a group, or on a name in a token. */
export type GroupEffect = 'renamed' | 'dropped' | 'not_read' | 'added' | 'more_names' | 'fewer_names' | 'unknown'
  | 'unchanged';

/** How the host of an ACL compares with the request. */
export type HostMatch = 'any' | 'exact' | 'in_range' | 'unknown' | 'no';

/** A set of hosts: `only` some addresses, or `all_but` some addresses. */
export type HostSet = {
  /** Whether the set includes requests from unknown hosts. */
  unknown: boolean,
  /** The addresses in the set. */
  only?: Array<string>,
  /** The addresses that are not in the set; all others are. */
  all_but?: Array<string>,
};

/** A hypothetical change: of the policy, or of the user's groups in the identity provider. */
export type HypotheticalChange = Change | MembershipChange;

/** The comparison of two identities. */
export type IdentityComparison = {
  /** The groups of only the first. */
  groups_first: Array<string>,
  /** The groups of only the second. */
  groups_second: Array<string>,
  /** The groups of both. */
  groups_both: Array<string>,
  /** The ACLs that apply only to the first. */
  acls_first: Array<FullAcl>,
  /** The ACLs that apply only to the second. */
  acls_second: Array<FullAcl>,
  /** The decisions on the query, for the first and the second. */
  decisions?: [Answer, Answer],
  /** Whether each identity is a superuser, whose requests are all allowed. */
  superusers: [boolean, boolean],
  /** The requests that are allowed to the second, but not to the first. */
  gains: Array<AccessRegion>,
  /** The requests that are allowed to the first, but not to the second. */
  loses: Array<AccessRegion>,
};

/** A user and groups, as in a check. */
export type IdentityNames = {
  /** The bare user name. */
  user: string,
  /** The bare group names. */
  groups: Array<string>,
};

/** The smallest changes that would allow denied requests. */
export type LeastGrant = {
  /** The current decision on each request. */
  decisions: Array<Decision>,
  /** The denies, which grants cannot override. */
  denied_by?: Array<AclMatch>,
  /**
   * The smallest sets of groups and roles that would allow the requests, each principal as
   * `Type:name`.
   */
  memberships_to_add: Array<Array<Principal>>,
  /** How much each of `memberships_to_add` opens, in the same order. */
  breadth: Array<Breadth>,
  /** Whether `memberships_to_add` contains all of the smallest sets. */
  memberships_complete: boolean,
  /** The narrowest new ACLs that would allow the requests. */
  acls_to_add: Array<FullAcl>,
};

/** A principal that can be a member of a role. */
export type MemberPrincipal = `User:${string}` | `Group:${string}`;

/** A change of the user's groups in the identity provider. */
export type MembershipChange = {
  "change": "add_to_group",
  /** Its bare name. */
  group: string,
} | {
  "change": "remove_from_group",
  /** Its bare name. */
  group: string,
};

/** One effect on the users whose token contains a name. */
export type NameEffect = {
  /** The effect, as in a difference. */
  effect: AccessEffect,
  /** The resources and operations that it affects. */
  regions: Array<AccessRegion>,
  /** With `still_denied`, the denies that block it. */
  denied_by?: Array<FullAcl>,
};

/** How the resource name of an ACL compares with the request. */
export type NameMatch = 'literal' | 'prefixed' | 'all_names' | 'letter_case' | 'slashes' | 'no';

/** A pattern of resource names, as in an ACL. */
export type NamePattern = {
  /** The name or prefix. */
  resource_name: string,
  /** How the name is compared. */
  resource_pattern_type: PatternType,
};

/** A user and groups by their bare names. `User:alice` and `Group:eng` are refused. */
export type Names = {
  /** The user. */
  user: string,
  /** The groups. The default is no groups. */
  groups?: readonly string[],
};

/** The one field in which a near miss does not match. */
export type NearMiss = 'host' | 'principal_letter_case' | 'principal_slashes' | 'member_letter_case'
  | 'member_slashes' | 'name_letter_case' | 'name_slashes';

/** The treatment of path-style names. */
export type NestedGroupBehavior = 'none' | 'suffix';

/** A change without effect. */
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

/** An operation, as in the Data Plane API. */
export type Operation = 'OPERATION_ALL' | 'OPERATION_READ' | 'OPERATION_WRITE' | 'OPERATION_CREATE'
  | 'OPERATION_DELETE' | 'OPERATION_ALTER' | 'OPERATION_DESCRIBE' | 'OPERATION_CLUSTER_ACTION'
  | 'OPERATION_DESCRIBE_CONFIGS' | 'OPERATION_ALTER_CONFIGS' | 'OPERATION_IDEMPOTENT_WRITE' | 'OPERATION_CREATE_TOKENS'
  | 'OPERATION_DESCRIBE_TOKENS' | 'OPERATION_TWO_PHASE_COMMIT';

/** How the operation of an ACL compares with the request. */
export type OperationMatch = 'exact' | 'implied' | 'all' | 'deny_implies_nothing' | 'no';

/** An operation in the short form of the command line. */
export type OperationName = 'all' | 'read' | 'write' | 'create' | 'delete' | 'alter' | 'describe' | 'clusteraction'
  | 'describeconfigs' | 'alterconfigs' | 'idempotentwrite' | 'createtokens' | 'describetokens' | 'twophasecommit';

/** The outcome of a decision. */
export type Outcome = 'deny' | 'allow';

/** How the resource name of an ACL is compared. The literal `*` matches every name. */
export type PatternType = 'RESOURCE_PATTERN_TYPE_LITERAL' | 'RESOURCE_PATTERN_TYPE_PREFIXED';

/** Whether an ACL allows or denies. */
export type PermissionType = 'PERMISSION_TYPE_DENY' | 'PERMISSION_TYPE_ALLOW';

/**
 * All permissions. A request is allowed if and only if a grant covers it and none of the grant's
 * exceptions does.
 */
export type Permissions = {
  /** Whether all requests are allowed, without any grant. */
  superuser: boolean,
  /** Present and true if the identity has expired, so that all of its requests are denied. */
  expired?: true,
  /** The permissions from ACLs. */
  grants: Array<Grant>,
};

/** A policy: settings, roles and ACLs. Unknown members are refused. */
export type PolicyDocument = {
  /** The version of the format. */
  version: 1,
  /** The settings. Omitted settings have their defaults. */
  settings?: Settings,
  /** The roles. */
  roles?: readonly Role[],
  /** The ACLs. */
  acls?: readonly Acl[],
  /** The JSON schema, for editors. It is not read. */
  $schema?: string,
};

/** A principal of an ACL: `User:`, `Group:` or `Role:` and a name, or in a policy of Kafka any other type; `User:*` is everyone. */
export type Principal = `${string}:${string}`;

/** How the principal of an ACL compares with the identity. */
export type PrincipalMatch = 'matches' | 'everyone' | 'letter_case' | 'slashes' | 'member_letter_case'
  | 'member_slashes';

/** A problem of a document. */
export type Problem = {
  /**
   * The location: a JSON Pointer (RFC 6901) such as `/acls/3/host`; empty for the whole
   * document.
   */
  path: string,
  /** The stable code. */
  code: ProblemCode,
  /** The problem and what to do. */
  message: string,
};

/** The code of a problem of a document. */
export type ProblemCode = 'access_role' | 'access_wildcard' | 'bad_case' | 'bad_escape' | 'bad_filter' | 'bad_index'
  | 'bad_operator' | 'bad_pattern' | 'bad_reference' | 'brackets' | 'byte_order_mark' | 'clock_in_milliseconds'
  | 'clock_invalid' | 'cluster_name' | 'control_character' | 'curly_quote' | 'descendants_unsupported'
  | 'dot_before_bracket' | 'dotted_digits' | 'duplicate_member' | 'empty' | 'empty_name' | 'empty_pattern'
  | 'empty_selector' | 'exclusive_members' | 'function_unsupported' | 'host_invalid' | 'json_syntax' | 'json_too_deep'
  | 'json_unfinished' | 'kafka_version_invalid' | 'kafka_version_unused' | 'member_is_everyone' | 'member_is_role'
  | 'missing_dot' | 'missing_member' | 'missing_root' | 'name_with_type' | 'needs_brackets'
  | 'nested_group_behavior_invalid' | 'not_in_dialect' | 'now_missing' | 'number_out_of_range' | 'one_identity_required'
  | 'principal_control_character' | 'principal_name_empty' | 'principal_not_identity' | 'principal_type_twice'
  | 'principal_type_unknown' | 'principal_wildcard' | 'principal_without_type' | 'quoted_path'
  | 'resource_name_control_character' | 'resource_name_empty' | 'resource_name_too_long' | 'role_exists'
  | 'role_name_character' | 'role_name_empty' | 'role_name_too_long' | 'role_unknown' | 'script' | 'sso_form'
  | 'sso_groups_attribute_missing' | 'sso_unclosed' | 'sso_unknown' | 'superuser_empty' | 'superuser_with_type'
  | 'surrounding_blanks' | 'too_deep' | 'too_long' | 'topic_name' | 'trailing_dot' | 'unclosed_bracket'
  | 'unclosed_parenthesis' | 'unclosed_pattern' | 'unclosed_quote' | 'unclosed_replacement' | 'unexpected_character'
  | 'unexpected_end' | 'unknown_member' | 'unknown_value' | 'unquoted_name' | 'unsupported_version' | 'userinfo_unused'
  | 'wrong_type';

/** A query of an open identity: one operation on one resource. */
export type Query = {
  /** The operation, in either form. */
  operation: Operation | OperationName,
  /** The resource's type, in either form. */
  resource_type: ResourceType | ResourceTypeName,
  /** The resource's name, any text. The cluster and the Schema Registry need no name. */
  resource_name?: string,
  /**
   * The client's address. If it is unknown, allows for a single host do not match, but denies
   * for a single host do.
   */
  host?: string,
  /**
   * The time of the decision, in seconds since 1970, not in milliseconds. The default is the
   * current time.
   */
  now?: number,
  /**
   * `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot
   * be used with `now`.
   */
  ignore_expiry?: boolean,
  /** Any value. */
  id?: unknown,
};

/** The host and the time of a query. */
export type QueryCircumstances = {
  /**
   * The client's address. If it is unknown, allows for a single host do not match, but denies
   * for a single host do.
   */
  host?: string,
  /**
   * The time of the decision, in seconds since 1970, not in milliseconds. The default is the
   * current time.
   */
  now?: number,
  /**
   * `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot
   * be used with `now`.
   */
  ignore_expiry?: boolean,
};

/** The reason for a decision. */
export type Reason = 'expired' | 'superuser' | 'deny_rule' | 'allow_rule' | 'no_match';

/** How the permissions of two policies compare; `settings_differ` if tokens are read differently or others have access to the service. */
export type Relation = 'equal' | 'wider' | 'narrower' | 'mixed' | 'settings_differ';

/** The decisions on an API request. */
export type RequestAnswer = {
  /** `allow` or `deny`, for the whole request. */
  outcome: Outcome,
  /** The required checks with their decisions. */
  checks: Array<RequiredCheck>,
  /** How the checks combine. */
  requires: Requirement,
  /** Whether the identity came from a verified token. */
  verified: boolean,
  /**
   * What is taken for granted about the token: `signature`, `issuer`, `audience`, `expiry`;
   * absent if nothing is.
   */
  assumed?: Array<Assumption>,
};

/** A query of an open identity: an API request. */
export type RequestQuery = {
  /** The API request. */
  request: ApiRequest,
  /**
   * The client's address. If it is unknown, allows for a single host do not match, but denies
   * for a single host do.
   */
  host?: string,
  /**
   * The time of the decision, in seconds since 1970, not in milliseconds. The default is the
   * current time.
   */
  now?: number,
  /**
   * `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot
   * be used with `now`.
   */
  ignore_expiry?: boolean,
  /** Any value. */
  id?: unknown,
};

/** A required check of an API request, with its decision. */
export type RequiredCheck = {
  /** The decision. */
  decision: Decision,
  /** The operation. */
  operation: Operation,
  /** The resource's name; absent if any resource of the type is enough. */
  resource_name?: string,
  /** The resource's type. */
  resource_type: ResourceType,
};

/** How checks combine: the index of one in the list, `{"all": [..]}` or `{"any": [..]}`. */
export type Requirement = number | {
  /** The requirements. */
  all: Array<Requirement>,
} | {
  /** The requirements. */
  any: Array<Requirement>,
};

/** An identity with details about its origin. */
export type ResolvedIdentity = {
  /** The bare user name. */
  user: string,
  /**
   * The groups with the elements that they came from. For a subject with names, the elements are
   * the names.
   */
  groups: Array<ExtractedGroup>,
  /** The expiry, in seconds since 1970. */
  expires_at?: number,
  /** Whether the identity came from a verified token. */
  verified: boolean,
  /** The groups claim, or why there is none; absent for a subject with names. */
  claim?: ClaimFinding,
  /** The elements of the claim with their outcomes; empty for a subject with names. */
  elements: Array<ClaimElement>,
  /** Warnings about the token and its groups. */
  warnings: Array<Warning>,
};

/** A resource type, as in the Data Plane API. `RESOURCE_TYPE_GROUP` is a consumer group. */
export type ResourceType = 'RESOURCE_TYPE_TOPIC' | 'RESOURCE_TYPE_GROUP' | 'RESOURCE_TYPE_CLUSTER'
  | 'RESOURCE_TYPE_TRANSACTIONAL_ID' | 'RESOURCE_TYPE_REGISTRY' | 'RESOURCE_TYPE_SUBJECT'
  | 'RESOURCE_TYPE_DELEGATION_TOKEN' | 'RESOURCE_TYPE_USER';

/** A resource type in the short form of the command line. */
export type ResourceTypeName = 'topic' | 'group' | 'cluster' | 'transactional-id' | 'registry-global'
  | 'registry-subject' | 'delegation-token' | 'user-principal';

/** The changes after which an allowed request is denied. */
export type Revocation = {
  /** The current decision. */
  decision: Decision,
  /** The ACLs, other than those of roles, that must all be removed. */
  direct_acls: Array<FullAcl>,
  /** The roles of which either all memberships or all ACLs must be removed. */
  roles: Array<RoleGrant>,
  /**
   * The fewest changes after which the request is denied; absent if it is denied already, or
   * allowed to a superuser.
   */
  smallest_changes?: Array<Change>,
  /** The groups and roles that the user could leave instead; absent if leaving does not help. */
  memberships_to_leave?: Array<Principal>,
  /** A single ACL that denies only this request. */
  deny_acl?: FullAcl,
};

/** A role. Its permissions are the ACLs of `Role:<name>`. */
export type Role = {
  /** The bare name: 1 to 128 characters without `,`, `=` and control characters. */
  name: string,
  /** The members. */
  members?: readonly RoleMember[],
};

/** A role that allows a request. */
export type RoleGrant = {
  /** Its bare name. */
  role: string,
  /** The members through which the user has the role. */
  members: Array<Principal>,
  /** The ACLs of the role that allow the request. */
  acls: Array<FullAcl>,
};

/** A member of a role. */
export type RoleMember = {
  /** A user or a group. */
  principal: MemberPrincipal,
};

/** The users and groups of the identity provider that have limited access to the service. */
export type ServiceAccess = {
  /** Users and groups with read access to the console, exports, the audit log and metrics. */
  read_only?: readonly MemberPrincipal[],
  /** Users and groups that can evaluate requests of others, such as gateways. */
  evaluate?: readonly MemberPrincipal[],
};

/**
 * The sources of users and groups, superusers, and access to the service. Omitted settings have
 * their defaults.
 */
export type Settings = {
  /**
   * A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; the default is
   * `$.groups`.
   */
  oidc_group_claim_path?: string,
  /** `none` (the default) uses names unchanged; `suffix` uses the part after the last `/`. */
  nested_group_behavior?: NestedGroupBehavior,
  /** The rule for the user name, `$.path[/regex/replacement/[L|U]]`; the default is `$.sub`. */
  oidc_principal_mapping?: string,
  /** The bare names of users whose requests are all allowed. */
  superusers?: readonly string[],
  /** Users and groups with limited access to the service. Decisions do not depend on it. */
  access?: ServiceAccess,
  /** The system that the policy is for; the default is the platform. */
  dialect?: 'platform' | 'kafka',
  /**
   * The version of Kafka; the default is `4.4`, the first one in which hosts of ACLs can be
   * ranges.
   */
  kafka_version?: string,
  /** The mapping of the managed cloud, instead of the first two settings. */
  sso?: Sso,
};

/** The severity of a finding. */
export type Severity = 'error' | 'warning' | 'notice';

/** The source of an ACL: how its principal belongs to the identity. */
export type Source = 'user_acl' | 'role_acl' | 'group_acl' | 'group_role_acl';

/** The managed cloud's mapping of claims. */
export type Sso = {
  /** The mapping mode. */
  mode: 'use_map',
  /** Claim paths by attribute name, such as `federated_groups`. */
  attributes: Readonly<Record<string, string>>,
};

/** The subject of a check. */
export type Subject = {
  /** The names. */
  identity: Names,
} | UnverifiedClaims | UnverifiedToken;

/** A subject with the unverified claims of a token. */
export type UnverifiedClaims = {
  /** The claims. */
  claims: Record<string, unknown>,
  /** The user-info document, if the settings require it. */
  userinfo?: Record<string, unknown>,
};

/** A subject with a token whose signature is not verified. */
export type UnverifiedToken = {
  /** A compact JWS. */
  unverified_token: string,
  /** The user-info document, if the settings require it. */
  userinfo?: Record<string, unknown>,
};

/** A warning about a token or its groups. Warnings never change decisions. */
export type Warning = {
  /** The stable code. */
  code: WarningCode,
  /** The message. */
  message: string,
  /** The location in the claims. */
  location?: string,
};

/** The code of a warning about a token or its groups. */
export type WarningCode = 'blanks_removed' | 'claim_missing' | 'claim_wrong_type' | 'duplicate_group'
  | 'edge_whitespace' | 'element_not_string' | 'empty_name' | 'empty_part' | 'encoded_list' | 'expiry_unreadable'
  | 'group_overage' | 'group_prefix' | 'hidden_character' | 'id_token' | 'invisible_removed' | 'kid_missing'
  | 'list_in_name' | 'name_split' | 'near_claim' | 'platform_alg' | 'platform_empty_part' | 'platform_mapping'
  | 'platform_path' | 'platform_typ' | 'suffix_collision' | 'suffix_empty' | 'surrounding_text_removed'
  | 'token_response' | 'too_many_nodes' | 'typ_refused';

/** An identity before and after hypothetical changes. */
export type WhatIf = {
  /** The current identity. */
  before: IdentityNames,
  /** The identity after the changes. */
  after: IdentityNames,
  /** The groups gained. */
  groups_gained: Array<string>,
  /** The groups lost. */
  groups_lost: Array<string>,
  /** The changes without effect, with the reasons. */
  no_ops?: Array<NoOp>,
  /** The decisions on the query, before and after. */
  decisions?: [Answer, Answer],
  /** Whether each identity is a superuser, whose requests are all allowed. */
  superusers: [boolean, boolean],
  /** The requests that are allowed to the second, but not to the first. */
  gains: Array<AccessRegion>,
  /** The requests that are allowed to the first, but not to the second. */
  loses: Array<AccessRegion>,
};

/** The principals that are allowed one operation on one resource. */
export type WhoCan = {
  /** The names of the superusers. */
  superusers: Array<string>,
  /** The principals of the ACLs that match. */
  entries: Array<WhoCanEntry>,
  /** The principals whose members are denied, regardless of their other groups and roles. */
  denied_principals: Array<Principal>,
};

/** A principal, and the decision for an identity with only this principal. */
export type WhoCanEntry = {
  /** `Type:name`; `User:*` for everyone. */
  principal: Principal,
  /** Present and true for everyone, but not for the user named `*` (D-33). */
  everyone?: true,
  /** Present and true if `User:*`, as the principal or among the members, is the user named `*`. */
  literal?: true,
  /** The members of a role. */
  members?: Array<Principal>,
  /** `allow` or `deny`. */
  outcome: Outcome,
  /** The ACL that allows the request, even if a deny overrides it. */
  granted_by?: AclMatch,
  /** The ACLs that deny the request. */
  denied_by?: Array<AclMatch>,
  /** Present and true if the decision could differ if the host were known. */
  host_unknown?: true,
  /**
   * `all` if the decision is about every name that the question is about, `some` if only about
   * those below.
   */
  coverage: 'all' | 'some',
  /** The only names on which it is allowed. */
  only_on?: Array<NamePattern>,
  /** The names on which it is denied. */
  not_on?: Array<NamePattern>,
};

/** An identifier that is returned with the answer. */
export type WithId = {
  /** Any value. */
  id?: unknown,
};
