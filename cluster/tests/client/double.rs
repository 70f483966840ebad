//! A broker on a free port of loopback, which answers as a test says.

use std::sync::{Arc, Mutex};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use gbac_cluster::{BrokerAddress, ClientProperties};
use kafka_protocol::messages::api_versions_response::ApiVersion;
use kafka_protocol::messages::{ApiKey, ApiVersionsResponse, RequestHeader, ResponseHeader};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A request.
pub(crate) struct Asked {
    pub(crate) key: ApiKey,
    pub(crate) version: i16,
    correlation: i32,
    body: Bytes,
}

impl Asked {
    pub(crate) fn read<T: Decodable>(&self) -> T {
        T::decode(&mut self.body.clone(), self.version).expect("a request")
    }

    /// An answer with everything before it.
    pub(crate) fn answer<T: Encodable + HeaderVersion>(&self, answer: &T) -> Reply {
        let mut body = BytesMut::new();
        answer
            .encode(&mut body, self.version)
            .expect("an answer that can be encoded");
        self.answer_bytes(T::header_version(self.version), &body)
    }

    pub(crate) fn answer_bytes(&self, header_version: i16, body: &[u8]) -> Reply {
        let mut frame = BytesMut::new();
        frame.put_i32(0);
        ResponseHeader::default()
            .with_correlation_id(self.correlation)
            .encode(&mut frame, header_version)
            .expect("a header");
        frame.put_slice(body);
        let length = i32::try_from(frame.len() - 4).expect("a small answer");
        frame[..4].copy_from_slice(&length.to_be_bytes());
        Reply::Bytes(frame.to_vec())
    }

    /// The versions of calls: the first and the last one.
    pub(crate) fn versions(&self, calls: &[(ApiKey, i16, i16)]) -> Reply {
        let mut keys = Vec::new();
        for (key, first, last) in calls {
            keys.push(
                ApiVersion::default()
                    .with_api_key(*key as i16)
                    .with_min_version(*first)
                    .with_max_version(*last),
            );
        }
        self.answer(&ApiVersionsResponse::default().with_api_keys(keys))
    }
}

/// What a double does.
pub(crate) enum Reply {
    /// It sends these bytes.
    Bytes(Vec<u8>),
    /// It sends these bytes, and then one zero after the other without an end.
    Trickle(Vec<u8>),
    /// It closes the connection.
    Close,
    /// It goes on reading.
    Silence,
}

/// A broker. It ends with its test.
pub(crate) struct Double {
    pub(crate) address: BrokerAddress,
    pub(crate) asked: Arc<Mutex<Vec<ApiKey>>>,
}

impl Double {
    pub(crate) async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(None, answer).await
    }

    pub(crate) async fn start_with(
        tls: Option<TlsAcceptor>,
        answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), asked.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log, tls) = (answer.clone(), log.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &*answer, &log).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, &*answer, &log).await;
                            }
                        }
                    }
                });
            }
        });
        let host = "127.0.0.1".into();
        Self {
            address: BrokerAddress { host, port },
            asked,
        }
    }

    /// The client's properties, with more lines.
    pub(crate) fn properties(&self, more: &str) -> ClientProperties {
        let text = format!("bootstrap.servers={}\n{more}", self.address);
        ClientProperties::parse(&text).expect("properties").0
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: &(impl Fn(&Asked) -> Reply + Sync),
    log: &Mutex<Vec<ApiKey>>,
) {
    while let Ok(length) = stream.read_u32().await {
        // A client of another protocol sends no length.
        if length > 100_000_000 {
            return;
        }
        let mut frame = vec![0; length as usize];
        if stream.read_exact(&mut frame).await.is_err() {
            return;
        }
        let asked = asked(Bytes::from(frame));
        log.lock().expect("no panic").push(asked.key);
        match answer(&asked) {
            Reply::Bytes(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.flush().await;
            }
            Reply::Trickle(bytes) => {
                let _ = stream.write_all(&bytes).await;
                while stream.write_all(&[0]).await.is_ok() {
                    tokio::task::yield_now().await;
                }
                return;
            }
            Reply::Close => {
                let _ = stream.shutdown().await;
                return;
            }
            Reply::Silence => {}
        }
    }
}

fn asked(frame: Bytes) -> Asked {
    let mut start = frame.clone();
    let key = ApiKey::try_from(start.get_i16()).expect("a call");
    let version = start.get_i16();
    let mut body = frame;
    let header = RequestHeader::decode(&mut body, key.request_header_version(version))
        .expect("a header of a request");
    Asked {
        key,
        version,
        correlation: header.correlation_id,
        body,
    }
}
