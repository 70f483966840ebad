//! Entries as records. An entry above the limit of a message goes out in parts, each acknowledged
//! before the next one, and counts where its last part is. If it is not known whether a part was
//! appended, all parts are sent again under another name, so that no part of a name comes twice.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use gbac_log::MAX_ENTRY_BYTES;

use super::records::{BATCH_OVERHEAD, RECORD_OVERHEAD, RawRecord};

/// What the key of a record of a log begins with, and the form of these keys.
const OURS: &str = "gbac:";
const FORM: &str = "1";
/// The longest key of a part.
const MAX_KEY: usize = 320;
/// All parts of an entry are among so many records. Where an entry is whole depends only on the
/// records since its first part, so that all readers agree, wherever they begin.
pub(super) const WINDOW: i64 = 1_024;
/// All parts of an entry are among so many bytes of parts.
const WINDOW_BYTES: u64 = 2 * MAX_ENTRY_BYTES as u64;

/// The name of an entry, as all of its parts have it.
#[derive(Debug)]
pub(super) struct PartsName<'a> {
    /// The ID of the data.
    pub(super) store: &'a str,
    /// A random text without `:`.
    pub(super) id: &'a str,
}

/// Keys and values of the records for an entry.
pub(super) fn split<'a>(
    name: &PartsName<'_>,
    entry: &'a [u8],
    message_bytes: usize,
) -> Vec<(String, &'a [u8])> {
    let size = part_bytes(message_bytes);
    let count = entry.len().div_ceil(size).max(1);
    let mut parts = Vec::with_capacity(count);
    for index in 0..count {
        let end = entry.len().min((index + 1) * size);
        let key = format!("{OURS}{FORM}:{}:{}:{index}:{count}", name.store, name.id);
        parts.push((key, &entry[index * size..end]));
    }
    parts
}

/// How much of a value fits into a message.
pub(super) const fn part_bytes(message_bytes: usize) -> usize {
    message_bytes.saturating_sub(BATCH_OVERHEAD + RECORD_OVERHEAD + MAX_KEY)
}

/// What the key of a record says.
#[derive(Debug, PartialEq, Eq)]
enum Key<'a> {
    /// Somebody else has written it.
    Foreign,
    /// A newer version has written it.
    Newer,
    /// A part: what is the same for all parts of its entry, its index, and their count.
    Part {
        name: &'a str,
        index: u32,
        count: u32,
    },
}

fn read_key(key: &[u8]) -> Key<'_> {
    let text = str::from_utf8(key).ok();
    let Some((form, rest)) = text
        .and_then(|text| text.strip_prefix(OURS))
        .and_then(|text| text.split_once(':'))
    else {
        return Key::Foreign;
    };
    if form != FORM {
        return Key::Newer;
    }
    match part(rest) {
        Some(part) if key.len() <= MAX_KEY => part,
        _ => Key::Foreign,
    }
}

fn part(text: &str) -> Option<Key<'_>> {
    let (rest, count) = text.rsplit_once(':')?;
    let (name, index) = rest.rsplit_once(':')?;
    let (index, count) = (index.parse().ok()?, count.parse().ok()?);
    (index < count).then_some(Key::Part { name, index, count })
}

/// The ID of the data that a record belongs to, if it is one of a log.
pub(super) fn store_of(record: &RawRecord) -> Option<&str> {
    match read_key(record.key.as_deref()?) {
        Key::Part { name, .. } => Some(name.split_once(':')?.0),
        Key::Foreign | Key::Newer => None,
    }
}

/// What a record gives to the reader of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A whole entry, or what somebody else has written.
    Whole(Bytes),
    /// A part of an entry that is not whole yet.
    Part,
    /// A part that does not fit to those before it, and is left out.
    Stray,
    /// A newer version has written it.
    Newer,
}

/// The parts of entries that are not whole yet.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pending: BTreeMap<String, Pending>,
    /// The bytes of all parts that were read.
    read: u64,
}

#[derive(Debug)]
struct Pending {
    first: i64,
    /// The bytes of parts that were read before it.
    before: u64,
    count: u32,
    received: u32,
    bytes: BytesMut,
}

impl Collector {
    /// The first record that is needed to make all pending entries whole.
    pub(super) fn first_pending(&self) -> Option<i64> {
        self.pending.values().map(|pending| pending.first).min()
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: RawRecord) -> Taken {
        let value = record.value.unwrap_or_default();
        let key = record.key.unwrap_or_default();
        let (name, index, count) = match read_key(&key) {
            Key::Newer => return Taken::Newer,
            Key::Foreign | Key::Part { count: 1, .. } => return Taken::Whole(value),
            Key::Part { name, index, count } => (name, index, count),
        };
        self.read += value.len() as u64;
        self.forget(record.offset);
        if index == 0 {
            let pending = Pending {
                first: record.offset,
                before: self.read - value.len() as u64,
                count,
                received: 1,
                bytes: BytesMut::from(&value[..]),
            };
            self.pending.insert(name.to_owned(), pending);
            return Taken::Part;
        }
        let Some(mut pending) = self.pending.remove(name) else {
            return Taken::Stray;
        };
        if pending.received != index || pending.count != count {
            return Taken::Stray;
        }
        pending.received += 1;
        pending.bytes.extend_from_slice(&value);
        if pending.received == count {
            return Taken::Whole(pending.bytes.freeze());
        }
        self.pending.insert(name.to_owned(), pending);
        Taken::Part
    }

