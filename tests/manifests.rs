//! Manifests for Terraform and the Kubernetes operator: what they say decides as the policy does, and what they cannot say is noted.

use std::collections::BTreeSet;
use std::net::IpAddr;

use gbac_api::import::{Import, Kind};
use gbac_api::manifest::{Manifest, ManifestTarget, manifest};
use gbac_api::script;
use gbac_engine::decide::{At, Request, decide};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_tests::program::program;
use gbac_tests::world;
use hcl::eval::{Context, Evaluate};
use proptest::prelude::*;
use serde_json::{Value, json};

const OPERATOR: ManifestTarget<'_> = ManifestTarget::Operator { cluster: "streams" };

/// A policy of these changes, without settings.
fn policy_of(changes: impl IntoIterator<Item = Change>) -> Policy {
    let mut policy = Policy::new(Settings::unstated());
    for change in changes {
        policy.apply(change).expect("a change of a policy");
    }
    policy
}

fn is_complete(manifest: &Manifest) -> bool {
    manifest.notes.iter().all(|note| note.code != "not_written")
}

/// The policy without the ACLs that the target cannot express or refuses, each judged alone.
fn expressible(policy: &Policy, target: ManifestTarget<'_>) -> Policy {
    let is_expressible = |change: &Change| match change {
        Change::Settings(_) => false,
        Change::AddAcl(acl) => {
            let roles = policy.role(acl.principal.name()).map(|role| Change::CreateRole(role.name));
            let written = manifest(&policy_of(roles.into_iter().chain([change.clone()])), None, target);
            written.notes.iter().all(|note| matches!(note.code, "renamed" | "as_role"))
        }
        _ => true,
    };
    policy_of(script::changes(policy).into_iter().filter(is_expressible))
}

fn imported(text: &str, kind: Kind) -> Policy {
    let mut import = Import::default();
    let read = import.read(text, None);
    assert_eq!((read.kind, read.unread), (kind, Vec::new()), "{text}");
    import.policy()
}

/// The ACLs, and the roles with their members.
fn content(policy: &Policy) -> (BTreeSet<Acl>, Vec<(String, BTreeSet<Principal>)>) {
    (policy.acls().collect(), policy.roles().map(|role| (role.name, role.members)).collect())
}

/// The context of a manifest's expressions: the variables, and the names of its roles.
fn context(body: &hcl::Body) -> Context<'static> {
    let mut context = Context::new();
    let roles: hcl::Map<String, hcl::Value> = resources(body)
        .filter(|block| block.labels[0].as_str() == "redpanda_role")
        .map(|block| {
            let name = block.body.attributes().find(|attribute| attribute.key() == "name").expect("a name");
            let name = name.expr().evaluate(&Context::new()).expect("a text");
            (block.labels[1].as_str().to_owned(), hcl::value!({ "name" = (name) }))
        })
        .collect();
    context.declare_var("redpanda_role", hcl::Value::Object(roles));
    context.declare_var("var", hcl::value!({ "cluster_id" = "c1", "cluster_api_url" = "https://api" }));
    context
}

fn resources(body: &hcl::Body) -> impl Iterator<Item = &hcl::Block> {
    body.blocks().filter(|block| block.identifier() == "resource")
}

/// The state of a manifest that was applied, as `terraform show -json` prints it.
fn state_of(text: &str) -> Value {
    let body = hcl::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let context = context(&body);
    let resources: Vec<Value> = resources(&body)
        .map(|block| {
            let values = block.body.attributes().filter(|attribute| attribute.key() != "depends_on");
            let values: serde_json::Map<String, Value> = values
                .map(|attribute| {
                    let value = attribute.expr().evaluate(&context).expect("a value");
                    (attribute.key().to_owned(), json!(value))
                })
                .collect();
            json!({ "mode": "managed", "type": block.labels[0].as_str(), "name": block.labels[1].as_str(), "values": values })
        })
        .collect();
    let addresses: BTreeSet<String> =
        resources.iter().map(|resource| format!("{}.{}", resource["type"], resource["name"])).collect();
    assert_eq!(addresses.len(), resources.len(), "every resource has a name of its own");
    json!({ "format_version": "1.0", "terraform_version": "1.9.0", "values": { "root_module": { "resources": resources } } })
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
            Change::AddMember { role: role.clone(), member: Principal::group(name) },
            Change::AddMember { role: role.clone(), member: Principal::user(name) },
        ]);
        for (principal, permission) in
            [(Principal::group(name), Permission::Deny), (Principal::role(&role), Permission::Allow)]
        {
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
    let registry = Acl::allow(Principal::group("x"), Operation::All, ResourceType::Registry, "");
    let cluster = Acl::allow(Principal::user("x"), Operation::All, ResourceType::Cluster, "kafka-cluster");
    changes.extend([Change::AddAcl(registry), Change::AddAcl(cluster)]);
    policy_of(changes)
}

