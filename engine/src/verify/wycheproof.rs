//! Checks signatures and keys with Wycheproof's test vectors, most of them forged or malformed.
//! [`DIFFERENCES`] lists the results that differ from Wycheproof's, with the reasons.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use wycheproof::{HashFunction, TestResult, ecdsa, eddsa, rsa_pkcs1_verify, rsa_pss_verify};

use super::KeySet;

/// The reasons for different results.
const DER: &str = "a signature of a JWS is the fixed-width r and s, not DER (RFC 7518 section 3.4)";
const NULL: &str = "PKCS #1 2.2 does not allow signers to omit the NULL parameter of the digest";
const SALT: &str = "the salt of a JWS is as long as the hash (RFC 7518 section 3.5)";
const SALT_OF_JWS: &str = "invalid only because the set requires an empty salt; JWS requires a salt as long as the hash, as in this signature";
const MASK: &str = "in a JWS, the mask uses the hash of the signature, and the salt has its length (RFC 7518 section 3.5)";

/// Different results: the test set, Wycheproof's result, the engine's result, the number of
/// signatures, and the reason.
const DIFFERENCES: &[(&str, &str, &str, usize, &str)] = &[
    ("EcdsaSecp256r1Sha256", "valid", "refused", 174, DER),
    ("EcdsaSecp384r1Sha384", "valid", "refused", 194, DER),
    ("Rsa2048Sha256", "acceptable", "refused", 1, NULL),
    ("Rsa2048Sha384", "acceptable", "refused", 1, NULL),
    ("Rsa2048Sha512", "acceptable", "refused", 1, NULL),
    ("Rsa3072Sha256", "acceptable", "refused", 1, NULL),
    ("Rsa3072Sha384", "acceptable", "refused", 1, NULL),
    ("Rsa3072Sha512", "acceptable", "refused", 1, NULL),
    ("Rsa4096Sha256", "acceptable", "refused", 1, NULL),
    ("Rsa4096Sha384", "acceptable", "refused", 1, NULL),
    ("Rsa4096Sha512", "acceptable", "refused", 1, NULL),
    ("Rsa8192Sha256", "acceptable", "refused", 1, NULL),
    ("Rsa8192Sha384", "acceptable", "refused", 1, NULL),
    ("Rsa8192Sha512", "acceptable", "refused", 1, NULL),
    (
        "RsaPss2048Sha256Mgf1SaltLen0",
        "invalid",
        "accepted",
        1,
        SALT_OF_JWS,
    ),
    ("RsaPss2048Sha256Mgf1SaltLen0", "valid", "refused", 61, SALT),
    (
        "RsaPss2048Sha256Mgf1SaltLen0WithParams",
        "invalid",
        "accepted",
        1,
        SALT_OF_JWS,
    ),
    (
        "RsaPss2048Sha256Mgf1SaltLen0WithParams",
        "valid",
        "refused",
        61,
        SALT,
    ),
    ("RsaPss2048Sha256Mgf1Sha1_20", "valid", "refused", 63, MASK),
    (
        "RsaPss2048Sha512Mgf1Sha256SaltLen32WithParams",
        "valid",
        "refused",
        132,
        MASK,
    ),
    (
        "RsaPss4096Sha512Mgf1SaltLen32",
        "valid",
        "refused",
        132,
        SALT,
    ),
    (
        "RsaPss4096Sha512Mgf1SaltLen32WithParams",
        "valid",
        "refused",
        132,
        SALT,
    ),
    ("RsaPssmisc", "valid", "refused", 87, MASK),
    ("RsaPssmiscWithParams", "valid", "refused", 87, MASK),
];

/// The number of compared signatures of each algorithm, so that the test fails if some are skipped.
const COMPARED: &[(&str, usize)] = &[
    ("ES256", 746),
    ("ES384", 784),
    ("EdDSA", 151),
    ("PS256", 914),
    ("PS384", 342),
    ("PS512", 950),
    ("RS256", 1034),
    ("RS384", 1035),
    ("RS512", 1037),
];

/// Counts compared signatures and different results.
#[derive(Default)]
struct Comparison {
    compared: BTreeMap<String, usize>,
    differences: BTreeMap<(String, &'static str, &'static str), usize>,
}

