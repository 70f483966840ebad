//! Tests a connection: one request to each API that it needs.

use gbac_api::acls::{AclFilter, ListAcls};
use gbac_api::paging::Page;
use gbac_api::paths;
use gbac_api::roles::{ListRoles, RoleQuery};
use gbac_api::security::ListedRoles;
use gbac_api::service::Upstream;
use gbac_api::target::TargetAnswer;
use gbac_console_model::connection::probe::{
    ProbeStep, cluster_words, features_words, own_sign_in, without_groups,
};
use gbac_console_model::connection::{Connection, ConnectionTarget, Credentials};
use gbac_console_model::failure::Failure;
use gbac_console_model::properties::{CLAIM_PATH, NESTED, settings_of};
use gbac_words::pages::backend as words;
use gbac_words::phrases::count;
use gloo_net::http::Method;

use super::{Call, cluster_of, policy, properties, service_info};

/// Asks each API of a connection once, those of the service for the Kafka cluster that is open.
/// Nothing is changed, and nothing is kept.
pub async fn probe(
    connection: &Connection,
    upstream: &Upstream,
    credentials: Credentials,
    own: Option<Credentials>,
    opened: Option<&str>,
) -> Vec<ProbeStep> {
    let target = connection.target(upstream, Some(credentials), own);
    let target = target.of_cluster(opened);
    let mut steps: Vec<ProbeStep> = own_sign_in_step(&target).await.into_iter().collect();
    // Without it, the service relays nothing.
    if steps.iter().all(|step| step.outcome.is_ok()) {
        steps.extend(of_connection(connection, upstream, &target).await);
    }
    steps
}

/// The sign-in to this service, if it relays only for its own users.
async fn own_sign_in_step(target: &ConnectionTarget) -> Option<ProbeStep> {
    let path = paths::security("ListCurrentUserRoles");
    let call = Call::new(Method::POST, path.clone(), Some(target.own.as_ref()?)).text("{}".into());
    let outcome = call
        .send()
        .await
        .map(|_| "accepted".to_owned())
        .map_err(own_sign_in);
    Some(ProbeStep {
        what: "Sign-in to this service",
        request: format!("POST {path}"),
        outcome,
    })
}

async fn of_connection(
    connection: &Connection,
    upstream: &Upstream,
    target: &ConnectionTarget,
) -> Vec<ProbeStep> {
    match connection {
        Connection::Service => of_service(target).await,
        Connection::SelfManaged => {
            let mut steps = of_cluster(target).await;
            features_step(connection, target, &mut steps).await;
            steps
        }
        Connection::Cloud { cluster } => {
            let Some(control_plane) = &upstream.controlplane else {
                return Vec::new();
            };
            let request = format!("GET {}", paths::cluster(cluster));
            let found = cluster_of(control_plane, cluster, target).await;
            let outcome = found.and_then(|answer| match without_groups(&answer) {
                Some(kind) => Err(Failure::impossible(
                    "cluster_type",
                    words::no_group_access(&kind),
                )),
                None => Ok(cluster_words(&answer)),
            });
            let is_there = outcome.is_ok();
            let mut steps = vec![ProbeStep {
                what: "Control Plane",
                request,
                outcome,
            }];
            if is_there {
                steps.extend(of_cluster(target).await);
                features_step(connection, target, &mut steps).await;
            }
            steps
        }
    }
}

/// What a cluster has, and what it does not have.
///
/// # Errors
/// What the service or the browser said.
pub async fn features(
    connection: &Connection,
    target: &ConnectionTarget,
) -> Result<TargetAnswer, Failure> {
    let cluster = match connection {
        Connection::Cloud { cluster } => Some(cluster.as_str()),
        Connection::Service | Connection::SelfManaged => None,
    };
    Call::get(paths::upstream_target(cluster), target)
        .read()
        .await
}

/// The version of a cluster and each of its gaps, once its APIs respond.
async fn features_step(
    connection: &Connection,
    target: &ConnectionTarget,
    steps: &mut Vec<ProbeStep>,
) {
    if steps.iter().all(|step| step.outcome.is_ok()) {
        let outcome = features(connection, target)
            .await
            .map(|answer| features_words(&answer));
        // Only an Admin API tells the version.
        let (what, path) = if target.admin.is_some() {
            ("Version and features", paths::BROKERS)
        } else {
            ("Features", paths::ACLS)
        };
        steps.push(ProbeStep {
            what,
            request: format!("GET {path}"),
            outcome,
        });
    }
}

async fn of_service(target: &ConnectionTarget) -> Vec<ProbeStep> {
    let info = service_info(target).await;
    let outcome = info.map(|info| format!("{} {}", info.name, info.version));
    let service = ProbeStep {
        what: "Service",
        request: format!("GET {}", paths::SERVICE),
        outcome,
    };
    let read = policy(None, target).await.map(|read| {
        let read = read
            .map(|read| (read.policy.role_count(), read.policy.acl_count()))
            .unwrap_or_default();
        format!("{}, {}", count(read.0, "role"), count(read.1, "ACL"))
    });
    vec![
        service,
        ProbeStep {
            what: "Policy",
            request: format!("GET {}", paths::POLICY),
            outcome: read,
        },
    ]
}

async fn of_cluster(target: &ConnectionTarget) -> Vec<ProbeStep> {
    let mut steps = Vec::new();
    if let Some(admin) = &target.admin {
        let found = properties(target).await.and_then(|found| {
            settings_of(&found)?;
            let groups = found.contains_key(CLAIM_PATH) && found.contains_key(NESTED);
            Ok(match groups {
                true => count(found.len(), "property"),
                false => words::properties_without_groups(found.len()),
            })
        });
        let request = format!("GET {}", paths::cluster_config(None));
        steps.push(ProbeStep {
            what: "Cluster properties",
            request,
            outcome: found,
        });
        let path = paths::security("ListRoles");
        let call = Call::new(Method::POST, format!("{admin}{path}"), target).text("{}".into());
        let outcome = call
            .read::<ListedRoles>()
            .await
            .map(|listed| count(listed.roles.len(), "role"));
        steps.push(ProbeStep {
            what: "Roles",
            request: format!("POST {path}"),
            outcome,
        });
    }
    if let Some(base) = &target.data_plane {
        if target.admin.is_none() {
            let path = paths::roles(&RoleQuery {
                page: Page {
                    size: Some(1000),
                    ..Page::default()
                },
                ..RoleQuery::default()
            });
            let outcome = Call::get(format!("{base}{path}"), target)
                .read::<ListRoles>()
                .await
                .map(|listed| {
                    let more = if listed.next_page_token.is_empty() {
                        ""
                    } else {
                        " and more"
                    };
                    format!("{}{more}", count(listed.roles.len(), "role"))
                });
            steps.push(ProbeStep {
                what: "Roles",
                request: format!("GET {}", paths::ROLES),
                outcome,
            });
        }
        let path = paths::acls(&AclFilter::default());
        let outcome = Call::get(format!("{base}{path}"), target)
            .read::<ListAcls>()
            .await;
        let outcome = outcome.map(|listed| count(listed.into_acls().len(), "ACL"));
        steps.push(ProbeStep {
            what: "ACLs",
            request: format!("GET {path}"),
            outcome,
        });
    }
    steps
}
