//! The signature checks: a `CryptoProvider` for jsonwebtoken that verifies and cannot sign.
//!
//! Handed over as a value where it is used, never installed for the process: the engine has no globals.

use std::marker::PhantomData;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, Result, new_error};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, RsaPublicKey, pkcs1v15, pss};
use sha2::{Sha256, Sha384, Sha512};

/// The smallest RSA modulus, in bits (RFC 7518 section 3.3).
pub(super) const MIN_RSA_BITS: usize = 2048;
/// The largest RSA modulus, in bits: a larger one only costs time.
pub(super) const MAX_RSA_BITS: usize = 8192;

/// Verifies RS, PS, ES and EdDSA; signing, HMAC and everything about private keys answer an error.
pub(super) static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory,
    verifier_factory,
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| Err(unsupported()),
        rsa_pub_components_from_public_key: |_| Err(unsupported()),
        ec_pub_components_from_private_key: |_, _| Err(unsupported()),
        ed_pub_components_from_private_key: |_, _| Err(unsupported()),
        compute_digest: |_, _| Err(unsupported()),
    },
};

/// Whether `signature` is the key's over `input`.
///
/// # Errors
/// A key that is none, or of another family than the algorithm.
pub(super) fn verify(algorithm: Algorithm, key: &DecodingKey, input: &str, signature: &Vec<u8>) -> Result<bool> {
    let verifier = (PROVIDER.verifier_factory)(&algorithm, key)?;
    Ok(verifier.verify(input.as_bytes(), signature).is_ok())
}

/// Whether the key can be used with the algorithm at all.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_key(algorithm: Algorithm, key: &DecodingKey) -> Result<()> {
    (PROVIDER.verifier_factory)(&algorithm, key).map(|_| ())
}

fn unsupported() -> Error {
    new_error(ErrorKind::Provider("this provider only verifies".to_owned()))
}

fn signer_factory(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(unsupported())
}

fn verifier_factory(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let algorithm = *algorithm;
    if algorithm.family() != key.family() {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    // The keys of the RSA schemes check that the signature is below the modulus; `Pss` on its own does not.
    Ok(match algorithm {
        Algorithm::RS256 => Check::boxed(algorithm, pkcs1v15::VerifyingKey::<Sha256>::new(rsa_key(key)?)),
        Algorithm::RS384 => Check::boxed(algorithm, pkcs1v15::VerifyingKey::<Sha384>::new(rsa_key(key)?)),
        Algorithm::RS512 => Check::boxed(algorithm, pkcs1v15::VerifyingKey::<Sha512>::new(rsa_key(key)?)),
        // The salt is as long as the hash (RFC 7518 section 3.5).
        Algorithm::PS256 => Check::boxed(algorithm, pss::VerifyingKey::<Sha256>::new(rsa_key(key)?)),
        Algorithm::PS384 => Check::boxed(algorithm, pss::VerifyingKey::<Sha384>::new(rsa_key(key)?)),
        Algorithm::PS512 => Check::boxed(algorithm, pss::VerifyingKey::<Sha512>::new(rsa_key(key)?)),
        // Signatures are the fixed-width `r || s` (RFC 7518 section 3.4), not DER.
        Algorithm::ES256 => {
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(key.try_get_as_bytes()?);
            Check::<_, p256::ecdsa::Signature>::boxed(algorithm, key.map_err(|_| ErrorKind::InvalidEcdsaKey)?)
        }
        Algorithm::ES384 => {
            let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(key.try_get_as_bytes()?);
            Check::<_, p384::ecdsa::Signature>::boxed(algorithm, key.map_err(|_| ErrorKind::InvalidEcdsaKey)?)
        }
        Algorithm::EdDSA => Check::boxed(algorithm, Ed25519(ed25519_key(key)?)),
        _ => return Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    })
}

fn rsa_key(key: &DecodingKey) -> Result<RsaPublicKey> {
    let DecodingKeyKind::RsaModulusExponent { n, e } = key.kind() else {
        return Err(new_error(ErrorKind::InvalidKeyFormat));
    };
    let refuse = |why: String| new_error(ErrorKind::InvalidRsaKey(why));
    let key = RsaPublicKey::new_with_max_size(BigUint::from_bytes_be(n), BigUint::from_bytes_be(e), MAX_RSA_BITS)
        .map_err(|error| refuse(error.to_string()))?;
    let bits = key.n().bits();
    if bits < MIN_RSA_BITS {
        return Err(refuse(format!("{bits} bits, fewer than {MIN_RSA_BITS}")));
    }
    Ok(key)
}

fn ed25519_key(key: &DecodingKey) -> Result<ed25519_dalek::VerifyingKey> {
    let bytes = key.try_get_as_bytes()?.try_into().map_err(|_| ErrorKind::InvalidEddsaKey)?;
    let key = ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| ErrorKind::InvalidEddsaKey)?;
    // A key of small order accepts one signature for many messages.
    if key.is_weak() { Err(new_error(ErrorKind::InvalidEddsaKey)) } else { Ok(key) }
}

/// A key with the form of its signatures.
struct Check<K, S> {
    algorithm: Algorithm,
    key: K,
    signature: PhantomData<S>,
}

impl<K, S> Check<K, S>
where
    K: Verifier<S> + 'static,
    S: for<'s> TryFrom<&'s [u8]> + 'static,
{
    fn boxed(algorithm: Algorithm, key: K) -> Box<dyn JwtVerifier> {
        Box::new(Self { algorithm, key, signature: PhantomData })
    }
}

impl<K, S> Verifier<Vec<u8>> for Check<K, S>
where
    K: Verifier<S>,
    S: for<'s> TryFrom<&'s [u8]>,
{
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let signature = S::try_from(signature).map_err(|_| signature::Error::new())?;
        self.key.verify(message, &signature)
    }
}

impl<K, S> JwtVerifier for Check<K, S>
where
    K: Verifier<S>,
    S: for<'s> TryFrom<&'s [u8]>,
{
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// Ed25519 by the strict rules (no points of small order), so that every checker agrees on what is valid.
struct Ed25519(ed25519_dalek::VerifyingKey);

impl Verifier<ed25519_dalek::Signature> for Ed25519 {
    fn verify(
        &self,
        message: &[u8],
        signature: &ed25519_dalek::Signature,
    ) -> std::result::Result<(), signature::Error> {
        self.0.verify_strict(message, signature)
    }
}

/// In a browser module nobody draws random numbers: checking a signature needs none, and this provider does not sign.
/// The crates beneath only build with a source named, so this one refuses.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn no_random(_: &mut [u8]) -> std::result::Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
getrandom::register_custom_getrandom!(no_random);
