//! One partition of a topic: its leader, and the calls that go to it. A call is repeated where
//! nothing has happened, or where its repetition is harmless, as it is for everything in a log.

use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::metadata_response::MetadataResponse;
use kafka_protocol::messages::{
    DeleteRecordsRequest, FetchRequest, ListOffsetsRequest, MetadataRequest, ProduceRequest,
};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::fault::TopicFault;
use super::messages::{FetchFrom, Fetched, PartitionCall, Place};
use super::name::TopicName;
use crate::address::BrokerAddress;
use crate::calls::Call;
use crate::connection::Connection;
use crate::dial::dial_one;
use crate::error::{KafkaError, Malformed};
use crate::properties::ClientProperties;

/// How long a call is repeated: longer than a cluster needs to elect another leader.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LAST_PAUSE: Duration = Duration::from_millis(500);
/// The time for one answer, so that a broker that is cut off is left in time.
const ANSWER: Duration = Duration::from_secs(8);
/// The most brokers whose addresses are kept.
const MAX_BROKERS: usize = 64;
/// OFFSET_OUT_OF_RANGE.
const OUT_OF_RANGE: i16 = 1;
/// UNKNOWN_TOPIC_OR_PARTITION.
const UNKNOWN_TOPIC: i16 = 3;
const FIRST: i64 = -2;
const AFTER_LAST: i64 = -1;

/// Which records there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Why a call has not succeeded.
struct Failed {
    fault: TopicFault,
    /// Whether it can succeed soon.
    is_passing: bool,
    /// Whether it may have happened nevertheless.
    is_unclear: bool,
}

impl From<TopicFault> for Failed {
    fn from(fault: TopicFault) -> Self {
        let is_passing = match &fault {
            TopicFault::NoLeader(_) | TopicFault::Gone(_) => true,
            TopicFault::Cluster(error) => error.is_passing(),
            _ => false,
        };
        Self {
            fault,
            is_passing,
            is_unclear: false,
        }
    }
}

/// Whether a call is repeated that may have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    Always,
    OnlyIfNothingHappened,
}

/// What an append has come to that has not succeeded.
#[derive(Debug)]
pub(super) struct NotAppended {
    pub(super) fault: TopicFault,
    /// Whether it may have been appended nevertheless.
    pub(super) is_unclear: bool,
    /// Whether it can succeed soon.
    pub(super) is_passing: bool,
}

impl NotAppended {
    /// Nothing was sent.
    pub(super) const fn nothing(fault: TopicFault) -> Self {
        Self {
            fault,
            is_unclear: false,
            is_passing: false,
        }
    }
}

/// A client for one partition, with one connection to its leader.
#[derive(Debug)]
pub(super) struct PartitionClient {
    properties: ClientProperties,
    topic: TopicName,
    place: Place,
    leader: Option<BrokerAddress>,
    connection: Option<Connection>,
    /// The broker that is asked first for the leader.
    turn: usize,
}

impl PartitionClient {
    /// A client that is not connected yet, of the topic with this ID, if topics have IDs.
    pub(super) fn new(properties: &ClientProperties, topic: &TopicName, id: Uuid) -> Self {
        let mut properties = properties.clone();
        properties.timeout = properties.timeout.min(ANSWER);
        let place = Place {
            topic: topic.text(),
            id,
            epoch: -1,
        };
        Self {
            properties,
            topic: topic.clone(),
            place,
            leader: None,
            connection: None,
            turn: 0,
        }
    }

    /// Appends a batch, and returns the offset of its first record. All brokers that are in sync
    /// have it then.
    pub(super) async fn append(
        &mut self,
        batch: &Bytes,
        repeat: Repeat,
    ) -> Result<i64, NotAppended> {
        match self.ask::<ProduceRequest>(batch, repeat).await {
            Ok(offset) => Ok(offset),
            Err(failed) => Err(NotAppended {
                fault: failed.fault,
                is_unclear: failed.is_unclear,
                is_passing: failed.is_passing,
            }),
        }
    }

    /// The batches from an offset on; waits a little for the first one.
    pub(super) async fn fetch(&mut self, from: &FetchFrom) -> Result<Fetched, TopicFault> {
        loop {
            let failed = match self.ask::<FetchRequest>(from, Repeat::Always).await {
                Ok(fetched) => return self.check_truncation(from, fetched),
                Err(failed) => failed,
            };
            if !is_refused(&failed.fault, OUT_OF_RANGE) {
                return Err(failed.fault);
            }
            let topic = self.topic.clone();
            let extent = self.extent().await?;
            if from.offset < extent.start {
                let start = extent.start;
                return Err(TopicFault::Trimmed { topic, start });
            }
            if from.offset > extent.end {
                let (end, read) = (extent.end, from.offset);
                return Err(TopicFault::Truncated { topic, end, read });
            }
        }
    }

