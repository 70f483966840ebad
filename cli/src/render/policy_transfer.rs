//! A whole policy that a service replaces or exports: what it changes, and that it was done.

use gbac_analysis::{Relation, diff};
use gbac_engine::policy::{Change, Policy};
use gbac_json::DiffJson;
use gbac_words::commands::policy as words;
use gbac_words::common;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::adds_and_removes::AddsAndRemoves;
use super::gains_and_losses;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;

/// A policy that was exported to a file, or imported from one.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TransferredPolicy<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The number of ACLs of the policy.
    pub(crate) acls: usize,
    /// The number of roles of the policy.
    pub(crate) roles: usize,
    /// The state of the service's policy; null if the service does not state it.
    pub(crate) state: Option<&'a str>,
}

/// The policy after a document replaced it: the service keeps settings that the document omits.
pub(crate) fn after_import(before: &Policy, document: &Policy) -> Result<Policy, Failure> {
    let mut after = document.clone();
    let settings = document.settings().filled_from(before.settings());
    after
        .apply(Change::Settings(Box::new(settings)))
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    Ok(after)
}

/// Shows what replacing a policy with a document would change.
pub(crate) fn show_dry_run(
    process: &Process,
    before: &Policy,
    document: &Policy,
    format: Format,
) -> Result<Relation, Failure> {
    let changes = AddsAndRemoves::between(before, document);
    let changed = diff(before, &after_import(before, document)?);
    match format {
        Format::Json | Format::Yaml => {
            output::value(process, format, &changes.counted(DiffJson::from(&changed)))?;
        }
        Format::Text => {
            let effect = if changes.is_empty() {
                format!("{}\n", common::NOTHING_TO_CHANGE)
            } else {
                format!(
                    "{}{}",
                    changes.render(),
                    gains_and_losses::render(process, &changed)
                )
            };
            output::text(process, &format!("{effect}{}\n", words::DRY_RUN))?;
        }
    }
    Ok(changed.relation)
}

/// Shows what a change of the whole policy adds and removes, and who gains and loses access. Other
/// formats than text show it on standard error.
pub(crate) fn show_effect(
    process: &Process,
    before: &Policy,
    after: &Policy,
    format: Format,
) -> Result<(), Failure> {
    let text = format!(
        "{}{}",
        AddsAndRemoves::between(before, after).render(),
        gains_and_losses::render(process, &diff(before, after))
    );
    match format {
        Format::Text => output::text(process, &text),
        Format::Json | Format::Yaml => {
            output::problem(process, text.trim_end());
            Ok(())
        }
    }
}

/// Says that a policy was exported or imported.
pub(crate) fn report(
    process: &Process,
    done: &str,
    file: &str,
    policy: &Policy,
    tag: Option<&str>,
    format: Format,
) -> Result<(), Failure> {
    let state = tag.map(|tag| tag.trim_matches('"'));
    match format {
        Format::Json | Format::Yaml => {
            let (acls, roles) = (policy.acl_count(), policy.role_count());
            output::value(
                process,
                format,
                &TransferredPolicy {
                    file,
                    acls,
                    roles,
                    state,
                },
            )
        }
        Format::Text => {
            let (acls, roles) = (policy.acl_count(), policy.role_count());
            let mut text = sentence(&words::transferred(done, file, acls, roles));
            if let Some(state) = state {
                text = format!("{text} {}", sentence(&words::state(state)));
            }
            output::text(process, &format!("{text}\n"))
        }
    }
}
