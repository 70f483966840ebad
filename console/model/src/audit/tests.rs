//! Tests of the rows and the filter.

use gbac_analysis::audit::{
    Administration, ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint,
    Event, HttpRequest, Modification, Product, ResultingState, SignInResult, User, UserKind,
    administration, api_activity, authentication, modification_data, service, sign_out,
};
use gbac_engine::decide::{At, Outcome, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_json::policy_from_value;
use gbac_words::audit_event::request_words;
use gbac_words::audit_message::action;
use serde_json::json;

use super::*;
use crate::address;

fn context(product: &Product) -> Context<'_> {
    let (server, client) = (
        Endpoint::default(),
        Endpoint {
            ip: "10.0.0.7".parse().ok(),
            ..Endpoint::default()
        },
    );
    Context {
        time_ms: 1_800_000_000_000,
        product,
        service: service::KAFKA,
        server,
        client,
        correlation_uid: None,
        invoked_by: None,
    }
}

/// A row whose event is changed.
fn with(row: &EventRow, change: impl FnOnce(&mut AuditEvent)) -> EventRow {
    let mut row = row.clone();
    change(&mut row.event);
    row
}

#[test]
fn a_session_begins_and_ends_with_the_identity_provider() {
    let product = Product::default();
    let of = |make: fn(&Authentication<'_>) -> gbac_analysis::audit::Event| {
        let event = make(&Authentication {
            context: context(&product),
            user: User {
                name: "alice",
                ..User::default()
            },
            protocol: AuthProtocol::OpenId,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        });
        let row = EventRow::read(&gbac_json::event_to_value(&event)).unwrap();
        (
            row.event.what.clone(),
            row.event.outcome(),
            row.event.is_sign_out,
        )
    };
    assert_eq!(
        of(authentication),
        ("Sign-in, identity provider".to_owned(), "Signed in", false)
    );
    assert_eq!(
        of(sign_out),
        ("Sign-out, identity provider".to_owned(), "Signed out", true)
    );
}

fn sign_in(result: SignInResult<'_>) -> EventRow {
    let product = Product::default();
    let event = authentication(&Authentication {
        context: context(&product),
        user: User {
            name: "alice",
            ..User::default()
        },
        protocol: AuthProtocol::OIDC,
        cleartext: false,
        result,
    });
    EventRow::read(&gbac_json::event_to_value(&event)).unwrap()
}

/// A decision of the engine, as the service records it.
fn decision(name: &str) -> EventRow {
    let policy = policy_from_value(&json!({ "version": 1,
        "roles": [{ "name": "Readers", "members": [{ "principal": "Group:/eng:a" }] }],
        "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "principal": "Role:Readers",
            "host": "*", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ",
            "permission_type": "PERMISSION_TYPE_ALLOW" }] }))
    .unwrap();
    let identity = Identity::new("alice", ["other", "/eng:a"]);
    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        name,
        At::IgnoringExpiry,
    );
    let decision = decide(&policy, &identity, &request);
    let product = Product::default();
    let event = api_activity(&ApiActivity {
        context: context(&product),
        user: User {
            name: "alice",
            ..User::default()
        },
        operation: "fetch",
        authorization: Authorization::Acl {
            request,
            decision: &decision,
        },
        http: None,
        resources: &[],
    });
    EventRow::read(&gbac_json::event_to_value(&event)).unwrap()
}

#[test]
fn a_sign_in_has_all_groups_or_says_why_not() {
    let groups = ["eng".to_owned(), "sales".to_owned()];
    let row = sign_in(SignInResult::Success { groups: &groups });
    assert_eq!(
        (
            row.event.kind,
            row.event.user.as_str(),
            row.event.groups.as_slice()
        ),
        (EventKind::SignIn, "alice", groups.as_slice())
    );
    assert_eq!(
        (row.event.what.as_str(), row.event.outcome()),
        ("Sign-in, SASL-OAUTHBEARER", "Signed in")
    );
    assert_eq!(
        (row.event.when().as_str(), row.event.from.as_str()),
        ("2027-01-15 08:00:00 UTC", "10.0.0.7")
    );
    let row = sign_in(SignInResult::Failure { detail: "expired" });
    assert_eq!(
        (
            row.event.why.as_str(),
            row.event.outcome(),
            row.event.groups.len()
        ),
        ("expired", "Refused", 0)
    );
}

