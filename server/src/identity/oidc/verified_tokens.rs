//! A cache of tokens that were verified recently, which saves the signature check for each request
//! of a client.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gbac_engine::token::Claims;
use sha2::{Digest, Sha256};

use crate::lock::Lock;

/// The number of tokens in the cache.
const MAX_TOKENS: usize = 1024;
/// Their total size in bytes.
const MAX_BYTES: usize = 8 << 20;

/// The keys and settings with which tokens were verified. When they change, the cache is cleared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct VerificationContext {
    /// The number of the fetch of the keys.
    pub(super) fetch: u64,
    /// The required `iss`.
    pub(super) issuer: String,
    /// The required `aud`.
    pub(super) audience: String,
    /// The tolerated clock difference in seconds.
    pub(super) skew: u32,
}

/// The digest that identifies a token or key ID; the token itself is not kept.
pub(super) type Digest32 = [u8; 32];

/// The digest of a token or key ID.
pub(super) fn digest(token: &str) -> Digest32 {
    Sha256::digest(token.as_bytes()).into()
}

#[derive(Debug)]
struct Entry {
    claims: Arc<Claims>,
    verified_at: f64,
    expires_at: f64,
    bytes: usize,
}

/// The claims of verified tokens. Groups are extracted for each request, with the current settings
/// (D-15).
#[derive(Debug, Default)]
pub(super) struct VerifiedTokens(Lock<Entries>);

#[derive(Debug, Default)]
struct Entries {
    context: VerificationContext,
    by_digest: HashMap<Digest32, Entry>,
    order: VecDeque<Digest32>,
    bytes: usize,
}

impl VerifiedTokens {
    /// The claims of a token that was verified in the same context and has not expired.
    pub(super) fn get(
        &self,
        digest: &Digest32,
        context: &VerificationContext,
        now: f64,
    ) -> Option<Arc<Claims>> {
        self.0.with(|entries| {
            if entries.context != *context {
                *entries = Entries {
                    context: context.clone(),
                    ..Entries::default()
                };
            }
            let entry = entries.by_digest.get(digest)?;
            (entry.verified_at <= now && now <= entry.expires_at).then(|| Arc::clone(&entry.claims))
        })
    }

    /// Adds a token of `bytes` bytes that was verified now; the oldest ones are removed if the
    /// cache is full.
    pub(super) fn insert(
        &self,
        digest: Digest32,
        bytes: usize,
        claims: &Arc<Claims>,
        context: &VerificationContext,
        now: f64,
    ) {
        let expires_at = claims
            .expires_at()
            .map_or(f64::NEG_INFINITY, gbac_engine::Timestamp::as_seconds)
            + f64::from(context.skew);
        self.0.with(|entries| {
            if entries.context != *context || bytes > MAX_BYTES {
                return;
            }
            let entry = Entry {
                claims: Arc::clone(claims),
                verified_at: now,
                expires_at,
                bytes,
            };
            match entries.by_digest.insert(digest, entry) {
                Some(old) => entries.bytes -= old.bytes,
                None => entries.order.push_back(digest),
            }
            entries.bytes += bytes;
            while entries.order.len() > MAX_TOKENS || entries.bytes > MAX_BYTES {
                let Some(oldest) = entries.order.pop_front() else {
                    break;
                };
                if let Some(entry) = entries.by_digest.remove(&oldest) {
                    entries.bytes -= entry.bytes;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::verify::{Validation, verify};

    use super::*;
    use crate::demo::{DemoKey, IdentityProvider};

    fn claims() -> Arc<Claims> {
        let provider =
            IdentityProvider::new(([127, 0, 0, 1], 1).into(), DemoKey::new().unwrap()).unwrap();
        let token = provider.users(1000.0).unwrap().remove(0).token;
        let expect = Validation {
            issuer: None,
            audience: None,
            now: 1000.0.into(),
        };
        Arc::new(verify(&token, provider.key_set(), expect).unwrap().claims)
    }

    #[test]
    fn the_cache_is_bounded_and_entries_expire() {
        let (tokens, claims) = (VerifiedTokens::default(), claims());
        let context = VerificationContext {
            skew: 30,
            ..VerificationContext::default()
        };
        let name = |n: usize| digest(&n.to_string());
        assert!(tokens.get(&name(0), &context, 1000.0).is_none());
        for n in 0..=MAX_TOKENS {
            tokens.insert(name(n), 1, &claims, &context, 1000.0);
        }
        assert!(
            tokens.get(&name(0), &context, 1000.0).is_none(),
            "the oldest was removed"
        );
        assert!(tokens.get(&name(1), &context, 1000.0).is_some());
        assert!(
            tokens.get(&name(1), &context, 999.0).is_none(),
            "not verified yet at that time"
        );
        assert!(tokens.get(&name(1), &context, 4630.0).is_some());
        assert!(tokens.get(&name(1), &context, 4630.5).is_none(), "expired");
        tokens.insert(digest("large"), MAX_BYTES, &claims, &context, 1000.0);
        assert!(
            tokens.get(&name(MAX_TOKENS), &context, 1000.0).is_none(),
            "the size is limited too"
        );
        assert_eq!(
            tokens
                .0
                .with(|entries| (entries.order.len(), entries.by_digest.len(), entries.bytes)),
            (1, 1, MAX_BYTES)
        );
        tokens.insert(digest("larger"), MAX_BYTES + 1, &claims, &context, 1000.0);
        assert!(tokens.get(&digest("larger"), &context, 1000.0).is_none());
    }

    #[test]
    fn other_keys_and_settings_clear_the_cache() {
        let (tokens, claims, name) = (VerifiedTokens::default(), claims(), digest("x"));
        let context = VerificationContext {
            fetch: 1,
            issuer: "i".into(),
            audience: "a".into(),
            skew: 30,
        };
        for other in [
            VerificationContext {
                fetch: 2,
                ..context.clone()
            },
            VerificationContext {
                issuer: "j".into(),
                ..context.clone()
            },
            VerificationContext {
                audience: "b".into(),
                ..context.clone()
            },
            VerificationContext {
                skew: 0,
                ..context.clone()
            },
        ] {
            assert!(tokens.get(&name, &context, 1000.0).is_none());
            tokens.insert(name, 1, &claims, &context, 1000.0);
            assert!(tokens.get(&name, &context, 1000.0).is_some());
            assert!(tokens.get(&name, &other, 1000.0).is_none());
            tokens.insert(name, 1, &claims, &context, 1000.0);
            assert!(
                tokens.get(&name, &other, 1000.0).is_none(),
                "a token of another context is not added"
            );
        }
    }
}
