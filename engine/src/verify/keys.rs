//! The keys that verify tokens: a JSON Web Key Set (RFC 7517).

use std::fmt;

use jsonwebtoken::DecodingKey;
use serde_json::{Map, Value};

use super::{crypto, roca};
use crate::json::{self, JsonError, quote};
use crate::token::{Algorithm, base64url};

/// The maximum length of a key set, in bytes: 1 MiB (D-19).
pub const MAX_KEY_SET_BYTES: usize = 1 << 20;

/// A public key that verifies signatures with exactly one algorithm.
#[derive(Debug, Clone)]
pub struct Key {
    kid: String,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Key {
    /// The key ID, which tokens name in their `kid`; never empty.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The only algorithm that the key is used with (D-19).
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Whether the signature is a valid signature of the input by this key.
    pub(super) fn verifies(&self, input: &[u8], signature: &Vec<u8>) -> bool {
        crypto::verify(
            jsonwebtoken_algorithm(self.algorithm),
            &self.key,
            input,
            signature,
        )
        .unwrap_or(false)
    }
}

/// A key of the set that is not used, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyProblem {
    /// The index in the set, from 0.
    pub index: usize,
    /// Its `kid`, if it has one.
    pub kid: Option<String>,
    /// The stable code of the problem.
    pub code: &'static str,
    /// The problem as a sentence, without the key's ID.
    pub message: String,
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kid {
            Some(kid) => write!(f, "the key {} is not used: {}", quote(kid), self.message),
            None => write!(
                f,
                "the key at index {} is not used: {}",
                self.index, self.message
            ),
        }
    }
}

/// Why a text is not a usable key set.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KeySetError {
    /// The text is longer than [`MAX_KEY_SET_BYTES`]; its length.
    TooLong(usize),
    /// The text is a key or certificate in PEM.
    Pem,
    /// The text is not strict JSON.
    Json(JsonError),
    /// The text is the discovery document, which only contains the URL of the keys; that URL.
    DiscoveryDocument(String),
    /// The text is JSON, but neither a key set nor a key.
    NotAKeySet,
    /// No key can be used; the problem of each.
    NoUsableKey(Vec<KeyProblem>),
}

codes! {
    pub KeySetError {
        Self::TooLong(_) => "key_set_too_long",
        Self::Pem => "key_set_pem",
        Self::DiscoveryDocument(_) => "discovery_document",
        Self::NotAKeySet => "key_set_invalid",
        Self::NoUsableKey(_) => "no_usable_key",
    } of {
        Self::Json(error) => error: JsonError,
    }
}

impl KeySetError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::TooLong(_) | Self::NotAKeySet | Self::Pem => {
                "give the JSON that the identity provider serves at its `jwks_uri`: `{\"keys\": [...]}`"
            }
            Self::Json(error) => error.hint(),
            Self::DiscoveryDocument(_) => "use the keys from that URL",
            Self::NoUsableKey(_) => {
                "a usable key has a `kid`, and is RSA with at least 2048 bits, EC on P-256 or P-384, or Ed25519"
            }
        }
    }
}

impl fmt::Display for KeySetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(bytes) => write!(
                f,
                "the key set has {bytes} bytes, more than {MAX_KEY_SET_BYTES}"
            ),
            Self::Pem => f.write_str("the key set is PEM, not JSON"),
            Self::Json(error) => write!(f, "the key set: {error}"),
            Self::DiscoveryDocument(address) => {
                write!(
                    f,
                    "this is the discovery document; the keys are at {}",
                    quote(address)
                )
            }
            Self::NotAKeySet => f.write_str("the JSON is neither a key set nor a key"),
            Self::NoUsableKey(problems) => match problems.as_slice() {
                [] => f.write_str("the key set is empty"),
                [problem] => write!(f, "no usable key: {problem}"),
                [first, rest @ ..] => write!(f, "no usable key: {first} (and {} more)", rest.len()),
            },
        }
    }
}

