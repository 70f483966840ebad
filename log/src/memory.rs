//! A log in memory, for tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::entry::{EncodedEntry, MAX_ENTRY_BYTES};
use crate::port::{ChangeLog, FollowedRecords, LogCheckpoint, LogError, LogRecord};

/// A log in memory.
#[derive(Debug)]
pub struct MemoryLog {
    kept: Mutex<Kept>,
    end: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    records: Vec<LogRecord>,
    first: u64,
    checkpoint: Option<LogCheckpoint>,
}

impl Kept {
    fn end(&self) -> u64 {
        self.records
            .last()
            .map_or(self.first, |last| last.offset + 1)
    }
}

impl Default for MemoryLog {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            end: watch::Sender::new(0),
        }
    }
}

impl MemoryLog {
    /// Appends any bytes, as others could.
    pub fn push(&self, bytes: &[u8]) -> u64 {
        let mut kept = self.kept();
        let offset = kept.end();
        kept.records.push(LogRecord {
            offset,
            bytes: bytes.to_vec(),
        });
        // While the records are locked, so that the end never goes back.
        self.end.send_replace(offset + 1);
        offset
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, from: u64) -> Result<FollowedRecords, LogError> {
        let kept = self.kept();
        let end = kept.end();
        if from < kept.first {
            return Err(LogError::Trimmed(kept.first));
        }
        if from > end {
            return Err(LogError::Truncated(end));
        }
        let mut records = Vec::new();
        for record in &kept.records {
            if record.offset >= from {
                records.push(record.clone());
            }
        }
        Ok(FollowedRecords { records, next: end })
    }
}

impl ChangeLog for MemoryLog {
    async fn append(&self, entry: &EncodedEntry) -> Result<u64, LogError> {
        let (size, limit) = (entry.bytes().len(), MAX_ENTRY_BYTES);
        if size > limit {
            return Err(LogError::TooLarge { size, limit });
        }
        Ok(self.push(entry.bytes()))
    }

    async fn follow(&self, from: u64) -> Result<FollowedRecords, LogError> {
        let mut ends = self.end.subscribe();
        loop {
            let followed = self.read(from)?;
            if !followed.records.is_empty() {
                return Ok(followed);
            }
            if ends.wait_for(|end| *end > from).await.is_err() {
                return Err(LogError::Unavailable("it is closed".to_owned()));
            }
        }
    }

    async fn end(&self) -> Result<u64, LogError> {
        Ok(self.kept().end())
    }

    async fn checkpoint(&self, checkpoint: &LogCheckpoint) -> Result<(), LogError> {
        let mut kept = self.kept();
        let is_newer = match &kept.checkpoint {
            Some(known) => known.position.seq < checkpoint.position.seq,
            None => true,
        };
        if is_newer {
            kept.checkpoint = Some(checkpoint.clone());
        }
        Ok(())
    }

    async fn latest(&self) -> Result<Option<LogCheckpoint>, LogError> {
        Ok(self.kept().checkpoint.clone())
    }

    async fn trim(&self, before: u64) -> Result<(), LogError> {
        let mut kept = self.kept();
        match &kept.checkpoint {
            Some(checkpoint) if before <= checkpoint.offset => {}
            _ => return Err(LogError::NoCheckpoint(before)),
        }
        kept.records.retain(|record| record.offset >= before);
        kept.first = kept.first.max(before);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn it_passes_the_suite() {
        testing::suite(async || MemoryLog::default()).await;
    }

    #[tokio::test]
    async fn a_reader_beyond_its_end_is_told() {
        let log = MemoryLog::default();
        log.push(b"x");
        assert_eq!(log.follow(7).await, Err(LogError::Truncated(1)));
    }
}
