//! The log of changes in a topic (D-142).

use std::sync::{Mutex, MutexGuard, PoisonError};

use gbac_log::{
    ChangeLog, EncodedEntry, FollowedRecords, LogCheckpoint, LogError, MAX_ENTRY_BYTES,
};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;
use uuid::Uuid;

use super::checkpoints::{self, MAX_STATE_BYTES, Sets};
use super::fault::TopicFault;
use super::name::TopicName;
use super::partition::{NotAppended, PATIENCE, PartitionClient, Repeat};
use super::parts::{Collector, PartsName, WINDOW, split, store_of};
use super::reader::{Reader, SkippedRecords, place};
use super::records::encode;
use super::scan::Scan;
use super::settings::{CheckedTopic, Purpose, Wanted, prepare};
use crate::cluster::KafkaCluster;
use crate::error::KafkaError;
use crate::properties::ClientProperties;

/// How many connections wait for the next call.
const MAX_IDLE: usize = 4;
/// How many records are looked at for the ID of the data.
const MAX_LOOKED_AT: i64 = 1_000;

/// What a log in a topic is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicLogOptions {
    /// The topic. Checkpoints are in another one, with `-checkpoints` at the end of its name.
    pub topic: TopicName,
    /// The ID of the data, without `:`; `None` for that of the log that is there.
    pub store: Option<String>,
    /// How many brokers have each record: 3, unless the operator asks for fewer.
    pub copies: u16,
}

/// The log of changes in a topic of one partition.
#[derive(Debug)]
pub struct TopicLog {
    properties: ClientProperties,
    topic: TopicName,
    store: String,
    is_new: bool,
    log: CheckedTopic,
    checkpoints: CheckedTopic,
    /// The end of the log when it was opened.
    opened_at: u64,
    kept: Mutex<Kept>,
}

/// What one call leaves for the next one.
#[derive(Debug, Default)]
struct Kept {
    writers: Vec<PartitionClient>,
    readers: Vec<Reader>,
    skipped: SkippedRecords,
    /// Why nothing is written any more.
    broken: Option<TopicFault>,
}

impl TopicLog {
    /// Opens the log; creates its topics if they are not there.
    ///
    /// # Errors
    /// The topic has settings with which a change could be lost, it is the log of other data, or the
    /// cluster cannot be used.
    pub async fn open(
        properties: ClientProperties,
        options: TopicLogOptions,
    ) -> Result<Self, TopicFault> {
        let TopicLogOptions {
            topic,
            store,
            copies,
        } = options;
        let mut cluster = KafkaCluster::connect(properties.clone()).await?;
        let copies = copies.max(1);
        let wanted = |purpose| Wanted { purpose, copies };
        let log = prepare(&mut cluster, &topic, wanted(Purpose::Log)).await?;
        let other = topic.checkpoints();
        let checkpoints = prepare(&mut cluster, &other, wanted(Purpose::Checkpoints)).await?;
        let end = PartitionClient::new(&properties, &topic, log.id)
            .end()
            .await?;
        let found = found_store(&properties, &topic, &log, &checkpoints).await?;
        let store = match (store, found) {
            (Some(store), Some(found)) if store != found => {
                return Err(TopicFault::OtherStore { topic, found });
            }
            (Some(store), _) | (None, Some(store)) => store,
            (None, None) => random_id()?,
        };
        Ok(Self {
            properties,
            topic,
            store,
            is_new: log.is_new,
            log,
            checkpoints,
            opened_at: place(end),
            kept: Mutex::default(),
        })
    }

    /// The ID of the data: that of the options, that of the log, or a new one.
    #[must_use]
    pub fn store(&self) -> &str {
        &self.store
    }

    /// Whether this call of [`TopicLog::open`] has created the topic.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The ID that Kafka has given to the topic: another one after it was made again.
    #[must_use]
    pub fn topic_id(&self) -> Option<String> {
        (!self.log.id.is_nil()).then(|| self.log.id.to_string())
    }

    /// What was passed over, because nobody can apply it.
    #[must_use]
    pub fn skipped(&self) -> SkippedRecords {
        self.kept().skipped.clone()
    }

