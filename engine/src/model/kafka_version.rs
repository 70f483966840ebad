//! Versions of Apache Kafka, which differ in what ACLs match (D-72).

use std::fmt;

use crate::escape::escaped;
use crate::text::plain_number;

/// A version of Apache Kafka, without its patch number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KafkaVersion {
    major: u16,
    minor: u16,
}

/// A text that is not a version of Apache Kafka.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KafkaVersionError(String);

codes! {
    pub KafkaVersionError {
        _ => "kafka_version_invalid",
    }
}

impl KafkaVersionError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        "write the first two numbers of the version, such as `4.4`"
    }
}

impl fmt::Display for KafkaVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a version of Kafka", escaped(&self.0))
    }
}

impl std::error::Error for KafkaVersionError {}

impl KafkaVersion {
    /// The first version in which hosts of ACLs can be ranges (KIP-1276).
    pub const WITH_HOST_RANGES: Self = Self::new(4, 4);

    /// The version of these numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// Reads a version such as `4.4`.
    ///
    /// # Errors
    /// Anything but two numbers with a dot between them.
    ///
    /// ```
    /// use gbac_engine::model::KafkaVersion;
    /// assert!(KafkaVersion::parse("3.9")? < KafkaVersion::WITH_HOST_RANGES);
    /// assert!(KafkaVersion::parse("4").is_err());
    /// # Ok::<(), gbac_engine::model::KafkaVersionError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, KafkaVersionError> {
        let number = |text: &str| plain_number(text).and_then(|number| u16::try_from(number).ok());
        let version = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Self::new(number(major)?, number(minor)?)));
        version.ok_or_else(|| KafkaVersionError(text.into()))
    }
}

/// The version whose rules hold where none is stated.
impl Default for KafkaVersion {
    fn default() -> Self {
        Self::WITH_HOST_RANGES
    }
}

impl fmt::Display for KafkaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_two_numbers() {
        assert_eq!(KafkaVersion::parse("3.10").unwrap().to_string(), "3.10");
        assert!(KafkaVersion::parse("3.10").unwrap() > KafkaVersion::parse("3.9").unwrap());
        for text in [
            "", "4", "4.", ".4", "4.4.0", "4.x", "04.4", "4.-1", "4. 4", "99999.1",
        ] {
            assert_eq!(
                KafkaVersion::parse(text).unwrap_err().code(),
                "kafka_version_invalid",
                "{text}"
            );
        }
    }
}
