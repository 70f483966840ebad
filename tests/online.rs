//! Tests of the commands that call a service, against the built `gbac serve --demo`: output, exit
//! codes and failures.

use std::fs;
use std::net::TcpListener;

use crate::support::program::Nobody;
use crate::support::service::{Service, answer, answering, run};
use serde_json::{Value, json};

#[test]
fn a_group_gets_acls_without_a_role_by_prefix_and_for_the_cluster() {
    let service = Service::start();
    let group = [
        "create",
        "--allow-principal",
        "Group:data",
        "--operation",
        "read,describe",
    ];
    let topics = service
        .acl(
            &[
                &group[..],
                &["--topic", "raw-", "--resource-pattern-type", "prefixed"],
            ]
            .concat(),
        )
        .done();
    assert_eq!(
        topics,
        "PRINCIPAL   HOST  RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR\n\
         Group:data  *     TOPIC          raw-           PREFIXED               READ       ALLOW\n\
         Group:data  *     TOPIC          raw-           PREFIXED               DESCRIBE   ALLOW\n"
    );
    let cluster = [
        "create",
        "--allow-principal",
        "Group:data",
        "--operation",
        "describe",
        "--cluster",
    ];
    assert!(
        service
            .acl(&cluster)
            .done()
            .contains("Group:data  *     CLUSTER        kafka-cluster  LITERAL")
    );
    service.run(&["export", "--out", "policy.json"]).done();
    let check = |resource: &[&str]| {
        let who = [
            "check",
            "--policy",
            "policy.json",
            "--user",
            "maya",
            "--group",
            "data",
            "--operation",
        ];
        service.run(&[&who[..], resource].concat()).exit
    };
    assert_eq!(check(&["read", "--topic", "raw-events"]), 0);
    assert_eq!(check(&["describe", "--cluster"]), 0);
    assert_eq!(check(&["write", "--topic", "raw-events"]), 2);
    let again = service.acl(&cluster);
    assert_eq!(
        again.exit, 0,
        "what is there already is no fault: {}",
        again.err
    );
}

