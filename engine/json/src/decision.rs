//! Decisions, explanations and answers as JSON.

use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::code::Code;
use gbac_analysis::check::Answer;
use gbac_analysis::requests::{self, Requirement};
use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Decision, Explanation, HostFacet, NameFacet, NearMiss, OperationFacet,
    Outcome, PrincipalFacet, Reason, Source,
};
use gbac_engine::model::{Operation, ResourceType};

/// A decision; members that do not apply are absent.
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
    /// The deciding ACL's operation, where it is not the one asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implied_by: Option<Code<Operation>>,
    /// Present and true when the host could change the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_unknown: bool,
    /// Whether the identity came from a verified token.
    pub verified: bool,
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
        }
    }
}

/// The answer to a check: a decision, or the decisions of a whole request.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Answer"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnswerJson {
    /// To one operation on one resource.
    Access(Box<DecisionJson>),
    /// To a whole request.
    Api(RequestAnswerJson),
}

/// The answer to a whole request.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "RequestAnswer", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequestAnswerJson {
    /// `allow` or `deny`, for the whole.
    pub outcome: Code<Outcome>,
    /// Each needed check with its decision.
    pub checks: Vec<RequiredCheckJson>,
    /// How they combine.
    pub need: RequirementJson,
    /// Whether the identity came from a verified token.
    pub verified: bool,
}

/// A check that a request needs, with its decision.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "RequiredCheck", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequiredCheckJson {
    /// The decision.
    pub decision: DecisionJson,
    /// The operation.
    pub operation: Code<Operation>,
    /// The resource's name.
    pub resource_name: String,
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
}

/// How checks combine: the place of one in the list, `{"all": [..]}` or `{"any": [..]}`.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Requirement"))]
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
                    operation: check.operation.into(),
                    resource_name: check.resource_name.clone(),
                    resource_type: check.resource_type.into(),
                };
                Self::Api(RequestAnswerJson {
                    outcome: outcome.into(),
                    checks: decisions.iter().map(needed).collect(),
                    need: places(need, &mut 0),
                    verified: *verified,
                })
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

/// A path from the identity to a principal.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "AccessPath", optional_fields))]
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
    /// The principal at its end.
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

/// A candidate ACL and how it compares.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Candidate", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateJson {
    /// The ACL.
    pub acl: AclJson,
    /// The paths to its principal.
    pub paths: Vec<AccessPathJson>,
    /// `matches`, `everyone`, `letter_case`, `leading_slash`, `member_letter_case` or `member_leading_slash`.
    pub principal: Code<PrincipalFacet>,
    /// The identity's own principal, where the ACL's is only near it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::AclPrincipal>"))]
    pub own_principal: Option<String>,
    /// The member of the role that is a near miss of the identity's own principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::AclPrincipal>"))]
    pub member: Option<String>,
    /// Whether the resource type matches.
    pub resource_type: bool,
    /// `literal`, `prefixed`, `all_names`, `letter_case`, `leading_slash` or `no`.
    pub name: Code<NameFacet>,
    /// `exact`, `implied`, `all`, `deny_implies_nothing` or `no`.
    pub operation: Code<OperationFacet>,
    /// `any`, `exact`, `unknown` or `no`.
    pub host: Code<HostFacet>,
    /// `decides`, `agrees`, `overridden`, `not_reached`, `near_miss` or `no_match`.
    pub standing: Code<CandidateStatus>,
    /// The one field in which a near miss does not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<Code<NearMiss>>,
}

impl From<&Candidate> for CandidateJson {
    fn from(candidate: &Candidate) -> Self {
        let (own, member) = match &candidate.principal {
            PrincipalFacet::Matches | PrincipalFacet::Everyone => (None, None),
            PrincipalFacet::LetterCase(own) | PrincipalFacet::LeadingSlash(own) => (Some(own), None),
            PrincipalFacet::MemberLetterCase(near) | PrincipalFacet::MemberLeadingSlash(near) => {
                (Some(&near.own), Some(&near.member))
            }
        };
        Self {
            acl: (&*candidate.acl).into(),
            paths: candidate.paths.iter().map(AccessPathJson::from).collect(),
            principal: (&candidate.principal).into(),
            own_principal: own.map(ToString::to_string),
            member: member.map(ToString::to_string),
            resource_type: candidate.resource_type,
            name: candidate.name.into(),
            operation: candidate.operation.into(),
            host: candidate.host.into(),
            standing: candidate.status.into(),
            near_miss: match candidate.status {
                CandidateStatus::Near(near) => Some(near.into()),
                _ => None,
            },
        }
    }
}

/// A decision with all that led to it.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Explanation"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplanationJson {
    /// The decision.
    #[serde(flatten)]
    pub decision: DecisionJson,
    /// Every path from the identity to a principal, in order.
    pub paths: Vec<AccessPathJson>,
    /// Every candidate ACL.
    pub candidates: Vec<CandidateJson>,
    /// How many ACLs the policy holds.
    pub acls: usize,
}

impl From<&Explanation> for ExplanationJson {
    fn from(explanation: &Explanation) -> Self {
        Self {
            decision: (&explanation.decision).into(),
            paths: explanation.paths.iter().map(AccessPathJson::from).collect(),
            candidates: explanation.candidates.iter().map(CandidateJson::from).collect(),
            acls: explanation.acls,
        }
    }
}
