//! `gbac export` and `gbac import`: the whole policy of a running service.

use std::fs;
use std::process::ExitCode;

use gbac_engine::analyze::diff;
use gbac_engine::policy::Policy;
use gbac_engine::wire::{DiffJson, policy_from_json, policy_to_json, policy_to_text};
use serde_json::json;

use super::{differences, merge};
use crate::args::Format;
use crate::args::online::{ExportArgs, ImportArgs};
use crate::client::Client;
use crate::input;
use crate::output::{self, Failure, plain};

pub(crate) fn export(args: &ExportArgs, format: Format) -> Result<ExitCode, Failure> {
    let (policy, tag) = Client::open(&args.connect)?.policy()?;
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
    let wanted_tag = args.if_match.as_deref().map(tag_of).transpose()?;
    let document = input::text(&args.file)?;
    let policy = policy_from_json(&document).map_err(|problems| Failure::problems(&file, problems))?;
    let client = Client::open(&args.connect)?;
    if args.merge {
        return merge::run(&client, &policy, args.dry, format);
    }
    if args.dry {
        let (before, tag) = client.policy()?;
        if wanted_tag.is_some_and(|wanted| wanted != tag) {
            let message = "the policy was changed since then; export it again and repeat your change";
            return Err(Failure::new("policy_changed", message));
        }
        let changed = diff(&before, &policy);
        match format {
            Format::Json | Format::Yaml => output::value(format, &json!(DiffJson::from(&changed)))?,
            Format::Text => output::text(&differences::words(&changed))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let tag = match wanted_tag {
        Some(tag) => tag,
        None => client.policy()?.1,
    };
    let tag = client.replace_policy(document, &tag)?;
    report("Imported", &file, &policy, tag.as_deref(), format)?;
    Ok(ExitCode::SUCCESS)
}

/// A state as it was shown, as the service names it (an entity tag, RFC 9110 8.8.3).
fn tag_of(state: &str) -> Result<String, Failure> {
    let state = state.trim_matches('"');
    if state.is_empty() || !state.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return Err(Failure::usage("--if-match: that is no state; `gbac export --out` shows it"));
    }
    Ok(format!("\"{state}\""))
}

fn report(done: &str, file: &str, policy: &Policy, tag: Option<&str>, format: Format) -> Result<(), Failure> {
    let (acls, roles) = (policy.acl_count(), policy.role_count());
    let state = tag.map(|tag| tag.trim_matches('"'));
    match format {
        Format::Json | Format::Yaml => {
            let value = json!({ "file": file, "acls": acls, "roles": roles, "state": state });
            output::value(format, &value)
        }
        Format::Text => {
            let state = state.map(|state| format!(" The service's state is {}.", plain(state))).unwrap_or_default();
            output::text(&format!("{done} {}: {acls} ACLs and {roles} roles.{state}\n", plain(file)))
        }
    }
}
