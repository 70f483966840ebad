//! Runs scripts in a real shell with stand-ins for the programs, which record their arguments.
//! Every name must arrive unchanged.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::encode::parse_query;
use gbac_engine::model::{
    Acl, Dialect, Host, Operation, PatternType, Permission, Principal, ResourceType,
};
use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::{ScriptTarget, changes, changes_between, script, steps};
use gbac_json::settings_from_value;
use serde_json::{Value, json};

/// Names that break incorrect quoting.
const NAMES: &[&str] = &[
    "plain",
    "eng, fin",
    "\"quoted\"",
    "say \"hi\", twice",
    "it's $HOME `id` $(id) \\ !x",
    "a\nb\n",
    "\n",
    "a\r\nb",
    "bell\u{7}esc\u{1b}[2Jdel\u{7f}",
    "turn\u{202e}ed\u{200b}\u{85}",
    "-x",
    "--no-confirm",
    "~root",
    "*",
    "a=b&c?d#e%f+g/h:i",
    "日本 é",
    "..",
    " blanks at the edges ",
    "'",
    "''\"'\"",
];

/// Runs a script with stand-ins for the three programs; returns the arguments of each call, and the
/// exit code.
fn run(text: &str, stand_in: &str) -> (Vec<Vec<String>>, i32) {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls");
    fs::write(&calls, "").unwrap();
    for target in ScriptTarget::ALL {
        write_program(&folder.path().join(target.program()), stand_in);
    }
    let script = folder.path().join("script.sh");
    fs::write(&script, text).unwrap();
    let path = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    let done = Command::new("sh")
        .arg(&script)
        .env("PATH", path)
        .env("CALLS", &calls)
        .env("GBAC_URL", "http://127.0.0.1:1")
        .env("GBAC_ADMIN_URL", "http://127.0.0.1:1")
        .env("GBAC_TOKEN", "secret")
        .env_remove("GBAC_USER")
        .output()
        .unwrap();
    assert!(
        done.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let written = fs::read(&calls).unwrap();
    // Each argument ends with a NUL, and each call with another.
    let mut all = vec![Vec::new()];
    for word in String::from_utf8(written).unwrap().split_terminator('\0') {
        match word {
            "\u{1}end" => all.push(Vec::new()),
            word => all.last_mut().unwrap().push(word.to_owned()),
        }
    }
    assert_eq!(all.pop(), Some(Vec::new()), "every call ended");
    (all, done.status.code().unwrap())
}

fn write_program(path: &Path, stand_in: &str) {
    let text = format!(
        "#!/bin/sh\nprintf '%s\\0' \"$@\" >>\"$CALLS\"\nprintf '\\001end\\0' >>\"$CALLS\"\n{stand_in}\n"
    );
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn acl(name: &str, who: &Principal) -> Acl {
    Acl {
        resource_type: ResourceType::Group,
        resource_name: name.into(),
        pattern_type: PatternType::Prefixed,
        principal: who.clone(),
        host: Host::parse("10.0.0.7").unwrap(),
        operation: Operation::Read,
        permission: Permission::Deny,
    }
}

/// Every change with every name in every place.
fn every_change() -> Vec<Change> {
    let mut all = Vec::new();
    for name in NAMES {
        let (member, role) = (Principal::group(*name), Principal::role(*name));
        all.extend([
            Change::AddAcl(acl(name, &member)),
            Change::AddAcl(Acl {
                operation: Operation::DescribeConfigs,
                ..acl(name, &member)
            }),
            Change::RemoveAcl(acl(name, &role)),
            Change::CreateRole((*name).into()),
            Change::AddMember {
                role: (*name).into(),
                member: member.clone(),
            },
            Change::AddMember {
                role: (*name).into(),
                member: Principal::user(*name),
            },
            Change::RemoveMember {
                role: (*name).into(),
                member,
            },
            Change::DeleteRole {
                name: (*name).into(),
                delete_acls: true,
            },
        ]);
    }
    all
}

/// The entries of a comma-separated list, parsed by a CSV reader.
fn entries(list: &str) -> Vec<String> {
    let (mut all, mut entry, mut inside) = (Vec::new(), String::new(), false);
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if inside && rest.peek() == Some(&'"') => entry.extend(rest.next()),
            '"' => inside = !inside,
            ',' if !inside => all.push(std::mem::take(&mut entry)),
            c => entry.push(c),
        }
    }
    all.push(entry);
    all
}

