//! The log in a topic: what it promises, and what it does when the topic is not what it was.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use gbac_cluster::{TopicFault, TopicLog};
use gbac_log::testing::{entry, suite};
use gbac_log::{Admitted, ChangeLog, EncodedEntry, EntryFault, LogError, LogPosition, LogState};
use kafka_protocol::messages::ApiKey;
use kafka_protocol::records::{
    Compression, Record, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};

use crate::broker::{Broker, Mishap};

const STORE: &str = "5";
const TOPIC: &str = "gbac";

#[tokio::test]
async fn it_passes_the_suite() {
    let broker = Broker::start().await;
    let count = AtomicUsize::new(0);
    suite(async || {
        let topic = format!("gbac-{}", count.fetch_add(1, Ordering::Relaxed));
        broker.open(&topic, "s").await.expect("a log")
    })
    .await;
}

async fn opened() -> (Broker, TopicLog) {
    let broker = Broker::start().await;
    let log = broker.open(TOPIC, STORE).await.expect("a log");
    (broker, log)
}

fn first(id: &str) -> EncodedEntry {
    entry(STORE, LogPosition::default(), id)
}

/// What each record from a place on means for the state.
async fn admitted(log: &TopicLog, state: &mut LogState, from: u64) -> Vec<Admitted> {
    let (end, mut next) = (log.end().await.expect("an end"), from);
    let mut all = Vec::new();
    while next < end {
        let followed = log.follow(next).await.expect("records");
        next = followed.next;
        for record in followed.records {
            all.push(state.admit(&record.bytes));
        }
    }
    all
}

/// A batch of another client.
fn foreign(key: Option<&str>, value: &str) -> Bytes {
    let record = Record {
        transactional: false,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: 0,
        producer_id: -1,
        producer_epoch: -1,
        timestamp_type: TimestampType::Creation,
        offset: 0,
        sequence: -1,
        timestamp: 1_000,
        key: key.map(|text| Bytes::copy_from_slice(text.as_bytes())),
        value: Some(Bytes::copy_from_slice(value.as_bytes())),
        headers: [("a".into(), None)].into(),
    };
    let mut bytes = BytesMut::new();
    let options = RecordEncodeOptions {
        version: 2,
        compression: Compression::None,
    };
    RecordBatchEncoder::encode(&mut bytes, [&record], &options).expect("a batch");
    bytes.freeze()
}

#[tokio::test]
async fn settings_that_could_lose_a_change_are_named() {
    let (broker, _log) = opened().await;
    let set = |topic: &str, name: &str, value: &str| {
        let mut kept = broker.kept();
        let settings = &mut kept.topics.get_mut(topic).expect("a topic").settings;
        settings.insert(name.to_owned(), value.to_owned())
    };
    for (topic, name, value) in [
        (TOPIC, "retention.ms", "604800000"),
        (TOPIC, "cleanup.policy", "compact"),
        (TOPIC, "unclean.leader.election.enable", "true"),
        ("gbac-checkpoints", "cleanup.policy", "delete"),
    ] {
        let before = set(topic, name, value).expect("a setting");
        let fault = broker.open(TOPIC, STORE).await.unwrap_err();
        let sentence = fault.to_string();
        assert!(
            sentence.contains(&format!("the topic `{topic}` has `{name}={value}`"))
                && sentence.contains(&format!("--add-config {name}={before}`")),
            "{sentence}"
        );
        set(topic, name, &before);
    }
    broker.open(TOPIC, STORE).await.expect("a log");
}

