//! `/gbac/v1/license`: the state of the enterprise license (D-16).

use axum::Json;
use axum::extract::{Request, State};
use axum::routing::get;
use gbac_api::license::LicenseBody;
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::config::Config;
use crate::state::service::Service;
use crate::state::store::{Snapshot, StateChange};

/// The field of [`Config`].
const FIELD: &str = "license";

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::LICENSE, Access::SUPERUSER, get(read).put(write))
}

async fn read(State(service): State<Service>) -> Json<LicenseBody> {
    Json(license_body(&service.read().config))
}

async fn write(
    State(service): State<Service>,
    request: Request,
) -> Result<Json<LicenseBody>, Problem> {
    let LicenseBody { license, .. } = body::json(request).await?;
    let plan = move |current: &Snapshot| {
        if current.config.is_pinned(FIELD) {
            let message = "the license is set on the command line; restart the service without `--license` to change it";
            return Err(Problem::with_status(
                400,
                RpcCode::FailedPrecondition,
                "license_pinned",
                message,
            ));
        }
        let config = Config {
            license,
            ..(*current.config).clone()
        };
        Ok::<_, Problem>((StateChange::Configure(Vec::new(), config), ()))
    };
    let stored = service.change(plan).await?;
    Ok(Json(license_body(&stored.after.config)))
}

fn license_body(config: &Config) -> LicenseBody {
    LicenseBody {
        license: config.license,
        pinned: config.is_pinned(FIELD),
    }
}
