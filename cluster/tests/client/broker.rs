//! A broker that keeps topics in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::{BufMut, Bytes, BytesMut};
use gbac_cluster::{TopicFault, TopicLog, TopicLogOptions, TopicName};
use kafka_protocol::messages::create_topics_response::CreatableTopicResult;
use kafka_protocol::messages::delete_records_response::{
    DeleteRecordsPartitionResult, DeleteRecordsTopicResult,
};
use kafka_protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResult,
};
use kafka_protocol::messages::fetch_response::{
    EpochEndOffset, FetchableTopicResponse, PartitionData,
};
use kafka_protocol::messages::list_offsets_response::{
    ListOffsetsPartitionResponse, ListOffsetsTopicResponse,
};
use kafka_protocol::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use kafka_protocol::messages::produce_response::{PartitionProduceResponse, TopicProduceResponse};
use kafka_protocol::messages::{
    ApiKey, CreateTopicsRequest, CreateTopicsResponse, DeleteRecordsRequest, DeleteRecordsResponse,
    DescribeConfigsRequest, DescribeConfigsResponse, FetchRequest, FetchResponse,
    ListOffsetsRequest, ListOffsetsResponse, MetadataRequest, MetadataResponse, ProduceRequest,
    ProduceResponse,
};
use kafka_protocol::protocol::StrBytes;
use uuid::Uuid;

use crate::double::{Asked, Double, Reply};

const OUT_OF_RANGE: i16 = 1;
const NO_TOPIC: i16 = 3;
const NO_TOPIC_ID: i16 = 100;

/// What happens to the next call of a kind.
#[derive(Clone, Copy)]
pub(crate) enum Mishap {
    /// It is refused with this number.
    Refused(i16),
    /// It is done, and the connection closes before the answer.
    Unanswered,
}

/// A topic with one partition.
pub(crate) struct Topic {
    pub(crate) id: Uuid,
    pub(crate) batches: Vec<(i64, i64, Bytes)>,
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The epoch of its leader and where the records of that epoch begin.
    pub(crate) epoch: (i32, i64),
    pub(crate) settings: BTreeMap<String, String>,
}

impl Topic {
    /// Appends a batch of one record, as any client does.
    pub(crate) fn push(&mut self, batch: &Bytes) -> i64 {
        let delta = i32::from_be_bytes(batch[23..27].try_into().expect("a batch"));
        let mut stored = BytesMut::from(&batch[..]);
        stored[..8].copy_from_slice(&self.end.to_be_bytes());
        stored[12..16].copy_from_slice(&self.epoch.0.to_be_bytes());
        let (first, last) = (self.end, self.end + i64::from(delta));
        self.batches.push((first, last, stored.freeze()));
        self.end = last + 1;
        first
    }
}

#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) topics: BTreeMap<String, Topic>,
    pub(crate) mishaps: VecDeque<(ApiKey, Mishap)>,
    port: i32,
    next_id: u128,
}

/// A broker.
pub(crate) struct Broker {
    pub(crate) double: Double,
    kept: Arc<Mutex<Kept>>,
}

impl Broker {
    pub(crate) async fn start() -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let shared = Arc::clone(&kept);
        let double =
            Double::start(move |asked| shared.lock().expect("no panic").answer(asked)).await;
        kept.lock().expect("no panic").port = i32::from(double.address.port);
        Self { double, kept }
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("no panic")
    }

    /// The log in a topic.
    pub(crate) async fn open(&self, topic: &str, store: &str) -> Result<TopicLog, TopicFault> {
        let options = TopicLogOptions {
            topic: TopicName::parse(topic).expect("a name"),
            store: Some(store.to_owned()),
            copies: 1,
        };
        TopicLog::open(self.double.properties(""), options).await
    }

    /// The next call of this kind meets this.
    pub(crate) fn mishap(&self, key: ApiKey, mishap: Mishap) {
        self.kept().mishaps.push_back((key, mishap));
    }

    /// How many records a topic has.
    pub(crate) fn count(&self, topic: &str) -> i64 {
        self.kept().topics[topic].end
    }
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

