//! SCRAM (RFC 5802, RFC 7677): both sides prove that they know the password.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::{digest, hmac, pbkdf2};

/// The iterations that a broker may ask for. Fewer make a password easy to guess for whoever poses
/// as a broker, and more keep this client busy.
const ITERATIONS: std::ops::RangeInclusive<u32> = 4_096..=1_000_000;
/// The header of the channel binding, "n,,": there is none.
const CHANNEL: &str = "biws";

/// The hash of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    fn digest(self) -> &'static digest::Algorithm {
        match self {
            Self::Sha256 => &digest::SHA256,
            Self::Sha512 => &digest::SHA512,
        }
    }

    fn hmac(self) -> hmac::Algorithm {
        match self {
            Self::Sha256 => hmac::HMAC_SHA256,
            Self::Sha512 => hmac::HMAC_SHA512,
        }
    }

    fn derivation(self) -> pbkdf2::Algorithm {
        match self {
            Self::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
            Self::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        }
    }
}

/// The client's side of one exchange.
pub(super) struct Exchange<'a> {
    pub(super) hash: Hash,
    pub(super) user: &'a str,
    pub(super) password: &'a str,
    pub(super) nonce: String,
    /// Whether the user is a delegation token.
    pub(super) is_delegation_token: bool,
}

/// What the broker must know.
pub(super) struct ServerProof {
    key: hmac::Key,
    message: String,
}

impl Exchange<'_> {
    /// The first message.
    pub(super) fn first(&self) -> String {
        format!("n,,{}", self.bare())
    }

    fn bare(&self) -> String {
        // Kafka prepares neither names nor passwords (SASLprep).
        let name = self.user.replace('=', "=3D").replace(',', "=2C");
        let extension = match self.is_delegation_token {
            true => ",tokenauth=true",
            false => "",
        };
        format!("n={name},r={}{extension}", self.nonce)
    }

    /// The last message, for the broker's first one.
    pub(super) fn last(&self, server: &[u8]) -> Result<(String, ServerProof), &'static str> {
        let server = str::from_utf8(server).map_err(|_| NOT_SCRAM)?;
        let challenge = Challenge::parse(server).ok_or(NOT_SCRAM)?;
        let is_longer = challenge.nonce.len() > self.nonce.len();
        if !challenge.nonce.starts_with(&self.nonce) || !is_longer {
            return Err("its nonce does not continue that of this program");
        }
        if !ITERATIONS.contains(&challenge.iterations) {
            return Err("its number of iterations is not between 4,096 and 1,000,000");
        }
        let iterations = NonZeroU32::new(challenge.iterations).ok_or(NOT_SCRAM)?;
        let without_proof = format!("c={CHANNEL},r={}", challenge.nonce);
        let message = format!("{},{server},{without_proof}", self.bare());
        let salted = self.salted(&challenge.salt, iterations);
        let salted = hmac::Key::new(self.hash.hmac(), &salted);
        let client_key = hmac::sign(&salted, b"Client Key");
        let stored_key = digest::digest(self.hash.digest(), client_key.as_ref());
        let signature = hmac::sign(
            &hmac::Key::new(self.hash.hmac(), stored_key.as_ref()),
            message.as_bytes(),
        );
        let proof: Vec<u8> = client_key
            .as_ref()
            .iter()
            .zip(signature.as_ref())
            .map(|(key, signature)| key ^ signature)
            .collect();
        let server_key = hmac::sign(&salted, b"Server Key");
        let proof = format!("{without_proof},p={}", BASE64.encode(proof));
        let key = hmac::Key::new(self.hash.hmac(), server_key.as_ref());
        Ok((proof, ServerProof { key, message }))
    }

    fn salted(&self, salt: &[u8], iterations: NonZeroU32) -> Vec<u8> {
        let mut salted = vec![0; self.hash.digest().output_len()];
        pbkdf2::derive(
            self.hash.derivation(),
            iterations,
            salt,
            self.password.as_bytes(),
            &mut salted,
        );
        salted
    }
}

const NOT_SCRAM: &str = "its answer is not one of SCRAM";

impl ServerProof {
    /// Checks the broker's last message.
    pub(super) fn check(&self, server: &[u8]) -> Result<(), &'static str> {
        let server = str::from_utf8(server).map_err(|_| NOT_SCRAM)?;
        let first = server.split(',').next().unwrap_or_default();
        let signature = first.strip_prefix("v=").ok_or(NOT_SCRAM)?;
        let signature = BASE64.decode(signature).map_err(|_| NOT_SCRAM)?;
        hmac::verify(&self.key, self.message.as_bytes(), &signature)
            .map_err(|_| "it does not know the password of the account, so it is another server")
    }
}

/// The broker's first message.
struct Challenge<'a> {
    nonce: &'a str,
    salt: Vec<u8>,
    iterations: u32,
}

impl<'a> Challenge<'a> {
    /// `r=nonce,s=salt,i=iterations`, and what extensions follow. An extension in front must be
    /// understood, and none is.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(',');
        let nonce = parts.next()?.strip_prefix("r=")?;
        let salt = BASE64.decode(parts.next()?.strip_prefix("s=")?).ok()?;
        let iterations = parts.next()?.strip_prefix("i=")?;
        if salt.is_empty() || !iterations.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let iterations = iterations.parse().ok()?;
        Some(Self {
            nonce,
            salt,
            iterations,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(nonce: &str) -> Exchange<'static> {
        Exchange {
            hash: Hash::Sha256,
            user: "user",
            password: "pencil",
            nonce: nonce.into(),
            is_delegation_token: false,
        }
    }

    /// RFC 7677 section 3.
    #[test]
    fn agrees_with_the_example_of_the_standard() {
        let exchange = exchange("rOprNGfwEbeRWgbNEkqO");
        assert_eq!(exchange.first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let server = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let (last, proof) = exchange.last(server).expect("a challenge");
        assert_eq!(
            last,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        let end = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
        assert_eq!(proof.check(end), Ok(()));
        let forged = b"v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
        assert!(proof.check(forged).is_err());
        for other in [&b"e=other-error"[..], b"", b"v=", b"v=%%", b"\xff"] {
            assert!(proof.check(other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn refuses_other_challenges() {
        let exchange = exchange("abc");
        assert!(exchange.last(b"r=abcd,s=c2FsdA==,i=4096").is_ok());
        for challenge in [
            "r=abc,s=c2FsdA==,i=4096",
            "r=xbcd,s=c2FsdA==,i=4096",
            "r=abcd,s=c2FsdA==,i=4095",
            "r=abcd,s=c2FsdA==,i=4294967295",
            "r=abcd,s=c2FsdA==,i=-1",
            "r=abcd,s=,i=4096",
            "r=abcd,s=%,i=4096",
            "m=x,r=abcd,s=c2FsdA==,i=4096",
            "r=abcd",
            "",
            "i=4096",
        ] {
            assert!(exchange.last(challenge.as_bytes()).is_err(), "{challenge}");
        }
    }

    #[test]
    fn names_are_escaped_and_delegation_tokens_named() {
        let exchange = Exchange {
            user: "a=b,c",
            is_delegation_token: true,
            ..exchange("n")
        };
        assert_eq!(exchange.first(), "n,,n=a=3Db=2Cc,r=n,tokenauth=true");
    }
}
