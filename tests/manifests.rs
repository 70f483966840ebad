//! Manifests for Terraform and the Kubernetes operator: what they say decides as the policy does, and what they cannot say is noted.

use std::collections::BTreeSet;
use std::net::IpAddr;

use gbac_api::import::{Import, Kind};
use gbac_api::manifest::{Manifest, ManifestTarget, manifest};
use gbac_api::script;
use gbac_engine::decide::{At, Request, decide};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy, Settings};
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