    /// Why nothing is written any more: the topic was deleted, truncated, or made again. It stays
    /// so until the log is opened again.
    #[must_use]
    pub fn broken(&self) -> Option<TopicFault> {
        self.kept().broken.clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client of the log for one call.
    fn writer(&self) -> PartitionClient {
        let kept = self.kept().writers.pop();
        kept.unwrap_or_else(|| PartitionClient::new(&self.properties, &self.topic, self.log.id))
    }

    /// Keeps a client for the next call.
    fn keep(&self, client: PartitionClient) {
        let mut kept = self.kept();
        if kept.writers.len() < MAX_IDLE {
            kept.writers.push(client);
        }
    }

    fn of_checkpoints(&self) -> PartitionClient {
        let topic = self.topic.checkpoints();
        PartitionClient::new(&self.properties, &topic, self.checkpoints.id)
    }

    fn check(&self) -> Result<(), LogError> {
        match self.broken() {
            Some(fault) => Err(said(&fault, false)),
            None => Ok(()),
        }
    }

    /// Nothing is written to a log in which other data is written since it was opened.
    fn check_writers(&self) -> Result<(), LogError> {
        let Some((offset, found)) = self.skipped().other_store else {
            return Ok(());
        };
        if offset < self.opened_at {
            return Ok(());
        }
        let topic = self.topic.clone();
        Err(said(&TopicFault::OtherStore { topic, found }, false))
    }

    /// Turns a fault into an error of the log, and remembers the faults that stay.
    fn failed(&self, fault: TopicFault, is_unclear: bool) -> LogError {
        let error = said(&fault, is_unclear);
        if matches!(error, LogError::Truncated(_)) || matches!(fault, TopicFault::Gap { .. }) {
            self.kept().broken.get_or_insert(fault);
        }
        error
    }

    fn not_done(&self, fault: TopicFault) -> LogError {
        self.failed(fault, false)
    }

    /// Appends all parts of an entry, again under another name where one may have been appended.
    async fn append_parts(
        &self,
        client: &mut PartitionClient,
        entry: &[u8],
    ) -> Result<i64, NotAppended> {
        let end = Instant::now() + PATIENCE;
        loop {
            let not_appended = match self.append_once(client, entry).await {
                Ok(offset) => return Ok(offset),
                Err(not_appended) => not_appended,
            };
            if !not_appended.is_unclear || !not_appended.is_passing || Instant::now() > end {
                return Err(not_appended);
            }
        }
    }

    async fn append_once(
        &self,
        client: &mut PartitionClient,
        entry: &[u8],
    ) -> Result<i64, NotAppended> {
        let id = random_id().map_err(NotAppended::nothing)?;
        let name = PartsName {
            store: &self.store,
            id: &id,
        };
        let parts = split(&name, entry, self.log.message_bytes);
        // A whole entry that comes twice is harmless.
        let repeat = match parts.len() {
            1 => Repeat::Always,
            _ => Repeat::OnlyIfNothingHappened,
        };
        let mut offset = 0;
        for (key, value) in parts {
            let batch = encode(&[(Some(key.as_bytes()), Some(value))]);
            offset = client.append(&batch, repeat).await?;
        }
        Ok(offset)
    }

    /// A reader at this place.
    async fn reader(&self, from: i64) -> Result<Reader, TopicFault> {
        {
            let mut kept = self.kept();
            let index = kept.readers.iter().position(|of| of.is_at(from));
            if let Some(index) = index {
                return Ok(kept.readers.swap_remove(index));
            }
        }
        let client = PartitionClient::new(&self.properties, &self.topic, self.log.id);
        Reader::start(client, self.topic.clone(), self.store.clone(), from).await
    }

    async fn follow_from(&self, from: i64) -> Result<FollowedRecords, TopicFault> {
        let mut reader = self.reader(from).await?;
        let mut skipped = SkippedRecords::default();
        let followed = reader.read(&mut skipped).await;
        let mut kept = self.kept();
        if skipped.count > 0 {
            kept.skipped.count += skipped.count;
            kept.skipped.last = skipped.last;
            kept.skipped.reason = skipped.reason;
        }
        if skipped.other_store.is_some() {
            kept.skipped.other_store = skipped.other_store;
        }
        let followed = followed?;
        if kept.readers.len() >= MAX_IDLE {
            kept.readers.remove(0);
        }
        if reader.is_at(offset(followed.next)) {
            kept.readers.push(reader);
        }
        Ok(followed)
    }

    /// Where records may be deleted: not those that an entry needs which ends later.
    async fn first_needed(
        &self,
        client: &mut PartitionClient,
        before: i64,
    ) -> Result<i64, TopicFault> {
        let extent = client.extent().await?;
        let from = extent.start.max(before - WINDOW);
        let mut scan = Scan::new(client, from, before.min(extent.end));
        let mut collector = Collector::default();
        while let Some(record) = scan.next().await? {
            collector.take(record);
        }
        Ok(collector.first_pending().unwrap_or(before).min(before))
    }
}

impl ChangeLog for TopicLog {
    async fn append(&self, entry: &EncodedEntry) -> Result<u64, LogError> {
        self.check()?;
        self.check_writers()?;
        let (size, limit) = (entry.bytes().len(), MAX_ENTRY_BYTES);
        if size > limit {
            return Err(LogError::TooLarge { size, limit });
        }
        let mut client = self.writer();
        match self.append_parts(&mut client, entry.bytes()).await {
            Ok(offset) => {
                self.keep(client);
                Ok(place(offset))
            }
            Err(not_appended) => Err(self.failed(not_appended.fault, not_appended.is_unclear)),
        }
    }

