//! What can go wrong with a topic that is a log, in a sentence that says what to do.

use gbac_engine::codes;

use super::name::TopicName;
use crate::error::{BrokerRefusal, KafkaError};

/// Why a topic cannot be used as a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopicFault {
    /// The cluster cannot be used, or refuses.
    #[error("{0}")]
    Cluster(KafkaError),
    /// The name is not one of a topic.
    #[error(
        "`{0}` is not the name of a topic for a log: it has 1 to 237 of the characters a to z, A to Z, 0 to 9, `.`, `_` and `-`"
    )]
    Name(String),
    /// The topic is not there, and this account cannot create it.
    #[error("the topic `{topic}` cannot be created: {refusal}; or create it with `{command}`")]
    NotCreated {
        /// The topic.
        topic: TopicName,
        /// What the broker says.
        refusal: Box<BrokerRefusal>,
        /// The command that creates it.
        command: String,
    },
    /// The topic has another number of partitions.
    #[error(
        "the topic `{topic}` has {count} partitions, and a log has exactly one: use another topic"
    )]
    Partitions {
        /// The topic.
        topic: TopicName,
        /// How many there are.
        count: usize,
    },
    /// The topic has too few copies.
    #[error(
        "the topic `{topic}` has {found} copies, and {wanted} are needed so that no acknowledged change is lost: \
         assign more with `kafka-reassign-partitions`, or ask for fewer copies"
    )]
    Replication {
        /// The topic.
        topic: TopicName,
        /// How many copies there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// Settings with which an acknowledged change could be lost.
    #[error(
        "the topic `{topic}` has {}: set it with `{command}`",
        sentence(settings)
    )]
    Settings {
        /// The topic.
        topic: TopicName,
        /// The settings.
        settings: Vec<WrongSetting>,
        /// The command that sets them.
        command: String,
    },
    /// The partition has no leader now.
    #[error("the topic `{0}` has no leader now: check that its brokers run")]
    NoLeader(TopicName),
    /// The topic is gone.
    #[error(
        "the topic `{0}` was deleted: nothing is written until it is restored, or another log is chosen"
    )]
    Gone(TopicName),
    /// Another topic of the same name is there.
    #[error(
        "the topic `{0}` was deleted and made again: nothing is written until somebody decides which log counts"
    )]
    Replaced(TopicName),
    /// The log ends before the place that was read.
    #[error(
        "the topic `{topic}` was truncated: it ends at offset {end}, and was read up to {read}; nothing is written until somebody decides which log counts"
    )]
    Truncated {
        /// The topic.
        topic: TopicName,
        /// Its end.
        end: i64,
        /// The place that was read.
        read: i64,
    },
    /// The records that were asked for are deleted.
    #[error("the topic `{topic}` begins at offset {start}")]
    Trimmed {
        /// The topic.
        topic: TopicName,
        /// Its beginning.
        start: i64,
    },
    /// Records are missing in the middle.
    #[error("the records {from} to {to} of the topic `{topic}` are missing")]
    Gap {
        /// The topic.
        topic: TopicName,
        /// The first that is missing.
        from: i64,
        /// The first one after it.
        to: i64,
    },
    /// A newer version has written a record in a form that this one does not know.
    #[error(
        "the record {offset} of the topic `{topic}` is of a newer version of this program: update this one"
    )]
    Newer {
        /// The topic.
        topic: TopicName,
        /// The record.
        offset: i64,
    },
    /// It is the log of other data.
    #[error(
        "the topic `{topic}` has the log of other data, `{}`: name the topic of this one",
        gbac_engine::escape::visible(found)
    )]
    OtherStore {
        /// The topic.
        topic: TopicName,
        /// The ID of the other data.
        found: String,
    },
}

codes! {
    pub TopicFault {
        Self::Cluster(_) => "topic_cluster",
        Self::Name(_) => "topic_name",
        Self::NotCreated { .. } => "topic_not_created",
        Self::Partitions { .. } => "topic_partitions",
        Self::Replication { .. } => "topic_replication",
        Self::Settings { .. } => "topic_settings",
        Self::NoLeader(_) => "topic_no_leader",
        Self::Gone(_) => "topic_gone",
        Self::Replaced(_) => "topic_replaced",
        Self::Truncated { .. } => "topic_truncated",
        Self::Trimmed { .. } => "topic_trimmed",
        Self::Gap { .. } => "topic_gap",
        Self::Newer { .. } => "topic_newer",
        Self::OtherStore { .. } => "topic_other_store",
    }
}

/// A setting of a topic that a log cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongSetting {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub found: String,
    /// The value that is needed.
    pub needed: String,
    /// What could happen.
    pub danger: &'static str,
}

fn sentence(settings: &[WrongSetting]) -> String {
    let mut sentence = String::new();
    for setting in settings {
        if !sentence.is_empty() {
            sentence.push_str(", and ");
        }
        let found = crate::error::said(&setting.found);
        sentence.push_str(&format!(
            "`{}={found}`, with which {}",
            setting.name, setting.danger
        ));
    }
    sentence
}

impl From<KafkaError> for TopicFault {
    fn from(error: KafkaError) -> Self {
        Self::Cluster(error)
    }
}
