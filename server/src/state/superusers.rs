//! Superusers that nobody can sign in as, and those that are easily confused with the local account
//! (D-14).

use gbac_api::accounts::{AccountProblem, SuperuserStatus};
use gbac_engine::escape::escaped;

use super::store::Snapshot;

/// The superusers among the token users, each with what is wrong with it.
pub(crate) fn superusers(current: &Snapshot) -> Vec<SuperuserStatus> {
    let mut superusers = Vec::new();
    for name in current.policy.settings().superusers.iter() {
        superusers.push(SuperuserStatus {
            name: name.clone(),
            problems: problems(current, name),
        });
    }
    superusers
}

fn problems(current: &Snapshot, name: &str) -> Vec<AccountProblem> {
    let config = &current.config;
    let mut problems = Vec::new();
    if config.oidc_discovery_url.is_empty() || config.oidc_token_audience.is_empty() {
        problems.push(AccountProblem {
            code: "superuser_no_provider".into(),
            message: "nobody can sign in as this superuser: no identity provider is configured"
                .into(),
        });
    }
    let mapping = &current.policy.settings().principal_mapping;
    if !mapping.can_produce(name) {
        problems.push(AccountProblem {
            code: "superuser_unreachable".into(),
            message: "nobody can sign in as this superuser: with `oidc_principal_mapping`, no token has this user name".into(),
        });
    }
    if *name == config.local_account {
        problems.push(AccountProblem {
            code: "superuser_local_name".into(),
            message: "this is the token user with the name of the local account, which is a superuser by itself".into(),
        });
    }
    problems
}

/// Logs what is wrong with the superusers.
pub(crate) fn log_problems(current: &Snapshot) {
    for SuperuserStatus { name, problems } in superusers(current) {
        for AccountProblem { code, message } in problems {
            tracing::warn!(target: "security", superuser = escaped(&name), code, "{message}");
        }
    }
}
