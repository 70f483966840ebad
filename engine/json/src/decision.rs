//! Decisions, explanations and answers as JSON.

use serde::Serialize;

use super::acl::AclJson;
use gbac_analysis::check::Answer;
use gbac_analysis::requests::{self, Requirement};
use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Decision, Explanation, HostFacet, NameFacet, NearMiss, OperationFacet,
    PrincipalFacet, Source,
};
use gbac_engine::model::Operation;

/// A decision; members that do not apply are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionJson {
    /// `allow` or `deny`.
    pub outcome: &'static str,
    /// `superuser`, `deny_rule`, `allow_rule`, `no_match` or `expired`.
    pub reason: &'static str,
    /// `user_acl`, `role_acl`, `group_acl` or `group_role_acl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// The group on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The deciding ACL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<AclJson>,
    /// The deciding ACL's operation, where it is not the one asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implied_by: Option<&'static str>,
    /// Present and true when the host could change the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_unknown: bool,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// Every way from the identity to a principal, in order; this and what follows only in an explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<AccessPathJson>>,
    /// Every candidate ACL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<CandidateJson>>,
    /// How many ACLs the policy holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acls: Option<usize>,
}

impl From<&Decision> for DecisionJson {
    fn from(decision: &Decision) -> Self {
        Self {
            outcome: decision.outcome.code(),
            reason: decision.reason.code(),
            source: decision.source.map(Source::code),
            group: decision.group.clone(),
            role: decision.role.clone(),
            acl: decision.acl.as_ref().map(AclJson::from),
            implied_by: decision.implied_by.map(spell),
            host_unknown: decision.host_unknown,
            verified: decision.verified,
            paths: None,
            candidates: None,
            acls: None,
        }
    }
}

fn spell(operation: Operation) -> &'static str {
    operation.spelling().data_plane
}

/// The answer to a check: a decision, or the decisions of a whole request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnswerJson {
    /// To one operation on one resource.
    Access(Box<DecisionJson>),
    /// To a whole request.
    Api {
        /// `allow` or `deny`, for the whole.
        outcome: &'static str,
        /// Each needed check with its decision.
        checks: Vec<RequiredCheckJson>,
        /// How they combine.
        need: RequirementJson,
        /// Whether the identity came from a verified token.
        verified: bool,
    },
}

/// A check that a request needs, with its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequiredCheckJson {
    /// The decision.
    pub decision: DecisionJson,
    /// `OPERATION_*`.
    pub operation: &'static str,
    /// The resource's name.
    pub resource_name: String,
    /// `RESOURCE_TYPE_*`.
    pub resource_type: &'static str,
}

/// How checks combine: the place of one in the list, `{"all": [..]}` or `{"any": [..]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RequirementJson {
    /// This one.
    Check(usize),
    /// All of these.
    All {
        /// What has to be allowed.
        all: Vec<RequirementJson>,
    },
    /// Any of these.
    Any {
        /// Of which one has to be allowed.
        any: Vec<RequirementJson>,
    },
}

impl From<&Answer> for AnswerJson {
    fn from(answer: &Answer) -> Self {
        match answer {
            Answer::Access(decision) => Self::Access(Box::new(decision.into())),
            Answer::Api { outcome, decisions, need, verified } => {
                let needed = |(check, decision): &(requests::RequiredCheck, Decision)| RequiredCheckJson {
                    decision: decision.into(),
                    operation: spell(check.operation),
                    resource_name: check.resource_name.clone(),
                    resource_type: check.resource_type.spelling().data_plane,
                };
                Self::Api {
                    outcome: outcome.code(),
                    checks: decisions.iter().map(needed).collect(),
                    need: places(need, &mut 0),
                    verified: *verified,
                }
            }
        }
    }
}

/// The need with each check replaced by its place in the list.
fn places(need: &Requirement, next: &mut usize) -> RequirementJson {
    match need {
        Requirement::Check(_) => {
            let place = *next;
            *next += 1;
            RequirementJson::Check(place)
        }
        Requirement::All(needs) => RequirementJson::All { all: needs.iter().map(|need| places(need, next)).collect() },
        Requirement::Any(needs) => RequirementJson::Any { any: needs.iter().map(|need| places(need, next)).collect() },
    }
}

