//! The routes of the service, one file for each API, with what each route declares: its API and the
//! access that it requires; and the router.

mod accounts;
mod acls;
mod admin_roles;
pub(crate) mod app;
mod audit;
mod authzen;
mod backup;
mod brokers;
mod cluster_config;
mod cluster_what_if;
mod console;
mod control_plane;
mod data_plane_services;
mod demo_provider;
mod features;
mod history;
mod history_entry;
mod history_stream;
mod kafka_clusters;
mod license;
mod loggers;
mod monitoring;
mod oidc_sessions;
mod policy_changes;
mod policy_document;
mod registration;
mod roles;
mod schema_registry;
mod security_service;
mod service_info;
mod sign_in;
mod stored_tests;
mod upstream;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::Response;

use crate::http::access::Access;
use crate::http::reject::{method_not_allowed, reject};
use crate::http::route_table::RouteTable;
use crate::http::surface::Surface;
use crate::middleware::authorization::{Authorizer, authorize};
use crate::middleware::cluster_path::{ClusterRouters, route_to_cluster};
use crate::middleware::compression::compress;
use crate::middleware::data_state::tell_state;
use crate::middleware::handler_call::call_handler;
use crate::middleware::host_check::check_host;
use crate::middleware::identify_client::identify_client;
use crate::middleware::message_encoding::encode_messages;
use crate::middleware::request_limit::{RequestLimit, limit_requests};
use crate::middleware::request_log::log_request;
use crate::middleware::response_headers::add_headers;
use crate::middleware::route_declaration::note_declaration;
use crate::middleware::time_limit::limit_time;
use app::App;
use registration::Routes;

/// Every route of the service.
pub(crate) fn routes(is_demo: bool) -> Routes {
    let routes = Routes::new(Surface::Gbac)
        .prefix("/gbac/", Access::SUPERUSER)
        .merge(Routes::new(Surface::DataPlane).prefix("/v1/", Access::SUPERUSER))
        .merge(acls::routes())
        .merge(roles::routes())
        .merge(security_service::routes())
        .merge(data_plane_services::routes())
        .merge(admin_roles::routes())
        .merge(oidc_sessions::routes())
        .merge(brokers::routes())
        .merge(features::routes())
        .merge(schema_registry::routes())
        .merge(cluster_config::routes())
        .merge(cluster_what_if::routes())
        .merge(policy_document::routes())
        .merge(policy_changes::routes())
        .merge(stored_tests::routes())
        .merge(accounts::routes())
        .merge(backup::routes())
        .merge(service_info::routes())
        .merge(kafka_clusters::routes())
        .merge(sign_in::routes())
        .merge(monitoring::routes())
        .merge(audit::routes())
        .merge(history::routes())
        .merge(authzen::routes())
        .merge(control_plane::routes())
        .merge(license::routes())
        .merge(loggers::routes())
        .merge(upstream::routes());
    if is_demo {
        routes.merge(demo_provider::routes())
    } else {
        routes
    }
}

/// The access that each route requires, by the pattern of the route.
#[must_use]
pub fn declared_access(app: &App) -> BTreeMap<String, Access> {
    let (_, table) = routes(app.service.is_demo()).into_parts();
    let routes = table.routes.into_iter();
    routes
        .map(|(pattern, declared)| (pattern, declared.access))
        .collect()
}

/// The service as a router, without a port.
pub fn router(app: App) -> Router {
    let mut of_clusters = BTreeMap::new();
    for service in &*app.other_clusters {
        let service = service.clone();
        if let Some(name) = service.cluster_name().map(str::to_owned) {
            let app = App {
                service,
                ..app.clone()
            };
            of_clusters.insert(name, cluster_router(app));
        }
    }
    let first = app.service.cluster_name().map(str::to_owned);
    let shared = cluster_router(app);
    if let Some(first) = first {
        of_clusters.insert(first, shared.clone());
    }
    let routers = ClusterRouters {
        shared: shared.clone(),
        of_clusters: Arc::new(of_clusters),
    };
    shared.layer(from_fn_with_state(routers, route_to_cluster))
}

/// The router of one cluster, or of a service without one.
fn cluster_router(app: App) -> Router {
    let (router, table) = routes(app.service.is_demo()).into_parts();
    assemble(app, router, table)
}

/// Adds the console and the middleware to routes. The last layer is the outermost.
pub(crate) fn assemble(app: App, router: Router<App>, table: RouteTable) -> Router {
    let (service, limit) = (
        app.service.clone(),
        RequestLimit::new(&app.service, &app.request_slots),
    );
    let authorizer = Authorizer {
        service: service.clone(),
        authenticator: app.authenticator.clone(),
    };
    router
        .route_layer(from_fn(call_handler))
        .method_not_allowed_fallback(reject_method)
        .fallback(console::console)
        .layer(from_fn_with_state(service.clone(), tell_state))
        .layer(from_fn_with_state(authorizer, authorize))
        .layer(from_fn(encode_messages))
        .layer(from_fn(compress))
        .layer(from_fn(limit_time))
        .layer(from_fn_with_state(service.clone(), check_host))
        .layer(from_fn_with_state(limit, limit_requests))
        .layer(from_fn_with_state(service.clone(), log_request))
        .layer(from_fn_with_state(service, identify_client))
        .layer(from_fn_with_state(Arc::new(table), note_declaration))
        .layer(map_response(add_headers))
        .with_state(app)
}

async fn reject_method(request: Request) -> Response {
    let problem = method_not_allowed(request.method());
    reject(request, problem).await
}