#[test]
fn a_decision_names_group_role_and_acl() {
    let row = decision("orders-eu");
    assert_eq!(
        (
            row.event.kind,
            row.event.is_allowed,
            row.event.what.as_str()
        ),
        (EventKind::Decision, true, "fetch")
    );
    assert_eq!(
        (row.event.groups.as_slice(), row.event.role.as_deref()),
        (&["/eng:a".to_owned()][..], Some("Readers"))
    );
    assert_eq!(
        row.event.resource,
        Some(("topic".into(), "orders-eu".into()))
    );
    let matched = row.event.matched.unwrap();
    assert_eq!(matched.principal, Some(Principal::role("Readers")));
    assert_eq!(
        (matched.permission.as_str(), matched.operation.as_str()),
        ("allow", "read")
    );
    assert_eq!(
        (matched.resource_name.as_str(), matched.pattern.as_str()),
        ("orders-", "prefixed")
    );

    let row = decision("other");
    assert_eq!(
        (
            row.event.is_allowed,
            row.event.matched,
            row.event.why.as_str()
        ),
        (false, None, "no matches")
    );
}

#[test]
fn a_request_to_the_service_is_told_by_its_path() {
    let product = Product::default();
    let http = HttpRequest {
        method: "PUT",
        scheme: "http",
        host: "localhost",
        port: None,
        path: "/v1/roles/x",
        headers: &[],
        version: "1.1",
    };
    let event = api_activity(&ApiActivity {
        context: Context {
            service: service::ADMIN,
            ..context(&product)
        },
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        operation: "PUT",
        authorization: Authorization::Service {
            outcome: Outcome::Allow,
            reason: "superuser",
        },
        http: Some(http),
        resources: &[],
    });
    let row = EventRow::read(&gbac_json::event_to_value(&event)).unwrap();
    assert_eq!(
        (
            row.event.kind,
            row.event.what.as_str(),
            row.event.why.as_str()
        ),
        (EventKind::Access, "PUT /v1/roles/x", "superuser")
    );
    assert!(row.event.is_admin && row.event.matched.is_none());
}

#[test]
fn a_refused_token_is_told_in_words() {
    let why = |detail: &str| {
        let event = json!({ "class_uid": 3002, "activity_id": 1, "status_id": 2,
            "status_detail": detail, "user": { "name": "{{anonymous}}" } });
        let row = EventRow::read(&event).unwrap();
        assert!(row.event.is_anonymous());
        row.event.why_words()
    };
    assert_eq!(
        why("kid_unknown"),
        "the identity provider has no key with the ID that the token names"
    );
    // A code of a later release, and a sentence.
    assert_eq!(why("token_too_new"), "token too new");
    assert_eq!(
        why("wrong user name or password"),
        "wrong user name or password"
    );
}

#[test]
fn a_change_is_told_in_words() {
    let product = Product::default();
    let acl = decided_acl();
    let event = administration(&Administration {
        context: Context {
            service: service::ADMIN,
            ..context(&product)
        },
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        protocol: Some(AuthProtocol::Named("Basic")),
        modification: Modification::AclAdded(&acl),
        action: &action(&Modification::AclAdded(&acl)),
        reason: None,
        state: None,
    });
    let row = EventRow::read(&gbac_json::event_to_value(&event)).unwrap();
    assert_eq!(
        (row.event.kind, row.event.outcome(), row.event.from.as_str()),
        (EventKind::Change, "Done", "10.0.0.7")
    );
    assert_eq!(
        row.event.what,
        "admin added an ACL: Allow Read, topic y\\u{202e} literal, of Group:x"
    );
    assert!(
        row.raw.contains(r"y\u202e") && !row.raw.contains('\u{202e}'),
        "{}",
        row.raw
    );
    let row = EventRow::read(&gbac_json::event_to_value(
        &event.failed("not_stored", "the disk is full"),
    ))
    .unwrap();
    assert_eq!(
        (row.event.outcome(), row.event.why.as_str()),
        ("Not done", "the disk is full")
    );

    let member = Principal::user("bob");
    let event = administration(&Administration {
        context: context(&product),
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        protocol: None,
        modification: Modification::MemberAdded {
            role: "R",
            member: &member,
        },
        action: "added User:bob to the role R",
        reason: None,
        state: None,
    });
    let row = EventRow::read(&gbac_json::event_to_value(&event)).unwrap();
    assert_eq!(
        (row.event.user.as_str(), row.event.what.as_str()),
        ("admin", "admin added User:bob to the role R")
    );
}

