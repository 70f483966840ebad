//! Small policies of Apache Kafka: as the others, with ranges of hosts, principals of another type
//! and Kafka's own values.

use std::net::IpAddr;

use gbac_engine::model::{
    Acl, Dialect, Host, KafkaVersion, PatternType, Permission, Principal, PrincipalType,
    ResourceType,
};
use gbac_engine::policy::{Policy, Settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::oracle::{Facts, OracleQuestion};
use crate::world::{NAMES, acl_of, asked, facts, policy_with, principal};

const SERVICES: &[&str] = &["Service:u", "Service:*", "Service:x"];
const ADDRESSES: &[&str] = &[
    "10.0.0.1",
    "10.0.0.2",
    "10.0.0.3",
    "10.0.1.1",
    "11.0.0.1",
    "::1",
    "2001:db8::1",
];
const RANGES: &[&str] = &[
    "10.0.0.0/8",
    "10.0.0.9/8",
    "10.0.0.0/24",
    "10.0.0.1/31",
    "10.0.0.1/32",
    "0.0.0.0/0",
    "::/0",
    "::/127",
    "2001:db8::/32",
];

/// Names of hosts, of which some look like addresses.
const HOST_NAMES: &[&str] = &["localhost", "broker1.example.com", "10.0.0", "010.0.0.1"];

/// A version before ranges of hosts, or one with them.
pub fn version() -> impl Strategy<Value = KafkaVersion> {
    select(vec![
        KafkaVersion::new(4, 4),
        KafkaVersion::new(4, 4),
        KafkaVersion::new(4, 3),
        KafkaVersion::new(5, 0),
    ])
}

fn host() -> impl Strategy<Value = Host> {
    let read = |text: &str| Host::parse_in(Dialect::Kafka, text).expect("a host");
    prop_oneof![6 => Just(Host::Any), 4 => select(RANGES).prop_map(read), 2 => select(ADDRESSES).prop_map(read), 1 => select(HOST_NAMES).prop_map(read)]
}

fn resource_type() -> impl Strategy<Value = ResourceType> {
    prop_oneof![6 => Just(ResourceType::Topic), 4 => select(Dialect::Kafka.resource_types())]
}

/// A principal of another type, or a user whose name looks like one.
fn other() -> impl Strategy<Value = Principal> {
    select(SERVICES).prop_flat_map(
        |text| prop_oneof![4 => Just(Principal::new(PrincipalType::Other, text)), 1 => Just(Principal::user(text))],
    )
}

/// Any ACL that a policy of Kafka may hold.
pub fn acl() -> impl Strategy<Value = Acl> {
    (
        resource_type(),
        select(NAMES),
        select(PatternType::ALL),
        prop_oneof![4 => principal(), 1 => other()],
        host(),
        select(Dialect::Kafka.operations()),
        prop_oneof![1 => Just(Permission::Deny), 2 => Just(Permission::Allow)],
    )
        .prop_map(acl_of)
}

/// Facts with up to three roles and twice a dozen ACLs.
pub fn kafka_facts() -> impl Strategy<Value = Facts> {
    (facts(), vec(acl(), 0..12)).prop_map(|(facts, acls)| Facts {
        acls: [facts.acls, acls].concat(),
        ..facts
    })
}

/// Any question.
pub fn kafka_asked() -> impl Strategy<Value = OracleQuestion> {
    let address = |text: &str| text.parse::<IpAddr>().expect("an address");
    (
        asked(),
        prop_oneof![4 => Just(None), 1 => select(SERVICES).prop_map(Some)],
        select(Dialect::Kafka.operations()),
        resource_type(),
        prop_oneof![1 => Just(None), 4 => select(ADDRESSES).prop_map(move |text| Some(address(text)))],
    )
        .prop_map(|(asked, service, operation, resource_type, host)| OracleQuestion {
            user: service.map_or(asked.user, str::to_owned),
            operation,
            resource_type,
            host,
            ..asked
        })
}

/// The engine's policy of these facts in a version of Kafka.
#[must_use]
pub fn kafka_policy(version: KafkaVersion, facts: &Facts) -> Policy {
    policy_with(
        Settings {
            dialect: Dialect::Kafka,
            kafka_version: version,
            ..Settings::default()
        },
        facts,
    )
}

/// The facts without the ACLs that a policy of the platform cannot hold.
#[must_use]
pub fn platform(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    facts.acls.retain(|acl| {
        let principal = (acl.principal.kind(), acl.principal.name());
        Dialect::Platform
            .check(acl.resource_type, acl.operation, principal, &acl.host)
            .is_ok()
    });
    facts
}
