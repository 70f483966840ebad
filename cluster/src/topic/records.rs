//! Batches of records (KIP-98): what is sent, and what is read. A broker checks what it is sent;
//! here every size and the checksum are checked again, and memory grows only with what is there.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::error::Malformed;

/// Offset and length precede what the length counts.
const PREFIX: usize = 12;
/// The bytes before the records.
const HEADER: usize = 61;
/// Where the bytes begin that the checksum covers.
const CHECKED: usize = 21;
/// The format of batches.
const FORMAT: u8 = 2;
/// What a record needs besides its key and its value, at most.
pub(super) const RECORD_OVERHEAD: usize = 32;
/// What a batch needs besides its records.
pub(super) const BATCH_OVERHEAD: usize = HEADER;

/// Why a batch has no records that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opaque {
    /// It is compressed.
    Compressed,
    /// It belongs to a transaction of somebody.
    Transactional,
    /// It is of Kafka before 0.11.
    Old,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRecord {
    pub(super) offset: i64,
    pub(super) key: Option<Bytes>,
    pub(super) value: Option<Bytes>,
}

/// A batch of records.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// The offset of its first record.
    pub(super) first: i64,
    /// The offset of its last record.
    pub(super) last: i64,
    /// The epoch of the leader that has written it; negative if it is not known.
    pub(super) epoch: i32,
    pub(super) content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Records(Records),
    /// What brokers write for themselves.
    Control,
    Opaque(Opaque),
}

/// The key and the value of a record to be written.
pub(super) type KeyAndValue<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

