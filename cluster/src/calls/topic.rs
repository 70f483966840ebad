//! The calls about the records of a topic.

use kafka_protocol::messages::{
    CreateTopicsRequest, CreateTopicsResponse, DeleteRecordsRequest, DeleteRecordsResponse,
    FetchRequest, FetchResponse, ListOffsetsRequest, ListOffsetsResponse, ProduceRequest,
    ProduceResponse,
};

use super::{Call, MIB};
use crate::guard::{Part, Shape};

/// Brokers that may lead a partition.
const ENDPOINTS: Part = Part::Tagged(
    0,
    &[Part::Array(&[
        Part::Fixed(4),
        Part::Text,
        Part::Fixed(4),
        Part::Text,
    ])],
);

impl Call for ProduceRequest {
    const KEY: i16 = 0;
    const NAME: &'static str = "Produce";
    // The last one names the topic by its ID.
    const VERSIONS: (i16, i16) = (3, 13);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Array(&[
                Part::Until(12, &[Part::Text]),
                Part::Since(13, &[Part::Fixed(16)]),
                Part::Array(&[
                    Part::Fixed(22),
                    Part::Since(5, &[Part::Fixed(8)]),
                    Part::Since(8, &[Part::Array(&[Part::Fixed(4), Part::Text]), Part::Text]),
                    Part::Tagged(0, &[Part::Structure(&[Part::Fixed(8)])]),
                ]),
            ]),
            Part::Fixed(4),
            ENDPOINTS,
        ],
        flexible: 9,
    };
    type Answer = ProduceResponse;
}

impl Call for FetchRequest {
    const KEY: i16 = 1;
    const NAME: &'static str = "Fetch";
    // The last one names the topic by its ID.
    const VERSIONS: (i16, i16) = (4, 13);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(4),
            Part::Since(7, &[Part::Fixed(6)]),
            Part::Array(&[
                Part::Until(12, &[Part::Text]),
                Part::Since(13, &[Part::Fixed(16)]),
                Part::Array(&[
                    Part::Fixed(22),
                    Part::Since(5, &[Part::Fixed(8)]),
                    Part::Array(&[Part::Fixed(16)]),
                    Part::Since(11, &[Part::Fixed(4)]),
                    Part::Bytes,
                    Part::Tagged(0, &[Part::Structure(&[Part::Fixed(12)])]),
                    Part::Tagged(1, &[Part::Structure(&[Part::Fixed(8)])]),
                    Part::Tagged(2, &[Part::Structure(&[Part::Fixed(12)])]),
                ]),
            ]),
        ],
        flexible: 12,
    };
    const LIMIT: usize = 64 * MIB;
    type Answer = FetchResponse;
}

impl Call for ListOffsetsRequest {
    const KEY: i16 = 2;
    const NAME: &'static str = "ListOffsets";
    const VERSIONS: (i16, i16) = (1, 5);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Since(2, &[Part::Fixed(4)]),
            Part::Array(&[
                Part::Text,
                Part::Array(&[Part::Fixed(22), Part::Since(4, &[Part::Fixed(4)])]),
            ]),
        ],
        flexible: i16::MAX,
    };
    type Answer = ListOffsetsResponse;
}

impl Call for CreateTopicsRequest {
    const KEY: i16 = 19;
    const NAME: &'static str = "CreateTopics";
    const VERSIONS: (i16, i16) = (2, 4);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(4),
            Part::Array(&[Part::Text, Part::Fixed(2), Part::Text]),
        ],
        flexible: i16::MAX,
    };
    type Answer = CreateTopicsResponse;
}

impl Call for DeleteRecordsRequest {
    const KEY: i16 = 21;
    const NAME: &'static str = "DeleteRecords";
    const VERSIONS: (i16, i16) = (0, 1);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(4),
            Part::Array(&[Part::Text, Part::Array(&[Part::Fixed(14)])]),
        ],
        flexible: i16::MAX,
    };
    type Answer = DeleteRecordsResponse;
}

