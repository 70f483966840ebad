//! Tests of the commands that call a Kafka cluster in place of a service, against a broker that has
//! ACLs and nothing else.

use std::fs;

use crate::support::broker::{ALLOW, Broker, DENY, StoredAcl, read_acl};
use crate::support::program;
use crate::support::service;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tempfile::TempDir;

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn run(folder: &TempDir, broker: &Broker, args: &[&str]) -> program::Run {
    let args = [args, &["--bootstrap-servers", &broker.servers]].concat();
    service::run(folder, &[], &args)
}

fn write(folder: &TempDir, name: &str, value: &Value) {
    fs::write(folder.path().join(name), value.to_string()).expect("a file");
}

/// A change that adds or removes an ACL of a topic.
fn change(kind: &str, principal: &str, topic: &str, permission: &str) -> Value {
    json!({ "change": kind, "acl": {
        "principal": principal, "permission_type": format!("PERMISSION_TYPE_{permission}"), "operation": "OPERATION_READ", "host": "*",
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": topic, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL" } })
}

/// Two ACLs: Maya reads orders, and nobody in `temps` does.
fn acls() -> [StoredAcl; 2] {
    [
        read_acl("User:maya", "orders", ALLOW),
        read_acl("Group:temps", "orders", DENY),
    ]
}

#[test]
fn pull_writes_the_acls_of_a_cluster_as_a_document_of_kafka() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let pulled = run(&folder, &broker, &["policy", "pull"]);
    assert_eq!(pulled.exit, 0, "{}", pulled.err);
    let document: Value = serde_json::from_str(&pulled.out).expect("JSON");
    assert_eq!(document["settings"]["dialect"], "kafka");
    assert_eq!(document["acls"].as_array().expect("a list").len(), 2);
}

#[test]
fn an_acl_that_is_not_known_is_named_and_stops_a_pull() {
    let mut unknown = read_acl("User:maya", "orders", ALLOW);
    unknown.5 = 99;
    let (folder, broker) = (folder(), Broker::start([unknown]));
    let pulled = run(&folder, &broker, &["policy", "pull"]);
    assert_eq!(pulled.exit, 1, "{}", pulled.out);
    assert!(pulled.err.contains("operation 99"), "{}", pulled.err);
    let skipped = run(&folder, &broker, &["policy", "pull", "--skip-unreadable"]);
    assert_eq!(skipped.exit, 0, "{}", skipped.err);
    let check = [
        "check",
        "--user",
        "maya",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    let checked = run(&folder, &broker, &check);
    assert_eq!(checked.exit, 2, "{}", checked.out);
    assert!(
        checked
            .err
            .contains("a deny among them is missing in every verdict"),
        "{}",
        checked.err
    );
}

#[test]
fn a_check_decides_with_the_acls_of_a_cluster() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let check = [
        "check",
        "--user",
        "maya",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    let checked = run(&folder, &broker, &check);
    assert_eq!(checked.exit, 0, "{}", checked.err);
    assert!(
        checked.err.starts_with("note: the cluster has 1 ACL of groups and roles: verdicts here count them, as the GBAC plugin does; Kafka's own authorizer \
         ignores them\n"),
        "{}",
        checked.err
    );
    let as_temp = [&check[..], &["--group", "temps"]].concat();
    assert_eq!(run(&folder, &broker, &as_temp).exit, 2);
}

#[test]
fn a_token_has_no_warnings_about_the_platform() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(json!({ "alg": "ES256", "typ": "at+jwt", "kid": "k" }));
    let claims = part(json!({ "sub": "maya", "groups": ["eng"] }));
    fs::write(
        folder.path().join("token.jwt"),
        format!("{header}.{claims}.AAAA"),
    )
    .expect("a file");
    let check = ["check", "--token-file", "token.jwt", "--operation", "read"];
    let checked = run(
        &folder,
        &broker,
        &[&check[..], &["--topic", "orders"]].concat(),
    );
    assert_eq!(checked.exit, 0, "{}{}", checked.out, checked.err);
    assert!(!checked.out.contains("rpk"), "{}", checked.out);
}