/// A user, the groups, and a resource and host to ask about.
type Question = (String, Vec<String>, ResourceType, String, Option<IpAddr>);

/// Whether two policies decide alike: every operation of the type of each resource, with these groups and user.
fn assert_alike(policy: &Policy, other: &Policy, questions: &[Question]) {
    for (user, groups, resource_type, name, host) in questions {
        let identity = gbac_engine::identity::Identity::new(user, groups);
        for operation in resource_type.operations() {
            let request = Request::new(*operation, *resource_type, name, At::IgnoringExpiry).with_host(*host);
            let [ours, theirs] = [policy, other].map(|policy| decide(policy, &identity, &request).outcome);
            assert_eq!(ours, theirs, "{user} {groups:?} {operation:?} {resource_type:?} {name} {host:?}");
        }
    }
}

#[test]
fn unusual_names_come_back_from_terraform() {
    let policy = unusual_names();
    let written = manifest(&policy, Some(&policy), ManifestTarget::Terraform);
    assert!(is_complete(&written), "{:?}", written.notes);
    assert_eq!(content(&imported(&state_of(&written.text).to_string(), Kind::Terraform)), content(&policy));
}

#[test]
fn unusual_names_come_back_from_the_operator() {
    let policy = unusual_names();
    let written = manifest(&policy, None, OPERATOR);
    assert!(is_complete(&written), "{:?}", written.notes);
    let back = imported(&written.text, Kind::Operator);
    let names: BTreeSet<String> = policy.acls().map(|acl| acl.principal.name().to_owned()).collect();
    let host = "10.0.0.7".parse().ok();
    let questions: Vec<_> = names
        .iter()
        .flat_map(|name| {
            let of = |kind, resource: &str| (name.clone(), vec![name.clone()], kind, resource.to_owned(), host);
            [
                of(ResourceType::Subject, name),
                of(ResourceType::Registry, ""),
                of(ResourceType::Cluster, "kafka-cluster"),
            ]
        })
        .collect();
    assert_alike(&policy, &back, &questions);
}

