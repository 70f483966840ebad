//! The results of commands about tokens, tests and this program.

use std::path::Path;

use gbac_analysis::doctor::StepStatus;
use gbac_engine::groups::ClaimFinding;
use gbac_json::{Code, ElementJson, GroupJson, WarningJson};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The user and the groups that a token or claims produce.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct InspectedToken<'a> {
    /// The user; null if none can be read, which `user_error` explains.
    pub(crate) user: Option<&'a str>,
    /// Why there is no user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_error: Option<UserError>,
    /// The groups in the order of the token, without duplicates.
    pub(crate) groups: Vec<GroupJson>,
    /// Warnings about the token and its groups.
    pub(crate) warnings: Vec<WarningJson>,
    /// Whether keys were given and the token passed every check.
    pub(crate) verified: bool,
    /// The groups claim, or why there is none.
    pub(crate) claim: Code<ClaimFinding>,
    /// The elements of the groups claim with their outcomes.
    pub(crate) elements: Vec<ElementJson>,
    /// The claims.
    pub(crate) claims: &'a Map<String, Value>,
    /// The checks of the token, in order; empty if no keys were given.
    pub(crate) checks: Vec<TokenCheck<'a>>,
    /// The header; absent if claims were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) header: Option<&'a Map<String, Value>>,
}

/// Why a token names no user.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UserError {
    /// The stable code.
    pub(crate) code: &'static str,
    /// The error.
    pub(crate) message: String,
}

/// One check of a token.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TokenCheck<'a> {
    /// What was checked.
    pub(crate) name: &'static str,
    /// `passed`, `failed` or `not_checked`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["passed", "failed", "not_checked"])))]
    pub(crate) outcome: &'static str,
    /// The stable code of a failed check.
    pub(crate) code: Option<&'static str>,
    /// The details.
    pub(crate) detail: &'a str,
}

/// The troubleshooting procedure, step by step.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct Diagnosis<'a> {
    /// The steps, in order.
    pub(crate) steps: Vec<DiagnosisStep<'a>>,
}

/// One step of the troubleshooting procedure.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosisStep<'a> {
    /// The stable name.
    pub(crate) code: &'static str,
    /// What the step does.
    pub(crate) title: &'static str,
    /// Its status.
    pub(crate) state: Code<StepStatus>,
    /// The findings.
    pub(crate) findings: &'a [String],
    /// The next actions.
    pub(crate) next: &'a [String],
}

/// The results of assertion files.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TestResults<'a> {
    /// The number of tests that passed.
    pub(crate) passed: usize,
    /// The number of tests that failed.
    pub(crate) failed: usize,
    /// The tests, in the order of the files. A file that cannot be read is a failed test.
    pub(crate) tests: Vec<TestResult<'a>>,
}

/// The result of one test.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TestResult<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The name of the test, after its ID if it has one.
    pub(crate) name: &'a str,
    /// Whether it passed.
    pub(crate) passed: bool,
    /// What differs from the expected result; null if it passed.
    pub(crate) difference: Option<&'a str>,
}

/// The valid options of `gbac serve`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CheckedOptions<'a> {
    /// Always true; invalid options are an error.
    pub(crate) valid: bool,
    /// The folder of the data; null for a demo.
    pub(crate) data: Option<&'a Path>,
    /// The listen address.
    pub(crate) listen: &'a str,
}

/// The manual pages that were written.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ManualPages<'a> {
    /// The folder.
    pub(crate) folder: &'a str,
    /// The number of pages.
    pub(crate) pages: usize,
}

/// The version, the build and the features of this program.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ProgramVersion<'a> {
    /// The version.
    pub(crate) version: &'a str,
    /// `debug` or `release`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["debug", "release"])))]
    pub(crate) build: &'a str,
    /// The operating system and the architecture, such as `linux-x86_64`.
    pub(crate) platform: &'a str,
    /// The version of the engine.
    pub(crate) engine: &'a str,
    /// The features.
    pub(crate) features: &'a [&'a str],
}

/// A connection profile that was created, selected or deleted.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ChangedProfile<'a> {
    /// Its name.
    pub(crate) profile: &'a str,
    /// The name of the current profile; null if there is none.
    pub(crate) current: Option<&'a str>,
}

/// The current connection profile.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CurrentProfile<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The URL of the service.
    pub(crate) url: &'a str,
    /// The user to sign in with, if the profile names one.
    pub(crate) user: Option<&'a str>,
    /// The prefix of role principals, if it is not `Role`.
    pub(crate) role_spelling: Option<&'a str>,
    /// What selects it: `GBAC_PROFILE` or `gbac profile use`.
    pub(crate) selected_by: &'a str,
}

/// The connection profiles.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ProfileList<'a> {
    /// The profiles, sorted by name.
    pub(crate) profiles: Vec<ListedProfile<'a>>,
}

/// A connection profile.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ListedProfile<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The URL of the service.
    pub(crate) url: &'a str,
    /// The user to sign in with, if the profile names one.
    pub(crate) user: Option<&'a str>,
    /// The prefix of role principals, if it is not `Role`.
    pub(crate) role_spelling: Option<&'a str>,
    /// Whether it is the current profile.
    pub(crate) current: bool,
}