/// The value of a flag, with a space or `=`.
fn flag<'a>(call: &'a [String], name: &str) -> &'a str {
    let tied = format!("{name}=");
    let place = call
        .iter()
        .position(|word| word == name || word.starts_with(&tied))
        .unwrap_or_else(|| panic!("{name}: {call:?}"));
    call[place]
        .strip_prefix(&tied)
        .unwrap_or_else(|| &call[place + 1])
}

fn one(text: &str) -> String {
    let [one] = &entries(text)[..] else {
        panic!("{text}")
    };
    one.clone()
}

#[test]
fn kafkas_command_line_gets_every_name_that_it_does_not_trim() {
    let written = script(&every_change(), ScriptTarget::Kafka);
    let (calls, exit) = run(
        &written
            .text
            .replace("\"$BOOTSTRAP_SERVERS\"", "127.0.0.1:1"),
        "",
    );
    assert_eq!(exit, 0);
    let mut calls = calls.iter();
    let kept = NAMES
        .iter()
        .filter(|name| name.trim_matches(|character| character <= ' ') == **name);
    for name in kept.clone() {
        let create = calls.next().unwrap();
        assert_eq!(
            create[..3].join(" "),
            "--bootstrap-server 127.0.0.1:1 --add"
        );
        assert_eq!(flag(create, "--deny-principal"), format!("Group:{name}"));
        assert_eq!(
            (flag(create, "--deny-host"), flag(create, "--group")),
            ("10.0.0.7", *name)
        );
        assert_eq!(flag(create, "--operation"), "Read");
        // Programs before Kafka 4.0 refuse this one.
        assert_eq!(
            flag(calls.next().unwrap(), "--operation"),
            "DescribeConfigs"
        );
        let delete = calls.next().unwrap();
        assert_eq!(
            delete[..4].join(" "),
            "--bootstrap-server 127.0.0.1:1 --remove --force"
        );
        assert_eq!(flag(delete, "--deny-principal"), format!("Role:{name}"));
        assert_eq!(
            (
                flag(delete, "--group"),
                flag(delete, "--resource-pattern-type")
            ),
            (*name, "prefixed")
        );
    }
    assert_eq!(calls.next(), None);
    // Of each name, the four changes of the role and its members; of those with blanks around them,
    // the ACLs, too.
    let trimmed = NAMES.len() - kept.count();
    let lost = written
        .notes
        .iter()
        .filter(|note| note.code == "not_written")
        .count();
    assert_eq!(lost, NAMES.len() * 4 + trimmed * 2);
    let alter = Acl {
        operation: Operation::Alter,
        ..acl("x", &Principal::user("a"))
    };
    let [step] = &steps(
        &[
            Change::AddAcl(alter.clone()),
            Change::AddAcl(Acl {
                operation: Operation::Read,
                ..alter
            }),
        ],
        ScriptTarget::Kafka,
    )[..] else {
        panic!("one call")
    };
    assert!(
        step.commands[0].ends_with("--operation Read --group x --resource-pattern-type prefixed"),
        "{step:?}"
    );
    assert!(
        step.notes[0]
            .message
            .starts_with("not written: `Deny Alter, "),
        "{step:?}"
    );
}

