//! One connection to a broker: requests, and their answers within a time and a size.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::messages::api_versions_response::ApiVersionsResponse;
use kafka_protocol::messages::{ApiVersionsRequest, RequestHeader};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, StrBytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use crate::calls::Call;
use crate::error::{KafkaError, Malformed, Stranger};
use crate::guard::Reader;
use crate::tls::{self, TlsFailure};

/// The error of a broker that is older than a version of a call.
const UNSUPPORTED_VERSION: i16 = 35;
/// How much of an answer is read at once.
const STEP_BYTES: usize = 64 * 1024;
/// The longest time for which a broker may ask to be left alone.
const MAX_THROTTLE: Duration = Duration::from_secs(60);

/// A connection that has been idle for longer is opened again, because the broker may close it
/// while a request is on its way.
const MAX_IDLE: Duration = Duration::from_secs(60);

/// What a connection runs over: TCP or TLS.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What is the same for all connections of a client.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// How the client calls itself.
    pub(crate) client_id: String,
    /// The time for one answer.
    pub(crate) timeout: Duration,
    /// What a closed connection can mean.
    pub(crate) guess: &'static str,
    /// The other protocol, if the listener turns out to have TLS.
    pub(crate) with_tls: &'static str,
}

/// A connection.
pub(crate) struct Connection {
    stream: Box<dyn Stream>,
    address: String,
    manner: Manner,
    versions: BTreeMap<i16, (i16, i16)>,
    features: BTreeMap<String, i16>,
    last_correlation: i32,
    used: Instant,
    expires: Option<Instant>,
    throttle: Duration,
    /// Whether a call was answered after the first one, so that the protocol is the right one.
    is_accepted: bool,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Asks the broker for the versions of its calls.
    pub(crate) async fn open(
        stream: Box<dyn Stream>,
        address: String,
        manner: Manner,
    ) -> Result<Self, KafkaError> {
        let mut connection = Self {
            stream,
            address,
            manner,
            versions: BTreeMap::new(),
            features: BTreeMap::new(),
            last_correlation: 0,
            used: Instant::now(),
            expires: None,
            throttle: Duration::ZERO,
            is_accepted: false,
        };
        let answer = connection.ask_versions().await?;
        for key in &answer.api_keys {
            connection
                .versions
                .insert(key.api_key, (key.min_version, key.max_version));
        }
        for feature in &answer.finalized_features {
            connection
                .features
                .insert(feature.name.to_string(), feature.max_version_level);
        }
        Ok(connection)
    }

    async fn ask_versions(&mut self) -> Result<ApiVersionsResponse, KafkaError> {
        let request = ApiVersionsRequest::default()
            .with_client_software_name(StrBytes::from_static_str("gbac"))
            .with_client_software_version(StrBytes::from_static_str(env!("CARGO_PKG_VERSION")));
        let bytes = self.exchange(&request, 3).await?;
        // A broker that does not know the version answers in the oldest one.
        if bytes.get(..2) == Some(&UNSUPPORTED_VERSION.to_be_bytes()) {
            let bytes = self.exchange(&request, 0).await?;
            return self.decode::<ApiVersionsRequest>(&bytes, 0);
        }
        self.decode::<ApiVersionsRequest>(&bytes, 3)
    }

    /// The broker.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The features that the cluster has agreed on, with their levels.
    pub(crate) const fn features(&self) -> &BTreeMap<String, i16> {
        &self.features
    }

    /// Whether the broker has a call, by its number.
    pub(crate) fn has(&self, key: i16) -> bool {
        self.versions.contains_key(&key)
    }

    /// Whether the broker expects another request: it closes connections that have been idle for
    /// long, and those whose sign-in has expired.
    pub(crate) fn is_fresh(&self) -> bool {
        let is_signed_in = self.expires.is_none_or(|end| Instant::now() < end);
        is_signed_in && self.used.elapsed() < MAX_IDLE
    }

    /// The sign-in expires after this time; never if it is zero.
    pub(crate) fn expires_in(&mut self, lifetime: Duration) {
        // With time for a request before.
        let end = Instant::now().checked_add(lifetime.mul_f32(0.8));
        self.expires = end.filter(|_| !lifetime.is_zero());
    }

    /// How long one answer may take.
    pub(crate) const fn timeout(&self) -> Duration {
        self.manner.timeout
    }

    /// The broker asks for a pause: it answers the next call later.
    pub(crate) fn throttled(&mut self, milliseconds: i32) {
        let throttle = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
        self.throttle = throttle.min(MAX_THROTTLE);
    }

    /// The version of a call that both sides speak.
    pub(crate) fn version<C: Call>(&self) -> Result<i16, KafkaError> {
        let (first, last) = C::VERSIONS;
        let of_broker = self.versions.get(&C::KEY);
        match of_broker {
            Some((min, max)) if last.min(*max) >= first.max(*min) => Ok(last.min(*max)),
            _ => Err(KafkaError::Unsupported {
                address: self.address.clone(),
                call: C::NAME,
            }),
        }
    }

    /// Makes a call.
    pub(crate) async fn call<C: Call>(&mut self, request: &C) -> Result<C::Answer, KafkaError> {
        let version = self.version::<C>()?;
        let bytes = self.exchange(request, version).await?;
        let answer = self.decode::<C>(&bytes, version)?;
        self.is_accepted = true;
        Ok(answer)
    }

