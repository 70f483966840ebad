//! Tests of audit events: every member of the expected JSON.

use serde_json::{Value, json};

use super::*;
use gbac_engine::decide::{At, Decision, Outcome, Reason, Request, Source};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};

const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";

pub(super) fn product() -> Product {
    Product {
        version: "1.2.3".into(),
        uid: Some("7".into()),
        ..Product::default()
    }
}

pub(super) fn context<'a>(product: &'a Product, service: &'a str) -> Context<'a> {
    let end = |ip: &str, port| Endpoint {
        ip: Some(ip.parse().unwrap()),
        port: Some(port),
        name: None,
    };
    Context {
        time_ms: 1_700_533_469_078,
        product,
        service,
        server: end("127.0.0.1", 9092),
        client: Endpoint {
            name: Some("billing"),
            ..end("::ffff:10.0.0.7", 42906)
        },
        correlation_uid: None,
        invoked_by: None,
    }
}

pub(super) fn alice() -> User<'static> {
    User {
        name: "alice",
        uid: Some("00u1"),
        ..User::default()
    }
}

fn acl(principal: Principal, permission: Permission) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: "sales-topic".into(),
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation: Operation::All,
        permission,
    }
}

pub(super) fn unsettled(outcome: Outcome, reason: Reason) -> Decision {
    Decision {
        outcome,
        reason,
        source: None,
        group: None,
        role: None,
        acl: None,
        implied_by: None,
        host_unknown: false,
        verified: true,
        assumed: Default::default(),
    }
}

pub(super) fn by_group() -> Decision {
    Decision {
        source: Some(Source::Group),
        group: Some("/sales".into()),
        acl: Some(acl(Principal::group("/sales"), Permission::Allow)),
        ..unsettled(Outcome::Allow, Reason::AllowRule)
    }
}

pub(super) fn through_group_and_role() -> Decision {
    Decision {
        source: Some(Source::GroupRole),
        group: Some("/sales".into()),
        role: Some("DataEngineers".into()),
        acl: Some(Acl {
            pattern_type: PatternType::Prefixed,
            host: Host::parse("10.0.0.7").unwrap(),
            operation: Operation::Write,
            ..acl(Principal::role("DataEngineers"), Permission::Deny)
        }),
        ..unsettled(Outcome::Deny, Reason::DenyRule)
    }
}

pub(super) fn activity<'a>(
    product: &'a Product,
    request: Request<'a>,
    decision: &'a Decision,
) -> ApiActivity<'a> {
    ApiActivity {
        context: context(product, service::KAFKA),
        user: alice(),
        operation: "produce",
        authorization: Authorization::Acl { request, decision },
        http: None,
        resources: &[],
    }
}

pub(super) fn write() -> Request<'static> {
    Request::new(
        Operation::Write,
        ResourceType::Topic,
        "sales-topic",
        At::IgnoringExpiry,
    )
}

#[test]
fn a_sign_in_lists_every_group_of_the_token() {
    let (product, groups) = (product(), ["/sales".to_string(), "a,b".into()]);
    let event = authentication(&Authentication {
        context: context(&product, service::KAFKA),
        user: alice(),
        protocol: AuthProtocol::OIDC,
        cleartext: true,
        result: SignInResult::Success { groups: &groups },
    });
    assert_eq!(
        event.to_json(),
        json!({
            "category_uid": 3,
            "class_uid": 3002,
            "metadata": {
                "product": { "name": "GBAC", "uid": "7", "vendor_name": "GBAC", "version": "1.2.3" },
                "version": "1.0.0"
            },
            "severity_id": 1,
            "time": 1_700_533_469_078_i64,
            "type_uid": 300_201,
            "activity_id": 1,
            "auth_protocol": "SASL-OAUTHBEARER",
            "auth_protocol_id": 99,
            "dst_endpoint": { "ip": "127.0.0.1", "port": 9092, "svc_name": "kafka rpc protocol" },
            "is_cleartext": true,
            "is_mfa": false,
            "service": { "name": "kafka rpc protocol" },
            "src_endpoint": { "ip": "10.0.0.7", "name": "billing", "port": 42906 },
            "status_id": 1,
            "user": {
                "name": "alice",
                "type_id": 1,
                "uid": "00u1",
                "groups": [{ "type": "idp_group", "name": "/sales" }, { "type": "idp_group", "name": "a,b" }]
            }
        })
    );
}

