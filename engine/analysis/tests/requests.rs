//! Tests of the request table: the permissions that every request needs, every error, and how
//! permissions combine.

use std::collections::BTreeSet;

use gbac_analysis::requests::{
    Api, Presence, RECIPES, RequestFault, RequiredCheck, Requirement, ResourceNames, catalog,
    expand, find, is_implied, kind_name, recipe,
};
use gbac_engine::decide::Outcome;
use gbac_engine::model::CLUSTER_NAME;

/// `topic=a,b group=g` as the resources of a request; `topic=` is an empty list.
fn resources(text: &str) -> ResourceNames {
    let pair = |word: &str| {
        let (kind, names) = word.split_once('=').unwrap();
        (
            kind.to_string(),
            names
                .split(',')
                .filter(|name| !name.is_empty())
                .map(String::from)
                .collect(),
        )
    };
    text.split_whitespace().map(pair).collect()
}

/// A requirement as one line: `&(READ topic:a, |(WRITE topic:b, ALTER cluster))`.
fn line(need: &Requirement) -> String {
    let list = |sign: char, parts: &[Requirement]| {
        format!(
            "{sign}({})",
            parts.iter().map(line).collect::<Vec<_>>().join(", ")
        )
    };
    match need {
        Requirement::Check(check) => {
            let operation = check.operation.spelling().audit.to_uppercase();
            let kind = kind_name(check.resource_type);
            match check.resource_name.as_deref() {
                Some("" | CLUSTER_NAME) => format!("{operation} {kind}"),
                Some(name) => format!("{operation} {kind}:{name}"),
                None => format!("{operation} any {kind}"),
            }
        }
        Requirement::All(parts) => list('&', parts),
        Requirement::Any(parts) => list('|', parts),
    }
}