#[test]
fn a_denial_is_fixed_by_an_acl_of_a_group_because_a_cluster_has_no_roles() {
    let broker = Broker::start([
        read_acl("User:maya", "other", ALLOW),
        read_acl("Role:readers", "orders", ALLOW),
    ]);
    let folder = folder();
    let line = "Principal = User:jonas is Denied operation = READ from host = 10.0.0.7 on resource = Topic:LITERAL:orders for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny with groups = [payments]";
    fs::write(folder.path().join("denied.log"), line).expect("a file");
    let roles = json!({ "version": 1, "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }] });
    write(&folder, "roles.json", &roles);
    let asked = ["doctor", "denial", "denied.log", "--out", "changes.json"];
    let roles = ["--role-file", "roles.json"];
    let done = run(&folder, &broker, &[&asked[..], &roles].concat());
    assert_eq!(done.exit, 0, "{}", done.err);
    for fix in [
        "Assign Group:payments to Role:readers.",
        "Add an ACL for Group:payments. Opens one topic, orders",
    ] {
        assert!(done.out.contains(fix), "{}", done.out);
    }
    assert!(!done.out.contains("Create a role"), "{}", done.out);
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ];
    let applied = run(&folder, &broker, &apply);
    assert_eq!(applied.exit, 0, "{}", applied.err);
    let added = broker
        .acls()
        .into_iter()
        .find(|acl| acl.3 == "Group:payments");
    assert_eq!(added.expect("an ACL").1, "orders");
}

#[test]
fn roles_need_a_file_and_a_command_says_so() {
    let broker = Broker::start([read_acl("Role:readers", "orders", ALLOW)]);
    let folder = folder();
    let check = [
        "check",
        "--user",
        "maya",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    let without = run(&folder, &broker, &check);
    assert_eq!(without.exit, 2);
    assert!(
        without
            .err
            .contains("note: 1 ACL of roles matches nobody: Kafka does not have the members"),
        "{}",
        without.err
    );
    write(
        &folder,
        "roles.json",
        &json!({ "version": 1, "roles": [{ "name": "readers", "members": [{ "principal": "User:maya" }] }] }),
    );
    let with = run(
        &folder,
        &broker,
        &[&check[..], &["--role-file", "roles.json"]].concat(),
    );
    assert_eq!((with.exit, with.err.contains("matches nobody")), (0, false));
}

#[test]
fn the_platform_has_the_members_of_its_roles() {
    let acls = [
        read_acl("RedpandaRole:readers", "orders", ALLOW),
        read_acl("RedpandaRole:nobody", "orders", ALLOW),
    ];
    let (folder, broker) = (folder(), Broker::start(acls));
    broker.set_roles(&[
        ("readers", &[(0, "maya"), (1, "/eng/b")]),
        ("__system", &[]),
    ]);
    let pulled = run(&folder, &broker, &["policy", "pull"]);
    assert_eq!(pulled.exit, 0, "{}", pulled.err);
    let document: Value = serde_json::from_str(&pulled.out).expect("JSON");
    assert_eq!(
        document["roles"],
        json!([
            { "name": "__system", "members": [] },
            { "name": "readers", "members": [{ "principal": "User:maya" }, { "principal": "Group:/eng/b" }] },
        ])
    );
    assert!(
        pulled.err.contains(
            "note: 1 ACL of roles matches nobody: the platform does not have these roles"
        ) && pulled
            .err
            .contains("the platform matches the 2 ACLs of groups and roles of this cluster"),
        "{}",
        pulled.err
    );
    // A document takes precedence.
    write(
        &folder,
        "roles.json",
        &json!({ "version": 1, "roles": [{ "name": "readers" }] }),
    );
    let check = "check --user maya --operation read --topic orders";
    let check: Vec<&str> = check.split(' ').collect();
    let with_file = [&check[..], &["--role-file", "roles.json"]].concat();
    assert_eq!(run(&folder, &broker, &check).exit, 0);
    assert_eq!(run(&folder, &broker, &with_file).exit, 2);
    // Without its members, a deny of a role would be missing.
    broker.set_roles(&[("readers", &[(2, "maya")])]);
    let unknown = run(&folder, &broker, &check);
    assert_eq!(unknown.exit, 1, "{}", unknown.out);
    assert!(
        unknown.err.contains(
            "DescribeRedpandaRoles is not valid: a role has members that are neither users nor groups"
        ),
        "{}",
        unknown.err
    );
}

#[test]
fn a_profile_of_a_cluster_is_compared_with_a_document_and_converges() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let run = |args: &[&str]| service::run(&folder, &[], args);
    run(&[
        "profile",
        "create",
        "spare",
        "--bootstrap-servers",
        &broker.servers,
    ])
    .done();
    let wanted = json!({ "version": 1, "settings": { "dialect": "kafka" }, "acls": [
        change("add_acl", "User:ben", "orders", "ALLOW")["acl"], change("add_acl", "Group:temps", "orders", "DENY")["acl"] ] });
    write(&folder, "wanted.json", &wanted);
    let both = ["policy", "diff", "--from", "wanted.json", "--to", "spare"];
    let compared = run(&[&both[..], &["--converge", "changes.json"]].concat());
    assert_eq!(compared.exit, 0, "{}", compared.err);
    assert!(
        compared.out.contains("User:ben   Only in FROM")
            && compared.out.contains("User:maya  Only in TO"),
        "{}",
        compared.out
    );
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--profile",
        "spare",
    ];
    let applied = run(&[&apply[..], &["--no-confirm"]].concat());
    assert_eq!(applied.exit, 0, "{}", applied.err);
    assert!(
        applied.out.ends_with("2 of 2 changes applied.\n"),
        "{}",
        applied.out
    );
    let same = run(&[&both[..], &["--exit-code"]].concat());
    assert_eq!(same.exit, 0, "{}", same.out);
}

