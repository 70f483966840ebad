//! Tokens that passed lately, by their digest: an RSA signature for each request of a busy client is work for nothing.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gbac_engine::token::Claims;
use sha2::{Digest, Sha256};

use crate::lock::Lock;

/// How many tokens are remembered.
const TOKENS: usize = 1024;
/// How many bytes they may have in all.
const BYTES: usize = 8 << 20;

/// Under what a token passed. What passed under anything else counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Under {
    /// Which fetch of the keys.
    pub(super) keys: u64,
    /// What `iss` had to be.
    pub(super) issuer: String,
    /// What `aud` had to hold.
    pub(super) audience: String,
    /// By how many seconds the clocks could differ.
    pub(super) skew: u32,
}

/// The name under which a token is remembered; the token itself is not kept.
pub(super) type Name = [u8; 32];

/// A token's name.
pub(super) fn name_of(token: &str) -> Name {
    Sha256::digest(token.as_bytes()).into()
}

#[derive(Debug)]
struct Passed {
    claims: Arc<Claims>,
    from: f64,
    until: f64,
    bytes: usize,
}

/// The tokens that passed: claims, never groups (D-15).
#[derive(Debug, Default)]
pub(super) struct Memory(Lock<Held>);

#[derive(Debug, Default)]
struct Held {
    under: Under,
    passed: HashMap<Name, Passed>,
    order: VecDeque<Name>,
    bytes: usize,
}

impl Memory {
    /// The claims of a token that passed under the same keys and settings and has not expired since.
    pub(super) fn find(&self, name: &Name, under: &Under, now: f64) -> Option<Arc<Claims>> {
        self.0.with(|held| {
            if held.under != *under {
                *held = Held { under: under.clone(), ..Held::default() };
            }
            let passed = held.passed.get(name)?;
            (passed.from <= now && now <= passed.until).then(|| Arc::clone(&passed.claims))
        })
    }

    /// Remembers a token of `bytes` bytes that passed now; the oldest ones make room.
    pub(super) fn keep(&self, name: Name, bytes: usize, claims: &Arc<Claims>, under: &Under, now: f64) {
        let until = claims.expires_at().map(gbac_engine::Timestamp::as_seconds).unwrap_or(f64::NEG_INFINITY)
            + f64::from(under.skew);
        self.0.with(|held| {
            if held.under != *under || bytes > BYTES {
                return;
            }
            let passed = Passed { claims: Arc::clone(claims), from: now, until, bytes };
            match held.passed.insert(name, passed) {
                Some(old) => held.bytes -= old.bytes,
                None => held.order.push_back(name),
            }
            held.bytes += bytes;
            while held.order.len() > TOKENS || held.bytes > BYTES {
                let Some(oldest) = held.order.pop_front() else { break };
                held.bytes -= held.passed.remove(&oldest).map_or(0, |passed| passed.bytes);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::verify::{Validation, verify};

    use super::*;
    use crate::demo::{DemoKey, Provider};

    fn claims() -> Arc<Claims> {
        let provider = Provider::new(([127, 0, 0, 1], 1).into(), DemoKey::new().unwrap()).unwrap();
        let token = provider.people(1000.0).unwrap().remove(0).token;
        let expect = Validation { issuer: None, audience: None, now: 1000.0.into() };
        Arc::new(verify(&token, &provider.keys().set, expect).unwrap().claims)
    }

    #[test]
    fn it_is_bounded_and_forgets_in_time() {
        let (memory, claims, under) = (Memory::default(), claims(), Under { skew: 30, ..Under::default() });
        let name = |n: usize| name_of(&n.to_string());
        assert!(memory.find(&name(0), &under, 1000.0).is_none());
        for n in 0..=TOKENS {
            memory.keep(name(n), 1, &claims, &under, 1000.0);
        }
        assert!(memory.find(&name(0), &under, 1000.0).is_none(), "the oldest made room");
        assert!(memory.find(&name(1), &under, 1000.0).is_some());
        assert!(memory.find(&name(1), &under, 999.0).is_none(), "it had not passed yet");
        assert!(memory.find(&name(1), &under, 4630.0).is_some());
        assert!(memory.find(&name(1), &under, 4630.5).is_none(), "expired");
        memory.keep(name_of("large"), BYTES, &claims, &under, 1000.0);
        assert!(memory.find(&name(TOKENS), &under, 1000.0).is_none(), "bytes count too");
        assert_eq!(memory.0.with(|held| (held.order.len(), held.passed.len(), held.bytes)), (1, 1, BYTES));
        memory.keep(name_of("larger"), BYTES + 1, &claims, &under, 1000.0);
        assert!(memory.find(&name_of("larger"), &under, 1000.0).is_none());
    }

    #[test]
    fn other_keys_and_settings_forget_everything() {
        let (memory, claims, name) = (Memory::default(), claims(), name_of("x"));
        let under = Under { keys: 1, issuer: "i".into(), audience: "a".into(), skew: 30 };
        for other in [
            Under { keys: 2, ..under.clone() },
            Under { issuer: "j".into(), ..under.clone() },
            Under { audience: "b".into(), ..under.clone() },
            Under { skew: 0, ..under.clone() },
        ] {
            assert!(memory.find(&name, &under, 1000.0).is_none());
            memory.keep(name, 1, &claims, &under, 1000.0);
            assert!(memory.find(&name, &under, 1000.0).is_some());
            assert!(memory.find(&name, &other, 1000.0).is_none());
            memory.keep(name, 1, &claims, &under, 1000.0);
            assert!(memory.find(&name, &other, 1000.0).is_none(), "what passed before a change is not kept after it");
        }
    }
}