impl std::error::Error for KeySetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Json(error) = self {
            Some(error)
        } else {
            None
        }
    }
}

/// The usable keys of a JSON Web Key Set, and the problems of the others.
#[derive(Debug, Clone)]
pub struct KeySet {
    keys: Vec<Key>,
    problems: Vec<KeyProblem>,
}

impl KeySet {
    /// Parses a key set, or a single key, of at most [`MAX_KEY_SET_BYTES`].
    ///
    /// A key that cannot be used (encryption keys, shared secrets, unknown curves, RSA below 2048
    /// bits, no `kid`, published private part, ...) is skipped and listed in
    /// [`problems`](Self::problems). The other keys stay usable if the provider adds such a key.
    ///
    /// # Errors
    /// The text is not strict JSON, is not a key set, or has no usable key.
    ///
    /// ```
    /// use gbac_engine::KeySet;
    ///
    /// // The public key of RFC 8037, appendix A.
    /// let keys = KeySet::parse(
    ///     r#"{ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "2026-01",
    ///                     "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
    ///                   { "kty": "oct", "kid": "shared", "k": "AAAA" }] }"#,
    /// )?;
    /// assert!(keys.contains("2026-01"));
    /// assert_eq!(keys.problems().len(), 1);
    /// # Ok::<(), gbac_engine::verify::KeySetError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, KeySetError> {
        if text.len() > MAX_KEY_SET_BYTES {
            return Err(KeySetError::TooLong(text.len()));
        }
        if text.trim_start().starts_with("-----BEGIN") {
            return Err(KeySetError::Pem);
        }
        let Value::Object(set) = json::parse(text).map_err(KeySetError::Json)? else {
            return Err(KeySetError::NotAKeySet);
        };
        match (set.get("keys"), set.get("jwks_uri")) {
            (Some(Value::Array(entries)), _) => Self::from_entries(entries.iter()),
            (None, Some(Value::String(address))) => {
                Err(KeySetError::DiscoveryDocument(address.clone()))
            }
            (None, None) if set.contains_key("kty") => {
                Self::from_entries([&Value::Object(set)].into_iter())
            }
            _ => Err(KeySetError::NotAKeySet),
        }
    }

    fn from_entries<'v>(entries: impl Iterator<Item = &'v Value>) -> Result<Self, KeySetError> {
        let mut set = Self {
            keys: Vec::new(),
            problems: Vec::new(),
        };
        for (index, entry) in entries.enumerate() {
            let kid = entry.get("kid").and_then(Value::as_str).map(str::to_owned);
            match set.read(entry) {
                Ok(key) => set.keys.push(key),
                Err(Unusable { code, message }) => set.problems.push(KeyProblem {
                    index,
                    kid,
                    code,
                    message,
                }),
            }
        }
        if set.keys.is_empty() {
            Err(KeySetError::NoUsableKey(set.problems))
        } else {
            Ok(set)
        }
    }

    fn read(&self, entry: &Value) -> Result<Key, Unusable> {
        let members = entry
            .as_object()
            .ok_or_else(|| unusable("key_invalid", "it is not a JSON object"))?;
        check_purpose(members)?;
        let (algorithms, key) = public_key(members)?;
        let algorithm = pinned_algorithm(members, algorithms)?;
        crypto::check_key(jsonwebtoken_algorithm(algorithm), &key).map_err(|error| {
            unusable(
                "key_invalid",
                &format!("the key itself is refused ({error})"),
            )
        })?;
        let kid = match members.get("kid") {
            Some(Value::String(kid)) if !kid.is_empty() => kid.clone(),
            None | Some(Value::String(_)) => {
                return Err(unusable(
                    "key_without_kid",
                    "it has no `kid`, so no token can name it",
                ));
            }
            Some(_) => return Err(unusable("key_invalid", "its `kid` is not a string")),
        };
        if self
            .keys
            .iter()
            .any(|other| other.kid == kid && other.algorithm == algorithm)
        {
            let message =
                "an earlier key has the same `kid` and algorithm, and only that one is used";
            return Err(unusable("duplicate_kid", message));
        }
        Ok(Key {
            kid,
            algorithm,
            key,
        })
    }

    /// The usable keys, in the order of the set; never empty.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The keys that are not used, with the reasons, in the order of the set.
    #[must_use]
    pub fn problems(&self) -> &[KeyProblem] {
        &self.problems
    }

    /// Whether a usable key has this ID. If not, the key set may be out of date.
    #[must_use]
    pub fn contains(&self, kid: &str) -> bool {
        self.keys.iter().any(|key| key.kid == kid)
    }
}

