//! The identity provider's keys: fetched when needed, in one fetch at a time, and kept while the
//! provider is down (D-19).

use std::collections::BTreeMap;
use std::sync::Arc;

use gbac_engine::verify::KeySet;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::fetch::{FetchError, Fetcher, ProviderKeys, SignInEndpoints};
use super::verified_tokens::{Digest32, digest};
use crate::clock::Clock;
use crate::lock::Lock;
use crate::rate_limit::{RateLimit, TokenBucket};

/// The age in seconds after which keys are fetched again.
const MAX_AGE: f64 = 3600.0;
/// The pause in seconds after a failed fetch.
const RETRY_DELAY: f64 = 5.0;
/// The limit on fetches because of tokens with unknown keys.
const UNKNOWN_KEY_LIMIT: RateLimit = RateLimit {
    burst: 5.0,
    interval: 10.0,
};
/// The number of unknown key IDs that are remembered; further ones count against the limit each
/// time.
const MAX_UNKNOWN_KIDS: usize = 1024;
/// How long in seconds a key ID is remembered as unknown. A provider can sign with a key moments
/// before it publishes the key.
const UNKNOWN_KID_TTL: f64 = 10.0;

/// The keys of one fetch.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The required `iss` of tokens.
    pub(crate) issuer: String,
    /// The keys.
    pub(crate) set: KeySet,
    /// Their public parts, as a JWKS.
    pub(crate) published: String,
    /// Where users sign in, if they can.
    pub(crate) sign_in: Option<SignInEndpoints>,
    /// The number of the fetch.
    pub(super) fetch: u64,
    /// The time at which the fetch started.
    fetched_at: f64,
}

impl Keys {
    /// Keys that are never fetched.
    pub(crate) const fn fixed(issuer: String, set: KeySet, published: String) -> Self {
        Self {
            issuer,
            set,
            published,
            sign_in: None,
            fetch: 0,
            fetched_at: 0.0,
        }
    }
}

/// Why there is no key to verify a token with.
#[derive(Debug, Error)]
pub(crate) enum KeyError {
    /// The fetch failed.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A fetch failed a moment ago.
    #[error("fetching the keys of the identity provider failed a moment ago")]
    BackingOff,
    /// Too many tokens have unknown key IDs.
    #[error("too many tokens have a `kid` that the identity provider does not have")]
    RateLimited,
    /// The provider has no key with this ID.
    #[error("the identity provider has no key with the token's `kid`")]
    UnknownKid,
}

impl KeyError {
    /// The stable code of the error.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.code(),
            Self::BackingOff => "provider_resting",
            Self::RateLimited => "kid_refresh_limited",
            Self::UnknownKid => "kid_unknown",
        }
    }
}

/// The cached keys of the current provider; a handle that is cheap to clone.
#[derive(Clone)]
pub(super) struct KeyCache(Arc<Parts>);

struct Parts {
    clock: Clock,
    fetcher: Fetcher,
    /// Allows one fetch at a time; requests that wait for it share its result.
    fetch_permit: Arc<Semaphore>,
    state: Lock<State>,
}

struct State {
    /// The discovery URL to which the other fields belong.
    url: String,
    keys: Option<Arc<Keys>>,
    /// The key IDs that the provider did not have, each with the time at which the last fetch for
    /// it started.
    unknown_kids: BTreeMap<Digest32, f64>,
    /// The number of fetches started.
    fetches: u64,
    retry_at: f64,
    unknown_key_bucket: TokenBucket,
}

/// The keys that a caller needs.
enum KeyRequest<'a> {
    /// Any keys.
    Any,
    /// Keys that are not older than [`MAX_AGE`].
    Fresh,
    /// A key with this ID, from the cache or from a fetch after this one.
    Kid(&'a str, u64),
    /// Keys of a fetch after this one, without a pause after a failure.
    NewerThan(u64),
}

/// How a request is answered.
enum Step {
    UseCached(Arc<Keys>),
    Fail(KeyError),
    Fetch(u64),
}

