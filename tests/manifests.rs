//! Manifests for Terraform and the Kubernetes operator: what they say decides as the policy does,
//! and what they cannot say is noted.

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_formats::export::Exported;
use gbac_formats::format::Format;
use gbac_formats::import::Import;
use gbac_tests::oracle::OracleQuestion;
use hcl::eval::Evaluate;

use crate::formats::{assert_alike, content, context, exported, imported, policy_of, state_of};

fn is_complete(manifest: &Exported) -> bool {
    manifest.notes.iter().all(|note| note.code != "not_written")
}

/// A policy with names that break incorrect quoting.
fn unusual_names() -> Policy {
    let mut changes = Vec::new();
    for name in [
        "eng, fin",
        "${file(\"x\")}",
        "%{ if true }",
        "$${a",
        "\"q\" \\n",
        "a: b # c",
        "turn\u{202e}ed",
        "日本",
        "x",
        " x ",
        "- y",
        "null",
        "1",
        "~",
    ] {
        let role = name.replace([',', '='], "_");
        changes.extend([
            Change::CreateRole(role.clone()),
            Change::AddMember {
                role: role.clone(),
                member: Principal::group(name),
            },
            Change::AddMember {
                role: role.clone(),
                member: Principal::user(name),
            },
        ]);
        for (principal, permission) in [
            (Principal::group(name), Permission::Deny),
            (Principal::role(&role), Permission::Allow),
        ] {
            changes.push(Change::AddAcl(Acl {
                resource_type: ResourceType::Subject,
                resource_name: name.into(),
                pattern_type: PatternType::Prefixed,
                principal,
                host: Host::parse("10.0.0.7").expect("a host"),
                operation: Operation::All,
                permission,
            }));
        }
    }
    let registry = Acl::allow(
        Principal::group("x"),
        Operation::All,
        ResourceType::Registry,
        "",
    );
    let cluster = Acl::allow(
        Principal::user("x"),
        Operation::All,
        ResourceType::Cluster,
        "kafka-cluster",
    );
    changes.extend([Change::AddAcl(registry), Change::AddAcl(cluster)]);
    policy_of(changes)
}

#[test]
fn unusual_names_come_back_from_terraform() {
    let policy = unusual_names();
    let written = exported(&policy, Some(&policy), "terraform");
    assert!(is_complete(&written), "{:?}", written.notes);
    assert_eq!(
        content(&imported(
            &state_of(&written.text).to_string(),
            Format::Terraform
        )),
        content(&policy)
    );
}

#[test]
fn unusual_names_come_back_from_the_operator() {
    let policy = unusual_names();
    let written = exported(&policy, None, "operator");
    assert!(is_complete(&written), "{:?}", written.notes);
    let back = imported(&written.text, Format::Operator);
    let names: BTreeSet<String> = policy
        .acls()
        .map(|acl| acl.principal.name().to_owned())
        .collect();
    let host = "10.0.0.7".parse().ok();
    let questions: Vec<_> = names
        .iter()
        .flat_map(|name| {
            let of = |resource_type, resource: &str| OracleQuestion {
                user: name.clone(),
                groups: vec![name.clone()],
                operation: Operation::All,
                resource_type,
                name: resource.to_owned(),
                host,
            };
            [
                of(ResourceType::Subject, name),
                of(ResourceType::Registry, ""),
                of(ResourceType::Cluster, "kafka-cluster"),
            ]
        })
        .collect();
    assert_alike("the operator", &policy, &back, &questions);
}

#[test]
fn import_blocks_name_what_the_cluster_has() {
    let policy = unusual_names();
    let text = exported(&policy, Some(&policy), "terraform").text;
    let body = hcl::parse(&text).expect("HCL");
    let context = context(&body);
    let ids: Vec<String> = body
        .blocks()
        .filter(|block| block.identifier() == "import")
        .map(|block| {
            let id = block
                .body
                .attributes()
                .find(|attribute| attribute.key() == "id")
                .expect("an ID");
            id.expr()
                .evaluate(&context)
                .expect("a value")
                .as_str()
                .expect("a text")
                .to_owned()
        })
        .collect();
    for expected in [
        "c1,Group:${file(\"x\")},SUBJECT,${file(\"x\")},PREFIXED,10.0.0.7,ALL,DENY",
        "c1,CLUSTER,kafka-cluster,LITERAL,User:x,*,ALL,ALLOW",
        "x,c1",
        "x:Group:x|https://api",
    ] {
        assert!(ids.iter().any(|id| id == expected), "{expected}: {ids:#?}");
    }
    // Those with commas in a name, or of a role with a colon, cannot be imported.
    assert!(
        !ids.iter()
            .any(|id| id.contains("eng, fin,") || id.starts_with("a: b # c:")),
        "{ids:#?}"
    );
    assert!(
        !exported(&policy, None, "terraform")
            .text
            .contains("import {")
    );
}

