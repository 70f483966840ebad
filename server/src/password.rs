//! A password that is kept as its argon2 hash and compared in constant time.

use std::io;
use std::sync::OnceLock;

use argon2::password_hash::{PasswordHashString, SaltString};
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::random;

/// One user's password, hashed.
pub(crate) struct Password {
    /// With its salt and argon2's parameters, as text (the PHC string format).
    hash: PasswordHashString,
    /// What keeps the quick digest from being looked up in a table.
    salt: [u8; 16],
    /// What a right password's quick digest is, once there was one: argon2 is slow on purpose, and a page asks often.
    seen: OnceLock<[u8; 32]>,
}

impl Password {
    /// Hashes a password with a new salt.
    ///
    /// # Errors
    /// There are no random numbers, or argon2 does not take the password.
    pub(crate) fn new(text: &str) -> io::Result<Self> {
        let refused = |_| io::Error::other("the password cannot be hashed");
        let salt = SaltString::encode_b64(&random::bytes::<16>()?).map_err(refused)?;
        let hash = Argon2::default().hash_password(text.as_bytes(), &salt).map_err(refused)?;
        Self::of(hash.serialize())
    }

    /// The password that [`Password::stored`] was written of.
    ///
    /// # Errors
    /// The text is no hash of argon2, or there are no random numbers.
    pub(crate) fn from_stored(text: &str) -> io::Result<Self> {
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "the stored password hash cannot be read");
        let hash = PasswordHashString::new(text).map_err(|_| broken())?;
        if hash.algorithm() != argon2::ARGON2ID_IDENT || hash.password_hash().hash.is_none() {
            return Err(broken());
        }
        Self::of(hash)
    }

    fn of(hash: PasswordHashString) -> io::Result<Self> {
        Ok(Self { hash, salt: random::bytes()?, seen: OnceLock::new() })
    }

    /// The hash with all that belongs to it, as text to be stored.
    pub(crate) fn stored(&self) -> &str {
        self.hash.as_str()
    }

    /// Whether this was a right password before; quick.
    pub(crate) fn was(&self, text: &str) -> bool {
        self.seen.get().is_some_and(|seen| bool::from(seen.ct_eq(&self.quick(text))))
    }

    /// Whether this is the password; takes argon2's time.
    pub(crate) fn is(&self, text: &str) -> bool {
        let right = Argon2::default().verify_password(text.as_bytes(), &self.hash.password_hash()).is_ok();
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

    #[test]
    fn a_stored_hash_is_the_same_password() {
        let stored = Password::new("s3cret").unwrap().stored().to_owned();
        assert!(stored.starts_with("$argon2id$v=19$m=") && !stored.contains("s3cret"), "{stored}");
        let read = Password::from_stored(&stored).unwrap();
        assert!(!read.was("s3cret") && !read.is("secret") && read.is("s3cret"));
        assert_eq!(read.stored(), stored);
        for broken in ["", "s3cret", "$argon2id$v=19$m=19456,t=2,p=1", "$pbkdf2$i=1$c2FsdHNhbHQ$aGFzaA"] {
            assert!(Password::from_stored(broken).is_err(), "{broken}");
        }
    }
}