    async fn follow(&self, from: u64) -> Result<FollowedRecords, LogError> {
        self.check()?;
        let followed = self.follow_from(offset(from)).await;
        followed.map_err(|fault| self.not_done(fault))
    }

    async fn end(&self) -> Result<u64, LogError> {
        self.check()?;
        let mut client = self.writer();
        let end = client.end().await;
        let end = end.map_err(|fault| self.not_done(fault))?;
        self.keep(client);
        Ok(place(end))
    }

    async fn checkpoint(&self, checkpoint: &LogCheckpoint) -> Result<(), LogError> {
        self.check()?;
        let (size, limit) = (checkpoint.state.len(), MAX_STATE_BYTES);
        if size > limit {
            return Err(LogError::TooLarge { size, limit });
        }
        let id = random_id().map_err(|fault| said(&fault, false))?;
        let mut client = self.of_checkpoints();
        let bytes = self.checkpoints.message_bytes;
        let written = checkpoints::write(&mut client, bytes, &self.store, id, checkpoint).await;
        written.map_err(|of| self.failed(of.fault, of.is_unclear))
    }

    async fn latest(&self) -> Result<Option<LogCheckpoint>, LogError> {
        self.check()?;
        let latest = checkpoints::latest(&mut self.of_checkpoints()).await;
        match latest.map_err(|fault| self.not_done(fault))? {
            Some((store, _)) if store != self.store => {
                let topic = self.topic.clone();
                let fault = TopicFault::OtherStore {
                    topic,
                    found: store,
                };
                Err(said(&fault, false))
            }
            Some((_, checkpoint)) => Ok(Some(checkpoint)),
            None => Ok(None),
        }
    }

    async fn trim(&self, before: u64) -> Result<(), LogError> {
        self.check()?;
        let sets = Sets::find(&mut self.of_checkpoints()).await;
        let sets = sets.map_err(|fault| self.not_done(fault))?;
        match sets.newest() {
            Some(newest) if newest.store == self.store && before <= newest.offset => {}
            _ => return Err(LogError::NoCheckpoint(before)),
        }
        let mut client = self.writer();
        let first = self.first_needed(&mut client, offset(before)).await;
        let first = first.map_err(|fault| self.not_done(fault))?;
        let deleted = client.delete_before(first).await;
        deleted.map_err(|fault| self.not_done(fault))?;
        self.keep(client);
        Ok(())
    }
}

/// The ID of the data that a log and its checkpoints have.
async fn found_store(
    properties: &ClientProperties,
    topic: &TopicName,
    log: &CheckedTopic,
    checkpoints: &CheckedTopic,
) -> Result<Option<String>, TopicFault> {
    let mut client = PartitionClient::new(properties, topic, log.id);
    let extent = client.extent().await?;
    let end = extent.end.min(extent.start + MAX_LOOKED_AT);
    let mut scan = Scan::new(&mut client, extent.start, end);
    while let Some(record) = scan.next().await? {
        if let Some(store) = store_of(&record) {
            return Ok(Some(store.to_owned()));
        }
    }
    let mut client = PartitionClient::new(properties, &topic.checkpoints(), checkpoints.id);
    let sets = Sets::find(&mut client).await?;
    Ok(sets.newest().map(|newest| newest.store.clone()))
}

fn random_id() -> Result<String, TopicFault> {
    let mut bytes = [0; 16];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => Ok(Uuid::from_bytes(bytes).simple().to_string()),
        Err(_) => Err(TopicFault::Cluster(KafkaError::Token(
            "the system gives no random numbers".into(),
        ))),
    }
}

fn offset(place: u64) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}

/// A fault as an error of the log.
fn said(fault: &TopicFault, is_unclear: bool) -> LogError {
    let sentence = fault.to_string();
    match fault {
        TopicFault::Trimmed { start, .. } => LogError::Trimmed(place(*start)),
        TopicFault::Truncated { end, .. } => LogError::Truncated(place(*end)),
        TopicFault::Gone(_) | TopicFault::Replaced(_) => LogError::Truncated(0),
        TopicFault::Gap { .. } | TopicFault::Cluster(KafkaError::Malformed { .. }) => {
            LogError::Damaged(sentence)
        }
        _ if is_unclear => LogError::Unknown(sentence),
        TopicFault::NoLeader(_) => LogError::Unavailable(sentence),
        TopicFault::Cluster(error) if error.is_passing() => LogError::Unavailable(sentence),
        _ => LogError::Refused(sentence),
    }
}
