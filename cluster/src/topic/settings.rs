//! The settings of a topic: with some, a change that was acknowledged could be lost, and such a
//! topic is refused. A topic that is not there is created with those that are needed.

use std::collections::BTreeMap;
use std::time::Duration;

use kafka_protocol::messages::MetadataRequest;
use kafka_protocol::messages::create_topics_request::{
    CreatableTopic, CreatableTopicConfig, CreateTopicsRequest,
};
use kafka_protocol::messages::describe_configs_request::{
    DescribeConfigsRequest, DescribeConfigsResource,
};
use kafka_protocol::messages::metadata_response::MetadataResponseTopic;
use kafka_protocol::protocol::StrBytes;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::fault::{TopicFault, WrongSetting};
use super::name::TopicName;
use super::partition::about;
use crate::calls::Call;
use crate::cluster::KafkaCluster;
use crate::error::{BrokerRefusal, KafkaError, Malformed};

/// The type of a topic in `DescribeConfigs`.
const TOPIC: i8 = 2;
const NO_TOPIC: i16 = 3;
const NO_LEADER: i16 = 5;
const EXISTS: i16 = 36;
/// How long a new topic may need to get its leader.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);
const CREATION_MS: i32 = 15_000;
/// The largest message of a topic that is created here, which is Kafka's default.
const MESSAGE_BYTES: usize = 1_048_588;
/// Large entries need few parts, and what is read at once is not more than a client reads.
const MIN_MESSAGE_BYTES: usize = 128 * 1024;
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// What a topic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It keeps every record.
    Log,
    /// It keeps the last record of each key.
    Checkpoints,
}

/// A topic that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckedTopic {
    /// Nil if topics have no IDs.
    pub(super) id: Uuid,
    /// The largest batch that it takes.
    pub(super) message_bytes: usize,
    pub(super) is_new: bool,
}

/// What a topic must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) purpose: Purpose,
    /// How many brokers have each record.
    pub(super) copies: u16,
}

impl Wanted {
    /// How many brokers must have a record before it is acknowledged.
    fn in_sync(self) -> u16 {
        self.copies.min(2)
    }

    /// The settings of a new topic.
    fn settings(self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("min.insync.replicas", self.in_sync().to_string()),
            ("unclean.leader.election.enable", "false".to_owned()),
            ("compression.type", "producer".to_owned()),
            ("message.timestamp.type", "LogAppendTime".to_owned()),
            ("max.message.bytes", MESSAGE_BYTES.to_string()),
        ];
        match self.purpose {
            Purpose::Log => settings.extend([
                ("cleanup.policy", "delete".to_owned()),
                ("retention.ms", "-1".to_owned()),
                ("retention.bytes", "-1".to_owned()),
            ]),
            Purpose::Checkpoints => settings.push(("cleanup.policy", "compact".to_owned())),
        }
        settings
    }

    /// The settings that a topic cannot have.
    fn wrong(self, found: &BTreeMap<String, String>) -> Vec<WrongSetting> {
        let mut wrong = Vec::new();
        for (name, needed) in self.settings() {
            let value = found.get(name).map_or("", String::as_str);
            if let Some(danger) = self.danger(name, value, &needed) {
                wrong.push(WrongSetting {
                    name,
                    found: value.to_owned(),
                    needed,
                    danger,
                });
            }
        }
        wrong
    }

    fn danger(self, name: &str, value: &str, needed: &str) -> Option<&'static str> {
        let number = value.parse::<i64>().ok();
        let (is_right, danger) = match name {
            "min.insync.replicas" => (
                number.is_some_and(|of| of >= i64::from(self.in_sync())),
                "a change that one broker has is acknowledged, and lost with it",
            ),
            "unclean.leader.election.enable" => (
                value == needed,
                "a broker without the last changes can become the leader, and they are lost",
            ),
            "cleanup.policy" => (
                value == needed,
                match self.purpose {
                    Purpose::Log => "the broker removes changes of its own accord",
                    Purpose::Checkpoints => "old checkpoints are never removed, or new ones are",
                },
            ),
            "retention.ms" | "retention.bytes" => (
                number.is_some_and(|of| of < 0),
                "the broker deletes old changes before a checkpoint has them",
            ),
            "compression.type" => (
                matches!(value, "producer" | "uncompressed"),
                "the broker compresses the records, and this program does not read compressed ones",
            ),
            "max.message.bytes" => {
                let range = MIN_MESSAGE_BYTES as i64..=MAX_MESSAGE_BYTES as i64;
                (
                    number.is_some_and(|of| range.contains(&of)),
                    "changes do not fit, or are too large to be read",
                )
            }
            _ => (true, ""),
        };
        (!is_right).then_some(danger)
    }

    fn creation_command(self, topic: &TopicName) -> String {
        let mut command = format!(
            "kafka-topics --bootstrap-server HOST:PORT --command-config FILE --create --topic {topic} --partitions 1 --replication-factor {}",
            self.copies
        );
        for (name, value) in self.settings() {
            command.push_str(&format!(" --config {name}={value}"));
        }
        command
    }
}

