//! Listeners that are no brokers, or broken ones: one sentence for each, within the time.

use std::time::{Duration, Instant};

use gbac_cluster::{KafkaCluster, KafkaError};
use kafka_protocol::messages::ApiKey;

use crate::double::{Asked, Double, Reply};

const CALLS: &[(ApiKey, i16, i16)] = &[(ApiKey::DescribeAcls, 1, 3)];

/// What a client says about a listener that answers every request with these bytes.
async fn said_about(bytes: &'static [u8]) -> String {
    let double = Double::start(|_| Reply::Bytes(bytes.to_vec())).await;
    let error = KafkaCluster::connect(double.properties(""))
        .await
        .unwrap_err();
    error
        .to_string()
        .replace(&double.address.to_string(), "HERE")
}

/// What a client says about a broker that answers `DescribeAcls` in this way.
async fn said_about_acls(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> String {
    let double = Double::start(move |asked| match asked.key {
        ApiKey::ApiVersions => asked.versions(CALLS),
        _ => answer(asked),
    })
    .await;
    let properties = double.properties("request.timeout.ms=1000");
    let mut cluster = KafkaCluster::connect(properties).await.expect("a broker");
    let error = cluster.acls().await.unwrap_err();
    error
        .to_string()
        .replace(&double.address.to_string(), "HERE")
}

#[tokio::test]
async fn other_protocols_are_named() {
    assert_eq!(
        said_about(b"HTTP/1.1 400 Bad Request\r\n\r\n").await,
        "`HERE` is not a broker of Kafka: an HTTP server answers; name the port of Kafka's listener"
    );
    assert_eq!(
        said_about(b"\x15\x03\x03\x00\x02\x02\x46").await,
        "the listener `HERE` has TLS: set `security.protocol` to `SSL`"
    );
    for garbage in [&b"SSH-2.0-x\r\n"[..], b"\xff\xff\xff\xff", b"\0\0\0\x01x"] {
        assert_eq!(
            said_about(garbage).await,
            "`HERE` is not a broker of Kafka: its answer is not in Kafka's protocol; check the port"
        );
    }
    // A frame of the right size with anything in it.
    assert_eq!(
        said_about(b"\0\0\0\x08\0\0\0\x01\0\0\xff\xff").await,
        "the answer of `HERE` to ApiVersions is not valid: it ends too early"
    );
    assert_eq!(
        said_about(b"\0\0\0\x08\0\0\0\x09\0\0\xff\xff").await,
        "the answer of `HERE` to ApiVersions is not valid: it answers another request"
    );
}

#[tokio::test]
async fn nobody_listens_or_answers() {
    let properties = |text: &str| {
        gbac_cluster::ClientProperties::parse(text)
            .expect("properties")
            .0
    };
    let error = KafkaCluster::connect(properties("")).await.unwrap_err();
    assert_eq!(error, KafkaError::NoAddress);
    // A port that was free a moment ago.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let text = format!("bootstrap.servers=127.0.0.1:{port}");
    let error = KafkaCluster::connect(properties(&text)).await.unwrap_err();
    assert_eq!(error.code(), "kafka_unreachable");
    assert!(error.to_string().contains("connection refused"), "{error}");

    // Another server of the list is asked then.
    let double = Double::start(|asked| asked.versions(CALLS)).await;
    let text = format!("bootstrap.servers=127.0.0.1:{port},{}", double.address);
    assert!(KafkaCluster::connect(properties(&text)).await.is_ok());

    let double = Double::start(|_| Reply::Silence).await;
    let properties = double.properties("request.timeout.ms=100");
    let error = KafkaCluster::connect(properties).await.unwrap_err();
    assert_eq!(error.code(), "kafka_timeout");
}

#[tokio::test]
async fn answers_have_limits_in_size_and_time() {
    let two_gigabytes = |_: &Asked| Reply::Bytes(0x7fff_ffff_i32.to_be_bytes().to_vec());
    assert_eq!(
        said_about_acls(two_gigabytes).await,
        "the answer of `HERE` to DescribeAcls has 2147483647 bytes, and this program reads at most 268435456"
    );
    // Announced, and never sent.
    let announced = |_: &Asked| Reply::Bytes(0x0f00_0000_i32.to_be_bytes().to_vec());
    assert_eq!(
        said_about_acls(announced).await,
        "`HERE` has not answered DescribeAcls within 1 s; `request.timeout.ms` sets the time"
    );
    let begin = Instant::now();
    let trickle = |_: &Asked| Reply::Trickle(0x0f00_0000_i32.to_be_bytes().to_vec());
    assert!(said_about_acls(trickle).await.contains("within 1 s"));
    assert!(begin.elapsed() < Duration::from_secs(9));
}

#[tokio::test]
async fn arrays_that_claim_too_much_are_refused() {
    let negative = [0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert_eq!(
        said_about_acls(move |asked| asked.answer_bytes(1, &negative)).await,
        "the answer of `HERE` to DescribeAcls is not valid: it ends too early"
    );
    // A text that may not be missing.
    let missing = [0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 3, 1, 0, 0];
    assert_eq!(
        said_about_acls(move |asked| asked.answer_bytes(1, &missing)).await,
        "the answer of `HERE` to DescribeAcls is not valid: a value is missing"
    );
}

#[tokio::test]
async fn a_closed_connection_is_opened_again_for_a_read() {
    assert_eq!(
        said_about_acls(|_| Reply::Close).await,
        "`HERE` closed the connection instead of answering DescribeAcls: if this listener has TLS or SASL, set \
         `security.protocol` to `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`"
    );
    let double = Double::start(|asked| match asked.key {
        ApiKey::ApiVersions => asked.versions(CALLS),
        _ => Reply::Close,
    })
    .await;
    let mut cluster = KafkaCluster::connect(double.properties(""))
        .await
        .expect("a broker");
    assert!(cluster.acls().await.is_err());
    let asked = double.asked.lock().expect("no panic").clone();
    let again = [ApiKey::ApiVersions, ApiKey::DescribeAcls].repeat(2);
    assert_eq!(asked, again);
}

#[tokio::test]
async fn a_broker_without_a_call_is_named() {
    let double = Double::start(|asked| asked.versions(&[(ApiKey::DescribeAcls, 0, 0)])).await;
    let mut cluster = KafkaCluster::connect(double.properties(""))
        .await
        .expect("a broker");
    let error = cluster.acls().await.unwrap_err();
    assert_eq!(error.code(), "kafka_unsupported");
}
