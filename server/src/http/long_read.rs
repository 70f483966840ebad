//! Reads that can be long, such as those of all ACLs: two at a time for each reader, where they do
//! not delay other requests (D-128).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Weak};

use axum::body::{Body, HttpBody};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use gbac_engine::policy::Policy;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::placement::{Work, incomplete, run};
use super::problem::Problem;
use super::request_head::client_ip;
use crate::client_address::ClientNetwork;
use crate::identity::sign_in::Caller;
use crate::lock::Lock;

/// The number of long reads of a reader at once; further ones wait.
const READS_AT_ONCE: usize = 2;
/// The size in bytes from which a response counts as a read until it was sent, because it takes
/// memory so long.
const LARGE_BYTES: u64 = 1 << 20;

/// The number of ACLs, and of roles, up to which a policy is read on the thread that received the
/// request.
const SMALL_POLICY: usize = 500;

/// Whether every read of a policy is small.
pub(crate) fn is_small(policy: &Policy) -> bool {
    policy.acl_count() <= SMALL_POLICY
        && policy.role_count() <= SMALL_POLICY
        && policy.known_principals().nth(SMALL_POLICY).is_none()
}

/// A response with JSON.
pub(crate) fn json_response(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// The JSON of a list, written entry by entry, because all entries at once take several times its
/// size.
pub(crate) fn json_list<T: Serialize>(
    entries: impl Iterator<Item = T>,
) -> Result<Vec<u8>, Problem> {
    let mut text = vec![b'['];
    for entry in entries {
        if text.len() > 1 {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &entry).map_err(|_| incomplete())?;
    }
    text.push(b']');
    Ok(text)
}

/// An object with one member, which is this JSON.
pub(crate) fn json_member(name: &str, value: Vec<u8>) -> Vec<u8> {
    let mut text = value;
    text.splice(0..0, format!("{{\"{name}\":").into_bytes());
    text.push(b'}');
    text
}

/// Who reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reader {
    /// The local account.
    Local(String),
    /// A user of the identity provider, however it signed in.
    User(String),
    /// A client without credentials, in a demo; its network, if it is known.
    Network(Option<ClientNetwork>),
}

impl From<&Caller> for Reader {
    fn from(caller: &Caller) -> Self {
        match caller {
            Caller::Local(name) => Self::Local(name.clone()),
            Caller::Token(identity) | Caller::Session(identity) => {
                Self::User(identity.user().to_owned())
            }
        }
    }
}

/// The turns of each reader that reads now; a handle that is cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct LongReads(Arc<Lock<BTreeMap<Reader, Weak<Semaphore>>>>);

impl LongReads {
    fn turns(&self, reader: Reader) -> Arc<Semaphore> {
        self.0.with(|readers| {
            // As many entries as there are requests of readers.
            readers.retain(|_, turns| turns.strong_count() > 0);
            let known = readers.get(&reader).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let turns = Arc::new(Semaphore::new(READS_AT_ONCE));
                readers.insert(reader, Arc::downgrade(&turns));
                turns
            })
        })
    }
}

/// A turn of a reader.
pub(crate) struct Turn(#[expect(dead_code, reason = "held for its end")] OwnedSemaphorePermit);

impl Turn {
    /// Lasts until a response was sent if it is large, by its extensions.
    pub(crate) fn until_sent(self, mut response: Response) -> Response {
        if response.body().size_hint().lower() >= LARGE_BYTES {
            response.extensions_mut().insert(Arc::new(self));
        }
        response
    }
}

/// A read that can be long.
pub(crate) struct LongRead {
    turns: Arc<Semaphore>,
}

impl<S> FromRequestParts<S> for LongRead
where
    LongReads: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Infallible;

    async fn from_request_parts(request: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let reader = match request.extensions.get::<Reader>() {
            Some(reader) => reader.clone(),
            None => {
                let client = client_ip(&request.extensions);
                Reader::Network(client.map(ClientNetwork::from_address))
            }
        };
        Ok(Self {
            turns: LongReads::from_ref(state).turns(reader),
        })
    }
}

impl LongRead {
    /// Waits until it is the reader's turn.
    ///
    /// # Errors
    /// None: nobody closes the queue.
    pub(crate) async fn turn(self) -> Result<Turn, Problem> {
        match self.turns.acquire_owned().await {
            Ok(turn) => Ok(Turn(turn)),
            Err(_) => Err(incomplete()),
        }
    }

    /// Makes the response: here if the read is small, else where it may block and when it is the
    /// reader's turn.
    ///
    /// # Errors
    /// Those of the read, or it panics.
    pub(crate) async fn respond(
        self,
        is_small: bool,
        read: impl FnOnce() -> Result<Response, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        if is_small {
            return read();
        }
        let turn = self.turn().await?;
        // The read holds the turn, because it continues if the request is canceled.
        let (response, turn) = run(Work::Other, false, move || (read(), turn)).await?;
        Ok(turn.until_sent(response?))
    }
}
