//! docs/command-line.schema.json: the JSON Schema of each command's output, made from the types of
//! the results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use clap::{Command, CommandFactory};
use gbac_api::authzen::EvaluationContext;
use gbac_api::cluster_config::ConfigVersion;
use gbac_api::license::LicenseBody;
use gbac_api::loggers::Logger;
use gbac_api::what_if::SettingsReport;
use gbac_json::{
    CollisionReportJson, DecisionJson, ExplanationJson, IdentityComparisonJson, LeastGrantJson,
    PermissionsJson, RequestAnswerJson, RevocationJson, TokenRefusalJson, WhatIfJson, WhoCanJson,
};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::args::policy_source::AtState;
use crate::client::cluster_changes::SentChanges;
use crate::commands::Cli;
use crate::commands::audit::VerifiedAudit;
use crate::commands::backup::SavedBackup;
use crate::commands::check::{OfRequest, OnCluster};
use crate::commands::cluster::ChangedLogLevels;
use crate::commands::doctor::{DenialReport, Diagnosis};
use crate::commands::import::MergedPolicy;
use crate::commands::man::ManualPages;
use crate::commands::policy::{
    ComparedClusters, Findings, FormattedFiles, ImportedPolicy, ValidatedFiles,
};
use crate::commands::profile::{ChangedProfile, CurrentProfile, ProfileList};
use crate::commands::ready::ReadyService;
use crate::commands::requests::ListedRequest;
use crate::commands::restore::RestoredBackup;
use crate::commands::security::{
    AclCreations, AclDeletions, AclMatches, AclRow, RoleDetails, RoleMemberRow, RoleNames,
};
use crate::commands::serve::CheckedOptions;
use crate::commands::test::TestResults;
use crate::commands::token::InspectedToken;
use crate::commands::version::ProgramVersion;
use crate::commands::watch::WatchEvent;
use crate::commands::whoami::{ClusterTarget, ServiceCaller};
use crate::output::ErrorResult;
use crate::render::adds_and_removes::PolicyDifference;
use crate::render::policy_transfer::TransferredPolicy;

/// Makes the schema of a result.
type Make = fn(&mut SchemaGenerator) -> Schema;

