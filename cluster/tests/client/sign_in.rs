//! Signing in: what is sent, and what is said when a broker refuses or lies.

use std::sync::{Arc, Mutex};

use gbac_cluster::{KafkaCluster, KafkaError};
use kafka_protocol::messages::{
    ApiKey, SaslAuthenticateRequest, SaslAuthenticateResponse, SaslHandshakeResponse,
};
use kafka_protocol::protocol::StrBytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::double::{Asked, Double, Reply};

const PLAIN: &str = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"ann\" password=\"se,cr=t\";";
const SCRAM: &str = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username=\"ann\" password=\"secret\";";
const BEARER: &str = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n";

/// The messages of a mechanism that a broker has got.
type Messages = Arc<Mutex<Vec<Vec<u8>>>>;

async fn broker(
    answer: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static,
) -> (Double, Messages) {
    let messages = Messages::default();
    let log = messages.clone();
    let double = Double::start(move |asked| match asked.key {
        ApiKey::ApiVersions => asked.versions(&[
            (ApiKey::SaslHandshake, 0, 1),
            (ApiKey::SaslAuthenticate, 0, 2),
        ]),
        ApiKey::SaslHandshake => asked.answer(&SaslHandshakeResponse::default()),
        _ => {
            let request: SaslAuthenticateRequest = asked.read();
            let mut log = log.lock().expect("no panic");
            log.push(request.auth_bytes.to_vec());
            answer(log.len(), asked)
        }
    })
    .await;
    (double, messages)
}

fn says(asked: &Asked, number: i16, bytes: &'static [u8]) -> Reply {
    let message = StrBytes::from_static_str("Authentication failed\u{7}");
    let answer = SaslAuthenticateResponse::default()
        .with_error_code(number)
        .with_error_message((number != 0).then_some(message))
        .with_auth_bytes(bytes.into());
    asked.answer(&answer)
}

async fn error_of(double: &Double, properties: &str) -> KafkaError {
    KafkaCluster::connect(double.properties(properties))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn plain_sends_name_and_password() {
    let (double, messages) = broker(|_, asked| says(asked, 0, b"")).await;
    assert!(
        KafkaCluster::connect(double.properties(PLAIN))
            .await
            .is_ok()
    );
    assert_eq!(
        *messages.lock().expect("no panic"),
        [b"\0ann\0se,cr=t".to_vec()]
    );
    let (double, _) = broker(|_, asked| says(asked, 58, b"")).await;
    let error = error_of(&double, PLAIN).await;
    assert_eq!(error.code(), "kafka_authentication");
    let text = error.to_string();
    assert!(
        text.ends_with(r"`sasl.mechanism=PLAIN`: Authentication failed\u{7}"),
        "{text}"
    );
    assert!(!format!("{error:?}{:?}", double.properties(PLAIN)).contains("se,cr"));
}

#[tokio::test]
async fn mechanisms_and_protocols_that_do_not_fit_are_named() {
    let handshake = |number: i16, names: &'static [&'static str]| {
        move |asked: &Asked| match asked.key {
            ApiKey::ApiVersions => asked.versions(&[(ApiKey::SaslHandshake, 0, 1)]),
            _ => {
                let names = names
                    .iter()
                    .map(|name| StrBytes::from_static_str(name))
                    .collect();
                asked.answer(
                    &SaslHandshakeResponse::default()
                        .with_error_code(number)
                        .with_mechanisms(names),
                )
            }
        }
    };
    let double = Double::start(handshake(33, &["SCRAM-SHA-256", "OAUTHBEARER"])).await;
    let text = error_of(&double, PLAIN).await.to_string();
    assert!(
        text.ends_with(
            "does not have `sasl.mechanism=PLAIN`; it has `SCRAM-SHA-256`, `OAUTHBEARER`"
        ),
        "{text}"
    );
    let double = Double::start(handshake(34, &[])).await;
    let text = error_of(&double, PLAIN).await.to_string();
    assert!(
        text.ends_with("has no SASL: set `security.protocol` to `PLAINTEXT`"),
        "{text}"
    );
}

