//! `gbac permissions`: the effective permissions of a user or principal.

use gbac_analysis::{Grant, GrantException, Permissions, Scope, permissions, permissions_of};
use gbac_engine::model::{Host, Principal};
use gbac_engine::policy::Policy;
use gbac_json::PermissionsJson;
use gbac_words::commands::access;
use gbac_words::common::SUPERUSERS_ALLOWED;

use super::principals;
use super::verdicts::{expired, names, operations, token};
use crate::args::{Format, PermissionsArgs};
use crate::output::{self, Failure, plain};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::query::{self, SignIn};
use crate::suggest;
use crate::table::table;

pub(crate) fn run(
    process: &Process,
    args: &PermissionsArgs,
    format: Format,
) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state } = policy_source::load(process, &args.policy)?;
    let (who, permissions, is_expired) = if let Some(principal) = &args.principal {
        let principal = query::parse_principal(principal)?;
        suggest_principal(process, &policy, &principal);
        (
            format!("{}\n", plain(&principal.to_string())),
            permissions_of(&policy, &Scope::from_principal(&principal)),
            false,
        )
    } else {
        let (verifier, at) = query::verifier(process, &args.subject)?;
        let subject = query::subject(process, &args.subject, verifier.is_some())?;
        let opened = SignIn::new(verifier.as_ref(), state.as_ref()).accepted(&policy, &subject)?;
        let who = format!(
            "User:{}\n{}{}",
            plain(opened.identity.user()),
            token(&opened),
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
    let named = principals(policy);
    if principal.is_everyone() || named.contains(principal) {
        return;
    }
    let of_type = named
        .iter()
        .filter(|one| one.kind() == principal.kind())
        .map(Principal::name);
    let near = suggest::nearest(principal.name(), of_type).and_then(|name| {
        named
            .iter()
            .find(|one| one.kind() == principal.kind() && one.name() == name)
    });
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
    let except: Vec<String> = grant
        .except
        .iter()
        .map(|exception| exception_label(grant, exception))
        .collect();
    vec![
        names(
            grant.resource_type,
            grant.pattern.pattern_type,
            &grant.pattern.name,
        ),
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
    match exception.host {
        Host::Any => names,
        host @ (Host::Address(_) | Host::Range(_)) => format!("{names} from {host}"),
    }
}
