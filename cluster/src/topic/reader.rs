//! Follows a log: whole entries, in the order of their last parts.

use std::time::Duration;

use bytes::Bytes;
use gbac_log::{FollowedRecords, LogRecord};

use super::fault::TopicFault;
use super::messages::FetchFrom;
use super::name::TopicName;
use super::partition::PartitionClient;
use super::parts::{Collector, Taken, WINDOW, store_of};
use super::records::{Batch, Content, Opaque, RawRecord, next_batch};
use crate::error::Malformed;

/// How long the broker waits for the next record.
const WAIT: Duration = Duration::from_secs(2);

/// What was passed over in a log, because nobody can apply it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedRecords {
    /// How many records.
    pub count: u64,
    /// The place of the last one.
    pub last: Option<u64>,
    /// What it was.
    pub reason: &'static str,
    /// The place of the last record of other data and the ID of that data: the reader of the log
    /// gets these records, too.
    pub other_store: Option<(u64, String)>,
}

/// A reader at a place of a log.
#[derive(Debug)]
pub(super) struct Reader {
    client: PartitionClient,
    topic: TopicName,
    store: String,
    /// Entries before this place are not handed out.
    from: i64,
    /// The next record to be read. It is before `from` while the parts of an entry are looked for.
    next: i64,
    /// The epoch of the record before.
    epoch: i32,
    collector: Collector,
    /// It met what it cannot pass.
    is_spent: bool,
}

impl Reader {
    /// A reader of the entries from a place on.
    pub(super) async fn start(
        mut client: PartitionClient,
        topic: TopicName,
        store: String,
        from: i64,
    ) -> Result<Self, TopicFault> {
        let extent = client.extent().await?;
        if from < extent.start {
            let start = extent.start;
            return Err(TopicFault::Trimmed { topic, start });
        }
        if from > extent.end {
            let (end, read) = (extent.end, from);
            return Err(TopicFault::Truncated { topic, end, read });
        }
        Ok(Self {
            client,
            topic,
            store,
            from,
            next: extent.start.max(from - WINDOW),
            epoch: -1,
            collector: Collector::default(),
            is_spent: false,
        })
    }

    /// Whether it can go on from this place.
    pub(super) const fn is_at(&self, place: i64) -> bool {
        self.from == place && !self.is_spent
    }

    /// The next entries; waits for the first one. After an error, another reader has to begin.
    pub(super) async fn read(
        &mut self,
        skipped: &mut SkippedRecords,
    ) -> Result<FollowedRecords, TopicFault> {
        loop {
            let from = FetchFrom {
                offset: self.next,
                epoch: self.epoch,
                wait: WAIT,
            };
            let mut batches = self.client.fetch(&from).await?.batches;
            let has_some = !batches.is_empty();
            let mut records = Vec::new();
            if let Err(fault) = self.take_batches(&mut batches, &mut records, skipped) {
                // What is before it counts.
                let Some(last) = records.last() else {
                    return Err(fault);
                };
                self.is_spent = true;
                return Ok(FollowedRecords {
                    next: last.offset + 1,
                    records,
                });
            }
            if has_some && self.next == from.offset {
                return Err(self.client.malformed(Malformed::Short));
            }
            if self.next > self.from {
                self.from = self.next;
                return Ok(FollowedRecords {
                    records,
                    next: place(self.next),
                });
            }
        }
    }

    fn take_batches(
        &mut self,
        batches: &mut Bytes,
        records: &mut Vec<LogRecord>,
        skipped: &mut SkippedRecords,
    ) -> Result<(), TopicFault> {
        while let Some(batch) = self.checked(next_batch(batches))? {
            self.take_batch(batch, records, skipped)?;
        }
        Ok(())
    }

    fn take_batch(
        &mut self,
        batch: Batch,
        records: &mut Vec<LogRecord>,
        skipped: &mut SkippedRecords,
    ) -> Result<(), TopicFault> {
        if batch.last < self.next {
            return Ok(());
        }
        if batch.first > self.next {
            return Err(TopicFault::Gap {
                topic: self.topic.clone(),
                from: self.next,
                to: batch.first,
            });
        }
        let reason = match batch.content {
            Content::Records(mut of_batch) => {
                while let Some(record) = self.checked(of_batch.next())? {
                    if record.offset >= self.next {
                        self.take(record, records, skipped)?;
                    }
                }
                None
            }
            Content::Control => None,
            Content::Opaque(Opaque::Compressed) => Some("compressed records"),
            Content::Opaque(Opaque::Transactional) => Some("records of a transaction"),
            Content::Opaque(Opaque::Old) => Some("records in the format of an old client"),
        };
        if let Some(reason) = reason {
            let first = self.next.max(batch.first);
            skip(
                skipped,
                batch.last - first + 1,
                batch.last,
                reason,
                self.from,
            );
        }
        self.next = batch.last.saturating_add(1);
        self.epoch = batch.epoch;
        Ok(())
    }

    fn take(
        &mut self,
        record: RawRecord,
        records: &mut Vec<LogRecord>,
        skipped: &mut SkippedRecords,
    ) -> Result<(), TopicFault> {
        let offset = record.offset;
        if let Some(store) = store_of(&record)
            && store != self.store
        {
            skipped.other_store = Some((place(offset), store.to_owned()));
        }
        match self.collector.take(record) {
            Taken::Whole(bytes) if offset >= self.from => records.push(LogRecord {
                offset: place(offset),
                bytes: bytes.into(),
            }),
            Taken::Whole(_) | Taken::Part => {}
            Taken::Stray => skip(
                skipped,
                1,
                offset,
                "a part of a change whose other parts are missing",
                self.from,
            ),
            Taken::Newer if offset >= self.from => {
                let topic = self.topic.clone();
                return Err(TopicFault::Newer { topic, offset });
            }
            Taken::Newer => {}
        }
        Ok(())
    }

    fn checked<T>(&self, result: Result<T, Malformed>) -> Result<T, TopicFault> {
        match result {
            Ok(value) => Ok(value),
            Err(reason) => Err(self.client.malformed(reason)),
        }
    }
}

/// Counts what was passed over, once.
fn skip(skipped: &mut SkippedRecords, count: i64, last: i64, reason: &'static str, from: i64) {
    if last >= from {
        skipped.count += u64::try_from(count).unwrap_or(0);
        skipped.last = Some(place(last));
        skipped.reason = reason;
    }
}

/// An offset as a place of the log.
pub(super) fn place(offset: i64) -> u64 {
    u64::try_from(offset).unwrap_or(0)
}