/// One batch with these keys and values, without compression.
pub(super) fn encode(records: &[KeyAndValue<'_>]) -> Bytes {
    let mut batch = BytesMut::new();
    batch.put_i64(0);
    batch.put_i32(0);
    batch.put_i32(-1);
    batch.put_u8(FORMAT);
    batch.put_u32(0);
    batch.put_i16(0);
    let count = i32::try_from(records.len()).unwrap_or(i32::MAX);
    batch.put_i32(count - 1);
    // No time: the broker sets it, so that clocks that differ do not matter.
    batch.put_i64(-1);
    batch.put_i64(-1);
    batch.put_i64(-1);
    batch.put_i16(-1);
    batch.put_i32(-1);
    batch.put_i32(count);
    for (index, (key, value)) in records.iter().enumerate() {
        let mut record = BytesMut::new();
        record.put_u8(0);
        put_varint(&mut record, 0);
        put_varint(&mut record, index as i64);
        put_field(&mut record, *key);
        put_field(&mut record, *value);
        put_varint(&mut record, 0);
        put_varint(&mut batch, record.len() as i64);
        batch.put_slice(&record);
    }
    let length = i32::try_from(batch.len() - PREFIX).unwrap_or(i32::MAX);
    batch[8..PREFIX].copy_from_slice(&length.to_be_bytes());
    let checksum = crc32c::crc32c(&batch[CHECKED..]);
    batch[CHECKED - 4..CHECKED].copy_from_slice(&checksum.to_be_bytes());
    batch.freeze()
}

fn put_field(record: &mut BytesMut, field: Option<&[u8]>) {
    match field {
        Some(bytes) => {
            put_varint(record, bytes.len() as i64);
            record.put_slice(bytes);
        }
        None => put_varint(record, -1),
    }
}

/// A number with its sign in the lowest bit, seven bits in each byte.
fn put_varint(buffer: &mut BytesMut, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        buffer.put_u8((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    buffer.put_u8(rest as u8);
}

/// The next batch of what a broker has sent, which ends anywhere: `None` if no whole one is left.
pub(super) fn next_batch(bytes: &mut Bytes) -> Result<Option<Batch>, Malformed> {
    if bytes.len() < PREFIX {
        return Ok(None);
    }
    let length = int(bytes, 8)?;
    let length = usize::try_from(length).map_err(|_| Malformed::Length)?;
    if bytes.len() - PREFIX < length {
        return Ok(None);
    }
    batch(&bytes.split_to(PREFIX + length)).map(Some)
}

fn batch(bytes: &Bytes) -> Result<Batch, Malformed> {
    let first = long(bytes, 0)?;
    let format = *bytes.get(16).ok_or(Malformed::Short)?;
    if format < FORMAT {
        // The offset of its last message.
        return Ok(Batch {
            first,
            last: first,
            epoch: -1,
            content: Content::Opaque(Opaque::Old),
        });
    }
    if format > FORMAT || bytes.len() < HEADER {
        return Err(Malformed::Length);
    }
    let checksum = int(bytes, CHECKED - 4)?.cast_unsigned();
    if crc32c::crc32c(&bytes[CHECKED..]) != checksum {
        return Err(Malformed::Checksum);
    }
    let attributes = int(bytes, CHECKED)? >> 16;
    let delta = int(bytes, 23)?;
    let count = int(bytes, 57)?;
    let last = first.checked_add(i64::from(delta));
    let Some(last) = last.filter(|_| first >= 0 && delta >= 0 && count >= 0) else {
        return Err(Malformed::Length);
    };
    let content = if attributes & 0x20 != 0 {
        Content::Control
    } else if attributes & 0x10 != 0 {
        Content::Opaque(Opaque::Transactional)
    } else if attributes & 0x07 != 0 {
        Content::Opaque(Opaque::Compressed)
    } else {
        Content::Records(Records {
            first,
            last,
            left: count,
            rest: bytes.slice(HEADER..),
        })
    };
    Ok(Batch {
        first,
        last,
        epoch: int(bytes, PREFIX)?,
        content,
    })
}

/// The records of a batch that have not been read.
#[derive(Debug, Clone)]
pub(super) struct Records {
    first: i64,
    last: i64,
    left: i32,
    rest: Bytes,
}

impl Records {
    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<RawRecord>, Malformed> {
        if self.left == 0 {
            return match self.rest.is_empty() {
                true => Ok(None),
                false => Err(Malformed::Rest),
            };
        }
        self.left -= 1;
        let length = varint(&mut self.rest)?;
        let mut record = take(&mut self.rest, length)?;
        take(&mut record, 1)?;
        varint(&mut record)?;
        let offset = self.first.checked_add(varint(&mut record)?);
        let Some(offset) = offset.filter(|of| (self.first..=self.last).contains(of)) else {
            return Err(Malformed::Length);
        };
        let key = field(&mut record)?;
        let value = field(&mut record)?;
        // Headers follow, which nobody here reads.
        Ok(Some(RawRecord { offset, key, value }))
    }
}

fn field(record: &mut Bytes) -> Result<Option<Bytes>, Malformed> {
    match varint(record)? {
        -1 => Ok(None),
        length => take(record, length).map(Some),
    }
}

fn take(bytes: &mut Bytes, length: i64) -> Result<Bytes, Malformed> {
    let length = usize::try_from(length).map_err(|_| Malformed::Length)?;
    match length <= bytes.len() {
        true => Ok(bytes.split_to(length)),
        false => Err(Malformed::Short),
    }
}

fn varint(bytes: &mut Bytes) -> Result<i64, Malformed> {
    let mut value = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = *bytes.first().ok_or(Malformed::Short)?;
        bytes.advance(1);
        value |= u64::from(byte & 0x7f).wrapping_shl(shift);
        if byte < 0x80 {
            return Ok((value >> 1).cast_signed() ^ -((value & 1).cast_signed()));
        }
    }
    Err(Malformed::Length)
}

fn int(bytes: &Bytes, at: usize) -> Result<i32, Malformed> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    Ok(i32::from_be_bytes(*found.ok_or(Malformed::Short)?))
}

fn long(bytes: &Bytes, at: usize) -> Result<i64, Malformed> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    Ok(i64::from_be_bytes(*found.ok_or(Malformed::Short)?))
}

#[cfg(test)]
mod tests {
    use kafka_protocol::records::{Compression, Record, RecordEncodeOptions, TimestampType};
    use kafka_protocol::records::{RecordBatchDecoder, RecordBatchEncoder};

    use super::*;