impl State {
    /// Clears the state if it belongs to another URL.
    fn switch_to(&mut self, url: &str) {
        if self.url != url {
            *self = Self {
                url: url.into(),
                fetches: self.fetches,
                ..Self::new()
            };
        }
    }

    const fn new() -> Self {
        Self {
            url: String::new(),
            keys: None,
            unknown_kids: BTreeMap::new(),
            fetches: 0,
            retry_at: f64::NEG_INFINITY,
            unknown_key_bucket: TokenBucket::full(UNKNOWN_KEY_LIMIT),
        }
    }

    fn is_due(&self, now: f64) -> bool {
        let is_old = match &self.keys {
            Some(keys) => now - keys.fetched_at >= MAX_AGE,
            None => true,
        };
        now >= self.retry_at && is_old
    }

    /// Whether the provider did not have this key ID a moment ago. A clock that went back forgets
    /// it.
    fn is_unknown(&self, kid: &Digest32, now: f64) -> bool {
        match self.unknown_kids.get(kid) {
            Some(since) => (0.0..UNKNOWN_KID_TTL).contains(&(now - since)),
            None => false,
        }
    }

    /// Remembers that the keys of the last fetch have no key with this ID.
    fn remember_unknown(&mut self, kid: Digest32, fetched_at: f64, now: f64) {
        if self.unknown_kids.len() >= MAX_UNKNOWN_KIDS {
            self.unknown_kids
                .retain(|_, since| (0.0..UNKNOWN_KID_TTL).contains(&(now - *since)));
        }
        if self.unknown_kids.len() < MAX_UNKNOWN_KIDS {
            self.unknown_kids.insert(kid, fetched_at);
        }
    }

    fn step(&mut self, request: &KeyRequest<'_>, now: f64) -> Step {
        if let Some(keys) = &self.keys
            && match request {
                KeyRequest::Any => true,
                KeyRequest::Fresh => !self.is_due(now),
                // A fetch that started before the token arrived may lack the token's key.
                KeyRequest::Kid(kid, fetch) => keys.fetch > *fetch || keys.set.contains(kid),
                KeyRequest::NewerThan(fetch) => keys.fetch > *fetch,
            }
        {
            return Step::UseCached(Arc::clone(keys));
        }
        if !matches!(request, KeyRequest::NewerThan(_)) && now < self.retry_at {
            return Step::Fail(KeyError::BackingOff);
        }
        if matches!(request, KeyRequest::Kid(..))
            && self
                .unknown_key_bucket
                .try_acquire(UNKNOWN_KEY_LIMIT, now)
                .is_err()
        {
            return Step::Fail(KeyError::RateLimited);
        }
        self.fetches += 1;
        Step::Fetch(self.fetches)
    }
}

impl KeyCache {
    pub(super) fn new(clock: Clock, issuer: Option<String>) -> Self {
        let fetch_permit = Arc::new(Semaphore::new(1));
        Self(Arc::new(Parts {
            clock,
            fetcher: Fetcher::new(issuer),
            fetch_permit,
            state: Lock::new(State::new()),
        }))
    }

    fn with_state<T>(&self, url: &str, work: impl FnOnce(&mut State) -> T) -> T {
        self.0.state.with(|state| {
            state.switch_to(url);
            work(state)
        })
    }

    fn now(&self) -> f64 {
        (self.0.clock)()
    }

    /// The current keys, fetched if there are none. If they are due, one caller fetches new ones;
    /// the others use the current ones, and so does everyone while the provider is down.
    pub(super) async fn current(&self, url: &str) -> Result<Arc<Keys>, KeyError> {
        let now = self.now();
        let Some((keys, due)) = self.with_state(url, |state| {
            state.keys.clone().map(|keys| (keys, state.is_due(now)))
        }) else {
            return self.get(url, KeyRequest::Any).await;
        };
        if due && let Ok(permit) = Arc::clone(&self.0.fetch_permit).try_acquire_owned() {
            return Ok(self
                .take_step(url, KeyRequest::Fresh, permit)
                .await
                .unwrap_or(keys));
        }
        Ok(keys)
    }