#[tokio::test]
async fn who_may_not_create_the_topic_gets_the_command() {
    let broker = Broker::start().await;
    broker.mishap(ApiKey::CreateTopics, Mishap::Refused(29));
    let fault = broker.open(TOPIC, STORE).await.unwrap_err();
    assert_eq!(fault.code(), "topic_not_created");
    let sentence = fault.to_string();
    for part in [
        "TOPIC_AUTHORIZATION_FAILED: the account needs Create on the topic `gbac`",
        "`kafka-topics --bootstrap-server HOST:PORT --command-config FILE --create --topic gbac --partitions 1 --replication-factor 1 --config min.insync.replicas=1",
        "--config retention.ms=-1",
    ] {
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[tokio::test]
async fn an_entry_is_sent_again_after_an_election_or_a_lost_answer() {
    let (broker, log) = opened().await;
    for number in [6, 19, 74] {
        broker.mishap(ApiKey::Produce, Mishap::Refused(number));
    }
    assert_eq!(log.append(&first("1")).await, Ok(0));
    broker.mishap(ApiKey::Produce, Mishap::Unanswered);
    assert_eq!(log.append(&first("2")).await, Ok(2));
    let mut state = LogState::new(STORE, LogPosition::default());
    let all = admitted(&log, &mut state, 0).await;
    assert!(matches!(all[0], Admitted::Applied(_)) && all.len() == 3);
    assert_eq!(state.position().seq, 1);
    // What cannot succeed is not repeated.
    broker.mishap(ApiKey::Produce, Mishap::Refused(29));
    let refused = log.append(&first("3")).await.unwrap_err();
    let LogError::Refused(sentence) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        sentence.contains("--operation Write --topic gbac"),
        "{sentence}"
    );
    assert_eq!(broker.count(TOPIC), 3);
}

#[tokio::test]
async fn a_large_entry_counts_once_though_an_answer_is_lost() {
    let (broker, log) = opened().await;
    let large = large_entry(3 << 20);
    broker.mishap(ApiKey::Produce, Mishap::Refused(6));
    broker.mishap(ApiKey::Produce, Mishap::Unanswered);
    let offset = log.append(&large).await.expect("an offset");
    // One part twice, and none of the first name after it.
    assert_eq!(offset, 4);
    let followed = log.follow(0).await.expect("records");
    let read: Vec<_> = followed.records.iter().map(|of| of.offset).collect();
    assert!(read.is_empty() || read == [4], "{read:?}");
    let mut state = LogState::new(STORE, LogPosition::default());
    let all = admitted(&log, &mut state, 0).await;
    assert!(
        matches!(all.as_slice(), [Admitted::Applied(_)]),
        "{}",
        all.len()
    );
    // Who begins in the middle gets the whole entry, too.
    let mut state = LogState::new(STORE, LogPosition::default());
    let all = admitted(&log, &mut state, 2).await;
    assert!(
        matches!(all.as_slice(), [Admitted::Applied(_)]),
        "{}",
        all.len()
    );
    assert_eq!(state.position(), large.after());
}

fn large_entry(bytes: usize) -> EncodedEntry {
    let small = first("large");
    let text = String::from_utf8(small.bytes().to_vec()).expect("JSON");
    let large = text.replace(r#""role":"r"#, &format!(r#""role":"{}"#, "x".repeat(bytes)));
    assert!(large.len() > bytes);
    let read = gbac_log::LogEntry::read(STORE, large.as_bytes()).expect("an entry");
    read.encode().expect("an entry")
}

#[tokio::test]
async fn a_topic_that_was_made_again_is_never_written() {
    let (broker, log) = opened().await;
    log.append(&first("1")).await.expect("an offset");
    let settings = broker.kept().topics[TOPIC].settings.clone();
    broker.kept().add(TOPIC, settings);
    let error = log.append(&first("2")).await.unwrap_err();
    assert_eq!(error, LogError::Truncated(0));
    assert!(matches!(log.broken(), Some(TopicFault::Replaced(_))));
    assert_eq!(log.follow(1).await, Err(LogError::Truncated(0)));
    assert_eq!(log.end().await, Err(LogError::Truncated(0)));
    assert_eq!(broker.count(TOPIC), 0);
}

#[tokio::test]
async fn a_topic_that_was_truncated_is_never_written() {
    for grows in [false, true] {
        let (broker, log) = opened().await;
        for id in ["1", "2", "3"] {
            log.append(&first(id)).await.expect("an offset");
        }
        let next = log.follow(0).await.expect("records").next;
        assert_eq!(next, 3);
        {
            let mut kept = broker.kept();
            let topic = kept.topics.get_mut(TOPIC).expect("a topic");
            topic.batches.truncate(1);
            topic.end = 1;
            topic.epoch = (1, 1);
            if grows {
                for _ in 0..5 {
                    topic.push(&foreign(None, "x"));
                }
            }
        }
        assert_eq!(log.follow(next).await, Err(LogError::Truncated(1)));
        let error = log.append(&first("4")).await.unwrap_err();
        assert_eq!(error, LogError::Truncated(1));
        assert!(
            log.broken()
                .expect("a fault")
                .to_string()
                .contains("truncated")
        );
        assert_eq!(broker.count(TOPIC), if grows { 6 } else { 1 });
    }
}

#[tokio::test]
async fn records_of_others_are_told_and_not_applied() {
    let (broker, log) = opened().await;
    let mut compressed = BytesMut::from(&foreign(None, "x")[..]);
    compressed[22] |= 4;
    let checksum = crc32c::crc32c(&compressed[21..]);
    compressed[17..21].copy_from_slice(&checksum.to_be_bytes());
    {
        let mut kept = broker.kept();
        let topic = kept.topics.get_mut(TOPIC).expect("a topic");
        topic.push(&foreign(None, "x"));
        topic.push(&compressed.freeze());
        topic.push(&foreign(Some("gbac:1:5:x:1:2"), "a part"));
        topic.push(&foreign(
            Some("gbac:1:6:x:0:1"),
            r#"{"format":1,"store":"6"}"#,
        ));
    }
    log.append(&first("1")).await.expect("an offset");
    let mut state = LogState::new(STORE, LogPosition::default());
    let all = admitted(&log, &mut state, 0).await;
    assert!(
        matches!(
            all.as_slice(),
            [
                Admitted::Ignored(EntryFault::Foreign(_)),
                Admitted::Ignored(EntryFault::OtherStore(_)),
                Admitted::Applied(_)
            ]
        ),
        "{all:?}"
    );
    let skipped = log.skipped();
    assert_eq!((skipped.count, skipped.last), (2, Some(2)));
    assert!(skipped.reason.contains("parts are missing"), "{skipped:?}");
    // Somebody writes other data at the same time.
    assert_eq!(skipped.other_store, Some((3, "6".to_owned())));
    let refused = log.append(&first("2")).await.unwrap_err();
    assert!(
        matches!(&refused, LogError::Refused(text) if text.contains("the log of other data, `6`")),
        "{refused}"
    );
    let log = broker.open(TOPIC, "6").await.unwrap_err();
    assert_eq!(log.code(), "topic_other_store");
    let log = broker.open(TOPIC, STORE).await.expect("a log");
    assert_eq!(log.append(&first("2")).await, Ok(5));
}

#[tokio::test]
async fn the_log_of_other_data_is_refused() {
    let (broker, log) = opened().await;
    log.append(&first("1")).await.expect("an offset");
    let fault = broker.open(TOPIC, "other").await.unwrap_err();
    assert_eq!(
        fault.to_string(),
        "the topic `gbac` has the log of other data, `5`: name the topic of this one"
    );
    // Who has no data yet takes the ID from the log.
    let options = gbac_cluster::TopicLogOptions {
        topic: gbac_cluster::TopicName::parse(TOPIC).expect("a name"),
        store: None,
        copies: 1,
    };
    let properties = broker.double.properties("");
    let joined = TopicLog::open(properties, options).await.expect("a log");
    assert_eq!((joined.store(), joined.is_new()), (STORE, false));
}

#[tokio::test]
async fn damage_and_newer_versions_stop_the_reader() {
    let (broker, log) = opened().await;
    log.append(&first("1")).await.expect("an offset");
    {
        let mut kept = broker.kept();
        let topic = kept.topics.get_mut(TOPIC).expect("a topic");
        topic.push(&foreign(Some("gbac:2:anything"), "x"));
    }
    assert_eq!(log.follow(0).await.expect("records").next, 1);
    let error = log.follow(1).await.unwrap_err();
    assert!(
        matches!(&error, LogError::Refused(text) if text.contains("newer version")),
        "{error}"
    );
    {
        let mut kept = broker.kept();
        let topic = kept.topics.get_mut(TOPIC).expect("a topic");
        let mut damaged = BytesMut::from(&topic.batches[1].2[..]);
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        topic.batches[1].2 = damaged.freeze();
    }
    let error = log.follow(1).await.unwrap_err();
    assert!(
        matches!(&error, LogError::Damaged(text) if text.contains("checksum")),
        "{error}"
    );
    // A record is missing in the middle.
    {
        let mut kept = broker.kept();
        let topic = kept.topics.get_mut(TOPIC).expect("a topic");
        topic.push(&foreign(None, "x"));
        topic.batches.remove(1);
    }
    let error = log.follow(1).await.unwrap_err();
    assert!(
        matches!(&error, LogError::Damaged(text) if text.contains("missing")),
        "{error}"
    );
    assert!(log.append(&first("2")).await.is_err());
}