#[test]
fn every_service_lists_the_groups_of_a_sign_in() {
    let (product, groups) = (product(), ["eng".to_string()]);
    for name in [
        service::KAFKA,
        service::SCHEMA_REGISTRY,
        service::HTTP_PROXY,
        service::ADMIN,
    ] {
        let event = authentication(&Authentication {
            context: context(&product, name),
            user: alice(),
            protocol: AuthProtocol::OIDC,
            cleartext: true,
            result: SignInResult::Success { groups: &groups },
        })
        .to_json();
        assert_eq!(
            event["user"]["groups"],
            json!([{ "type": "idp_group", "name": "eng" }]),
            "{name}"
        );
        assert_eq!(event["dst_endpoint"]["svc_name"], name);
    }
}

#[test]
fn a_line_keeps_the_order_of_the_platform() {
    let product = Product {
        uid: None,
        ..product()
    };
    let event = authentication(&Authentication {
        context: Context {
            server: Endpoint::default(),
            client: Endpoint::default(),
            ..context(&product, "s\"\n")
        },
        user: User {
            kind: UserKind::Admin,
            domain: Some("example"),
            ..alice()
        },
        protocol: AuthProtocol::Kerberos,
        cleartext: false,
        result: SignInResult::Success { groups: &[] },
    });
    assert_eq!(
        event.to_line(),
        concat!(
            r#"{"category_uid":3,"class_uid":3002,"metadata":{"product":{"name":"GBAC","vendor_name":"GBAC","#,
            r#""version":"1.2.3"},"version":"1.0.0"},"severity_id":1,"time":1700533469078,"type_uid":300201,"#,
            r#""activity_id":1,"auth_protocol_id":2,"dst_endpoint":{"svc_name":"s\"\n"},"is_cleartext":false,"#,
            r#""is_mfa":false,"service":{"name":"s\"\n"},"src_endpoint":{"name":"unknown"},"status_id":1,"#,
            r#""user":{"domain":"example","name":"alice","type_id":2,"uid":"00u1"}}"#
        )
    );
}

#[test]
fn a_refused_sign_in_records_no_claim_and_no_credential() {
    let product = product();
    let detail = format!("token {TOKEN} is not signed by a known key");
    let event = authentication(&Authentication {
        context: context(&product, service::ADMIN),
        user: User {
            domain: Some("d"),
            ..alice()
        },
        protocol: AuthProtocol::Oauth2,
        cleartext: false,
        result: SignInResult::Failure { detail: &detail },
    })
    .to_json();
    assert_eq!(
        (&event["auth_protocol"], &event["auth_protocol_id"]),
        (&Value::Null, &json!(6))
    );
    assert_eq!(
        (&event["status_id"], &event["type_uid"]),
        (&json!(2), &json!(300_201))
    );
    assert_eq!(
        event["status_detail"],
        json!("token ****** is not signed by a known key")
    );
    assert_eq!(event["user"], json!({ "name": "alice", "type_id": 1 }));

    let anonymous = authentication(&Authentication {
        context: context(&product, service::ADMIN),
        user: User {
            name: "",
            kind: UserKind::Admin,
            ..User::default()
        },
        protocol: AuthProtocol::Unknown,
        cleartext: false,
        result: SignInResult::Failure { detail: "" },
    })
    .to_json();
    assert_eq!(
        anonymous["user"],
        json!({ "name": "{{anonymous}}", "type_id": 0 })
    );
    assert_eq!(anonymous.get("status_detail"), None);

    let mistyped = authentication(&Authentication {
        context: context(&product, service::ADMIN),
        user: User {
            name: TOKEN,
            ..User::default()
        },
        protocol: AuthProtocol::Named("BASIC"),
        cleartext: false,
        result: SignInResult::Failure { detail: "" },
    });
    assert!(!mistyped.to_line().contains("eyJ"));
}

