//! The JSON of all this: policy documents, checks, decisions, explanations and assertion files.

mod acl;
mod analysis;
mod assertions;
mod change;
mod check;
mod decision;
mod document;
mod extraction;
mod lint;
mod plain;
mod reader;
mod simulation;

pub use acl::{AclJson, acl_from_value};
pub use analysis::{
    CounterexampleJson, DiffJson, DifferenceJson, EntryJson, ExceptionJson, ExtentJson, FindingJson, GrantJson,
    HostsJson, IdentityJson, LeastGrantJson, MatchJson, PatternJson, PermissionsJson, WhoCanJson,
};
pub use assertions::{
    Assertions, Expectation, Observed, PolicySource, Test, assertions_from_json, assertions_from_value, assertions_in,
    report,
};
pub use change::{change_from_json, changes_from_json, trials_from_json, trials_from_value};
pub use check::{check_from_json, check_from_value, check_to_value, question_from_json, who_from_json};
pub use decision::{AnswerJson, CandidateJson, DecisionJson, ExplanationJson, NeedJson, NeededJson, PathJson};
pub use document::{
    DocumentJson, policy_from_json, policy_from_value, policy_to_json, policy_to_text, settings_from_value,
    settings_to_json,
};
pub use extraction::{ElementJson, ExtractionJson, GroupJson, OpenedJson, WarningJson};
pub use lint::{lint_from_json, lint_from_value};
pub use reader::{Problem, Problems};
pub use simulation::{
    ChangeJson, CollisionJson, CollisionsJson, ComparisonJson, GainJson, IdleJson, MergedJson, PeopleJson,
    RevocationJson, RoleGrantJson, WhatIfJson,
};
