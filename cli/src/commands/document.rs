//! `gbac export` and `gbac import`: the whole policy of a running service.

use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

use gbac_analysis::{Relation, diff};
use gbac_api::script::changes_between;
use gbac_console_model::phrases::thousands;
use gbac_engine::model::Principal;
use gbac_engine::policy::{AccessLevel, Change, Policy, Settings, Superusers};
use gbac_json::{DiffJson, policy_to_json, policy_to_text, settings_to_json};
use serde_json::{Value, json};

use super::{differences, merge, target, verdicts};
use crate::args::Format;
use crate::args::online::{ExportArgs, ImportArgs};
use crate::client::Client;
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure, contents, plain};

pub(crate) fn export(args: &ExportArgs, format: Format) -> Result<ExitCode, Failure> {
    let client = Client::open(&args.connect)?;
    let (policy, tag) = client.policy().map_err(|error| target::explained(&client, error))?;
    let document = policy_to_text(&policy);
    let Some(path) = &args.out else {
        match format {
            Format::Text | Format::Json => output::document(&document)?,
            Format::Yaml => output::value(format, &policy_to_json(&policy))?,
        }
        return Ok(ExitCode::SUCCESS);
    };
    let file = path.display().to_string();
    fs::write(path, document).map_err(|error| Failure::io(&file, &error))?;
    report("Exported", &file, &policy, Some(&tag), format)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn import(args: &ImportArgs, format: Format) -> Result<ExitCode, Failure> {
    let file = args.file.display().to_string();
    let required_tag = args.if_match.as_deref().map(tag_of).transpose()?;
    let policy = input::policy(&args.file)?;
    let client = Client::open(&args.connect)?;
    if args.merge {
        return merge::run(&client, &policy, args.dry_run, format);
    }
    let (before, tag) = client.policy().map_err(|error| target::explained(&client, error))?;
    if required_tag.is_some_and(|required| required != tag) {
        let message = "the policy changed since that state; export it again and repeat your change";
        return Err(Failure::new("policy_changed", message));
    }
    let changes = Changes::between(&before, &policy);
    if args.dry_run {
        client.validate_policy(&policy, &tag)?;
        let relation = show_dry_run(&before, &policy, format)?;
        let differs = args.exit_code && relation != Relation::Equal;
        return Ok(if differs { ExitCode::from(output::ERROR) } else { ExitCode::SUCCESS });
    }
    if changes.removes_something() || changes.sets_something() {
        match format {
            Format::Text => output::text(&changes.render())?,
            Format::Json | Format::Yaml => output::problem(changes.render().trim_end()),
        }
    }
    if changes.removes_something() && !args.no_confirm {
        confirm("Replace the policy of the service?")?;
    }
    let tag = client.replace_policy(&policy, &tag)?;
    report("Imported", &file, &policy, tag.as_deref(), format)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows what replacing a policy with a document would change.
pub(super) fn show_dry_run(before: &Policy, document: &Policy, format: Format) -> Result<Relation, Failure> {
    let changes = Changes::between(before, document);
    let mut after = document.clone();
    // The service keeps settings that the document omits.
    let settings = document.settings().filled_from(before.settings());
    after.apply(Change::Settings(Box::new(settings))).map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let changed = diff(before, &after);
    match format {
        Format::Json | Format::Yaml => {
            let mut value = json!(DiffJson::from(&changed));
            if let Value::Object(members) = &mut value {
                members.insert("adds".into(), changes.adds.len().into());
                members.insert("removes".into(), changes.removes.len().into());
            }
            output::value(format, &value)?;
        }
        Format::Text => output::text(&format!("{}{}", changes.render(), differences::render(&changed)))?,
    }
    Ok(changed.relation)
}

/// Shows what a change of the whole policy adds and removes, and who gains and loses access. Other formats than text show
/// it on standard error.
pub(super) fn show_effect(before: &Policy, after: &Policy, format: Format) -> Result<(), Failure> {
    let text = format!("{}{}", Changes::between(before, after).render(), differences::render(&diff(before, after)));
    match format {
        Format::Text => output::text(&text),
        Format::Json | Format::Yaml => {
            output::problem(text.trim_end());
            Ok(())
        }
    }
}

/// Maximum number of changes to list.
const MAX_LISTED: usize = 50;

/// The changes of an import, each as a line of text.
struct Changes {
    adds: Vec<String>,
    removes: Vec<String>,
    sets: Vec<String>,
}

impl Changes {
    fn between(before: &Policy, document: &Policy) -> Self {
        let mut changes = Self { adds: Vec::new(), removes: Vec::new(), sets: Vec::new() };
        for change in changes_between(before, document) {
            match &change {
                Change::AddAcl(_) | Change::CreateRole(_) | Change::AddMember { .. } => {
                    changes.adds.push(verdicts::change(&change));
                }
                Change::RemoveAcl(_) | Change::RemoveMember { .. } | Change::DeleteRole { .. } => {
                    changes.removes.push(verdicts::change(&change));
                }
                Change::Settings(settings) => changes.set(before.settings(), &settings.filled_from(before.settings())),
            }
        }
        changes
    }

    fn set(&mut self, before: &Settings, after: &Settings) {
        let (current, new) = (&before.superusers, &after.superusers);
        let missing = |from: &Superusers, other: &Superusers| -> Vec<String> {
            from.iter().filter(|name| !other.contains(name)).map(|name| plain(name)).collect()
        };
        self.adds.extend(missing(new, current).iter().map(|name| format!("make User:{name} a superuser")));
        self.removes.extend(missing(current, new).iter().map(|name| format!("remove User:{name} from the superusers")));
        for level in AccessLevel::ALL {
            let (current, new) = (before.access.grantees(level), after.access.grantees(level));
            let line = |verb: &str, principal: &Principal| {
                format!("{verb} {} the access `{}` to the service", plain(&principal.to_string()), level.code())
            };
            let others = |from: &[Principal], other: &[Principal]| -> Vec<Principal> {
                from.iter().filter(|principal| !other.contains(principal)).cloned().collect()
            };
            self.adds.extend(others(new, current).iter().map(|principal| line("give", principal)));
            self.removes.extend(others(current, new).iter().map(|principal| line("take from", principal)));
        }
        let (current, new) = (settings_to_json(before), settings_to_json(after));
        for name in ["oidc_group_claim_path", "nested_group_behavior", "oidc_principal_mapping", "sso"] {
            let value = |settings: &Value| {
                settings.get(name).map_or_else(|| "none".to_owned(), |value| plain(&value.to_string()))
            };
            if current.get(name) != new.get(name) {
                self.sets.push(format!("{name} from {} to {}", value(&current), value(&new)));
            }
        }
    }

    fn removes_something(&self) -> bool {
        !self.removes.is_empty()
    }

    fn sets_something(&self) -> bool {
        !self.sets.is_empty()
    }

    fn render(&self) -> String {
        let mut text = String::new();
        for (what, lines) in [("Adds", &self.adds), ("Removes", &self.removes), ("Changes settings", &self.sets)] {
            if lines.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{what} ({}):", thousands(lines.len()));
            for line in lines.iter().take(MAX_LISTED) {
                let _ = writeln!(text, "  {line}");
            }
            if let Some(more @ 1..) = lines.len().checked_sub(MAX_LISTED) {
                let _ = writeln!(text, "  and {} more", thousands(more));
            }
        }
        text
    }
}

/// Converts a printed state to the service's entity tag (RFC 9110 8.8.3).
fn tag_of(state: &str) -> Result<String, Failure> {
    let state = state.trim_matches('"');
    if state.is_empty() || !state.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return Err(Failure::usage("--if-match: invalid state; write one that `gbac export --out` printed"));
    }
    Ok(format!("\"{state}\""))
}

pub(super) fn report(
    done: &str,
    file: &str,
    policy: &Policy,
    tag: Option<&str>,
    format: Format,
) -> Result<(), Failure> {
    let state = tag.map(|tag| tag.trim_matches('"'));
    match format {
        Format::Json | Format::Yaml => {
            let value =
                json!({ "file": file, "acls": policy.acl_count(), "roles": policy.role_count(), "state": state });
            output::value(format, &value)
        }
        Format::Text => {
            let state = state.map(|state| format!(" The service's state is {}.", plain(state))).unwrap_or_default();
            output::text(&format!("{done} {}: {}.{state}\n", plain(file), contents(policy)))
        }
    }
}