fn decided_acl() -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: "y\u{202e}".into(),
        pattern_type: PatternType::Literal,
        principal: Principal::group("x"),
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    }
}

#[test]
fn an_event_that_stands_for_several_says_how_many() {
    let product = Product::default();
    let event = authentication(&Authentication {
        context: context(&product),
        user: User {
            name: "admin",
            ..User::default()
        },
        protocol: AuthProtocol::Named("Basic"),
        cleartext: false,
        result: SignInResult::Success { groups: &[] },
    });
    let row = |event: &Event| EventRow::read(&gbac_json::event_to_value(event)).unwrap();
    let rows = vec![
        row(&event.clone().repeated(3, 1000, 2000)),
        row(&event.clone().repeated(1, 0, 0)),
        row(&event),
    ];
    let [one] = fold_repeats(rows).try_into().unwrap();
    assert_eq!(
        (one.times, one.row.event.when().as_str()),
        (5, "1970-01-01 00:00:02 UTC")
    );
}

#[test]
fn what_says_the_same_again_is_one_row() {
    let groups = ["eng".to_owned()];
    let again = sign_in(SignInResult::Success { groups: &groups });
    let refused = sign_in(SignInResult::Failure { detail: "expired" });
    let rows = vec![
        again.clone(),
        with(&again, |event| (event.at_ms, event.since_ms) = (0.0, 0.0)),
        refused.clone(),
        refused,
        again,
    ];
    let folded = fold_repeats(rows);
    let times: Vec<usize> = folded.iter().map(|row| row.times).collect();
    assert_eq!(times, [2, 1, 1, 1], "what was refused stays single");
    assert_eq!(folded[0].since, "1970-01-01 00:00:00 UTC");
    assert!(super::fold_repeats(vec![decision("orders-eu"), decision("orders-eu")]).len() == 2);
}

#[test]
fn what_a_page_does_again_and_again_is_a_row_for_each_request() {
    let groups = ["eng".to_owned()];
    let signed_in = sign_in(SignInResult::Success { groups: &groups });
    let read = with(&signed_in, |event| {
        event.kind = EventKind::Access;
        event.what = request_words("GET", "/gbac/v1/policy");
    });
    let change = with(&signed_in, |event| {
        event.kind = EventKind::Change;
        event.what = "created".into();
    });
    let polled = vec![
        signed_in.clone(),
        read.clone(),
        decision("orders-eu"),
        signed_in.clone(),
        read.clone(),
        change,
        signed_in,
        read,
    ];
    let times: Vec<usize> = fold_repeats(polled).iter().map(|row| row.times).collect();
    assert_eq!(times, [2, 2, 1, 1, 1, 1], "a change parts them");
}

#[test]
fn requests_to_the_policy_are_told_in_words() {
    let told = |method, path| {
        let row = with(&decision("orders-eu"), |event| {
            event.kind = EventKind::Access;
            event.what = request_words(method, path);
        });
        (row.event.is_request_line(), row.event.what)
    };
    assert_eq!(
        told("PUT", "/gbac/v1/policy"),
        (false, "Change the policy".to_owned())
    );
    assert_eq!(
        told("POST", "/gbac/v1/policy/changes"),
        (false, "Change the policy".to_owned())
    );
    assert_eq!(
        told("GET", "/gbac/v1/policy"),
        (false, "Read the policy".to_owned())
    );
    assert_eq!(
        told("PUT", "/v1/roles/x"),
        (true, "PUT /v1/roles/x".to_owned())
    );
}

