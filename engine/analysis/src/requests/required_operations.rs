//! The table of requests and the operations that each requires. The semantics are in `rule.fill` of
//! the parent module.

use super::Api::{HttpProxy, Kafka, SchemaRegistry};
use super::ParameterSpec;
use super::Presence::{OneOf, Optional, Required};
use super::RequestSpec;
use super::Rule::{All, Any, AnyOf, AsKafka, Each, IfNamed, OneOf as AtLeastOne};
use gbac_engine::model::Operation::{
    Alter, AlterConfigs, ClusterAction, Create, Delete, Describe, DescribeConfigs, IdempotentWrite,
    Read, Write,
};
use gbac_engine::model::ResourceType::{Cluster, Group, Registry, Subject, Topic, TransactionalId};

const TOPIC: ParameterSpec = ParameterSpec {
    kind: Topic,
    presence: Required,
};
const MAYBE_TOPIC: ParameterSpec = ParameterSpec {
    kind: Topic,
    presence: Optional,
};
const GROUP: ParameterSpec = ParameterSpec {
    kind: Group,
    presence: Required,
};
const MAYBE_GROUP: ParameterSpec = ParameterSpec {
    kind: Group,
    presence: Optional,
};
const GROUP_OR: ParameterSpec = ParameterSpec {
    kind: Group,
    presence: OneOf,
};
const TXN: ParameterSpec = ParameterSpec {
    kind: TransactionalId,
    presence: Required,
};
const MAYBE_TXN: ParameterSpec = ParameterSpec {
    kind: TransactionalId,
    presence: Optional,
};
const TXN_OR: ParameterSpec = ParameterSpec {
    kind: TransactionalId,
    presence: OneOf,
};
const SUBJECT: ParameterSpec = ParameterSpec {
    kind: Subject,
    presence: Required,
};
const MAYBE_SUBJECT: ParameterSpec = ParameterSpec {
    kind: Subject,
    presence: Optional,
};

/// Requires no ACL.
const OPEN: super::Rule = All(&[]);

type Spec = RequestSpec;

