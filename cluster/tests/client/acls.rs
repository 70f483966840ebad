//! ACLs: what is read, what is sent, and what is said about each.

use std::sync::atomic::{AtomicUsize, Ordering};

use gbac_api::service::GroupAclMatching;
use gbac_cluster::{AclOutcome, BATCH, KafkaCluster, RawAcl};
use kafka_protocol::messages::create_acls_response::{AclCreationResult, CreateAclsResponse};
use kafka_protocol::messages::delete_acls_response::{
    DeleteAclsFilterResult, DeleteAclsMatchingAcl, DeleteAclsResponse,
};
use kafka_protocol::messages::describe_acls_response::{
    AclDescription, DescribeAclsResource, DescribeAclsResponse,
};
use kafka_protocol::messages::describe_cluster_response::{
    DescribeClusterBroker, DescribeClusterResponse,
};
use kafka_protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResponse, DescribeConfigsResult,
};
use kafka_protocol::messages::{
    ApiKey, CreateAclsRequest, DeleteAclsRequest, DescribeAclsRequest, DescribeConfigsRequest,
};
use kafka_protocol::protocol::StrBytes;

use crate::double::{Asked, Double, Reply};

const CALLS: &[(ApiKey, i16, i16)] = &[
    (ApiKey::DescribeAcls, 1, 3),
    (ApiKey::CreateAcls, 1, 3),
    (ApiKey::DeleteAcls, 1, 3),
    (ApiKey::DescribeCluster, 0, 1),
    (ApiKey::DescribeConfigs, 1, 4),
];

async fn broker(
    answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) -> (Double, KafkaCluster) {
    let double = Double::start(move |asked| match asked.key {
        ApiKey::ApiVersions => asked.versions(CALLS),
        _ => answer(asked),
    })
    .await;
    let cluster = KafkaCluster::connect(double.properties("")).await;
    (double, cluster.expect("a broker"))
}

fn acl(number: usize) -> RawAcl {
    RawAcl {
        resource_type: 2,
        resource_name: format!("topic-{number}"),
        pattern_type: 3,
        principal: "User:a".into(),
        host: "*".into(),
        operation: 3,
        permission: 3,
    }
}

fn described(acl: &RawAcl) -> DescribeAclsResource {
    let text = |text: &str| StrBytes::from_string(text.to_owned());
    let description = AclDescription::default()
        .with_principal(text(&acl.principal))
        .with_host(text(&acl.host))
        .with_operation(acl.operation)
        .with_permission_type(acl.permission);
    DescribeAclsResource::default()
        .with_resource_type(acl.resource_type)
        .with_resource_name(text(&acl.resource_name))
        .with_pattern_type(acl.pattern_type)
        .with_acls(vec![description])
}

#[tokio::test]
async fn unknown_numbers_are_kept_in_every_version() {
    let stored = [
        acl(1),
        RawAcl {
            resource_type: 77,
            ..acl(2)
        },
        RawAcl {
            operation: -1,
            ..acl(3)
        },
        RawAcl {
            permission: 9,
            host: "\u{1b}[31m".into(),
            ..acl(4)
        },
    ];
    for last in 1..=3 {
        let resources: Vec<_> = stored.iter().map(described).collect();
        let double = Double::start(move |asked| match asked.key {
            ApiKey::ApiVersions => asked.versions(&[(ApiKey::DescribeAcls, 0, last)]),
            _ => {
                let request: DescribeAclsRequest = asked.read();
                assert_eq!(
                    (request.resource_type_filter, request.pattern_type_filter),
                    (1, 1)
                );
                assert_eq!((request.operation, request.permission_type), (1, 1));
                assert_eq!(asked.version, last);
                asked.answer(&DescribeAclsResponse::default().with_resources(resources.clone()))
            }
        })
        .await;
        let mut cluster = KafkaCluster::connect(double.properties(""))
            .await
            .expect("a broker");
        let found = cluster.acls().await.expect("ACLs");
        assert_eq!(found.known, [stored[0].to_acl().expect("a known ACL")]);
        assert_eq!(found.unknown, stored[1..]);
        assert!(found.unknown[2].to_string().contains(r"\u{1b}[31m"));
    }
}

fn created(asked: &Asked, numbers: &[i16]) -> Reply {
    let result = |number: &i16| AclCreationResult::default().with_error_code(*number);
    asked.answer(&CreateAclsResponse::default().with_results(numbers.iter().map(result).collect()))
}

