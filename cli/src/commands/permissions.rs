//! `gbac permissions`: the effective permissions of a user or principal.

use clap::Args;
use gbac_analysis::{Grant, GrantException, Permissions, Scope, permissions, permissions_of};
use gbac_engine::model::{Host, Principal};
use gbac_engine::policy::Policy;
use gbac_json::PermissionsJson;
use gbac_words::commands::access;
use gbac_words::common::SUPERUSERS_ALLOWED;

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question::{self, SignIn, SubjectArgs};
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::render::table::table;
use crate::render::verdicts::{expired, names, operations, token};
use crate::suggest;

#[derive(Debug, Args)]
pub(crate) struct PermissionsArgs {
    #[command(flatten)]
    policy: PolicySourceArgs,
    /// Principal, such as Group:engineering or Role:readers, instead of a user; `User:*` is
    /// everyone.
    #[arg(long, value_name = "TYPE:NAME", conflicts_with_all = ["user", "token_file"])]
    principal: Option<String>,
    #[command(flatten)]
    subject: SubjectArgs,
}

pub(crate) fn run(
    process: &Process,
    args: &PermissionsArgs,
    format: Format,
) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state, .. } = policy_source::load(process, &args.policy)?;
    let (who, permissions, is_expired) = if let Some(principal) = &args.principal {
        let principal = question::parse_principal(principal)?;
        suggest_principal(process, &policy, &principal);
        (
            format!("{}\n", plain(&principal.to_string())),
            permissions_of(&policy, &Scope::from_principal(&principal)),
            false,
        )
    } else {
        let (verifier, at) = question::verifier(process, &args.subject)?;
        let subject = question::subject(process, &args.subject, verifier.is_some())?;
        let opened = SignIn::new(verifier.as_ref(), state.as_ref()).accepted(&policy, &subject)?;
        let who = format!(
            "User:{}\n{}{}",
            plain(opened.identity.user()),
            token(&opened, policy.settings().dialect),
            expired(&opened, at)
        );
        (
            who,
            permissions(&policy, &opened.identity),
            opened.identity.is_expired(at),
        )
    };
    match format {
        Format::Json | Format::Yaml => {
            let result = PermissionsJson {
                expired: is_expired,
                ..PermissionsJson::from(&permissions)
            };
            policy_source::write_value(process, state.as_ref(), format, result)?;
        }
        Format::Text => {
            policy_source::write_text(
                process,
                state.as_ref(),
                &format!("{who}{}", render(process, &permissions)),
            )?;
        }
    }
    Ok(output::SUCCESS)
}

/// Says that the policy does not name a principal, with the nearest one that it names.
fn suggest_principal(process: &Process, policy: &Policy, principal: &Principal) {
    let named = policy_source::principals(policy);
    if principal.is_everyone() || named.contains(principal) {
        return;
    }
    let mut of_type = named;
    of_type.retain(|one| one.kind() == principal.kind());
    let near = suggest::nearest(principal.name(), of_type.iter().map(Principal::name));
    let near = of_type.iter().find(|one| Some(one.name()) == near);
    let not_named = access::not_named(principal, near);
    output::note(process, &format!("note: {}", not_named.message_text()));
}

fn render(process: &Process, permissions: &Permissions) -> String {
    if permissions.superuser {
        return format!("{SUPERUSERS_ALLOWED}\n");
    }
    if permissions.grants.is_empty() {
        return format!("{}\n", access::NO_PERMISSIONS);
    }
    let rows: Vec<Vec<String>> = permissions.grants.iter().map(row).collect();
    format!(
        "\n{}",
        table(process, &["RESOURCE", "OPERATIONS", "HOST", "EXCEPT"], rows)
    )
}

fn row(grant: &Grant) -> Vec<String> {
    let mut except = Vec::new();
    for exception in &grant.except {
        except.push(exception_label(grant, exception));
    }
    let (kind, pattern) = (grant.resource_type, &grant.pattern);
    vec![
        names(kind, pattern.pattern_type, &pattern.name),
        operations(&grant.operations),
        grant.host.to_string(),
        except.join("; "),
    ]
}

fn exception_label(grant: &Grant, exception: &GrantException) -> String {
    let names = names(
        grant.resource_type,
        exception.pattern.pattern_type,
        &exception.pattern.name,
    );
    match &exception.host {
        Host::Any => names,
        host @ (Host::Address(_) | Host::Range(_) | Host::Name(_)) => {
            format!("{names} from {host}")
        }
    }
}