    /// Keys that include a key with this ID, which the current ones lack.
    pub(super) async fn with_kid(&self, url: &str, kid: &str) -> Result<Arc<Keys>, KeyError> {
        let name = digest(kid);
        let now = self.now();
        let fetches = self.with_state(url, |state| {
            (!state.is_unknown(&name, now)).then_some(state.fetches)
        });
        let keys = self
            .get(
                url,
                KeyRequest::Kid(kid, fetches.ok_or(KeyError::UnknownKid)?),
            )
            .await?;
        if keys.set.contains(kid) {
            return Ok(keys);
        }
        self.with_state(url, |state| {
            if matches!(&state.keys, Some(current) if current.fetch == keys.fetch) {
                state.remember_unknown(name, keys.fetched_at, now);
            }
        });
        Err(KeyError::UnknownKid)
    }

    /// Fetches the keys now.
    pub(super) async fn refresh(&self, url: &str) -> Result<(), KeyError> {
        let fetches = self.with_state(url, |state| state.fetches);
        self.get(url, KeyRequest::NewerThan(fetches)).await?;
        Ok(())
    }

    /// The age of the keys in seconds; `None` if there are none.
    pub(super) fn age(&self, url: &str) -> Option<f64> {
        let now = self.now();
        self.with_state(url, |state| {
            Some((now - state.keys.as_ref()?.fetched_at).max(0.0))
        })
    }

    /// The keys of the last fetch; `None` if there are none.
    pub(super) fn last(&self, url: &str) -> Option<Arc<Keys>> {
        self.with_state(url, |state| state.keys.clone())
    }

    async fn get(&self, url: &str, request: KeyRequest<'_>) -> Result<Arc<Keys>, KeyError> {
        match Arc::clone(&self.0.fetch_permit).acquire_owned().await {
            Ok(permit) => self.take_step(url, request, permit).await,
            Err(_) => Err(KeyError::Fetch(FetchError::Superseded)),
        }
    }

    async fn take_step(
        &self,
        url: &str,
        request: KeyRequest<'_>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Arc<Keys>, KeyError> {
        let now = self.now();
        match self.with_state(url, |state| state.step(&request, now)) {
            Step::UseCached(keys) => Ok(keys),
            Step::Fail(reason) => Err(reason),
            Step::Fetch(number) => {
                // In its own task, so that it completes even if the request is canceled.
                let fetch = tokio::spawn(self.clone().fetch(url.to_owned(), number, now, permit));
                Ok(fetch.await.unwrap_or(Err(FetchError::Superseded))?)
            }
        }
    }

    async fn fetch(
        self,
        url: String,
        number: u64,
        fetched_at: f64,
        permit: OwnedSemaphorePermit,
    ) -> Result<Arc<Keys>, FetchError> {
        let fetched = self.0.fetcher.keys(&url).await;
        let now = self.now();
        let result = self.0.state.with(|state| {
            if state.url != url {
                return Err(FetchError::Superseded);
            }
            match fetched {
                Ok(ProviderKeys {
                    issuer,
                    set,
                    published,
                    sign_in,
                }) => {
                    let keys = Arc::new(Keys {
                        issuer,
                        set,
                        published,
                        sign_in,
                        fetch: number,
                        fetched_at,
                    });
                    state.keys = Some(Arc::clone(&keys));
                    state.unknown_kids.clear();
                    state.retry_at = f64::NEG_INFINITY;
                    Ok(keys)
                }
                Err(error) => {
                    state.retry_at = now + RETRY_DELAY;
                    Err(error)
                }
            }
        });
        drop(permit);
        match &result {
            Ok(keys) => {
                tracing::info!(target: "oidc", keys = keys.set.keys().len(), "keys fetched");
            }
            Err(error) => {
                tracing::warn!(target: "oidc", code = error.code(), hint = error.hint(), "{error}");
            }
        }
        result
    }
}
