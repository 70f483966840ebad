//! Checkpoints in a compacted topic. Each is a set of numbered parts and, after them, one record
//! that says that the set is complete; keys have the number of the state in front. The newest set
//! with all of its parts counts, so that a slow writer of an older one cannot replace it. Whoever
//! completes a set removes those before it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use gbac_log::{LogCheckpoint, LogPosition};
use ring::digest;
use serde_json::{Value, json};

use super::fault::TopicFault;
use super::partition::{NotAppended, PartitionClient, Repeat};
use super::parts::part_bytes;
use super::records::{KeyAndValue, RawRecord, encode};
use super::scan::Scan;

/// What the keys of this form begin with.
const FORM: &str = "gbac:1";
/// The most parts of a checkpoint.
const MAX_PARTS: usize = 65_536;
/// The most bytes of a checkpoint.
pub(super) const MAX_STATE_BYTES: usize = 2 << 30;
/// How many keys are removed in one batch.
const REMOVED_AT_ONCE: usize = 100;
/// How often sets are looked up, if they are removed while they are read.
const MAX_TRIES: usize = 3;

/// A set: the number of its state, and a random text.
type SetName = (u64, String);

/// What the last record of a set says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompleteSet {
    pub(super) store: String,
    pub(super) position: LogPosition,
    /// The first record of the log that is not part of the state.
    pub(super) offset: u64,
    parts: usize,
    bytes: usize,
    sha256: String,
}

impl CompleteSet {
    fn write(&self) -> String {
        json!({
            "store": self.store,
            "position": self.position,
            "offset": self.offset,
            "parts": self.parts,
            "bytes": self.bytes,
            "sha256": self.sha256,
        })
        .to_string()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut value: Value = serde_json::from_slice(bytes).ok()?;
        let number = |name: &str| usize::try_from(value.get(name)?.as_u64()?).ok();
        let (parts, size) = (number("parts")?, number("bytes")?);
        let complete = Self {
            offset: value.get("offset")?.as_u64()?,
            store: value.get("store")?.as_str()?.to_owned(),
            sha256: value.get("sha256")?.as_str()?.to_owned(),
            position: serde_json::from_value(value.get_mut("position")?.take()).ok()?,
            parts,
            bytes: size,
        };
        (parts <= MAX_PARTS && size <= MAX_STATE_BYTES).then_some(complete)
    }
}

/// What is there of a set.
#[derive(Debug, Default)]
struct FoundSet {
    /// The offsets of its parts.
    parts: BTreeMap<usize, i64>,
    complete: Option<CompleteSet>,
    has_mark: bool,
}

impl FoundSet {
    /// What it says about itself, if all of its parts are there.
    fn whole(&self) -> Option<&CompleteSet> {
        let complete = self.complete.as_ref()?;
        (self.parts.len() == complete.parts).then_some(complete)
    }
}

/// The sets of a topic.
#[derive(Debug, Default)]
pub(super) struct Sets(BTreeMap<SetName, FoundSet>);

impl Sets {
    /// Finds all sets.
    pub(super) async fn find(client: &mut PartitionClient) -> Result<Self, TopicFault> {
        let extent = client.extent().await?;
        let mut scan = Scan::new(client, extent.start, extent.end);
        let mut sets = Self::default();
        while let Some(record) = scan.next().await? {
            sets.take(&record);
        }
        Ok(sets)
    }

    fn take(&mut self, record: &RawRecord) {
        let Some((set, part)) = record.key.as_deref().and_then(read_key) else {
            return;
        };
        let found = self.0.entry(set).or_default();
        match (part, &record.value) {
            (Some(index), Some(_)) => {
                found.parts.insert(index, record.offset);
            }
            (Some(index), None) => {
                found.parts.remove(&index);
            }
            (None, Some(value)) => {
                found.complete = CompleteSet::read(value);
                found.has_mark = true;
            }
            (None, None) => {
                found.complete = None;
                found.has_mark = false;
            }
        }
    }

