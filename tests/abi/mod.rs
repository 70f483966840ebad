//! Tests of the plain WebAssembly module, called natively: the vectors, random policies and 100,000
//! malformed calls. The module itself is tested in `tests/abi`, from Node and from Python.

use std::net::IpAddr;

use gbac_abi::{HAS_ACLS, HAS_DENIES, Instance, operation_code, resource_type_code};
use gbac_analysis::check::Query;
use gbac_engine::decide::{At, Decision, Outcome, PreparedIdentity, Reason, Request, decide};
use gbac_engine::model::{
    Acl, Dialect, Host, KafkaVersion, Operation, PatternType, Permission, Principal, ResourceType,
};
use gbac_engine::{Coded, Identity, Policy, resolve};
use gbac_tests::abi_records::{Records, host_text, identity_record};
use gbac_tests::kafka::{kafka_asked, kafka_facts, kafka_policy, version};
use gbac_tests::oracle::{Facts, OracleQuestion};
use gbac_tests::vectors::all;
use gbac_tests::world::{cases, config, identity, request};
use proptest::prelude::*;

/// A request as the module takes it.
struct Call {
    resource_type: i32,
    host_length: i32,
    bytes: Vec<u8>,
}

fn call(request: &Request<'_>) -> Call {
    let host = request.host.map(|host| host.to_string());
    let mut bytes = host.clone().unwrap_or_default().into_bytes();
    bytes.extend(request.resource_name.as_bytes());
    Call {
        resource_type: resource_type_code(request.resource_type).into(),
        host_length: host.map_or(-1, |host| i32::try_from(host.len()).unwrap()),
        bytes,
    }
}

fn open(instance: &mut Instance, identity: &Identity) -> i32 {
    instance
        .open(&identity_record(
            &identity.principal().to_string(),
            identity.groups(),
        ))
        .unwrap()
}

/// How the module's answers differ from a decision; none when they agree.
fn difference(
    instance: &mut Instance,
    handle: i32,
    request: &Request<'_>,
    decision: &Decision,
) -> Option<String> {
    let Call {
        resource_type,
        host_length,
        bytes,
    } = call(request);
    let mask = instance
        .mask(handle, resource_type, host_length, &bytes)
        .unwrap();
    let allows = mask & 1 << operation_code(request.operation) != 0;
    let code = operation_code(request.operation).into();
    let words = instance
        .explain(handle, code, resource_type, host_length, &bytes)
        .unwrap();
    let words = String::from_utf8(words[4..].to_vec()).unwrap();
    let names_acl = decision
        .acl
        .as_ref()
        .is_none_or(|acl| words.contains(&acl.to_string()));
    let agrees = allows == (decision.outcome.code() == "allow")
        && words.starts_with(&format!("{}: ", decision.outcome.code()))
        && names_acl;
    (!agrees).then(|| format!("{mask:b}, {words}\nengine: {decision:?}"))
}