#[test]
fn the_next_command_names_the_cluster_and_works() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    fs::write(folder.path().join("the client.properties"), "").expect("a file");
    let config = ["--command-config", "the client.properties"];
    let least = [
        "least-grant",
        "--user",
        "eve",
        "--operation",
        "read",
        "--topic",
        "orders",
        "--out",
        "grant.json",
    ];
    let made = run(&folder, &broker, &[&least[..], &config].concat());
    assert_eq!(made.exit, 0, "{}", made.err);
    let next = format!(
        "the next command is `gbac policy apply --changes grant.json --bootstrap-servers {} --command-config 'the client.properties' --dry-run`",
        broker.servers
    );
    assert!(made.err.contains(&next), "{}", made.err);
    let apply = ["policy", "apply", "--changes", "grant.json", "--dry-run"];
    let dry = run(&folder, &broker, &[&apply[..], &config].concat());
    assert_eq!(dry.exit, 0, "{}", dry.err);
    let line = "Principal = User:eve is Denied operation = READ from host = 10.0.0.7 on resource = \
                Topic:LITERAL:orders for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny";
    fs::write(folder.path().join("denial.log"), line).expect("a file");
    let denial = ["doctor", "denial", "denial.log", "--out", "changes.json"];
    let denial = run(&folder, &broker, &denial);
    let flags = format!(
        "changes.json --bootstrap-servers {} --dry-run",
        broker.servers
    );
    assert!(denial.err.contains(&flags), "{}", denial.err);
}