    /// The newest set that is whole.
    pub(super) fn newest(&self) -> Option<&CompleteSet> {
        self.0.values().rev().find_map(FoundSet::whole)
    }

    /// The keys of everything before a state.
    fn keys_before(&self, seq: u64) -> Vec<String> {
        let mut keys = Vec::new();
        for (set, found) in self.0.iter().filter(|((of, _), _)| *of < seq) {
            for index in found.parts.keys() {
                keys.push(key(set, Some(*index)));
            }
            if found.has_mark {
                keys.push(key(set, None));
            }
        }
        keys
    }
}

/// The key of a part of a set, or of the record that completes it.
fn key((seq, id): &SetName, part: Option<usize>) -> String {
    match part {
        Some(index) => format!("{FORM}:{seq:020}:{id}:{index}"),
        None => format!("{FORM}:{seq:020}:{id}:complete"),
    }
}

fn read_key(key: &[u8]) -> Option<(SetName, Option<usize>)> {
    let rest = str::from_utf8(key).ok()?.strip_prefix(FORM)?;
    let (seq, rest) = rest.strip_prefix(':')?.split_once(':')?;
    let (id, part) = rest.split_once(':')?;
    let part = match part {
        "complete" => None,
        index => Some(index.parse().ok().filter(|of| *of < MAX_PARTS)?),
    };
    Some(((seq.parse().ok()?, id.to_owned()), part))
}

/// The newest checkpoint that is complete, and the ID of its data.
pub(super) async fn latest(
    client: &mut PartitionClient,
) -> Result<Option<(String, LogCheckpoint)>, TopicFault> {
    for _ in 0..MAX_TRIES {
        let sets = Sets::find(client).await?;
        let mut has_whole = false;
        for (name, found) in sets.0.iter().rev() {
            let Some(complete) = found.whole() else {
                continue;
            };
            has_whole = true;
            if let Some(state) = read_state(client, name, found, complete).await? {
                let checkpoint = LogCheckpoint {
                    position: complete.position,
                    offset: complete.offset,
                    state,
                };
                return Ok(Some((complete.store.clone(), checkpoint)));
            }
        }
        if !has_whole {
            return Ok(None);
        }
    }
    Ok(None)
}

async fn read_state(
    client: &mut PartitionClient,
    name: &SetName,
    found: &FoundSet,
    complete: &CompleteSet,
) -> Result<Option<Vec<u8>>, TopicFault> {
    let first = found.parts.values().min().copied().unwrap_or(0);
    let last = found.parts.values().max().copied().unwrap_or(-1);
    let wanted: BTreeSet<i64> = found.parts.values().copied().collect();
    let mut parts: BTreeMap<usize, Bytes> = BTreeMap::new();
    let mut scan = Scan::new(client, first, last + 1);
    while let Some(record) = scan.next().await? {
        if !wanted.contains(&record.offset) {
            continue;
        }
        let Some((set, Some(index))) = record.key.as_deref().and_then(read_key) else {
            continue;
        };
        if set == *name
            && let Some(value) = record.value
        {
            parts.insert(index, value);
        }
    }
    let mut state = Vec::new();
    for part in parts.values() {
        state.extend_from_slice(part);
    }
    let is_right = state.len() == complete.bytes && sha256(&state) == complete.sha256;
    Ok(is_right.then_some(state))
}

