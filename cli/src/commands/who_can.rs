//! `gbac who-can`: every principal with an ACL on a resource.

use std::fmt::Write;

use clap::Args;
use gbac_analysis::{Scope, WhoCan, WhoCanEntry, who_can, who_can_on_prefix};
use gbac_engine::decide::{At, Request};
use gbac_engine::model::{PatternType, Principal};
use gbac_json::WhoCanJson;
use gbac_words::commands::access;
use gbac_words::phrases::list;
use gbac_words::{acl, decision};

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question::{self, ResourceArgs, Resources};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::table::{Cell, table};
use crate::render::verdicts::access_path;

#[derive(Debug, Args)]
pub(crate) struct WhoCanArgs {
    #[command(flatten)]
    policy: PolicySourceArgs,
    /// Operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION")]
    operation: String,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Ask about all names that start with the resource's name: who can on every one, and who only on
    /// some.
    #[arg(long)]
    prefixed: bool,
    /// IP address of the client. Without it, ACLs limited to one host do not allow, but still deny.
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
}

pub(crate) fn run(process: &Process, args: &WhoCanArgs, format: Format) -> Result<u8, Failure> {
    let operation = question::parse_operation(&args.operation)?;
    let host = question::parse_host(args.host.as_deref())?;
    let (kind, name) = Resources::from(&args.resources).single()?;
    let request = Request::new(operation, kind, &name, At::IgnoringExpiry).with_host(host);
    let LoadedPolicy { policy, state, .. } = policy_source::load(process, &args.policy)?;
    let who = match args.prefixed {
        true => who_can_on_prefix(&policy, &request),
        false => who_can(&policy, &request),
    };
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state.as_ref(), format, WhoCanJson::from(&who))?;
        }
        Format::Text => {
            policy_source::write_text(
                process,
                state.as_ref(),
                &render(process, &request, args.prefixed, &who),
            )?;
        }
    }
    Ok(output::SUCCESS)
}

fn render(process: &Process, request: &Request<'_>, prefixed: bool, who: &WhoCan) -> String {
    let pattern = match prefixed {
        true => PatternType::Prefixed,
        false => PatternType::Literal,
    };
    let who_can = access::who_can(
        request.operation,
        request.resource_type,
        request.resource_name,
        pattern,
    );
    let mut text = sentence(&who_can) + "\n";
    if !who.superusers.is_empty() {
        let _ = writeln!(text, "{}", sentence(&access::superusers(&who.superusers)));
    }
    let everyone = who.entries.iter().any(|entry| entry.scope.is_everyone());
    let rows: Vec<Vec<Cell>> = who.entries.iter().map(row).collect();
    if rows.is_empty() {
        let _ = writeln!(text, "{}", access::NOBODY_ELSE);
    } else {
        let _ = write!(
            text,
            "\n{}",
            table(process, &["VERDICT", "PRINCIPAL", "REASON"], rows)
        );
        if !everyone {
            let _ = writeln!(text, "{}", access::EVERYONE_ELSE);
        }
    }
    if !who.denied_principals.is_empty() {
        let denied = access::denied_too(&who.denied_principals);
        let _ = writeln!(text, "{}", sentence(&denied));
    }
    if who.entries.iter().any(|entry| entry.host_unknown) {
        let _ = writeln!(text, "{}", access::HOST_MATTERS);
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
    let denies: Vec<String> = entry.denied_by.iter().map(access_path).collect();
    let mut because = match &entry.granted_by {
        _ if !denies.is_empty() => access::denied_by(&denies.join("; ")),
        Some(path) => access_path(path),
        None => access::NO_ACL.to_owned(),
    };
    if let Some(names) = acl::coverage(&entry.only_on, &entry.not_on) {
        let _ = write!(because, " ({})", sentence(&names));
    }
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
