//! The identity provider's keys: fetched when they are needed, shared by all who wait, kept when the provider is down (D-19).

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use gbac_engine::verify::KeySet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::fetch::{Fetch, FetchError, Found};
use super::memory::{Name, name_of};
use crate::bucket::{Bucket, Rate};
use crate::clock::Clock;
use crate::lock::Lock;

/// After how many seconds keys are fetched again.
const INTERVAL: f64 = 3600.0;
/// How many seconds a provider that failed is left alone.
const RETRY: f64 = 5.0;
/// How often tokens with unknown keys may cause a fetch.
const UNKNOWN: Rate = Rate { burst: 5.0, every: 10.0 };
/// How many absent keys are remembered; what is beyond them only empties the bucket.
const ABSENT: usize = 1024;

/// The keys that one fetch brought.
#[derive(Debug)]
pub(crate) struct Keys {
    /// What `iss` must be.
    pub(crate) issuer: String,
    /// The keys.
    pub(crate) set: KeySet,
    /// Which fetch it was.
    pub(super) number: u64,
    /// When it began.
    fetched: f64,
}

impl Keys {
    /// Keys that nobody has to fetch.
    pub(crate) const fn fixed(issuer: String, set: KeySet) -> Self {
        Self { issuer, set, number: 0, fetched: 0.0 }
    }
}

/// Why there are no keys to check a token with.
#[derive(Debug)]
pub(crate) enum NoKeys {
    /// The fetch failed.
    Fetch(FetchError),
    /// The provider failed a moment ago and is left alone.
    Resting,
    /// Too many tokens named keys that nobody knows.
    TooMany,
    /// The provider has no key of this name.
    Absent,
}

impl NoKeys {
    /// A stable name of the fault.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.code(),
            Self::Resting => "provider_resting",
            Self::TooMany => "kid_refresh_limited",
            Self::Absent => "kid_unknown",
        }
    }
}

impl fmt::Display for NoKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetch(error) => error.fmt(f),
            Self::Resting => f.write_str("the identity provider failed a moment ago"),
            Self::TooMany => f.write_str("too many tokens name keys that the identity provider does not have"),
            Self::Absent => f.write_str("the identity provider has no key of the token's `kid`"),
        }
    }
}

/// The keys of the provider at one address at a time.
#[derive(Clone)]
pub(super) struct Ring(Arc<Parts>);

struct Parts {
    clock: Clock,
    fetch: Fetch,
    /// One fetch at a time; whoever waits for it shares what it brought.
    flight: Arc<Semaphore>,
    state: Lock<State>,
}

struct State {
    /// The discovery address that the rest is about.
    url: String,
    keys: Option<Arc<Keys>>,
    absent: BTreeSet<Name>,
    /// How many fetches have begun.
    begun: u64,
    retry_at: f64,
    unknown: Bucket,
}

/// What a fetch is wanted for.
enum Need<'a> {
    /// Any keys at all.
    Some,
    /// Keys that are due.
    Due,
    /// A key of this name, from a fetch that began after so many others.
    Kid(&'a str, u64),
    /// Keys of a fetch that began after so many others, whatever it costs.
    Newer(u64),
}

/// What is to be done about it.
enum Step {
    Have(Arc<Keys>),
    Not(NoKeys),
    Fetch(u64),
}

impl State {
    /// Forgets what another address said.
    fn be_about(&mut self, url: &str) {
        if self.url != url {
            *self = Self { url: url.into(), begun: self.begun, ..Self::new() };
        }
    }

    const fn new() -> Self {
        Self {
            url: String::new(),
            keys: None,
            absent: BTreeSet::new(),
            begun: 0,
            retry_at: f64::NEG_INFINITY,
            unknown: Bucket::full(UNKNOWN),
        }
    }

    fn is_due(&self, now: f64) -> bool {
        now >= self.retry_at && self.keys.as_ref().is_none_or(|keys| now - keys.fetched >= INTERVAL)
    }

    fn step(&mut self, need: &Need<'_>, now: f64) -> Step {
        if let Some(keys) = &self.keys
            && match need {
                Need::Some => true,
                Need::Due => !self.is_due(now),
                // An answer that was under way when a token came may be older than the token's key.
                Need::Kid(kid, begun) => keys.number > *begun || keys.set.contains(kid),
                Need::Newer(begun) => keys.number > *begun,
            }
        {
            return Step::Have(Arc::clone(keys));
        }
        if !matches!(need, Need::Newer(_)) && now < self.retry_at {
            return Step::Not(NoKeys::Resting);
        }
        if matches!(need, Need::Kid(..)) && self.unknown.take(UNKNOWN, now).is_err() {
            return Step::Not(NoKeys::TooMany);
        }
        self.begun += 1;
        Step::Fetch(self.begun)
    }
}