    fn read(mut bytes: Bytes) -> Result<Vec<RawRecord>, Malformed> {
        let mut found = Vec::new();
        while let Some(batch) = next_batch(&mut bytes)? {
            if let Content::Records(mut records) = batch.content {
                while let Some(record) = records.next()? {
                    found.push(record);
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn another_implementation_reads_what_is_written() {
        let long = vec![7; 100_000];
        let batch = encode(&[
            (Some(b"key"), Some(b"value")),
            (None, None),
            (Some(b""), Some(&long)),
        ]);
        let set = RecordBatchDecoder::decode(&mut batch.clone()).expect("a batch");
        let found: Vec<_> = set
            .records
            .iter()
            .map(|of| (of.offset, of.key.clone(), of.value.clone()))
            .collect();
        let bytes = |text: &'static [u8]| Some(Bytes::from_static(text));
        let expected = [
            (0, bytes(b"key"), bytes(b"value")),
            (1, None, None),
            (2, bytes(b""), Some(Bytes::from(long))),
        ];
        assert_eq!(found, expected);
        let own: Vec<_> = read(batch)
            .expect("records")
            .into_iter()
            .map(|of| (of.offset, of.key, of.value))
            .collect();
        assert_eq!(own, expected);
    }

    /// A batch of another producer.
    fn foreign(offset: i64, transactional: bool, control: bool) -> Bytes {
        let record = Record {
            transactional,
            control,
            delete_horizon: false,
            partition_leader_epoch: 4,
            producer_id: 9,
            producer_epoch: 1,
            timestamp_type: TimestampType::Creation,
            offset,
            sequence: 0,
            timestamp: 1_000,
            key: None,
            value: Some(Bytes::from_static(b"x")),
            headers: [("a".into(), Some(Bytes::from_static(b"b")))].into(),
        };
        let mut bytes = BytesMut::new();
        let options = RecordEncodeOptions {
            version: 2,
            compression: Compression::None,
        };
        RecordBatchEncoder::encode(&mut bytes, [&record], &options).expect("a batch");
        bytes.freeze()
    }

    #[test]
    fn batches_of_others_are_told_apart() {
        let mut all = BytesMut::new();
        for batch in [
            foreign(7, false, false),
            foreign(8, true, false),
            foreign(9, true, true),
        ] {
            all.put_slice(&batch);
        }
        // The compression is in the checksum, too.
        let mut compressed = BytesMut::from(&foreign(10, false, false)[..]);
        compressed[CHECKED + 1] |= 4;
        let checksum = crc32c::crc32c(&compressed[CHECKED..]);
        compressed[CHECKED - 4..CHECKED].copy_from_slice(&checksum.to_be_bytes());
        all.put_slice(&compressed);
        // A part of another one follows.
        all.put_slice(&foreign(11, false, false)[..40]);
        let mut rest = all.freeze();
        let mut next = || next_batch(&mut rest).expect("a batch");
        let plain = next().expect("a batch");
        assert_eq!((plain.first, plain.last, plain.epoch), (7, 7, 4));
        let Content::Records(mut records) = plain.content else {
            panic!("{plain:?}")
        };
        let record = records.next().expect("valid").expect("a record");
        assert_eq!(
            (record.offset, record.value.as_deref()),
            (7, Some(&b"x"[..]))
        );
        let is =
            |content: Content, expected| matches!(content, Content::Opaque(of) if of == expected);
        assert!(is(next().expect("a batch").content, Opaque::Transactional));
        assert!(matches!(next().expect("a batch").content, Content::Control));
        assert!(is(next().expect("a batch").content, Opaque::Compressed));
        assert!(next().is_none());
    }

    #[test]
    fn damaged_batches_are_refused() {
        let batch = encode(&[(Some(b"key"), Some(b"value")), (None, Some(b"more"))]);
        for at in CHECKED - 4..batch.len() {
            let mut damaged = BytesMut::from(&batch[..]);
            damaged[at] ^= 0x40;
            assert_eq!(read(damaged.freeze()), Err(Malformed::Checksum), "{at}");
        }
        // With a checksum that fits.
        for at in CHECKED..batch.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = BytesMut::from(&batch[..]);
                damaged[at] = value;
                let checksum = crc32c::crc32c(&damaged[CHECKED..]);
                damaged[CHECKED - 4..CHECKED].copy_from_slice(&checksum.to_be_bytes());
                if let Ok(records) = read(damaged.freeze()) {
                    assert!(records.len() <= 2);
                }
            }
        }
        for end in 0..batch.len() {
            assert_eq!(read(batch.slice(..end)), Ok(Vec::new()));
        }
        let mut negative = BytesMut::from(&batch[..]);
        negative[8] = 0xff;
        assert_eq!(read(negative.freeze()), Err(Malformed::Length));
    }
}