#[test]
fn every_vector_holds_through_the_plain_module() {
    let mut compared = 0;
    for file in all() {
        let mut instance = Instance::default();
        instance
            .apply(&Records::from_policy(&file.policy).0)
            .unwrap();
        for test in &file.tests {
            // An expired identity is not opened, and requests of APIs are several of these.
            let Ok(found) = resolve(&file.policy, &test.check.subject, None) else {
                continue;
            };
            let Query::Access {
                operation,
                resource_type,
                resource_name,
            } = &test.check.query
            else {
                continue;
            };
            if found
                .identity
                .is_expired(test.check.at.unwrap_or(At::IgnoringExpiry))
                || found.identity.user().is_empty()
            {
                continue;
            }
            let request = Request::new(
                *operation,
                *resource_type,
                resource_name,
                At::IgnoringExpiry,
            )
            .with_host(test.check.host);
            let handle = open(&mut instance, &found.identity);
            let decision = decide(&file.policy, &found.identity, &request);
            let id = test.id.as_deref().unwrap_or_default();
            assert_eq!(
                difference(&mut instance, handle, &request, &decision),
                None,
                "{id}"
            );
            instance.close(handle).unwrap();
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared} vectors");
}

/// The policy as a broker decides with it: the literal `*` covers no name that begins with `*`
/// (D-111).
fn as_broker(mut policy: Policy) -> Policy {
    policy.skip_asterisks(true);
    policy
}

proptest! {
    #![proptest_config(config(cases() / 5))]

    /// Every operation is allowed as the engine decides it, through additions and removals in
    /// chunks.
    #[test]
    fn the_plain_module_decides_as_the_engine(
        version in version(), facts in kafka_facts(), other in kafka_facts(), asked in kafka_asked(), chunk in 1_usize..5,
    ) {
        let mut instance = Instance::default();
        let empty = kafka_policy(version, &Facts::default());
        instance.apply(&Records::from_policy(&empty).0).unwrap();
        let handle = open(&mut instance, &identity(&asked));
        let mut policies = [&facts, &other].map(|facts| as_broker(kafka_policy(version, facts)));
        // The second policy takes the place of the first one, while the identity stays open.
        let [before, after] = &mut policies;
        for (from, to) in [(&empty, &*before), (&*before, &*after)] {
            for records in changes(from, to).chunks(chunk) {
                let counted = instance.apply(&records.concat()).unwrap();
                prop_assert_eq!(usize::try_from(counted).unwrap(), records.len(), "each is a change");
                prop_assert_eq!(instance.apply(&records.concat()).unwrap(), 0, "and is none when it is repeated");
            }
            let mut has_denies = false;
            for operation in Dialect::Kafka.operations() {
                let asked = OracleQuestion { operation: *operation, ..asked.clone() };
                let request = request(&asked);
                let decision = decide(to, &identity(&asked), &request);
                has_denies |= decision.reason == Reason::DenyRule;
                prop_assert_eq!(difference(&mut instance, handle, &request, &decision), None);
            }
            let Call { resource_type, host_length, bytes } = call(&request(&asked));
            let mask = instance.mask(handle, resource_type, host_length, &bytes).unwrap();
            let name = request(&asked).resource_name;
            let is_skipped = |acl: &Acl| {
                acl.pattern_type == PatternType::Literal && acl.resource_name == "*" && name.starts_with('*') && name != "*"
            };
            let covers = |acl: Acl| acl.resource_type == asked.resource_type && acl.covers_name(name) && !is_skipped(&acl);
            prop_assert_eq!(mask & HAS_ACLS != 0, to.acls().any(covers));
            prop_assert_eq!(mask & HAS_DENIES != 0, has_denies);
        }
    }

    /// What is allowed on any resource of a type, as Kafka's own loop over all ACLs finds it.
    #[test]
    fn the_plain_module_finds_any_resource_as_kafka(
        version in version(), facts in kafka_facts(), asked in kafka_asked(),
    ) {
        let policy = kafka_policy(version, &facts);
        let mut instance = Instance::default();
        instance.apply(&Records::from_policy(&policy).0).unwrap();
        let identity = identity(&asked);
        let handle = open(&mut instance, &identity);
        let (host, length) = host_bytes(asked.host);
        let found = instance.any(handle, resource_type_code(asked.resource_type).into(), length, &host).unwrap();
        for operation in Dialect::Kafka.operations() {
            let is_superuser = policy.settings().is_superuser(&identity);
            let is_exactly = |other: Operation| other == *operation;
            let expected = is_superuser || is_allowed_on_any(&policy, &identity, is_exactly, is_exactly, &asked);
            prop_assert_eq!(found & 1 << operation_code(*operation) != 0, expected, "{:?}", operation);
            // As a decision, with implied operations and with the ACL that decides.
            let is_implied = |other: Operation| is_exactly(other) || operation.implied_by().contains(&other);
            let expected = is_superuser || is_allowed_on_any(&policy, &identity, is_exactly, is_implied, &asked);
            let mut prepared = PreparedIdentity::new(&policy, identity.clone());
            let decision = prepared.decide_on_any(&policy, *operation, asked.resource_type, asked.host, At::IgnoringExpiry);
            prop_assert_eq!(decision.outcome == Outcome::Allow, expected, "{:?}", decision);
            let permission = decision.acl.as_ref().map(|acl| acl.permission);
            match decision.reason {
                Reason::AllowRule => prop_assert_eq!(permission, Some(Permission::Allow)),
                Reason::DenyRule => prop_assert_eq!(permission, Some(Permission::Deny)),
                _ => prop_assert_eq!(permission, None),
            }
        }
    }
}

fn host_bytes(host: Option<IpAddr>) -> (Vec<u8>, i32) {
    host.map_or((Vec::new(), -1), |host| {
        let bytes = host.to_string().into_bytes();
        let length = i32::try_from(bytes.len()).unwrap();
        (bytes, length)
    })
}

/// The default method of Kafka's `Authorizer`, with the principals of groups and roles.
fn is_allowed_on_any(
    policy: &Policy,
    identity: &Identity,
    is_denied_by: impl Fn(Operation) -> bool,
    is_allowed_by: impl Fn(Operation) -> bool,
    asked: &OracleQuestion,
) -> bool {
    let everyone = Principal::user("*");
    let mut principals = vec![identity.principal(), everyone];
    principals.extend(identity.groups().iter().map(Principal::group));
    let members = principals.clone();
    let is_member = |member: &Principal| *member != Principal::user("*") || identity.user() == "*";
    for member in members.iter().filter(|member| is_member(member)) {
        principals.extend(policy.roles_of(member).map(Principal::role));
    }
    let is_here = |acl: &Acl, unknown: bool| match (&acl.host, asked.host) {
        (Host::Any, _) => true,
        (Host::Name(_), _) => false,
        (Host::Range(_), _) if !policy.settings().ranges_match() => false,
        (_, None) => unknown,
        (host, Some(address)) => host.includes(address),
    };
    let (mut denied, mut allowed) = (Vec::new(), Vec::new());
    for acl in policy.acls() {
        let denies = acl.permission == Permission::Deny;
        let is_meant = if denies {
            is_denied_by(acl.operation)
        } else {
            is_allowed_by(acl.operation)
        };
        let is_about = acl.resource_type == asked.resource_type
            && (is_meant || acl.operation == Operation::All)
            && principals.contains(&acl.principal);
        if is_about && is_here(&acl, denies) {
            if denies {
                denied.push(acl);
            } else {
                allowed.push(acl);
            }
        }
    }
    let is_all = |acl: &Acl| acl.pattern_type == PatternType::Literal && acl.resource_name == "*";
    let is_denied = |allow: &Acl| {
        denied.iter().any(|deny| match deny.pattern_type {
            PatternType::Literal => {
                allow.pattern_type == PatternType::Literal
                    && allow.resource_name == deny.resource_name
            }
            PatternType::Prefixed => allow.resource_name.starts_with(&deny.resource_name),
        })
    };
    !denied.iter().any(is_all)
        && allowed
            .iter()
            .any(|allow| is_all(allow) || !is_denied(allow))
}

#[test]
fn a_document_gives_the_members_of_its_roles() {
    let mut instance = kafka();
    let document = r#"{ "version": 1, "settings": { "superusers": ["root"] }, "roles": [
        { "name": "dev", "members": [{ "principal": "Group:eng" }, { "principal": "User:ana" }] }, { "name": "empty" }] }"#;
    let mut members = Records::default();
    members.member(true, "dev", &Principal::user("ana"));
    members.member(true, "dev", &Principal::group("eng"));
    let found = instance.members(document.as_bytes()).unwrap().to_vec();
    let (length, content) = found.split_at(4);
    assert_eq!(
        u32::from_le_bytes(length.try_into().unwrap()) as usize,
        content.len()
    );
    assert_eq!(content, [&[1], &members.0[..]].concat());
    // The records can be applied as they are.
    assert_eq!(instance.apply(&content[1..]), Ok(2));

    for (document, problem) in [
        ("", "JSON"),
        (r#"{ "version": 2 }"#, "version"),
        (
            r#"{ "version": 1, "roles": [{ "name": "a", "members": [{ "principal": "Role:b" }] }] }"#,
            "/roles/0/members/0",
        ),
        (
            r#"{ "version": 1, "roles": [{ "name": "a", "members": [{ "principal": "Group:b" }"#,
            "JSON",
        ),
        (r#"{ "version": 1, "acls": [{}] }"#, "/acls/0"),
    ] {
        let found = instance.members(document.as_bytes()).unwrap()[4..].to_vec();
        assert_eq!(found[0], 0, "{document}");
        assert!(
            String::from_utf8_lossy(&found).contains(problem),
            "{}",
            String::from_utf8_lossy(&found)
        );
    }
    assert_eq!(instance.members(&[0xff]), Err(gbac_abi::AbiError::Text));
}

/// The records that make one policy another one.
fn changes(from: &Policy, to: &Policy) -> Vec<Vec<u8>> {
    let mut changes = Vec::new();
    let mut push = |record: &dyn Fn(&mut Records)| {
        let mut records = Records::default();
        record(&mut records);
        changes.push(records.0);
    };
    for (policy, other, adds) in [(from, to, false), (to, from, true)] {
        for acl in policy.acls().filter(|acl| !other.has_acl(acl)) {
            push(&|records| records.acl(adds, &acl, &host_text(Dialect::Kafka, &acl.host)));
        }
        for role in policy.roles() {
            let there = |member: &Principal| {
                other
                    .role(&role.name)
                    .is_some_and(|role| role.members.contains(member))
            };
            for member in role.members.iter().filter(|member| !there(member)) {
                push(&|records| records.member(adds, &role.name, member));
            }
        }
        for name in policy
            .settings()
            .superusers
            .iter()
            .filter(|name| !other.settings().superusers.contains(name))
        {
            push(&|records| records.superuser(adds, name));
        }
    }
    changes
}

fn allow(principal: &str, host: &str) -> (Acl, String) {
    let principal = Principal::parse_in(Dialect::Kafka, principal).unwrap();
    (
        Acl::allow(principal, Operation::Read, ResourceType::Topic, "orders"),
        host.to_owned(),
    )
}

fn kafka() -> Instance {
    let mut instance = Instance::default();
    let mut records = Records::default();
    records.settings(Dialect::Kafka, 4, 4);
    instance.apply(&records.0).unwrap();
    instance
}

fn mask(instance: &mut Instance, user: &str, host: &str) -> i32 {
    let handle = instance.open(&identity_record(user, &[])).unwrap();
    let mask = instance
        .mask(
            handle,
            2,
            i32::try_from(host.len()).unwrap(),
            format!("{host}orders").as_bytes(),
        )
        .unwrap();
    instance.close(handle).unwrap();
    mask
}

#[test]
fn hosts_are_the_texts_that_kafka_compares() {
    let read = 1 << operation_code(Operation::Read) | 1 << operation_code(Operation::Describe);
    let mut instance = kafka();
    let apply = |instance: &mut Instance, adds: bool, (acl, host): &(Acl, String)| {
        let mut records = Records::default();
        records.acl(adds, acl, host);
        instance.apply(&records.0).unwrap()
    };
    // Two texts of one range are two ACLs: one of them may go.
    let (plain, spelled) = (
        allow("User:ana", "10.0.0.0/8"),
        allow("User:ana", "10.0.0.0/08"),
    );
    for (adds, acl, changes, allows) in [
        (true, &spelled, 1, true),
        (true, &plain, 1, true),
        (true, &spelled, 0, true),
        (false, &plain, 1, true),
        (false, &plain, 0, true),
        (true, &plain, 1, true),
        (false, &spelled, 1, true),
        (false, &spelled, 0, true),
        (false, &plain, 1, false),
        (false, &plain, 0, false),
    ] {
        assert_eq!(apply(&mut instance, adds, acl), changes);
        let expected = if allows { HAS_ACLS | read } else { 0 };
        assert_eq!(
            mask(&mut instance, "User:ana", "10.1.2.3"),
            expected,
            "{adds} {acl:?}"
        );
    }
    // A text that no client has is an ACL of the resource, and matches nobody.
    for host in [
        "::1",
        "broker.example",
        "10.0.0.0/33",
        "::ffff:10.0.0.1",
        "",
    ] {
        let acl = allow("User:ana", host);
        assert_eq!(apply(&mut instance, true, &acl), 1);
        assert_eq!(apply(&mut instance, true, &acl), 0);
        assert_eq!(
            mask(&mut instance, "User:ana", "0:0:0:0:0:0:0:1"),
            HAS_ACLS,
            "{host}"
        );
        assert_eq!(apply(&mut instance, false, &acl), 1);
        assert_eq!(mask(&mut instance, "User:ana", "10.0.0.1"), 0);
    }
    assert_eq!(
        apply(&mut instance, true, &allow("User:ana", "0:0:0:0:0:0:0:1")),
        1
    );
    assert_eq!(
        mask(&mut instance, "User:ana", "0:0:0:0:0:0:0:1"),
        HAS_ACLS | read
    );
    assert_eq!(
        mask(&mut instance, "User:ana", "0:0:0:0:0:0:0:1%lo"),
        HAS_ACLS | read,
        "a zone does not count"
    );
}

#[test]
fn settings_come_before_acls() {
    let mut instance = Instance::default();
    let acl = allow("User:ana", "*");
    let mut records = Records::default();
    records.acl(true, &acl.0, &acl.1);
    assert_eq!(instance.apply(&records.0), Ok(1));
    let settings = |dialect, minor| {
        let mut records = Records::default();
        records.settings(dialect, 4, minor);
        records.0
    };
    assert_eq!(
        instance
            .apply(&settings(Dialect::Kafka, 4))
            .unwrap_err()
            .code(),
        -10,
        "the dialect is set"
    );
    assert_eq!(
        instance.apply(&settings(Dialect::Platform, 3)),
        Ok(1),
        "a version may change"
    );
    assert_eq!(
        instance
            .apply(&[8, 1, 2, 3, 4, 5, 6, 7, 8])
            .unwrap_err()
            .code(),
        -10
    );
    instance.clear();
    assert_eq!(instance.apply(&[8, 1, 2, 3, 4, 5, 6, 7, 8]), Ok(1));
    assert_eq!(instance.apply(&settings(Dialect::Kafka, 4)), Ok(1));
    // In one call too: the ACL before the settings refuses them.
    instance.clear();
    let both = [records.0.clone(), settings(Dialect::Kafka, 4)].concat();
    assert_eq!(instance.apply(&both).unwrap_err().code(), -10);
    assert_eq!(
        mask(&mut instance, "User:ana", "10.0.0.1"),
        0,
        "nothing has changed"
    );
}

#[test]
fn claims_become_a_user_and_groups() {
    let mut instance = Instance::default();
    let record = |path: &str, nested: u8, mapping: &str, claims: &str| {
        let text = |text: &str| {
            [
                &u32::try_from(text.len()).unwrap().to_le_bytes()[..],
                text.as_bytes(),
            ]
            .concat()
        };
        [text(path), vec![nested], text(mapping), text(claims)].concat()
    };
    let read = |found: &[u8]| {
        let length = u32::from_le_bytes(found[..4].try_into().unwrap()) as usize;
        assert_eq!(length, found.len() - 4);
        String::from_utf8_lossy(&found[4..]).into_owned()
    };
    let claims = r#"{ "sub": "ana@x", "groups": ["/a/eng", "ops", "ops", ""] }"#;
    let found = read(
        instance
            .extract(&record("$.groups", 1, "$.sub/(.*)@.*/$1/", claims))
            .unwrap(),
    );
    assert!(
        found.starts_with("\u{1}\u{3}\0\0\0ana\u{2}\0\0\0\u{3}\0\0\0eng\u{3}\0\0\0ops"),
        "{found:?}"
    );
    assert!(
        found.contains("empty_name: ") && found.contains("duplicate_group: "),
        "{found:?}"
    );
    assert!(found.ends_with('\0'), "{found:?}");
    let found = read(
        instance
            .extract(&record("$.groups", 0, "", r#"{ "groups": 7 }"#))
            .unwrap(),
    );
    assert!(
        found.ends_with('\u{2}') && found.contains("claim_wrong_type: "),
        "{found:?}"
    );
    let found = read(
        instance
            .extract(&record("$.groups", 0, "", r#"{ "sub": "ana" }"#))
            .unwrap(),
    );
    assert!(found.ends_with('\u{1}'), "{found:?}");
    assert!(
        found.starts_with("\0\0\0\0\0\0\0\0\0\u{1}\0\0\0") && found.contains("claim_missing: "),
        "{found:?}"
    );
    for (bytes, code) in [
        (record("groups", 0, "", claims), -12),
        (record("$.groups", 0, "sub", claims), -12),
        (record("$.groups", 2, "", claims), -4),
        (record("$.groups", 0, "", "[]"), -13),
        (record("$.groups", 0, "", "{"), -13),
        (record("$.groups", 0, "$.email", claims), -14),
        (record("$.groups", 0, "", claims)[1..].to_vec(), -2),
        ([record("$.groups", 0, "", claims), vec![0]].concat(), -2),
    ] {
        assert_eq!(
            instance
                .extract(&bytes)
                .map(<[u8]>::len)
                .map_err(gbac_abi::AbiError::code),
            Err(code)
        );
    }
}

/// 100,000 calls whose bytes, numbers or handles are wrong: none of them panics, and none changes
/// the policy when it is refused.
#[test]
fn malformed_calls_are_refused_and_change_nothing() {
    let mut random = Random(20_260_101);
    let mut instance = kafka();
    let acls: Vec<(Acl, String)> = [
        ("User:ana", "*"),
        ("Group:eng", "10.0.0.0/8"),
        ("Role:dev", "::1"),
        ("Service:x", "10.0.0.7"),
    ]
    .map(|(principal, host)| allow(principal, host))
    .to_vec();
    let mut valid = Records::default();
    for (acl, host) in &acls {
        valid.acl(true, acl, host);
        valid.acl(
            true,
            &Acl {
                permission: Permission::Deny,
                pattern_type: PatternType::Prefixed,
                host: Host::Any,
                ..acl.clone()
            },
            host,
        );
    }
    valid.member(true, "dev", &Principal::group("eng"));
    valid.superuser(true, "root");
    let start = valid.0.clone();
    let (mut refused, mut taken) = (0, 0);
    let probes = |instance: &mut Instance| {
        ["User:ana", "Service:x", "User:root"].map(|user| mask(instance, user, "10.0.0.7"))
    };
    let handle = instance
        .open(&identity_record("User:ana", &["eng".to_owned()]))
        .unwrap();
    for round in 0..100_000_u32 {
        if round % 1_000 == 0 {
            instance.clear();
            let mut settings = Records::default();
            settings.settings(Dialect::Kafka, 4, 4);
            instance.apply(&settings.0).unwrap();
            instance.apply(&start).unwrap();
        }
        let before = probes(&mut instance);
        let mut bytes = if random.below(3) == 0 {
            identity_record("User:ana", &["eng".to_owned(), "ops".to_owned()])
        } else {
            start.clone()
        };
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1));
            match random.below(5) {
                0 => bytes.truncate(at),
                1 if !bytes.is_empty() => bytes[at] = random.byte(),
                2 => bytes.insert(at, random.byte()),
                3 if !bytes.is_empty() => drop(bytes.remove(at)),
                _ => bytes.extend([random.byte(), random.byte()]),
            }
        }
        let number = random.next() as i32 >> random.below(32);
        let failed = match random.below(6) {
            0 => instance
                .open(&bytes)
                .map(|handle| instance.close(handle).unwrap())
                .is_err(),
            1 => instance.extract(&bytes).is_err(),
            2 => instance.mask(number, number, number, &bytes).is_err(),
            3 => instance.explain(handle, number, 2, number, &bytes).is_err(),
            4 => instance.close(number).is_err(),
            _ => match instance.apply(&bytes) {
                Err(_) => true,
                Ok(_) => {
                    taken += 1;
                    continue;
                }
            },
        };
        refused += u32::from(failed);
        assert_eq!(probes(&mut instance), before, "round {round}");
    }
    assert!(
        refused > 50_000 && taken > 100,
        "{refused} are refused, {taken} are taken"
    );
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        self.next() as u8
    }
}

#[test]
fn versions_before_ranges_are_passed_on() {
    let mut instance = kafka();
    let (acl, host) = allow("User:ana", "10.0.0.0/8");
    let mut records = Records::default();
    records.acl(true, &acl, &host);
    instance.apply(&records.0).unwrap();
    assert_ne!(mask(&mut instance, "User:ana", "10.0.0.1"), HAS_ACLS);
    let mut settings = Records::default();
    settings.settings(Dialect::Kafka, 4, 3);
    assert_eq!(instance.apply(&settings.0), Ok(1));
    assert_eq!(mask(&mut instance, "User:ana", "10.0.0.1"), HAS_ACLS);
    assert!(KafkaVersion::new(4, 3) < KafkaVersion::WITH_HOST_RANGES);
}