fn change_command(topic: &TopicName, settings: &[WrongSetting]) -> String {
    let mut changes = String::new();
    for setting in settings {
        if !changes.is_empty() {
            changes.push(',');
        }
        changes.push_str(&format!("{}={}", setting.name, setting.needed));
    }
    format!(
        "kafka-configs --bootstrap-server HOST:PORT --command-config FILE --alter --entity-type topics --entity-name {topic} --add-config {changes}"
    )
}

/// Creates the topic if it is not there, and checks that it can be used.
pub(super) async fn prepare(
    cluster: &mut KafkaCluster,
    topic: &TopicName,
    wanted: Wanted,
) -> Result<CheckedTopic, TopicFault> {
    let mut is_new = false;
    let mut found = look_up(cluster, topic).await?;
    if found.is_none() {
        is_new = create(cluster, topic, wanted).await?;
        let end = Instant::now() + PATIENCE;
        while found.is_none() && Instant::now() < end {
            sleep(PAUSE).await;
            found = look_up(cluster, topic).await?;
        }
    }
    let found = found.ok_or_else(|| TopicFault::NoLeader(topic.clone()))?;
    let [partition] = found.partitions.as_slice() else {
        return Err(TopicFault::Partitions {
            topic: topic.clone(),
            count: found.partitions.len(),
        });
    };
    let (copies, wanted_copies) = (partition.replica_nodes.len(), usize::from(wanted.copies));
    if copies < wanted_copies {
        return Err(TopicFault::Replication {
            topic: topic.clone(),
            found: copies,
            wanted: wanted_copies,
        });
    }
    let settings = settings(cluster, topic).await?;
    let wrong = wanted.wrong(&settings);
    if !wrong.is_empty() {
        return Err(TopicFault::Settings {
            topic: topic.clone(),
            command: change_command(topic, &wrong),
            settings: wrong,
        });
    }
    let message_bytes = settings.get("max.message.bytes");
    let message_bytes = message_bytes.and_then(|text| text.parse().ok());
    Ok(CheckedTopic {
        id: found.topic_id,
        message_bytes: message_bytes.unwrap_or(MIN_MESSAGE_BYTES),
        is_new,
    })
}

/// The topic, with its leader; `None` if there is none.
async fn look_up(
    cluster: &mut KafkaCluster,
    topic: &TopicName,
) -> Result<Option<MetadataResponseTopic>, TopicFault> {
    let answer = cluster.read(&about(topic)).await?;
    let Some(found) = answer.topics.into_iter().next() else {
        let error = cluster.malformed(MetadataRequest::NAME, Malformed::Missing);
        return Err(error.into());
    };
    match found.error_code {
        0 => {
            let is_led = found.partitions.iter().all(|of| of.leader_id.0 >= 0);
            Ok(Some(found).filter(|_| is_led))
        }
        NO_TOPIC | NO_LEADER => Ok(None),
        number => Err(refused(cluster, topic, MetadataRequest::NAME, number, None).into()),
    }
}

/// Creates the topic; somebody else may do the same now.
async fn create(
    cluster: &mut KafkaCluster,
    topic: &TopicName,
    wanted: Wanted,
) -> Result<bool, TopicFault> {
    let mut settings = Vec::new();
    for (name, value) in wanted.settings() {
        settings.push(
            CreatableTopicConfig::default()
                .with_name(StrBytes::from_static_str(name))
                .with_value(Some(StrBytes::from_string(value))),
        );
    }
    let new = CreatableTopic::default()
        .with_name(topic.text().into())
        .with_num_partitions(1)
        .with_replication_factor(i16::try_from(wanted.copies).unwrap_or(i16::MAX))
        .with_configs(settings);
    let request = CreateTopicsRequest::default()
        .with_topics(vec![new])
        .with_timeout_ms(CREATION_MS);
    // Creating it twice is harmless.
    let answer = cluster.read(&request).await?;
    let Some(result) = answer.topics.into_iter().next() else {
        let error = cluster.malformed(CreateTopicsRequest::NAME, Malformed::Missing);
        return Err(error.into());
    };
    match result.error_code {
        0 => Ok(true),
        EXISTS => Ok(false),
        number => Err(TopicFault::NotCreated {
            topic: topic.clone(),
            refusal: Box::new(refusal(
                cluster,
                topic,
                CreateTopicsRequest::NAME,
                number,
                result.error_message.as_ref(),
            )),
            command: wanted.creation_command(topic),
        }),
    }
}

