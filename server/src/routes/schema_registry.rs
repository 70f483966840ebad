//! `/security/acls`: the ACLs of subjects and of the Schema Registry, as its own API has them
//! (D-93). The address is also a page of the console, for browsers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::schema_registry::{RegistryAcl, check_create, filter, is_of_registry};
use gbac_engine::model::Acl;
use gbac_engine::policy::Change;

use super::console::console;
use super::registration::Routes;
use crate::console::Console;
use crate::http::access::Access;
use crate::http::body;
use crate::http::long_read::{LongRead, is_small, json_list, json_response};
use crate::http::problem::Problem;
use crate::http::query::parse;
use crate::http::surface::{Surface, is_page};
use crate::http::warning_headers::with_warnings;
use crate::state::name_warnings::name_warnings;
use crate::state::service::Service;
use crate::state::store::StateChange;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::SchemaRegistry).route(
        paths::REGISTRY_ACLS,
        Access::SUPERUSER,
        get(list).post(create).delete(delete),
    )
}

async fn list(
    State(service): State<Service>,
    State(files): State<Arc<Console>>,
    read: LongRead,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let mut response = if is_page(&request) {
        console(State(files), request).await
    } else {
        list_acls(&service, read, query).await.into_response()
    };
    response
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    response
}

async fn list_acls(
    service: &Service,
    read: LongRead,
    query: Option<String>,
) -> Result<Response, Problem> {
    let policy = service.read().policy;
    read.respond(is_small(&policy), move || {
        let filter = parse(query, |pairs| filter(&pairs.iter().cloned().collect()))?;
        let acls = policy
            .acls()
            .filter(|acl| is_of_registry(acl) && filter.matches(acl));
        Ok(json_response(json_list(
            acls.map(|acl| RegistryAcl::from(&acl)),
        )?))
    })
    .await
}

async fn create(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let acls = check_create(body::json_list(request).await?)?;
    let principals: Vec<_> = acls.iter().map(|acl| acl.principal.clone()).collect();
    let change = StateChange::Changes(acls.into_iter().map(Change::AddAcl).collect());
    let stored = service.change(|_| Ok::<_, Problem>((change, ()))).await?;
    Ok(with_warnings(
        StatusCode::CREATED.into_response(),
        &name_warnings(&stored.after.policy, &principals),
    ))
}

async fn delete(
    State(service): State<Service>,
    request: Request,
) -> Result<Json<Vec<RegistryAcl>>, Problem> {
    let stated: Vec<BTreeMap<String, String>> = body::json_list(request).await?;
    let mut filters = Vec::new();
    for members in &stated {
        filters.push(filter(members)?);
    }
    let stored = service
        .change(move |current| {
            let registry = current.policy.acls().filter(is_of_registry);
            let matching: Vec<Acl> = registry
                .filter(|acl| filters.iter().any(|filter| filter.matches(acl)))
                .collect();
            let answer: Vec<RegistryAcl> = matching.iter().map(RegistryAcl::from).collect();
            let changes = matching.into_iter().map(Change::RemoveAcl).collect();
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        })
        .await?;
    Ok(Json(stored.answer))
}