#[test]
fn filters_stand_in_the_address() {
    let filter = AuditFilter {
        kind: Some(EventKind::Decision),
        allowed: Some(false),
        user: "a b&c".into(),
        group: "/eng".into(),
        limit: 1000,
    };
    let address = filter.address();
    assert_eq!(
        address,
        "/security/audit?kind=decision&outcome=deny&user=a%20b%26c&group=%2Feng&limit=1000"
    );
    assert_eq!(AuditFilter::at(address.split_once('?').unwrap().1), filter);
    assert_eq!(AuditFilter::default().address(), address::AUDIT);
    assert_eq!(
        AuditFilter::at("kind=x&limit=7&other=%"),
        AuditFilter::default()
    );
}

#[test]
fn filters_leave_out_the_rest() {
    let row = decision("orders-eu");
    let shows = |query: &str| AuditFilter::at(query).shows(&row);
    assert!(shows("") && shows("kind=decision") && shows("outcome=allow") && shows("user=ALI"));
    assert!(shows("group=eng") && shows("group=Readers") && !shows("group=other"));
    assert!(!shows("kind=access") && !shows("outcome=deny") && !shows("user=bob"));
    assert!(!AuditFilter::at("limit=1000").is_set() && AuditFilter::at("user=a").is_set());
    let rows = [row, sign_in(SignInResult::Success { groups: &[] })];
    let counts = |query: &str| {
        let filter = AuditFilter::at(query);
        [None, Some(EventKind::Decision), Some(EventKind::SignIn)]
            .map(|kind| filter.count(&rows, kind))
    };
    // The choice of another kind would replace this one, and the group stays.
    assert_eq!(
        (counts("kind=decision"), counts("group=eng")),
        ([2, 1, 1], [1, 1, 0])
    );
}

/// A change as the service records it, with the ID of its request.
fn changed(modification: Modification<'_>, request: &str) -> serde_json::Value {
    let product = Product::default();
    let state = Some(ResultingState {
        policy_etag: "abc",
        config_version: 1,
    });
    let event = administration(&Administration {
        context: Context {
            correlation_uid: Some(request),
            ..context(&product)
        },
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        protocol: Some(AuthProtocol::Named("Basic")),
        action: &action(&modification),
        modification,
        reason: None,
        state,
    });
    gbac_json::event_to_value(&event)
}

#[test]
fn a_change_says_what_was_there_before_and_after() {
    let of = |modification: Modification<'_>| {
        EventRow::read(&changed(modification, "r")).unwrap().changed
    };
    let acl = Acl {
        principal: Principal::role("R"),
        ..decided_acl()
    };
    let values = ChangedValues {
        before: vec![],
        after: vec![ChangedValue::Acl(acl.clone())],
    };
    assert_eq!(of(Modification::AclAdded(&acl)), values);
    let values = ChangedValues {
        before: values.after,
        after: values.before,
    };
    assert_eq!(of(Modification::AclRemoved(&acl)), values);
    let bob = Principal::group("bob");
    let member = ChangedValue::Member {
        role: "R".into(),
        member: bob.clone(),
    };
    assert_eq!(
        of(Modification::MemberAdded {
            role: "R",
            member: &bob
        })
        .after,
        std::slice::from_ref(&member)
    );
    assert_eq!(
        of(Modification::MemberRemoved {
            role: "R",
            member: &bob
        })
        .before,
        std::slice::from_ref(&member)
    );
    let role = ChangedValue::Role("R".into());
    assert_eq!(
        of(Modification::RoleCreated("R")).after,
        std::slice::from_ref(&role)
    );
    let deleted = Modification::RoleDeleted {
        name: "R",
        members: std::slice::from_ref(&bob),
        acls: std::slice::from_ref(&acl),
    };
    assert_eq!(of(deleted).before, [role, ChangedValue::Acl(acl), member]);
    let superuser = ChangedValue::Access {
        level: "superuser".into(),
        grantee: Principal::user("ann"),
    };
    assert_eq!(of(Modification::SuperuserAdded("ann")).after, [superuser]);
    let access = ChangedValue::Access {
        level: "read_only".into(),
        grantee: bob.clone(),
    };
    assert_eq!(
        of(Modification::AccessRevoked {
            level: "read_only",
            grantee: &bob
        })
        .before,
        [access]
    );
    let named = |value: &str| {
        vec![ChangedValue::Named {
            name: "x".into(),
            value: value.into(),
        }]
    };
    let set = Modification::ValueSet {
        kind: "setting",
        name: "x",
        before: &json!("a"),
        after: &json!(7),
    };
    assert_eq!(
        of(set),
        ChangedValues {
            before: named("a"),
            after: named("7")
        }
    );
    assert!(
        of(Modification::Stopped).is_empty() && of(Modification::AccountCreated("ann")).is_empty()
    );
}