impl Comparison {
    /// Compares the results for the signatures of a key.
    fn compare<'v>(&mut self, set: &str, key: &Value, vectors: impl Iterator<Item = Vector<'v>>) {
        // A key that cannot be used accepts no signature.
        let keys = KeySet::parse(&key.to_string()).ok();
        for (message, signature, result) in vectors {
            *self
                .compared
                .entry(key["alg"].as_str().unwrap().to_owned())
                .or_default() += 1;
            let is_accepted = keys
                .as_ref()
                .is_some_and(|keys| keys.keys()[0].verifies(message, signature));
            let engine = if is_accepted { "accepted" } else { "refused" };
            let wycheproof = match result {
                TestResult::Valid => "valid",
                TestResult::Invalid => "invalid",
                TestResult::Acceptable => "acceptable",
            };
            if !matches!(
                (wycheproof, engine),
                ("valid", "accepted") | ("invalid", "refused")
            ) {
                *self
                    .differences
                    .entry((set.to_owned(), wycheproof, engine))
                    .or_default() += 1;
            }
        }
    }
}

/// A message, a signature and Wycheproof's result.
type Vector<'v> = (&'v Vec<u8>, &'v Vec<u8>, TestResult);

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa(alg: &str, modulus: &[u8], exponent: &[u8]) -> Value {
    json!({ "kty": "RSA", "kid": "k", "alg": alg, "n": encode(modulus), "e": encode(exponent) })
}

/// The name of the algorithm with this hash, such as `RS256`.
fn with_hash(family: &str, hash: HashFunction) -> Option<String> {
    let bits = match hash {
        HashFunction::Sha2_256 => 256,
        HashFunction::Sha2_384 => 384,
        HashFunction::Sha2_512 => 512,
        _ => return None,
    };
    Some(format!("{family}{bits}"))
}

#[test]
fn signatures_are_judged_as_wycheproof_judges_them() {
    let mut comparison = Comparison::default();
    for (name, alg, crv) in [
        (ecdsa::TestName::EcdsaSecp256r1Sha256P1363, "ES256", "P-256"),
        (ecdsa::TestName::EcdsaSecp384r1Sha384P1363, "ES384", "P-384"),
        (ecdsa::TestName::EcdsaSecp256r1Sha256, "ES256", "P-256"),
        (ecdsa::TestName::EcdsaSecp384r1Sha384, "ES384", "P-384"),
    ] {
        for group in ecdsa::TestSet::load(name).unwrap().test_groups {
            let (x, y) = group.key.key[1..].split_at((group.key.key.len() - 1) / 2);
            let key = json!({ "kty": "EC", "kid": "k", "alg": alg, "crv": crv, "x": encode(x), "y": encode(y) });
            let vectors = group
                .tests
                .iter()
                .map(|test| (&*test.msg, &*test.sig, test.result));
            comparison.compare(&format!("{name:?}"), &key, vectors);
        }
    }
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519)
        .unwrap()
        .test_groups
    {
        let key = json!({ "kty": "OKP", "kid": "k", "alg": "EdDSA", "crv": "Ed25519", "x": encode(&group.key.pk) });
        let vectors = group
            .tests
            .iter()
            .map(|test| (&*test.msg, &*test.sig, test.result));
        comparison.compare("Ed25519", &key, vectors);
    }
    for name in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(name).unwrap().test_groups {
            let Some(alg) = with_hash("RS", group.hash) else {
                continue;
            };
            let key = rsa(&alg, &group.key.n, &group.key.e);
            let vectors = group
                .tests
                .iter()
                .map(|test| (&*test.msg, &*test.sig, test.result));
            comparison.compare(&format!("{name:?}"), &key, vectors);
        }
    }
    for name in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let Some(alg) = with_hash("PS", group.hash) else {
                continue;
            };
            let key = rsa(&alg, &group.key.n, &group.key.e);
            let vectors = group
                .tests
                .iter()
                .map(|test| (&*test.msg, &*test.sig, test.result));
            comparison.compare(&format!("{name:?}"), &key, vectors);
        }
    }
    let differences: Vec<_> = comparison
        .differences
        .iter()
        .map(|((set, wycheproof, engine), count)| (set.as_str(), *wycheproof, *engine, *count))
        .collect();
    let expected: Vec<_> = DIFFERENCES
        .iter()
        .map(|(set, wycheproof, engine, count, _)| (*set, *wycheproof, *engine, *count))
        .collect();
    assert_eq!(differences, expected);
    assert!(DIFFERENCES.iter().all(|(.., reason)| !reason.is_empty()));
    let compared: Vec<_> = comparison
        .compared
        .iter()
        .map(|(algorithm, count)| (algorithm.as_str(), *count))
        .collect();
    assert_eq!(compared, COMPARED);
}
