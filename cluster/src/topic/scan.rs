//! Reads the records that are there, from one offset to another.

use std::time::Duration;

use bytes::Bytes;

use super::fault::TopicFault;
use super::messages::FetchFrom;
use super::partition::PartitionClient;
use super::records::{Content, RawRecord, Records, next_batch};
use crate::error::Malformed;

/// How long the broker may wait for records that are there.
const WAIT: Duration = Duration::from_millis(500);
/// How often it may have none nevertheless.
const MAX_EMPTY: u32 = 20;

/// Records up to an end. Those that compaction has removed are passed over.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    client: &'a mut PartitionClient,
    next: i64,
    end: i64,
    batches: Bytes,
    records: Option<Records>,
    after_batch: i64,
}

impl<'a> Scan<'a> {
    pub(super) fn new(client: &'a mut PartitionClient, from: i64, end: i64) -> Self {
        Self {
            client,
            next: from,
            end,
            batches: Bytes::new(),
            records: None,
            after_batch: from,
        }
    }

    /// The next record.
    pub(super) async fn next(&mut self) -> Result<Option<RawRecord>, TopicFault> {
        while self.next < self.end {
            if let Some(record) = self.next_of_batch()? {
                if record.offset >= self.end {
                    return Ok(None);
                }
                if record.offset >= self.next {
                    self.next = record.offset + 1;
                    return Ok(Some(record));
                }
                continue;
            }
            self.next = self.next.max(self.after_batch);
            if self.next < self.end && !self.has_batch()? {
                self.fetch().await?;
            }
        }
        Ok(None)
    }

    fn next_of_batch(&mut self) -> Result<Option<RawRecord>, TopicFault> {
        let Some(records) = &mut self.records else {
            return Ok(None);
        };
        let record = match records.next() {
            Ok(record) => record,
            Err(reason) => return Err(self.client.malformed(reason)),
        };
        if record.is_none() {
            self.records = None;
        }
        Ok(record)
    }

    /// Goes on to the next batch.
    fn has_batch(&mut self) -> Result<bool, TopicFault> {
        let batch = match next_batch(&mut self.batches) {
            Ok(batch) => batch,
            Err(reason) => return Err(self.client.malformed(reason)),
        };
        let Some(batch) = batch else {
            return Ok(false);
        };
        self.after_batch = batch.last.saturating_add(1);
        self.records = match batch.content {
            Content::Records(records) => Some(records),
            Content::Control | Content::Opaque(_) => None,
        };
        Ok(true)
    }

    async fn fetch(&mut self) -> Result<(), TopicFault> {
        let from = FetchFrom {
            offset: self.next,
            epoch: -1,
            wait: WAIT,
        };
        for _ in 0..MAX_EMPTY {
            let fetched = self.client.fetch(&from).await?;
            if fetched.batches.is_empty() {
                continue;
            }
            self.batches = fetched.batches;
            let goes_on = self.has_batch()? && self.after_batch > self.next;
            return match goes_on {
                true => Ok(()),
                false => Err(self.client.malformed(Malformed::Short)),
            };
        }
        Err(self.client.malformed(Malformed::Missing))
    }
}