    /// Where the leader's records differ from those that were read.
    fn check_truncation(&self, from: &FetchFrom, fetched: Fetched) -> Result<Fetched, TopicFault> {
        match fetched.differs_at {
            None => Ok(fetched),
            Some(end) => Err(TopicFault::Truncated {
                topic: self.topic.clone(),
                end,
                read: from.offset,
            }),
        }
    }

    /// The offset of the first record, and the one after the last that all brokers in sync have.
    pub(super) async fn extent(&mut self) -> Result<Extent, TopicFault> {
        let start = self.offset(FIRST).await?;
        let end = self.end().await?;
        Ok(Extent { start, end })
    }

    /// The offset after the last record that all brokers in sync have.
    pub(super) async fn end(&mut self) -> Result<i64, TopicFault> {
        self.offset(AFTER_LAST).await
    }

    async fn offset(&mut self, which: i64) -> Result<i64, TopicFault> {
        match self.ask::<ListOffsetsRequest>(&which, Repeat::Always).await {
            Ok(offset) => Ok(offset),
            Err(failed) => Err(failed.fault),
        }
    }

    /// Deletes the records before an offset.
    pub(super) async fn delete_before(&mut self, offset: i64) -> Result<(), TopicFault> {
        let answer = self
            .ask::<DeleteRecordsRequest>(&offset, Repeat::Always)
            .await;
        match answer {
            Ok(()) => Ok(()),
            Err(failed) => Err(failed.fault),
        }
    }

    /// The leader has sent something else than records.
    pub(super) fn malformed(&self, reason: Malformed) -> TopicFault {
        let address = match &self.leader {
            Some(leader) => leader.to_string(),
            None => String::new(),
        };
        TopicFault::Cluster(KafkaError::Malformed {
            address,
            call: FetchRequest::NAME,
            reason,
        })
    }

    /// Makes a call until it succeeds, or cannot.
    async fn ask<C: PartitionCall>(
        &mut self,
        what: &C::What,
        repeat: Repeat,
    ) -> Result<C::Found, Failed> {
        let end = Instant::now() + PATIENCE;
        let mut pause = FIRST_PAUSE;
        let mut is_unclear = false;
        loop {
            let mut failed = match self.ask_once::<C>(what).await {
                Ok(found) => return Ok(found),
                Err(failed) => failed,
            };
            is_unclear |= failed.is_unclear;
            failed.is_unclear = is_unclear;
            let may_repeat = repeat == Repeat::Always || !is_unclear;
            if failed.is_passing {
                self.leader = None;
                self.connection = None;
                self.turn = self.turn.wrapping_add(1);
            }
            if !failed.is_passing || !may_repeat || Instant::now() + pause > end {
                return Err(failed);
            }
            sleep(pause).await;
            pause = LAST_PAUSE.min(2 * pause);
        }
    }

    async fn ask_once<C: PartitionCall>(&mut self, what: &C::What) -> Result<C::Found, Failed> {
        // It is put back only after the answer: whoever stops waiting leaves none behind.
        let mut connection = self.connect().await?;
        let version = connection.version::<C>().map_err(TopicFault::Cluster)?;
        let request = C::request(&self.place, what, version);
        let answer = match connection.call(&request).await {
            Ok(answer) => answer,
            Err(error) => {
                let is_sent = !matches!(error, KafkaError::TooLong { .. });
                return Err(Failed {
                    is_passing: error.is_passing(),
                    is_unclear: is_sent,
                    fault: TopicFault::Cluster(error),
                });
            }
        };
        connection.throttled(C::throttle(&answer));
        let address = connection.address().to_owned();
        self.connection = Some(connection);
        let Some((number, message, found)) = C::found(answer) else {
            let error = KafkaError::Malformed {
                address,
                call: C::NAME,
                reason: Malformed::Missing,
            };
            return Err(TopicFault::Cluster(error).into());
        };
        if number == 0 {
            return Ok(found);
        }
        let mut refusal = self.properties.refusal(C::NAME, number, message.as_ref());
        refusal.topic = Some(self.topic.to_string());
        Err(Failed {
            is_unclear: is_unclear_number(number),
            ..Failed::from(TopicFault::Cluster(KafkaError::Refused(refusal)))
        })
    }

