//! Tests of `gbac policy diff --from --to`: what differs between two clusters, and the changes that
//! make one decide as the other.

use std::collections::BTreeSet;
use std::fs;

use crate::support::program;
use crate::support::service::{self, Service};
use gbac_analysis::{AccessEffect, ChosenDifferences, Convergence, Relation, diff};
use gbac_engine::model::{Acl, Operation, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{ChangeList, changes_from_json, policy_from_json, policy_to_text};
use gbac_tests::oracle::Facts;
use gbac_tests::vectors::root;
use gbac_tests::world;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::formats::assert_alike;

const BOTH: [&str; 6] = ["policy", "diff", "--from", "a.json", "--to", "b.json"];

/// A folder with two policies.
fn folder(from: &Policy, to: &Policy) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, policy) in [("a.json", from), ("b.json", to)] {
        fs::write(folder.path().join(name), policy_to_text(policy)).expect("a file");
    }
    folder
}

fn run(folder: &TempDir, args: &[&str]) -> program::Run {
    service::run(folder, &[], args)
}

fn allow(who: Principal, operation: Operation, topic: &str) -> Acl {
    Acl::allow(who, operation, ResourceType::Topic, topic)
}

fn deny(who: Principal, operation: Operation, topic: &str) -> Acl {
    Acl {
        permission: Permission::Deny,
        ..allow(who, operation, topic)
    }
}

fn policy_of(acls: impl IntoIterator<Item = Acl>) -> Policy {
    let mut policy = Policy::default();
    for acl in acls {
        policy.apply(Change::AddAcl(acl)).expect("an ACL");
    }
    policy
}

/// Two policies, each with access of its own: Maya reads in the first, Ben in the second.
fn different() -> TempDir {
    folder(
        &policy_of([allow(Principal::user("maya"), Operation::Read, "orders")]),
        &policy_of([allow(Principal::user("ben"), Operation::Read, "orders")]),
    )
}

/// The second policy after the changes of the file.
fn converged(folder: &TempDir) -> Policy {
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("a file");
    let mut policy = policy_from_json(&read("b.json")).expect("a policy");
    let text = format!("{{\"changes\":{}}}", read("changes.json"));
    let ChangeList { changes, .. } = changes_from_json(&text).expect("changes");
    for change in changes {
        policy.apply(change).expect("a change that can be made");
    }
    policy
}

fn converge(folder: &TempDir) -> Value {
    let args = [
        &BOTH[..],
        &["--converge", "changes.json", "-o", "json", "--quiet"],
    ]
    .concat();
    serde_json::from_str(&run(folder, &args).done()).expect("JSON")
}

#[test]
fn each_principal_is_listed_with_what_it_can_do_in_only_one_cluster() {
    let text = run(&different(), &BOTH).done();
    assert_eq!(
        text,
        "FROM is the document a.json.\n\
         TO is the document b.json.\n\n\
         FROM and TO each allow something that the other does not.\n\n\
         PRINCIPAL  EFFECT        OPERATIONS      RESOURCE              HOST\n\
         User:ben   Only in TO    Read, Describe  topic orders literal  *\n\
         User:maya  Only in FROM  Read, Describe  topic orders literal  *\n"
    );
}

#[test]
fn a_deny_in_one_cluster_is_an_effect_of_its_own() {
    let both = allow(Principal::group("eng"), Operation::Read, "orders");
    let folder = folder(
        &policy_of([both.clone()]),
        &policy_of([
            both,
            deny(Principal::group("temps"), Operation::Read, "orders"),
        ]),
    );
    let text = run(&folder, &BOTH).done();
    assert!(
        text.contains("Group:temps  Denied in TO  Read  "),
        "engineers who are temps, too, read only in FROM: {text}"
    );
}

