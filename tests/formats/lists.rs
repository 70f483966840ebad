//! What tools without an export print, written from their formats and not from what our import
//! accepts.

use std::collections::BTreeMap;
use std::fmt::Write;

use gbac_engine::model::{Acl, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;
use gbac_formats::format::Format;
use serde_json::{Value, json};

use super::{Tool, acls_of};

pub(super) const TOOLS: [Tool; 8] = [
    Tool {
        name: "list of kafka-acls",
        format: Format::KafkaAcls,
        expressible: |policy| acls_of(policy, is_kafka),
        write: kafka_acls,
    },
    Tool {
        name: "table of rpk",
        format: Format::Table,
        expressible: |policy| acls_of(policy, |_| true),
        write: rpk_table,
    },
    Tool {
        name: "JSON of rpk",
        format: Format::AclList,
        expressible: |policy| acls_of(policy, |_| true),
        write: rpk_json,
    },
    Tool {
        name: "response of the Data Plane",
        format: Format::AclList,
        expressible: |policy| acls_of(policy, |_| true),
        write: data_plane,
    },
    Tool {
        name: "table of confluent",
        format: Format::Table,
        expressible: |policy| acls_of(policy, is_kafka),
        write: confluent_table,
    },
    Tool {
        name: "JSON of confluent",
        format: Format::AclList,
        expressible: |policy| acls_of(policy, is_kafka),
        write: confluent_json,
    },
    Tool {
        name: "response of Confluent's REST API",
        format: Format::AclList,
        expressible: |policy| acls_of(policy, is_kafka),
        write: confluent_rest,
    },
    Tool {
        name: "ACLs of the Schema Registry",
        format: Format::AclList,
        expressible: |policy| acls_of(policy, |acl| !is_kafka(acl)),
        write: schema_registry,
    },
];

/// Whether Kafka itself has ACLs for the type of the resource.
fn is_kafka(acl: &Acl) -> bool {
    !matches!(
        acl.resource_type,
        ResourceType::Subject | ResourceType::Registry
    )
}

/// A word of the Data Plane without the name of its enumeration: as Kafka spells it.
fn kafka(data_plane: &str) -> String {
    let prefixes = [
        "RESOURCE_TYPE_",
        "RESOURCE_PATTERN_TYPE_",
        "OPERATION_",
        "PERMISSION_TYPE_",
    ];
    prefixes
        .iter()
        .find_map(|prefix| data_plane.strip_prefix(prefix))
        .expect("a word of the Data Plane")
        .to_owned()
}

/// The words of an ACL as Kafka spells them: resource type, name, pattern type, principal, host,
/// operation, permission.
fn words(acl: &Acl) -> [String; 7] {
    let name = match acl.principal.kind() {
        PrincipalType::Role => format!("RedpandaRole:{}", acl.principal.name()),
        _ => acl.principal.to_string(),
    };
    [
        kafka(acl.resource_type.spelling().data_plane),
        acl.resource_name.clone(),
        kafka(acl.pattern_type.spelling().data_plane),
        name,
        acl.host.to_string(),
        kafka(acl.operation.spelling().data_plane),
        kafka(acl.permission.spelling().data_plane),
    ]
}

/// Objects with these members for the seven words.
fn objects(policy: &Policy, members: [&str; 7]) -> Vec<Value> {
    let object = |acl: Acl| {
        members
            .into_iter()
            .zip(words(&acl))
            .map(|(member, word)| (member.to_owned(), json!(word)))
            .collect()
    };
    policy
        .acls()
        .map(|acl| Value::Object(object(acl)))
        .collect()
}

/// The ACLs of each resource.
fn by_resource(policy: &Policy) -> BTreeMap<[String; 3], Vec<[String; 4]>> {
    let mut resources: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for acl in policy.acls() {
        let [
            resource_type,
            name,
            pattern,
            principal,
            host,
            operation,
            permission,
        ] = words(&acl);
        resources
            .entry([resource_type, name, pattern])
            .or_default()
            .push([principal, host, operation, permission]);
    }
    resources
}

/// `kafka-acls --list`.
pub(super) fn kafka_acls(policy: &Policy) -> String {
    let mut text = String::new();
    for ([resource_type, name, pattern], acls) in by_resource(policy) {
        writeln!(
            text,
            "Current ACLs for resource `ResourcePattern(resourceType={resource_type}, name={name}, patternType={pattern})`: "
        )
        .expect("memory");
        for [principal, host, operation, permission] in acls {
            writeln!(
                text,
                " \t(principal={principal}, host={host}, operation={operation}, permissionType={permission})"
            )
            .expect("memory");
        }
        text.push('\n');
    }
    text
}

/// `rpk security acl list`: columns with two blanks between them.
fn rpk_table(policy: &Policy) -> String {
    let headings = [
        "PRINCIPAL",
        "HOST",
        "RESOURCE-TYPE",
        "RESOURCE-NAME",
        "RESOURCE-PATTERN-TYPE",
        "OPERATION",
        "PERMISSION",
        "ERROR",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(policy.acls().map(|acl| {
        let [
            resource_type,
            name,
            pattern,
            principal,
            host,
            operation,
            permission,
        ] = words(&acl);
        vec![
            principal,
            host,
            resource_type,
            name,
            pattern,
            operation,
            permission,
            String::new(),
        ]
    }));
    let widths: Vec<usize> = (0..headings.len())
        .map(|at| {
            rows.iter()
                .map(|row| row[at].chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        writeln!(text, "{}", cells.join("  ").trim_end()).expect("memory");
    }
    text
}

/// `rpk security acl list --format json`.
fn rpk_json(policy: &Policy) -> String {
    let members = [
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission",
    ];
    json!({ "matches": objects(policy, members) }).to_string()
}

/// `GET /v1/acls` of the Data Plane.
fn data_plane(policy: &Policy) -> String {
    let mut resources: BTreeMap<[String; 3], Vec<Value>> = BTreeMap::new();
    for acl in policy.acls() {
        let principal = words(&acl)[3].clone();
        let resource = [
            acl.resource_type.spelling().data_plane.into(),
            acl.resource_name.clone(),
            acl.pattern_type.spelling().data_plane.into(),
        ];
        resources.entry(resource).or_default().push(json!({ "principal": principal, "host": acl.host.to_string(),
            "operation": acl.operation.spelling().data_plane, "permission_type": acl.permission.spelling().data_plane }));
    }
    let resources: Vec<Value> = resources
        .into_iter()
        .map(|([resource_type, name, pattern], acls)| {
            json!({ "resource_type": resource_type, "resource_name": name, "resource_pattern_type": pattern, "acls": acls })
        })
        .collect();
    json!({ "resources": resources }).to_string()
}

/// `confluent kafka acl list`: centred headings and `|` between the columns.
fn confluent_table(policy: &Policy) -> String {
    let headings = [
        "Principal",
        "Permission",
        "Operation",
        "Host",
        "Resource Type",
        "Resource Name",
        "Pattern Type",
    ];
    let rows: Vec<[String; 7]> = policy
        .acls()
        .map(|acl| {
            let [
                resource_type,
                name,
                pattern,
                principal,
                host,
                operation,
                permission,
            ] = words(&acl);
            [
                principal,
                permission,
                operation,
                host,
                resource_type,
                name,
                pattern,
            ]
        })
        .collect();
    let widths: Vec<usize> = (0..headings.len())
        .map(|at| {
            rows.iter()
                .map(|row| row[at].chars().count())
                .max()
                .unwrap_or_default()
                .max(headings[at].len())
        })
        .collect();
    let line = |cells: Vec<String>| format!("  {}\n", cells.join(" | "));
    let mut text = line(
        headings
            .iter()
            .zip(&widths)
            .map(|(heading, width)| format!("{heading:^width$}"))
            .collect(),
    );
    let rule: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(at, width)| "-".repeat(width + if at == 0 { 3 } else { 2 }))
        .collect();
    text += &format!("{}\n", rule.join("+"));
    for row in rows {
        text += &line(
            row.iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect(),
        );
    }
    text
}

/// `confluent kafka acl list -o json`.
fn confluent_json(policy: &Policy) -> String {
    let members = [
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission",
    ];
    Value::Array(objects(policy, members)).to_string()
}

/// `GET /kafka/v3/clusters/{cluster_id}/acls` of Confluent.
fn confluent_rest(policy: &Policy) -> String {
    let members = [
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission",
    ];
    let mut rows = objects(policy, members);
    for row in &mut rows {
        (row["kind"], row["cluster_id"]) = (json!("KafkaAcl"), json!("cluster-1"));
        row["metadata"] =
            json!({ "self": "https://streams.example/kafka/v3/clusters/cluster-1/acls" });
    }
    let metadata =
        json!({ "self": "https://streams.example/kafka/v3/clusters/cluster-1/acls", "next": null });
    json!({ "kind": "KafkaAclList", "metadata": metadata, "data": rows }).to_string()
}

/// `GET /security/acls` of the Schema Registry: the registry itself has the name `*`.
fn schema_registry(policy: &Policy) -> String {
    let members = [
        "resource_type",
        "resource",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission",
    ];
    let mut rows = objects(policy, members);
    for row in &mut rows {
        if row["resource_type"] == "REGISTRY" {
            row["resource"] = json!("*");
        }
    }
    Value::Array(rows).to_string()
}
