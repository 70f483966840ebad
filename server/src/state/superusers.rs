//! Superusers that nobody can sign in as, and those that are easily confused with the local account
//! (D-14).

use gbac_api::accounts::{AccountProblem, SuperuserStatus};
use gbac_engine::escape::escaped;

use super::store::Snapshot;

/// The superusers among the token users, each with what is wrong with it.
pub(crate) fn superusers(current: &Snapshot) -> Vec<SuperuserStatus> {
    let (settings, config) = (current.policy.settings(), &current.config);
    let status = |name: &String| {
        let mut problems = Vec::new();
        let mut add = |code: &str, message: String| {
            problems.push(AccountProblem {
                code: code.into(),
                message,
            });
        };
        if config.oidc_discovery_url.is_empty() || config.oidc_token_audience.is_empty() {
            let message =
                "nobody can sign in as this superuser: no identity provider is configured";
            add("superuser_no_provider", message.into());
        }
        if !settings.principal_mapping.can_produce(name) {
            let message = "nobody can sign in as this superuser: with `oidc_principal_mapping`, no token has this user name";
            add("superuser_unreachable", message.into());
        }
        if *name == config.local_account {
            let message = "this is the token user with the name of the local account, which is a superuser by itself";
            add("superuser_local_name", message.into());
        }
        SuperuserStatus {
            name: name.clone(),
            problems,
        }
    };
    settings.superusers.iter().map(status).collect()
}

/// Logs what is wrong with the superusers.
pub(crate) fn log_problems(current: &Snapshot) {
    for SuperuserStatus { name, problems } in superusers(current) {
        for AccountProblem { code, message } in problems {
            tracing::warn!(target: "security", superuser = escaped(&name), code, "{message}");
        }
    }
}
