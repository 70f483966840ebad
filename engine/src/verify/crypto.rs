//! Verifies signatures: a `CryptoProvider` for jsonwebtoken that cannot sign.
//!
//! The provider is used directly and never installed for the process, because the engine has no
//! global state.

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
/// The largest RSA modulus, in bits. Larger ones are slow and not more secure in practice.
pub(super) const MAX_RSA_BITS: usize = 8192;

/// Verifies RS, PS, ES and EdDSA. Signing, HMAC and all operations with private keys return an
/// error.
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

/// Whether `signature` is a valid signature of `input` by the key.
///
/// # Errors
/// The key is not valid, or is for another family of algorithms.
pub(super) fn verify(
    algorithm: Algorithm,
    key: &DecodingKey,
    input: &[u8],
    signature: &Vec<u8>,
) -> Result<bool> {
    let verifier = (PROVIDER.verifier_factory)(&algorithm, key)?;
    Ok(verifier.verify(input, signature).is_ok())
}

/// Checks that the key can be used with the algorithm.
///
/// # Errors
/// The key is not valid for the algorithm.
pub(super) fn check_key(algorithm: Algorithm, key: &DecodingKey) -> Result<()> {
    (PROVIDER.verifier_factory)(&algorithm, key).map(|_| ())
}

fn unsupported() -> Error {
    new_error(ErrorKind::Provider(
        "this provider only verifies".to_owned(),
    ))
}

fn signer_factory(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(unsupported())
}

fn verifier_factory(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let algorithm = *algorithm;
    if algorithm.family() != key.family() {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    // These `VerifyingKey` types check that the signature is below the modulus; `Pss` alone does
    // not.
    Ok(match algorithm {
        Algorithm::RS256 => Check::boxed(
            algorithm,
            pkcs1v15::VerifyingKey::<Sha256>::new(rsa_key(key)?),
        ),
        Algorithm::RS384 => Check::boxed(
            algorithm,
            pkcs1v15::VerifyingKey::<Sha384>::new(rsa_key(key)?),
        ),
        Algorithm::RS512 => Check::boxed(
            algorithm,
            pkcs1v15::VerifyingKey::<Sha512>::new(rsa_key(key)?),
        ),
        // The salt is as long as the hash (RFC 7518 section 3.5).
        Algorithm::PS256 => {
            Check::boxed(algorithm, pss::VerifyingKey::<Sha256>::new(rsa_key(key)?))
        }
        Algorithm::PS384 => {
            Check::boxed(algorithm, pss::VerifyingKey::<Sha384>::new(rsa_key(key)?))
        }
        Algorithm::PS512 => {
            Check::boxed(algorithm, pss::VerifyingKey::<Sha512>::new(rsa_key(key)?))
        }
        // Signatures are the fixed-width `r || s` (RFC 7518 section 3.4), not DER.
        Algorithm::ES256 => {
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(key.try_get_as_bytes()?);
            Check::<_, p256::ecdsa::Signature>::boxed(
                algorithm,
                key.map_err(|_| ErrorKind::InvalidEcdsaKey)?,
            )
        }
        Algorithm::ES384 => {
            let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(key.try_get_as_bytes()?);
            Check::<_, p384::ecdsa::Signature>::boxed(
                algorithm,
                key.map_err(|_| ErrorKind::InvalidEcdsaKey)?,
            )
        }
        Algorithm::EdDSA => Check::boxed(algorithm, Ed25519(ed25519_key(key)?)),
        _ => return Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    })
}

fn rsa_key(key: &DecodingKey) -> Result<RsaPublicKey> {
    let DecodingKeyKind::RsaModulusExponent { n, e } = key.kind() else {
        return Err(new_error(ErrorKind::InvalidKeyFormat));
    };
    let refuse = |message: String| new_error(ErrorKind::InvalidRsaKey(message));
    let key = RsaPublicKey::new_with_max_size(
        BigUint::from_bytes_be(n),
        BigUint::from_bytes_be(e),
        MAX_RSA_BITS,
    )
    .map_err(|error| refuse(error.to_string()))?;
    let bits = key.n().bits();
    if bits < MIN_RSA_BITS {
        return Err(refuse(format!("{bits} bits, fewer than {MIN_RSA_BITS}")));
    }
    Ok(key)
}

fn ed25519_key(key: &DecodingKey) -> Result<ed25519_dalek::VerifyingKey> {
    let bytes = key
        .try_get_as_bytes()?
        .try_into()
        .map_err(|_| ErrorKind::InvalidEddsaKey)?;
    let key =
        ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| ErrorKind::InvalidEddsaKey)?;
    // A key of small order accepts one signature for many messages.
    if key.is_weak() {
        Err(new_error(ErrorKind::InvalidEddsaKey))
    } else {
        Ok(key)
    }
}

