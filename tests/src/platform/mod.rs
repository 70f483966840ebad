//! A conformance double of the platform: its APIs with its own status codes, messages and known
//! faults, written from the published facts and not from the service, so that both cannot share a
//! mistake. It records the requests that it gets.

mod admin;
mod config;
mod data_plane;
mod fields;
mod registry;
mod roles_v1;
mod roles_v2;
mod state;
mod wire;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

pub use state::{Binding, ClusterState};
pub use wire::{HttpAnswer, HttpRequest, basic};

/// The superuser's name and password.
pub const SUPERUSER: (&str, &str) = ("admin", "secret");
/// A token of the superuser.
pub const SUPERUSER_TOKEN: &str = "token-of-admin";
/// A token of the user `alice` in the groups `eng` and `ops`, who is no superuser.
pub const USER_TOKEN: &str = "token-of-alice";
/// The ID of the cluster in the Control Plane.
pub const CLUSTER_ID: &str = "c1";

/// An API with an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlatformApi {
    /// The Admin API, versions 1 and 2; only of a self-managed cluster.
    Admin,
    /// The Data Plane API.
    DataPlane,
    /// The Schema Registry.
    Registry,
    /// The Control Plane API; only of the managed cloud.
    ControlPlane,
    /// The Admin API and the Data Plane API at one address, as behind a proxy.
    Both,
}

/// A version of the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BrokerVersion {
    /// 25.3: no groups, no Admin API v2.
    V25_3,
    /// 26.1.
    V26_1,
    /// 26.2.
    V26_2,
}

/// What the double is.
#[derive(Debug, Clone, Copy)]
pub struct PlatformOptions {
    /// Its version.
    pub version: BrokerVersion,
    /// Whether it has a license.
    pub license: bool,
    /// Whether its Schema Registry has ACLs.
    pub registry_acls: bool,
    /// Whether it belongs to the managed cloud.
    pub managed: bool,
    /// The most entries of a page, whatever the client asks for.
    pub page_limit: usize,
}

impl Default for PlatformOptions {
    fn default() -> Self {
        Self {
            version: BrokerVersion::V26_2,
            license: true,
            registry_acls: true,
            managed: false,
            page_limit: 1000,
        }
    }
}

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As the platform.
    Normal,
    /// Not before the client gives up.
    Silent,
    /// With a page for people.
    Html,
    /// With a redirect to another host.
    Redirect,
    /// With the first half of its answer.
    Cut,
}

/// A request that it got.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The API.
    pub api: PlatformApi,
    /// The method.
    pub method: String,
    /// The path with its query, as it was sent.
    pub target: String,
    /// The body.
    pub body: String,
}

/// A caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Nobody,
    Superuser { by_token: bool },
    Alice,
}

struct Shared {
    options: PlatformOptions,
    state: Mutex<ClusterState>,
    requests: Mutex<Vec<Recorded>>,
    /// The mode, and how many requests are still answered normally.
    mode: Mutex<(Mode, usize)>,
    data_plane: Mutex<String>,
    ended: AtomicBool,
}

/// A running double. It ends with its last use.
pub struct Platform {
    shared: Arc<Shared>,
    addresses: Vec<(PlatformApi, SocketAddr)>,
}

impl std::fmt::Debug for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Platform")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

impl Platform {
    /// Starts an empty one.
    ///
    /// # Panics
    /// If it cannot listen.
    #[must_use]
    pub fn start(options: PlatformOptions) -> Self {
        let shared = Arc::new(Shared {
            options,
            state: Mutex::new(ClusterState::new(options.version)),
            requests: Mutex::default(),
            mode: Mutex::new((Mode::Normal, 0)),
            data_plane: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let own = if options.managed {
            PlatformApi::ControlPlane
        } else {
            PlatformApi::Admin
        };
        let addresses = [
            own,
            PlatformApi::DataPlane,
            PlatformApi::Registry,
            PlatformApi::Both,
        ]
        .map(|api| (api, listen(&shared, api)));
        let platform = Self {
            shared,
            addresses: addresses.into(),
        };
        *lock(&platform.shared.data_plane) = platform.url(PlatformApi::DataPlane);
        platform
    }

    /// The URL of an API.
    ///
    /// # Panics
    /// If it does not have it.
    #[must_use]
    pub fn url(&self, api: PlatformApi) -> String {
        let (_, address) = self
            .addresses
            .iter()
            .find(|(of, _)| *of == api)
            .expect("it has this API");
        format!("http://{address}")
    }

    /// Answers so many requests normally, then all in this mode.
    pub fn set_mode(&self, mode: Mode, after: usize) {
        *lock(&self.shared.mode) = (mode, after);
    }

    /// The requests since the last call.
    #[must_use]
    pub fn take_requests(&self) -> Vec<Recorded> {
        std::mem::take(&mut *lock(&self.shared.requests))
    }

    /// Its state.
    pub fn state(&self) -> MutexGuard<'_, ClusterState> {
        lock(&self.shared.state)
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        for (_, address) in &self.addresses {
            // Its thread waits for a connection.
            let _ = TcpStream::connect(address);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn listen(shared: &Arc<Shared>, api: PlatformApi) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if shared.ended.load(Ordering::SeqCst) {
                return;
            }
            let shared = Arc::clone(&shared);
            thread::spawn(move || serve(&shared, api, &stream));
        }
    });
    address
}