#[cfg(test)]
mod tests {
    use bytes::{Bytes, BytesMut};
    use kafka_protocol::messages::create_topics_response::CreatableTopicResult;
    use kafka_protocol::messages::delete_records_response::{
        DeleteRecordsPartitionResult, DeleteRecordsTopicResult,
    };
    use kafka_protocol::messages::fetch_response::{
        AbortedTransaction, EpochEndOffset, FetchableTopicResponse, LeaderIdAndEpoch,
        PartitionData, SnapshotId,
    };
    use kafka_protocol::messages::list_offsets_response::{
        ListOffsetsPartitionResponse, ListOffsetsTopicResponse,
    };
    use kafka_protocol::messages::produce_response::{
        BatchIndexAndErrorMessage, NodeEndpoint, PartitionProduceResponse, TopicProduceResponse,
    };
    use kafka_protocol::protocol::Encodable;

    use super::super::tests::{check, text};
    use super::*;

    #[test]
    fn answers_about_records_are_guarded() {
        let reason = BatchIndexAndErrorMessage::default();
        let partition = PartitionProduceResponse::default();
        let topic = TopicProduceResponse::default()
            .with_name(text().into())
            .with_partition_responses(vec![partition.clone(), partition]);
        check::<ProduceRequest>(&ProduceResponse::default().with_responses(vec![topic]));
        let transaction = AbortedTransaction::default();
        let partition = PartitionData::default()
            .with_aborted_transactions(Some(vec![transaction; 2]))
            .with_records(Some(Bytes::from_static(b"records")));
        let topic = FetchableTopicResponse::default()
            .with_topic(text().into())
            .with_partitions(vec![partition]);
        check::<FetchRequest>(&FetchResponse::default().with_responses(vec![topic; 2]));
        // What only new versions have.
        let partition = PartitionProduceResponse::default()
            .with_record_errors(vec![reason; 2])
            .with_current_leader(
                kafka_protocol::messages::produce_response::LeaderIdAndEpoch::default()
                    .with_leader_epoch(7),
            );
        let topic = TopicProduceResponse::default().with_partition_responses(vec![partition]);
        let endpoint = NodeEndpoint::default().with_host(text());
        let answer = ProduceResponse::default()
            .with_responses(vec![topic])
            .with_node_endpoints(vec![endpoint]);
        let mut bytes = BytesMut::new();
        answer.encode(&mut bytes, 13).expect("an answer");
        assert_eq!(ProduceRequest::SHAPE.check(13, &bytes), Ok(()));
        let partition = PartitionData::default()
            .with_diverging_epoch(EpochEndOffset::default().with_epoch(7))
            .with_current_leader(LeaderIdAndEpoch::default().with_leader_epoch(7))
            .with_snapshot_id(SnapshotId::default().with_epoch(7));
        let topic = FetchableTopicResponse::default().with_partitions(vec![partition]);
        let answer = FetchResponse::default().with_responses(vec![topic]);
        let mut bytes = BytesMut::new();
        answer.encode(&mut bytes, 13).expect("an answer");
        assert_eq!(FetchRequest::SHAPE.check(13, &bytes), Ok(()));
    }

    #[test]
    fn answers_about_topics_are_guarded() {
        let partition = ListOffsetsPartitionResponse::default();
        let topic = ListOffsetsTopicResponse::default()
            .with_name(text().into())
            .with_partitions(vec![partition; 2]);
        check::<ListOffsetsRequest>(&ListOffsetsResponse::default().with_topics(vec![topic]));
        let topic = CreatableTopicResult::default()
            .with_name(text().into())
            .with_error_message(Some(text()));
        check::<CreateTopicsRequest>(&CreateTopicsResponse::default().with_topics(vec![topic; 2]));
        let partition = DeleteRecordsPartitionResult::default();
        let topic = DeleteRecordsTopicResult::default()
            .with_name(text().into())
            .with_partitions(vec![partition; 2]);
        check::<DeleteRecordsRequest>(&DeleteRecordsResponse::default().with_topics(vec![topic]));
    }
}