#[rustfmt::skip]
pub(super) const CATALOG: &[RequestSpec] = &[
    // ---- Kafka API: producing and consuming ----
    Spec::new(Kafka, "produce", "Produce", "write records",
        &[TOPIC, MAYBE_TXN],
        All(&[Each(Write, Topic), Each(Write, TransactionalId)]))
        .note("the transactional ID only where the producer is transactional"),
    Spec::new(Kafka, "fetch", "Fetch", "read records",
        &[TOPIC], Each(Read, Topic)),
    Spec::new(Kafka, "list-offsets", "ListOffsets", "look up offsets by time",
        &[TOPIC], Each(Describe, Topic))
        .with_aliases(&["ListOffset"]),
    Spec::new(Kafka, "offset-for-leader-epoch", "OffsetForLeaderEpoch", "look up where a leader's records end",
        &[TOPIC], Any(&[Each(ClusterAction, Cluster), Each(Describe, Topic)]))
        .with_aliases(&["OffsetsForLeaderEpoch"])
        .note("brokers that follow others ask with cluster action"),
    Spec::new(Kafka, "describe-topic-partitions", "DescribeTopicPartitions", "look up the partitions of topics, page by page",
        &[TOPIC], Each(Describe, Topic))
        .note("Apache Kafka 3.8 and later"),
    Spec::new(Kafka, "metadata", "Metadata", "look up topics, partitions and brokers",
        &[MAYBE_TOPIC], Each(Describe, Topic))
        .note("without a topic the answer lists the topics that may be described"),
    Spec::new(Kafka, "metadata-auto-create", "Metadata (auto-create)", "look up topics and create those that are missing",
        &[TOPIC],
        All(&[Each(Describe, Topic), Any(&[Each(Create, Cluster), Each(Create, Topic)])]))
        .variant_of("metadata"),
    Spec::new(Kafka, "init-producer-id", "InitProducerID", "get a producer id, for idempotent or transactional writes",
        &[MAYBE_TOPIC, MAYBE_TXN],
        Any(&[Each(IdempotentWrite, Cluster), IfNamed(TransactionalId,
            &Any(&[AtLeastOne(Write, Topic), AtLeastOne(Write, TransactionalId)]), &AnyOf(Write, Topic))]))
        .note("write on any topic of the cluster is enough; a transactional producer is \
               judged by its transactional ID alone, which `init-producer-id-transactional` asks for"),
    Spec::new(Kafka, "init-producer-id-transactional", "InitProducerID (transactional)", "get a transactional producer id",
        &[TXN], Each(Write, TransactionalId))
        .variant_of("init-producer-id"),

    // ---- Kafka API: consumer groups ----
    Spec::new(Kafka, "find-coordinator", "FindCoordinator", "find the broker of a consumer group or a transaction",
        &[GROUP_OR, TXN_OR], All(&[Each(Describe, Group), Each(Describe, TransactionalId)]))
        .note("what is named decides"),
    Spec::new(Kafka, "offset-commit", "OffsetCommit", "store a consumer group's offsets",
        &[GROUP, TOPIC], All(&[Each(Read, Group), Each(Read, Topic)])),
    Spec::new(Kafka, "offset-fetch", "OffsetFetch", "read a consumer group's offsets",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Describe, Group), Each(Describe, Topic)]))
        .note("without a topic the answer holds the topics that may be described"),
    Spec::new(Kafka, "offset-delete", "OffsetDelete", "remove a consumer group's offsets",
        &[GROUP, TOPIC], All(&[Each(Delete, Group), Each(Read, Topic)])),
    Spec::new(Kafka, "join-group", "JoinGroup", "join a consumer group",
        &[GROUP], Each(Read, Group)),
    Spec::new(Kafka, "sync-group", "SyncGroup", "get the partitions to consume",
        &[GROUP], Each(Read, Group)),
    Spec::new(Kafka, "heartbeat", "Heartbeat", "stay in a consumer group",
        &[GROUP], Each(Read, Group)),
    Spec::new(Kafka, "leave-group", "LeaveGroup", "leave a consumer group",
        &[GROUP], Each(Read, Group)),
    Spec::new(Kafka, "consumer-group-heartbeat", "ConsumerGroupHeartbeat", "join a consumer group, stay in it and leave it",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Read, Group), Each(Describe, Topic)]))
        .note("Apache Kafka 4.0 and later (KIP-848); name the topics that the consumer subscribes to"),

    // ---- Kafka API: share groups, of Apache Kafka 4.2 and later (KIP-932) ----
    Spec::new(Kafka, "share-group-heartbeat", "ShareGroupHeartbeat", "join a share group, stay in it and leave it",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Read, Group), Each(Describe, Topic)]))
        .note("name the topics that the consumer subscribes to"),
    Spec::new(Kafka, "share-fetch", "ShareFetch", "read records as a member of a share group",
        &[GROUP, TOPIC], All(&[Each(Read, Group), Each(Read, Topic)])),
    Spec::new(Kafka, "share-acknowledge", "ShareAcknowledge", "acknowledge records that a share group has read",
        &[GROUP, TOPIC], All(&[Each(Read, Group), Each(Read, Topic)])),

    // ---- Kafka API: transactions ----
    Spec::new(Kafka, "add-partitions-to-txn", "AddPartitionsToTxn", "add partitions to a transaction",
        &[TXN, TOPIC], All(&[Each(Write, TransactionalId), Each(Write, Topic)])),
    Spec::new(Kafka, "add-offsets-to-txn", "AddOffsetsToTxn", "add a consumer group's offsets to a transaction",
        &[TXN, GROUP], All(&[Each(Write, TransactionalId), Each(Read, Group)])),
    Spec::new(Kafka, "end-txn", "EndTxn", "commit or abort a transaction",
        &[TXN], Each(Write, TransactionalId)),
    Spec::new(Kafka, "txn-offset-commit", "TxnOffsetCommit", "store offsets within a transaction",
        &[TXN, GROUP, TOPIC], All(&[Each(Write, TransactionalId), Each(Read, Group), Each(Read, Topic)])),

    // ---- Kafka API: administration ----
    Spec::new(Kafka, "create-topics", "CreateTopics", "create topics",
        &[TOPIC], Any(&[Each(Create, Topic), Each(Create, Cluster)])),
    Spec::new(Kafka, "create-topics-return-configs", "CreateTopics (return configs)", "create topics and see their configuration",
        &[TOPIC], All(&[Any(&[Each(Create, Topic), Each(Create, Cluster)]), Each(DescribeConfigs, Topic)]))
        .variant_of("create-topics"),
    Spec::new(Kafka, "create-partitions", "CreatePartitions", "add partitions to topics",
        &[TOPIC], Each(Alter, Topic)),
    Spec::new(Kafka, "delete-topics", "DeleteTopics", "delete topics",
        &[TOPIC], Each(Delete, Topic)),
    Spec::new(Kafka, "delete-topics-by-id", "DeleteTopics (by topic ID)", "delete topics that are given by their ID",
        &[TOPIC], All(&[Each(Delete, Topic), Each(Describe, Topic)]))
        .variant_of("delete-topics"),
    Spec::new(Kafka, "delete-records", "DeleteRecords", "delete records up to an offset",
        &[TOPIC], Each(Delete, Topic)),
    Spec::new(Kafka, "describe-groups", "DescribeGroups", "look at consumer groups",
        &[GROUP], Each(Describe, Group))
        .with_aliases(&["DescribeGroup"]),
    Spec::new(Kafka, "consumer-group-describe", "ConsumerGroupDescribe", "look at consumer groups and their assignments",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Describe, Group), Each(Describe, Topic)]))
        .note("Apache Kafka 4.0 and later (KIP-848); a group is shown only if every topic of its members may be described"),
    Spec::new(Kafka, "share-group-describe", "ShareGroupDescribe", "look at share groups and their assignments",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Describe, Group), Each(Describe, Topic)]))
        .note("a group is shown only if every topic of its members may be described"),
    Spec::new(Kafka, "describe-share-group-offsets", "DescribeShareGroupOffsets", "read where a share group begins to read",
        &[GROUP, MAYBE_TOPIC], All(&[Each(Describe, Group), Each(Describe, Topic)]))
        .note("without a topic the answer holds the topics that may be described"),
    Spec::new(Kafka, "alter-share-group-offsets", "AlterShareGroupOffsets", "set where a share group begins to read",
        &[GROUP, TOPIC], All(&[Each(Read, Group), Each(Read, Topic)])),
    Spec::new(Kafka, "delete-share-group-offsets", "DeleteShareGroupOffsets", "remove a share group's offsets",
        &[GROUP, TOPIC], All(&[Each(Delete, Group), Each(Read, Topic)])),
    Spec::new(Kafka, "delete-groups", "DeleteGroups", "delete consumer groups",
        &[GROUP], Each(Delete, Group)),
    Spec::new(Kafka, "list-groups", "ListGroups", "list consumer groups",
        &[MAYBE_GROUP], Any(&[IfNamed(Group, &Each(Describe, Group), &AnyOf(Describe, Group)), Each(Describe, Cluster)]))
        .note("describe on the cluster lists every group; otherwise the list holds the groups that may be described"),
    Spec::new(Kafka, "create-acls", "CreateACLs", "create ACLs",
        &[], Each(Alter, Cluster)),
    Spec::new(Kafka, "delete-acls", "DeleteACLs", "delete ACLs",
        &[], Each(Alter, Cluster)),
    Spec::new(Kafka, "describe-acls", "DescribeACLs", "list ACLs",
        &[], Each(Describe, Cluster)),
    Spec::new(Kafka, "describe-configs", "DescribeConfigs", "read the configuration of topics or brokers",
        &[MAYBE_TOPIC], IfNamed(Topic, &Each(DescribeConfigs, Topic), &Each(DescribeConfigs, Cluster)))
        .note("without a topic: of brokers"),
    Spec::new(Kafka, "alter-configs", "AlterConfigs", "replace the configuration of topics or brokers",
        &[MAYBE_TOPIC], IfNamed(Topic, &Each(AlterConfigs, Topic), &Each(AlterConfigs, Cluster)))
        .note("without a topic: of brokers"),
    Spec::new(Kafka, "incremental-alter-configs", "IncrementalAlterConfigs", "change the configuration of topics or brokers",
        &[MAYBE_TOPIC], IfNamed(Topic, &Each(AlterConfigs, Topic), &Each(AlterConfigs, Cluster)))
        .note("without a topic: of brokers"),
    Spec::new(Kafka, "alter-partition-reassignments", "AlterPartitionReassignments", "move partitions between brokers",
        &[], Each(Alter, Cluster))
        .with_aliases(&["AlterPartitionAssignments"]),
    Spec::new(Kafka, "list-partition-reassignments", "ListPartitionReassignments", "list partitions on the move",
        &[], Each(Describe, Cluster)),
    Spec::new(Kafka, "alter-replica-log-dirs", "AlterReplicaLogDirs", "move replicas between disks",
        &[], Each(Alter, Cluster)),
    Spec::new(Kafka, "describe-log-dirs", "DescribeLogDirs", "look at the disks of brokers",
        &[], Each(Describe, Cluster)),
    Spec::new(Kafka, "alter-client-quotas", "AlterClientQuotas", "change client quotas",
        &[], Each(Alter, Cluster)),
    Spec::new(Kafka, "describe-client-quotas", "DescribeClientQuotas", "read client quotas",
        &[], Each(DescribeConfigs, Cluster)),
    Spec::new(Kafka, "alter-user-scram-creds", "AlterUserScramCreds", "change SCRAM credentials of users",
        &[], Each(Alter, Cluster))
        .with_aliases(&["AlterUserScramCredentials"]),
    Spec::new(Kafka, "describe-user-scram-creds", "DescribeUserScramCreds", "list users with SCRAM credentials",
        &[], Each(DescribeConfigs, Cluster))
        .with_aliases(&["DescribeUserScramCredentials"]),
    Spec::new(Kafka, "describe-producers", "DescribeProducers", "look at the producers of topics",
        &[TOPIC], Each(Read, Topic)),
    Spec::new(Kafka, "describe-transactions", "DescribeTransactions", "look at transactions",
        &[TXN, MAYBE_TOPIC], All(&[Each(Describe, TransactionalId), Each(Describe, Topic)]))
        .note("the answer holds the topics that may be described"),
    Spec::new(Kafka, "list-transactions", "ListTransactions", "list transactions",
        &[MAYBE_TXN], Each(Describe, TransactionalId))
        .note("without a transactional ID the list holds the transactions that may be described"),

    // ---- Schema Registry: configuration and mode ----
    Spec::new(SchemaRegistry, "get-config", "GET /config", "read the compatibility level of the registry",
        &[], Each(DescribeConfigs, Registry)),
    Spec::new(SchemaRegistry, "put-config", "PUT /config", "set the compatibility level of the registry",
        &[], Each(AlterConfigs, Registry)),
    Spec::new(SchemaRegistry, "get-config-subject", "GET /config/{subject}", "read the compatibility level of a subject",
        &[SUBJECT], Each(DescribeConfigs, Subject)),
    Spec::new(SchemaRegistry, "put-config-subject", "PUT /config/{subject}", "set the compatibility level of a subject",
        &[SUBJECT], Each(AlterConfigs, Subject)),
    Spec::new(SchemaRegistry, "delete-config-subject", "DELETE /config/{subject}", "drop the compatibility level of a subject",
        &[SUBJECT], Each(AlterConfigs, Subject)),
    Spec::new(SchemaRegistry, "get-mode", "GET /mode", "read the mode of the registry",
        &[], Each(DescribeConfigs, Registry)),
    Spec::new(SchemaRegistry, "put-mode", "PUT /mode", "set the mode of the registry",
        &[], Each(AlterConfigs, Registry)),
    Spec::new(SchemaRegistry, "get-mode-subject", "GET /mode/{subject}", "read the mode of a subject",
        &[SUBJECT], Each(DescribeConfigs, Subject)),
    Spec::new(SchemaRegistry, "put-mode-subject", "PUT /mode/{subject}", "set the mode of a subject",
        &[SUBJECT], Each(AlterConfigs, Subject)),
    Spec::new(SchemaRegistry, "delete-mode-subject", "DELETE /mode/{subject}", "drop the mode of a subject",
        &[SUBJECT], Each(AlterConfigs, Subject)),

    // ---- Schema Registry: schemas by id ----
    Spec::new(SchemaRegistry, "get-schemas-types", "GET /schemas/types", "list the types of schemas",
        &[], OPEN)
        .note("open to everyone"),
    Spec::new(SchemaRegistry, "get-schemas-ids-id", "GET /schemas/ids/{id}", "read a schema by its id",
        &[SUBJECT], AtLeastOne(Read, Subject))
        .note("name the subjects that have the schema: read on one of them is enough"),
    Spec::new(SchemaRegistry, "get-schemas-ids-id-versions", "GET /schemas/ids/{id}/versions", "list the subjects and versions of a schema",
        &[], Each(Describe, Registry)),
    Spec::new(SchemaRegistry, "get-schemas-ids-id-subjects", "GET /schemas/ids/{id}/subjects", "list the subjects of a schema",
        &[], Each(Describe, Registry)),

    // ---- Schema Registry: subjects ----
    Spec::new(SchemaRegistry, "get-subjects", "GET /subjects", "list subjects",
        &[MAYBE_SUBJECT], Each(Describe, Subject))
        .note("the list holds the subjects that may be described; without a subject the request itself needs nothing"),
    Spec::new(SchemaRegistry, "get-subject-versions", "GET /subjects/{subject}/versions", "list the versions of a subject",
        &[SUBJECT], Each(Describe, Subject)),
    Spec::new(SchemaRegistry, "post-subject", "POST /subjects/{subject}", "check whether a subject has a schema",
        &[SUBJECT], Each(Read, Subject)),
    Spec::new(SchemaRegistry, "post-subject-versions", "POST /subjects/{subject}/versions", "register a schema",
        &[SUBJECT], Each(Write, Subject)),
    Spec::new(SchemaRegistry, "get-subject-versions-version", "GET /subjects/{subject}/versions/{version}", "read a version of a subject",
        &[SUBJECT], Each(Read, Subject)),
    Spec::new(SchemaRegistry, "get-subject-versions-version-schema", "GET /subjects/{subject}/versions/{version}/schema",
        "read the schema of a version",
        &[SUBJECT], Each(Read, Subject)),
    Spec::new(SchemaRegistry, "get-subject-versions-version-referenced-by",
        "GET /subjects/{subject}/versions/{version}/referencedby", "list the schemas that refer to a version",
        &[MAYBE_SUBJECT], Each(Describe, Registry))
        .note("asked of the registry as a whole: the subject in the path does not count"),
    Spec::new(SchemaRegistry, "delete-subject", "DELETE /subjects/{subject}", "delete a subject",
        &[SUBJECT], Each(Delete, Subject)),
    Spec::new(SchemaRegistry, "delete-subject-version", "DELETE /subjects/{subject}/versions/{version}", "delete a version of a subject",
        &[SUBJECT], Each(Delete, Subject)),
    Spec::new(SchemaRegistry, "compatibility-subject-version", "POST /compatibility/subjects/{subject}/versions/{version}",
        "check whether a schema is compatible",
        &[SUBJECT], Each(Read, Subject)),

    // ---- Schema Registry: state and ACLs ----
    Spec::new(SchemaRegistry, "schema-registry-status-ready", "GET /status/ready", "ask whether the registry is ready",
        &[], OPEN)
        .note("open to everyone"),
    Spec::new(SchemaRegistry, "get-security-acls", "GET /security/acls", "list ACLs of the registry",
        &[], Each(Describe, Cluster)),
    Spec::new(SchemaRegistry, "post-security-acls", "POST /security/acls", "create ACLs of the registry",
        &[], Each(Alter, Cluster)),
    Spec::new(SchemaRegistry, "delete-security-acls", "DELETE /security/acls", "delete ACLs of the registry",
        &[], Each(Alter, Cluster)),

    // ---- HTTP Proxy: each endpoint sends Kafka API requests as the caller ----
    Spec::new(HttpProxy, "get-topics-names", "GET /topics", "list topics",
        &[MAYBE_TOPIC], AsKafka(&["metadata"]))
        .note("the list holds the topics that may be described; without a topic the request itself needs nothing"),
    Spec::new(HttpProxy, "get-brokers", "GET /brokers", "list brokers",
        &[], AsKafka(&["metadata"])),
    Spec::new(HttpProxy, "post-topics-name", "POST /topics/{topic}", "write records to a topic",
        &[TOPIC], AsKafka(&["metadata", "produce"])),
    Spec::new(HttpProxy, "get-topics-records", "GET /topics/{topic}/partitions/{partition}/records", "read records of a partition",
        &[TOPIC], AsKafka(&["metadata", "fetch"])),
    Spec::new(HttpProxy, "create-consumer", "POST /consumers/{group}", "create a consumer in a consumer group",
        &[GROUP], AsKafka(&["find-coordinator", "join-group", "sync-group", "heartbeat"])),
    Spec::new(HttpProxy, "subscribe-consumer", "POST /consumers/{group}/instances/{instance}/subscription", "subscribe a consumer to topics",
        &[GROUP, TOPIC], AsKafka(&["join-group", "metadata", "sync-group"])),
    Spec::new(HttpProxy, "consumer-fetch", "GET /consumers/{group}/instances/{instance}/records", "read records of the subscribed topics",
        &[GROUP, TOPIC], AsKafka(&["heartbeat", "fetch"]))
        .note("name the topics that the consumer is subscribed to"),
    Spec::new(HttpProxy, "get-consumer-offsets", "GET /consumers/{group}/instances/{instance}/offsets", "read a consumer's offsets",
        &[GROUP, TOPIC], AsKafka(&["offset-fetch"])),
    Spec::new(HttpProxy, "post-consumer-offsets", "POST /consumers/{group}/instances/{instance}/offsets", "commit a consumer's offsets",
        &[GROUP, TOPIC], AsKafka(&["offset-commit"])),
    Spec::new(HttpProxy, "remove-consumer", "DELETE /consumers/{group}/instances/{instance}", "remove a consumer",
        &[GROUP], AsKafka(&["leave-group"])),
    Spec::new(HttpProxy, "http-rest-status-ready", "GET /status/ready", "ask whether the proxy is ready",
        &[], OPEN)
        .note("open to everyone"),
];