/// The schema of an output.
enum Output {
    /// One of these results.
    Results(&'static [Make]),
    /// The same as that of another command.
    Like(&'static str),
}
use Output::{Like, Results};

/// The commands that write no JSON: shell scripts, and manifests of other tools.
const WITHOUT_JSON: [&str; 2] = ["completions", "policy convert"];

/// The outputs by command, or what else an output belongs to.
const OUTPUTS: &[(&str, Output)] = &[
    (
        "check",
        Results(&[
            on_cluster::<ExplanationJson>,
            on_cluster::<RequestAnswerJson>,
            at_state::<TokenRefusalJson>,
            schema_of::<EvaluationContext>,
        ]),
    ),
    (
        "check --checks",
        Results(&[
            of_request::<DecisionJson>,
            of_request::<RequestAnswerJson>,
            of_request::<TokenRefusalJson>,
            of_request::<ErrorResult<'_>>,
        ]),
    ),
    ("who-can", Results(&[at_state::<WhoCanJson>])),
    ("permissions", Results(&[at_state::<PermissionsJson>])),
    ("requests", Results(&[schema_of::<Vec<ListedRequest>>])),
    ("least-grant", Results(&[at_state::<LeastGrantJson>])),
    ("revoke", Results(&[at_state::<RevocationJson>])),
    ("compare", Results(&[at_state::<IdentityComparisonJson>])),
    ("what-if", Results(&[at_state::<WhatIfJson>])),
    ("collisions", Results(&[schema_of::<CollisionReportJson>])),
    ("policy validate", Results(&[schema_of::<ValidatedFiles>])),
    ("policy lint", Results(&[at_state::<Findings>])),
    (
        "policy fmt",
        Results(&[schema_of::<FormattedFiles<'_>>, policy_document]),
    ),
    (
        "policy diff",
        Results(&[
            at_state::<PolicyDifference>,
            schema_of::<ComparedClusters<'_>>,
        ]),
    ),
    (
        "policy import",
        Results(&[schema_of::<ImportedPolicy<'_>>, policy_document]),
    ),
    ("policy pull", Like("policy import")),
    ("policy what-if", Results(&[at_state::<SettingsReport>])),
    (
        "policy apply",
        Results(&[
            schema_of::<TransferredPolicy<'_>>,
            schema_of::<PolicyDifference>,
            schema_of::<SentChanges>,
        ]),
    ),
    ("token inspect", Results(&[schema_of::<InspectedToken<'_>>])),
    ("doctor", Results(&[schema_of::<Diagnosis<'_>>])),
    ("doctor denial", Results(&[at_state::<DenialReport<'_>>])),
    ("test", Results(&[at_state::<TestResults<'_>>])),
    ("serve", Results(&[schema_of::<CheckedOptions<'_>>])),
    ("backup", Results(&[schema_of::<SavedBackup<'_>>])),
    ("restore", Results(&[schema_of::<RestoredBackup<'_>>])),
    ("audit verify", Results(&[schema_of::<VerifiedAudit>])),
    (
        "export",
        Results(&[schema_of::<TransferredPolicy<'_>>, policy_document]),
    ),
    (
        "import",
        Results(&[
            schema_of::<TransferredPolicy<'_>>,
            schema_of::<PolicyDifference>,
            schema_of::<MergedPolicy<'_>>,
            schema_of::<SentChanges>,
        ]),
    ),
    (
        "security acl create",
        Results(&[schema_of::<Vec<AclRow>>, schema_of::<AclCreations>]),
    ),
    ("security acl list", Results(&[schema_of::<AclMatches<'_>>])),
    (
        "security acl delete",
        Results(&[schema_of::<AclDeletions<'_>>]),
    ),
    (
        "security role create",
        Results(&[schema_of::<RoleNames<'_>>]),
    ),
    (
        "security role assign",
        Results(&[schema_of::<Vec<RoleMemberRow<'_>>>]),
    ),
    ("security role unassign", Like("security role assign")),
    (
        "security role describe",
        Results(&[schema_of::<RoleDetails<'_>>]),
    ),
    ("security role list", Like("security role create")),
    ("security role delete", Like("security role create")),
    ("cluster config get", Results(&[any_property])),
    ("cluster config set", Results(&[schema_of::<ConfigVersion>])),
    ("cluster config list", Results(&[properties])),
    ("cluster loggers list", Results(&[schema_of::<Vec<Logger>>])),
    (
        "cluster loggers set",
        Results(&[schema_of::<ChangedLogLevels<'_>>]),
    ),
    ("cluster license", Results(&[schema_of::<LicenseBody>])),
    ("cluster license set", Like("cluster license")),
    ("watch", Results(&[schema_of::<WatchEvent<'_>>])),
    (
        "profile create",
        Results(&[schema_of::<ChangedProfile<'_>>]),
    ),
    ("profile use", Like("profile create")),
    ("profile delete", Like("profile create")),
    ("profile list", Results(&[schema_of::<ProfileList<'_>>])),
    (
        "profile current",
        Results(&[schema_of::<CurrentProfile<'_>>]),
    ),
    ("ready", Results(&[schema_of::<ReadyService<'_>>])),
    (
        "whoami",
        Results(&[
            schema_of::<ServiceCaller<'_>>,
            schema_of::<ClusterTarget<'_>>,
        ]),
    ),
    ("version", Results(&[schema_of::<ProgramVersion<'_>>])),
    ("man", Results(&[schema_of::<ManualPages<'_>>])),
    ("admin config log-level set", Like("cluster loggers set")),
    ("error", Results(&[schema_of::<ErrorResult<'_>>])),
];

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

/// The schema of a type that adds members to a result, with the description of the result.
fn around<T: JsonSchema, Result: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    if let Some(description) = Result::json_schema(generator).remove("description") {
        schema.insert("description".into(), description);
    }
    schema
}

fn at_state<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    around::<AtState<'_, T>, T>(generator)
}

fn on_cluster<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    around::<AtState<'_, OnCluster<T>>, T>(generator)
}

fn of_request<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    around::<OfRequest<T>, T>(generator)
}

fn policy_document(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "policy.schema.json" })
}

fn any_property(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "The value of a property, in its own type." })
}

fn properties(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "The values of all properties, by name.", "type": "object", "additionalProperties": true })
}

/// The name of an output in `$defs`.
fn name_of(command: &str) -> String {
    command.replace(" --", "-").replace(' ', "-")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Refuses unknown members, and removes what JSON Schema does not define.
fn close(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        let open = ["$ref", "allOf", "anyOf", "oneOf"]
            .into_iter()
            .find(|name| schema.get(*name).is_some());
        assert_eq!(
            open, None,
            "an object that other members extend cannot be closed: {schema:?}"
        );
        schema.insert("additionalProperties".into(), json!(false));
        drop_null(schema);
    }
    if schema
        .get("type")
        .is_some_and(|kind| !kind.to_string().contains("string"))
    {
        // The width of a number in Rust.
        schema.remove("format");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// Removes null from the members that are absent instead.
fn drop_null(schema: &mut Schema) {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let Some(Value::Object(members)) = schema.get_mut("properties") else {
        return;
    };
    for (name, member) in members {
        let Value::Object(member) = member else {
            continue;
        };
        if required.contains(&json!(name)) {
            continue;
        }
        if let Some(Value::Array(kinds)) = member.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [kind] = kinds.as_slice() {
                let kind = kind.clone();
                member.insert("type".into(), kind);
            }
        }
        if let Some(Value::Array(schemas)) = member.get_mut("anyOf") {
            schemas.retain(|schema| schema["type"] != "null");
            if let [Value::Object(schema)] = schemas.as_mut_slice() {
                let schema = std::mem::take(schema);
                member.remove("anyOf");
                member.extend(schema);
            }
        }
    }
}

/// The text of docs/command-line.schema.json.
fn document() -> String {
    let mut close = RecursiveTransform(close);
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(close.clone());
    let mut generator = settings.into_generator();
    let mut definitions = Map::new();
    for (command, output) in OUTPUTS {
        let mut schema = match output {
            Results([make]) => make(&mut generator),
            Results(makes) => {
                let results: Vec<Value> = makes
                    .iter()
                    .map(|make| make(&mut generator).to_value())
                    .collect();
                json_schema!({ "anyOf": results })
            }
            Like(other) => json_schema!({ "$ref": format!("#/$defs/{}", name_of(other)) }),
        };
        close.transform(&mut schema);
        assert_eq!(
            definitions.insert(name_of(command), schema.to_value()),
            None,
            "{command}"
        );
    }
    for (name, schema) in generator.take_definitions(true) {
        assert_eq!(definitions.insert(name.clone(), schema), None, "{name}");
    }
    let outputs: Vec<Value> = OUTPUTS
        .iter()
        .map(|(command, _)| reference(&name_of(command)))
        .collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Made from the Rust types of the command line by `cargo xtask types`. Do not edit.",
        "title": "GBAC command line, the output of --format json",
        "description": "The output of each command is in $defs, by the name of the command. See command-line.md.",
        "anyOf": outputs,
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

#[test]
fn the_file_is_what_the_types_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/command-line.schema.json");
    let document = document();
    if env::var_os("GBAC_WRITE_SCHEMA").is_some() {
        fs::write(&path, &document).unwrap();
    }
    let file = fs::read_to_string(&path).unwrap_or_default();
    let message = "docs/command-line.schema.json is not what the Rust types say; `cargo xtask types` writes it";
    assert!(file == document, "{message}");
}

/// The commands that do something, with their paths.
fn commands(command: &Command, path: &str, found: &mut BTreeSet<String>) {
    for below in command
        .get_subcommands()
        .filter(|below| below.get_name() != "help")
    {
        let path = format!("{path} {}", below.get_name()).trim().to_owned();
        commands(below, &path, found);
        if !below.is_subcommand_required_set() {
            found.insert(path);
        }
    }
}

#[test]
fn every_command_has_a_schema() {
    let mut found = BTreeSet::new();
    commands(&Cli::command(), "", &mut found);
    let listed = OUTPUTS.iter().map(|(command, _)| *command);
    let listed = listed.filter(|command| *command != "error" && !command.contains(" --"));
    let listed: BTreeSet<String> = listed.chain(WITHOUT_JSON).map(str::to_owned).collect();
    assert_eq!(listed, found);
}

#[test]
fn no_two_outputs_have_the_same_name() {
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for (command, _) in OUTPUTS {
        assert_eq!(names.insert(name_of(command), command), None);
    }
}
