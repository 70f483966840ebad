//! Writes the binary records of the plain WebAssembly module, as a host does.

use gbac_abi::{operation_code, pattern_code, permission_code, resource_type_code};
use gbac_engine::Policy;
use gbac_engine::model::{Acl, Dialect, Host, Principal};
use std::net::IpAddr;

/// Records, in order.
#[derive(Debug, Clone, Default)]
pub struct Records(pub Vec<u8>);

impl Records {
    fn text(&mut self, text: &str) {
        self.0.extend(
            u32::try_from(text.len())
                .expect("a short text")
                .to_le_bytes(),
        );
        self.0.extend(text.as_bytes());
    }

    /// An ACL that is added or removed, with the text of its host.
    pub fn acl(&mut self, adds: bool, acl: &Acl, host: &str) {
        self.0.push(if adds { 1 } else { 2 });
        self.0.push(resource_type_code(acl.resource_type));
        self.0.push(pattern_code(acl.pattern_type));
        self.0.push(operation_code(acl.operation));
        self.0.push(permission_code(acl.permission));
        self.text(&acl.principal.to_string());
        self.text(host);
        self.text(&acl.resource_name);
    }

    /// A member that is added to a role or removed from it.
    pub fn member(&mut self, adds: bool, role: &str, member: &Principal) {
        self.0.push(if adds { 3 } else { 4 });
        self.text(role);
        self.text(&member.to_string());
    }

    /// The settings.
    pub fn settings(&mut self, dialect: Dialect, major: u16, minor: u16) {
        self.0.push(5);
        self.0.push(u8::from(dialect == Dialect::Kafka));
        self.0.extend(major.to_le_bytes());
        self.0.extend(minor.to_le_bytes());
    }

    /// A superuser that is added or removed.
    pub fn superuser(&mut self, adds: bool, name: &str) {
        self.0.push(if adds { 6 } else { 7 });
        self.text(name);
    }

    /// Everything of a policy.
    #[must_use]
    pub fn from_policy(policy: &Policy) -> Self {
        let mut records = Self::default();
        let settings = policy.settings();
        let version = settings.kafka_version.to_string();
        let (major, minor) = version.split_once('.').expect("two numbers");
        records.settings(
            settings.dialect,
            major.parse().expect("a number"),
            minor.parse().expect("a number"),
        );
        for name in &settings.superusers {
            records.superuser(true, name);
        }
        for role in policy.roles() {
            for member in &role.members {
                records.member(true, &role.name, member);
            }
        }
        for acl in policy.acls() {
            records.acl(true, &acl, &host_text(settings.dialect, &acl.host));
        }
        records
    }
}

/// A principal with its groups, as an identity is opened.
#[must_use]
pub fn identity_record(principal: &str, groups: &[String]) -> Vec<u8> {
    let mut record = Records::default();
    record.text(principal);
    record.0.extend(
        u32::try_from(groups.len())
            .expect("few groups")
            .to_le_bytes(),
    );
    for group in groups {
        record.text(group);
    }
    record.0
}

/// A host as Kafka has it: its brokers compare it as a text with what Java calls an address.
#[must_use]
pub fn host_text(dialect: Dialect, host: &Host) -> String {
    match (dialect, host) {
        (Dialect::Kafka, Host::Address(IpAddr::V6(address))) => address
            .segments()
            .map(|group| format!("{group:x}"))
            .join(":"),
        _ => host.to_string(),
    }
}