#[test]
fn denies_are_created_first_and_removed_last() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let changes = json!([
        change("remove_acl", "Group:temps", "orders", "DENY"),
        change("add_acl", "User:ben", "orders", "ALLOW"),
        change("remove_acl", "User:maya", "orders", "ALLOW"),
        change("add_acl", "Group:guests", "orders", "DENY"),
    ]);
    write(&folder, "changes.json", &changes);
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ];
    let applied = run(&folder, &broker, &apply);
    assert_eq!(applied.exit, 0, "{}{}", applied.out, applied.err);
    assert!(
        applied.err.contains("Kafka has no transactions for ACLs"),
        "{}",
        applied.err
    );
    assert_eq!(
        broker.changes(),
        [
            (true, read_acl("Group:guests", "orders", DENY)),
            (false, read_acl("User:maya", "orders", ALLOW)),
            (true, read_acl("User:ben", "orders", ALLOW)),
            (false, read_acl("Group:temps", "orders", DENY)),
        ]
    );
}

#[test]
fn what_is_refused_is_named_and_the_rest_is_made_again() {
    let (folder, broker) = (folder(), Broker::start([]));
    let changes = json!([
        change("add_acl", "Group:temps", "orders", "DENY"),
        change("add_acl", "Group:guests", "orders", "DENY"),
        change("add_acl", "User:ben", "orders", "ALLOW"),
    ]);
    write(&folder, "changes.json", &changes);
    broker.refuse("Group:temps");
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ];
    let first = run(&folder, &broker, &apply);
    assert_eq!(first.exit, 1, "{}", first.out);
    for part in [
        "Add Deny Read, topic orders literal, of Group:temps: ",
        "not here",
        "Add Allow Read, topic orders literal, of User:ben: not sent, because an earlier change failed\n",
        "1 of 3 changes applied.\nRun the command again to make the others.\n",
    ] {
        assert!(first.out.contains(part), "{part}: {}", first.out);
    }
    assert_eq!(broker.acls(), [read_acl("Group:guests", "orders", DENY)]);
    broker.refuse("User:nobody");
    let again = run(&folder, &broker, &[&apply[..], &["-o", "json"]].concat());
    assert_eq!(again.exit, 0, "{}", again.err);
    let sent: Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!(
        sent,
        json!({ "changes": 2, "applied": 2, "not_applied": [] })
    );
}

#[test]
fn nothing_is_sent_if_the_acls_changed_meanwhile() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    write(
        &folder,
        "changes.json",
        &json!([change("add_acl", "User:ben", "orders", "ALLOW")]),
    );
    broker.add_after_next_list(read_acl("User:eve", "orders", ALLOW));
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ];
    let refused = run(&folder, &broker, &apply);
    assert_eq!(refused.exit, 1, "{}", refused.out);
    assert!(refused.err.contains("nothing was sent"), "{}", refused.err);
    assert!(broker.changes().is_empty());
}

#[test]
fn a_dry_run_sends_nothing() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    write(
        &folder,
        "changes.json",
        &json!([change("add_acl", "User:ben", "orders", "ALLOW")]),
    );
    let apply = ["policy", "apply", "--changes", "changes.json", "--dry-run"];
    let dry = run(&folder, &broker, &apply);
    assert_eq!(dry.exit, 0, "{}", dry.err);
    assert!(dry.out.contains("User:ben   Gains"), "{}", dry.out);
    assert!(broker.changes().is_empty());
}

#[test]
fn roles_and_settings_are_not_sent_to_a_cluster() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    write(
        &folder,
        "changes.json",
        &json!([{ "change": "create_role", "role": "r" }, change("add_acl", "User:ben", "orders", "ALLOW")]),
    );
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ];
    let error = run(&folder, &broker, &apply).failed(1);
    assert!(
        error.contains("1 change in the file is about roles or settings"),
        "{error}"
    );
    assert!(broker.changes().is_empty());
    let role = run(&folder, &broker, &["security", "role", "list"]).failed(64);
    assert!(
        role.contains("a Kafka cluster has no roles of its own"),
        "{role}"
    );
}