#[test]
fn both_command_lines_get_every_name_as_it_is() {
    for (target, role) in [
        (ScriptTarget::Gbac, "Role"),
        (ScriptTarget::Platform, "RedpandaRole"),
    ] {
        let written = script(&every_change(), target);
        let invisible =
            |c: char| c.is_control() && c != '\n' || matches!(c, '\u{200b}' | '\u{202e}');
        assert_eq!(
            written.text.chars().find(|c| invisible(*c)),
            None,
            "{}",
            target.program()
        );
        // Missing roles are created.
        let (calls, exit) = run(&written.text, "[ \"$3\" != describe ]");
        assert_eq!(exit, 0);
        let mut calls = calls.iter();
        let mut next = |command: &str| {
            let call = calls.next().unwrap_or_else(|| panic!("{command}"));
            assert_eq!(call[..3].join(" "), command);
            call
        };
        for name in NAMES {
            let create = next("security acl create");
            assert_eq!(
                one(flag(create, "--deny-principal")),
                format!("Group:{name}")
            );
            assert_eq!(flag(create, "--deny-host"), "10.0.0.7");
            assert_eq!(flag(create, "--operation"), "read,describeconfigs");
            assert_eq!(one(flag(create, "--group")), *name);
            assert_eq!(flag(create, "--resource-pattern-type"), "prefixed");
            let delete = next("security acl delete");
            assert_eq!(
                one(flag(delete, "--deny-principal")),
                format!("{role}:{name}")
            );
            assert_eq!(one(flag(delete, "--group")), *name);
            assert_eq!(flag(delete, "--resource-pattern-type"), "prefixed");
            assert_eq!(delete.last().unwrap(), "--no-confirm");
            for command in ["security role describe", "security role create"] {
                let call = next(command);
                assert_eq!(call.last().unwrap(), name);
                assert_eq!(call.contains(&"--".to_owned()), name.starts_with('-'));
            }
            let joined = next("security role assign");
            assert!(joined.contains(&(*name).to_owned()));
            let joined = entries(flag(joined, "--principal"));
            if target == ScriptTarget::Gbac {
                assert_eq!(joined, [format!("Group:{name}"), format!("User:{name}")]);
                let left = next("security role unassign");
                assert_eq!(
                    entries(flag(left, "--principal")),
                    [format!("Group:{name}")]
                );
            } else {
                assert_eq!(joined, [format!("User:{name}")]);
                let body = json!({ "roleName": name, "members": [{ "group": { "name": name } }] });
                for operation in ["AddRoleMembers", "RemoveRoleMembers"] {
                    let call = next("-fsS -X POST");
                    assert_eq!(
                        serde_json::from_str::<Value>(flag(call, "--data-raw")).unwrap(),
                        body
                    );
                    let path = format!("/redpanda.core.admin.v2.SecurityService/{operation}");
                    assert_eq!(
                        call.last().unwrap().strip_prefix("http://127.0.0.1:1"),
                        Some(path.as_str())
                    );
                    assert!(!call.iter().any(|word| word.contains("secret")), "{call:?}");
                }
            }
            let gone = next("security role delete");
            assert!(
                gone.contains(&(*name).to_owned()) && gone.contains(&"--no-confirm".to_owned())
            );
        }
        assert_eq!(calls.next(), None);
    }
}

#[test]
fn without_an_admin_api_rpk_assigns_groups_and_the_script_says_why() {
    let join = Change::AddMember {
        role: "r".into(),
        member: Principal::group("eng, fin"),
    };
    let text = script(std::slice::from_ref(&join), ScriptTarget::Platform).text;
    assert!(text.contains("(code 40001)"), "{text}");
    let (calls, exit) = run(&format!("unset GBAC_ADMIN_URL\n{text}"), "");
    assert_eq!((calls.len(), exit), (1, 0));
    assert_eq!(calls[0][..4].join(" "), "security role assign r");
    assert_eq!(one(flag(&calls[0], "--principal")), "Group:eng, fin");
    let join = Change::AddMember {
        role: "r".into(),
        member: Principal::user("eng"),
    };
    assert!(
        !script(&[join], ScriptTarget::Platform)
            .text
            .contains("GBAC_ADMIN_URL"),
        "users need no explanation"
    );
}

