//! The body and initial inputs of the fuzz target of imports.

use std::collections::BTreeSet;

use gbac_engine::Dialect;
use gbac_engine::model::Acl;
use gbac_engine::policy::Policy;
use gbac_formats::encoding::decode;
use gbac_formats::export::Export;
use gbac_formats::import::{Import, ImportedText};
use gbac_formats::table::OutputFormat;
use gbac_json::{pointer_part, policy_from_json, policy_to_text};
use serde_json::{Value, json};

use super::says_what;

/// Lines about access that no format has.
const LINES: [&str; 2] = [
    "(principal=User:surprise, host=*, operation=READ, permissionType=DENY",
    "Group:eng  *  TOPIC  surprise  LITERAL  READ  DENY  surprise",
];
/// Members with this name say nothing about access, or are not looked at.
const OTHERS: [&str; 5] = [
    "metadata",
    "cluster",
    "authentication",
    "values",
    "planned_values",
];

/// Fuzzes the import of files. The first byte chooses the dialect and whether a role is named; the
/// rest is a file.
///
/// # Panics
/// If an entry that is not understood is silent, or a policy is another one once it was written.
pub fn importers(bytes: &[u8]) {
    let Some((options, file)) = bytes.split_first() else {
        return;
    };
    let text = match decode(file.to_vec()) {
        Ok(text) => text,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let start = || {
        if options & 1 == 0 {
            Import::default()
        } else {
            Import::in_dialect(Dialect::Kafka)
        }
    };
    let role = (options & 2 != 0).then_some("role");
    let mut import = start();
    let read = import.read(&text, role);
    for unread in &read.unread {
        says_what(unread.code, &unread.message);
        assert!(!unread.to_string().is_empty());
    }
    assert!(read.again <= read.acls);
    let policy = import.policy();
    read_again(&mut import, &text, role, &read, &policy);
    written(&policy);
    for line in LINES {
        let longer = format!("{text}\n{line}");
        assert!(
            !start().read(&longer, role).unread.is_empty(),
            "{longer:?} {:?}",
            start().read(&longer, role)
        );
    }
    if read.unread.is_empty() && read.ignored.is_empty() && read.acls + read.roles > 0 {
        with_an_unknown_member(&text, |text| start().read(text, role));
    }
}

/// A text that is read again adds nothing.
fn read_again(
    import: &mut Import,
    text: &str,
    role: Option<&str>,
    first: &ImportedText,
    policy: &Policy,
) {
    let second = import.read(text, role);
    assert_eq!(
        (second.format, second.acls, second.skipped),
        (first.format, first.acls, first.skipped)
    );
    assert_eq!((second.roles, second.again), (0, first.acls));
    assert_eq!(
        (&second.unread, &second.ignored),
        (&first.unread, &first.ignored)
    );
    assert_eq!(&import.policy(), policy);
}

/// A policy that was imported is the same once it was written and read, also by an import.
fn written(policy: &Policy) {
    let text = policy_to_text(policy);
    let read = policy_from_json(&text).unwrap_or_else(|problems| panic!("{problems:?} {text}"));
    assert_eq!(&read, policy);
    let mut import = Import::in_dialect(policy.settings().dialect);
    let read = import.read(&text, None);
    assert_eq!(read.unread, [], "{text}");
    let acls = |policy: &Policy| policy.acls().collect::<BTreeSet<Acl>>();
    assert_eq!(acls(&import.policy()), acls(policy));
    assert!(import.policy().roles().eq(policy.roles()), "{text}");
}

/// In a document of JSON without a fault, a member that no format has is a fault, wherever it
/// stands.
fn with_an_unknown_member(text: &str, read: impl Fn(&str) -> ImportedText) {
    let Ok(document) = gbac_json::parse(text) else {
        return;
    };
    let mut places = Vec::new();
    objects(&document, "", &mut places);
    for place in places.iter().take(20) {
        let mut changed = document.clone();
        let members = changed
            .pointer_mut(place)
            .and_then(Value::as_object_mut)
            .expect("an object");
        if members
            .insert("surprise".into(), json!({ "deny": 1 }))
            .is_none()
        {
            assert!(
                !read(&changed.to_string()).unread.is_empty(),
                "{place} {changed}"
            );
        }
    }
}

/// The objects of a document, as JSON Pointers.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            for (name, member) in members
                .iter()
                .filter(|(name, _)| !OTHERS.contains(&name.as_str()))
            {
                objects(member, &format!("{pointer}/{}", pointer_part(name)), found);
            }
        }
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(at, value)| objects(value, &format!("{pointer}/{at}"), found));
        }
        _ => {}
    }
}