impl Kept {
    fn answer(&mut self, asked: &Asked) -> Reply {
        if asked.key == ApiKey::ApiVersions {
            return asked.versions(&[
                (ApiKey::Produce, 3, 13),
                (ApiKey::Fetch, 4, 18),
                (ApiKey::ListOffsets, 1, 10),
                (ApiKey::Metadata, 0, 13),
                (ApiKey::CreateTopics, 2, 7),
                (ApiKey::DeleteRecords, 0, 2),
                (ApiKey::DescribeConfigs, 1, 4),
            ]);
        }
        let index = self.mishaps.iter().position(|(key, _)| *key == asked.key);
        let mishap = index.and_then(|index| self.mishaps.remove(index));
        let refused = match mishap {
            Some((_, Mishap::Refused(number))) => Some(number),
            _ => None,
        };
        let reply = match asked.key {
            ApiKey::Produce => self.produce(asked, refused),
            ApiKey::Fetch => self.fetch(asked, refused),
            ApiKey::ListOffsets => self.list_offsets(asked),
            ApiKey::Metadata => self.metadata(asked),
            ApiKey::CreateTopics => self.create(asked, refused),
            ApiKey::DeleteRecords => self.delete_records(asked),
            _ => self.describe(asked),
        };
        match mishap {
            Some((_, Mishap::Unanswered)) => Reply::Close,
            _ => reply,
        }
    }

    fn by_id(&mut self, id: Uuid) -> Option<&mut Topic> {
        self.topics.values_mut().find(|topic| topic.id == id)
    }

    fn produce(&mut self, asked: &Asked, refused: Option<i16>) -> Reply {
        let request: ProduceRequest = asked.read();
        assert_eq!(request.acks, -1);
        let of = &request.topic_data[0];
        let batch = of.partition_data[0].records.clone().expect("records");
        let (number, offset) = match (refused, self.by_id(of.topic_id)) {
            (Some(number), _) => (number, -1),
            (None, None) => (NO_TOPIC_ID, -1),
            (None, Some(topic)) => (0, topic.push(&batch)),
        };
        let partition = PartitionProduceResponse::default()
            .with_error_code(number)
            .with_base_offset(offset);
        let topic = TopicProduceResponse::default()
            .with_topic_id(of.topic_id)
            .with_partition_responses(vec![partition]);
        asked.answer(&ProduceResponse::default().with_responses(vec![topic]))
    }

    fn fetch(&mut self, asked: &Asked, refused: Option<i16>) -> Reply {
        let request: FetchRequest = asked.read();
        let of = &request.topics[0];
        let from = &of.partitions[0];
        let mut partition = PartitionData::default();
        match (refused, self.by_id(of.topic_id)) {
            (Some(number), _) => partition.error_code = number,
            (None, None) => partition.error_code = NO_TOPIC_ID,
            (None, Some(topic)) => {
                let (epoch, begins) = topic.epoch;
                if from.last_fetched_epoch >= 0
                    && from.last_fetched_epoch < epoch
                    && from.fetch_offset > begins
                {
                    partition.diverging_epoch = EpochEndOffset::default()
                        .with_epoch(from.last_fetched_epoch)
                        .with_end_offset(begins);
                } else if from.fetch_offset < topic.start || from.fetch_offset > topic.end {
                    partition.error_code = OUT_OF_RANGE;
                }
                let mut records = BytesMut::new();
                for (_, last, batch) in &topic.batches {
                    if *last >= from.fetch_offset && records.len() < 3_000_000 {
                        records.put_slice(batch);
                    }
                }
                partition.records = Some(records.freeze());
            }
        }
        let topic = FetchableTopicResponse::default()
            .with_topic_id(of.topic_id)
            .with_partitions(vec![partition]);
        asked.answer(&FetchResponse::default().with_responses(vec![topic]))
    }

