//! Reads and writes the JSON of GBAC: policy documents, checks, decisions, explanations and
//! assertion files.

mod acl;
mod analysis;
mod assertions;
mod bridge;
mod change;
mod check;
mod code;
mod decision;
#[cfg(feature = "typescript")]
mod decision_union;
mod document;
mod duplicates;
mod extraction;
#[cfg(feature = "typescript")]
mod input;
mod least_grant;
mod lint;
#[cfg(feature = "typescript")]
mod literal;
mod plain;
mod reader;
#[cfg(feature = "schema")]
mod schema;
mod simulation;
mod tables;
#[cfg(feature = "typescript")]
pub mod typescript;

pub use acl::{AclJson, acl_from_value, acl_in_dialect};
pub use analysis::{
    AccessRegionJson, AclMatchJson, CounterexampleJson, DiffJson, DifferenceJson,
    GrantExceptionJson, GrantJson, HostSetJson, IdentityJson, PatternJson, PermissionsJson,
    WhoCanEntryJson, WhoCanJson,
};
pub use assertions::{
    AssertionTest, Assertions, Expectation, Observed, PolicySource, assertion_report,
    assertions_from_json, assertions_from_value, find_assertions,
};
pub use bridge::{accepted_from_properties, event_to_value};
pub use change::{
    ChangeList, POLICY_CHANGES, PROVIDER_CHANGES, change_from_json, changes_from_json,
    hypothetical_changes_from_json, hypothetical_changes_from_value,
};
pub use check::{
    access_check, check_from_json, check_from_value, check_to_value, named_subject, query_from_json,
};
pub use code::Code;
pub use decision::{
    AccessPathJson, AnswerJson, CandidateJson, DecisionJson, ExplanationJson, RequestAnswerJson,
    RequiredCheckJson, RequirementJson, TokenRefusalJson,
};
pub use document::{
    DocumentJson, policy_from_value, policy_to_json, policy_to_text, settings_from_value,
    settings_to_json,
};
pub use extraction::{ElementJson, ExtractionJson, GroupJson, ResolvedIdentityJson, WarningJson};
pub use gbac_engine::json::parse;
pub use least_grant::LeastGrantJson;
pub use lint::{FindingJson, lint_from_json, lint_from_value, lint_in_dialect};
pub use plain::{policy_from_json, subject_from_json};
pub use reader::{FaultJson, Problem, Problems, pointer_part};
pub use simulation::{
    ChangeJson, CollidingNameJson, CollisionJson, CollisionReportJson, ComparisonJson, GainJson,
    HypotheticalChangeJson, IdentityComparisonJson, MembershipChangeJson, NoOpJson, RevocationJson,
    RoleGrantJson, WhatIfJson,
};
pub use tables::{FaultCode, ProblemCode};
