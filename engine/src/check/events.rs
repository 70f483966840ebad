//! The audit events of a check: who asked, and what was decided (specification 6, D-23).

use super::{Answer, Check, Question};
use crate::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event, Resource, SignIn, User,
    api_activity, authentication, service,
};
use crate::decide::{At, Outcome};
use crate::identity::Identity;
use crate::requests::{self, Api};

/// The event of the sign-in by which a check's identity came, with all its groups.
///
/// The context's service and client are replaced by those of the check; so they are in [`decisions`].
#[must_use]
pub fn sign_in(
    context: Context<'_>,
    protocol: AuthProtocol<'_>,
    cleartext: bool,
    identity: &Identity,
    check: &Check,
) -> Event {
    authentication(&Authentication {
        context: of_check(context, check),
        user: User { name: identity.user(), ..User::default() },
        protocol,
        cleartext,
        result: SignIn::Success { groups: identity.groups() },
    })
}

/// The event of a sign-in that was refused, so that the check has no answer.
#[must_use]
pub fn sign_in_refused(
    context: Context<'_>,
    protocol: AuthProtocol<'_>,
    cleartext: bool,
    detail: &str,
    check: &Check,
) -> Event {
    authentication(&Authentication {
        context: of_check(context, check),
        user: User::default(),
        protocol,
        cleartext,
        result: SignIn::Failure { detail },
    })
}

/// The events of a check's decisions, one for each; a request that needs none has one for the whole.
#[must_use]
pub fn decisions(context: Context<'_>, identity: &Identity, check: &Check, answer: &Answer) -> Vec<Event> {
    let operation = operation(&check.question);
    let at = At::Instant(context.time_ms as f64 / 1000.0);
    let event = |authorization: Authorization<'_>| {
        api_activity(&ApiActivity {
            context: of_check(context, check),
            user: User { name: identity.user(), ..User::default() },
            operation: &operation,
            authorization,
            http: None,
            resources: &[],
        })
    };
    match (answer, &check.question) {
        (Answer::Access(decision), Question::Access { operation, resource_type, resource_name }) => {
            let request = check.request(*operation, *resource_type, resource_name, at);
            vec![event(Authorization::Acl { request, decision })]
        }
        (Answer::Api { outcome, decisions, .. }, _) if decisions.is_empty() => {
            let reason = if *outcome == Outcome::Allow { "no ACL is needed" } else { "no matches" };
            vec![event(Authorization::Service { outcome: *outcome, reason })]
        }
        (Answer::Api { decisions, .. }, _) => decisions
            .iter()
            .map(|(needed, decision)| {
                let request = check.request(needed.operation, needed.resource_type, &needed.resource_name, at);
                event(Authorization::Acl { request, decision })
            })
            .collect(),
        // An answer to another question than the check's; nothing was decided for it.
        (Answer::Access(_), Question::Api { .. }) => Vec::new(),
    }
}

/// The event of a check that was denied before anything could be decided, because its identity was refused.
#[must_use]
pub fn refused(context: Context<'_>, reason: &str, check: &Check) -> Event {
    let touched: Vec<Resource<'_>> = match &check.question {
        Question::Access { resource_type, resource_name, .. } => {
            vec![Resource { name: resource_name, kind: resource_type.spelling().audit, acl: None }]
        }
        Question::Api { resources, .. } => {
            let named = resources.iter().flat_map(|(kind, names)| names.iter().map(move |name| (kind, name)));
            named.map(|(kind, name)| Resource { name, kind, acl: None }).collect()
        }
    };
    api_activity(&ApiActivity {
        context: of_check(context, check),
        user: User::default(),
        operation: &operation(&check.question),
        authorization: Authorization::Service { outcome: Outcome::Deny, reason },
        http: None,
        resources: &touched,
    })
}

fn of_check<'a>(context: Context<'a>, check: &Check) -> Context<'a> {
    let service = match &check.question {
        Question::Api { api, .. } => Api::from_name(api).map_or(service::KAFKA, service::of),
        Question::Access { .. } => service::KAFKA,
    };
    Context { service, client: Endpoint { ip: check.host, ..Endpoint::default() }, ..context }
}

