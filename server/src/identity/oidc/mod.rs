//! Verification of tokens: the keys of the identity provider, the checks of the engine, and a cache
//! of verified tokens (D-15, D-19). The demo's provider and a remote one differ only in where the
//! keys come from.

mod fetch;
mod key_cache;
mod public_parts;
mod verified_tokens;

use std::sync::Arc;

use gbac_api::service::TokenRequirements;
use gbac_engine::identity::IdentityError;
use gbac_engine::token::Claims;
use gbac_engine::verify::{TokenRules, Validation, Verified, VerifyError, verify_with_rules};
use thiserror::Error;

pub(crate) use fetch::{
    FetchError, ProviderDocument, SignInEndpoints, TIMEOUT, fetch_failed, read_body,
};
pub(crate) use key_cache::{KeyError, Keys};

use crate::clock::Clock;
use crate::state::config::Config;
use key_cache::KeyCache;
use verified_tokens::{VerificationContext, VerifiedTokens, digest};

/// Why a token is rejected.
#[derive(Debug, Error)]
pub(crate) enum TokenRejection {
    /// No identity provider is configured.
    #[error("no identity provider is configured")]
    NotConfigured,
    /// There is no key to verify it with.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A check failed.
    #[error("{}", token_message(.0))]
    Token(VerifyError),
    /// It does not identify a user (D-13).
    #[error(transparent)]
    User(#[from] IdentityError),
}

impl TokenRejection {
    /// The stable code of the rejection.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "oidc_off",
            Self::Key(error) => error.code(),
            Self::Token(error) => error.code(),
            Self::User(error) => error.code(),
        }
    }
}

fn token_message(error: &VerifyError) -> String {
    match error {
        // The message of the engine names its default tolerance, which may differ from the setting.
        VerifyError::Expired { .. } => "the token has expired".to_owned(),
        error => error.to_string(),
    }
}

/// What is required of an identity provider and its tokens besides the cluster properties (D-57).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OidcRules {
    /// The issuer, if it differs from the address of the discovery document.
    pub issuer: Option<String>,
    /// Whether only access tokens with the type `at+jwt` are accepted (RFC 9068).
    pub access_tokens_only: bool,
    /// The longest accepted lifetime of a token in seconds, from `iat` to `exp`.
    pub max_lifetime: Option<u32>,
}

impl OidcRules {
    /// Nothing besides.
    pub(crate) const DEFAULT: Self = Self {
        issuer: None,
        access_tokens_only: false,
        max_lifetime: None,
    };
}

/// The verifier of tokens.
pub(crate) struct Oidc {
    keys: KeySource,
    verified: VerifiedTokens,
    rules: OidcRules,
}

enum KeySource {
    Fixed(Arc<Keys>),
    Remote(KeyCache),
}

impl Oidc {
    /// A verifier with these keys.
    pub(crate) fn with_keys(keys: Keys) -> Self {
        let keys = KeySource::Fixed(Arc::new(keys));
        Self {
            keys,
            verified: VerifiedTokens::default(),
            rules: OidcRules::DEFAULT,
        }
    }

    /// A verifier with the keys of the configured provider.
    pub(crate) fn remote(clock: Clock, rules: OidcRules) -> Self {
        let keys = KeySource::Remote(KeyCache::new(clock, rules.issuer.clone()));
        Self {
            keys,
            verified: VerifiedTokens::default(),
            rules,
        }
    }

    /// The keys of the provider, and where users sign in; requires a discovery URL and an audience
    /// (D-30).
    pub(crate) async fn provider(&self, config: &Config) -> Result<Arc<Keys>, TokenRejection> {
        let url = config.oidc_discovery_url.as_str();
        if url.is_empty() || config.oidc_token_audience.is_empty() {
            return Err(TokenRejection::NotConfigured);
        }
        match &self.keys {
            KeySource::Fixed(keys) => Ok(Arc::clone(keys)),
            KeySource::Remote(cache) => Ok(cache.current(url).await?),
        }
    }

    /// The claims of a token that passes every check.
    pub(crate) async fn verify(
        &self,
        token: &str,
        config: &Config,
        now: f64,
    ) -> Result<Arc<Claims>, TokenRejection> {
        let keys = self.provider(config).await?;
        let digest = digest(token);
        if let Some(claims) = self.verified.get(&digest, &context(&keys, config), now) {
            return Ok(claims);
        }
        let rules = TokenRules {
            skew: config.oidc_clock_skew.into(),
            access_tokens_only: self.rules.access_tokens_only,
            max_lifetime: self.rules.max_lifetime.map(f64::from),
        };
        let (keys, verified) = self
            .check(token, keys, &config.oidc_token_audience, rules, config, now)
            .await?;
        let claims = Arc::new(verified.claims);
        self.verified
            .insert(digest, token.len(), &claims, &context(&keys, config), now);
        Ok(claims)
    }