#[test]
fn curl_gets_every_name_as_it_is_and_no_credential() {
    let (calls, exit) = run(
        &script(&every_change(), ScriptTarget::Curl).text,
        "cat >/dev/null",
    );
    assert_eq!(exit, 0);
    let mut calls = calls.iter();
    let mut next = |method: &str| {
        let call = calls.next().unwrap_or_else(|| panic!("{method}"));
        assert_eq!(flag(call, "-X"), method);
        assert!(!call.iter().any(|word| word.contains("secret")), "{call:?}");
        let url = call
            .iter()
            .find_map(|word| word.strip_prefix("http://127.0.0.1:1"))
            .unwrap()
            .to_owned();
        let body = call
            .iter()
            .position(|word| word == "--data-raw")
            .map(|place| call[place + 1].clone());
        (
            url,
            body.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap()),
        )
    };
    for name in NAMES {
        let (group, role) = (Principal::group(*name), Principal::role(*name));
        for operation in [Operation::Read, Operation::DescribeConfigs] {
            let wanted = AclBody::from(&Acl {
                operation,
                ..acl(name, &group)
            });
            assert_eq!(next("POST"), ("/v1/acls".into(), json!(wanted)));
        }
        let (url, _) = next("DELETE");
        let query = parse_query(url.split_once('?').unwrap().1).unwrap();
        assert_eq!(
            AclFilter::from_delete_query(&query).unwrap(),
            AclFilter::exactly(&acl(name, &role))
        );
        let path = gbac_api::paths::role(name);
        assert_eq!(next("PUT"), (path.clone(), json!({ "create": true })));
        let members = |types: &[&str]| -> Vec<Value> {
            types
                .iter()
                .map(|kind| json!({ "principal": format!("{kind}:{name}") }))
                .collect()
        };
        assert_eq!(
            next("PUT"),
            (path.clone(), json!({ "add": members(&["Group", "User"]) }))
        );
        assert_eq!(
            next("PUT"),
            (path, json!({ "remove": members(&["Group"]) }))
        );
        assert_eq!(next("DELETE").0, gbac_api::paths::delete_role(name, true));
    }
    assert_eq!(calls.next(), None);
}

#[test]
fn a_line_by_itself_is_the_call_of_the_script() {
    for target in ScriptTarget::ALL {
        let lines: Vec<String> = steps(&every_change(), *target)
            .into_iter()
            .flat_map(|step| step.commands)
            .collect();
        let (alone, _) = run(&lines.join("\n"), "");
        let stand_in = if *target == ScriptTarget::Curl {
            "cat >/dev/null"
        } else {
            "[ \"$3\" != describe ]"
        };
        let (scripted, _) = run(&script(&every_change(), *target).text, stand_in);
        let bare = |calls: Vec<Vec<String>>| -> Vec<Vec<String>> {
            let auth = [
                "Authorization: Bearer secret",
                "@-",
                "-o",
                "/dev/null",
                "-H",
            ];
            let strip = |call: Vec<String>| {
                call.into_iter()
                    .filter(|word| !auth.contains(&word.as_str()))
                    .collect()
            };
            calls
                .into_iter()
                .filter(|call| call[2] != "describe")
                .map(strip)
                .collect()
        };
        assert_eq!(bare(alone), bare(scripted), "{}", target.program());
    }
}