/// A way from the identity to a principal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessPathJson {
    /// The source that its ACLs count as.
    pub source: &'static str,
    /// The group on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The principal at its end.
    pub principal: String,
}

impl From<&AccessPath> for AccessPathJson {
    fn from(path: &AccessPath) -> Self {
        Self {
            source: path.source.code(),
            group: path.group.clone(),
            role: path.role.clone(),
            principal: path.principal.to_string(),
        }
    }
}

/// A candidate ACL and how it compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateJson {
    /// The ACL.
    pub acl: AclJson,
    /// The ways to its principal.
    pub paths: Vec<AccessPathJson>,
    /// `matches`, `everyone`, `letter_case`, `leading_slash`, `member_letter_case` or `member_leading_slash`.
    pub principal: &'static str,
    /// The identity's own principal, where the ACL's is only near it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_principal: Option<String>,
    /// The member of the role that is a near miss of the identity's own principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Whether the resource type matches.
    pub resource_type: bool,
    /// `literal`, `prefixed`, `all_names`, `letter_case`, `leading_slash` or `no`.
    pub name: &'static str,
    /// `exact`, `implied`, `all`, `deny_implies_nothing` or `no`.
    pub operation: &'static str,
    /// `any`, `exact`, `unknown` or `no`.
    pub host: &'static str,
    /// `decides`, `agrees`, `overridden`, `not_reached`, `near_miss` or `no_match`.
    pub standing: &'static str,
    /// What a near miss is by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<&'static str>,
}

impl From<&Candidate> for CandidateJson {
    fn from(candidate: &Candidate) -> Self {
        let (principal, own, member) = match &candidate.principal {
            PrincipalFacet::Matches => ("matches", None, None),
            PrincipalFacet::Everyone => ("everyone", None, None),
            PrincipalFacet::LetterCase(own) => ("letter_case", Some(own), None),
            PrincipalFacet::LeadingSlash(own) => ("leading_slash", Some(own), None),
            PrincipalFacet::MemberLetterCase(near) => ("member_letter_case", Some(&near.own), Some(&near.member)),
            PrincipalFacet::MemberLeadingSlash(near) => ("member_leading_slash", Some(&near.own), Some(&near.member)),
        };
        Self {
            acl: (&*candidate.acl).into(),
            paths: candidate.paths.iter().map(AccessPathJson::from).collect(),
            principal,
            own_principal: own.map(ToString::to_string),
            member: member.map(ToString::to_string),
            resource_type: candidate.resource_type,
            name: match candidate.name {
                NameFacet::Literal => "literal",
                NameFacet::Prefixed => "prefixed",
                NameFacet::AllNames => "all_names",
                NameFacet::LetterCase => "letter_case",
                NameFacet::LeadingSlash => "leading_slash",
                NameFacet::No => "no",
            },
            operation: match candidate.operation {
                OperationFacet::Exact => "exact",
                OperationFacet::Implied => "implied",
                OperationFacet::All => "all",
                OperationFacet::DenyImpliesNothing => "deny_implies_nothing",
                OperationFacet::No => "no",
            },
            host: match candidate.host {
                HostFacet::Any => "any",
                HostFacet::Exact => "exact",
                HostFacet::Unknown => "unknown",
                HostFacet::No => "no",
            },
            standing: candidate.status.code(),
            near_miss: match candidate.status {
                CandidateStatus::Near(near) => Some(NearMiss::code(near)),
                _ => None,
            },
        }
    }
}

/// A decision with all that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ExplanationJson(pub DecisionJson);

impl From<&Explanation> for ExplanationJson {
    fn from(explanation: &Explanation) -> Self {
        Self(DecisionJson {
            paths: Some(explanation.paths.iter().map(AccessPathJson::from).collect()),
            candidates: Some(explanation.candidates.iter().map(CandidateJson::from).collect()),
            acls: Some(explanation.acls),
            ..(&explanation.decision).into()
        })
    }
}
