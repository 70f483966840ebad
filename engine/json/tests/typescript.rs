//! Tests that `www/types.d.ts` is up to date, and that the readers accept exactly the declared
//! inputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gbac_analysis::requests::Api;
use gbac_engine::Subject;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};
use gbac_json::typescript::{
    AccessInput, AclInput, ApiRequestInput, ClaimsInput, NamesInput, OperationInput,
    PolicyDocumentInput, QueryCircumstancesInput, QueryInput, RequestQueryInput, ResourceTypeInput,
    RoleInput, RoleMemberInput, ServiceAccessInput, SettingsInput, SsoInput, SubjectInput,
    UnverifiedTokenInput, WithIdInput, declarations,
};
use gbac_json::{
    ChangeJson, ProblemCode, Problems, acl_from_value, change_from_json,
    hypothetical_changes_from_json, policy_from_json, query_from_json, settings_from_value,
    subject_from_json,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

#[test]
fn the_file_is_what_the_types_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/types.d.ts");
    let file = fs::read_to_string(&path).unwrap();
    assert!(
        file == declarations(),
        "www/types.d.ts is not what the Rust types say; `cargo xtask types` writes it"
    );
}

/// The members whose values are defined by the caller.
const FREE: [&str; 5] = ["claims", "userinfo", "attributes", "resources", "id"];

/// Checks that the reader accepts `full` and `least`, which differ by all optional members, and
/// refuses any further member in `full` and any missing member in `least`.
fn takes(
    full: impl Serialize,
    least: impl Serialize,
    read: impl Fn(&Value) -> Result<(), Problems>,
) {
    let (full, least) = (
        serde_json::to_value(full).unwrap(),
        serde_json::to_value(least).unwrap(),
    );
    for value in [&full, &least] {
        read(value).unwrap_or_else(|problems| panic!("{value}: {problems}"));
        for pointer in objects(value, String::new()) {
            let mut more = value.clone();
            more.pointer_mut(&pointer)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .insert("surplus".into(), Value::Null);
            let problems = read(&more).expect_err(&more.to_string());
            assert!(
                problems
                    .0
                    .iter()
                    .any(|problem| problem.code == ProblemCode::UnknownMember),
                "{more}: {problems}"
            );
        }
    }
    for pointer in objects(&least, String::new()) {
        let names: Vec<String> = least
            .pointer(&pointer)
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for name in names {
            let mut fewer = least.clone();
            fewer
                .pointer_mut(&pointer)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(&name);
            assert!(read(&fewer).is_err(), "{name} is not required: {fewer}");
        }
    }
}

/// The JSON Pointers of the objects of a value with known members.
fn objects(value: &Value, at: String) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let inner = members
                .iter()
                .filter(|(name, _)| !FREE.contains(&name.as_str()));
            let inner: Vec<String> = inner
                .flat_map(|(name, value)| objects(value, format!("{at}/{name}")))
                .collect();
            std::iter::once(at).chain(inner).collect()
        }
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .flat_map(|(place, value)| objects(value, format!("{at}/{place}")))
            .collect(),
        _ => Vec::new(),
    }
}

fn acl(resource_type: ResourceType, resource_name: Option<&str>) -> AclInput {
    AclInput {
        resource_type: resource_type.into(),
        resource_name: resource_name.map(str::to_owned),
        resource_pattern_type: PatternType::Literal.into(),
        principal: "RedpandaRole:readers".into(),
        host: "10.0.0.7".into(),
        operation: Operation::Describe.into(),
        permission_type: Permission::Allow.into(),
    }
}

fn settings() -> SettingsInput {
    SettingsInput {
        oidc_group_claim_path: Some("$.groups".into()),
        nested_group_behavior: Some(NestedGroupBehavior::Suffix.into()),
        oidc_principal_mapping: Some("$.sub".into()),
        superusers: Some(vec!["admin".into()]),
        access: Some(ServiceAccessInput {
            read_only: Some(vec!["Group:auditors".into()]),
            evaluate: Some(vec!["User:gateway".into()]),
        }),
        dialect: Some("kafka"),
        kafka_version: Some("4.3".into()),
        sso: None,
    }
}

