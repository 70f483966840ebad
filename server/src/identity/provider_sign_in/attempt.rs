//! A sign-in between its start and the answer of the identity provider. The browser keeps it in a
//! cookie; its state, nonce and verifier are derived from its random ID with a key that only this
//! process knows.

use std::io;
use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::client_address::ClientNetwork;
use crate::fair_map::{FairLimits, FairMap};
use crate::lock::Lock;
use crate::random;

/// How long a sign-in may take, in seconds.
pub(crate) const MAX_SECONDS: u32 = 600;
/// The number of answered sign-ins that are remembered until they have expired, from everywhere and
/// from one network. Beyond it, the oldest is forgotten; the provider accepts its code only once
/// anyway.
const USED: FairLimits = FairLimits {
    all: 4096,
    of_owner: 256,
};

type Id = [u8; 32];

/// A sign-in that was started.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempt {
    id: Id,
    expires_at: f64,
    /// The page to which the browser returns.
    pub(super) return_to: String,
}

/// The key of this process for attempts, and the attempts that were answered.
pub(super) struct Attempts {
    key: [u8; 32],
    used: Lock<FairMap<Id, Option<ClientNetwork>, f64>>,
}

impl Attempts {
    /// A new key.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            key: random::bytes()?,
            used: Lock::new(FairMap::new(USED)),
        })
    }

    /// A new attempt.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(super) fn start(return_to: String, now: f64) -> io::Result<Attempt> {
        Ok(Attempt {
            id: random::bytes()?,
            expires_at: now.floor() + f64::from(MAX_SECONDS),
            return_to,
        })
    }

    /// The `state` of the authorization request.
    pub(super) fn state(&self, attempt: &Attempt) -> String {
        self.derive("state", &attempt.id)
    }

    /// The `nonce` of the authorization request.
    pub(super) fn nonce(&self, attempt: &Attempt) -> String {
        self.derive("nonce", &attempt.id)
    }

    /// The code verifier (RFC 7636).
    pub(super) fn verifier(&self, attempt: &Attempt) -> String {
        self.derive("verifier", &attempt.id)
    }

    /// The code challenge of a verifier, by the method `S256`.
    pub(super) fn challenge(verifier: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
    }

    /// The cookie of an attempt.
    pub(super) fn seal(&self, attempt: &Attempt) -> String {
        let [id, path] = [attempt.id.as_slice(), attempt.return_to.as_bytes()]
            .map(|part| URL_SAFE_NO_PAD.encode(part));
        let content = format!("{id}.{}.{path}", attempt.expires_at);
        let tag = self.derive("cookie", content.as_bytes());
        format!("{content}.{tag}")
    }

    /// The attempt of a cookie, if this process made it and it has not expired.
    pub(super) fn open(&self, cookie: &str, now: f64) -> Option<Attempt> {
        let (content, tag) = cookie.rsplit_once('.')?;
        if !bool::from(
            self.derive("cookie", content.as_bytes())
                .as_bytes()
                .ct_eq(tag.as_bytes()),
        ) {
            return None;
        }
        let mut parts = content.split('.');
        let id = URL_SAFE_NO_PAD
            .decode(parts.next()?)
            .ok()?
            .try_into()
            .ok()?;
        let expires_at: f64 = parts.next()?.parse().ok()?;
        let return_to = String::from_utf8(URL_SAFE_NO_PAD.decode(parts.next()?).ok()?).ok()?;
        (now < expires_at).then_some(Attempt {
            id,
            expires_at,
            return_to,
        })
    }

    /// Marks an attempt as answered, by a client. Says whether this is the first answer.
    pub(super) fn take(&self, attempt: &Attempt, client: Option<IpAddr>, now: f64) -> bool {
        let network = client.map(|client| ClientNetwork::from_address(client).surroundings());
        self.used.with(|used| {
            if used.len() >= USED.all {
                used.retain(|expires_at| now < *expires_at);
            }
            let is_first = used.get(&attempt.id).is_none();
            if is_first {
                used.insert(attempt.id, network, attempt.expires_at);
            }
            is_first
        })
    }

    /// A value that only this process can compute, for one purpose.
    fn derive(&self, purpose: &str, data: &[u8]) -> String {
        // A key of any length is accepted.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
            return String::new();
        };
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(data);
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    #[test]
    fn only_the_cookie_of_this_process_opens_and_not_for_long() {
        let (attempts, others) = (Attempts::new().unwrap(), Attempts::new().unwrap());
        let attempt = Attempts::start("/security/roles?q=ü".into(), 1000.5).unwrap();
        let cookie = attempts.seal(&attempt);
        assert_eq!(attempts.open(&cookie, 1599.0).as_ref(), Some(&attempt));
        assert_eq!(attempts.open(&cookie, 1600.0), None, "expired");
        assert_eq!(others.open(&cookie, 1001.0), None, "another process");
        for at in 0..cookie.len() {
            let mut changed = cookie.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(
                attempts.open(&String::from_utf8(changed).unwrap(), 1001.0),
                None,
                "byte {at}"
            );
        }
        for malformed in [
            "",
            ".",
            "...",
            "a.b.c.d",
            &cookie[..cookie.len() - 1],
            &format!("{cookie}A"),
        ] {
            assert_eq!(attempts.open(malformed, 1001.0), None, "{malformed}");
        }
    }

    #[test]
    fn what_is_derived_differs_by_attempt_purpose_and_process() {
        let (attempts, others) = (Attempts::new().unwrap(), Attempts::new().unwrap());
        let [one, two] = [(); 2].map(|()| Attempts::start("/".into(), 0.0).unwrap());
        let all = [
            attempts.state(&one),
            attempts.nonce(&one),
            attempts.verifier(&one),
            attempts.state(&two),
            others.state(&one),
        ];
        let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert!(
            all.iter().all(|value| value.len() == 43),
            "a verifier has at least 43 characters"
        );
        assert_eq!(attempts.state(&one), attempts.state(&one));
        assert!(
            all.iter()
                .all(|value| !attempts.seal(&one).contains(value.as_str())),
            "the cookie has none of them"
        );
    }

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(
            Attempts::challenge(verifier),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn an_attempt_is_answered_once_and_the_memory_of_that_is_limited() {
        let attempts = Attempts::new().unwrap();
        let start = || Attempts::start("/".into(), 0.0).unwrap();
        let attempt = start();
        let client =
            |network: usize| Some(Ipv4Addr::from_bits(u32::try_from(network << 8).unwrap()).into());
        assert!(
            attempts.take(&attempt, client(0), 1.0) && !attempts.take(&attempt, client(0), 1.0)
        );
        for number in 0..USED.all + USED.of_owner {
            assert!(
                attempts.take(&start(), client(1 + number / USED.of_owner), 1.0),
                "nobody is locked out"
            );
        }
        assert!(
            !attempts.take(&attempt, client(0), 1.0),
            "others do not make the service forget it"
        );
        assert_eq!(attempts.used.with(|used| used.len()), USED.all);
        let of_a_site =
            |subnet: u16| Some(Ipv6Addr::from([0x2001, 0xdb8, 1, subnet, 0, 0, 0, 1]).into());
        for number in 0..u16::try_from(2 * USED.of_owner).unwrap() {
            assert!(attempts.take(&start(), of_a_site(number), 1.0));
        }
        assert!(
            !attempts.take(&attempt, client(0), 1.0),
            "nor does one site"
        );
        assert!(attempts.take(&Attempts::start("/".into(), 600.0).unwrap(), None, 600.0));
        assert_eq!(
            attempts.used.with(|used| used.len()),
            1,
            "the others have expired"
        );
    }
}