#[test]
fn a_policy_comes_with_its_settings_and_denies_first() {
    let settings = json!({ "oidc_group_claim_path": "$['https://x.example/groups']", "nested_group_behavior": "suffix",
        "superusers": ["admin", "o'neil, jr"] });
    let mut policy = Policy::new(settings_from_value(&settings).unwrap());
    let eng = Principal::group("eng");
    let deny = acl("payments", &eng);
    let allow = Acl {
        permission: Permission::Allow,
        host: Host::Any,
        ..deny.clone()
    };
    for change in [
        Change::CreateRole("r".into()),
        Change::AddMember {
            role: "r".into(),
            member: eng,
        },
        Change::AddAcl(allow),
        Change::AddAcl(deny),
    ] {
        policy.apply(change).unwrap();
    }
    let (calls, exit) = run(
        &script(&changes(&policy), ScriptTarget::Gbac).text,
        "[ \"$3\" != describe ]",
    );
    assert_eq!(exit, 0);
    let commands: Vec<String> = calls.iter().map(|call| call[..3].join(" ")).collect();
    assert_eq!(
        commands,
        [
            "cluster config set",
            "security acl create",
            "security role describe",
            "security role create",
            "security role assign",
            "security acl create"
        ]
    );
    assert_eq!(
        calls[0][3..],
        [
            "nested_group_behavior=suffix",
            "oidc_group_claim_path=$['https://x.example/groups']",
            "superusers=[\"admin\",\"o'neil, jr\"]"
        ]
    );
    assert!(
        calls[1].contains(&"--deny-principal".into())
            && calls[5].contains(&"--allow-principal".into())
    );
    assert!(
        !calls[5].contains(&"--allow-host".into()),
        "any host needs no flag"
    );
    let (calls, _) = run(
        &script(&changes(&policy), ScriptTarget::Curl).text,
        "cat >/dev/null",
    );
    let body: Value = serde_json::from_str(flag(&calls[0], "--data-raw")).unwrap();
    assert_eq!(body["upsert"]["superusers"], json!(["admin", "o'neil, jr"]));
    assert!(
        body["upsert"].get("oidc_principal_mapping").is_none(),
        "it is not stated: {body}"
    );
}

#[test]
fn only_the_settings_that_are_stated_are_sent() {
    let policy = |settings: Value| Policy::new(settings_from_value(&settings).unwrap());
    let sent = |changes: &[Change]| -> Vec<String> {
        let lines = steps(changes, ScriptTarget::Gbac)
            .into_iter()
            .flat_map(|step| step.commands);
        lines
            .map(|line| {
                line.replace("gbac cluster config set ", "")
                    .replace('\'', "")
            })
            .collect()
    };
    let nothing = policy(json!({}));
    let full = policy(
        json!({ "oidc_group_claim_path": "$.x", "nested_group_behavior": "suffix",
        "oidc_principal_mapping": "$.sub", "superusers": ["admin"] }),
    );
    assert_eq!(sent(&changes(&nothing)), [""; 0]);
    assert_eq!(
        sent(&changes(&policy(
            json!({ "nested_group_behavior": "none" })
        ))),
        ["nested_group_behavior=none"]
    );
    assert_eq!(sent(&changes_between(&full, &nothing)), [""; 0]);
    let none = policy(json!({ "nested_group_behavior": "none" }));
    assert_eq!(
        sent(&changes_between(&full, &none)),
        ["nested_group_behavior=none"]
    );
    // The cluster's value is unknown if the document omits it.
    assert_eq!(
        sent(&changes_between(&nothing, &none)),
        ["nested_group_behavior=none"]
    );
    assert_eq!(sent(&changes_between(&none, &none)), [""; 0]);
    // A document without superusers never removes any.
    for change in changes_between(
        &full,
        &policy(json!({ "oidc_principal_mapping": "$.email" })),
    ) {
        let mut applied = full.clone();
        assert!(applied.apply(change).unwrap() && applied.settings().superusers.contains("admin"));
        assert_eq!(applied.settings().groups, full.settings().groups);
    }
}

#[test]
fn only_kafkas_command_line_gets_hosts_that_only_kafka_has() {
    for host in ["broker1.example.com", "10.0.0.0/8"] {
        let acl = Acl {
            host: Host::parse_in(Dialect::Kafka, host).unwrap(),
            ..acl("payments", &Principal::user("eng"))
        };
        for change in [Change::AddAcl(acl.clone()), Change::RemoveAcl(acl)] {
            for target in ScriptTarget::ALL {
                let step = steps(std::slice::from_ref(&change), *target).remove(0);
                let codes: Vec<&str> = step.notes.iter().map(|note| note.code).collect();
                let command = step.commands.concat();
                if *target == ScriptTarget::Kafka {
                    assert!(codes.is_empty() && command.contains(host), "{command}");
                } else {
                    assert_eq!((codes, command.as_str()), (vec!["not_written"], ""));
                }
            }
        }
    }
}