struct Unusable {
    code: &'static str,
    message: String,
}

fn unusable(code: &'static str, message: &str) -> Unusable {
    Unusable {
        code,
        message: message.to_owned(),
    }
}

/// Checks that the key is for verification (`use`, `key_ops`) and has no private part (RFC 7517
/// sections 4.2 and 4.3).
fn check_purpose(members: &Map<String, Value>) -> Result<(), Unusable> {
    if members.get("kty").and_then(Value::as_str) == Some("oct") {
        return Err(unusable(
            "shared_secret",
            "it is a shared secret, and whoever can check one can forge with it",
        ));
    }
    if ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        .iter()
        .any(|private| members.contains_key(*private))
    {
        let message = "it holds the private part: everybody who reads this set can sign with it";
        return Err(unusable("private_key", message));
    }
    match members.get("use") {
        None => {}
        Some(Value::String(purpose)) if purpose == "sig" => {}
        Some(_) => return Err(unusable("key_use", "its `use` is not `sig`")),
    }
    let operations = match members.get("key_ops") {
        None => return Ok(()),
        Some(Value::Array(operations)) => operations,
        Some(_) => return Err(unusable("key_ops", "its `key_ops` is not an array")),
    };
    if operations.iter().any(|operation| operation == "verify") {
        Ok(())
    } else {
        Err(unusable("key_ops", "its `key_ops` do not allow `verify`"))
    }
}

