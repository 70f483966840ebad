//! A password that is kept as its argon2 hash and compared in constant time.

use std::io;
use std::sync::OnceLock;

use argon2::Argon2;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::random;

/// One user's password, hashed.
pub(crate) struct Password {
    salt: [u8; 16],
    hash: [u8; 32],
    /// What a right password's quick digest is, once there was one: argon2 is slow on purpose, and a page asks often.
    seen: OnceLock<[u8; 32]>,
}

impl Password {
    /// Hashes a password with a new salt.
    ///
    /// # Errors
    /// There are no random numbers, or argon2 does not take the password.
    pub(crate) fn new(text: &str) -> io::Result<Self> {
        let salt = random::bytes()?;
        let hash = slow(text, &salt).ok_or_else(|| io::Error::other("the password cannot be hashed"))?;
        Ok(Self { salt, hash, seen: OnceLock::new() })
    }

    /// Whether this was a right password before; quick.
    pub(crate) fn was(&self, text: &str) -> bool {
        self.seen.get().is_some_and(|seen| bool::from(seen.ct_eq(&self.quick(text))))
    }

    /// Whether this is the password; takes argon2's time.
    pub(crate) fn is(&self, text: &str) -> bool {
        let right = slow(text, &self.salt).is_some_and(|hash| bool::from(hash.ct_eq(&self.hash)));
        if right {
            // A second one who gets here at the same time has the same digest.
            let _ = self.seen.set(self.quick(text));
        }
        right
    }

    fn quick(&self, text: &str) -> [u8; 32] {
        digest(&[&self.salt, text.as_bytes()])
    }
}

/// Whether two names are equal, in a time that says nothing about them.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    digest(&[one.as_bytes()]).ct_eq(&digest(&[other.as_bytes()])).into()
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part);
    }
    digest.finalize().into()
}

fn slow(text: &str, salt: &[u8; 16]) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    Argon2::default().hash_password_into(text.as_bytes(), salt, &mut hash).ok()?;
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_passes() {
        let password = Password::new("demo").unwrap();
        assert!(!password.was("demo"), "nobody gave it yet");
        assert!(!password.is("Demo") && !password.is("") && !password.is("demo "));
        assert!(!password.was("Demo"));
        assert!(password.is("demo") && password.was("demo") && !password.was("demo "));
        assert!(same_name("admin", "admin") && !same_name("admin", "admin2"));
    }
}