    fn list_offsets(&self, asked: &Asked) -> Reply {
        let request: ListOffsetsRequest = asked.read();
        let of = &request.topics[0];
        let mut partition = ListOffsetsPartitionResponse::default();
        match (self.topics.get(&**of.name), of.partitions[0].timestamp) {
            (None, _) => partition.error_code = NO_TOPIC,
            (Some(topic), -2) => partition.offset = topic.start,
            (Some(topic), _) => partition.offset = topic.end,
        }
        let topic = ListOffsetsTopicResponse::default()
            .with_name(of.name.clone())
            .with_partitions(vec![partition]);
        asked.answer(&ListOffsetsResponse::default().with_topics(vec![topic]))
    }

    fn metadata(&self, asked: &Asked) -> Reply {
        let request: MetadataRequest = asked.read();
        assert!(!request.allow_auto_topic_creation);
        let name = request.topics.expect("topics")[0]
            .name
            .clone()
            .expect("a name");
        let mut topic = MetadataResponseTopic::default().with_name(Some(name.clone()));
        match self.topics.get(&**name) {
            None => topic.error_code = NO_TOPIC,
            Some(kept) => {
                topic.topic_id = kept.id;
                let partition = MetadataResponsePartition::default()
                    .with_leader_id(1.into())
                    .with_leader_epoch(kept.epoch.0)
                    .with_replica_nodes(vec![1.into()]);
                topic.partitions = vec![partition];
            }
        }
        let broker = MetadataResponseBroker::default()
            .with_node_id(1.into())
            .with_host(text("127.0.0.1"))
            .with_port(self.port);
        asked.answer(
            &MetadataResponse::default()
                .with_brokers(vec![broker])
                .with_topics(vec![topic]),
        )
    }

    fn create(&mut self, asked: &Asked, refused: Option<i16>) -> Reply {
        let request: CreateTopicsRequest = asked.read();
        let new = &request.topics[0];
        assert_eq!(new.num_partitions, 1);
        if refused.is_none() {
            let mut settings = BTreeMap::new();
            for config in &new.configs {
                let value = config.value.clone().expect("a value");
                settings.insert(config.name.to_string(), value.to_string());
            }
            self.add(&new.name, settings);
        }
        let result = CreatableTopicResult::default()
            .with_name(new.name.clone())
            .with_error_code(refused.unwrap_or(0));
        asked.answer(&CreateTopicsResponse::default().with_topics(vec![result]))
    }

    /// Makes a topic, also one that was there before.
    pub(crate) fn add(&mut self, name: &str, settings: BTreeMap<String, String>) {
        self.next_id += 1;
        let topic = Topic {
            id: Uuid::from_u128(self.next_id),
            batches: Vec::new(),
            start: 0,
            end: 0,
            epoch: (0, 0),
            settings,
        };
        self.topics.insert(name.to_owned(), topic);
    }

    fn delete_records(&mut self, asked: &Asked) -> Reply {
        let request: DeleteRecordsRequest = asked.read();
        let of = &request.topics[0];
        let before = of.partitions[0].offset;
        let topic = self.topics.get_mut(&**of.name).expect("a topic");
        topic.start = topic.start.max(before);
        topic.batches.retain(|(_, last, _)| *last >= before);
        let partition = DeleteRecordsPartitionResult::default().with_low_watermark(before);
        let result = DeleteRecordsTopicResult::default()
            .with_name(of.name.clone())
            .with_partitions(vec![partition]);
        asked.answer(&DeleteRecordsResponse::default().with_topics(vec![result]))
    }

    fn describe(&self, asked: &Asked) -> Reply {
        let request: DescribeConfigsRequest = asked.read();
        let name = &request.resources[0].resource_name;
        let mut configs = Vec::new();
        for (name, value) in &self.topics[&**name].settings {
            configs.push(
                DescribeConfigsResourceResult::default()
                    .with_name(text(name))
                    .with_value(Some(text(value))),
            );
        }
        let result = DescribeConfigsResult::default().with_configs(configs);
        asked.answer(&DescribeConfigsResponse::default().with_results(vec![result]))
    }
}