/// The key, and the algorithms that its type allows. The first is the default for a key without
/// `alg` (D-19).
fn public_key(
    members: &Map<String, Value>,
) -> Result<(&'static [Algorithm], DecodingKey), Unusable> {
    use Algorithm::{EdDsa, Es256, Es384, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    match (text("kty"), text("crv")) {
        (Some("RSA"), _) => {
            let modulus = bytes(members, "n")?;
            if roca::is_vulnerable(&modulus) {
                let message = "everybody can compute its private part (CVE-2017-15361); replace the key at the provider";
                return Err(unusable("key_weak", message));
            }
            let key = DecodingKey::from_rsa_raw_components(&modulus, &bytes(members, "e")?);
            Ok((&[Rs256, Rs384, Rs512, Ps256, Ps384, Ps512], key))
        }
        (Some("EC"), Some("P-256")) => Ok((&[Es256], ec_key(members, 32)?)),
        (Some("EC"), Some("P-384")) => Ok((&[Es384], ec_key(members, 48)?)),
        (Some("OKP"), Some("Ed25519")) => {
            Ok((&[EdDsa], DecodingKey::from_ed_der(&bytes(members, "x")?)))
        }
        (Some("EC" | "OKP"), Some(curve)) => Err(unusable(
            "key_unsupported",
            &format!("the curve {} is not supported", quote(curve)),
        )),
        (Some("EC" | "OKP"), None) => Err(unusable("key_invalid", "it has no curve (`crv`)")),
        (Some(kty), _) => Err(unusable(
            "key_unsupported",
            &format!("the type {} is not supported", quote(kty)),
        )),
        (None, _) => Err(unusable("key_invalid", "it has no type (`kty`)")),
    }
}

/// The key's `alg`, or the default for its type.
fn pinned_algorithm(
    members: &Map<String, Value>,
    allowed: &[Algorithm],
) -> Result<Algorithm, Unusable> {
    let alg = match (members.get("alg"), allowed) {
        (None, [default, ..]) => return Ok(*default),
        (Some(Value::String(alg)), _) => alg,
        _ => return Err(unusable("key_invalid", "its `alg` is not a string")),
    };
    Algorithm::parse(alg)
        .filter(|algorithm| allowed.contains(algorithm))
        .ok_or_else(|| {
            unusable(
                "key_algorithm",
                &format!(
                    "its algorithm {} is not one that is accepted for its type",
                    quote(alg)
                ),
            )
        })
}

/// Reads an elliptic-curve key: an uncompressed point (SEC 1 section 2.3.3) with coordinates of
/// full length (RFC 7518 section 6.2.1).
fn ec_key(members: &Map<String, Value>, length: usize) -> Result<DecodingKey, Unusable> {
    let mut point = vec![4];
    for coordinate in ["x", "y"] {
        let bytes = bytes(members, coordinate)?;
        if bytes.len() != length {
            return Err(unusable(
                "key_invalid",
                &format!("its `{coordinate}` is not {length} bytes long"),
            ));
        }
        point.extend(bytes);
    }
    Ok(DecodingKey::from_ec_der(&point))
}

fn bytes(members: &Map<String, Value>, name: &str) -> Result<Vec<u8>, Unusable> {
    let encoded = members.get(name).and_then(Value::as_str);
    encoded
        .and_then(|encoded| base64url::decode_strict(encoded).ok())
        .filter(|bytes| !bytes.is_empty())
        .ok_or_else(|| {
            unusable(
                "key_invalid",
                &format!("its `{name}` is missing, or is not base64url"),
            )
        })
}

/// The algorithm as a value of jsonwebtoken.
const fn jsonwebtoken_algorithm(algorithm: Algorithm) -> jsonwebtoken::Algorithm {
    match algorithm {
        Algorithm::Rs256 => jsonwebtoken::Algorithm::RS256,
        Algorithm::Rs384 => jsonwebtoken::Algorithm::RS384,
        Algorithm::Rs512 => jsonwebtoken::Algorithm::RS512,
        Algorithm::Ps256 => jsonwebtoken::Algorithm::PS256,
        Algorithm::Ps384 => jsonwebtoken::Algorithm::PS384,
        Algorithm::Ps512 => jsonwebtoken::Algorithm::PS512,
        Algorithm::Es256 => jsonwebtoken::Algorithm::ES256,
        Algorithm::Es384 => jsonwebtoken::Algorithm::ES384,
        Algorithm::EdDsa => jsonwebtoken::Algorithm::EdDSA,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    const N: &str = "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw";
    /// RFC 8037 appendix A.2.
    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    fn good() -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "kid": "good", "x": X})
    }

    /// Reads a valid RSA key with some members changed, or removed by `null`.
    fn rsa(changes: &Value) -> Result<Algorithm, KeyProblem> {
        let mut key = json!({"kty": "RSA", "kid": "k", "n": N, "e": "AQAB"});
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                key.as_object_mut().unwrap().remove(name);
            } else {
                key[name] = value.clone();
            }
        }
        other(&key)
    }

    /// Reads a key that follows a valid one.
    fn other(key: &Value) -> Result<Algorithm, KeyProblem> {
        let set = KeySet::parse(&json!({"keys": [good(), key]}).to_string()).unwrap();
        match (set.keys(), set.problems()) {
            ([_, key], []) => Ok(key.algorithm()),
            ([_], [problem]) => {
                assert_eq!(problem.index, 1);
                assert!(!problem.to_string().ends_with('.'));
                Err(problem.clone())
            }
            result => panic!("{result:?}"),
        }
    }

    fn code(result: Result<Algorithm, KeyProblem>) -> &'static str {
        result.unwrap_err().code
    }

    fn modulus(bytes: usize) -> Value {
        json!(URL_SAFE_NO_PAD.encode(vec![0xff; bytes]))
    }

    #[test]
    fn the_algorithm_is_that_of_the_key() {
        assert_eq!(rsa(&json!({})).unwrap(), Algorithm::Rs256);
        assert_eq!(rsa(&json!({"alg": "PS512"})).unwrap(), Algorithm::Ps512);
        assert_eq!(code(rsa(&json!({"alg": "ES256"}))), "key_algorithm");
        assert_eq!(code(rsa(&json!({"alg": "RSA-OAEP"}))), "key_algorithm");
        assert_eq!(code(rsa(&json!({"alg": "none"}))), "key_algorithm");
        assert_eq!(code(rsa(&json!({"alg": 256}))), "key_invalid");
        for alg in ["EdDSA", "Ed25519"] {
            assert_eq!(
                other(&json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": X, "alg": alg}))
                    .unwrap(),
                Algorithm::EdDsa
            );
        }
    }

    #[test]
    fn purpose_and_private_parts_are_checked() {
        assert!(rsa(&json!({"use": "sig", "key_ops": ["sign", "verify"]})).is_ok());
        assert_eq!(code(rsa(&json!({"use": "enc"}))), "key_use");
        assert_eq!(code(rsa(&json!({"use": ["sig"]}))), "key_use");
        assert_eq!(code(rsa(&json!({"key_ops": ["encrypt"]}))), "key_ops");
        assert_eq!(code(rsa(&json!({"key_ops": []}))), "key_ops");
        assert_eq!(code(rsa(&json!({"key_ops": "verify"}))), "key_ops");
        assert_eq!(code(rsa(&json!({"d": "AA"}))), "private_key");
        assert_eq!(
            code(other(&json!({"kty": "oct", "kid": "k", "k": "AA"}))),
            "shared_secret"
        );
    }

    #[test]
    fn weak_and_invalid_keys_are_skipped() {
        assert_eq!(code(rsa(&json!({"n": modulus(128)}))), "key_invalid");
        assert_eq!(code(rsa(&json!({"n": modulus(255)}))), "key_invalid");
        assert!(rsa(&json!({"n": modulus(256)})).is_ok());
        assert!(rsa(&json!({"n": modulus(1024)})).is_ok());
        assert_eq!(code(rsa(&json!({"n": modulus(1025)}))), "key_invalid");
        // 65537^128 has the size of a key of 2048 bits and the form of the keys in CVE-2017-15361.
        let power = rsa::BigUint::from(65_537_u32)
            .modpow(&128_u32.into(), &(rsa::BigUint::from(1_u32) << 4_096));
        assert_eq!(
            code(rsa(
                &json!({"n": URL_SAFE_NO_PAD.encode(power.to_bytes_be())})
            )),
            "key_weak"
        );
        // Leading zeros do not count as length.
        let padded = URL_SAFE_NO_PAD.encode([vec![0; 200], vec![0xff; 128]].concat());
        assert_eq!(code(rsa(&json!({"n": padded}))), "key_invalid");
        assert!(
            rsa(&json!({"n": format!("AA{N}")})).is_err() && rsa(&json!({"e": "AAEAAQ"})).is_ok()
        );
        for e in ["AQ", "Ag", "AA", "", "AQAA", "____________"] {
            assert_eq!(code(rsa(&json!({"e": e}))), "key_invalid", "{e}");
        }
        assert_eq!(code(rsa(&json!({"n": null}))), "key_invalid");
        assert_eq!(code(rsa(&json!({"n": format!("{N}==")}))), "key_invalid");
        assert_eq!(code(rsa(&json!({"kty": null}))), "key_invalid");
        assert_eq!(code(rsa(&json!({"kty": "rsa"}))), "key_unsupported");
        assert_eq!(code(other(&json!("key"))), "key_invalid");

        let ec = |crv: &str, x: &str, y: &str| {
            code(other(
                &json!({"kty": "EC", "crv": crv, "kid": "k", "x": x, "y": y}),
            ))
        };
        // RFC 7515 appendix A.3, and a point off the curve.
        let (x, y) = (
            "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        );
        assert!(other(&json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": x, "y": y})).is_ok());
        assert_eq!(ec("P-256", y, x), "key_invalid");
        assert_eq!(ec("P-256", "AA", y), "key_invalid");
        assert_eq!(ec("P-384", x, y), "key_invalid");
        assert_eq!(ec("P-521", x, y), "key_unsupported");
        assert_eq!(ec("secp256k1", x, y), "key_unsupported");
        assert_eq!(
            code(other(&json!({"kty": "EC", "kid": "k", "x": x, "y": y}))),
            "key_invalid"
        );

        let ed = |crv: &str, x: &str| {
            code(other(
                &json!({"kty": "OKP", "crv": crv, "kid": "k", "x": x}),
            ))
        };
        assert_eq!(ed("Ed448", X), "key_unsupported");
        assert_eq!(ed("X25519", X), "key_unsupported");
        assert_eq!(ed("Ed25519", "AAAA"), "key_invalid");
        // The neutral element, which has a small order.
        assert_eq!(
            ed(
                "Ed25519",
                &URL_SAFE_NO_PAD.encode([[1].as_slice(), &[0; 31]].concat())
            ),
            "key_invalid"
        );
    }

    #[test]
    fn keys_need_an_id_and_are_distinguished_by_it() {
        assert_eq!(code(rsa(&json!({"kid": null}))), "key_without_kid");
        assert_eq!(code(rsa(&json!({"kid": ""}))), "key_without_kid");
        assert_eq!(code(rsa(&json!({"kid": 7}))), "key_invalid");
        // Keys with the same ID are different if their algorithms are; otherwise, the first is
        // used.
        assert!(rsa(&json!({"kid": "good"})).is_ok());
        assert_eq!(code(other(&good())), "duplicate_kid");
        let set = KeySet::parse(&good().to_string()).unwrap();
        assert!(set.contains("good") && !set.contains("Good"));
        assert_eq!(
            set.keys().iter().map(Key::kid).collect::<Vec<_>>(),
            ["good"]
        );
    }

    #[test]
    fn texts_that_are_not_key_sets_are_refused() {
        let pem = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
        let long = " ".repeat(MAX_KEY_SET_BYTES + 1);
        let twice = format!(r#"{{"keys":[{}],"keys":[]}}"#, good());
        for (text, code) in [
            (pem, "key_set_pem"),
            (&long, "key_set_too_long"),
            (&twice, "duplicate_member"),
            ("", "json_unfinished"),
            ("[]", "key_set_invalid"),
            ("{}", "key_set_invalid"),
            (r#"{"keys":{}}"#, "key_set_invalid"),
            (
                r#"{"issuer":"i","jwks_uri":"https://idp.example/keys"}"#,
                "discovery_document",
            ),
            (r#"{"keys":[]}"#, "no_usable_key"),
            (r#"{"keys":[{"kty":"oct","k":"AA"},1]}"#, "no_usable_key"),
            (r#"{"kty":"oct","k":"AA"}"#, "no_usable_key"),
        ] {
            let error = KeySet::parse(text).unwrap_err();
            assert_eq!(error.code(), code, "{text}");
            assert!(!error.to_string().ends_with('.') && !error.hint().is_empty());
        }
        let error = KeySet::parse(r#"{"keys":[{"kty":"RSA","kid":"old","n":"AQAB","e":"AQAB"}]}"#)
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("no usable key: the key `old` is not used: "),
            "{error}"
        );
    }

    #[test]
    fn key_sets_can_be_shared_between_threads() {
        fn shared<T: Send + Sync + Clone + 'static>() {}
        shared::<KeySet>();
    }
}
