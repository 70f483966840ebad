//! A broker of Kafka that has ACLs and properties and nothing else, for commands that call a cluster.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Numbers of calls.
const API_VERSIONS: i16 = 18;
const DESCRIBE_ACLS: i16 = 29;
const CREATE_ACLS: i16 = 30;
const DELETE_ACLS: i16 = 31;
const METADATA: i16 = 3;
const DESCRIBE_CONFIGS: i16 = 32;
/// `DescribeRedpandaRoles`, which only the platform has.
const ROLES: i16 = 15_000;
/// `INVALID_REQUEST`.
const REFUSED: i16 = 42;
/// The first version that has types of patterns.
const VERSION: i16 = 1;

/// An ACL as Kafka stores it: resource type, name, pattern type, principal, host, operation,
/// permission.
pub(crate) type StoredAcl = (i8, String, i8, String, String, i8, i8);

/// A role of the platform, and its members: their kind (0 is a user and 1 a group) and name.
pub(crate) type StoredRole = (&'static str, &'static [(u8, &'static str)]);

/// Numbers of Kafka.
pub(crate) const TOPIC: i8 = 2;
pub(crate) const LITERAL: i8 = 3;
pub(crate) const READ: i8 = 3;
pub(crate) const DENY: i8 = 2;
pub(crate) const ALLOW: i8 = 3;

#[derive(Debug, Default)]
struct State {
    acls: BTreeSet<StoredAcl>,
    /// The calls that changed something, each with an ACL, in order.
    calls: Vec<(i16, StoredAcl)>,
    /// A principal whose ACLs are refused.
    refused: Option<String>,
    /// An ACL that somebody else creates after so many lists.
    added_after: Option<(usize, StoredAcl)>,
    lists: usize,
    /// The properties that it names, with the values that it shows; none if it describes nothing.
    properties: Option<Vec<(String, Option<String>)>>,
    /// The roles, if it is a broker of the platform.
    roles: Option<Vec<StoredRole>>,
}

/// A running broker.
#[derive(Debug)]
pub(crate) struct Broker {
    /// Its address, as `--bootstrap-servers` takes it.
    pub(crate) servers: String,
    state: Arc<Mutex<State>>,
}

/// An ACL that allows or denies a user to read a topic.
pub(crate) fn read_acl(principal: &str, topic: &str, permission: i8) -> StoredAcl {
    (
        TOPIC,
        topic.to_owned(),
        LITERAL,
        principal.to_owned(),
        "*".to_owned(),
        READ,
        permission,
    )
}

impl Broker {
    /// Starts a broker with these ACLs.
    pub(crate) fn start(acls: impl IntoIterator<Item = StoredAcl>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let servers = listener.local_addr().expect("an address").to_string();
        let state = State {
            acls: acls.into_iter().collect(),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that leaves ends its thread.
                thread::spawn(move || while answer(&stream, &state).is_ok() {});
            }
        });
        Self { servers, state }
    }

    /// Is the platform from now on, and has these roles.
    pub(crate) fn set_roles(&self, roles: &[StoredRole]) {
        self.state.lock().expect("the state").roles = Some(roles.to_vec());
    }

    /// Refuses new ACLs of a principal from now on.
    pub(crate) fn refuse(&self, principal: &str) {
        self.state.lock().expect("the state").refused = Some(principal.to_owned());
    }

    /// Lets somebody else create an ACL after the next list.
    pub(crate) fn add_after_next_list(&self, acl: StoredAcl) {
        let mut state = self.state.lock().expect("the state");
        state.added_after = Some((state.lists + 1, acl));
    }

    /// Names properties from now on, and shows the values of some.
    pub(crate) fn describe(&self, properties: &[(&str, Option<&str>)]) {
        let mut named = Vec::new();
        for (name, value) in properties {
            named.push(((*name).to_owned(), value.map(str::to_owned)));
        }
        self.state.lock().expect("the state").properties = Some(named);
    }

    /// The ACLs.
    pub(crate) fn acls(&self) -> Vec<StoredAcl> {
        let state = self.state.lock().expect("the state");
        state.acls.iter().cloned().collect()
    }

    /// What was created and deleted, in order: whether it was created, and the ACL.
    pub(crate) fn changes(&self) -> Vec<(bool, StoredAcl)> {
        let state = self.state.lock().expect("the state");
        let calls = state.calls.iter();
        calls
            .map(|(call, acl)| (*call == CREATE_ACLS, acl.clone()))
            .collect()
    }
}

/// Reads a request, and answers it.
fn answer(mut stream: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut size = [0; 4];
    stream.read_exact(&mut size)?;
    let mut frame = vec![0; usize::try_from(i32::from_be_bytes(size)).unwrap_or(0)];
    stream.read_exact(&mut frame)?;
    let mut request = Request(&frame);
    let (key, _version) = (request.short(), request.short());
    let correlation = request.bytes(4).to_vec();
    let _client = request.text();
    let mut state = state.lock().expect("the state");
    let body = match key {
        API_VERSIONS => versions(&state),
        METADATA => metadata(),
        DESCRIBE_CONFIGS => configs(&state, &mut request),
        DESCRIBE_ACLS => list(&mut state),
        CREATE_ACLS => create(&mut state, &mut request),
        DELETE_ACLS => delete(&mut state, &mut request),
        ROLES => roles(state.roles.as_deref().unwrap_or_default()),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let mut answer = Vec::new();
    let length = i32::try_from(correlation.len() + body.len()).expect("a short answer");
    answer.extend(length.to_be_bytes());
    answer.extend(correlation);
    answer.extend(body);
    stream.write_all(&answer)
}

/// The calls that this broker has, in version 3 of the answer.
fn versions(state: &State) -> Vec<u8> {
    let mut calls = vec![
        (API_VERSIONS, 3),
        (DESCRIBE_ACLS, VERSION),
        (CREATE_ACLS, VERSION),
        (DELETE_ACLS, VERSION),
    ];
    if state.properties.is_some() {
        calls.extend([(METADATA, 2), (DESCRIBE_CONFIGS, VERSION)]);
    }
    if state.roles.is_some() {
        calls.push((ROLES, 0));
    }
    let mut body = vec![0, 0, u8::try_from(calls.len() + 1).expect("few calls")];
    for (key, version) in calls {
        for number in [key, VERSION.min(version), version] {
            body.extend(number.to_be_bytes());
        }
        body.push(0);
    }
    body.extend([0_u8; 5]);
    body
}

/// This broker, number 1, in version 2 of the answer.
fn metadata() -> Vec<u8> {
    let mut body = Vec::new();
    put_count(&mut body, 1);
    put_count(&mut body, 1);
    put_text(&mut body, Some("127.0.0.1"));
    put_count(&mut body, 9092);
    put_text(&mut body, None);
    put_text(&mut body, Some("cluster"));
    put_count(&mut body, 1);
    put_count(&mut body, 0);
    body
}

/// The properties that were asked about, in version 1 of the answer.
fn configs(state: &State, request: &mut Request<'_>) -> Vec<u8> {
    let _resources = request.count();
    let (kind, name) = (request.byte(), request.text());
    let mut asked = BTreeSet::new();
    for _ in 0..request.count() {
        asked.insert(request.text());
    }
    let mut properties = state.properties.clone().unwrap_or_default();
    properties.retain(|(name, _)| asked.contains(name));
    let mut body = vec![0; 4];
    put_count(&mut body, 1);
    body.extend([0_u8; 2]);
    put_text(&mut body, None);
    body.extend(kind.to_be_bytes());
    put_text(&mut body, Some(&name));
    put_count(&mut body, properties.len());
    for (name, value) in &properties {
        put_text(&mut body, Some(name));
        put_text(&mut body, value.as_deref());
        // Read-only, of the file, sensitive if it is not shown, without synonyms.
        body.extend([1, 4, u8::from(value.is_none())]);
        put_count(&mut body, 0);
    }
    body
}

fn list(state: &mut State) -> Vec<u8> {
    state.lists += 1;
    let mut body = vec![0; 6];
    put_text(&mut body, None);
    put_count(&mut body, state.acls.len());
    for (kind, name, pattern, principal, host, operation, permission) in &state.acls {
        body.extend(kind.to_be_bytes());
        put_text(&mut body, Some(name));
        body.extend(pattern.to_be_bytes());
        put_count(&mut body, 1);
        put_text(&mut body, Some(principal));
        put_text(&mut body, Some(host));
        body.extend(operation.to_be_bytes());
        body.extend(permission.to_be_bytes());
    }
    if let Some((lists, acl)) = state.added_after.take() {
        if lists == state.lists {
            state.acls.insert(acl);
        } else {
            state.added_after = Some((lists, acl));
        }
    }
    body
}

fn create(state: &mut State, request: &mut Request<'_>) -> Vec<u8> {
    let count = request.count();
    let mut body = vec![0; 4];
    put_count(&mut body, count);
    for _ in 0..count {
        let acl = request.acl();
        let is_refused = state.refused.as_ref() == Some(&acl.3);
        let error = if is_refused { REFUSED } else { 0 };
        body.extend(error.to_be_bytes());
        put_text(&mut body, is_refused.then_some("not here"));
        if !is_refused {
            state.calls.push((CREATE_ACLS, acl.clone()));
            state.acls.insert(acl);
        }
    }
    body
}

fn delete(state: &mut State, request: &mut Request<'_>) -> Vec<u8> {
    let count = request.count();
    let mut body = vec![0; 4];
    put_count(&mut body, count);
    for _ in 0..count {
        let acl = request.acl();
        let was_there = state.acls.remove(&acl);
        body.extend([0_u8; 2]);
        put_text(&mut body, None);
        put_count(&mut body, usize::from(was_there));
        if was_there {
            state.calls.push((DELETE_ACLS, acl.clone()));
            let (kind, name, pattern, principal, host, operation, permission) = acl;
            body.extend([0_u8; 2]);
            put_text(&mut body, None);
            body.extend(kind.to_be_bytes());
            put_text(&mut body, Some(&name));
            body.extend(pattern.to_be_bytes());
            put_text(&mut body, Some(&principal));
            put_text(&mut body, Some(&host));
            body.extend(operation.to_be_bytes());
            body.extend(permission.to_be_bytes());
        }
    }
    body
}

/// Version 0 of the answer, with lengths of one byte and no tagged fields.
fn roles(roles: &[StoredRole]) -> Vec<u8> {
    let length = |length: usize| u8::try_from(length + 1).expect("a short list");
    // The end of the header, no pause, no error, and no message.
    let mut body = vec![0; 8];
    body.push(length(roles.len()));
    for (name, members) in roles {
        body.push(length(name.len()));
        body.extend(name.as_bytes());
        body.push(length(members.len()));
        for (kind, member) in *members {
            body.extend([*kind, length(member.len())]);
            body.extend(member.as_bytes());
            body.push(0);
        }
        body.push(0);
    }
    body.push(0);
    body
}

fn put_count(body: &mut Vec<u8>, count: usize) {
    body.extend(i32::try_from(count).expect("few").to_be_bytes());
}

fn put_text(body: &mut Vec<u8>, text: Option<&str>) {
    let Some(text) = text else {
        return body.extend((-1_i16).to_be_bytes());
    };
    body.extend(i16::try_from(text.len()).expect("short").to_be_bytes());
    body.extend(text.as_bytes());
}

/// The rest of a request.
struct Request<'a>(&'a [u8]);

impl<'a> Request<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    fn byte(&mut self) -> i8 {
        i8::from_be_bytes([self.bytes(1)[0]])
    }

    fn short(&mut self) -> i16 {
        let bytes = self.bytes(2);
        i16::from_be_bytes([bytes[0], bytes[1]])
    }

    fn count(&mut self) -> usize {
        let bytes = self.bytes(4);
        let count = i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        usize::try_from(count).unwrap_or(0)
    }

    fn text(&mut self) -> String {
        let length = usize::try_from(self.short()).unwrap_or(0);
        String::from_utf8_lossy(self.bytes(length)).into_owned()
    }

    fn acl(&mut self) -> StoredAcl {
        (
            self.byte(),
            self.text(),
            self.byte(),
            self.text(),
            self.text(),
            self.byte(),
            self.byte(),
        )
    }
}