#[test]
fn a_match_of_a_group_names_the_group() {
    let (product, decision) = (product(), by_group());
    assert_eq!(
        api_activity(&activity(&product, write(), &decision)).to_json(),
        json!({
            "category_uid": 6,
            "class_uid": 6003,
            "metadata": {
                "product": { "name": "GBAC", "uid": "7", "vendor_name": "GBAC", "version": "1.2.3" },
                "profiles": ["cloud"],
                "version": "1.0.0"
            },
            "severity_id": 1,
            "time": 1_700_533_469_078_i64,
            "type_uid": 600_303,
            "activity_id": 3,
            "actor": {
                "authorizations": [{
                    "decision": "authorized",
                    "policy": {
                        "desc": "acl: {principal type {group} name {/sales} host {{any_host}} op all perm allow}, \
                                 resource: type {topic} name {sales-topic} pattern {literal}",
                        "name": "aclAuthorization"
                    }
                }],
                "user": {
                    "name": "alice",
                    "type_id": 1,
                    "uid": "00u1",
                    "groups": [{ "type": "idp_group", "name": "/sales" }]
                }
            },
            "api": { "operation": "produce", "service": { "name": "kafka rpc protocol" } },
            "cloud": { "provider": "" },
            "dst_endpoint": { "ip": "127.0.0.1", "port": 9092, "svc_name": "kafka rpc protocol" },
            "resources": [{ "name": "sales-topic", "type": "topic" }],
            "src_endpoint": { "ip": "10.0.0.7", "name": "billing", "port": 42906 },
            "status_id": 1,
            "unmapped": {
                "authorization_metadata": {
                    "acl_authorization": {
                        "host": "{{any_host}}",
                        "op": "all",
                        "permission_type": "allow",
                        "principal": "type {group} name {/sales}"
                    },
                    "resource": { "name": "sales-topic", "pattern": "literal", "type": "topic" }
                }
            }
        })
    );
}

#[test]
fn a_match_through_a_role_names_group_and_role() {
    let (product, decision) = (product(), through_group_and_role());
    let event = api_activity(&activity(&product, write(), &decision)).to_json();
    assert_eq!(
        event["actor"],
        json!({
            "authorizations": [{
                "decision": "denied",
                "policy": {
                    "desc": "acl: {principal type {role} name {DataEngineers} host {10.0.0.7} op write perm deny}, \
                             resource: type {topic} name {sales-topic} pattern {prefixed}",
                    "name": "aclAuthorization"
                }
            }],
            "user": {
                "name": "alice",
                "type_id": 1,
                "uid": "00u1",
                "groups": [{ "type": "idp_group", "name": "/sales" }, { "type": "role", "name": "DataEngineers" }]
            }
        })
    );
    assert_eq!(event["status_id"], json!(2));

    let own_role = Decision {
        source: Some(Source::Role),
        group: None,
        ..decision
    };
    let event = api_activity(&activity(&product, write(), &own_role)).to_json();
    assert_eq!(
        event["actor"]["user"]["groups"],
        json!([{ "type": "role", "name": "DataEngineers" }])
    );
}

#[test]
fn decisions_without_an_acl_say_why() {
    let product = product();
    for (outcome, reason, desc, decision, permission, type_id) in [
        (
            Outcome::Allow,
            Reason::Superuser,
            "superuser",
            "authorized",
            "AUTHORIZED",
            2,
        ),
        (
            Outcome::Deny,
            Reason::NoMatch,
            "no matches",
            "denied",
            "DENIED",
            1,
        ),
        (
            Outcome::Deny,
            Reason::Expired,
            "identity expired",
            "denied",
            "DENIED",
            1,
        ),
    ] {
        let settled = unsettled(outcome, reason);
        let event = api_activity(&activity(&product, write(), &settled)).to_json();
        assert_eq!(
            event["actor"],
            json!({
                "authorizations": [{ "decision": decision, "policy": { "desc": desc, "name": "aclAuthorization" } }],
                "user": { "name": "alice", "type_id": type_id, "uid": "00u1" }
            })
        );
        assert_eq!(
            event["unmapped"],
            json!({ "authorization_metadata": {
                "acl_authorization": { "host": "", "op": "", "permission_type": permission, "principal": "" },
                "resource": { "name": "", "pattern": "", "type": "" }
            } })
        );
    }
}

