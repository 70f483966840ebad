//! What every implementation of [`ChangeLog`] passes.

use std::sync::Arc;

use serde_json::json;

use crate::entry::{EncodedEntry, EntryAuthor, EntryOrigin, LogEntry, NewEntry};
use crate::port::{ChangeLog, LogCheckpoint, LogError};
use crate::position::LogPosition;
use crate::state::{Admitted, LogState};

/// The writers that append at the same time.
const WRITERS: usize = 4;
/// The entries of each.
const ENTRIES: usize = 10;

/// An entry of a store, planned at a position.
///
/// # Panics
/// It cannot be written.
#[must_use]
pub fn entry(store: &str, expected: LogPosition, id: &str) -> EncodedEntry {
    sized_entry(store, expected, id, 1)
}

/// An entry with at least this number of bytes.
fn sized_entry(store: &str, expected: LogPosition, id: &str, bytes: usize) -> EncodedEntry {
    let entry = NewEntry {
        id: id.into(),
        origin: EntryOrigin {
            author: EntryAuthor::named("maya", "user"),
            via: "test".into(),
            at: 1_795_800_000_000,
            request_id: None,
            reason: None,
        },
        changes: vec![json!({ "change": "create_role", "role": "r".repeat(bytes) })],
        digest_after: String::new(),
    };
    LogEntry::new(store, expected, entry).encode().unwrap()
}

/// Runs every test, each on a new log.
///
/// # Panics
/// The implementation does not pass.
pub async fn suite<L: ChangeLog + 'static>(new: impl AsyncFn() -> L) {
    records_have_one_order(&new().await).await;
    follow_waits_for_the_next_record(&Arc::new(new().await)).await;
    writers_agree(&Arc::new(new().await)).await;
    large_entries_are_whole(&new().await).await;
    the_newest_checkpoint_counts(&new().await).await;
    records_are_deleted_behind_a_checkpoint(&new().await).await;
}

/// What is appended is read again, in one order, and repeated entries too.
async fn records_have_one_order(log: &impl ChangeLog) {
    let start = log.end().await.unwrap();
    let entries = ["1", "2", "1"].map(|id| entry("s", LogPosition::default(), id));
    let mut offsets = Vec::new();
    for entry in &entries {
        offsets.push(log.append(entry).await.unwrap());
    }
    assert!(offsets.is_sorted_by(|a, b| a < b), "{offsets:?}");
    let end = log.end().await.unwrap();
    let read = read_to(log, start, end).await;
    assert_eq!(read.len(), entries.len());
    for ((offset, bytes), (entry, appended)) in read.iter().zip(entries.iter().zip(&offsets)) {
        assert_eq!((offset, bytes.as_slice()), (appended, entry.bytes()));
    }
    let second = read_to(log, offsets[1], end).await;
    assert_eq!(second, read[1..]);
}

/// At the end of the log, `follow` waits, and what is appended meanwhile arrives.
async fn follow_waits_for_the_next_record<L: ChangeLog + 'static>(log: &Arc<L>) {
    let end = log.end().await.unwrap();
    let reader = Arc::clone(log);
    let waiting = tokio::spawn(async move { read_one(&*reader, end).await });
    tokio::task::yield_now().await;
    let entry = entry("s", LogPosition::default(), "1");
    log.append(&entry).await.unwrap();
    assert_eq!(waiting.await.unwrap(), entry.bytes());
}