    /// An ID token of this client, whose type, `nonce` and `azp` are not checked here. The rules
    /// that are only for tokens of requests do not apply.
    pub(crate) async fn verify_id_token(
        &self,
        token: &str,
        client_id: &str,
        config: &Config,
        now: f64,
    ) -> Result<Verified, TokenRejection> {
        let keys = self.provider(config).await?;
        let rules = TokenRules::with_skew(config.oidc_clock_skew.into());
        let (_, verified) = self
            .check(token, keys, client_id, rules, config, now)
            .await?;
        Ok(verified)
    }

    /// Checks a token with these keys, and with new ones if they lack the token's key.
    async fn check(
        &self,
        token: &str,
        keys: Arc<Keys>,
        audience: &str,
        rules: TokenRules,
        config: &Config,
        now: f64,
    ) -> Result<(Arc<Keys>, Verified), TokenRejection> {
        let check = |keys: &Keys| {
            let expect = Validation {
                issuer: Some(&keys.issuer),
                audience: Some(audience),
                now: now.into(),
            };
            verify_with_rules(token, &keys.set, expect, rules)
        };
        let (keys, checked) = match (check(&keys), &self.keys) {
            (Err(VerifyError::KidUnknown(kid)), KeySource::Remote(cache)) => {
                let keys = cache.with_kid(&config.oidc_discovery_url, &kid).await?;
                let checked = check(&keys);
                (keys, checked)
            }
            (checked, _) => (keys, checked),
        };
        match checked {
            Ok(verified) => Ok((keys, verified)),
            Err(error) => Err(TokenRejection::Token(error)),
        }
    }

    /// Fetches the keys regardless of their age; does nothing without a remote provider.
    ///
    /// # Errors
    /// They cannot be fetched; the current ones are kept.
    pub(crate) async fn refresh(&self, config: &Config) -> Result<(), KeyError> {
        match &self.keys {
            KeySource::Remote(cache) if !config.oidc_discovery_url.is_empty() => {
                cache.refresh(&config.oidc_discovery_url).await
            }
            KeySource::Remote(_) | KeySource::Fixed(_) => Ok(()),
        }
    }

    /// Fetches keys that are due, so that a revoked key does not stay valid until the next request.
    pub(crate) async fn keep_fresh(&self, config: &Config) {
        if let KeySource::Remote(cache) = &self.keys
            && !config.oidc_discovery_url.is_empty()
            && !config.oidc_token_audience.is_empty()
        {
            // A failure is logged.
            let _ = cache.current(&config.oidc_discovery_url).await;
        }
    }

    /// What is required of tokens besides the cluster properties, for clients that predict what
    /// becomes of a token.
    pub(crate) fn requirements(&self, config: &Config) -> TokenRequirements {
        let is_configured =
            !config.oidc_discovery_url.is_empty() && !config.oidc_token_audience.is_empty();
        let issuer = match (&self.keys, &self.rules.issuer) {
            (KeySource::Fixed(keys), _) => Some(keys.issuer.clone()),
            (KeySource::Remote(_), Some(issuer)) => Some(issuer.clone()),
            (KeySource::Remote(cache), None) => cache
                .last(&config.oidc_discovery_url)
                .map(|keys| keys.issuer.clone()),
        };
        TokenRequirements {
            issuer: issuer.filter(|_| is_configured),
            access_tokens_only: self.rules.access_tokens_only,
            max_lifetime: self.rules.max_lifetime,
        }
    }

    /// The provider's keys of the last fetch, without a fetch; `None` if no provider is configured
    /// or its keys were not fetched yet.
    pub(crate) fn last_keys(&self, config: &Config) -> Option<Arc<Keys>> {
        if config.oidc_discovery_url.is_empty() || config.oidc_token_audience.is_empty() {
            return None;
        }
        match &self.keys {
            KeySource::Fixed(keys) => Some(Arc::clone(keys)),
            KeySource::Remote(cache) => cache.last(&config.oidc_discovery_url),
        }
    }

    /// The age of the keys in seconds; `None` if there are none, or they are not fetched.
    pub(crate) fn key_age(&self, config: &Config) -> Option<f64> {
        match &self.keys {
            KeySource::Remote(cache) => cache.age(&config.oidc_discovery_url),
            KeySource::Fixed(_) => None,
        }
    }
}

fn context(keys: &Keys, config: &Config) -> VerificationContext {
    let (issuer, audience) = (keys.issuer.clone(), config.oidc_token_audience.clone());
    VerificationContext {
        fetch: keys.fetch,
        issuer,
        audience,
        skew: config.oidc_clock_skew,
    }
}
