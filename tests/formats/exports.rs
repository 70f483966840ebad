//! The formats that an export writes, and what the tool makes of the export.

use std::collections::BTreeSet;

use crate::support::program::program;
use gbac_engine::model::{Acl, Host, Operation, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_formats::format::Format;
use gbac_formats::script::{self, ScriptTarget};
use gbac_json::policy_to_text;
use hcl::eval::{Context, Evaluate};
use serde_json::{Value, json};

use super::{Tool, acls_of, exported, lists, policy_of};

pub(super) const TOOLS: [Tool; 6] = [
    Tool {
        name: "policy document",
        format: Format::Document,
        expressible: |policy| {
            policy_of(
                script::changes(policy)
                    .into_iter()
                    .filter(|change| match change {
                        Change::Settings(_) => false,
                        // No reader accepts an ACL that cannot be created.
                        Change::AddAcl(acl) => acl.check_create().is_empty(),
                        _ => true,
                    }),
            )
        },
        write: policy_to_text,
    },
    Tool {
        name: "CSV",
        format: Format::Csv,
        expressible: |policy| acls_of(policy, |_| true),
        write: |policy| written(policy, "csv"),
    },
    Tool {
        name: "users of Strimzi",
        format: Format::Strimzi,
        expressible: |policy| {
            acls_of(policy, |acl| {
                exported(&policy_of([Change::AddAcl(acl.clone())]), None, "strimzi")
                    .notes
                    .is_empty()
            })
        },
        write: |policy| written(policy, "strimzi"),
    },
    Tool {
        name: "Terraform",
        format: Format::Terraform,
        expressible: |policy| expressible(policy, "terraform"),
        write: |policy| state_of(&written(policy, "terraform")).to_string(),
    },
    Tool {
        name: "resources of the operator",
        format: Format::Operator,
        expressible: |policy| expressible(policy, "operator"),
        write: |policy| written(policy, "operator"),
    },
    Tool {
        name: "script of kafka-acls",
        format: Format::KafkaAcls,
        expressible: |policy| {
            acls_of(policy, |acl| {
                script::steps(&[Change::AddAcl(acl.clone())], ScriptTarget::Kafka)
                    .remove(0)
                    .notes
                    .is_empty()
            })
        },
        write: |policy| {
            let written = script::script(&script::changes(policy), ScriptTarget::Kafka);
            let acls = acls_of_calls(&written.text);
            lists::kafka_acls(&policy_of(acls.into_iter().map(Change::AddAcl)))
        },
    },
];

/// A manifest that leaves nothing out.
fn written(policy: &Policy, word: &str) -> String {
    let manifest = exported(policy, None, word);
    let missing: Vec<_> = manifest
        .notes
        .iter()
        .filter(|note| note.code == "not_written")
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    manifest.text
}

/// The policy without the ACLs that the target cannot express or refuses, each judged alone.
fn expressible(policy: &Policy, word: &str) -> Policy {
    let is_expressible = |change: &Change| match change {
        Change::Settings(_) => false,
        Change::AddAcl(acl) => {
            let roles = policy
                .role(acl.principal.name())
                .map(|role| Change::CreateRole(role.name));
            let alone = policy_of(roles.into_iter().chain([change.clone()]));
            let written = exported(&alone, None, word);
            written
                .notes
                .iter()
                .all(|note| matches!(note.code, "renamed" | "as_role"))
        }
        _ => true,
    };
    policy_of(script::changes(policy).into_iter().filter(is_expressible))
}

/// The context of a manifest's expressions: the variables, and the names of its roles.
pub(crate) fn context(body: &hcl::Body) -> Context<'static> {
    let mut context = Context::new();
    let roles: hcl::Map<String, hcl::Value> = resources(body)
        .filter(|block| block.labels[0].as_str() == "redpanda_role")
        .map(|block| {
            let name = block
                .body
                .attributes()
                .find(|attribute| attribute.key() == "name")
                .expect("a name");
            let name = name.expr().evaluate(&Context::new()).expect("a text");
            (
                block.labels[1].as_str().to_owned(),
                hcl::value!({ "name" = (name) }),
            )
        })
        .collect();
    context.declare_var("redpanda_role", hcl::Value::Object(roles));
    context.declare_var(
        "var",
        hcl::value!({ "cluster_id" = "c1", "cluster_api_url" = "https://api" }),
    );
    context
}

pub(crate) fn resources(body: &hcl::Body) -> impl Iterator<Item = &hcl::Block> {
    body.blocks()
        .filter(|block| block.identifier() == "resource")
}

/// The state of a manifest that was applied, as `terraform show -json` prints it.
pub(crate) fn state_of(text: &str) -> Value {
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
    let addresses: BTreeSet<String> = resources
        .iter()
        .map(|resource| format!("{}.{}", resource["type"], resource["name"]))
        .collect();
    assert_eq!(
        addresses.len(),
        resources.len(),
        "every resource has a name of its own"
    );
    json!({ "format_version": "1.0", "terraform_version": "1.9.0", "values": { "root_module": { "resources": resources } } })
}

/// The ACLs that the calls of `kafka-acls` make. A POSIX shell reads the script, so that every name
/// is unquoted as it will be.
pub(super) fn acls_of_calls(text: &str) -> BTreeSet<Acl> {
    const STAND_IN: &str =
        "kafka-acls() { shift 2; printf '%s\\0' \"$@\"; printf '\\001end\\0'; }\n";
    let (head, calls) = text.split_once('\n').expect("a first line");
    let out = program("bash")
        .args(["-c", &format!("{head}\n{STAND_IN}{calls}")])
        .env("BOOTSTRAP_SERVERS", "broker:9092")
        .output()
        .expect("a shell");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let words = String::from_utf8(out.stdout).expect("UTF-8");
    let mut acls = BTreeSet::new();
    for call in words.split_terminator("\u{1}end\0") {
        let (mut acl, mut operations) = (
            Acl::allow(Principal::user(""), Operation::All, ResourceType::Topic, ""),
            Vec::new(),
        );
        let mut words = call.split_terminator('\0');
        assert_eq!(words.next(), Some("--add"));
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, value),
                None if word == "--cluster" => (word, "kafka-cluster"),
                None => (
                    word,
                    words
                        .next()
                        .unwrap_or_else(|| panic!("{word} without a value")),
                ),
            };
            let (name, resource) = (flag.trim_start_matches("--"), value.to_owned());
            match name {
                "allow-principal" | "deny-principal" => {
                    acl.principal = Principal::parse(value).expect("a principal");
                    acl.permission = if name.starts_with("deny") {
                        Permission::Deny
                    } else {
                        Permission::Allow
                    };
                }
                "allow-host" | "deny-host" => acl.host = Host::parse(value).expect("a host"),
                "operation" => operations.push(value.parse().expect("an operation")),
                "resource-pattern-type" => {
                    acl.pattern_type = value.parse().expect("a pattern type");
                }
                "topic" | "group" | "transactional-id" | "cluster" => {
                    (acl.resource_type, acl.resource_name) =
                        (name.parse().expect("a type"), resource);
                }
                other => panic!("{other}"),
            }
        }
        acls.extend(operations.into_iter().map(|operation| Acl {
            operation,
            ..acl.clone()
        }));
    }
    acls
}
