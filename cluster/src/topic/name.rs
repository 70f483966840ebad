//! Names of topics that can be logs.

use std::fmt;

use kafka_protocol::protocol::StrBytes;

/// A topic has this ending for its checkpoints.
const CHECKPOINTS: &str = "-checkpoints";
/// The longest name that Kafka has.
const MAX_NAME: usize = 249;

/// The name of a topic, which a shell takes as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicName(String);

impl TopicName {
    /// A name that Kafka has, with room for the ending of the checkpoints.
    ///
    /// ```
    /// use gbac_cluster::TopicName;
    ///
    /// assert!(TopicName::parse("gbac-log").is_some());
    /// assert!(TopicName::parse("gbac/log").is_none());
    /// ```
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let is_valid = name.bytes().all(is_valid) && !matches!(name, "" | "." | "..");
        let is_short = name.len() <= MAX_NAME - CHECKPOINTS.len();
        (is_valid && is_short).then(|| Self(name.to_owned()))
    }

    /// The topic for the checkpoints of this one.
    pub(super) fn checkpoints(&self) -> Self {
        Self(format!("{self}{CHECKPOINTS}"))
    }

    pub(super) fn text(&self) -> StrBytes {
        StrBytes::from_string(self.0.clone())
    }
}

const fn is_valid(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

impl fmt::Display for TopicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_kafka() {
        for name in ["gbac", "_a.b-C9", &"x".repeat(237)] {
            let parsed = TopicName::parse(name).expect("a name");
            assert_eq!(parsed.to_string(), name);
            assert!(parsed.checkpoints().to_string().len() <= MAX_NAME);
        }
        for name in ["", ".", "..", "a b", "a/b", "ä", "$(x)", &"x".repeat(238)] {
            assert_eq!(TopicName::parse(name), None, "{name}");
        }
    }
}