    /// A connection to the leader, on which nothing is going on.
    async fn connect(&mut self) -> Result<Connection, TopicFault> {
        if let Some(connection) = self.connection.take()
            && connection.is_fresh()
        {
            return Ok(connection);
        }
        let leader = match &self.leader {
            Some(leader) => leader.clone(),
            None => self.find_leader().await?,
        };
        self.leader = Some(leader.clone());
        Ok(dial_one(&self.properties, &leader).await?)
    }

    /// Asks the brokers, one after the other, who leads the partition.
    async fn find_leader(&mut self) -> Result<BrokerAddress, TopicFault> {
        let mut failure = TopicFault::Cluster(KafkaError::NoAddress);
        let count = self.properties.servers.len();
        for index in 0..count {
            let server = self.properties.servers[(self.turn + index) % count].clone();
            failure = match self.ask_leader(&server).await {
                Ok(leader) => return Ok(leader),
                Err(fault @ TopicFault::Replaced(_)) => return Err(fault),
                Err(fault) => fault,
            };
        }
        Err(failure)
    }

    async fn ask_leader(&mut self, server: &BrokerAddress) -> Result<BrokerAddress, TopicFault> {
        let mut connection = dial_one(&self.properties, server).await?;
        let answer = connection.call(&about(&self.topic)).await?;
        let missing = || KafkaError::Malformed {
            address: server.to_string(),
            call: MetadataRequest::NAME,
            reason: Malformed::Missing,
        };
        let topic = answer.topics.first().ok_or_else(missing)?;
        match topic.error_code {
            0 => {}
            UNKNOWN_TOPIC => return Err(TopicFault::Gone(self.topic.clone())),
            number => {
                let mut refusal = self.properties.refusal(MetadataRequest::NAME, number, None);
                refusal.topic = Some(self.topic.to_string());
                return Err(KafkaError::Refused(refusal).into());
            }
        }
        if topic.topic_id != self.place.id && !self.place.id.is_nil() {
            return Err(TopicFault::Replaced(self.topic.clone()));
        }
        let partition = topic
            .partitions
            .iter()
            .find(|partition| partition.partition_index == 0);
        let partition = partition.ok_or_else(missing)?;
        // A broker that has not heard of the newest election names a leader of the past.
        if partition.leader_epoch < self.place.epoch {
            return Err(TopicFault::NoLeader(self.topic.clone()));
        }
        let leader = address_of(&answer, partition.leader_id.0);
        let leader = leader.ok_or_else(|| TopicFault::NoLeader(self.topic.clone()))?;
        self.place.epoch = partition.leader_epoch;
        self.learn(&answer);
        Ok(leader)
    }

    /// Brokers can be found even if those in the properties are gone.
    fn learn(&mut self, answer: &MetadataResponse) {
        for broker in &answer.brokers {
            let servers = &mut self.properties.servers;
            if let Some(address) = address_of(answer, broker.node_id.0)
                && servers.len() < MAX_BROKERS
                && !servers.contains(&address)
            {
                servers.push(address);
            }
        }
    }
}

/// The question about one topic, which does not create it.
pub(super) fn about(topic: &TopicName) -> MetadataRequest {
    let topic = MetadataRequestTopic::default().with_name(Some(topic.text().into()));
    MetadataRequest::default()
        .with_topics(Some(vec![topic]))
        .with_allow_auto_topic_creation(false)
}

fn address_of(answer: &MetadataResponse, id: i32) -> Option<BrokerAddress> {
    let broker = answer
        .brokers
        .iter()
        .find(|broker| broker.node_id.0 == id)?;
    let host = match broker.host.contains(':') {
        true => format!("[{}]", &*broker.host),
        false => broker.host.to_string(),
    };
    BrokerAddress::parse(&format!("{host}:{}", broker.port))
}

/// Whether a fault is this error of a broker.
fn is_refused(fault: &TopicFault, number: i16) -> bool {
    match fault {
        TopicFault::Cluster(KafkaError::Refused(refusal)) => refusal.number == number,
        _ => false,
    }
}

/// Errors after which a record may be there nevertheless.
const fn is_unclear_number(number: i16) -> bool {
    // UNKNOWN_SERVER_ERROR, REQUEST_TIMED_OUT, NETWORK_EXCEPTION, NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    // KAFKA_STORAGE_ERROR.
    matches!(number, -1 | 7 | 13 | 20 | 56)
}
