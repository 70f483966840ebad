//! `gbac who-can`: every principal with an ACL on a resource.

use std::fmt::Write;

use gbac_analysis::{Scope, WhoCan, WhoCanEntry, who_can};
use gbac_engine::decide::Request;
use gbac_engine::model::Principal;
use gbac_json::WhoCanJson;
use gbac_words::decision;
use gbac_words::phrases::{ACLS_NOT_EVALUATED, list};

use super::verdicts::{access_path, resource};
use crate::args::{Format, WhoCanArgs};
use crate::output::{self, Failure, plain};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::query::AccessQuery;
use crate::table::{Cell, table};

pub(crate) fn run(process: &Process, args: &WhoCanArgs, format: Format) -> Result<u8, Failure> {
    let query = AccessQuery::from_args(&args.operation, &args.resources, args.host.as_deref())?;
    let LoadedPolicy { policy, state } = policy_source::load(process, &args.policy)?;
    let who = who_can(&policy, &query.request());
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state.as_ref(), format, WhoCanJson::from(&who))?;
        }
        Format::Text => policy_source::write_text(
            process,
            state.as_ref(),
            &render(process, &query.request(), &who),
        )?,
    }
    Ok(output::SUCCESS)
}

fn render(process: &Process, request: &Request<'_>, who: &WhoCan) -> String {
    let on = resource(request.resource_type, request.resource_name);
    let mut text = format!("Who can {} on {on}\n", request.operation.spelling().label);
    if !who.superusers.is_empty() {
        let names = list(
            &who.superusers
                .iter()
                .map(|name| format!("User:{}", plain(name)))
                .collect::<Vec<_>>(),
        );
        let _ = writeln!(text, "Superusers ({ACLS_NOT_EVALUATED}): {names}");
    }
    let everyone = who.entries.iter().any(|entry| entry.scope.is_everyone());
    let rows: Vec<Vec<Cell>> = who.entries.iter().map(row).collect();
    if rows.is_empty() {
        text.push_str("No ACL applies: everyone else is denied.\n");
    } else {
        let _ = write!(
            text,
            "\n{}",
            table(process, &["VERDICT", "PRINCIPAL", "REASON"], rows)
        );
        if !everyone {
            text.push_str("Everyone else is denied.\n");
        }
    }
    if !who.blocked_for.is_empty() {
        let names = list(&who.blocked_for.iter().map(blocked).collect::<Vec<_>>());
        let _ = writeln!(text, "Users who are also one of these are denied: {names}");
    }
    if who.entries.iter().any(|entry| entry.host_unknown) {
        text.push_str("Some results depend on the client's host; pass --host.\n");
    }
    text
}

fn row(entry: &WhoCanEntry) -> Vec<Cell> {
    let mut name = match &entry.scope {
        Scope::Everyone => format!("{} (everyone)", entry.scope),
        Scope::One(principal) => literal(principal),
    };
    if !entry.members.is_empty() {
        let members: Vec<String> = entry.members.iter().map(literal).collect();
        let _ = write!(name, " ({})", list(&members));
    }
    let verdict = Cell::styled(
        decision::outcome(entry.outcome),
        output::outcome_style(entry.outcome),
    );
    let because: Vec<String> = match &entry.denied_by[..] {
        [] => entry.granted_by.iter().map(access_path).collect(),
        denies => denies.iter().map(access_path).collect(),
    };
    let because = if because.is_empty() {
        "no ACL allows it".into()
    } else {
        because.join("; ")
    };
    vec![verdict, name.into(), because.into()]
}

/// A principal as a member of a role: `User:*` is the user named `*` here, and not everyone (D-33).
fn literal(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    if principal.is_everyone() {
        format!("{name} (the user named `*`)")
    } else {
        name
    }
}

/// The principal of a deny ACL: `User:*` is everyone here.
fn blocked(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    if principal.is_everyone() {
        format!("{name} (everyone)")
    } else {
        name
    }
}
