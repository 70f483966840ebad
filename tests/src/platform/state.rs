//! What a cluster stores: ACLs, roles, properties and log levels.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde_json::{Value, json};

use super::{BrokerVersion, PlatformOptions};

/// An ACL, in the short words of the platform's command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// Such as `TOPIC`.
    pub resource_type: String,
    /// The name or prefix.
    pub name: String,
    /// `LITERAL` or `PREFIXED`.
    pub pattern: String,
    /// `User:`, `RedpandaRole:` or `Group:` and a name.
    pub principal: String,
    /// `*` or an address.
    pub host: String,
    /// Such as `READ`.
    pub operation: String,
    /// `ALLOW` or `DENY`.
    pub permission: String,
}

/// The state of a cluster.
#[derive(Debug)]
pub struct ClusterState {
    /// The ACLs.
    pub acls: BTreeSet<Binding>,
    /// The members of each role, as `User:` or `Group:` and a name.
    pub roles: BTreeMap<String, BTreeSet<String>>,
    /// The values of the properties that have one.
    pub properties: BTreeMap<String, Value>,
    /// The version of the properties.
    pub config_version: u64,
    /// The level of each logger.
    pub levels: BTreeMap<String, String>,
}

impl ClusterState {
    pub(super) fn new(version: BrokerVersion) -> Self {
        let mut properties = BTreeMap::from([
            ("superusers".to_owned(), json!(["admin"])),
            ("oidc_principal_mapping".to_owned(), json!("$.sub")),
            ("audit_enabled".to_owned(), json!(false)),
            ("oidc_clock_skew_tolerance".to_owned(), Value::Null),
        ]);
        if version >= BrokerVersion::V26_1 {
            properties.insert("oidc_group_claim_path".into(), json!("$.groups"));
            properties.insert("nested_group_behavior".into(), json!("none"));
        }
        let levels = ["main", "security", "kafka"].map(|name| (name.to_owned(), "info".to_owned()));
        Self {
            acls: BTreeSet::new(),
            roles: BTreeMap::new(),
            properties,
            config_version: 1,
            levels: levels.into_iter().collect(),
        }
    }

    /// Deletes a role; its ACLs only if the role exists.
    pub(super) fn delete_role(&mut self, name: &str, delete_acls: bool) -> bool {
        let existed = self.roles.remove(name).is_some();
        if existed && delete_acls {
            let principal = format!("RedpandaRole:{name}");
            self.acls.retain(|acl| acl.principal != principal);
        }
        existed
    }
}

/// The broker's own rules for a new ACL; its text.
pub(super) fn check(options: &PlatformOptions, acl: &Binding) -> Result<(), String> {
    let Binding {
        name,
        principal,
        host,
        ..
    } = acl;
    let (kind, who) = principal.split_once(':').unwrap_or_default();
    let is_known = match kind {
        "User" | "RedpandaRole" => true,
        "Group" => options.version >= BrokerVersion::V26_1,
        _ => false,
    };
    if !is_known {
        return Err(format!("Invalid principal name: {{{principal}}}"));
    }
    if who.is_empty() {
        return Err("Principal name cannot be empty".into());
    }
    if kind != "User" && who == "*" {
        return Err(format!(
            "Illegal wildcard principal: only user principals support wildcards: {{{principal}}}"
        ));
    }
    if host != "*" && host.parse::<IpAddr>().is_err() {
        return Err(format!("Invalid host {host}"));
    }
    let is_legal = |name: &str| {
        name.len() <= 249
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    match acl.resource_type.as_str() {
        "DELEGATION_TOKEN" | "USER" => return Err("Invalid resource type: 7".into()),
        "CLUSTER" if name != "kafka-cluster" => {
            return Err(format!("Invalid cluster name: {name}"));
        }
        "TOPIC" if name != "*" && !is_legal(name) => {
            return Err(format!(
                "ACL topic {name} does not conform to kafka topic schema: invalid characters"
            ));
        }
        "REGISTRY" => {}
        _ if name.is_empty() => return Err("Empty resource name".into()),
        _ => {}
    }
    if acl.operation.ends_with("_TOKENS") {
        return Err("Invalid operation: 13".into());
    }
    if kind != "User" && !options.license {
        return Err("A Redpanda Enterprise Edition license is required to create an ACL with a role binding.".into());
    }
    Ok(())
}

/// Whether the broker takes a name for a role.
pub(super) fn is_role_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| (0x20..0x7f).contains(&byte) && byte != b',' && byte != b'=')
}