#[test]
fn many_changes_in_one_event_are_read_as_if_each_had_its_own() {
    let (acl, bob, before, after) = (
        decided_acl(),
        Principal::user("bob"),
        json!(null),
        json!("b"),
    );
    let modifications = [
        Modification::AclAdded(&acl),
        Modification::AclRemoved(&acl),
        Modification::RoleCreated("R"),
        Modification::RoleDeleted {
            name: "R",
            members: &[],
            acls: std::slice::from_ref(&acl),
        },
        Modification::MemberAdded {
            role: "R",
            member: &bob,
        },
        Modification::MemberRemoved {
            role: "R",
            member: &bob,
        },
        Modification::SuperuserAdded("ann"),
        Modification::SuperuserRemoved("ann"),
        Modification::AccessGranted {
            level: "evaluate",
            grantee: &bob,
        },
        Modification::AccessRevoked {
            level: "evaluate",
            grantee: &bob,
        },
        Modification::ValueSet {
            kind: "setting",
            name: "x",
            before: &before,
            after: &after,
        },
    ];
    let mut alone = ChangedValues::default();
    for modification in modifications {
        let ChangedValues { before, after } =
            EventRow::read(&changed(modification, "r")).unwrap().changed;
        alone.before.extend(before);
        alone.after.extend(after);
    }
    let many: Vec<_> = modifications.iter().map(modification_data).collect();
    let several = Modification::Several {
        changes: &many,
        first: 0,
        total: many.len(),
    };
    assert_eq!(
        EventRow::read(&changed(several, "r")).unwrap().changed,
        alone
    );
    assert_eq!((alone.before.len(), alone.after.len()), (7, 6));
}

#[test]
fn the_changes_of_one_request_are_one_row() {
    let bob = Principal::group("bob");
    let acl = Acl {
        principal: Principal::role("R"),
        ..decided_acl()
    };
    let newest_first = [
        changed(Modification::RoleCreated("Other"), "second"),
        changed(
            Modification::MemberAdded {
                role: "R",
                member: &bob,
            },
            "first",
        ),
        changed(Modification::AclRemoved(&acl), "first"),
        changed(Modification::AclAdded(&decided_acl()), ""),
        changed(Modification::AclAdded(&decided_acl()), ""),
    ];
    let [second, first, one, other] = fold_repeats(read_events(&newest_first)).try_into().unwrap();
    assert_eq!(
        (second.changes, second.row.event.what.as_str()),
        (1, "admin created the role Other")
    );
    assert_eq!((first.changes, first.times), (2, 1));
    assert_eq!(
        first.row.event.what,
        "admin changed the role R. 1 ACL removed. 1 principal added."
    );
    assert_eq!(
        (
            first.row.changed.before.len(),
            first.row.changed.after.len()
        ),
        (1, 1)
    );
    assert!(
        first.row.raw.find("\"acl\"") < first.row.raw.find("\"group\""),
        "the first event comes first"
    );
    assert_eq!(
        (one.changes, other.changes),
        (1, 1),
        "without an ID nobody knows"
    );
    // One that failed is not part of one that was made.
    let member = changed(
        Modification::MemberAdded {
            role: "R",
            member: &bob,
        },
        "third",
    );
    let mut failed = member.clone();
    failed["status_id"] = json!(2);
    assert_eq!(fold_repeats(read_events(&[failed, member])).len(), 2);
}