#[test]
fn import_blocks_name_what_the_cluster_has() {
    let policy = unusual_names();
    let text = manifest(&policy, Some(&policy), ManifestTarget::Terraform).text;
    let body = hcl::parse(&text).expect("HCL");
    let context = context(&body);
    let ids: Vec<String> = body
        .blocks()
        .filter(|block| block.identifier() == "import")
        .map(|block| {
            let id = block.body.attributes().find(|attribute| attribute.key() == "id").expect("an ID");
            id.expr().evaluate(&context).expect("a value").as_str().expect("a text").to_owned()
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
    assert!(!ids.iter().any(|id| id.contains("eng, fin,") || id.starts_with("a: b # c:")), "{ids:#?}");
    assert!(!manifest(&policy, None, ManifestTarget::Terraform).text.contains("import {"));
}

#[test]
fn what_a_manifest_leaves_behind_is_noted() {
    let current = unusual_names();
    let kept = Acl::allow(Principal::group("x"), Operation::Read, ResourceType::Topic, "orders");
    let policy = policy_of([Change::AddAcl(kept)]);
    let notes = |target| -> Vec<String> {
        manifest(&policy, Some(&current), target).notes.into_iter().map(|note| note.message).collect()
    };
    let (terraform, operator) = (notes(ManifestTarget::Terraform), notes(OPERATOR));
    let registry = "not removed: Allow All on Schema Registry `` literal for `Group:x` from *";
    assert!(terraform.iter().any(|note| note.starts_with(registry)), "{terraform:#?}");
    // A resource of the operator replaces all ACLs of its principal.
    assert!(!operator.iter().any(|note| note.starts_with(registry)), "{operator:#?}");
    for notes in [terraform, operator] {
        assert!(notes.iter().any(|note| note.starts_with("not removed: role `日本`: ")), "{notes:#?}");
    }
}

#[test]
fn a_resource_of_the_operator_that_would_delete_an_acl_is_left_out() {
    let written = Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "orders");
    let prefix = Acl::deny(Principal::group("eng"), Operation::Alter, ResourceType::Cluster, "kafka-").prefixed();
    let manifest = manifest(&policy_of([Change::AddAcl(written), Change::AddAcl(prefix)]), None, OPERATOR);
    assert!(!manifest.text.contains("kind:"), "{}", manifest.text);
    assert_eq!(manifest.notes[0].code, "cluster_name");
    let note = manifest.notes.iter().find(|note| note.code == "not_written").expect("a note");
    assert!(note.message.starts_with("not written: the ACLs of `Group:eng`: "), "{note}");
}

const STRIMZI: ManifestTarget<'_> = ManifestTarget::Strimzi { cluster: "streams" };

/// The ACLs of a policy, without the roles, that a target without roles can express, each judged alone.
fn expressible_acls(policy: &Policy, target: ManifestTarget<'_>) -> Policy {
    let of_acl = |acl: &Acl| policy_of([Change::AddAcl(acl.clone())]);
    policy_of(policy.acls().filter(|acl| manifest(&of_acl(acl), None, target).notes.is_empty()).map(Change::AddAcl))
}

/// The ACLs that the calls of `kafka-acls` make. A POSIX shell reads the script, so that every name is unquoted as it will be.
fn acls_of_calls(text: &str) -> BTreeSet<Acl> {
    const STAND_IN: &str = "kafka-acls() { shift 2; printf '%s\\0' \"$@\"; printf '\\001end\\0'; }\n";
    let (head, calls) = text.split_once('\n').expect("a first line");
    let out = program("bash")
        .args(["-c", &format!("{head}\n{STAND_IN}{calls}")])
        .env("BOOTSTRAP_SERVERS", "broker:9092")
        .output()
        .expect("a shell");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let words = String::from_utf8(out.stdout).expect("UTF-8");
    let mut acls = BTreeSet::new();
    for call in words.split_terminator("\u{1}end\0") {
        let (mut acl, mut operations) =
            (Acl::allow(Principal::user(""), Operation::All, ResourceType::Topic, ""), Vec::new());
        let mut words = call.split_terminator('\0');
        assert_eq!(words.next(), Some("--add"));
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, value),
                None if word == "--cluster" => (word, "kafka-cluster"),
                None => (word, words.next().unwrap_or_else(|| panic!("{word} without a value"))),
            };
            let (name, resource) = (flag.trim_start_matches("--"), value.to_owned());
            match name {
                "allow-principal" | "deny-principal" => {
                    acl.principal = Principal::parse(value).expect("a principal");
                    acl.permission = if name.starts_with("deny") { Permission::Deny } else { Permission::Allow };
                }
                "allow-host" | "deny-host" => acl.host = Host::parse(value).expect("a host"),
                "operation" => operations.push(value.parse().expect("an operation")),
                "resource-pattern-type" => acl.pattern_type = value.parse().expect("a pattern type"),
                "topic" | "group" | "transactional-id" | "cluster" => {
                    (acl.resource_type, acl.resource_name) = (name.parse().expect("a type"), resource);
                }
                other => panic!("{other}"),
            }
        }
        acls.extend(operations.into_iter().map(|operation| Acl { operation, ..acl.clone() }));
    }
    acls
}

#[test]
fn a_user_of_strimzi_that_would_delete_an_acl_is_left_out() {
    let read = Acl::allow(Principal::user("CN=maya"), Operation::Read, ResourceType::Topic, "orders");
    let subject = Acl::allow(Principal::user("CN=maya"), Operation::Read, ResourceType::Subject, "orders");
    let written = manifest(&policy_of([read.clone(), subject].map(Change::AddAcl)), None, STRIMZI);
    assert!(written.text.contains("name: maya") && written.text.contains("type: tls-external"), "{}", written.text);
    assert!(written.text.contains("strimzi.io/cluster: streams"), "{}", written.text);
    assert!(written.notes[0].message.contains("Kafka has no ACLs for the Schema Registry"), "{:?}", written.notes);
    assert_eq!(imported(&written.text, Kind::Strimzi).acls().collect::<Vec<_>>(), std::slice::from_ref(&read));
    let prefix = Acl::deny(Principal::user("CN=maya"), Operation::Alter, ResourceType::Cluster, "kafka-").prefixed();
    let written = manifest(&policy_of([read, prefix].map(Change::AddAcl)), None, STRIMZI);
    assert!(!written.text.contains("kind:") && !is_complete(&written), "{}", written.text);
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
    let described: Vec<String> = imported(text, Kind::Strimzi)
        .acls()
        .map(|acl| {
            format!("{:?} {:?} {} {} {}", acl.permission, acl.operation, acl.resource_name, acl.principal, acl.host)
        })
        .collect();
    assert_eq!(described.len(), 3);
    for expected in [
        "Deny IdempotentWrite kafka-cluster User:CN=maya 10.0.0.7",
        "Allow Read orders- User:CN=maya *",
        "Allow Describe orders- User:CN=maya *",
    ] {
        assert!(described.iter().any(|acl| acl == expected), "{expected}: {described:#?}");
    }
    let custom = text.replace("type: simple", "type: custom").replace("v1beta2", "v9");
    let read = Import::default().read(&custom, None);
    assert_eq!((read.unread[0].place.as_str(), read.unread[0].code), ("document 1: /apiVersion", "version_unknown"));
}