#[test]
fn combinations_multiply_and_quoted_commas_belong_to_names() {
    let service = Service::start();
    let created = service.json(&[
        "security",
        "acl",
        "create",
        "--allow-principal",
        r#""Group:eng,fin",alice,team:x"#,
        "--deny-role",
        "Late",
        "--deny-host",
        "10.0.0.7,::1",
        "--operation",
        "read",
        "--operation",
        "write",
        "--topic",
        "a,b",
        "--registry-global",
    ]);
    let created = created.as_array().expect("rows");
    assert_eq!(
        created.len(),
        (3 + 2) * 2 * 3,
        "(3 allowed from anywhere, 1 denied from 2 hosts) x 2 operations x 3 resources"
    );
    let principals: std::collections::BTreeSet<&str> = created
        .iter()
        .map(|row| row["principal"].as_str().expect("text"))
        .collect();
    assert_eq!(
        principals.into_iter().collect::<Vec<_>>(),
        ["Group:eng,fin", "Role:Late", "User:alice", "User:team:x"]
    );
    let row = json!({ "principal": "Role:Late", "host": "::1", "resource_type": "TOPIC", "resource_name": "a",
        "resource_pattern_type": "LITERAL", "operation": "READ", "permission": "DENY", "message": "" });
    assert!(created.contains(&row), "{created:?}");
    assert_eq!(
        service.count(&["--allow-principal", r#""Group:eng,fin""#]),
        6
    );
    let till = r#""User:C=FR,O=shop,CN=till",bob"#;
    service
        .acl(&[
            "create",
            "--allow-principal",
            till,
            "--operation",
            "read",
            "--topic",
            "till",
        ])
        .done();
    assert_eq!(
        service.count(&["--allow-principal", r#""C=FR,O=shop,CN=till""#]),
        1
    );
}

#[test]
fn a_row_that_is_refused_makes_the_exit_code_and_keeps_no_other_back() {
    let service = Service::start();
    let create = [
        "create",
        "--operation",
        "read",
        "--topic",
        "fresh",
        "--allow-principal",
    ];
    let done = service.acl(&[&create[..], &["Group:*,Group:ok"]].concat());
    assert_eq!((done.exit, done.err.as_str()), (1, ""));
    let line = |who: &str| {
        done.out
            .lines()
            .find(|line| line.starts_with(who))
            .expect("a row")
            .to_owned()
    };
    assert!(
        line("Group:*").contains("`Group:*` is not a wildcard"),
        "{}",
        done.out
    );
    assert!(line("Group:ok").ends_with("ALLOW"), "{}", done.out);
    assert_eq!(service.count(&["--topic", "fresh"]), 1);
    let twice = service.acl(&[&create[..], &["User:Group:eng"]].concat());
    assert_eq!(twice.exit, 1);
    assert!(
        twice.out.contains("names a user, not a group or role"),
        "{}",
        twice.out
    );
    let pattern = [
        "create",
        "--operation",
        "read",
        "--topic",
        "fresh-*",
        "--allow-principal",
        "a",
    ];
    assert!(
        service
            .acl(&pattern)
            .out
            .contains("write `fresh-` with the prefixed pattern")
    );
}

#[test]
fn flags_that_make_no_sense_are_wrong_usage_and_ask_nobody() {
    let (folder, nobody) = (tempfile::tempdir().expect("a folder"), Nobody::there());
    fs::write(folder.path().join("policy.json"), "{ \"version\": 1 }").expect("a file");
    let create = ["security", "acl", "create"];
    let topic = ["--operation", "read", "--topic", "x"];
    let acl = |words: &[&'static str]| [&create[..], &topic[..], words].concat();
    for (args, says) in [
        (
            acl(&["--allow-principal", "a", "--allow-host", "10.0.0.0/8"]),
            "--allow-host: `10.0.0.0/8`",
        ),
        (
            acl(&["--allow-principal", "a", "--deny-host", "10.0.0.7"]),
            "--deny-host has no principal",
        ),
        (
            acl(&["--allow-principal", "group:eng"]),
            "in this letter case",
        ),
        (
            acl(&["--allow-principal", "Group:"]),
            "the name after `Group:` is empty",
        ),
        (
            acl(&["--allow-principal", "a,,b"]),
            "an entry of `a,,b` is empty",
        ),
        (acl(&["--allow-principal", "\"a,b"]), "is not closed"),
        (acl(&[]), "nothing to create: name a principal"),
        (
            [&create[..], &["--allow-principal", "a", "--topic", "x"]].concat(),
            "name an operation with --operation",
        ),
        (
            [
                &create[..],
                &["--allow-principal", "a", "--operation", "read"],
            ]
            .concat(),
            "name a resource",
        ),
        (
            [
                &create[..],
                &[
                    "--allow-principal",
                    "a",
                    "--operation",
                    "raed",
                    "--topic",
                    "x",
                ],
            ]
            .concat(),
            "`raed` is not an operation",
        ),
        (
            vec!["security", "acl", "delete", "--no-confirm"],
            "no filter given",
        ),
        (
            vec!["security", "role", "assign", "r", "--principal", "GROUP:x"],
            "`GROUP` is not a principal type",
        ),
        (
            vec!["cluster", "config", "set", "superusers"],
            "`superusers` has no value",
        ),
        (
            vec!["import", "policy.json", "--if-match", ""],
            "invalid state",
        ),
        (
            vec!["security", "role", "list", "--user", "admin"],
            "set GBAC_PASSWORD or pass --password-file",
        ),
        (
            vec!["export", "--url", "http://gbac.example"],
            "`http://gbac.example`: plain HTTP to a remote host is not trusted",
        ),
        (
            vec!["export", "--url", "gbac.example"],
            "is not the base URL of an API",
        ),
    ] {
        let done = run(&folder, &[("GBAC_URL", &nobody.url())], &args);
        let text = done.failed(64);
        assert!(text.contains(says), "{args:?}: {text}");
    }
    let text = run(
        &folder,
        &[],
        &["export", "--url", "https://me:secret@gbac.example"],
    )
    .failed(64);
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn bad_input_is_one_line_and_changes_nothing() {
    let service = Service::start();
    let before = service.run(&["export", "--out", "policy.json"]).exit;
    let state = service.run(&["export"]).done();
    let (web, requests) = answering(&[&answer("200 OK", "content-type: text/html\r\n", "<html>")]);
    let check = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "a",
        "--operation",
        "read",
    ];
    let create = [
        "security",
        "acl",
        "create",
        "--operation",
        "read",
        "--topic",
        "x",
        "--allow-principal",
    ];
    let nobody = Nobody::there();
    let away = nobody.url();
    for (args, exit, says) in [
        (
            vec![
                "permissions",
                "--policy",
                "policy.json",
                "--principal",
                "Robot:x",
            ],
            64,
            "`Robot` is not a principal type",
        ),
        (
            vec![
                "who-can",
                "--policy",
                "policy.json",
                "--operation",
                "read",
                "--cluster",
                "--cluster",
            ],
            64,
            "'--cluster' cannot be used multiple times; see --help",
        ),
        (
            vec![
                "who-can",
                "--policy",
                "policy.json",
                "--operation",
                "read",
                "--clustre",
            ],
            64,
            "unexpected argument '--clustre' found; tip: a similar argument exists: '--cluster'; see --help",
        ),
        (
            [&check[..], &["--topic", "a", "--topic", "b"]].concat(),
            64,
            "more than one resource given",
        ),
        (
            [&check[..], &["--topic", "a", "--host", "db.example"]].concat(),
            64,
            "--host: `db.example` is not an IP address",
        ),
        (
            [&create[..], &["Group:"]].concat(),
            64,
            "--allow-principal: the name after `Group:` is empty",
        ),
        (
            [&create[..], &["a", "--allow-host", "db.example"]].concat(),
            64,
            "--allow-host: `db.example` is neither",
        ),
        (
            [&create[..], &["a", "--url", &away]].concat(),
            1,
            "cannot reach `",
        ),
        (
            vec!["security", "role", "list", "--url", &web],
            1,
            "is not the expected JSON",
        ),
    ] {
        let text = service.run(&args).failed(exit);
        assert!(
            text.contains(says) && text.lines().count() == 1,
            "{args:?}: {text}"
        );
    }
    assert_eq!(requests.join().expect("a question").len(), 1);
    let denied = service.with(
        &[("GBAC_USER", "admin"), ("GBAC_PASSWORD", "wrong")],
        &[&create[..], &["a"]].concat(),
    );
    assert_eq!(denied.failed(1).lines().count(), 1);
    let wildcard = service.acl(&[
        "create",
        "--operation",
        "read",
        "--topic",
        "x",
        "--allow-principal",
        "Group:*",
    ]);
    assert_eq!(
        (wildcard.exit, wildcard.out.lines().count()),
        (1, 2),
        "{}",
        wildcard.out
    );
    let usage = service.run(&["--format", "json", "who-can", "--nothing"]);
    let error: Value = serde_json::from_str(&usage.out).expect("JSON");
    assert_eq!((usage.exit, &error["error"]["code"]), (64, &json!("usage")));
    assert_eq!((before, service.run(&["export"]).done()), (0, state));
}

#[test]
fn lists_take_the_platforms_filters() {
    let service = Service::start();
    assert_eq!(service.count(&[]), 18);
    assert_eq!(
        service.count(&["--allow-principal", "Group:engineering"]),
        2
    );
    assert_eq!(service.count(&["--deny-principal", "Group:engineering"]), 0);
    assert_eq!(
        service.count(&[
            "--allow-role",
            "PaymentsWriters,Role:SchemaStewards",
            "--operation",
            "write"
        ]),
        3
    );
    assert_eq!(service.count(&["--topic", "orders-"]), 2);
    assert_eq!(
        service.count(&["--topic", "orders-", "--resource-pattern-type", "literal"]),
        0
    );
    assert_eq!(
        service.count(&["--topic", "orders-eu", "--resource-pattern-type", "match"]),
        3
    );
    assert_eq!(service.count(&["--subsystem", "registry"]), 2);
    assert_eq!(service.count(&["--cluster", "--allow-host", "*"]), 1);
    assert_eq!(service.count(&["--allow-host", "10.20.4.71"]), 1);
    let listed_filters = service
        .acl(&[
            "ls",
            "--deny-principal",
            "Group:analytics",
            "--print-filters",
        ])
        .done();
    assert_eq!(
        listed_filters,
        "FILTERS\n\
         PRINCIPAL        HOST  RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR\n\
         Group:analytics        ANY                           ANY                    ANY        DENY\n\
         \n\
         MATCHES\n\
         PRINCIPAL        HOST  RESOURCE-TYPE  RESOURCE-NAME   RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR\n\
         Group:analytics  *     TOPIC          orders-archive  LITERAL                WRITE      DENY\n"
    );
    let listed = service.json(&[
        "security",
        "acl",
        "list",
        "--deny-principal",
        "Group:analytics",
    ]);
    assert_eq!(
        listed["matches"],
        json!([{ "principal": "Group:analytics", "host": "*", "resource_type": "TOPIC", "resource_name": "orders-archive",
            "resource_pattern_type": "LITERAL", "operation": "WRITE", "permission": "DENY" }])
    );
    assert_eq!(listed["filters"][0]["permission"], "DENY");
}

#[test]
fn what_is_deleted_is_shown_and_confirmed() {
    let service = Service::start();
    let group = ["delete", "--allow-principal", "Group:engineering"];
    let dry = service.acl(&[&group[..], &["--dry"]].concat()).done();
    assert!(
        dry.contains("Nothing was deleted. The new policy only removes access.\n"),
        "{dry}"
    );
    assert!(
        dry.contains(
            "Group:engineering  Loses   Read, Write, Describe  topic orders- prefixed  *\n"
        ),
        "{dry}"
    );
    let unasked = service.acl(&group);
    assert!(
        unasked.out.contains("Group:engineering  *     TOPIC"),
        "{}",
        unasked.out
    );
    assert!(unasked.failed(64).contains("--no-confirm"));
    assert_eq!(service.count(&group[1..]), 2, "nothing is gone yet");
    let deleted = service
        .acl(&[&group[..], &["--no-confirm"]].concat())
        .done();
    let (_, deletions) = deleted.split_once("\nDELETIONS\n").expect("what is gone");
    assert_eq!(deletions.lines().count(), 3, "{deleted}");
    assert_eq!((service.count(&group[1..]), service.count(&[])), (0, 16));
    assert_eq!(service.acl(&group).done(), "No matching ACLs.\n");
    let json = service.json(&[
        "security",
        "acl",
        "delete",
        "--topic",
        "status",
        "--no-confirm",
    ]);
    assert_eq!(
        (
            &json["matches"][0]["principal"],
            &json["deletions"][0]["message"]
        ),
        (&json!("User:*"), &json!(""))
    );
}

#[test]
fn a_rehearsal_of_new_acls_changes_nothing() {
    let service = Service::start();
    let create = [
        "create",
        "--deny-principal",
        "Group:analytics",
        "--operation",
        "read",
        "--dry",
        "--topic",
        "analytics-",
    ];
    let dry = service
        .acl(&[&create[..], &["--resource-pattern-type", "prefixed"]].concat())
        .done();
    assert!(
        dry.contains("Nothing was created. The new policy only removes access.\n"),
        "{dry}"
    );
    assert!(dry.contains("Group:analytics  Loses"), "{dry}");
    let faulty = service.acl(&[
        "create",
        "--allow-principal",
        "Group:*",
        "--operation",
        "read",
        "--topic",
        "x",
        "--dry",
    ]);
    assert_eq!(faulty.exit, 1);
    assert!(
        faulty.out.contains("is not a wildcard")
            && faulty.out.contains("No change in effective access"),
        "{}",
        faulty.out
    );
    assert_eq!(service.count(&[]), 18);
}

#[test]
fn a_role_is_made_given_members_shown_and_deleted() {
    let service = Service::start();
    let created = service.role(&["create", "Auditors"]).done();
    assert!(
        created.starts_with("Successfully created role \"Auditors\"\n"),
        "{created}"
    );
    assert_eq!(
        service
            .role(&["assign", "Auditors", "--principal", "alice,Group:audit"])
            .done(),
        "Successfully assigned role \"Auditors\" to\nNAME         PRINCIPAL-TYPE\nUser:alice   User\nGroup:audit  Group\n"
    );
    let again = service
        .role(&["add", "Auditors", "--principal", "Group:audit"])
        .done();
    assert_eq!(
        again,
        "No change: the principals are already members of role \"Auditors\"\n"
    );
    service
        .acl(&[
            "create",
            "--allow-role",
            "Auditors",
            "--operation",
            "read",
            "--topic",
            "ledger",
        ])
        .done();
    assert_eq!(
        service
            .role(&["describe", "Auditors", "--print-members"])
            .done(),
        "PRINCIPALS (2)\nNAME         TYPE\nUser:alice   User\nGroup:audit  Group\n"
    );
    let all = service.role(&["info", "Auditors"]).done();
    assert!(
        all.starts_with("PERMISSIONS\nPRINCIPAL      HOST") && all.contains("\nPRINCIPALS (2)\n"),
        "{all}"
    );
    assert!(
        !service
            .role(&["describe", "Auditors", "-p"])
            .done()
            .contains("PRINCIPALS")
    );
    let json = service.json(&["security", "role", "describe", "Auditors"]);
    assert_eq!(
        json["members"][1],
        json!({ "name": "audit", "principal_type": "Group" })
    );
    assert_eq!(json["permissions"][0]["resource_name"], "ledger");

    assert_eq!(
        service.role(&["list", "--principal", "Group:audit"]).done(),
        "NAME\nAuditors\n"
    );
    let names = service.json(&["security", "role", "list"]);
    let names = names["roles"].as_array().expect("names");
    assert_eq!(
        (names.len(), &names[0], &names[5]),
        (6, &json!("SchemaStewards"), &json!("AnalyticsReaders"))
    );
    assert_eq!(
        service.role(&["ls", "--prefix", "A"]).done(),
        "NAME\nAuditors\nAnalyticsReaders\n"
    );

    assert_eq!(
        service
            .role(&["unassign", "Auditors", "--principal", "Group:audit"])
            .done(),
        "Successfully unassigned role \"Auditors\" from\nNAME         PRINCIPAL-TYPE\nGroup:audit  Group\n"
    );
    let absent = service
        .role(&["remove", "Auditors", "--principal", "Group:audit"])
        .done();
    assert_eq!(
        absent,
        "No change: the principals are not members of role \"Auditors\"\n"
    );
    assert_eq!(
        service.role(&["list", "--principal", "Group:audit"]).done(),
        "NAME\n"
    );

    let unasked = service.role(&["delete", "Auditors"]);
    assert!(unasked.out.contains("PRINCIPALS (1)"), "{}", unasked.out);
    assert!(unasked.failed(64).contains("--no-confirm"));
    service
        .role(&["delete", "Auditors", "--keep-acls", "--no-confirm"])
        .done();
    assert_eq!(service.count(&["--allow-role", "Auditors"]), 1);
    service.role(&["create", "Auditors"]).done();
    let deleted = service.role(&["delete", "Auditors", "--no-confirm"]).done();
    assert!(
        deleted.ends_with("\nSuccessfully deleted role \"Auditors\"\n"),
        "{deleted}"
    );
    assert_eq!(service.count(&["--allow-role", "Auditors"]), 0);
}

#[test]
fn roles_that_are_refused_say_why() {
    let service = Service::start();
    for (args, says) in [
        (&["create", "a,b"][..], "the role name contains `,`"),
        (&["describe", "Nobody"], "role `Nobody` does not exist"),
        (
            &["delete", "Nobody", "--no-confirm"],
            "role `Nobody` does not exist",
        ),
        (
            &["assign", "Nobody", "--principal", "a"],
            "role `Nobody` does not exist",
        ),
        (
            &["assign", "ReportingLegacy", "--principal", "Role:x"],
            "add[0].principal: ",
        ),
        (
            &["assign", "ReportingLegacy", "--principal", "Group:*"],
            "add[0].principal: ",
        ),
        (
            &["assign", "ReportingLegacy", "--principal", "Group:*,Role:x"],
            "\n  add[1].principal: ",
        ),
        (
            &["describe", ".."],
            "contains a name that a URL path cannot contain",
        ),
    ] {
        let text = service.role(args).failed(1);
        assert!(text.contains(says), "{args:?}: {text}");
    }
    let json = service.run(&["--format", "json", "security", "role", "describe", "Nobody"]);
    let error: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(
        error["error"],
        json!({ "code": "not_found", "message": "role `Nobody` does not exist" })
    );
}

#[test]
fn properties_are_read_set_and_refused_by_name() {
    let service = Service::start();
    let get = |name: &str| service.run(&["cluster", "config", "get", name]).done();
    assert_eq!(get("oidc_group_claim_path"), "$.groups\n");
    assert_eq!(get("nested_group_behavior"), "none\n");
    assert_eq!(get("superusers"), "- root\n");
    let set = |words: &[&str]| service.run(&[&["cluster", "config", "set"], words].concat());
    let done = set(&["oidc_group_claim_path", "$.realm_access.roles"]).done();
    assert!(
        done.starts_with("Successfully updated configuration. New configuration version is "),
        "{done}"
    );
    set(&["nested_group_behavior=suffix", "superusers=root,bob"]).done();
    assert_eq!(get("oidc_group_claim_path"), "$.realm_access.roles\n");
    assert_eq!(get("superusers"), "- bob\n- root\n");
    let all = service.json(&["cluster", "config", "list"]);
    assert_eq!(
        (&all["nested_group_behavior"], &all["superusers"]),
        (&json!("suffix"), &json!(["bob", "root"]))
    );
    assert!(
        service
            .run(&["cluster", "config", "list"])
            .done()
            .contains("\nnested_group_behavior          suffix\n")
    );

    let faults = set(&[
        "audit_enabled=perhaps",
        "nested_group_behavior=Suffix",
        "nothing=1",
    ])
    .failed(1);
    assert_eq!(
        faults,
        "error: the cluster properties were not changed:\n  audit_enabled: expected type boolean\n  \
         nested_group_behavior: Must be one of none,suffix\n  nothing: Unknown property\n"
    );
    set(&["superusers", "bob"]).done();
    assert_eq!(
        get("superusers"),
        "- bob\n",
        "the local account is a superuser by itself"
    );
    assert!(
        service
            .run(&["cluster", "config", "get", "nothing"])
            .failed(1)
            .contains("Unknown property {nothing}")
    );
    set(&["oidc_clock_skew_tolerance", "60"]).done();
    set(&["oidc_clock_skew_tolerance", ""]).done();
    assert_eq!(
        get("oidc_clock_skew_tolerance"),
        "30\n",
        "an empty value resets what is no string"
    );
}

#[test]
fn levels_are_set_under_both_names_and_revert() {
    let service = Service::start();
    let alias = service
        .run(&[
            "admin",
            "config",
            "log-level",
            "set",
            "security",
            "--level",
            "debug",
        ])
        .done();
    assert_eq!(
        alias,
        "SUCCESSES\nNAME      LEVEL  BEFORE  REVERTS\nsecurity  debug  info    in 5 min\n"
    );
    assert!(
        service
            .run(&["cluster", "loggers", "list"])
            .done()
            .contains("\nsecurity  debug\n")
    );
    let never = [
        "cluster", "loggers", "set", "security", "nothing", "-l", "warn", "-e", "0",
    ];
    let some = service.run(&never);
    assert_eq!((some.exit, some.err.as_str()), (1, ""));
    assert!(
        some.out
            .contains("security  warn   debug   never\n\nFAILURES\n"),
        "{}",
        some.out
    );
    assert!(
        some.out.contains("unknown logger {nothing}"),
        "{}",
        some.out
    );
    let all = service.json(&[
        "cluster", "loggers", "set", "all", "--level", "info", "-e", "7",
    ]);
    let listed = service.json(&["cluster", "loggers", "list"]);
    let (set, listed) = (
        all["successes"].as_array().expect("set"),
        listed.as_array().expect("listed"),
    );
    assert_eq!((set.len(), &all["failures"]), (listed.len(), &json!([])));
    assert!(
        set.iter().all(|one| one["expiration"] == 7)
            && listed.iter().all(|one| one["level"] == "info")
    );
    assert!(
        service
            .run(&["cluster", "loggers", "set", "main", "-l", "loud"])
            .out
            .contains("unknown level {loud}")
    );
}

#[test]
fn the_license_is_shown_and_set() {
    let service = Service::start();
    assert_eq!(service.run(&["cluster", "license"]).done(), "valid\n");
    assert_eq!(
        service
            .run(&["cluster", "license", "set", "expired"])
            .done(),
        "expired\n"
    );
    assert_eq!(
        service.json(&["cluster", "license"]),
        json!({ "license": "expired", "pinned": false })
    );
    assert!(
        service
            .role(&["create", "Late"])
            .failed(1)
            .contains("without a valid enterprise license")
    );
    let acl = service.acl(&[
        "create",
        "--allow-principal",
        "Group:a,User:bob",
        "--operation",
        "read",
        "--topic",
        "x",
    ]);
    assert_eq!(acl.exit, 1);
    assert!(
        acl.out.contains("without a valid enterprise license"),
        "{}",
        acl.out
    );
    assert_eq!(service.count(&["--topic", "x"]), 1, "users need none");
}

#[test]
fn a_policy_goes_out_and_comes_back_as_a_whole() {
    let service = Service::start();
    let output = service.run(&["export", "--out", "policy.json"]).done();
    let state = output
        .trim()
        .trim_end_matches('.')
        .rsplit(' ')
        .next()
        .expect("a state")
        .to_owned();
    assert!(
        output.starts_with("Exported policy.json: 18 ACLs and 5 roles. The service's state is "),
        "{output}"
    );
    let file = |name: &str| service.file(name);
    let before = fs::read_to_string(file("policy.json")).expect("a document");
    assert_eq!(service.run(&["export"]).done(), before);

    let changed = before.replace("\"Group:engineering\"", "\"Group:platform\"");
    fs::write(file("changed.json"), &changed).expect("a file");
    let dry = service
        .run(&["import", "changed.json", "--dry", "--if-match", &state])
        .done();
    assert!(
        dry.contains("Group:engineering  Loses") && dry.contains("Group:platform     Gains"),
        "{dry}"
    );
    let unasked = service.run(&["import", "changed.json", "--if-match", &state]);
    assert_eq!(
        unasked.err,
        "error: no terminal to confirm on; pass `--no-confirm`\n"
    );
    assert!(
        unasked.exit == 64 && unasked.out.starts_with("Adds ("),
        "{}",
        unasked.out
    );
    assert_eq!(
        service.run(&["export"]).done(),
        before,
        "nothing was changed"
    );
    let output = service
        .run(&[
            "import",
            "changed.json",
            "--if-match",
            &state,
            "--no-confirm",
        ])
        .done();
    assert!(
        output.contains("Removes (")
            && output.contains("\nImported changed.json: 18 ACLs and 5 roles."),
        "{output}"
    );
    assert_ne!(service.run(&["export"]).done(), before);

    for late in [
        &["import", "policy.json", "--if-match", &state][..],
        &["import", "policy.json", "--dry", "--if-match", &state],
    ] {
        assert!(
            service
                .run(late)
                .failed(1)
                .contains("the policy changed since that state"),
            "{late:?}"
        );
    }
    assert_eq!(
        service.count(&["--allow-principal", "Group:platform"]),
        2,
        "a late import changes nothing"
    );
    service
        .run(&["import", "policy.json", "--no-confirm"])
        .done();
    assert_eq!(service.run(&["export"]).done(), before);

    fs::write(file("bad.json"), before.replace("\"*\"", "\"10.0.0.0/8\"")).expect("a file");
    assert!(
        service
            .run(&["import", "bad.json"])
            .failed(1)
            .contains("/acls/0/host: ")
    );
    assert_eq!(service.run(&["export"]).done(), before, "all or nothing");
    let other = before.replace("\"root\"", "\"somebody\"");
    fs::write(file("other.json"), &other).expect("a file");
    let output = service
        .run(&["import", "other.json", "--no-confirm"])
        .done();
    assert!(
        output.contains("Make User:somebody a superuser") && output.contains("Remove User:root"),
        "{output}"
    );
    assert_eq!(
        service.run(&["export"]).done(),
        other,
        "the local account is a superuser by itself"
    );
    assert!(
        service
            .run(&["export", "--out", "no/such/folder"])
            .failed(1)
            .contains("no/such/folder")
    );
}

#[test]
fn an_import_is_refused_when_somebody_else_was_faster() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = r#"{ "version": 1 }"#;
    fs::write(folder.path().join("policy.json"), document).expect("a file");
    let refusal =
        r#"{ "code": "policy_changed", "message": "the policy was changed in the meantime" }"#;
    let (read, late) = (
        answer("200 OK", "etag: \"7\"\r\n", document),
        answer("412 Precondition Failed", "", refusal),
    );
    let (url, requests) = answering(&[&read, &late]);
    let done = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["--format", "json", "import", "policy.json"],
    );
    let requests = requests.join().expect("two questions");
    assert!(
        requests[0].starts_with("GET /gbac/v1/policy "),
        "{requests:?}"
    );
    assert!(
        requests[1].starts_with("PUT /gbac/v1/policy ")
            && requests[1].contains("if-match: \"7\"\r\n"),
        "{requests:?}"
    );
    assert!(
        done.out.contains(r#""code":"policy_changed""#),
        "{}",
        done.out
    );
    assert!(done.failed(1).contains("changed in the meantime"));
}

#[test]
fn each_api_is_asked_with_its_own_credential() {
    let service = Service::start();
    let role: &[&str] = &["security", "role", "create", "New"];
    let property: &[&str] = &[
        "cluster",
        "config",
        "set",
        "nested_group_behavior",
        "suffix",
    ];
    let nobody = service.with(&[], role).failed(1);
    assert_eq!(
        nobody,
        "error: authentication required; set GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN\n"
    );
    let wrong = service
        .with(&[("GBAC_USER", "admin"), ("GBAC_PASSWORD", "wrong")], role)
        .failed(1);
    assert!(wrong.contains("credentials rejected"), "{wrong}");
    assert!(
        !wrong.contains("wrong"),
        "a password is never repeated: {wrong}"
    );

    let token = service.token();
    let maya = [("GBAC_TOKEN", token.as_str())];
    assert!(
        service
            .with(&maya, role)
            .failed(1)
            .contains("only superusers can do this")
    );
    assert!(
        service
            .with(&maya, property)
            .failed(1)
            .contains("superuser role required")
    );
    let password = [("GBAC_PASSWORD", "demo"), ("GBAC_TOKEN", token.as_str())];
    let both = |args: &[&str]| service.with(&password, &[args, &["--user", "admin"]].concat());
    assert!(
        both(role).failed(1).contains("only superusers can do this"),
        "the Data Plane is asked with the token"
    );
    both(property).done();
    let cut = service
        .run(&[
            "cluster",
            "config",
            "set",
            "superusers",
            "C=FR,CN=maya.okafor",
        ])
        .failed(64);
    assert!(cut.contains("quote it: '\"C=FR,CN=maya.okafor\"'"), "{cut}");
    service
        .run(&["cluster", "config", "set", "superusers", "root,maya.okafor"])
        .done();
    service.with(&maya, role).done();
}

#[test]
fn a_service_that_does_not_answer_as_one_is_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = |url: &str| {
        run(
            &folder,
            &[],
            &["security", "role", "list", "--url", url, "--timeout", "1"],
        )
    };
    let nobody = Nobody::there();
    let unreachable = list(&nobody.url()).failed(1);
    assert!(
        unreachable.contains(&format!("cannot reach `{}`: ", nobody.url())),
        "{unreachable}"
    );
    assert_eq!(unreachable.lines().count(), 1, "{unreachable}");
    for (status, headers, body, says) in [
        (
            "200 OK",
            "content-type: text/html\r\n",
            "<html>",
            "the response to `/v1/roles` is not the expected JSON",
        ),
        ("200 OK", "", "{\"roles\":7}", "is not the expected JSON"),
        (
            "302 Found",
            "location: http://elsewhere.example/\r\n",
            "",
            "status 302, and redirects are not followed",
        ),
        (
            "502 Bad Gateway",
            "",
            "<html>",
            "the service responded with status 502",
        ),
    ] {
        let (url, requests) = answering(&[&answer(status, headers, body)]);
        let text = list(&url).failed(1);
        assert!(text.contains(says), "{status}: {text}");
        assert!(requests.join().expect("a question")[0].starts_with("GET /v1/roles?page_size=-1 "));
    }
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    assert!(
        list(&url)
            .failed(1)
            .contains("did not respond within 1 s; set a longer --timeout")
    );
}

#[test]
fn names_from_a_service_cannot_play_with_the_terminal() {
    let service = Service::start();
    let group = "Group:a\u{202e}b";
    let created = service
        .acl(&[
            "create",
            "--allow-principal",
            group,
            "--operation",
            "read",
            "--topic",
            "x",
        ])
        .done();
    service
        .role(&["assign", "ReportingLegacy", "--principal", group])
        .done();
    let described = service.role(&["describe", "ReportingLegacy"]).done();
    for text in [created, described, service.acl(&["list"]).done()] {
        assert!(
            !text.contains('\u{202e}') && text.contains("Group:a\\u{202e}b"),
            "{text:?}"
        );
    }
}