#[test]
fn json_names_both_clusters_and_has_the_members_of_a_difference() {
    let value: Value =
        serde_json::from_str(&run(&different(), &[&BOTH[..], &["-o", "json"]].concat()).done())
            .expect("JSON");
    assert_eq!(value["from"], json!({ "name": "a.json", "profile": false }));
    assert_eq!(value["to"]["name"], "b.json");
    assert_eq!(value["relation"], "mixed");
    let effects: Vec<&Value> = value["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["effect"])
        .collect();
    assert_eq!(effects, ["gains", "loses"]);
}

#[test]
fn markdown_counts_the_principals_of_each_side() {
    let text = run(&different(), &[&BOTH[..], &["-o", "markdown"]].concat()).done();
    for row in [
        "| have access only in TO | 1 | `User:ben` |",
        "| have access only in FROM | 1 | `User:maya` |",
        "| are named only in TO | 1 | `User:ben` |",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
}

#[test]
fn a_report_has_a_result_for_each_difference() {
    let text = run(&different(), &[&BOTH[..], &["-o", "github"]].concat()).done();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(
        text.contains("Only in FROM") && text.contains("file=b.json"),
        "{text}"
    );
}

#[test]
fn the_exit_code_says_that_something_differs_only_on_request() {
    let folder = different();
    let code = [&BOTH[..], &["--exit-code"]].concat();
    assert_eq!(run(&folder, &code).exit, 1);
    fs::copy(folder.path().join("a.json"), folder.path().join("b.json")).expect("a copy");
    let same = run(&folder, &code);
    assert_eq!(same.exit, 0, "{}", same.err);
    assert!(
        same.out.ends_with("\nNo difference in effective access.\n"),
        "{}",
        same.out
    );
}

#[test]
fn only_both_sides_together_are_compared() {
    let folder = different();
    for args in [
        &["policy", "diff", "--from", "a.json"][..],
        &["policy", "diff", "--to", "b.json"],
        &[
            "policy", "diff", "a.json", "--from", "a.json", "--to", "b.json",
        ],
        &["policy", "diff", "a.json", "b.json", "--converge", "c.json"],
        &["policy", "diff"],
    ] {
        let _ = run(&folder, args).failed(64);
    }
}

#[test]
fn a_convergence_deletes_what_from_does_not_have() {
    let folder = different();
    let said = run(
        &folder,
        &[&BOTH[..], &["--converge", "changes.json"]].concat(),
    );
    assert_eq!(said.exit, 0);
    assert_eq!(
        said.err,
        "note: changes.json has 2 changes that make TO decide as FROM; the next command is `gbac policy apply --changes changes.json --dry-run`\n"
    );
    let text = fs::read_to_string(folder.path().join("changes.json")).expect("a file");
    assert!(
        text.contains("\"remove_acl\"") && text.contains("User:ben"),
        "{text}"
    );
    assert_eq!(
        converge(&folder)["converge"],
        json!({ "file": "changes.json", "changes": 2, "left": [] })
    );
}

#[test]
fn roles_of_the_platform_are_never_changed() {
    let of_platform = Principal::role("__shadow");
    let mut to = policy_of([allow(of_platform.clone(), Operation::Write, "orders")]);
    for name in ["__shadow", "__more", "old"] {
        to.apply(Change::CreateRole(name.into())).expect("a role");
    }
    let mut from = policy_of([allow(of_platform, Operation::Read, "orders")]);
    let member = Change::AddMember {
        role: "__other".into(),
        member: Principal::user("maya"),
    };
    from.apply(Change::CreateRole("__other".into()))
        .expect("a role");
    from.apply(member).expect("a member");
    let folder = folder(&from, &to);
    let value = converge(&folder);
    let text = fs::read_to_string(folder.path().join("changes.json")).expect("a file");
    assert_eq!(text, "[{\"change\":\"delete_role\",\"role\":\"old\"}]\n");
    let left = value["converge"]["left"].as_array().expect("a list");
    assert_eq!(left.len(), 3, "{value}");
    assert_eq!(
        left[0],
        "Role:__more: the platform owns roles whose names begin with `__`, so they never change"
    );
    let said = run(
        &folder,
        &[&BOTH[..], &["--converge", "changes.json", "--quiet"]].concat(),
    )
    .done();
    assert!(
        said.contains("\nThese differences remain in TO:\n  Role:__more: "),
        "{said}"
    );
}

#[test]
fn a_setting_that_from_does_not_state_is_named_and_stays() {
    let folder = different();
    let with = r#"{ "version": 1, "settings": { "superusers": ["root"] } }"#;
    fs::write(folder.path().join("a.json"), r#"{ "version": 1 }"#).expect("a file");
    fs::write(folder.path().join("b.json"), with).expect("a file");
    assert_eq!(
        converge(&folder)["converge"]["left"],
        json!(["the setting superusers: FROM does not state it, so TO keeps its own"])
    );
    fs::rename(
        folder.path().join("a.json"),
        folder.path().join("other.json"),
    )
    .expect("a file");
    fs::rename(folder.path().join("b.json"), folder.path().join("a.json")).expect("a file");
    fs::rename(
        folder.path().join("other.json"),
        folder.path().join("b.json"),
    )
    .expect("a file");
    assert_eq!(converge(&folder)["converge"]["left"], json!([]));
    assert!(converged(&folder).settings().superusers.contains("root"));
}

#[test]
fn the_system_of_a_cluster_is_never_changed() {
    let folder = different();
    let kafka = json!({
        "version": 1, "settings": { "dialect": "kafka" },
        "acls": [{ "principal": "User:maya", "permission_type": "PERMISSION_TYPE_ALLOW", "operation": "OPERATION_READ",
            "host": "10.0.0.0/8", "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL" }],
    });
    fs::write(folder.path().join("a.json"), kafka.to_string()).expect("a file");
    let value = converge(&folder);
    let left = value["converge"]["left"].to_string();
    assert!(
        left.contains("the setting dialect: it belongs to the system of each cluster")
            && left.contains("10.0.0.0/8"),
        "what the platform lacks is named: {left}"
    );
    assert_eq!(value["converge"]["changes"], 1, "Ben is removed: {value}");
}

#[test]
fn a_profile_is_a_running_service_and_its_convergence_can_be_applied() {
    let service = Service::start();
    let policy = root().join("examples/policy.json");
    fs::copy(policy, service.file("wanted.json")).expect("a file");
    service
        .run(&[
            "profile",
            "create",
            "spare",
            "--url",
            &service.url,
            "--user",
            "admin",
        ])
        .done();
    let diff_args = [
        "policy",
        "diff",
        "--from",
        "wanted.json",
        "--to",
        "spare",
        "--exit-code",
    ];
    let password = [("GBAC_PASSWORD", "demo")];
    let first = service::run(
        &service.folder,
        &password,
        &[&diff_args[..], &["--converge", "changes.json"]].concat(),
    );
    assert_eq!(first.exit, 1, "{}{}", first.out, first.err);
    assert!(
        first
            .out
            .contains("TO is the profile spare.\nDecided at state "),
        "{}",
        first.out
    );
    let next = "`gbac policy apply --changes changes.json --profile spare --dry-run`";
    assert!(first.err.contains(next), "{}", first.err);
    let apply = [
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--profile",
        "spare",
        "--no-confirm",
    ];
    let applied = service::run(&service.folder, &password, &apply);
    assert_eq!(applied.exit, 0, "{}", applied.err);
    let second = service::run(&service.folder, &password, &diff_args);
    assert_eq!(second.exit, 0, "{}{}", second.out, second.err);
}

#[test]
fn a_profile_takes_precedence_over_a_file_of_its_name() {
    let service = Service::start();
    service
        .run(&["profile", "create", "a.json", "--url", &service.url])
        .done();
    fs::write(service.file("a.json"), r#"{ "version": 1 }"#).expect("a file");
    let compared = service.run(&[
        "policy", "diff", "--from", "a.json", "--to", "./a.json", "-o", "json",
    ]);
    let value: Value = serde_json::from_str(&compared.out).expect("JSON");
    assert_eq!(
        (&value["from"]["profile"], &value["to"]["profile"]),
        (&json!(true), &json!(false))
    );
    assert!(
        compared.err.starts_with(
            "note: a.json is a profile, and a file of that name exists too; write ./a.json"
        ),
        "{}",
        compared.err
    );
}

/// The facts without ACLs of an empty name, which no document may have.
fn with_names(mut facts: Facts) -> Facts {
    facts.acls.retain(|acl| !acl.resource_name.is_empty());
    facts
}

proptest! {
    // Each case runs a command line.
    #![proptest_config(world::config(world::cases() / 20))]

    #[test]
    fn a_converged_policy_decides_as_from(
        from in world::facts(),
        to in world::facts(),
        questions in vec(world::asked(), 20),
    ) {
        let [from, to] = [from, to].map(|facts| world::policy(&with_names(facts)));
        let folder = folder(&from, &to);
        let value = converge(&folder);
        prop_assert_eq!(&value["converge"]["left"], &json!([]));
        let converged = converged(&folder);
        prop_assert_eq!(diff(&from, &converged).relation, Relation::Equal);
        assert_alike("converged", &from, &converged, &questions);
    }

    #[test]
    fn the_changes_of_chosen_differences_make_these_alike_and_no_others_differ(
        from in world::facts(),
        to in world::facts(),
        picks in vec(any::<bool>(), 20),
    ) {
        let [from, to] = [from, to].map(|facts| world::policy(&with_names(facts)));
        let found = diff(&from, &to);
        let mut all = Vec::new();
        for difference in &found.differences {
            if difference.effect == AccessEffect::StillDenied {
                continue;
            }
            for region in &difference.regions {
                all.push((difference.scope.clone(), region.clone()));
            }
        }
        let convergence = Convergence::new(&from, &to);
        let reached = |chosen: &BTreeSet<usize>, settings: &[&'static str]| {
            let differences = ChosenDifferences { all: &all, chosen, settings };
            let part = convergence.for_differences([&from, &to], differences);
            let mut reached = to.clone();
            for change in convergence.at(&part.places) {
                reached.apply(change).expect("a change that can be made");
            }
            (reached, part.remaining)
        };
        let (whole, remaining) = reached(&(0..all.len()).collect(), &found.settings);
        prop_assert_eq!(remaining.relation, Relation::Equal);
        prop_assert_eq!(diff(&from, &whole).relation, Relation::Equal);
        let mut chosen = BTreeSet::new();
        for (place, is_picked) in picks.into_iter().enumerate() {
            if is_picked && place < all.len() {
                chosen.insert(place);
            }
        }
        let (_, remaining) = reached(&chosen, &[]);
        for difference in &remaining.differences {
            if difference.effect == AccessEffect::StillDenied {
                continue;
            }
            for region in &difference.regions {
                let may_stay = all.iter().enumerate().any(|(place, (scope, other))| {
                    *scope == difference.scope && !chosen.contains(&place) && other.contains(region)
                });
                prop_assert!(may_stay, "{} {region:?} of {chosen:?}", difference.scope);
            }
        }
    }
}
