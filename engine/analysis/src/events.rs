//! The audit events of a check: the subject and the decisions (specification 6, D-23).

use crate::audit::{
    ApiActivity, AuditedResource, AuthProtocol, Authentication, Authorization, Context, Endpoint,
    Event, SignInResult, User, api_activity, authentication, service,
};
use crate::check::{Answer, Check, Query};
use crate::requests::{self, Api};
use gbac_engine::decide::{At, Outcome};
use gbac_engine::identity::Identity;

/// Creates the event of the sign-in that produced a check's identity, with all its groups.
///
/// The service and the client of the check replace those of the context, here and in
/// [`decision_events`].
#[must_use]
pub fn sign_in_event(
    context: Context<'_>,
    protocol: AuthProtocol<'_>,
    cleartext: bool,
    identity: &Identity,
    check: &Check,
) -> Event {
    authentication(&Authentication {
        context: context_of(context, check),
        user: User {
            name: identity.user(),
            ..User::default()
        },
        protocol,
        cleartext,
        result: SignInResult::Success {
            groups: identity.groups(),
        },
    })
}

/// Creates the event of a refused sign-in, without which the check has no answer.
#[must_use]
pub fn refused_sign_in_event(
    context: Context<'_>,
    protocol: AuthProtocol<'_>,
    cleartext: bool,
    detail: &str,
    check: &Check,
) -> Event {
    authentication(&Authentication {
        context: context_of(context, check),
        user: User::default(),
        protocol,
        cleartext,
        result: SignInResult::Failure { detail },
    })
}

/// Creates one event for each decision of a check, or one event for an API request without required
/// checks.
#[must_use]
pub fn decision_events(
    context: Context<'_>,
    identity: &Identity,
    check: &Check,
    answer: &Answer,
) -> Vec<Event> {
    let operation = operation(&check.query);
    let at = At::seconds(context.time_ms as f64 / 1000.0);
    let event = |authorization: Authorization<'_>| {
        api_activity(&ApiActivity {
            context: context_of(context, check),
            user: User {
                name: identity.user(),
                ..User::default()
            },
            operation: &operation,
            authorization,
            http: None,
            resources: &[],
        })
    };
    match (answer, &check.query) {
        (
            Answer::Access(decision),
            Query::Access {
                operation,
                resource_type,
                resource_name,
            },
        ) => {
            let request = check.request(*operation, *resource_type, resource_name, at);
            vec![event(Authorization::Acl { request, decision })]
        }
        (
            Answer::Api {
                outcome, decisions, ..
            },
            _,
        ) if decisions.is_empty() => {
            let reason = if *outcome == Outcome::Allow {
                "no ACL is needed"
            } else {
                "no matches"
            };
            vec![event(Authorization::Service {
                outcome: *outcome,
                reason,
            })]
        }
        (Answer::Api { decisions, .. }, _) => decisions
            .iter()
            .map(|(required, decision)| {
                // Any resource of a type is audited as `*`, the name that covers them all.
                let name = required.resource_name.as_deref().unwrap_or("*");
                let (operation, kind) = (required.operation, required.resource_type);
                let request = check.request(operation, kind, name, at);
                event(Authorization::Acl { request, decision })
            })
            .collect(),
        // The answer belongs to another check.
        (Answer::Access(_), Query::Api { .. }) => Vec::new(),
    }
}

/// Creates the event of a check that was denied without a decision, because its identity was
/// refused.
#[must_use]
pub fn refused_check_event(context: Context<'_>, reason: &str, check: &Check) -> Event {
    let audited: Vec<AuditedResource<'_>> = match &check.query {
        Query::Access {
            resource_type,
            resource_name,
            ..
        } => {
            vec![AuditedResource {
                name: resource_name,
                kind: resource_type.spelling().audit,
                acl: None,
            }]
        }
        Query::Api { resources, .. } => {
            let named = resources
                .iter()
                .flat_map(|(kind, names)| names.iter().map(move |name| (kind, name)));
            named
                .map(|(kind, name)| AuditedResource {
                    name,
                    kind,
                    acl: None,
                })
                .collect()
        }
    };
    api_activity(&ApiActivity {
        context: context_of(context, check),
        user: User::default(),
        operation: &operation(&check.query),
        authorization: Authorization::Service {
            outcome: Outcome::Deny,
            reason,
        },
        http: None,
        resources: &audited,
    })
}

fn context_of<'a>(context: Context<'a>, check: &Check) -> Context<'a> {
    let service = match &check.query {
        Query::Api { api, .. } => Api::from_name(api).map_or(service::KAFKA, service::for_api),
        Query::Access { .. } => service::KAFKA,
    };
    Context {
        service,
        client: Endpoint {
            ip: check.host,
            ..Endpoint::default()
        },
        ..context
    }
}

/// The operation of a query, in the terms of the platform's events.
fn operation(query: &Query) -> String {
    match query {
        Query::Access { operation, .. } => operation.spelling().audit.to_owned(),
        Query::Api { api, name, .. } => Api::from_name(api)
            .and_then(|api| requests::find(api, name))
            .map_or_else(|| name.clone(), |spec| spec.audit_operation()),
    }
}
