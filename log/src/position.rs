//! Which entry comes next: the number of the last one, and the digest of all of them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A SHA-256, in JSON and as text in hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct LogDigest([u8; 32]);

impl LogDigest {
    /// The digest with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits in lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return None;
        };
        let pairs = <&[[u8; 2]; 32]>::try_from(pairs).ok()?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

const fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for LogDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for LogDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for LogDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LogDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("a digest has 64 digits"))
    }
}

/// A place in the log between two entries: how many entries were applied, and what they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogPosition {
    /// The number of applied entries, which is the number of the last one.
    pub seq: u64,
    /// The digest of all of them, in order.
    pub digest: LogDigest,
}

impl LogPosition {
    /// The position after an entry with these bytes.
    #[must_use]
    pub fn after(&self, entry: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.digest.0);
        hasher.update(entry);
        Self {
            seq: self.seq.saturating_add(1),
            digest: LogDigest(hasher.finalize().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_as_they_are_written() {
        let digest = LogPosition::default().after(b"x").digest;
        assert_eq!(LogDigest::parse(&digest.to_string()), Some(digest));
        let text = digest.to_string();
        for bad in [
            "",
            &text[1..],
            &text.to_uppercase(),
            &format!("{text}0"),
            &format!("g{}", &text[1..]),
        ] {
            assert_eq!(LogDigest::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_entry_and_their_order_count() {
        let start = LogPosition::default();
        let ab = start.after(b"a").after(b"b");
        assert_eq!(ab.seq, 2);
        assert_ne!(ab.digest, start.after(b"b").after(b"a").digest);
        assert_ne!(ab.digest, start.after(b"ab").digest);
    }
}
