//! `/gbac/v1/accounts`: who has access to the service itself (D-58).

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gbac_api::accounts::Accounts;
use gbac_api::paths;
use gbac_engine::model::Principal;
use gbac_engine::policy::AccessLevel;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::surface::Surface;
use crate::state::service::Service;
use crate::state::superusers::superusers;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::ACCOUNTS, Access::SUPERUSER, get(read))
}

async fn read(State(service): State<Service>) -> Json<Accounts> {
    let current = service.read();
    let access = &current.policy.settings().access;
    Json(Accounts {
        local: current.config.local_account.clone(),
        superusers: superusers(&current),
        read_only: texts(access.grantees(AccessLevel::ReadOnly)),
        evaluate: texts(access.grantees(AccessLevel::Evaluate)),
    })
}

fn texts(principals: &[Principal]) -> Vec<String> {
    principals.iter().map(ToString::to_string).collect()
}