#[tokio::test]
async fn every_acl_has_its_own_outcome() {
    let (_double, mut cluster) = broker(|asked| {
        let request: CreateAclsRequest = asked.read();
        assert_eq!(&*request.creations[2].resource_name, "topic-2");
        created(asked, &[0, 31, 0, 7])
    })
    .await;
    let acls: Vec<RawAcl> = (0..4).map(acl).collect();
    let outcomes = cluster.create(&acls).await;
    assert_eq!(
        (&outcomes[0], &outcomes[2]),
        (&AclOutcome::Applied, &AclOutcome::Applied)
    );
    match &outcomes[1] {
        AclOutcome::Refused(refusal) => assert_eq!(refusal.name(), "CLUSTER_AUTHORIZATION_FAILED"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(&outcomes[3], AclOutcome::Unknown(error) if error.code() == "kafka_refused"));
}

#[tokio::test]
async fn batches_keep_the_order_and_stop_where_the_answer_is_missing() {
    let count = AtomicUsize::new(0);
    let (double, mut cluster) = broker(move |asked| {
        let request: CreateAclsRequest = asked.read();
        match count.fetch_add(1, Ordering::Relaxed) {
            0 => created(asked, &vec![0; request.creations.len()]),
            _ => Reply::Close,
        }
    })
    .await;
    let acls: Vec<RawAcl> = (0..2 * BATCH + 1).map(acl).collect();
    let outcomes = cluster.create(&acls).await;
    assert_eq!(outcomes.len(), acls.len());
    assert!(
        outcomes[..BATCH]
            .iter()
            .all(|of| *of == AclOutcome::Applied)
    );
    assert!(
        outcomes[BATCH..2 * BATCH]
            .iter()
            .all(|of| matches!(of, AclOutcome::Unknown(_)))
    );
    assert!(matches!(outcomes[2 * BATCH], AclOutcome::NotSent(_)));
    // A change is never sent twice.
    let asked = double.asked.lock().expect("no panic").clone();
    assert_eq!(
        asked
            .iter()
            .filter(|key| **key == ApiKey::CreateAcls)
            .count(),
        2
    );
}

#[tokio::test]
async fn what_the_broker_could_not_begin_is_sent_again() {
    let count = AtomicUsize::new(0);
    let (_double, mut cluster) = broker(move |asked| match count.fetch_add(1, Ordering::Relaxed) {
        0 => created(asked, &[0, 41, 42]),
        1 => {
            let request: CreateAclsRequest = asked.read();
            assert_eq!(
                (
                    request.creations.len(),
                    &*request.creations[0].resource_name
                ),
                (1, "topic-1")
            );
            created(asked, &[0])
        }
        _ => Reply::Close,
    })
    .await;
    let outcomes = cluster.create(&[acl(0), acl(1), acl(2)]).await;
    assert_eq!(outcomes[..2], [AclOutcome::Applied, AclOutcome::Applied]);
    assert!(matches!(outcomes[2], AclOutcome::Refused(_)));
}

#[tokio::test]
async fn few_are_deleted_at_once_where_there_are_many() {
    let (double, mut cluster) = broker(|asked| match asked.key {
        ApiKey::DescribeAcls => {
            let resources = (0..20_000).map(|number| described(&acl(number)));
            asked.answer(&DescribeAclsResponse::default().with_resources(resources.collect()))
        }
        _ => {
            let request: DeleteAclsRequest = asked.read();
            assert!(request.filters.len() <= 100, "{}", request.filters.len());
            let found = DeleteAclsFilterResult::default()
                .with_matching_acls(vec![DeleteAclsMatchingAcl::default()]);
            let results = vec![found; request.filters.len()];
            asked.answer(&DeleteAclsResponse::default().with_filter_results(results))
        }
    })
    .await;
    cluster.acls().await.expect("ACLs");
    let acls: Vec<RawAcl> = (0..250).map(acl).collect();
    assert_eq!(cluster.delete(&acls).await, vec![AclOutcome::Applied; 250]);
    let asked = double.asked.lock().expect("no panic").clone();
    assert_eq!(asked[2..], [ApiKey::DeleteAcls; 3]);
}

#[tokio::test]
async fn deletes_exactly_what_it_is_told() {
    let (_double, mut cluster) = broker(|asked| {
        let request: DeleteAclsRequest = asked.read();
        let first = &request.filters[0];
        assert_eq!(first.resource_name_filter.as_deref(), Some("topic-0"));
        assert_eq!((first.pattern_type_filter, first.operation), (3, 3));
        assert_eq!(first.host_filter.as_deref(), Some("*"));
        let found = DeleteAclsFilterResult::default()
            .with_matching_acls(vec![DeleteAclsMatchingAcl::default()]);
        let half = DeleteAclsMatchingAcl::default().with_error_code(31);
        let half = DeleteAclsFilterResult::default().with_matching_acls(vec![half]);
        let results = vec![found, DeleteAclsFilterResult::default(), half];
        assert_eq!(request.filters.len(), results.len());
        asked.answer(&DeleteAclsResponse::default().with_filter_results(results))
    })
    .await;
    // Its numbers are those of filters for many ACLs.
    let many = RawAcl {
        pattern_type: 2,
        ..acl(3)
    };
    let outcomes = cluster.delete(&[acl(0), many, acl(1), acl(2)]).await;
    assert_eq!(outcomes[0], AclOutcome::Applied);
    assert!(
        matches!(&outcomes[1], AclOutcome::NotSent(error) if error.code() == "kafka_not_one_acl")
    );
    assert_eq!(outcomes[2], AclOutcome::Absent);
    assert!(matches!(outcomes[3], AclOutcome::Refused(_)));
}

#[tokio::test]
async fn an_answer_for_fewer_acls_leaves_all_of_them_unknown() {
    let (_double, mut cluster) = broker(|asked| created(asked, &[0])).await;
    let outcomes = cluster.create(&[acl(0), acl(1)]).await;
    assert!(
        outcomes
            .iter()
            .all(|of| matches!(of, AclOutcome::Unknown(_)))
    );
    let long = RawAcl {
        principal: format!("User:{}", "x".repeat(5_000_000)),
        ..acl(0)
    };
    assert_eq!(cluster.create(&[long]).await.len(), 1);
}

/// A cluster with two brokers, of which the second one is asked.
async fn with_authorizer(class: Option<&'static str>, error: i16) -> KafkaCluster {
    let (_double, cluster) = broker(move |asked| match asked.key {
        ApiKey::DescribeCluster => {
            let broker = |id: i32| {
                DescribeClusterBroker::default()
                    .with_broker_id(id.into())
                    .with_host(StrBytes::from_static_str("broker"))
                    .with_port(9092)
            };
            let answer = DescribeClusterResponse::default()
                .with_cluster_id(StrBytes::from_static_str("c"))
                .with_controller_id(1.into())
                .with_brokers(vec![broker(2), broker(1)]);
            asked.answer(&answer)
        }
        _ => {
            let request: DescribeConfigsRequest = asked.read();
            let is_other = &*request.resources[0].resource_name == "1";
            let value = class.map(StrBytes::from_static_str);
            let config = DescribeConfigsResourceResult::default()
                .with_name(StrBytes::from_static_str("authorizer.class.name"))
                .with_value(value);
            let result = DescribeConfigsResult::default()
                .with_error_code(if is_other { 42 } else { error })
                .with_configs(vec![config]);
            asked.answer(&DescribeConfigsResponse::default().with_results(vec![result]))
        }
    })
    .await;
    cluster
}

#[tokio::test]
async fn says_whether_acls_of_groups_count() {
    for (class, expected) in [
        ("gbac.kafka.GroupAuthorizer", GroupAclMatching::Plugin),
        (
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            GroupAclMatching::Ignored,
        ),
        ("", GroupAclMatching::NoAuthorizer),
        ("com.example.Authorizer", GroupAclMatching::Unknown),
    ] {
        let info = with_authorizer(Some(class), 0)
            .await
            .describe()
            .await
            .expect("a cluster");
        assert_eq!(
            (info.group_acls, info.authorizer.as_deref()),
            (expected, Some(class))
        );
        assert_eq!((info.brokers[0].id, info.controller), (1, Some(1)));
    }
    let info = with_authorizer(None, 31)
        .await
        .describe()
        .await
        .expect("a cluster");
    assert_eq!(info.group_acls, GroupAclMatching::Unknown);
    let hint = info.unseen.expect("a refusal").to_string();
    assert!(
        hint.contains("--operation DescribeConfigs --cluster"),
        "{hint}"
    );
}