/// API, request, resources, requirement. At least one line for every row of the table.
#[rustfmt::skip]
const NEEDS: &[(&str, &str, &str, &str)] = &[
    ("kafka", "Produce", "topic=x", "WRITE topic:x"),
    ("kafka", "Produce", "topic=x transactional_id=y", "&(WRITE topic:x, WRITE transactional_id:y)"),
    ("kafka", "Produce", "topic=b,a,b", "&(WRITE topic:b, WRITE topic:a)"),
    ("kafka", "Fetch", "topic=a,b", "&(READ topic:a, READ topic:b)"),
    ("kafka", "ListOffsets", "topic=a", "DESCRIBE topic:a"),
    ("kafka", "OffsetForLeaderEpoch", "topic=a", "|(CLUSTER_ACTION cluster, DESCRIBE topic:a)"),
    ("kafka", "DescribeTopicPartitions", "topic=a", "DESCRIBE topic:a"),
    ("kafka", "ConsumerGroupHeartbeat", "group=g", "READ group:g"),
    ("kafka", "ConsumerGroupHeartbeat", "group=g topic=a", "&(READ group:g, DESCRIBE topic:a)"),
    ("kafka", "ConsumerGroupDescribe", "group=g topic=a", "&(DESCRIBE group:g, DESCRIBE topic:a)"),
    ("kafka", "ShareGroupHeartbeat", "group=g topic=a", "&(READ group:g, DESCRIBE topic:a)"),
    ("kafka", "ShareGroupDescribe", "group=g topic=a", "&(DESCRIBE group:g, DESCRIBE topic:a)"),
    ("kafka", "ShareFetch", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("kafka", "ShareAcknowledge", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("kafka", "DescribeShareGroupOffsets", "group=g topic=a", "&(DESCRIBE group:g, DESCRIBE topic:a)"),
    ("kafka", "AlterShareGroupOffsets", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("kafka", "DeleteShareGroupOffsets", "group=g topic=a", "&(DELETE group:g, READ topic:a)"),
    ("kafka", "Metadata", "", "&()"),
    ("kafka", "Metadata", "topic=a", "DESCRIBE topic:a"),
    ("kafka", "Metadata (auto-create)", "topic=a", "&(DESCRIBE topic:a, |(CREATE cluster, CREATE topic:a))"),
    ("kafka", "metadata-auto-create", "topic=a,b", "&(DESCRIBE topic:a, DESCRIBE topic:b, |(CREATE cluster, &(CREATE topic:a, CREATE topic:b)))"),
    ("kafka", "InitProducerID", "", "|(IDEMPOTENT_WRITE cluster, WRITE any topic)"),
    ("kafka", "InitProducerId", "topic=a,b", "|(IDEMPOTENT_WRITE cluster, WRITE topic:a, WRITE topic:b)"),
    ("kafka", "InitProducerID", "topic=a transactional_id=t", "|(IDEMPOTENT_WRITE cluster, WRITE topic:a, WRITE transactional_id:t)"),
    ("kafka", "InitProducerID (transactional)", "transactional_id=t", "WRITE transactional_id:t"),
    ("kafka", "FindCoordinator", "group=g", "DESCRIBE group:g"),
    ("kafka", "FindCoordinator", "transactional_id=t", "DESCRIBE transactional_id:t"),
    ("kafka", "FindCoordinator", "group=g transactional_id=t", "&(DESCRIBE group:g, DESCRIBE transactional_id:t)"),
    ("kafka", "OffsetCommit", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("kafka", "OffsetFetch", "group=g topic=a", "&(DESCRIBE group:g, DESCRIBE topic:a)"),
    ("kafka", "OffsetFetch", "group=g", "DESCRIBE group:g"),
    ("kafka", "OffsetDelete", "group=g topic=a", "&(DELETE group:g, READ topic:a)"),
    ("kafka", "JoinGroup", "group=g", "READ group:g"),
    ("kafka", "SyncGroup", "group=g", "READ group:g"),
    ("kafka", "Heartbeat", "group=g", "READ group:g"),
    ("kafka", "LeaveGroup", "group=g", "READ group:g"),
    ("kafka", "AddPartitionsToTxn", "transactional_id=t topic=a", "&(WRITE transactional_id:t, WRITE topic:a)"),
    ("kafka", "AddOffsetsToTxn", "transactional_id=t group=g", "&(WRITE transactional_id:t, READ group:g)"),
    ("kafka", "EndTxn", "transactional_id=t", "WRITE transactional_id:t"),
    ("kafka", "TxnOffsetCommit", "transactional_id=t group=g topic=a", "&(WRITE transactional_id:t, READ group:g, READ topic:a)"),
    ("kafka", "CreateTopics", "topic=a", "|(CREATE topic:a, CREATE cluster)"),
    ("kafka", "CreateTopics", "topic=a,b", "|(&(CREATE topic:a, CREATE topic:b), CREATE cluster)"),
    ("kafka", "CreateTopics (return configs)", "topic=a", "&(|(CREATE topic:a, CREATE cluster), DESCRIBE_CONFIGS topic:a)"),
    ("kafka", "CreatePartitions", "topic=a", "ALTER topic:a"),
    ("kafka", "DeleteTopics", "topic=a", "DELETE topic:a"),
    ("kafka", "DeleteTopics (by topic ID)", "topic=a", "&(DELETE topic:a, DESCRIBE topic:a)"),
    ("kafka", "DeleteRecords", "topic=a", "DELETE topic:a"),
    ("kafka", "DescribeGroups", "group=g,h", "&(DESCRIBE group:g, DESCRIBE group:h)"),
    ("kafka", "DeleteGroups", "group=g", "DELETE group:g"),
    ("kafka", "ListGroups", "", "|(DESCRIBE any group, DESCRIBE cluster)"),
    ("kafka", "ListGroups", "group=g", "|(DESCRIBE group:g, DESCRIBE cluster)"),
    ("kafka", "CreateAcls", "", "ALTER cluster"),
    ("kafka", "DeleteACLs", "", "ALTER cluster"),
    ("kafka", "DescribeACLs", "", "DESCRIBE cluster"),
    ("kafka", "DescribeConfigs", "", "DESCRIBE_CONFIGS cluster"),
    ("kafka", "DescribeConfigs", "topic=a", "DESCRIBE_CONFIGS topic:a"),
    ("kafka", "AlterConfigs", "", "ALTER_CONFIGS cluster"),
    ("kafka", "AlterConfigs", "topic=a", "ALTER_CONFIGS topic:a"),
    ("kafka", "IncrementalAlterConfigs", "topic=a", "ALTER_CONFIGS topic:a"),
    ("kafka", "AlterPartitionReassignments", "", "ALTER cluster"),
    ("kafka", "ListPartitionReassignments", "", "DESCRIBE cluster"),
    ("kafka", "AlterReplicaLogDirs", "", "ALTER cluster"),
    ("kafka", "DescribeLogDirs", "", "DESCRIBE cluster"),
    ("kafka", "AlterClientQuotas", "", "ALTER cluster"),
    ("kafka", "DescribeClientQuotas", "", "DESCRIBE_CONFIGS cluster"),
    ("kafka", "AlterUserScramCredentials", "", "ALTER cluster"),
    ("kafka", "DescribeUserScramCreds", "", "DESCRIBE_CONFIGS cluster"),
    ("kafka", "DescribeProducers", "topic=a", "READ topic:a"),
    ("kafka", "DescribeTransactions", "transactional_id=t", "DESCRIBE transactional_id:t"),
    ("kafka", "DescribeTransactions", "transactional_id=t topic=a", "&(DESCRIBE transactional_id:t, DESCRIBE topic:a)"),
    ("kafka", "ListTransactions", "", "&()"),
    ("kafka", "ListTransactions", "transactional_id=t", "DESCRIBE transactional_id:t"),
    ("schema_registry", "GET /config", "", "DESCRIBE_CONFIGS registry"),
    ("schema_registry", "PUT /config", "", "ALTER_CONFIGS registry"),
    ("schema_registry", "GET /config/{subject}", "subject=s", "DESCRIBE_CONFIGS subject:s"),
    ("schema_registry", "PUT /config/{subject}", "subject=s", "ALTER_CONFIGS subject:s"),
    ("schema_registry", "DELETE /config/{subject}", "subject=s", "ALTER_CONFIGS subject:s"),
    ("schema_registry", "GET /mode", "", "DESCRIBE_CONFIGS registry"),
    ("schema_registry", "PUT /mode", "", "ALTER_CONFIGS registry"),
    ("schema_registry", "GET /mode/{s}", "subject=s", "DESCRIBE_CONFIGS subject:s"),
    ("schema_registry", "PUT /mode/{s}", "subject=s", "ALTER_CONFIGS subject:s"),
    ("schema_registry", "DELETE /mode/{s}", "subject=s", "ALTER_CONFIGS subject:s"),
    ("schema_registry", "GET /schemas/types", "", "&()"),
    ("schema_registry", "GET /schemas/ids/{id}", "subject=s", "READ subject:s"),
    ("schema_registry", "GET /schemas/ids/{id}", "subject=s,t", "|(READ subject:s, READ subject:t)"),
    ("schema_registry", "GET /schemas/ids/{id}/versions", "", "DESCRIBE registry"),
    ("schema_registry", "GET /schemas/ids/{id}/subjects", "", "DESCRIBE registry"),
    ("schema_registry", "GET /subjects", "", "&()"),
    ("schema_registry", "GET /subjects", "subject=s", "DESCRIBE subject:s"),
    ("schema_registry", "GET /subjects/{subject}/versions", "subject=s", "DESCRIBE subject:s"),
    ("schema_registry", "POST /subjects/{subject}", "subject=s", "READ subject:s"),
    ("schema_registry", "POST /subjects/{subject}/versions", "subject=s", "WRITE subject:s"),
    ("schema_registry", "GET /subjects/{subject}/versions/{version}", "subject=s", "READ subject:s"),
    ("schema_registry", "GET /subjects/{subject}/versions/{version}/schema", "subject=s", "READ subject:s"),
    ("schema_registry", "GET /subjects/{s}/versions/{v}/referencedBy", "", "DESCRIBE registry"),
    ("schema_registry", "GET /subjects/{s}/versions/{v}/referencedby", "subject=s", "DESCRIBE registry"),
    ("schema_registry", "DELETE /subjects/{subject}", "subject=s", "DELETE subject:s"),
    ("schema_registry", "DELETE /subjects/{subject}/versions/{version}", "subject=s", "DELETE subject:s"),
    ("schema_registry", "POST /compatibility/subjects/{subject}/versions/{version}", "subject=s", "READ subject:s"),
    ("schema_registry", "GET /status/ready", "", "&()"),
    ("schema_registry", "GET /security/acls", "", "DESCRIBE cluster"),
    ("schema_registry", "POST /security/acls", "", "ALTER cluster"),
    ("schema_registry", "DELETE /security/acls", "", "ALTER cluster"),
    ("http_proxy", "GET /topics", "", "&()"),
    ("http_proxy", "GET /topics", "topic=a", "DESCRIBE topic:a"),
    ("http_proxy", "GET /brokers", "", "&()"),
    ("http_proxy", "POST /topics/{topic}", "topic=a", "&(DESCRIBE topic:a, WRITE topic:a)"),
    ("http_proxy", "GET /topics/{topic}/partitions/{partition}/records", "topic=a", "&(DESCRIBE topic:a, READ topic:a)"),
    ("http_proxy", "POST /consumers/{group}", "group=g", "&(DESCRIBE group:g, READ group:g)"),
    ("http_proxy", "POST /consumers/{group}/instances/{instance}/subscription", "group=g topic=a", "&(READ group:g, DESCRIBE topic:a)"),
    ("http_proxy", "GET /consumers/{group}/instances/{instance}/records", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("http_proxy", "GET /consumers/{group}/instances/{instance}/offsets", "group=g topic=a", "&(DESCRIBE group:g, DESCRIBE topic:a)"),
    ("http_proxy", "POST /consumers/{group}/instances/{instance}/offsets", "group=g topic=a", "&(READ group:g, READ topic:a)"),
    ("http_proxy", "DELETE /consumers/{group}/instances/{instance}", "group=g", "READ group:g"),
    ("http_proxy", "GET /status/ready", "", "&()"),
];

#[test]
fn every_request_needs_what_the_platform_documents() {
    let mut covered = BTreeSet::new();
    for (api, name, given, need) in NEEDS {
        let expanded = expand(api, name, &resources(given))
            .unwrap_or_else(|error| panic!("{name} {given}: {error}"));
        assert_eq!(line(&expanded), *need, "{name} {given}");
        covered.insert((
            Api::from_name(api).unwrap(),
            find(Api::from_name(api).unwrap(), name).unwrap().id,
        ));
    }
    let rows: BTreeSet<_> = catalog().iter().map(|row| (row.api, row.id)).collect();
    assert_eq!(covered, rows, "rows without a line in this test");
}

#[test]
fn names_are_taken_as_they_are() {
    let unusual_names = [
        String::new(),
        " a ".into(),
        "*".into(),
        "日本/x,y".into(),
        "a\u{0}".into(),
    ];
    let given = ResourceNames::from([("topic".to_string(), unusual_names.to_vec())]);
    let need = expand("kafka", "Fetch", &given).unwrap();
    assert_eq!(
        need.checks()
            .iter()
            .filter_map(|check| check.resource_name.clone())
            .collect::<Vec<_>>(),
        unusual_names
    );
}

#[rustfmt::skip]
#[test]
fn all_faults_are_reported_at_once() {
    let faults = |api, name, given| -> Vec<(String, &'static str, String, String)> {
        let error = expand(api, name, &resources(given)).unwrap_err();
        assert_eq!(error.code(), error.faults()[0].code());
        error.faults().iter().map(|f| (f.path(), f.code(), f.to_string(), f.hint())).collect()
    };
    let fault =
        |path: &str, code, message: &str, hint: &str| (path.to_string(), code, message.to_string(), hint.to_string());
    assert_eq!(
        faults("kafak", "Produce", "tpoic=x cluster=c group="),
        [
            fault("api", "unknown_api", "`kafak` is not an API", "write `kafka`, `schema_registry` or `http_proxy`"),
            fault("resources.cluster", "resource_implied", "the resource `cluster` is implied and cannot be named", "remove it; there is only one"),
            fault("resources.group", "resource_list_empty", "the list of `group` is empty", "add at least one name, or remove the list"),
            fault("resources.tpoic", "unknown_resource", "`tpoic` is not a kind of resource", "resources are `topic`, `group`, `transactional_id` or `subject`"),
        ]
    );
    assert_eq!(
        faults("kafka", "Prodcue", "topic="),
        [
            fault("name", "unknown_request", "`Prodcue` is not a request of `kafka`", "did you mean `Produce`?"),
            fault("resources.topic", "resource_list_empty", "the list of `topic` is empty", "add at least one name, or remove the list"),
        ]
    );
    assert_eq!(
        faults("http_proxy", "Fetch", ""),
        [fault("name", "unknown_request", "`Fetch` is not a request of `http_proxy`", "it is a request of `kafka`")]
    );
    assert_eq!(
        faults("kafka", "no such thing at all", ""),
        [fault("name", "unknown_request", "`no such thing at all` is not a request of `kafka`", "see the requests of `kafka` in the catalog")]
    );
    assert_eq!(
        faults("kafka", "txn-offset-commit", "subject= registry=r topic="),
        [
            fault("resources.registry", "resource_implied", "the resource `registry` is implied and cannot be named", "remove it; there is only one"),
            fault("resources.topic", "resource_list_empty", "the list of `topic` is empty", "add at least one name, or remove the list"),
            fault("resources.subject", "resource_unsupported", "`TxnOffsetCommit` does not accept the resource `subject`", "it accepts `transactional_id`, `group` or `topic`"),
            fault("resources.transactional_id", "resource_missing", "`TxnOffsetCommit` needs the resource `transactional_id`", "add `transactional_id` with at least one name"),
            fault("resources.group", "resource_missing", "`TxnOffsetCommit` needs the resource `group`", "add `group` with at least one name"),
        ]
    );
    assert_eq!(
        faults("kafka", "FindCoordinator", ""),
        [fault("resources", "resource_missing", "`FindCoordinator` needs the resource `group` or `transactional_id`", "add `group` or `transactional_id`")]
    );
    assert_eq!(
        faults("kafka", "CreateACLs", "topic=a"),
        [fault("resources.topic", "resource_unsupported", "`CreateACLs` does not accept the resource `topic`", "remove it; this request has no resources")]
    );
}

#[test]
fn long_and_odd_input_gives_a_fault_and_no_panic() {
    let long = "x".repeat(1_000_000);
    for text in [
        "",
        " ",
        "{",
        "}",
        "{}",
        "\u{0}",
        "GET",
        "GET /",
        "日本",
        long.as_str(),
    ] {
        for api in ["kafka", "schema_registry", "http_proxy", text] {
            let given = ResourceNames::from([(text.to_string(), vec![text.to_string()])]);
            let error = expand(api, text, &given).unwrap_err();
            assert!(
                error
                    .faults()
                    .iter()
                    .any(|fault| matches!(fault, RequestFault::UnknownKind(_))),
                "{text:.20}"
            );
            assert!(error.faults().len() >= 2);
        }
    }
}

/// Every combination of none, one or two names of each type that a row accepts.
fn fillings(parameters: &[gbac_analysis::requests::ParameterSpec]) -> Vec<ResourceNames> {
    let mut all = vec![ResourceNames::default()];
    for kind in parameters {
        let mut next = Vec::new();
        for filled in &all {
            for count in 0..3 {
                let mut filled: ResourceNames = filled.clone();
                if count > 0 {
                    let names = (0..count)
                        .map(|n| format!("{}{n}", kind_name(kind.kind)))
                        .collect();
                    filled.insert(kind_name(kind.kind), names);
                }
                next.push(filled);
            }
        }
        all = next;
    }
    all
}

fn has_empty_any(need: &Requirement) -> bool {
    match need {
        Requirement::Check(_) => false,
        Requirement::All(parts) => parts.iter().any(has_empty_any),
        Requirement::Any(parts) => parts.is_empty() || parts.iter().any(has_empty_any),
    }
}

fn is_normal(need: &Requirement, parent: char) -> bool {
    match need {
        Requirement::Check(_) => true,
        Requirement::All(parts) => {
            parent != '&' && parts.len() != 1 && parts.iter().all(|part| is_normal(part, '&'))
        }
        Requirement::Any(parts) => {
            parent != '|' && parts.len() != 1 && parts.iter().all(|part| is_normal(part, '|'))
        }
    }
}

#[test]
fn whatever_is_named_the_laws_hold() {
    let mut expanded = 0;
    for row in catalog() {
        for given in fillings(row.parameters) {
            let complete = row.parameters.iter().all(|parameter| {
                parameter.presence != Presence::Required
                    || given.get(kind_name(parameter.kind)).is_some()
            });
            let choices: Vec<_> = row
                .parameters
                .iter()
                .filter(|parameter| parameter.presence == Presence::OneOf)
                .collect();
            let chosen = choices.is_empty()
                || choices
                    .iter()
                    .any(|parameter| given.get(kind_name(parameter.kind)).is_some());
            let result = row.expand(&given);
            assert_eq!(result.is_ok(), complete && chosen, "{} {given:?}", row.id);
            let Ok(need) = result else { continue };
            expanded += 1;
            assert!(
                !has_empty_any(&need) && is_normal(&need, ' '),
                "{} {}",
                row.id,
                line(&need)
            );
            let checks = need.checks();
            for check in &checks {
                let named = given.get(kind_name(check.resource_type));
                let known = match &check.resource_name {
                    _ if is_implied(check.resource_type) => true,
                    Some(name) => named.is_some_and(|names| names.contains(name)),
                    None => named.is_none(),
                };
                assert!(known, "{} {check}", row.id);
            }
            // Every set of allowed checks: an allowed set stays allowed with one more check; the
            // empty and the full set give the extremes.
            let outcome = |allowed: u32| {
                need.outcome(|check| {
                    let bit = checks.iter().position(|other| *other == check).unwrap();
                    if allowed & (1 << bit) != 0 {
                        Outcome::Allow
                    } else {
                        Outcome::Deny
                    }
                })
            };
            let everything = (1_u32 << checks.len()) - 1;
            assert_eq!(outcome(everything), Outcome::Allow, "{}", row.id);
            assert_eq!(
                outcome(0) == Outcome::Allow,
                checks.is_empty(),
                "{}",
                row.id
            );
            for allowed in 0..=everything {
                for bit in 0..checks.len() {
                    assert!(
                        outcome(allowed) <= outcome(allowed | (1 << bit)),
                        "{}",
                        row.id
                    );
                }
            }
        }
    }
    assert!(expanded > 150);
}

#[test]
fn needs_read_as_words() {
    let needs = |api, name| find(api, name).unwrap().needs();
    assert_eq!(
        needs(Api::Kafka, "Produce"),
        "write on each topic and write on each transactional ID named"
    );
    assert_eq!(
        needs(Api::Kafka, "CreateTopics"),
        "create on each topic or create on the cluster"
    );
    assert_eq!(
        needs(Api::Kafka, "Metadata (auto-create)"),
        "describe on each topic and (create on the cluster or create on each topic)"
    );
    assert_eq!(
        needs(Api::Kafka, "DescribeConfigs"),
        "describe_configs on each topic named; without a topic: describe_configs on the cluster"
    );
    assert_eq!(needs(Api::SchemaRegistry, "GET /schemas/types"), "nothing");
    assert_eq!(
        needs(Api::SchemaRegistry, "GET /mode"),
        "describe_configs on the Schema Registry"
    );
    assert_eq!(
        needs(Api::HttpProxy, "post-topics-name"),
        "what the Kafka API needs for Metadata, Produce"
    );
    for row in catalog() {
        assert!(!row.needs().is_empty());
    }
}

#[test]
fn audit_names_the_request_and_not_its_variant() {
    let operation = |api, id| find(api, id).unwrap().audit_operation();
    assert_eq!(
        operation(Api::Kafka, "create-topics-return-configs"),
        "create_topics"
    );
    assert_eq!(operation(Api::Kafka, "offset-commit"), "offset_commit");
    assert_eq!(
        operation(Api::SchemaRegistry, "get-subject-versions"),
        "get_subject_versions"
    );
}

#[test]
fn recipes_need_the_recommended_permissions() {
    let expand = |id: &str, given: &str| recipe(id).unwrap().expand(&resources(given)).unwrap();
    assert_eq!(
        line(&expand("consume", "topic=a group=g")),
        "&(DESCRIBE topic:a, DESCRIBE group:g, READ group:g, READ topic:a)"
    );
    assert_eq!(
        line(&expand("produce", "topic=a")),
        "&(DESCRIBE topic:a, |(IDEMPOTENT_WRITE cluster, WRITE topic:a), WRITE topic:a)"
    );
    assert_eq!(
        line(&expand(
            "produce-transactional",
            "topic=a transactional_id=t"
        )),
        "&(DESCRIBE topic:a, DESCRIBE transactional_id:t, WRITE transactional_id:t, WRITE topic:a)"
    );
    assert_eq!(
        line(&expand("schema-read", "subject=s")),
        "&(READ subject:s, DESCRIBE subject:s)"
    );
    assert_eq!(
        line(&expand("schema-write", "subject=s")),
        "&(READ subject:s, WRITE subject:s)"
    );

    let streams = expand(
        "streams",
        "input_topic=in output_topic=out group=app internal_topic=app-x-changelog",
    );
    // The documentation grants: read the input, write the output, read the group, and everything on
    // internal topics.
    let granted = |check: &RequiredCheck| {
        let text = line(&Requirement::Check(check.clone()));
        let internal = text.ends_with("topic:app-x-changelog");
        let rest = [
            "READ topic:in",
            "DESCRIBE topic:in",
            "WRITE topic:out",
            "DESCRIBE topic:out",
            "READ group:app",
        ];
        if internal || rest.contains(&text.as_str()) || text == "DESCRIBE group:app" {
            Outcome::Allow
        } else {
            Outcome::Deny
        }
    };
    assert_eq!(streams.outcome(granted), Outcome::Allow);
    for operation in ["CREATE", "DELETE", "READ", "WRITE", "DESCRIBE"] {
        let without = format!("{operation} topic:app-x-changelog");
        let outcome = streams.outcome(|check| {
            if line(&Requirement::Check(check.clone())) == without {
                Outcome::Deny
            } else {
                granted(check)
            }
        });
        assert_eq!(outcome, Outcome::Deny, "{without}");
    }
    assert_eq!(RECIPES.len(), 6);
}

#[test]
fn recipes_report_all_faults_of_their_slots() {
    let error = recipe("CONSUME")
        .unwrap()
        .expand(&resources("topic= subject=s"))
        .unwrap_err();
    let codes: Vec<_> = error
        .faults()
        .iter()
        .map(|fault| (fault.path(), fault.code()))
        .collect();
    assert_eq!(
        codes,
        [
            ("resources.subject".to_string(), "resource_unsupported"),
            ("resources.topic".into(), "resource_list_empty"),
            ("resources.group".into(), "resource_missing"),
        ]
    );
    assert_eq!(
        error.to_string(),
        "`consume` does not accept the resource `subject`; the list of `topic` is empty; `consume` needs the resource `group`"
    );
    assert_eq!(recipe("nothing"), None);
}
