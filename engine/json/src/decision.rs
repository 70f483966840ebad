//! Writes decisions, explanations and answers.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::code::Code;
use gbac_analysis::check::{Answer, TokenRefusal};
use gbac_analysis::requests::{self, Requirement};
use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Decision, Explanation, HostMatch, NameMatch, NearMiss,
    OperationMatch, Outcome, PrincipalMatch, Reason, Source,
};
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::{Assumption, Coded};

/// A decision; members that do not apply are absent.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Decision"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionJson {
    /// `allow` or `deny`.
    pub outcome: Code<Outcome>,
    /// `superuser`, `deny_rule`, `allow_rule`, `no_match` or `expired`.
    pub reason: Code<Reason>,
    /// `user_acl`, `role_acl`, `group_acl` or `group_role_acl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Code<Source>>,
    /// The group on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The deciding ACL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<AclJson>,
    /// The deciding ACL's operation, if it differs from the request's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implied_by: Option<Code<Operation>>,
    /// Present and true if the decision could differ if the host were known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_unknown: bool,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// What is taken for granted about the token: `signature`, `issuer`, `audience`, `expiry`;
    /// absent if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<Code<Assumption>>,
}

impl From<&Decision> for DecisionJson {
    fn from(decision: &Decision) -> Self {
        Self {
            outcome: decision.outcome.into(),
            reason: decision.reason.into(),
            source: decision.source.map(Code::from),
            group: decision.group.clone(),
            role: decision.role.clone(),
            acl: decision.acl.as_ref().map(AclJson::from),
            implied_by: decision.implied_by.map(Code::from),
            host_unknown: decision.host_unknown,
            verified: decision.verified,
            assumed: decision.assumed.iter().map(Code::from).collect(),
        }
    }
}

/// The denial of a check whose token sign-in refuses (D-119).
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "TokenRefusal")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenRefusalJson {
    /// `deny`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["deny"])))]
    pub outcome: &'static str,
    /// `token_refused`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["token_refused"])))]
    pub reason: &'static str,
    /// The stable code of the refusal, such as `issuer_mismatch`.
    pub code: String,
    /// The reason of the refusal.
    pub message: String,
    /// False, because nothing in a refused token counts.
    pub verified: bool,
}

impl From<&TokenRefusal> for TokenRefusalJson {
    fn from(TokenRefusal { code, message }: &TokenRefusal) -> Self {
        let (code, message) = (code.clone(), message.clone());
        Self {
            outcome: Outcome::Deny.code(),
            reason: TokenRefusal::REASON,
            code,
            message,
            verified: false,
        }
    }
}

/// The answer to a check: a decision, or the decisions on an API request.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Answer"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Answer"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnswerJson {
    /// The decision on one operation on one resource.
    Access(Box<DecisionJson>),
    /// The decisions on an API request.
    Api(RequestAnswerJson),
}

/// The decisions on an API request.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "RequestAnswer", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "RequestAnswer")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequestAnswerJson {
    /// `allow` or `deny`, for the whole request.
    pub outcome: Code<Outcome>,
    /// The required checks with their decisions.
    pub checks: Vec<RequiredCheckJson>,
    /// How the checks combine.
    pub requires: RequirementJson,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// What is taken for granted about the token: `signature`, `issuer`, `audience`, `expiry`;
    /// absent if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub assumed: Vec<Code<Assumption>>,
}

/// A required check of an API request, with its decision.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "RequiredCheck", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "RequiredCheck")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequiredCheckJson {
    /// The decision.
    pub decision: DecisionJson,
    /// The operation.
    pub operation: Code<Operation>,
    /// The resource's name; absent if any resource of the type is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
}

/// How checks combine: the index of one in the list, `{"all": [..]}` or `{"any": [..]}`.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Requirement"))]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Requirement")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RequirementJson {
    /// One check, by its index.
    Check(usize),
    /// All of these must be allowed.
    All {
        /// The requirements.
        all: Vec<RequirementJson>,
    },
    /// At least one of these must be allowed.
    Any {
        /// The requirements.
        any: Vec<RequirementJson>,
    },
}

impl From<&Answer> for AnswerJson {
    fn from(answer: &Answer) -> Self {
        match answer {
            Answer::Access(decision) => Self::Access(Box::new(decision.into())),
            Answer::Api {
                outcome,
                decisions,
                requires,
                verified,
                assumed,
            } => {
                let required =
                    |(check, decision): &(requests::RequiredCheck, Decision)| RequiredCheckJson {
                        decision: decision.into(),
                        operation: check.operation.into(),
                        resource_name: check.resource_name.clone(),
                        resource_type: check.resource_type.into(),
                    };
                Self::Api(RequestAnswerJson {
                    outcome: outcome.into(),
                    checks: decisions.iter().map(required).collect(),
                    requires: indexed(requires, &mut 0),
                    verified: *verified,
                    assumed: assumed.iter().map(Code::from).collect(),
                })
            }
        }
    }
}