#[test]
fn an_import_replaces_the_acls_and_a_merge_only_adds() {
    let (folder, broker) = (folder(), Broker::start(acls()));
    let document = json!({ "version": 1, "settings": { "dialect": "kafka" },
        "acls": [change("add_acl", "User:ben", "orders", "ALLOW")["acl"]] });
    write(&folder, "wanted.json", &document);
    let merged = run(&folder, &broker, &["import", "wanted.json", "--merge"]);
    assert_eq!(merged.exit, 0, "{}{}", merged.out, merged.err);
    assert_eq!(broker.acls().len(), 3);
    let unconfirmed = run(&folder, &broker, &["import", "wanted.json"]);
    assert_eq!(unconfirmed.exit, 64, "{}", unconfirmed.out);
    let replaced = run(&folder, &broker, &["import", "wanted.json", "--no-confirm"]);
    assert_eq!(replaced.exit, 0, "{}", replaced.err);
    assert_eq!(broker.acls(), [read_acl("User:ben", "orders", ALLOW)]);
}

#[test]
fn acls_are_created_listed_and_deleted() {
    let (folder, broker) = (folder(), Broker::start([]));
    let acl = ["security", "acl"];
    let of_ben = [
        "--allow-principal",
        "User:ben",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    let created = run(
        &folder,
        &broker,
        &[&acl[..], &["create"], &of_ben[..]].concat(),
    );
    assert_eq!(created.exit, 0, "{}", created.err);
    assert!(
        created.out.contains("User:ben   *     TOPIC"),
        "{}",
        created.out
    );
    let listed = run(
        &folder,
        &broker,
        &[&acl[..], &["list", "-o", "json"]].concat(),
    );
    let value: Value = serde_json::from_str(&listed.out).expect("JSON");
    assert_eq!(value["matches"][0]["principal"], "User:ben");
    let delete = [
        &acl[..],
        &[
            "delete",
            "--allow-principal",
            "User:ben",
            "--topic",
            "orders",
        ],
    ]
    .concat();
    let dry = run(&folder, &broker, &[&delete[..], &["--dry-run"]].concat());
    assert_eq!((dry.exit, broker.acls().len()), (0, 1), "{}", dry.err);
    let deleted = run(&folder, &broker, &[&delete[..], &["--no-confirm"]].concat());
    assert_eq!(
        (deleted.exit, broker.acls().len()),
        (0, 0),
        "{}",
        deleted.err
    );
    assert!(deleted.out.contains("\nDELETIONS\n"), "{}", deleted.out);
}

#[test]
fn a_command_of_a_service_refuses_the_profile_of_a_cluster() {
    let (folder, broker) = (folder(), Broker::start([]));
    let run = |args: &[&str]| service::run(&folder, &[], args);
    run(&[
        "profile",
        "create",
        "kafka",
        "--bootstrap-servers",
        &broker.servers,
    ])
    .done();
    let error = run(&["export"]).failed(64);
    assert!(
        error.contains("this command calls a service") && error.contains(&broker.servers),
        "{error}"
    );
    let listed = run(&["profile", "list"]).done();
    assert!(listed.contains(&broker.servers), "{listed}");
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let (folder, broker) = (folder(), Broker::start([]));
    for args in [
        &["policy", "pull", "--url", "http://localhost"][..],
        &[
            "who-can",
            "--policy",
            "p.json",
            "--operation",
            "read",
            "--topic",
            "t",
        ],
        &["policy", "pull", "--cluster-id", "x"],
        &["import", "x.json", "--if-match", "a"],
    ] {
        write(&folder, "x.json", &json!({ "version": 1 }));
        let _ = run(&folder, &broker, args).failed(64);
    }
    let wrong = service::run(
        &folder,
        &[],
        &["policy", "pull", "--bootstrap-servers", "nowhere"],
    );
    assert!(wrong.failed(64).contains("is not HOST:PORT"));
}