#[test]
fn an_own_acl_names_no_group() {
    let product = product();
    let decision = Decision {
        source: Some(Source::User),
        group: None,
        acl: Some(acl(Principal::user("*"), Permission::Allow)),
        ..by_group()
    };
    let event = api_activity(&activity(&product, write(), &decision)).to_json();
    assert_eq!(event["actor"]["user"].get("groups"), None);
    assert_eq!(
        event["unmapped"]["authorization_metadata"]["acl_authorization"]["principal"],
        json!("type {user} name {*}")
    );
}

#[test]
fn operations_have_their_activity() {
    let (product, decision) = (product(), by_group());
    for (operation, activity_id) in [
        (Operation::All, 3),
        (Operation::Read, 2),
        (Operation::Write, 3),
        (Operation::Create, 1),
        (Operation::Delete, 4),
        (Operation::Alter, 3),
        (Operation::Describe, 3),
        (Operation::ClusterAction, 3),
        (Operation::DescribeConfigs, 2),
        (Operation::AlterConfigs, 3),
        (Operation::IdempotentWrite, 3),
    ] {
        let event = api_activity(&activity(
            &product,
            Request::new(
                operation,
                ResourceType::Topic,
                "sales-topic",
                At::IgnoringExpiry,
            ),
            &decision,
        ))
        .to_json();
        assert_eq!(event["activity_id"], json!(activity_id), "{operation:?}");
        assert_eq!(
            event["type_uid"],
            json!(600_300 + activity_id),
            "{operation:?}"
        );
    }
}

#[test]
fn an_unknown_client_is_the_host_of_the_request() {
    let (product, decision) = (product(), by_group());
    let context = Context {
        client: Endpoint::default(),
        ..context(&product, service::KAFKA)
    };
    let request = write().with_host("10.1.1.1".parse::<std::net::IpAddr>().unwrap());
    let event = |request| {
        api_activity(&ApiActivity {
            context,
            ..activity(&product, request, &decision)
        })
        .to_json()
    };
    assert_eq!(event(request)["src_endpoint"], json!({ "ip": "10.1.1.1" }));
    assert_eq!(event(write())["src_endpoint"], json!({ "name": "unknown" }));
}