/// A requirement with each check replaced by its index in the list.
fn indexed(requirement: &Requirement, next: &mut usize) -> RequirementJson {
    match requirement {
        Requirement::Check(_) => {
            let index = *next;
            *next += 1;
            RequirementJson::Check(index)
        }
        Requirement::All(parts) => RequirementJson::All {
            all: parts.iter().map(|part| indexed(part, next)).collect(),
        },
        Requirement::Any(parts) => RequirementJson::Any {
            any: parts.iter().map(|part| indexed(part, next)).collect(),
        },
    }
}

/// A path from the identity to a principal.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "AccessPath", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "AccessPath")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessPathJson {
    /// The source that its ACLs count as.
    pub source: Code<Source>,
    /// The group on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The principal at the end of the path.
    #[cfg_attr(feature = "typescript", ts(as = "crate::literal::AclPrincipal"))]
    pub principal: String,
}

impl From<&AccessPath> for AccessPathJson {
    fn from(path: &AccessPath) -> Self {
        Self {
            source: path.source.into(),
            group: path.group.clone(),
            role: path.role.clone(),
            principal: path.principal.to_string(),
        }
    }
}

/// A candidate ACL, and how it compares with the request.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Candidate", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Candidate"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateJson {
    /// The ACL.
    pub acl: AclJson,
    /// The paths to its principal.
    pub paths: Vec<AccessPathJson>,
    /// How the principal compares: `matches`, `everyone`, `letter_case`, `slashes`,
    /// `member_letter_case` or `member_slashes`.
    pub principal_match: Code<PrincipalMatch>,
    /// The identity's principal, if the ACL's principal or a member of its role is a near miss of
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<crate::literal::AclPrincipal>")
    )]
    pub own_principal: Option<String>,
    /// The member of the role that is a near miss of the identity's principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<crate::literal::AclPrincipal>")
    )]
    pub member: Option<String>,
    /// Whether the resource type matches.
    pub resource_type_matches: bool,
    /// How the name compares: `literal`, `prefixed`, `all_names`, `letter_case`, `slashes` or
    /// `no`.
    pub name_match: Code<NameMatch>,
    /// How the operation compares: `exact`, `implied`, `all`, `deny_implies_nothing` or `no`.
    pub operation_match: Code<OperationMatch>,
    /// How the host compares: `any`, `exact`, `unknown` or `no`.
    pub host_match: Code<HostMatch>,
    /// The effect on the decision: `decides`, `agrees`, `overridden`, `not_reached`, `near_miss` or
    /// `no_match`.
    pub status: Code<CandidateStatus>,
    /// The one field in which a near miss does not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<Code<NearMiss>>,
}

impl From<&Candidate> for CandidateJson {
    fn from(candidate: &Candidate) -> Self {
        let (own, member) = match &candidate.principal {
            PrincipalMatch::Matches | PrincipalMatch::Everyone => (None, None),
            PrincipalMatch::LetterCase(own) | PrincipalMatch::Slashes(own) => (Some(own), None),
            PrincipalMatch::MemberLetterCase(near) | PrincipalMatch::MemberSlashes(near) => {
                (Some(&near.own), Some(&near.member))
            }
        };
        Self {
            acl: (&*candidate.acl).into(),
            paths: candidate.paths.iter().map(AccessPathJson::from).collect(),
            principal_match: (&candidate.principal).into(),
            own_principal: own.map(ToString::to_string),
            member: member.map(ToString::to_string),
            resource_type_matches: candidate.resource_type,
            name_match: candidate.name.into(),
            operation_match: candidate.operation.into(),
            host_match: candidate.host.into(),
            status: candidate.status.into(),
            near_miss: match candidate.status {
                CandidateStatus::Near(near) => Some(near.into()),
                _ => None,
            },
        }
    }
}

/// A decision with the reasons for it.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Explanation"))]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Explanation")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplanationJson {
    /// The decision.
    #[serde(flatten)]
    pub decision: DecisionJson,
    /// The paths from the identity to its principals, in order.
    pub paths: Vec<AccessPathJson>,
    /// The candidate ACLs.
    pub candidates: Vec<CandidateJson>,
    /// The number of candidates that are left out.
    pub omitted: usize,
    /// The number of ACLs in the policy.
    pub acl_count: usize,
}

impl From<&Explanation> for ExplanationJson {
    fn from(explanation: &Explanation) -> Self {
        Self {
            decision: (&explanation.decision).into(),
            paths: explanation.paths.iter().map(AccessPathJson::from).collect(),
            candidates: explanation
                .candidates
                .iter()
                .map(CandidateJson::from)
                .collect(),
            omitted: explanation.omitted,
            acl_count: explanation.acls,
        }
    }
}