#[test]
fn what_a_manifest_leaves_behind_is_noted() {
    let current = unusual_names();
    let kept = Acl::allow(
        Principal::group("x"),
        Operation::Read,
        ResourceType::Topic,
        "orders",
    );
    let policy = policy_of([Change::AddAcl(kept)]);
    let notes = |word| -> Vec<String> {
        exported(&policy, Some(&current), word)
            .notes
            .into_iter()
            .map(|note| note.message)
            .collect()
    };
    let (terraform, operator) = (notes("terraform"), notes("operator"));
    let registry = "not removed: `Allow All, Schema Registry, of Group:x`";
    assert!(
        terraform.iter().any(|note| note.starts_with(registry)),
        "{terraform:#?}"
    );
    // A resource of the operator replaces all ACLs of its principal.
    assert!(
        !operator.iter().any(|note| note.starts_with(registry)),
        "{operator:#?}"
    );
    for notes in [terraform, operator] {
        assert!(
            notes
                .iter()
                .any(|note| note.starts_with("not removed: role `日本`: ")),
            "{notes:#?}"
        );
    }
}

#[test]
fn a_resource_of_the_operator_that_would_delete_an_acl_is_left_out() {
    let written = Acl::allow(
        Principal::group("eng"),
        Operation::Read,
        ResourceType::Topic,
        "orders",
    );
    let prefix = Acl::deny(
        Principal::group("eng"),
        Operation::Alter,
        ResourceType::Cluster,
        "kafka-",
    )
    .prefixed();
    let manifest = exported(
        &policy_of([Change::AddAcl(written), Change::AddAcl(prefix)]),
        None,
        "operator",
    );
    assert!(!manifest.text.contains("kind:"), "{}", manifest.text);
    assert_eq!(manifest.notes[0].code, "cluster_name");
    let note = manifest
        .notes
        .iter()
        .find(|note| note.code == "not_written")
        .expect("a note");
    assert!(
        note.message
            .starts_with("not written: the ACLs of `Group:eng`: "),
        "{note}"
    );
}

#[test]
fn a_user_of_strimzi_that_would_delete_an_acl_is_left_out() {
    let read = Acl::allow(
        Principal::user("CN=maya"),
        Operation::Read,
        ResourceType::Topic,
        "orders",
    );
    let subject = Acl::allow(
        Principal::user("CN=maya"),
        Operation::Read,
        ResourceType::Subject,
        "orders",
    );
    let written = exported(
        &policy_of([read.clone(), subject].map(Change::AddAcl)),
        None,
        "strimzi",
    );
    assert!(
        written.text.contains("name: maya") && written.text.contains("type: tls-external"),
        "{}",
        written.text
    );
    assert!(
        written.text.contains("strimzi.io/cluster: streams"),
        "{}",
        written.text
    );
    assert!(
        written.notes[0]
            .message
            .contains("Kafka has no ACLs for the Schema Registry"),
        "{:?}",
        written.notes
    );
    assert_eq!(
        imported(&written.text, Format::Strimzi)
            .acls()
            .collect::<Vec<_>>(),
        std::slice::from_ref(&read)
    );
    let prefix = Acl::deny(
        Principal::user("CN=maya"),
        Operation::Alter,
        ResourceType::Cluster,
        "kafka-",
    )
    .prefixed();
    let written = exported(
        &policy_of([read, prefix].map(Change::AddAcl)),
        None,
        "strimzi",
    );
    assert!(
        !written.text.contains("kind:") && !is_complete(&written),
        "{}",
        written.text
    );
}

#[test]
fn users_of_strimzi_are_read_as_people_write_them() {
    let text = r#"
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaUser
metadata: { name: maya, labels: { strimzi.io/cluster: streams } }
spec:
  authentication: { type: tls }
  authorization:
    type: simple
    acls:
      - resource: { type: topic, name: orders-, patternType: prefix }
        operations: [Read, Describe]
      - { resource: { type: cluster }, operation: IdempotentWrite, type: deny, host: 10.0.0.7 }
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: { name: orders }
"#;
    let described: Vec<String> = imported(text, Format::Strimzi)
        .acls()
        .map(|acl| {
            format!(
                "{:?} {:?} {} {} {}",
                acl.permission, acl.operation, acl.resource_name, acl.principal, acl.host
            )
        })
        .collect();
    assert_eq!(described.len(), 3);
    for expected in [
        "Deny IdempotentWrite kafka-cluster User:CN=maya 10.0.0.7",
        "Allow Read orders- User:CN=maya *",
        "Allow Describe orders- User:CN=maya *",
    ] {
        assert!(
            described.iter().any(|acl| acl == expected),
            "{expected}: {described:#?}"
        );
    }
    let custom = text
        .replace("type: simple", "type: custom")
        .replace("v1beta2", "v9");
    let read = Import::default().read(&custom, None);
    assert_eq!(
        (read.unread[0].place.as_str(), read.unread[0].code),
        ("document 1: /apiVersion", "version_unknown")
    );
}