/// Writes a checkpoint, unless there is one of the same state or of a later one.
pub(super) async fn write(
    client: &mut PartitionClient,
    message_bytes: usize,
    store: &str,
    id: String,
    checkpoint: &LogCheckpoint,
) -> Result<(), NotAppended> {
    let sets = Sets::find(client).await.map_err(NotAppended::nothing)?;
    let seq = checkpoint.position.seq;
    if sets.newest().is_some_and(|of| of.position.seq >= seq) {
        return Ok(());
    }
    let set = (seq, id);
    let mut parts = 0;
    for part in checkpoint.state.chunks(part_bytes(message_bytes)) {
        put(client, &key(&set, Some(parts)), part).await?;
        parts += 1;
    }
    let complete = CompleteSet {
        store: store.to_owned(),
        position: checkpoint.position,
        offset: checkpoint.offset,
        parts,
        bytes: checkpoint.state.len(),
        sha256: sha256(&checkpoint.state),
    };
    put(client, &key(&set, None), complete.write().as_bytes()).await?;
    for keys in sets.keys_before(seq).chunks(REMOVED_AT_ONCE) {
        let mut records: Vec<KeyAndValue<'_>> = Vec::new();
        for key in keys {
            records.push((Some(key.as_bytes()), None));
        }
        client.append(&encode(&records), Repeat::Always).await?;
    }
    Ok(())
}

/// Writes a record; a second one of the same key changes nothing.
async fn put(client: &mut PartitionClient, key: &str, value: &[u8]) -> Result<(), NotAppended> {
    let batch = encode(&[(Some(key.as_bytes()), Some(value))]);
    client.append(&batch, Repeat::Always).await?;
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest::digest(&digest::SHA256, bytes).as_ref() {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(offset: i64, key: &str, value: Option<&str>) -> RawRecord {
        RawRecord {
            offset,
            key: Some(Bytes::copy_from_slice(key.as_bytes())),
            value: value.map(|text| Bytes::copy_from_slice(text.as_bytes())),
        }
    }

    fn complete(seq: u64, parts: usize) -> CompleteSet {
        let position = LogPosition {
            seq,
            ..LogPosition::default()
        };
        CompleteSet {
            store: "s".into(),
            position,
            offset: 2 * seq,
            parts,
            bytes: 7,
            sha256: "x".into(),
        }
    }

    #[test]
    fn the_newest_whole_set_counts() {
        let mut sets = Sets::default();
        let [old, new] = [(9, "b".to_owned()), (10, "a".to_owned())];
        sets.take(&record(0, &key(&old, Some(0)), Some("x")));
        sets.take(&record(1, &key(&new, Some(0)), Some("x")));
        sets.take(&record(2, &key(&new, Some(1)), Some("x")));
        assert_eq!(sets.newest(), None);
        let mark = complete(10, 2).write();
        sets.take(&record(3, &key(&new, None), Some(&mark)));
        assert_eq!(sets.newest(), Some(&complete(10, 2)));
        // A slow writer.
        sets.take(&record(4, &key(&old, None), Some(&complete(9, 1).write())));
        assert_eq!(sets.newest(), Some(&complete(10, 2)));
        let keys = sets.keys_before(10);
        assert_eq!(keys, [key(&old, Some(0)), key(&old, None)]);
        // Without one of its parts it is not whole.
        sets.take(&record(5, &key(&new, Some(1)), None));
        assert_eq!(sets.newest(), Some(&complete(9, 1)));
        for key in keys {
            sets.take(&record(6, &key, None));
        }
        assert_eq!(sets.newest(), None);
    }

    #[test]
    fn keys_and_marks_of_others_are_passed_over() {
        for key in [
            "",
            "gbac:2:00000000000000000001:a:0",
            "gbac:1:x:a:0",
            "gbac:1:00000000000000000001:a",
            "gbac:1:00000000000000000001:a:65536",
        ] {
            assert_eq!(read_key(key.as_bytes()), None, "{key}");
        }
        for mark in ["", "{}", "[]", r#"{"store":"s","position":7}"#] {
            assert_eq!(CompleteSet::read(mark.as_bytes()), None, "{mark}");
        }
        let large = CompleteSet {
            parts: MAX_PARTS + 1,
            ..complete(1, 1)
        };
        assert_eq!(CompleteSet::read(large.write().as_bytes()), None);
    }
}