fn members(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn documents_are_read_as_they_are_declared() {
    let read = |value: &Value| policy_from_json(&value.to_string()).map(drop);
    let nothing = PolicyDocumentInput {
        version: 1,
        settings: None,
        roles: None,
        acls: None,
        schema: None,
    };
    let role = |members| RoleInput {
        name: "readers".into(),
        members,
    };
    let full = PolicyDocumentInput {
        settings: Some(settings()),
        roles: Some(vec![role(Some(vec![RoleMemberInput {
            principal: "Group:eng".into(),
        }]))]),
        acls: Some(vec![acl(ResourceType::Topic, Some("orders"))]),
        schema: Some("policy.schema.json".into()),
        ..nothing.clone()
    };
    takes(full, nothing.clone(), read);
    takes(
        PolicyDocumentInput {
            roles: Some(vec![role(None)]),
            ..nothing.clone()
        },
        nothing,
        read,
    );
    takes(settings(), SettingsInput::default(), |value| {
        settings_from_value(value).map(drop)
    });
    let attributes = BTreeMap::from([("federated_groups".to_owned(), "$.groups".to_owned())]);
    let sso = SettingsInput {
        sso: Some(SsoInput {
            mode: "use_map",
            attributes,
        }),
        ..SettingsInput::default()
    };
    takes(sso, SettingsInput::default(), |value| {
        settings_from_value(value).map(drop)
    });
    let acls = (
        acl(ResourceType::Topic, Some("orders")),
        acl(ResourceType::Cluster, None),
    );
    takes(acls.0, acls.1, |value| acl_from_value(value).map(drop));
}

#[test]
fn changes_are_read_as_they_are_written() {
    let read = |value: &Value| change_from_json(&value.to_string()).map(drop);
    let of_role = ["create_role", "delete_role", "delete_role_and_acls"];
    let of_member = ["add_member", "remove_member"];
    let mut changes: Vec<Value> = of_role
        .map(|change| json!({ "change": change, "role": "readers" }))
        .into();
    changes
        .extend(of_member.map(
            |change| json!({ "change": change, "role": "readers", "principal": "Group:eng" }),
        ));
    let acl = acl(ResourceType::Cluster, None);
    changes.extend(["add_acl", "remove_acl"].map(|change| json!({ "change": change, "acl": acl })));
    changes.push(json!({ "change": "settings", "settings": SettingsInput::default() }));
    for change in &changes {
        takes(change, change, read);
        let written = ChangeJson::from(&change_from_json(&change.to_string()).unwrap());
        let written = serde_json::to_value(written).unwrap();
        assert_eq!(written["change"], change["change"]);
        read(&written).unwrap();
    }
    for change in ["add_to_group", "remove_from_group"] {
        let change = json!({ "change": change, "group": "eng" });
        takes(&change, &change, |value| {
            hypothetical_changes_from_json(&json!([value]).to_string()).map(drop)
        });
    }
    // The declarations contain exactly these types.
    let declared = declarations();
    assert_eq!(declared.matches("\"change\": ").count(), changes.len() + 2);
    assert!(
        changes
            .iter()
            .all(|change| declared.contains(&format!("\"change\": {}", change["change"])))
    );
}

#[test]
fn subjects_are_read_as_they_are_declared() {
    let read = |value: &Value| subject_from_json(&value.to_string()).map(drop);
    let userinfo = Some(members(json!({ "groups": [] })));
    let names = |groups| SubjectInput::Identity {
        identity: NamesInput {
            user: "alice".into(),
            groups,
        },
    };
    takes(names(Some(vec!["eng".into()])), names(None), read);
    let claims = |userinfo| {
        SubjectInput::Claims(ClaimsInput {
            claims: members(json!({ "sub": "alice" })),
            userinfo,
        })
    };
    takes(claims(userinfo.clone()), claims(None), read);
    let token = |userinfo| {
        SubjectInput::UnverifiedToken(UnverifiedTokenInput {
            unverified_token: "a.b.c".into(),
            userinfo,
        })
    };
    takes(token(userinfo), token(None), read);
}

#[test]
fn queries_are_read_as_they_are_declared() {
    let subject = || Subject::Names {
        user: "alice".into(),
        groups: Vec::new(),
    };
    let read = |value: &Value| query_from_json(&value.to_string(), subject()).map(drop);
    let circumstances = || QueryCircumstancesInput {
        host: Some("10.0.0.7".into()),
        now: Some(1.5),
        ignore_expiry: Some(false),
    };
    let id = || WithIdInput {
        id: Some(json!({ "any": ["value"] })),
    };
    let full = QueryInput {
        access: AccessInput {
            operation: OperationInput::Full(Operation::Read.into()),
            resource_type: ResourceTypeInput::Short(ResourceType::Topic.into()),
            resource_name: Some("orders".into()),
        },
        circumstances: circumstances(),
        id: id(),
    };
    let least = QueryInput {
        access: AccessInput {
            operation: OperationInput::Short(Operation::Create.into()),
            resource_type: ResourceTypeInput::Full(ResourceType::Cluster.into()),
            resource_name: None,
        },
        circumstances: QueryCircumstancesInput::default(),
        id: WithIdInput::default(),
    };
    takes(full, least, read);
    let request = |resources| ApiRequestInput {
        api: Api::Kafka.into(),
        name: "Produce".into(),
        resources,
    };
    let resources = ["topic", "group", "transactional_id", "subject"]
        .map(|kind| (kind.to_owned(), vec!["x".to_owned()]));
    let full = RequestQueryInput {
        request: request(Some(BTreeMap::from(resources))),
        circumstances: circumstances(),
        id: id(),
    };
    let least = RequestQueryInput {
        request: request(None),
        circumstances: QueryCircumstancesInput::default(),
        id: WithIdInput::default(),
    };
    takes(full, least, read);
}