/// What was asked for, as the platform's events name it.
fn operation(question: &Question) -> String {
    match question {
        Question::Access { operation, .. } => operation.spelling().audit.to_owned(),
        Question::Api { api, name, .. } => Api::from_name(api)
            .and_then(|api| requests::find(api, name))
            .map_or_else(|| name.clone(), |spec| spec.audit_operation()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::audit::Product;
    use crate::check::{answer, open};
    use crate::policy::Policy;
    use crate::wire::check_from_value;

    fn asked(check: &Value) -> (Vec<Value>, Value) {
        let check = check_from_value(check).unwrap();
        let product = Product::default();
        let context = Context {
            time_ms: 1,
            product: &product,
            service: service::ADMIN,
            server: Endpoint::default(),
            client: Endpoint { port: Some(7), ..Endpoint::default() },
        };
        let policy = Policy::default();
        let opened = open(&policy, &check.who, None).unwrap();
        let answer = answer(&policy, &check, None, At::IgnoringExpiry).unwrap();
        let events = decisions(context, &opened.identity, &check, &answer);
        let sign_in = sign_in(context, AuthProtocol::OIDC, false, &opened.identity, &check);
        (events.iter().map(Event::to_json).collect(), sign_in.to_json())
    }

    #[test]
    fn a_request_has_an_event_for_each_of_its_checks() {
        let (events, sign_in) = asked(&json!({
            "identity": { "user": "alice", "groups": ["a", "b"] }, "host": "10.0.0.7",
            "request": { "api": "kafka", "name": "Produce",
                "resources": { "topic": ["x"], "transactional_id": ["y"] } },
        }));
        let of = |event: &Value| (event["api"].clone(), event["resources"][0]["name"].clone());
        let api = json!({ "operation": "produce", "service": { "name": "kafka rpc protocol" } });
        assert_eq!(events.iter().map(of).collect::<Vec<_>>(), [(api.clone(), json!("x")), (api, json!("y"))]);
        assert_eq!(events[0]["src_endpoint"], json!({ "ip": "10.0.0.7" }));
        assert_eq!(sign_in["user"]["groups"][1], json!({ "type": "idp_group", "name": "b" }));
        assert_eq!(sign_in["service"]["name"], "kafka rpc protocol");
    }

    #[test]
    fn a_refused_identity_has_an_event_that_says_what_was_asked() {
        let product = Product::default();
        let (server, client) = (Endpoint::default(), Endpoint::default());
        let context = Context { time_ms: 1, product: &product, service: service::ADMIN, server, client };
        let told = |question: Value| {
            let mut check = question;
            check["identity"] = json!({ "user": "alice" });
            let check = check_from_value(&check).unwrap();
            refused(context, "the token has expired", &check).to_json()
        };
        let event = told(json!({ "operation": "read", "resource_type": "topic", "resource_name": "x" }));
        assert_eq!(event["resources"], json!([{ "name": "x", "type": "topic" }]));
        assert_eq!(event["actor"]["user"], json!({ "name": "{{anonymous}}", "type_id": 0 }));
        assert_eq!(event["actor"]["authorizations"][0]["policy"]["desc"], "the token has expired");
        let event = told(json!({ "request": { "api": "kafka", "name": "OffsetCommit",
            "resources": { "topic": ["x", "y"], "group": ["g"] } } }));
        assert_eq!(event["resources"][2], json!({ "name": "y", "type": "topic" }));
        assert_eq!((&event["status_id"], &event["api"]["operation"]), (&json!(2), &json!("offset_commit")));
    }

    #[test]
    fn a_request_that_needs_nothing_has_one_event() {
        let (events, _) = asked(&json!({
            "identity": { "user": "alice" }, "request": { "api": "schema_registry", "name": "GET /schemas/types" },
        }));
        assert_eq!(events.len(), 1);
        let authorization = &events[0]["actor"]["authorizations"][0];
        assert_eq!(
            authorization,
            &json!({ "decision": "authorized",
                "policy": { "desc": "no ACL is needed", "name": "Schema Registry Service" } })
        );
    }
}