/// A key with the type of its signatures.
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
        Box::new(Self {
            algorithm,
            key,
            signature: PhantomData,
        })
    }
}

impl<K, S> Verifier<Vec<u8>> for Check<K, S>
where
    K: Verifier<S>,
    S: for<'s> TryFrom<&'s [u8]>,
{
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
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

/// Ed25519 with the strict rules (no points of small order), which leave no room for different
/// results between programs.
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

/// A source of random numbers that always fails. Dependencies require one to build for browsers,
/// but verification needs no random numbers.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn no_random(_: &mut [u8]) -> std::result::Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
getrandom::register_custom_getrandom!(no_random);

#[cfg(test)]
mod tests {
    //! The examples in RFCs: signatures by other programs.
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    /// RFC 7520 section 3.3.
    const N: &str = "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw";
    /// RFC 7520 sections 4.1 and 4.2.
    const PAYLOAD: &str = "SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4";

    fn rsa() -> DecodingKey {
        DecodingKey::from_rsa_components(N, "AQAB").unwrap()
    }

    /// Whether the signature is valid. Also checks that a changed text and a changed signature are
    /// not.
    fn verifies(
        algorithm: Algorithm,
        key: &DecodingKey,
        header: &str,
        payload: &str,
        signature: &str,
    ) -> bool {
        let mut signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let input = format!("{header}.{payload}");
        let is_valid = verify(algorithm, key, input.as_bytes(), &signature).unwrap();
        assert!(!verify(algorithm, key, format!("{input}A").as_bytes(), &signature).unwrap());
        signature[20] ^= 4;
        assert!(!verify(algorithm, key, input.as_bytes(), &signature).unwrap());
        is_valid
    }

    #[test]
    fn rfc_7520_rsa_signatures() {
        let header = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9";
        let rs256 = "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg";
        assert!(verifies(Algorithm::RS256, &rsa(), header, PAYLOAD, rs256));
        assert!(!verifies(Algorithm::RS512, &rsa(), header, PAYLOAD, rs256));
        assert!(!verifies(Algorithm::PS256, &rsa(), header, PAYLOAD, rs256));
        let header = "eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9";
        let ps384 = "cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw";
        assert!(verifies(Algorithm::PS384, &rsa(), header, PAYLOAD, ps384));
        assert!(!verifies(Algorithm::PS256, &rsa(), header, PAYLOAD, ps384));
    }

    #[test]
    fn rfc_7515_a_3_es256() {
        let key = DecodingKey::from_ec_components(
            "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        );
        let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
        assert!(verifies(
            Algorithm::ES256,
            &key.unwrap(),
            "eyJhbGciOiJFUzI1NiJ9",
            payload,
            signature
        ));
    }

    #[test]
    fn rfc_8037_a_4_ed25519() {
        let key =
            DecodingKey::from_ed_components("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let payload = "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        assert!(verifies(
            Algorithm::EdDSA,
            &key,
            "eyJhbGciOiJFZERTQSJ9",
            payload,
            signature
        ));
    }

    #[test]
    fn keys_of_another_family_and_secrets_are_errors() {
        let secret = DecodingKey::from_secret(b"secret");
        for algorithm in [
            Algorithm::HS256,
            Algorithm::RS256,
            Algorithm::ES256,
            Algorithm::EdDSA,
        ] {
            assert!(check_key(algorithm, &secret).is_err());
        }
        assert!(check_key(Algorithm::HS256, &rsa()).is_err());
        assert!(check_key(Algorithm::ES256, &rsa()).is_err());
        // Keys in DER are refused too, because all keys come from key sets.
        assert!(check_key(Algorithm::RS256, &DecodingKey::from_rsa_der(b"0")).is_err());
    }

    #[test]
    fn the_provider_signs_nothing() {
        let key = EncodingKey::from_secret(b"secret");
        assert!((PROVIDER.signer_factory)(&Algorithm::HS256, &key).is_err());
        let utilities = &PROVIDER.key_utils;
        assert!((utilities.rsa_pub_components_from_private_key)(b"").is_err());
        assert!((utilities.rsa_pub_components_from_public_key)(b"").is_err());
        assert!((utilities.ec_pub_components_from_private_key)(b"", Algorithm::ES256).is_err());
        assert!(
            (utilities.ed_pub_components_from_private_key)(
                b"",
                &jsonwebtoken::jwk::EllipticCurve::Ed25519
            )
            .is_err()
        );
        assert!(
            (utilities.compute_digest)(b"", jsonwebtoken::jwk::ThumbprintHash::SHA256).is_err()
        );
    }
}