#[test]
fn inexpressible_changes_are_reported_and_failed_calls_set_the_exit_code() {
    let nul = Acl {
        permission: Permission::Allow,
        ..acl("a\0b", &Principal::group("*"))
    };
    let cluster = Acl {
        resource_type: ResourceType::Cluster,
        resource_name: "other\nname".into(),
        ..nul.clone()
    };
    let sso = settings_from_value(
        &json!({ "sso": { "mode": "use_map", "attributes": { "federated_groups": "$.g" } } }),
    );
    let all = [
        Change::AddAcl(nul),
        Change::AddAcl(cluster),
        Change::DeleteRole {
            name: "r".into(),
            delete_acls: false,
        },
        Change::Settings(Box::new(sso.unwrap())),
    ];
    let codes = |target| -> Vec<&str> {
        script(&all, target)
            .notes
            .iter()
            .map(|note| note.code)
            .collect()
    };
    let refused = ["principal_wildcard", "resource_name_control_character"];
    let both = |more: &[&'static str]| -> Vec<&str> {
        let [wildcard, control] = refused;
        [
            &[wildcard, control][..],
            &more[..1],
            &[wildcard, control],
            &more[1..],
        ]
        .concat()
    };
    assert_eq!(
        codes(ScriptTarget::Gbac),
        both(&["not_written", "not_written", "not_written"])
    );
    assert_eq!(
        codes(ScriptTarget::Platform),
        both(&["not_written", "not_written", "not_written", "not_written"])
    );
    let [wildcard, control] = refused;
    assert_eq!(
        codes(ScriptTarget::Curl),
        [wildcard, control, wildcard, control, "not_written"]
    );
    let written = script(&all, ScriptTarget::Gbac);
    for note in &written.notes {
        assert!(
            written.text.contains(&format!("# {}\n", note.message)),
            "{note}"
        );
    }
    let (calls, exit) = run(&written.text, "exit 3");
    assert_eq!(
        calls.len(),
        1,
        "a call that fails does not keep the others from being made: {calls:?}"
    );
    assert_eq!(exit, 1);
}

#[test]
fn a_role_with_many_members_takes_several_calls() {
    let join = |n: u32| Change::AddMember {
        role: "r".into(),
        member: Principal::user(format!("u{n}")),
    };
    let all: Vec<Change> = (0..250).map(join).collect();
    let sizes: Vec<usize> = steps(&all, ScriptTarget::Gbac)
        .iter()
        .map(|step| step.commands[0].matches("User:").count())
        .collect();
    assert_eq!(sizes, [100, 100, 50]);
}

#[test]
fn the_changes_between_two_policies_make_one_of_the_other() {
    let build = |changes: &[Change]| {
        let mut policy = Policy::default();
        for change in changes {
            policy.apply(change.clone()).unwrap();
        }
        policy
    };
    let (a, b) = (Principal::group("a"), Principal::group("b"));
    let join = |role: &str, member: &Principal| Change::AddMember {
        role: role.into(),
        member: member.clone(),
    };
    let allow = |name: &str| Acl {
        permission: Permission::Allow,
        ..acl(name, &a)
    };
    let before = build(&[
        Change::CreateRole("both".into()),
        join("both", &a),
        Change::CreateRole("old".into()),
        join("old", &a),
        Change::AddAcl(acl("old", &a)),
        Change::AddAcl(allow("old")),
        Change::AddAcl(allow("both")),
    ]);
    let after = build(&[
        Change::CreateRole("both".into()),
        join("both", &b),
        Change::CreateRole("new".into()),
        join("new", &b),
        Change::AddAcl(acl("new", &a)),
        Change::AddAcl(allow("new")),
        Change::AddAcl(allow("both")),
    ]);
    for (from, to) in [
        (&before, &after),
        (&after, &before),
        (&Policy::default(), &after),
        (&after, &after),
    ] {
        let mut made = from.clone();
        for change in changes_between(from, to) {
            made.apply(change).unwrap();
        }
        assert!(made == *to);
    }
    assert!(changes_between(&after, &after).is_empty());
    let first = &changes_between(&before, &after)[0];
    assert!(
        matches!(first, Change::AddAcl(acl) if acl.permission == Permission::Deny),
        "{first:?}"
    );
}