#[test]
fn http_requests_are_logged_without_credentials() {
    let product = product();
    let headers: Vec<(String, String)> = [
        ("Host", "127.0.0.1:9644"),
        ("User-Agent", "curl/8"),
        ("authorization", "Basic YWRtaW46cGFzc3dvcmQ="),
        ("Cookie", "session=YWRtaW4"),
        ("X-Original", &format!("Bearer {TOKEN}")),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .to_vec();
    let created = acl(Principal::group("/sales"), Permission::Allow);
    let event = api_activity(&ApiActivity {
        context: context(&product, service::ADMIN),
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        operation: "POST",
        authorization: Authorization::Service {
            outcome: Outcome::Allow,
            reason: "",
        },
        http: Some(HttpRequest {
            method: "POST",
            scheme: "http",
            host: "me:secret@127.0.0.1:9644",
            port: Some(9644),
            path: "/v1/acls?access_token=abc&dry_run=true",
            headers: &headers,
            version: "1.1",
        }),
        resources: &[
            AuditedResource::created_acl(&created),
            AuditedResource {
                name: "dev",
                kind: "role",
                acl: None,
            },
        ],
    });
    for secret in ["YWRt", "eyJ", "secret", "abc"] {
        assert!(!event.to_line().contains(secret), "{secret}");
    }
    let event = event.to_json();
    assert_eq!(event["type_uid"], json!(600_301));
    assert_eq!(
        event["actor"],
        json!({
            "authorizations": [{ "decision": "authorized", "policy": { "desc": "", "name": "Admin HTTP Server" } }],
            "user": { "name": "admin", "type_id": 2 }
        })
    );
    assert_eq!(event["unmapped"], json!({}));
    assert_eq!(
        event["http_request"],
        json!({
            "http_headers": [
                { "name": "User-Agent", "value": "curl/8" }
            ],
            "http_method": "POST",
            "url": {
                "hostname": "127.0.0.1",
                "path": "/v1/acls?******&dry_run=true",
                "port": 9644,
                "scheme": "http",
                "url_string": "http://127.0.0.1:9644/v1/acls?******&dry_run=true"
            },
            "user_agent": "curl/8",
            "version": "1.1"
        })
    );
    assert_eq!(
        event["resources"],
        json!([
            {
                "name": "create acl",
                "type": "acl_binding",
                "data": {
                    "resource_type": "topic",
                    "resource_name": "sales-topic",
                    "pattern_type": "literal",
                    "acl_principal": "type {group} name {/sales}",
                    "acl_host": "{{any_host}}",
                    "acl_operation": "all",
                    "acl_permission": "allow"
                }
            },
            { "name": "dev", "type": "role" }
        ])
    );
}

#[test]
fn an_event_can_stand_for_several() {
    let (product, decision) = (product(), by_group());
    let event = api_activity(&activity(&product, write(), &decision)).repeated(3, 10, 30);
    let json = event.to_json();
    assert_eq!(
        (
            &json["count"],
            &json["start_time"],
            &json["end_time"],
            &json["time"]
        ),
        (&json!(3), &json!(10), &json!(30), &json!(10))
    );
    assert!(
        event.to_line().starts_with(
            r#"{"category_uid":6,"class_uid":6003,"count":3,"end_time":30,"metadata":"#
        )
    );
}

#[test]
fn a_method_or_host_that_ocsf_does_not_know_is_left_out() {
    let product = product();
    let http = |method, host| {
        let http = HttpRequest {
            method,
            scheme: "http",
            host,
            port: Some(1),
            path: "/",
            headers: &[],
            version: "2",
        };
        let event = api_activity(&ApiActivity {
            context: context(&product, service::ADMIN),
            user: User::default(),
            operation: method,
            authorization: Authorization::Service {
                outcome: Outcome::Deny,
                reason: "",
            },
            http: Some(http),
            resources: &[],
        });
        event.to_json()["http_request"].clone()
    };
    assert_eq!(
        http("GET", "gbac.example:80")["url"]["hostname"],
        "gbac.example"
    );
    for host in ["[::1]:80", "a b", "-x", "x..y", ""] {
        let request = http("PATCH", host);
        assert_eq!(
            (request.get("http_method"), request["url"].get("hostname")),
            (None, None),
            "{host}"
        );
        assert_eq!(request["url"].get("url_string"), None, "{host}");
    }
}

#[test]
fn hidden_characters_are_escaped_without_loss() {
    let (product, decision) = (product(), by_group());
    let name = "a\u{202e}b\u{2028}c\u{7}\u{e0041}\"\\\u{85}\u{1f600}";
    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        name,
        At::IgnoringExpiry,
    );
    let event = api_activity(&activity(&product, request, &decision));
    let line = event.to_line();
    assert!(
        line.contains(r#"a\u202eb\u2028c\u0007\udb40\udc41\"\\\u0085😀"#),
        "{line}"
    );
    assert_eq!(event.to_json()["resources"][0]["name"], json!(name));
}

#[test]
fn names_that_are_tokens_are_taken_out() {
    let (product, decision) = (product(), by_group());
    for name in [
        TOKEN.to_owned(),
        TOKEN.replace('.', "%2E"),
        format!("x-{TOKEN}"),
    ] {
        let request = Request::new(
            Operation::Read,
            ResourceType::Topic,
            &name,
            At::IgnoringExpiry,
        );
        let user = User {
            name: &name,
            uid: Some(&name),
            ..User::default()
        };
        let event = api_activity(&ApiActivity {
            user,
            ..activity(&product, request, &decision)
        });
        assert!(!event.to_line().contains("c2ln"), "{}", event.to_line());
    }
}

fn changed(modification: Modification<'_>) -> Value {
    change_event(modification).to_json()
}

fn change_event(modification: Modification<'_>) -> Event {
    let product = product();
    administration(&Administration {
        context: Context {
            correlation_uid: Some("c-1"),
            ..context(&product, service::ADMIN)
        },
        user: User {
            name: "admin",
            kind: UserKind::Admin,
            ..User::default()
        },
        protocol: Some(AuthProtocol::Named("Basic")),
        modification,
        action: "made a change",
        reason: Some("OPS-7"),
        state: Some(ResultingState {
            policy_etag: "x-7",
            config_version: 3,
        }),
    })
}

#[test]
fn a_change_that_could_not_be_made_says_so() {
    let event = change_event(Modification::RoleCreated("r"))
        .failed("not_stored", "the disk is full")
        .to_json();
    assert_eq!(event["message"], "not done: admin made a change");
    assert_eq!(
        (
            &event["status_id"],
            &event["status_code"],
            &event["status_detail"]
        ),
        (&json!(2), &json!("not_stored"), &json!("the disk is full"))
    );
}

#[test]
fn changes_have_user_values_and_state() {
    let acl = acl(Principal::group("/sales"), Permission::Allow);
    let event = changed(Modification::AclAdded(&acl));
    assert_eq!(
        (&event["class_uid"], &event["type_uid"]),
        (&json!(3004), &json!(300_401))
    );
    assert_eq!(event["message"], "admin made a change");
    assert_eq!(
        event["actor"]["user"],
        json!({ "name": "admin", "type_id": 2 })
    );
    assert_eq!(event["metadata"]["correlation_uid"], "c-1");
    assert_eq!(event["entity"]["data"]["principal"], "Group:/sales");
    assert_eq!(event["unmapped"]["reason"], "OPS-7");
    assert_eq!(
        event["unmapped"]["state"],
        json!({ "policy_etag": "x-7", "config_version": 3 })
    );
    assert_eq!(
        event["unmapped"]["sign_in"],
        json!({ "auth_protocol": "Basic", "auth_protocol_id": 99 })
    );

    let (before, after) = (json!("$.groups"), json!("$.roles"));
    let set = Modification::ValueSet {
        kind: "setting",
        name: "oidc_group_claim_path",
        before: &before,
        after: &after,
    };
    let event = changed(set);
    assert_eq!(event["entity"]["data"], json!({ "value": "$.groups" }));
    assert_eq!(
        event["entity_result"]["data"],
        json!({ "value": "$.roles" })
    );

    let event = changed(Modification::SuperuserAdded("bob"));
    assert_eq!(
        (&event["class_uid"], &event["activity_id"]),
        (&json!(3005), &json!(1))
    );
    assert_eq!(
        (
            &event["user"]["name"],
            &event["unmapped"]["actor"]["user"]["name"]
        ),
        (&json!("bob"), &json!("admin"))
    );

    let member = Principal::group("eng");
    let event = changed(Modification::MemberRemoved {
        role: "Readers",
        member: &member,
    });
    assert_eq!(
        (&event["class_uid"], &event["activity_id"]),
        (&json!(3006), &json!(4))
    );
    assert_eq!(
        event["user"],
        json!({ "name": "eng", "type": "idp_group", "type_id": 99 })
    );

    let event = changed(Modification::PasswordReset("admin"));
    assert_eq!(
        (&event["class_uid"], &event["activity_id"]),
        (&json!(3001), &json!(4))
    );
    assert_eq!(event["user"], json!({ "name": "admin", "type_id": 2 }));

    let event = changed(Modification::Started {
        options: &json!({ "listen": "127.0.0.1:1" }),
    });
    assert_eq!(
        (&event["class_uid"], &event["activity_id"]),
        (&json!(6002), &json!(3))
    );
    assert_eq!(
        (
            &event["app"]["version"],
            &event["unmapped"]["options"]["listen"]
        ),
        (&json!("1.2.3"), &json!("127.0.0.1:1"))
    );

    let off = Modification::ValueSet {
        kind: "setting",
        name: "audit_enabled",
        before: &json!(true),
        after: &json!(false),
    };
    let event = changed(off);
    assert_eq!(event["type_uid"], 600_204);
    assert_eq!(event["app"]["feature"]["name"], "audit log");
    assert!(
        event["unmapped"]["src_endpoint"].is_object(),
        "a client did it"
    );
}
