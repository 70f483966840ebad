//! Which tokens count here: the keys of the identity provider, the checks of the engine, and a memory of tokens that
//! passed (D-15, D-19). The demo's provider and one on the network differ in where the keys come from, and in nothing else.

mod fetch;
mod memory;
mod ring;

use std::fmt;
use std::sync::Arc;

use gbac_engine::identity::IdentityError;
use gbac_engine::token::Claims;
use gbac_engine::verify::{Validation, VerifyError, verify_with_skew};

pub(crate) use ring::{Keys, NoKeys};

use crate::clock::Clock;
use crate::config::Config;
use memory::{Memory, Under, name_of};
use ring::Ring;

/// Why a token does not count.
#[derive(Debug)]
pub(crate) enum Refused {
    /// No identity provider is set.
    Off,
    /// There are no keys to check it with.
    NoKeys(NoKeys),
    /// A check failed.
    Token(VerifyError),
    /// It names no user (D-13).
    User(IdentityError),
}

impl Refused {
    /// A stable name of the fault.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Off => "oidc_off",
            Self::NoKeys(reason) => reason.code(),
            Self::Token(error) => error.code(),
            Self::User(error) => error.code(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("no identity provider is set"),
            Self::NoKeys(reason) => reason.fmt(f),
            // The engine's sentence names its own tolerance, and the setting may be another.
            Self::Token(VerifyError::Expired { .. }) => f.write_str("the token has expired"),
            Self::Token(error) => error.fmt(f),
            Self::User(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

/// The verifier of tokens.
pub(crate) struct Oidc {
    source: Source,
    memory: Memory,
}

enum Source {
    Fixed(Arc<Keys>),
    Remote(Ring),
}

impl Oidc {
    /// Takes the tokens of the demo's provider.
    pub(crate) fn demo(keys: Arc<Keys>) -> Self {
        Self { source: Source::Fixed(keys), memory: Memory::default() }
    }

    /// Takes the tokens of the provider that the settings name.
    pub(crate) fn remote(clock: Clock) -> Self {
        Self { source: Source::Remote(Ring::new(clock)), memory: Memory::default() }
    }

    /// The claims of a token that passes every check now; off until there are an address and an audience (D-30).
    pub(crate) async fn verify(&self, token: &str, config: &Config, now: f64) -> Result<Arc<Claims>, Refused> {
        let (url, audience) = (config.oidc_discovery_url.as_str(), config.oidc_token_audience.as_str());
        if url.is_empty() || audience.is_empty() {
            return Err(Refused::Off);
        }
        let keys = match &self.source {
            Source::Fixed(keys) => Arc::clone(keys),
            Source::Remote(ring) => ring.current(url).await.map_err(Refused::NoKeys)?,
        };
        let name = name_of(token);
        if let Some(claims) = self.memory.find(&name, &under(&keys, config), now) {
            return Ok(claims);
        }
        let check = |keys: &Keys| {
            let expect = Validation { issuer: Some(&keys.issuer), audience: Some(audience), now: now.into() };
            verify_with_skew(token, &keys.set, expect, config.oidc_clock_skew.into()).map(|verified| verified.claims)
        };
        let (keys, checked) = match (check(&keys), &self.source) {
            (Err(VerifyError::KidUnknown(kid)), Source::Remote(ring)) => {
                let keys = ring.with_kid(url, &kid).await.map_err(Refused::NoKeys)?;
                let checked = check(&keys);
                (keys, checked)
            }
            (checked, _) => (keys, checked),
        };
        let claims = Arc::new(checked.map_err(Refused::Token)?);
        self.memory.keep(name, token.len(), &claims, &under(&keys, config), now);
        Ok(claims)
    }

    /// Fetches the keys now, whatever their age; nothing where there is no provider to ask.
    ///
    /// # Errors
    /// They cannot be had; those that there were are kept.
    pub(crate) async fn refresh(&self, config: &Config) -> Result<(), NoKeys> {
        match &self.source {
            Source::Remote(ring) if !config.oidc_discovery_url.is_empty() => {
                ring.refresh(&config.oidc_discovery_url).await
            }
            Source::Remote(_) | Source::Fixed(_) => Ok(()),
        }
    }

    /// Fetches keys that are due, so that a key which the provider took back does not wait for somebody to use it.
    pub(crate) async fn keep_fresh(&self, config: &Config) {
        if let Source::Remote(ring) = &self.source
            && !config.oidc_discovery_url.is_empty()
            && !config.oidc_token_audience.is_empty()
        {
            // What went wrong is in the log.
            let _ = ring.current(&config.oidc_discovery_url).await;
        }
    }

    /// For how many seconds the keys have been held; `None` when none are, or none are fetched.
    pub(crate) fn key_age(&self, config: &Config) -> Option<f64> {
        match &self.source {
            Source::Remote(ring) => ring.age(&config.oidc_discovery_url),
            Source::Fixed(_) => None,
        }
    }
}

fn under(keys: &Keys, config: &Config) -> Under {
    let (issuer, audience) = (keys.issuer.clone(), config.oidc_token_audience.clone());
    Under { keys: keys.number, issuer, audience, skew: config.oidc_clock_skew }
}