/// Writers that plan on the state that they have and repeat what was void: each entry is applied
/// once, and all readers agree.
async fn writers_agree<L: ChangeLog + 'static>(log: &Arc<L>) {
    let start = log.end().await.unwrap();
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let log = Arc::clone(log);
        writers.push(tokio::spawn(async move {
            write_all(&*log, start, writer).await;
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let end = log.end().await.unwrap();
    let mut states = Vec::new();
    for _ in 0..2 {
        let mut state = LogState::new("s", LogPosition::default());
        let mut applied = Vec::new();
        for (_, bytes) in read_to(&**log, start, end).await {
            if let Admitted::Applied(entry) = state.admit(&bytes) {
                applied.push(entry.id);
            }
        }
        states.push((state, applied));
    }
    assert_eq!(states[0], states[1]);
    let (state, applied) = &states[0];
    assert_eq!(state.position().seq as usize, WRITERS * ENTRIES);
    let mut written: Vec<&str> = applied
        .iter()
        .filter_map(|id| id.rsplit('#').next())
        .collect();
    written.sort_unstable();
    written.dedup();
    assert_eq!(written.len(), WRITERS * ENTRIES);
}

async fn write_all(log: &impl ChangeLog, start: u64, writer: usize) {
    let mut state = LogState::new("s", LogPosition::default());
    let (mut from, mut tries) = (start, 0);
    for number in 0..ENTRIES {
        let mut is_applied = false;
        while !is_applied {
            tries += 1;
            let id = format!("{writer}-{tries}#{writer}.{number}");
            let own = entry("s", state.position(), &id);
            log.append(&own).await.unwrap();
            let mut has_returned = false;
            while !has_returned {
                let followed = log.follow(from).await.unwrap();
                from = followed.next;
                for record in followed.records {
                    let admitted = state.admit(&record.bytes);
                    match admitted {
                        Admitted::Applied(entry) if entry.id == id => {
                            (is_applied, has_returned) = (true, true);
                        }
                        Admitted::Void(entry) if entry.id == id => has_returned = true,
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Entries above the limit of one message of the log are read as they were appended.
async fn large_entries_are_whole(log: &impl ChangeLog) {
    let start = log.end().await.unwrap();
    let mut position = LogPosition::default();
    let mut entries = Vec::new();
    for (id, size) in [("1", 10), ("2", 3 << 20), ("3", 10)] {
        let entry = sized_entry("s", position, id, size);
        position = entry.after();
        log.append(&entry).await.unwrap();
        entries.push(entry);
    }
    let end = log.end().await.unwrap();
    let mut state = LogState::new("s", LogPosition::default());
    for (_, bytes) in read_to(log, start, end).await {
        assert!(matches!(state.admit(&bytes), Admitted::Applied(_)));
    }
    assert_eq!(state.position(), position);
}

/// A checkpoint replaces an older one, and never a newer one.
async fn the_newest_checkpoint_counts(log: &impl ChangeLog) {
    assert_eq!(log.latest().await.unwrap(), None);
    let mut checkpoints = Vec::new();
    let mut position = LogPosition::default();
    for (id, size) in [("1", 0), ("2", 3 << 20)] {
        let entry = entry("s", position, id);
        position = entry.after();
        let offset = log.append(&entry).await.unwrap() + 1;
        let state = vec![7; size];
        checkpoints.push(LogCheckpoint {
            position,
            offset,
            state,
        });
    }
    let [older, newer] = <[LogCheckpoint; 2]>::try_from(checkpoints).unwrap();
    log.checkpoint(&older).await.unwrap();
    assert_eq!(log.latest().await.unwrap(), Some(older.clone()));
    log.checkpoint(&newer).await.unwrap();
    assert_eq!(log.latest().await.unwrap(), Some(newer.clone()));
    log.checkpoint(&older).await.unwrap();
    assert_eq!(log.latest().await.unwrap(), Some(newer));
}

/// Records are deleted only if a checkpoint has them, and readers of deleted ones are told.
async fn records_are_deleted_behind_a_checkpoint(log: &impl ChangeLog) {
    let start = log.end().await.unwrap();
    let first = entry("s", LogPosition::default(), "1");
    let second = entry("s", first.after(), "2");
    log.append(&first).await.unwrap();
    let offset = log.append(&second).await.unwrap();
    assert_eq!(log.trim(offset).await, Err(LogError::NoCheckpoint(offset)));
    let checkpoint = LogCheckpoint {
        position: first.after(),
        offset,
        state: b"one".to_vec(),
    };
    log.checkpoint(&checkpoint).await.unwrap();
    let end = log.end().await.unwrap();
    assert_eq!(log.trim(end).await, Err(LogError::NoCheckpoint(end)));
    assert_eq!(read_one(log, start).await, first.bytes());
    log.trim(offset).await.unwrap();
    assert_eq!(log.follow(start).await, Err(LogError::Trimmed(offset)));
    let latest = log.latest().await.unwrap().unwrap();
    let mut state = LogState::new("s", latest.position);
    for (_, bytes) in read_to(log, latest.offset, end).await {
        assert!(matches!(state.admit(&bytes), Admitted::Applied(_)));
    }
    assert_eq!(state.position(), second.after());
}

/// The records from one place to another.
async fn read_to(log: &impl ChangeLog, from: u64, to: u64) -> Vec<(u64, Vec<u8>)> {
    let (mut read, mut next) = (Vec::new(), from);
    while next < to {
        let followed = log.follow(next).await.unwrap();
        assert!(followed.next > next);
        next = followed.next;
        for record in followed.records {
            read.push((record.offset, record.bytes));
        }
    }
    read
}

/// The first record from a place on.
async fn read_one(log: &impl ChangeLog, mut from: u64) -> Vec<u8> {
    loop {
        let followed = log.follow(from).await.unwrap();
        from = followed.next;
        if let Some(record) = followed.records.into_iter().next() {
            return record.bytes;
        }
    }
}