fn serve(shared: &Shared, api: PlatformApi, stream: &TcpStream) {
    let Some(request) = wire::read(stream) else {
        return;
    };
    lock(&shared.requests).push(Recorded {
        api,
        method: request.method.clone(),
        target: request.target.clone(),
        body: request.body.clone(),
    });
    let mode = {
        let mut mode = lock(&shared.mode);
        if mode.1 > 0 {
            mode.1 -= 1;
            Mode::Normal
        } else {
            mode.0
        }
    };
    match mode {
        Mode::Normal => wire::write(stream, &answer(shared, api, &request)),
        Mode::Silent => wire::wait_for_end(stream),
        Mode::Html => wire::write(
            stream,
            &HttpAnswer::html("<!doctype html><title>Sign in</title>"),
        ),
        Mode::Redirect => wire::write(stream, &HttpAnswer::redirect("https://login.example/")),
        Mode::Cut => wire::write_half(stream, &answer(shared, api, &request)),
    }
}

fn answer(shared: &Shared, api: PlatformApi, request: &HttpRequest) -> HttpAnswer {
    let caller = match request.header("authorization") {
        Some(value) if value == wire::basic(SUPERUSER.0, SUPERUSER.1) => {
            Caller::Superuser { by_token: false }
        }
        Some(value) if value == format!("Bearer {SUPERUSER_TOKEN}") => {
            Caller::Superuser { by_token: true }
        }
        Some(value) if value == format!("Bearer {USER_TOKEN}") => Caller::Alice,
        _ => Caller::Nobody,
    };
    let mut state = lock(&shared.state);
    let is_data_plane = match request.segments.as_slice() {
        [version, kind, ..] if version == "v1" => kind == "acls" || kind == "roles",
        [service, ..] => service.starts_with("redpanda.api."),
        [] => false,
    };
    let api = match api {
        PlatformApi::Both if is_data_plane => PlatformApi::DataPlane,
        PlatformApi::Both => PlatformApi::Admin,
        api => api,
    };
    match api {
        PlatformApi::Admin | PlatformApi::Both => {
            admin::answer(&shared.options, &mut state, caller, request)
        }
        PlatformApi::DataPlane => data_plane::answer(&shared.options, &mut state, caller, request),
        PlatformApi::Registry => registry::answer(&shared.options, &mut state, caller, request),
        PlatformApi::ControlPlane => control_plane(caller, request, &lock(&shared.data_plane)),
    }
}

fn control_plane(caller: Caller, request: &HttpRequest, data_plane: &str) -> HttpAnswer {
    if caller == Caller::Nobody {
        return HttpAnswer::json(
            401,
            &json!({ "code": "UNAUTHENTICATED", "message": "unauthenticated", "details": [] }),
        );
    }
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    match (request.method.as_str(), segments.as_slice()) {
        ("GET", ["v1", "clusters", CLUSTER_ID]) => {
            let cluster: Value = json!({ "id": CLUSTER_ID, "name": "streams", "state": "STATE_READY",
                "dataplane_api": { "url": data_plane } });
            HttpAnswer::json(200, &json!({ "cluster": cluster }))
        }
        _ => HttpAnswer::json(
            404,
            &json!({ "code": "NOT_FOUND", "message": "Not Found", "details": [] }),
        ),
    }
}