    /// Forgets entries whose parts are too far from each other.
    fn forget(&mut self, offset: i64) {
        let read = self.read;
        self.pending.retain(|_, pending| {
            offset - pending.first <= WINDOW && read - pending.before <= WINDOW_BYTES
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(offset: i64, key: &str, value: &[u8]) -> RawRecord {
        RawRecord {
            offset,
            key: Some(Bytes::copy_from_slice(key.as_bytes())),
            value: Some(Bytes::copy_from_slice(value)),
        }
    }

    const NAME: PartsName<'_> = PartsName {
        store: "s",
        id: "x",
    };
    const MESSAGE: usize = BATCH_OVERHEAD + RECORD_OVERHEAD + MAX_KEY + 4;

    fn taken(collector: &mut Collector, offset: i64, part: &(String, &[u8])) -> Taken {
        collector.take(record(offset, &part.0, part.1))
    }

    #[test]
    fn an_entry_is_whole_with_its_last_part() {
        let parts = split(&NAME, b"0123456789", MESSAGE);
        assert_eq!(parts[2], ("gbac:1:s:x:2:3".to_owned(), &b"89"[..]));
        let other = PartsName {
            store: "s",
            id: "y",
        };
        let others = split(&other, b"abcdefg", MESSAGE);
        let mut collector = Collector::default();
        assert_eq!(taken(&mut collector, 0, &parts[0]), Taken::Part);
        assert_eq!(taken(&mut collector, 1, &others[0]), Taken::Part);
        assert_eq!(collector.first_pending(), Some(0));
        let foreign = record(2, "else", b"x");
        assert_eq!(
            collector.take(foreign),
            Taken::Whole(Bytes::from_static(b"x"))
        );
        assert_eq!(taken(&mut collector, 3, &parts[1]), Taken::Part);
        let whole = taken(&mut collector, 4, &parts[2]);
        assert_eq!(whole, Taken::Whole(Bytes::from_static(b"0123456789")));
        let whole = taken(&mut collector, 5, &others[1]);
        assert_eq!(whole, Taken::Whole(Bytes::from_static(b"abcdefg")));
        assert_eq!(collector.first_pending(), None);
        let [only] = <[_; 1]>::try_from(split(&NAME, b"", MESSAGE)).expect("one part");
        let whole = taken(&mut collector, 6, &only);
        assert_eq!(whole, Taken::Whole(Bytes::new()));
    }

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = split(&NAME, b"0123456789", MESSAGE);
        for (offsets, indexes) in [
            ([0, 1, 2], [0, 2, 1]),
            ([0, 1, 2], [1, 2, 2]),
            ([0, 1, 2], [0, 1, 1]),
            ([0, 1, WINDOW + 1], [0, 1, 2]),
        ] {
            let mut collector = Collector::default();
            let mut last = Taken::Part;
            for (offset, index) in offsets.into_iter().zip(indexes) {
                last = taken(&mut collector, offset, &parts[index]);
            }
            assert_eq!(last, Taken::Stray, "{indexes:?}");
        }
        let mut collector = Collector::default();
        assert_eq!(
            collector.take(record(0, "gbac:2:anything", b"")),
            Taken::Newer
        );
        for foreign in ["gbac:1:s:x:3:3", "gbac:1", "gbac", "gbac:1:s:x:-1:2", ""] {
            let taken = collector.take(record(0, foreign, b"v"));
            assert_eq!(taken, Taken::Whole(Bytes::from_static(b"v")), "{foreign}");
        }
        // Whoever begins at any record agrees with whoever has read all.
        assert_eq!(taken(&mut collector, 10, &parts[0]), Taken::Part);
        assert_eq!(taken(&mut collector, 11, &parts[1]), Taken::Part);
        assert_eq!(taken(&mut collector, 12, &parts[0]), Taken::Part);
        assert_eq!(taken(&mut collector, 13, &parts[2]), Taken::Stray);
    }

    #[test]
    fn the_store_is_in_the_key() {
        assert_eq!(store_of(&record(0, "gbac:1:s:x:0:3", b"")), Some("s"));
        assert_eq!(store_of(&record(0, "else", b"")), None);
    }
}
