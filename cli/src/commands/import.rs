//! `gbac import`: replaces the policy of a running service with a document, or adds to it.

use gbac_analysis::{Relation, diff};
use gbac_engine::policy::{Change, Policy};
use gbac_json::DiffJson;
use gbac_words::commands::policy as words;
use gbac_words::common;

use super::change_list::ChangeList;
use super::{differences, merge, target};
use crate::args::Format;
use crate::args::online::ImportArgs;
use crate::client::Client;
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure, sentence};
use crate::process::Process;
use crate::results::TransferredPolicy;

pub(crate) fn run(process: &Process, args: &ImportArgs, format: Format) -> Result<u8, Failure> {
    let file = args.file.display().to_string();
    let required_tag = args.if_match.as_deref().map(tag_of).transpose()?;
    let policy = input::policy(process, &args.file)?;
    let client = Client::open(process, &args.connect)?;
    if args.merge {
        return merge::run(process, &client, &policy, args.dry_run, format);
    }
    let (before, tag) = client
        .policy()
        .map_err(|error| target::explained(process, &client, error))?;
    if required_tag.is_some_and(|required| required != tag) {
        return Err(Failure::new("policy_changed", words::POLICY_CHANGED));
    }
    let changes = ChangeList::between(&before, &policy);
    if args.dry_run {
        client.validate_policy(&policy, &tag)?;
        let relation = show_dry_run(process, &before, &policy, format)?;
        let differs = args.exit_code && relation != Relation::Equal;
        return Ok(if differs {
            output::ERROR
        } else {
            output::SUCCESS
        });
    }
    if changes.removes_something() || changes.sets_something() {
        show_effect(process, &before, &after_import(&before, &policy)?, format)?;
    }
    if changes.removes_something() && !args.no_confirm {
        confirm(process, words::REPLACE_POLICY)?;
    }
    let tag = client.replace_policy(&policy, &tag)?;
    report(process, "Imported", &file, &policy, tag.as_deref(), format)?;
    Ok(output::SUCCESS)
}

/// The policy after a document replaced it: the service keeps settings that the document omits.
fn after_import(before: &Policy, document: &Policy) -> Result<Policy, Failure> {
    let mut after = document.clone();
    let settings = document.settings().filled_from(before.settings());
    after
        .apply(Change::Settings(Box::new(settings)))
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    Ok(after)
}

/// Shows what replacing a policy with a document would change.
pub(super) fn show_dry_run(
    process: &Process,
    before: &Policy,
    document: &Policy,
    format: Format,
) -> Result<Relation, Failure> {
    let changes = ChangeList::between(before, document);
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
                    differences::render(process, &changed)
                )
            };
            output::text(process, &format!("{effect}{}\n", words::DRY_RUN))?;
        }
    }
    Ok(changed.relation)
}

/// Shows what a change of the whole policy adds and removes, and who gains and loses access. Other
/// formats than text show it on standard error.
pub(super) fn show_effect(
    process: &Process,
    before: &Policy,
    after: &Policy,
    format: Format,
) -> Result<(), Failure> {
    let text = format!(
        "{}{}",
        ChangeList::between(before, after).render(),
        differences::render(process, &diff(before, after))
    );
    match format {
        Format::Text => output::text(process, &text),
        Format::Json | Format::Yaml => {
            output::problem(process, text.trim_end());
            Ok(())
        }
    }
}

/// Converts a printed state to the service's entity tag (RFC 9110 8.8.3).
fn tag_of(state: &str) -> Result<String, Failure> {
    let state = state.trim_matches('"');
    if state.is_empty()
        || !state
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'"')
    {
        return Err(Failure::usage(
            "--if-match: invalid state; write one that `gbac export --out` printed",
        ));
    }
    Ok(format!("\"{state}\""))
}

pub(super) fn report(
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
