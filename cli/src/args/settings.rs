//! The settings that read user and groups: a policy document, or the settings one by one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{GroupSource, Settings};
use gbac_words::commands::files;
use serde_json::Value;

use crate::input;
use crate::output::{self, Failure, sentence};
use crate::process::Process;

/// The settings that read user and groups: a policy document, or the settings one by one.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Policy document with the settings; `doctor` also checks whether its ACLs and roles name the
    /// groups.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claim_path", "nested", "sso", "principal_mapping"])]
    pub(crate) policy: Option<PathBuf>,
    /// Claim path: the JSON path of the group claim [default: $.groups].
    #[arg(long, value_name = "PATH", conflicts_with = "sso")]
    pub(crate) claim_path: Option<String>,
    /// Handling of path-style group names: none keeps them, suffix keeps the last segment [default:
    /// none].
    #[arg(long, value_name = "BEHAVIOR", conflicts_with = "sso")]
    pub(crate) nested: Option<String>,
    /// Principal mapping: the claim that names the user [default: $.sub].
    #[arg(long, value_name = "MAPPING")]
    pub(crate) principal_mapping: Option<String>,
    /// File with the Attributes JSON of a managed cloud's SSO connection, instead of --claim-path.
    #[arg(long, value_name = "FILE")]
    pub(crate) sso: Option<PathBuf>,
    /// User-info document, if the SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
}

/// Says that a user-info document has no effect, because nothing reads it.
pub(crate) fn note_unread_userinfo(process: &Process, args: &SettingsArgs, settings: &Settings) {
    let Some(path) = &args.userinfo else { return };
    if let GroupSource::Properties { .. } = settings.groups {
        let note = sentence(&files::userinfo_not_read(&path.display().to_string()));
        output::note(process, &format!("note: {note}"));
    }
}

/// Reads the value of `--nested`.
pub(crate) fn nested_behavior(text: &str) -> Result<NestedGroupBehavior, Failure> {
    text.parse::<NestedGroupBehavior>().map_err(|error| {
        Failure::value(error.code(), format!("--nested: {error}; {}", error.hint()))
    })
}

/// The settings that the flags name.
pub(crate) fn settings(process: &Process, args: &SettingsArgs) -> Result<Settings, Failure> {
    if let Some(path) = &args.policy {
        return Ok(input::policy(process, path)?.settings().clone());
    }
    let mut settings = Settings::default();
    if let Some(path) = &args.sso {
        let mut attributes = BTreeMap::new();
        for (name, value) in input::object(process, path)?.members().clone() {
            let Value::String(text) = value else {
                return Err(Failure::new(
                    "wrong_type",
                    files::not_a_string(&path.display().to_string(), &name),
                ));
            };
            attributes.insert(name, text);
        }
        settings.groups = GroupSource::from_attributes(attributes).map_err(|error| {
            Failure::new(
                error.code(),
                format!("{}: {error}; {}", path.display(), error.hint()),
            )
        })?;
    } else if let GroupSource::Properties { claim_path, nested } = &mut settings.groups {
        if let Some(text) = &args.claim_path {
            *claim_path = ClaimPath::parse(text).map_err(|error| {
                let hint = match error.hint() {
                    Some(hint) => format!("; {hint}"),
                    None => String::new(),
                };
                Failure::value(error.code(), format!("--claim-path: {error}{hint}"))
            })?;
        }
        if let Some(text) = &args.nested {
            *nested = nested_behavior(text)?;
        }
    }
    if let Some(text) = &args.principal_mapping {
        settings.principal_mapping = PrincipalMapping::parse(text).map_err(|error| {
            Failure::value(error.code(), format!("--principal-mapping: {error}"))
        })?;
    }
    Ok(settings)
}
