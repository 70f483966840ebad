//! Passwords: hashed with argon2, compared in constant time.

use std::io;
use std::sync::OnceLock;

use argon2::password_hash::{PasswordHashString, SaltString};
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::random;

/// The fewest characters of a password that is set.
pub(crate) const MIN_LENGTH: usize = 12;

/// Whether a password may not be set.
pub(crate) fn is_too_short(text: &str) -> bool {
    text.chars().count() < MIN_LENGTH
}

fn hashed(text: &str, salt: &[u8]) -> argon2::password_hash::Result<PasswordHashString> {
    let salt = SaltString::encode_b64(salt)?;
    let hash = Argon2::default().hash_password(text.as_bytes(), &salt)?;
    Ok(hash.serialize())
}

/// The hash of a password.
pub(crate) struct Password {
    /// The argon2 hash with its salt and parameters (PHC string format).
    hash: PasswordHashString,
    /// The salt of the cached digest.
    digest_salt: [u8; 16],
    /// The salted digest of the correct password, once it was verified: argon2 is slow on purpose,
    /// and a page sends many requests.
    verified: OnceLock<[u8; 32]>,
}

impl Password {
    /// Hashes a password with a new salt.
    ///
    /// # Errors
    /// The operating system provides no random numbers, or argon2 rejects the password.
    pub(crate) fn new(text: &str) -> io::Result<Self> {
        let salt = random::bytes::<16>()?;
        match hashed(text, &salt) {
            Ok(hash) => Self::with_hash(hash),
            Err(_) => Err(io::Error::other("the password cannot be hashed")),
        }
    }

    /// The password with this hash; see [`Password::hash`].
    ///
    /// # Errors
    /// The text is not an argon2 hash, or the operating system provides no random numbers.
    pub(crate) fn from_hash(text: &str) -> io::Result<Self> {
        match PasswordHashString::new(text) {
            Ok(hash)
                if hash.algorithm() == argon2::ARGON2ID_IDENT
                    && hash.password_hash().hash.is_some() =>
            {
                Self::with_hash(hash)
            }
            _ => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the stored password hash cannot be read",
            )),
        }
    }

    fn with_hash(hash: PasswordHashString) -> io::Result<Self> {
        Ok(Self {
            hash,
            digest_salt: random::bytes()?,
            verified: OnceLock::new(),
        })
    }

    /// The hash with its salt and parameters.
    pub(crate) fn hash(&self) -> &str {
        self.hash.as_str()
    }

    /// Whether this is the password, if it was verified before; fast.
    pub(crate) fn matches_verified(&self, text: &str) -> bool {
        match self.verified.get() {
            Some(verified) => verified.ct_eq(&self.salted_digest(text)).into(),
            None => false,
        }
    }

    /// Whether this is the password; slow.
    pub(crate) fn verify(&self, text: &str) -> bool {
        let is_correct = Argon2::default()
            .verify_password(text.as_bytes(), &self.hash.password_hash())
            .is_ok();
        if is_correct {
            // Another request may have stored the same digest.
            let _ = self.verified.set(self.salted_digest(text));
        }
        is_correct
    }

    fn salted_digest(&self, text: &str) -> [u8; 32] {
        digest(&[&self.digest_salt, text.as_bytes()])
    }
}

/// Compares two names in constant time.
pub(crate) fn names_match(one: &str, other: &str) -> bool {
    digest(&[one.as_bytes()])
        .ct_eq(&digest(&[other.as_bytes()]))
        .into()
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_is_accepted() {
        let password = Password::new("demo").unwrap();
        assert!(!password.matches_verified("demo"), "not verified yet");
        assert!(!password.verify("Demo") && !password.verify("") && !password.verify("demo "));
        assert!(!password.matches_verified("Demo"));
        assert!(
            password.verify("demo")
                && password.matches_verified("demo")
                && !password.matches_verified("demo ")
        );
        assert!(names_match("admin", "admin") && !names_match("admin", "admin2"));
    }

    #[test]
    fn a_hash_restores_the_password() {
        let stored = Password::new("s3cret").unwrap().hash().to_owned();
        assert!(
            stored.starts_with("$argon2id$v=19$m=") && !stored.contains("s3cret"),
            "{stored}"
        );
        let read = Password::from_hash(&stored).unwrap();
        assert!(
            !read.matches_verified("s3cret") && !read.verify("secret") && read.verify("s3cret")
        );
        assert_eq!(read.hash(), stored);
        for invalid in [
            "",
            "s3cret",
            "$argon2id$v=19$m=19456,t=2,p=1",
            "$pbkdf2$i=1$c2FsdHNhbHQ$aGFzaA",
        ] {
            assert!(Password::from_hash(invalid).is_err(), "{invalid}");
        }
    }
}
