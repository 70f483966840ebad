//! Requests to the leader of a partition, and what their answers say.

use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsTopic,
};
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    DeleteRecordsRequest, DeleteRecordsResponse, FetchRequest, FetchResponse, ListOffsetsRequest,
    ListOffsetsResponse, ProduceRequest, ProduceResponse,
};
use kafka_protocol::protocol::StrBytes;
use uuid::Uuid;

use crate::calls::Call;

/// The time in which brokers are to agree on a write, in milliseconds.
const AGREEMENT_MS: i32 = 5_000;
/// How much is read at once, unless the first batch is larger.
const READ_BYTES: i32 = 4 * 1024 * 1024;
/// All brokers that are in sync have a record before its writer hears of it.
const ALL: i16 = -1;
/// The first version of Fetch in which the leader compares epochs.
const COMPARES_EPOCHS: i16 = 12;

/// A partition, with the epoch of its leader.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) topic: StrBytes,
    pub(super) id: Uuid,
    pub(super) epoch: i32,
}

/// From where records are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct FetchFrom {
    pub(super) offset: i64,
    /// The epoch of the record before, if it was read: the leader compares it with its own.
    pub(super) epoch: i32,
    /// How long to wait for the first record.
    pub(super) wait: Duration,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) batches: Bytes,
    /// Where the leader's records begin to differ from those that were read.
    pub(super) differs_at: Option<i64>,
}

/// The number of an error, what the broker says about it, and what is found if the number is 0.
type Answer<T> = Option<(i16, Option<StrBytes>, T)>;

/// A call about one partition, which its leader answers.
pub(super) trait PartitionCall: Call {
    type What;
    type Found;

    fn request(place: &Place, what: &Self::What, version: i16) -> Self;
    fn throttle(answer: &Self::Answer) -> i32;
    fn found(answer: Self::Answer) -> Answer<Self::Found>;
}

impl PartitionCall for ProduceRequest {
    type What = Bytes;
    type Found = i64;

    fn request(place: &Place, batch: &Bytes, _: i16) -> Self {
        let partition = PartitionProduceData::default().with_records(Some(batch.clone()));
        let topic = TopicProduceData::default()
            .with_name(place.topic.clone().into())
            .with_topic_id(place.id)
            .with_partition_data(vec![partition]);
        Self::default()
            .with_acks(ALL)
            .with_timeout_ms(AGREEMENT_MS)
            .with_topic_data(vec![topic])
    }

    fn throttle(answer: &ProduceResponse) -> i32 {
        answer.throttle_time_ms
    }

    fn found(answer: ProduceResponse) -> Answer<i64> {
        let topic = answer.responses.into_iter().next()?;
        let partition = topic.partition_responses.into_iter().next()?;
        let offset = partition.base_offset;
        match partition.error_code == 0 && offset < 0 {
            true => None,
            false => Some((partition.error_code, partition.error_message, offset)),
        }
    }
}

impl PartitionCall for FetchRequest {
    type What = FetchFrom;
    type Found = Fetched;

    fn request(place: &Place, from: &FetchFrom, version: i16) -> Self {
        let epoch = match version >= COMPARES_EPOCHS {
            true => from.epoch,
            false => -1,
        };
        let partition = FetchPartition::default()
            .with_current_leader_epoch(place.epoch)
            .with_fetch_offset(from.offset)
            .with_last_fetched_epoch(epoch)
            .with_partition_max_bytes(READ_BYTES);
        let topic = FetchTopic::default()
            .with_topic(place.topic.clone().into())
            .with_topic_id(place.id)
            .with_partitions(vec![partition]);
        Self::default()
            .with_max_wait_ms(i32::try_from(from.wait.as_millis()).unwrap_or(i32::MAX))
            .with_min_bytes(1)
            .with_max_bytes(READ_BYTES)
            .with_topics(vec![topic])
    }

    fn throttle(answer: &FetchResponse) -> i32 {
        answer.throttle_time_ms
    }

    fn found(answer: FetchResponse) -> Answer<Fetched> {
        let nothing = Fetched {
            batches: Bytes::new(),
            differs_at: None,
        };
        if answer.error_code != 0 {
            return Some((answer.error_code, None, nothing));
        }
        let topic = answer.responses.into_iter().next()?;
        let partition = topic.partitions.into_iter().next()?;
        let diverging = partition.diverging_epoch;
        let fetched = Fetched {
            batches: partition.records.unwrap_or_default(),
            differs_at: (diverging.epoch >= 0).then_some(diverging.end_offset),
        };
        Some((partition.error_code, None, fetched))
    }
}

impl PartitionCall for ListOffsetsRequest {
    /// -2 for the first record, -1 for the one after the last.
    type What = i64;
    type Found = i64;

    fn request(place: &Place, which: &i64, _: i16) -> Self {
        let partition = ListOffsetsPartition::default()
            .with_current_leader_epoch(place.epoch)
            .with_timestamp(*which);
        let topic = ListOffsetsTopic::default()
            .with_name(place.topic.clone().into())
            .with_partitions(vec![partition]);
        Self::default()
            .with_replica_id((-1).into())
            .with_topics(vec![topic])
    }

    fn throttle(answer: &ListOffsetsResponse) -> i32 {
        answer.throttle_time_ms
    }

    fn found(answer: ListOffsetsResponse) -> Answer<i64> {
        let topic = answer.topics.into_iter().next()?;
        let partition = topic.partitions.into_iter().next()?;
        match partition.error_code == 0 && partition.offset < 0 {
            true => None,
            false => Some((partition.error_code, None, partition.offset)),
        }
    }
}

impl PartitionCall for DeleteRecordsRequest {
    type What = i64;
    type Found = ();

    fn request(place: &Place, before: &i64, _: i16) -> Self {
        let partition = DeleteRecordsPartition::default().with_offset(*before);
        let topic = DeleteRecordsTopic::default()
            .with_name(place.topic.clone().into())
            .with_partitions(vec![partition]);
        Self::default()
            .with_topics(vec![topic])
            .with_timeout_ms(AGREEMENT_MS)
    }

    fn throttle(answer: &DeleteRecordsResponse) -> i32 {
        answer.throttle_time_ms
    }

    fn found(answer: DeleteRecordsResponse) -> Answer<()> {
        let topic = answer.topics.into_iter().next()?;
        let partition = topic.partitions.into_iter().next()?;
        Some((partition.error_code, None, ()))
    }
}