proptest! {
    // Each case writes and reads a text, and asks up to 160 questions.
    #![proptest_config(world::config(world::cases() / 5))]

    #[test]
    fn csv_has_every_acl(facts in world::facts()) {
        let all = world::policy(&facts);
        let notes = manifest(&all, None, ManifestTarget::Csv).notes;
        prop_assert_eq!(notes.iter().filter(|note| note.code == "not_written").count(), all.role_count());
        // No reader accepts an ACL that cannot be created.
        let policy = policy_of(all.acls().filter(|acl| acl.check_create().is_empty()).map(Change::AddAcl));
        let written = manifest(&policy, None, ManifestTarget::Csv);
        let back = if policy.acl_count() == 0 { policy_of([]) } else { imported(&written.text, Kind::Csv) };
        prop_assert_eq!(content(&back).0, content(&policy).0);
    }

    #[test]
    fn strimzi_decides_as_the_policy_or_names_what_it_cannot(
        facts in world::facts(),
        asked in proptest::collection::vec(world::asked(), 20),
    ) {
        let policy = expressible_acls(&world::policy(&facts), STRIMZI);
        let written = manifest(&policy, None, STRIMZI);
        prop_assert!(is_complete(&written), "{:?}", written.notes);
        let back = match written.text.contains("kind: ") {
            true => imported(&written.text, Kind::Strimzi),
            false => policy_of([]),
        };
        prop_assert_eq!(content(&back).0, content(&policy).0);
        let questions: Vec<_> =
            asked.into_iter().map(|asked| (asked.user, asked.groups, asked.resource_type, asked.name, asked.host)).collect();
        assert_alike(&policy, &back, &questions);
    }
}

proptest! {
    // Each case starts a shell.
    #![proptest_config(world::config(world::cases() / 20))]

    #[test]
    fn kafka_acls_makes_every_acl_or_names_what_it_cannot(facts in world::facts()) {
        let policy = world::policy(&facts);
        let written = script::script(&script::changes(&policy), script::ScriptTarget::Kafka);
        let made = acls_of_calls(&written.text);
        let wanted = content(&policy).0;
        prop_assert!(made.is_subset(&wanted), "{:?}", made.difference(&wanted));
        // What is missing is named, once for each ACL.
        let named = |acl: &Acl| {
            let of = |change| script::steps(&[change], script::ScriptTarget::Kafka).remove(0);
            of(Change::AddAcl(acl.clone())).notes.iter().any(|note| note.code == "not_written")
        };
        prop_assert!(wanted.difference(&made).all(named), "{:?}", written.notes);
        prop_assert!(!made.iter().any(named));
    }
}

proptest! {
    // Each case writes and reads a text, and asks up to 160 questions.
    #![proptest_config(world::config(world::cases() / 5))]

    #[test]
    fn terraform_says_the_whole_policy_or_names_what_it_cannot(facts in world::facts()) {
        let policy = expressible(&world::policy(&facts), ManifestTarget::Terraform);
        let written = manifest(&policy, None, ManifestTarget::Terraform);
        prop_assert!(is_complete(&written), "{:?}", written.notes);
        let back = imported(&state_of(&written.text).to_string(), Kind::Terraform);
        prop_assert_eq!(content(&back), content(&policy));
    }

    #[test]
    fn the_operator_decides_as_the_policy_or_names_what_it_cannot(
        facts in world::facts(),
        asked in proptest::collection::vec(world::asked(), 20),
    ) {
        let policy = expressible(&world::policy(&facts), OPERATOR);
        let written = manifest(&policy, None, OPERATOR);
        prop_assert!(is_complete(&written), "{:?}", written.notes);
        let back = match written.text.contains("kind: ") {
            true => imported(&written.text, Kind::Operator),
            false => policy_of([]),
        };
        let questions: Vec<_> =
            asked.into_iter().map(|asked| (asked.user, asked.groups, asked.resource_type, asked.name, asked.host)).collect();
        assert_alike(&policy, &back, &questions);
    }
}
