//! `gbac who-can`: every principal that an ACL on a resource concerns.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::{AclMatch, Scope, WhoCan, WhoCanEntry, who_can};
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::model::Principal;
use gbac_json::WhoCanJson;
use serde_json::json;

use super::explain::{resource, rule};
use crate::args::{Format, WhoCanArgs};
use crate::input;
use crate::output::{self, Failure, plain, table};
use crate::question::Access;

pub(crate) fn run(args: &WhoCanArgs, format: Format) -> Result<ExitCode, Failure> {
    let asked = Access::of(&args.operation, &args.resources, args.host.as_deref())?;
    let policy = input::policy(&args.policy)?;
    let who = who_can(&policy, &asked.request());
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(WhoCanJson::from(&who)))?,
        Format::Text => output::text(&words(&asked.request(), &who))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(asked: &Request<'_>, who: &WhoCan) -> String {
    let on = resource(asked.resource_type, asked.resource_name);
    let mut text = format!("Who may {} on {on}\n", asked.operation.spelling().label);
    let list = |names: Vec<String>| names.join(", ");
    if !who.superusers.is_empty() {
        let names = list(who.superusers.iter().map(|name| format!("User:{}", plain(name))).collect());
        let _ = writeln!(text, "Superusers, whatever ACLs say: {names}");
    }
    let everyone = who.entries.iter().any(|entry| entry.scope.is_everyone());
    let rows: Vec<Vec<String>> = who.entries.iter().map(row).collect();
    if rows.is_empty() {
        text.push_str("No ACL is about it: everyone else is denied.\n");
    } else {
        let _ = write!(text, "\n{}", table(&["VERDICT", "PRINCIPAL", "BECAUSE"], &rows));
        if !everyone {
            text.push_str("Everyone else is denied.\n");
        }
    }
    if !who.blocked_for.is_empty() {
        let names = list(who.blocked_for.iter().map(blocked).collect());
        let _ = writeln!(text, "Whoever is also one of these is denied, whatever else allows it: {names}");
    }
    if who.entries.iter().any(|entry| entry.host_unknown) {
        text.push_str("Some depend on the host; give --host to know.\n");
    }
    text
}

fn row(entry: &WhoCanEntry) -> Vec<String> {
    let mut name = match &entry.scope {
        Scope::Everyone => format!("{} (everyone)", entry.scope),
        Scope::One(principal) => literal(principal),
    };
    if !entry.members.is_empty() {
        let members: Vec<String> = entry.members.iter().map(literal).collect();
        let _ = write!(name, " ({})", members.join(", "));
    }
    let verdict = if entry.outcome == Outcome::Allow { "allowed" } else { "denied" };
    let because: Vec<String> = match &entry.denied_by[..] {
        [] => entry.granted_by.iter().map(by).collect(),
        denies => denies.iter().map(by).collect(),
    };
    let because = if because.is_empty() { "nothing allows it".into() } else { because.join("; ") };
    vec![verdict.into(), name, because]
}

/// A principal by its name alone: the member of a role whose name is an asterisk is one user and not everyone (D-33).
fn literal(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    if principal.is_everyone() { format!("{name} (the user named `*`)") } else { name }
}

/// The principal of a deny, where `User:*` is everyone.
fn blocked(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    if principal.is_everyone() { format!("{name} (everyone)") } else { name }
}

/// An ACL with the way to it.
pub(super) fn by(found: &AclMatch) -> String {
    let mut way: Vec<String> = found.group.iter().map(|group| format!("Group:{}", plain(group))).collect();
    way.extend(found.role.iter().map(|role| format!("Role:{}", plain(role))));
    if way.is_empty() {
        way.push(plain(&found.acl.principal.to_string()));
    }
    way.push(rule(&found.acl, None));
    way.join(" > ")
}