/// Initial inputs for [`importers`]: a file of every format that is read.
///
/// # Panics
/// If the policy in `examples` cannot be read.
#[must_use]
pub fn importers_starts() -> Vec<Vec<u8>> {
    let example = include_str!("../../../examples/policy.json");
    let policy = policy_from_json(example).expect("the example can be read");
    let mut starts = vec![example.to_owned(), policy_to_text(&policy)];
    let read_again = OutputFormat::all().filter(|format| !format.is_script());
    starts.extend(read_again.map(|format| format.write(&Export::new(&policy)).text));
    starts.extend(FILES.map(str::to_owned));
    let text = |number: usize, text: String| {
        [
            &[b'0' + u8::try_from(number % 4).unwrap_or_default()],
            text.as_bytes(),
        ]
        .concat()
    };
    let mut starts: Vec<_> = starts
        .into_iter()
        .enumerate()
        .map(|(number, start)| text(number, start))
        .collect();
    starts.push(b"0\xff\xfe{\0}\0".to_vec());
    starts
}

/// What tools print.
const FILES: [&str; 22] = [
    "WARN a log line\nACLs for principal `User:x`\nCurrent ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders-, patternType=PREFIXED)`:\n\t(principal=User:CN=a, OU=b, host=10.0.0.7, operation=DESCRIBE_CONFIGS, permissionType=DENY)\n",
    "Current ACLs for resource `Group:LITERAL:g, name=`: \n\tUser:a has b has Allow permission for operations: Read from hosts: * \nCurrent ACLs for resource `Cluster:kafka-cluster`:\n\tUser:* has Deny permission for operations: IdempotentWrite from hosts: *\n",
    "PRINCIPAL   HOST  RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR\nUser:maya   *     TOPIC          orders         LITERAL                READ       ALLOW\nGroup:/eng  *     TOPIC          a              PREFIXED               WRITE      DENY\n",
    "ROLE\n====\nNAME  r\n\nPRINCIPALS (2)\n==============\nNAME       TYPE\nMaya Khan  User\n/eng       Group\n",
    "    Principal    | Permission | Operation | Resource Type | Resource Name | Pattern Type\n-----------------+------------+-----------+---------------+---------------+---------------\n  User:sa-8wonyq | ALLOW      | READ      | TOPIC         | a|b           | LITERAL\n",
    "resource_type;principal;host;resource_name;pattern_type;operation;permission\ntopic;\"Group:a;\"\"b\"\"\";*;\"or\nders\";prefixed;read;deny\n;;;;;;\n",
    "principal,host,resource_type,pattern_type,operation,permission,resource_name\nUser:x,*,topic,literal,read,deny,\"a\"\n",
    "{\"matches\":[{\"resource_type\":\"TOPIC\",\"resource_name\":\"t\",\"resource_pattern_type\":\"LITERAL\",\"principal\":\"User:u\",\"host\":\"*\",\"operation\":\"READ\",\"permission\":\"DENY\"}]}",
    "{\"resources\":[{\"resource_type\":\"RESOURCE_TYPE_TOPIC\",\"resource_name\":\"t\",\"resource_pattern_type\":\"RESOURCE_PATTERN_TYPE_LITERAL\",\"acls\":[{\"principal\":\"User:u\",\"host\":\"*\",\"operation\":\"OPERATION_READ\",\"permission_type\":\"PERMISSION_TYPE_DENY\"}]}],\"next_page_token\":\"\"}",
    "[{\"resource_type\":\"REGISTRY\",\"resource\":\"*\",\"pattern_type\":\"LITERAL\",\"principal\":\"User:u\",\"host\":\"*\",\"operation\":\"READ\",\"permission\":\"ALLOW\"}]",
    "{\"kind\":\"KafkaAclList\",\"metadata\":{\"self\":\"https://x/kafka/v3/clusters/c/acls\",\"next\":null},\"data\":[{\"kind\":\"KafkaAcl\",\"metadata\":{\"self\":\"https://x\"},\"cluster_id\":\"c\",\"resource_type\":\"TOPIC\",\"resource_name\":\"t\",\"pattern_type\":\"LITERAL\",\"principal\":\"User:u\",\"host\":\"*\",\"operation\":\"READ\",\"permission\":\"DENY\"}]}",
    "{\"role_name\":\"r\",\"members\":[{\"principal\":\"Group:eng\"},{\"principal_type\":\"User\",\"name\":\"maya\"}]}",
    "{\"roles\":[{\"name\":\"r\"}]}",
    "{\"role\":{\"name\":\"r\",\"members\":[{\"user\":{\"name\":\"maya\"}},{\"group\":{\"name\":\"eng\"}}]}}",
    "{\"roles\":[{\"name\":\"r\",\"members\":[{\"group\":{\"name\":\"eng\"}}]}]}",
    "{\"format_version\":\"1.0\",\"values\":{\"root_module\":{\"resources\":[{\"mode\":\"managed\",\"type\":\"redpanda_acl\",\"name\":\"a\",\"address\":\"redpanda_acl.a\",\"values\":{\"resource_type\":\"TOPIC\",\"resource_name\":\"t\",\"resource_pattern_type\":\"LITERAL\",\"principal\":\"User:u\",\"host\":\"*\",\"operation\":\"READ\",\"permission_type\":\"DENY\",\"cluster_api_url\":\"https://x\",\"allow_deletion\":null,\"id\":\"a\"}},{\"mode\":\"managed\",\"type\":\"redpanda_role\",\"name\":\"r\",\"address\":\"redpanda_role.r\",\"values\":{\"name\":\"r\"}}],\"child_modules\":[{\"resources\":[{\"mode\":\"managed\",\"type\":\"aws_instance\",\"name\":\"a\",\"address\":\"aws_instance.a\",\"values\":{}}]}]}}}",
    "{\"format_version\":\"1.2\",\"planned_values\":{\"root_module\":{}},\"complete\":true,\"errored\":false,\"deferred_changes\":[]}",
    "apiVersion: kafka.strimzi.io/v1\nkind: KafkaUser\nmetadata: { name: till }\nspec:\n  authorization:\n    type: simple\n    acls: [{ resource: { type: topic, name: sales }, operations: [Read], type: deny }]\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n",
    "apiVersion: cluster.redpanda.com/v1alpha2\nkind: RedpandaRole\nmetadata:\n  name: r\nspec:\n  principals:\n    - Group:eng\n  authorization:\n    acls:\n      - type: allow\n        resource: { type: topic, name: t, patternType: prefixed }\n        operations: [Read, Write]\n        host: 10.0.0.7\n",
    "{\"apiVersion\":\"kafka.strimzi.io/v1\",\"kind\":\"KafkaUserList\",\"metadata\":{\"continue\":\"\"},\"items\":[{\"metadata\":{\"name\":\"till\"},\"spec\":{\"authorization\":{\"type\":\"simple\",\"acls\":[{\"resource\":{\"type\":\"topic\",\"name\":\"sales\"},\"operations\":[\"Read\"],\"type\":\"deny\"}]}}}]}",
    "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: { name: c }\nspec:\n  kafka:\n    authorization: { type: simple, superUsers: [CN=admin] }\n",
    "version: 1\nroles:\n  - name: r\n    members: [\"Group:eng\"]\n# a comment\nacls: []\n",
];