    fn decode<C: Call>(&self, bytes: &Bytes, version: i16) -> Result<C::Answer, KafkaError> {
        let malformed = |reason| self.malformed(C::NAME, reason);
        C::SHAPE.check(version, bytes).map_err(malformed)?;
        C::Answer::decode(&mut bytes.clone(), version).map_err(|_| malformed(Malformed::Missing))
    }

    fn malformed(&self, call: &'static str, reason: Malformed) -> KafkaError {
        KafkaError::Malformed {
            address: self.address.clone(),
            call,
            reason,
        }
    }

    /// Sends a request and reads the answer, without its header.
    async fn exchange<C: Call>(&mut self, request: &C, version: i16) -> Result<Bytes, KafkaError> {
        self.last_correlation = self.last_correlation.wrapping_add(1);
        let header = RequestHeader::default()
            .with_request_api_key(C::KEY)
            .with_request_api_version(version)
            .with_correlation_id(self.last_correlation)
            .with_client_id(Some(StrBytes::from_string(self.manner.client_id.clone())));
        let mut frame = BytesMut::new();
        frame.put_i32(0);
        let too_long = |_| KafkaError::TooLong { call: C::NAME };
        header
            .encode(&mut frame, C::header_version(version))
            .map_err(too_long)?;
        request.encode(&mut frame, version).map_err(too_long)?;
        let is_flexible = C::Answer::header_version(version) > 0;
        self.send(frame, C::NAME, C::LIMIT, is_flexible).await
    }

    /// Sends a frame whose first four bytes are still to be its length, and reads the answer.
    async fn send(
        &mut self,
        mut frame: BytesMut,
        call: &'static str,
        limit: usize,
        is_flexible: bool,
    ) -> Result<Bytes, KafkaError> {
        let length = i32::try_from(frame.len() - 4).map_err(|_| KafkaError::TooLong { call })?;
        frame[..4].copy_from_slice(&length.to_be_bytes());
        let time = self.manner.timeout + self.throttle;
        self.throttle = Duration::ZERO;
        let answer = match timeout(time, self.converse(&frame, call, limit)).await {
            Ok(answer) => answer?,
            Err(_) => {
                return Err(KafkaError::Silent {
                    address: self.address.clone(),
                    call,
                    seconds: time.as_secs(),
                });
            }
        };
        self.used = Instant::now();
        self.body(&answer, is_flexible)
            .map_err(|reason| self.malformed(call, reason))
    }

    async fn converse(
        &mut self,
        frame: &[u8],
        call: &'static str,
        limit: usize,
    ) -> Result<Bytes, KafkaError> {
        let written = self.write(frame).await;
        written.map_err(|error| self.closed(call, &error))?;
        let mut size = [0; 4];
        let read = self.stream.read_exact(&mut size).await;
        read.map_err(|error| self.closed(call, &error))?;
        let bytes = match usize::try_from(i32::from_be_bytes(size)) {
            Ok(bytes) if bytes >= 4 => bytes,
            _ => return Err(self.stranger(size)),
        };
        if bytes > limit {
            return Err(self.unlikely(call, size, bytes, limit));
        }
        // Memory grows with what arrives, and not with what is announced.
        let mut answer = BytesMut::with_capacity(bytes.min(STEP_BYTES));
        while answer.len() < bytes {
            answer.reserve((bytes - answer.len()).min(STEP_BYTES));
            let rest = bytes - answer.len();
            let read = (&mut self.stream)
                .take(rest as u64)
                .read_buf(&mut answer)
                .await;
            let is_end = matches!(read, Ok(0));
            read.map_err(|error| self.closed(call, &error))?;
            if is_end {
                return Err(self.closed(call, &io::ErrorKind::UnexpectedEof.into()));
            }
        }
        Ok(answer.freeze())
    }

    async fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stream.write_all(frame).await?;
        self.stream.flush().await
    }

    /// An answer without its header.
    fn body(&self, answer: &Bytes, is_flexible: bool) -> Result<Bytes, Malformed> {
        let mut reader = Reader::new(answer, is_flexible);
        if reader.int()? != self.last_correlation {
            return Err(Malformed::Correlation);
        }
        if is_flexible {
            reader.skip_tags()?;
        }
        let start = answer.len() - reader.rest().len();
        Ok(answer.slice(start..))
    }

    fn closed(&self, call: &'static str, error: &io::Error) -> KafkaError {
        let address = self.address.clone();
        if let Some(TlsFailure::Reason(reason)) = tls::failure(error) {
            return KafkaError::Tls { address, reason };
        }
        KafkaError::Closed {
            address,
            call,
            guess: match self.is_accepted {
                true => "check the broker's log",
                false => self.manner.guess,
            },
        }
    }

    /// The first bytes are not the size of an answer.
    fn stranger(&self, first: [u8; 4]) -> KafkaError {
        let address = self.address.clone();
        match first {
            // A record of TLS: an alert, or a handshake.
            [0x15 | 0x16, 3, ..] => KafkaError::TlsExpected {
                address,
                with_tls: self.manner.with_tls,
            },
            [b'H', b'T', b'T', b'P'] => KafkaError::Stranger {
                address,
                found: Stranger::Http,
            },
            _ => KafkaError::Stranger {
                address,
                found: Stranger::Unknown,
            },
        }
    }

    /// The answer to the first call is small, so that a large size is another protocol.
    fn unlikely(
        &self,
        call: &'static str,
        first: [u8; 4],
        bytes: usize,
        limit: usize,
    ) -> KafkaError {
        if self.versions.is_empty() {
            return self.stranger(first);
        }
        KafkaError::TooLarge {
            address: self.address.clone(),
            call,
            bytes,
            limit,
        }
    }
}