/// A denied decision of alice, as the service records it.
fn denied(
    operation: &str,
    policy: &gbac_engine::policy::Policy,
    groups: &[&str],
) -> serde_json::Value {
    let identity = Identity::new("alice", groups.iter().copied());
    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        "orders",
        At::IgnoringExpiry,
    );
    let decision = decide(policy, &identity, &request);
    assert_eq!(decision.outcome, Outcome::Deny);
    let product = Product::default();
    let event = api_activity(&ApiActivity {
        context: context(&product),
        user: User {
            name: "alice",
            ..User::default()
        },
        operation,
        authorization: Authorization::Acl {
            request,
            decision: &decision,
        },
        http: None,
        resources: &[],
    });
    gbac_json::event_to_value(&event)
}

#[test]
fn a_denied_decision_opens_in_the_simulator_with_the_groups_of_the_sign_in() {
    let policy = gbac_engine::policy::Policy::default();
    let product = Product::default();
    let sign_in = |user, time_ms, groups: &[String]| {
        gbac_json::event_to_value(&authentication(&Authentication {
            context: Context {
                time_ms,
                ..context(&product)
            },
            user: User {
                name: user,
                ..User::default()
            },
            protocol: AuthProtocol::OIDC,
            cleartext: false,
            result: SignInResult::Success { groups },
        }))
    };
    let groups = ["eng".to_owned(), "a/b".to_owned()];
    let simulated = |events: &[serde_json::Value]| read_events(events).swap_remove(0).simulated;
    let at = 1_800_000_000_000;
    let check = simulated(&[
        denied("fetch", &policy, &[]),
        sign_in("bob", at - 1, &["no".to_owned()]),
        sign_in("alice", at - 1, &groups),
        sign_in("alice", at - 2, &["old".to_owned()]),
    ])
    .unwrap();
    assert_eq!(
        (check.user.as_str(), check.groups.as_slice()),
        ("alice", groups.as_slice())
    );
    let access = &check.access;
    assert_eq!(
        (access.operation, access.resource_type),
        (Operation::Read, ResourceType::Topic)
    );
    assert_eq!(
        (access.resource_name.as_str(), access.host),
        ("orders", "10.0.0.7".parse().ok())
    );
    let inputs = check.inputs();
    assert_eq!(
        (inputs.groups.as_str(), inputs.host.as_str()),
        ("eng\na/b", "10.0.0.7")
    );
    assert!(
        check.address().starts_with("/security/simulator#check="),
        "{}",
        check.address()
    );

    // An event names the operation itself, or a request that needs it; another one cannot be
    // evaluated.
    assert_eq!(
        simulated(&[denied("read", &policy, &[])])
            .unwrap()
            .access
            .operation,
        Operation::Read
    );
    assert_eq!(simulated(&[denied("no_such_request", &policy, &[])]), None);
    assert_eq!(
        simulated(&[
            denied("read", &policy, &[]),
            sign_in("alice", at, &["two\nlines".to_owned()])
        ]),
        None
    );
    // Without a sign-in, the group that decided is known.
    let mut denying = gbac_engine::policy::Policy::default();
    let acl = Acl::deny(
        Principal::group("eng"),
        Operation::Read,
        ResourceType::Topic,
        "orders",
    );
    denying
        .apply(gbac_engine::policy::Change::AddAcl(acl))
        .unwrap();
    assert_eq!(
        simulated(&[denied("fetch", &denying, &["eng", "x"])])
            .unwrap()
            .groups,
        ["eng"]
    );
    assert_eq!(
        read_events(&[sign_in("alice", at, &groups)])[0].simulated,
        None
    );
}

#[test]
fn exported_events_are_those_of_the_service_the_oldest_first() {
    let product = Product::default();
    let event = |name: &str| {
        gbac_json::event_to_value(&administration(&Administration {
            context: context(&product),
            user: User {
                name,
                kind: UserKind::Admin,
                ..User::default()
            },
            protocol: None,
            modification: Modification::AclAdded(&decided_acl()),
            action: "added an ACL",
            reason: None,
            state: None,
        }))
    };
    let events = [event("newer\u{202e}\u{e0041}"), event("older")];
    let rows: Vec<EventRow> = events.iter().filter_map(EventRow::read).collect();
    let lines: Vec<serde_json::Value> = export_events(&rows)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines, events.into_iter().rev().collect::<Vec<_>>());
    assert_eq!(export_events(&[]), "");
}