#[tokio::test]
async fn scram_does_not_trust_a_broker_without_the_password() {
    let (double, _) = broker(|_, asked| says(asked, 0, b"r=x,s=c2FsdA==,i=4096")).await;
    assert_eq!(error_of(&double, SCRAM).await.code(), "kafka_untrusted");
    // It continues the nonce, and does not know the password.
    let (double, _) = broker(|count, asked| match count {
        1 => {
            let request: SaslAuthenticateRequest = asked.read();
            let text = String::from_utf8(request.auth_bytes.to_vec()).expect("a text");
            let nonce = text.rsplit("r=").next().expect("a nonce").to_owned();
            let challenge = format!("r={nonce}more,s=c2FsdA==,i=4096");
            let answer = SaslAuthenticateResponse::default().with_auth_bytes(challenge.into());
            asked.answer(&answer)
        }
        _ => says(asked, 0, b"v=AAAA"),
    })
    .await;
    let text = error_of(&double, SCRAM).await.to_string();
    assert!(text.contains("it does not know the password"), "{text}");
}

#[tokio::test]
async fn a_token_is_sent_with_its_extensions_and_a_refusal_is_confirmed() {
    let (double, messages) = broker(|_, asked| says(asked, 0, b"")).await;
    let properties = double.properties(BEARER).with_token("a.b.c".into());
    assert!(KafkaCluster::connect(properties).await.is_ok());
    assert_eq!(
        *messages.lock().expect("no panic"),
        [b"n,,\x01auth=Bearer a.b.c\x01\x01".to_vec()]
    );

    let (double, messages) = broker(|count, asked| match count {
        1 => says(asked, 0, br#"{"status":"invalid_token"}"#),
        _ => says(asked, 58, b""),
    })
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "d.e.f\n").expect("a file");
    let more = format!(
        "{BEARER}sasl.oauthbearer.token.endpoint.url=file://{}\nsasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required extension_cluster=\"c1\";",
        file.display()
    );
    assert_eq!(
        error_of(&double, &more).await.code(),
        "kafka_authentication"
    );
    let expected = [
        b"n,,\x01auth=Bearer d.e.f\x01cluster=c1\x01\x01".to_vec(),
        b"\x01".to_vec(),
    ];
    assert_eq!(*messages.lock().expect("no panic"), expected);

    std::fs::write(&file, "two words").expect("a file");
    assert_eq!(error_of(&double, &more).await.code(), "kafka_no_token");
    let text = error_of(&double, BEARER).await.to_string();
    assert!(
        text.contains("set `sasl.oauthbearer.token.endpoint.url`"),
        "{text}"
    );
}

/// A token endpoint that answers one request; returns its address and what it was sent.
async fn endpoint(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!(
        "http://{}/token",
        listener.local_addr().expect("an address")
    );
    let sent = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut request = String::new();
        while !request.contains("grant_type") {
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).await.expect("a request");
            request.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
        let (status, body) = answer.split_once('\n').expect("a status and a body");
        let length = body.len();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
        stream
            .write_all(answer.as_bytes())
            .await
            .expect("an answer");
        request
    });
    (url, sent)
}

#[tokio::test]
async fn a_token_comes_from_an_endpoint() {
    let properties = |url: &str| {
        format!(
            "{BEARER}sasl.oauthbearer.token.endpoint.url={url}\nsasl.oauthbearer.client.credentials.client.id=me\nsasl.oauthbearer.client.credentials.client.secret=s3cret\nsasl.oauthbearer.scope=a b"
        )
    };
    let (double, messages) = broker(|_, asked| says(asked, 0, b"")).await;
    let (url, sent) = endpoint("200 OK\n{\"access_token\":\"x.y.z\",\"a\":1234}").await;
    let connected = KafkaCluster::connect(double.properties(&properties(&url))).await;
    assert!(connected.is_ok(), "{connected:?}");
    assert_eq!(
        *messages.lock().expect("no panic"),
        [b"n,,\x01auth=Bearer x.y.z\x01\x01".to_vec()]
    );
    let sent = sent.await.expect("a request").to_ascii_lowercase();
    assert!(sent.contains("authorization: basic bwu6cznjcmv0"), "{sent}");
    assert!(
        sent.ends_with("grant_type=client_credentials&scope=a+b"),
        "{sent}"
    );

    let (url, _sent) = endpoint(
        "401 Unauthorized\n{\"error\":\"invalid_client\",\"error_description\":\"no\\u001b\"}",
    )
    .await;
    let text = error_of(&double, &properties(&url)).await.to_string();
    assert_eq!(
        text,
        r"no token: the token endpoint answers 401, invalid_client (no\u{1b})"
    );
}