async fn settings(
    cluster: &mut KafkaCluster,
    topic: &TopicName,
) -> Result<BTreeMap<String, String>, TopicFault> {
    let resource = DescribeConfigsResource::default()
        .with_resource_type(TOPIC)
        .with_resource_name(topic.text())
        .with_configuration_keys(None);
    let request = DescribeConfigsRequest::default().with_resources(vec![resource]);
    let answer = cluster.read(&request).await?;
    let Some(result) = answer.results.into_iter().next() else {
        let error = cluster.malformed(DescribeConfigsRequest::NAME, Malformed::Missing);
        return Err(error.into());
    };
    if result.error_code != 0 {
        let message = result.error_message.as_ref();
        let call = DescribeConfigsRequest::NAME;
        return Err(refused(cluster, topic, call, result.error_code, message).into());
    }
    let mut settings = BTreeMap::new();
    for config in result.configs {
        let value = config.value.as_ref().map(ToString::to_string);
        settings.insert(config.name.to_string(), value.unwrap_or_default());
    }
    Ok(settings)
}

fn refused(
    cluster: &KafkaCluster,
    topic: &TopicName,
    call: &'static str,
    number: i16,
    message: Option<&StrBytes>,
) -> KafkaError {
    KafkaError::Refused(refusal(cluster, topic, call, number, message))
}

fn refusal(
    cluster: &KafkaCluster,
    topic: &TopicName,
    call: &'static str,
    number: i16,
    message: Option<&StrBytes>,
) -> BrokerRefusal {
    let mut refusal = cluster.properties().refusal(call, number, message);
    refusal.topic = Some(topic.to_string());
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: Wanted, changed: &[(&str, &str)]) -> Vec<&'static str> {
        let mut found = BTreeMap::new();
        for (name, value) in wanted.settings() {
            found.insert(name.to_owned(), value);
        }
        for (name, value) in changed {
            found.insert((*name).to_owned(), (*value).to_owned());
        }
        wanted.wrong(&found).iter().map(|of| of.name).collect()
    }

    #[test]
    fn settings_that_can_lose_a_change_are_refused() {
        let wanted = Wanted {
            purpose: Purpose::Log,
            copies: 3,
        };
        assert!(names(wanted, &[("min.insync.replicas", "3")]).is_empty());
        for (name, value) in [
            ("min.insync.replicas", "1"),
            ("min.insync.replicas", ""),
            ("unclean.leader.election.enable", "true"),
            ("cleanup.policy", "compact"),
            ("cleanup.policy", "compact,delete"),
            ("retention.ms", "604800000"),
            ("retention.bytes", "1"),
            ("compression.type", "zstd"),
            ("max.message.bytes", "1000"),
            ("max.message.bytes", "2147483647"),
        ] {
            assert_eq!(names(wanted, &[(name, value)]), [name], "{value}");
        }
        let alone = Wanted {
            copies: 1,
            ..wanted
        };
        assert!(names(alone, &[("min.insync.replicas", "1")]).is_empty());
        let checkpoints = Wanted {
            purpose: Purpose::Checkpoints,
            copies: 3,
        };
        assert!(names(checkpoints, &[("retention.ms", "604800000")]).is_empty());
        assert_eq!(
            names(checkpoints, &[("cleanup.policy", "delete")]),
            ["cleanup.policy"]
        );
    }

    #[test]
    fn the_sentence_names_the_setting_and_the_command() {
        let topic = TopicName::parse("gbac").expect("a name");
        let wanted = Wanted {
            purpose: Purpose::Log,
            copies: 3,
        };
        let mut found = BTreeMap::new();
        for (name, value) in wanted.settings() {
            found.insert(name.to_owned(), value);
        }
        found.insert("retention.ms".into(), "604800000".into());
        let settings = wanted.wrong(&found);
        let fault = TopicFault::Settings {
            command: change_command(&topic, &settings),
            topic,
            settings,
        };
        assert_eq!(
            fault.to_string(),
            "the topic `gbac` has `retention.ms=604800000`, with which the broker deletes old changes before a checkpoint has them: \
             set it with `kafka-configs --bootstrap-server HOST:PORT --command-config FILE --alter --entity-type topics \
             --entity-name gbac --add-config retention.ms=-1`"
        );
    }
}