impl Ring {
    pub(super) fn new(clock: Clock) -> Self {
        let flight = Arc::new(Semaphore::new(1));
        Self(Arc::new(Parts { clock, fetch: Fetch::default(), flight, state: Lock::new(State::new()) }))
    }

    fn state<T>(&self, url: &str, work: impl FnOnce(&mut State) -> T) -> T {
        self.0.state.with(|state| {
            state.be_about(url);
            work(state)
        })
    }

    fn now(&self) -> f64 {
        (self.0.clock)()
    }

    /// The keys of the provider, fetched when there are none yet. Who finds them due fetches them; the others, and all
    /// of them while the provider is down, go on with those that there are.
    pub(super) async fn current(&self, url: &str) -> Result<Arc<Keys>, NoKeys> {
        let now = self.now();
        let Some((keys, due)) = self.state(url, |state| state.keys.clone().map(|keys| (keys, state.is_due(now))))
        else {
            return self.get(url, Need::Some).await;
        };
        if due && let Ok(turn) = Arc::clone(&self.0.flight).try_acquire_owned() {
            return Ok(self.take_step(url, Need::Due, turn).await.unwrap_or(keys));
        }
        Ok(keys)
    }

    /// Keys with a key of this name, which those of the moment do not have.
    pub(super) async fn with_kid(&self, url: &str, kid: &str) -> Result<Arc<Keys>, NoKeys> {
        let name = name_of(kid);
        let begun = self.state(url, |state| (!state.absent.contains(&name)).then_some(state.begun));
        let keys = self.get(url, Need::Kid(kid, begun.ok_or(NoKeys::Absent)?)).await?;
        if keys.set.contains(kid) {
            return Ok(keys);
        }
        self.state(url, |state| {
            let same = state.keys.as_ref().is_some_and(|held| held.number == keys.number);
            if same && state.absent.len() < ABSENT {
                state.absent.insert(name);
            }
        });
        Err(NoKeys::Absent)
    }

    /// Fetches the keys now.
    pub(super) async fn refresh(&self, url: &str) -> Result<(), NoKeys> {
        let begun = self.state(url, |state| state.begun);
        self.get(url, Need::Newer(begun)).await.map(drop)
    }

    /// For how many seconds the keys of this address have been held; `None` when there are none.
    pub(super) fn age(&self, url: &str) -> Option<f64> {
        let now = self.now();
        self.state(url, |state| state.keys.as_ref().map(|keys| (now - keys.fetched).max(0.0)))
    }

    async fn get(&self, url: &str, need: Need<'_>) -> Result<Arc<Keys>, NoKeys> {
        let turn = Arc::clone(&self.0.flight).acquire_owned().await;
        self.take_step(url, need, turn.map_err(|_| NoKeys::Fetch(FetchError::Dropped))?).await
    }

    async fn take_step(&self, url: &str, need: Need<'_>, turn: OwnedSemaphorePermit) -> Result<Arc<Keys>, NoKeys> {
        let now = self.now();
        match self.state(url, |state| state.step(&need, now)) {
            Step::Have(keys) => Ok(keys),
            Step::Not(reason) => Err(reason),
            Step::Fetch(number) => {
                // On its own, so that it comes to its end when the request that wanted it is given up.
                let fetch = tokio::spawn(self.clone().fetch(url.to_owned(), number, now, turn));
                fetch.await.unwrap_or(Err(FetchError::Dropped)).map_err(NoKeys::Fetch)
            }
        }
    }

    async fn fetch(
        self,
        url: String,
        number: u64,
        fetched: f64,
        turn: OwnedSemaphorePermit,
    ) -> Result<Arc<Keys>, FetchError> {
        let found = self.0.fetch.keys(&url).await;
        let now = self.now();
        let kept = self.0.state.with(|state| {
            if state.url != url {
                return Err(FetchError::Dropped);
            }
            match found {
                Ok(Found { issuer, set }) => {
                    let keys = Arc::new(Keys { issuer, set, number, fetched });
                    state.keys = Some(Arc::clone(&keys));
                    state.absent.clear();
                    state.retry_at = f64::NEG_INFINITY;
                    Ok(keys)
                }
                Err(error) => {
                    state.retry_at = now + RETRY;
                    Err(error)
                }
            }
        });
        drop(turn);
        match &kept {
            Ok(keys) => tracing::info!(target: "oidc", keys = keys.set.keys().len(), "keys fetched"),
            Err(error) => tracing::warn!(target: "oidc", code = error.code(), hint = error.hint(), "{error}"),
        }
        kept
    }
}
