//! Tests of token verification: every accepted algorithm, and known attacks (D-19).
#![cfg(feature = "verify")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::{check_sign_in, first_failure};
use gbac_engine::token::{CheckName, MAX_TOKEN_BYTES, UnverifiedToken};
use gbac_engine::verify::{
    CLOCK_SKEW_SECONDS, KeySet, TokenRules, Validation, VerificationOutcome, Verified, VerifyError,
    verification_steps, verify, verify_with_rules, verify_with_skew,
};
use gbac_engine::{Coded, Timestamp};
use p256::ecdsa::signature::Signer as _;
use proptest::prelude::*;
use rsa::rand_core::{CryptoRng, Error, RngCore};
use rsa::{BigUint, Pkcs1v15Sign, Pss, RsaPrivateKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha384, Sha512};

const NOW: f64 = 1_700_000_000.0;
const ISSUER: &str = "https://idp.example/realm";
const AUDIENCE: &str = "cluster";
const EXPECT: Validation<'static> = Validation {
    issuer: Some(ISSUER),
    audience: Some(AUDIENCE),
    now: Timestamp::from_seconds(NOW),
};
const ALGORITHMS: [&str; 10] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "Ed25519",
];

// The RSA key of RFC 7520 section 3.4, which everybody knows.
const N: &str = "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw";
const D: &str = "bWUC9B-EFRIo8kpGfh0ZuyGPvMNKvYWNtB_ikiH9k20eT-O1q_I78eiZkpXxXQ0UTEs2LsNRS-8uJbvQ-A1irkwMSMkK1J3XTGgdrhCku9gRldY7sNA_AKZGh-Q661_42rINLRCe8W-nZ34ui_qOfkLnK9QWDDqpaIsA-bMwWWSDFu2MUBYwkHTMEzLYGqOe04noqeq1hExBTHBOBdkMXiuFhUq1BU6l-DqEiWxqg82sXt2h-LMnT3046AOYJoRioz75tSUQfGCshWTBnP5uDjd18kKhyv07lhfSJdrPdM5Plyl21hsFf4L_mHCuoFau7gdsPfHPxxjVOcOpBrQzwQ";
const P: &str = "3Slxg_DwTXJcb6095RoXygQCAZ5RnAvZlno1yhHtnUex_fp7AZ_9nRaO7HX_-SFfGQeutao2TDjDAWU4Vupk8rw9JR0AzZ0N2fvuIAmr_WCsmGpeNqQnev1T7IyEsnh8UMt-n5CafhkikzhEsrmndH6LxOrvRJlsPp6Zv8bUq0k";
const Q: &str = "uKE2dh-cTf6ERF4k4e_jy78GfPYUIaUyoSSJuBzp3Cubk3OCqs6grT8bR_cu0Dm1MZwWmtdqDyI95HrUeq3MP15vMMON8lHTeZu2lmKvwqW7anV5UzhM1iZ7z4yMkuUwFWoBvyY898EXvRD-hdqRxHlSqAZ192zB3pVFJ0s7pFc";

static RSA: LazyLock<RsaPrivateKey> = LazyLock::new(|| {
    let number = |text: &str| BigUint::from_bytes_be(&URL_SAFE_NO_PAD.decode(text).unwrap());
    RsaPrivateKey::from_components(
        number(N),
        65_537_u32.into(),
        number(D),
        vec![number(P), number(Q)],
    )
    .unwrap()
});
static KEYS: LazyLock<KeySet> = LazyLock::new(|| {
    let keys: Vec<Value> = ALGORITHMS.iter().map(|alg| jwk(alg)).collect();
    KeySet::parse(&json!({ "keys": keys }).to_string()).unwrap()
});

static GOOD: LazyLock<String> = LazyLock::new(|| saying(claims().to_string()));

/// Salt for RSASSA-PSS, the same in every run.
struct Counter(u64);

impl RngCore for Counter {
    fn next_u32(&mut self) -> u32 {
        u32::try_from(self.next_u64() & 0xffff_ffff).unwrap()
    }
    fn next_u64(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| u8::try_from(self.next_u64() >> 56).unwrap());
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl CryptoRng for Counter {}

fn p256_key() -> p256::ecdsa::SigningKey {
    p256::ecdsa::SigningKey::from_slice(&[7; 32]).unwrap()
}

fn p384_key() -> p384::ecdsa::SigningKey {
    p384::ecdsa::SigningKey::from_slice(&[9; 48]).unwrap()
}

fn ed25519_key() -> ed25519_dalek::SigningKey {
    ed25519_dalek::SigningKey::from_bytes(&[3; 32])
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The public key of an algorithm, named like the algorithm.
fn jwk(alg: &str) -> Value {
    match alg {
        "ES256" => {
            let point = p256_key().verifying_key().to_encoded_point(false);
            json!({"kty": "EC", "crv": "P-256", "kid": alg, "alg": alg, "use": "sig", "x": encode(point.x().unwrap()), "y": encode(point.y().unwrap())})
        }
        "ES384" => {
            let point = p384_key().verifying_key().to_encoded_point(false);
            json!({"kty": "EC", "crv": "P-384", "kid": alg, "alg": alg, "use": "sig", "x": encode(point.x().unwrap()), "y": encode(point.y().unwrap())})
        }
        "EdDSA" | "Ed25519" => {
            json!({"kty": "OKP", "crv": "Ed25519", "kid": alg, "alg": alg, "key_ops": ["verify"], "x": encode(ed25519_key().verifying_key())})
        }
        _ => json!({"kty": "RSA", "kid": alg, "alg": alg, "use": "sig", "n": N, "e": "AQAB"}),
    }
}

/// A signature by the algorithm itself, whatever a header says.
fn signature(alg: &str, input: &str) -> Vec<u8> {
    let input = input.as_bytes();
    let pss = |scheme: Pss, hash: &[u8]| RSA.sign_with_rng(&mut Counter(1), scheme, hash).unwrap();
    match alg {
        "RS256" => RSA
            .sign(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(input))
            .unwrap(),
        "RS384" => RSA
            .sign(Pkcs1v15Sign::new::<Sha384>(), &Sha384::digest(input))
            .unwrap(),
        "RS512" => RSA
            .sign(Pkcs1v15Sign::new::<Sha512>(), &Sha512::digest(input))
            .unwrap(),
        "PS256" => pss(Pss::new::<Sha256>(), &Sha256::digest(input)),
        "PS384" => pss(Pss::new::<Sha384>(), &Sha384::digest(input)),
        "PS512" => pss(Pss::new::<Sha512>(), &Sha512::digest(input)),
        "ES256" => {
            let signature: p256::ecdsa::Signature = p256_key().sign(input);
            signature.to_bytes().to_vec()
        }
        "ES384" => {
            let signature: p384::ecdsa::Signature = p384_key().sign(input);
            signature.to_bytes().to_vec()
        }
        _ => ed25519_key().sign(input).to_bytes().to_vec(),
    }
}

/// A token with a good signature over exactly these texts.
fn signed(alg: &str, header: &str, payload: impl AsRef<[u8]>) -> String {
    let input = format!("{}.{}", encode(header), encode(payload));
    let signature = signature(alg, &input);
    format!("{input}.{}", encode(signature))
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": NOW + 300.0, "iat": NOW - 10.0, "groups": ["engineering"]})
}

/// The usual claims with one of them replaced (or left out, for null).
fn with(name: &str, value: Value) -> String {
    let mut claims = claims();
    if value.is_null() {
        claims.as_object_mut().unwrap().remove(name);
    } else {
        claims[name] = value;
    }
    claims.to_string()
}

/// A good token of the fastest algorithm with this payload.
fn saying(payload: impl AsRef<[u8]>) -> String {
    signed("EdDSA", r#"{"alg":"EdDSA","kid":"EdDSA"}"#, payload)
}

/// A token with this header and a good signature of the fastest algorithm.
fn headed(header: &str) -> String {
    signed("EdDSA", header, claims().to_string())
}

/// Verifies, and checks that the report tells the same story.
fn check_with(token: &str, keys: &KeySet, expect: Validation<'_>) -> Result<Verified, VerifyError> {
    let result = verify(token, keys, expect);
    let lines = verification_steps(token, keys, expect);
    assert_eq!(lines.len(), 8);
    let first = lines
        .iter()
        .find(|line| line.outcome == VerificationOutcome::Failed);
    match (&result, first) {
        (Ok(_), None) => {}
        (Err(error), Some(line)) => {
            assert_eq!(line.code, Some(error.code()));
            assert_eq!(line.detail, error.to_string());
            assert!(!error.hint().is_empty());
        }
        (result, line) => panic!("verify says {result:?}, the report {line:?}"),
    }
    result
}

fn check(token: &str) -> Result<Verified, VerifyError> {
    check_with(token, &KEYS, EXPECT)
}

/// The code of the refusal; panics when the token is accepted.
fn refused(token: &str) -> &'static str {
    match check(token) {
        Err(error) => error.code(),
        Ok(verified) => panic!("accepted: {verified:?}"),
    }
}

#[test]
fn every_algorithm_verifies_and_a_changed_token_does_not() {
    for alg in ALGORITHMS {
        let token = signed(
            alg,
            &json!({"alg": alg, "kid": alg, "typ": "JWT"}).to_string(),
            claims().to_string(),
        );
        let verified = check(&token).unwrap();
        assert_eq!(verified.claims.subject(), Some("alice"));
        assert_eq!(verified.header.kid(), Some(alg));

        let more = token.replacen(
            &encode(claims().to_string()),
            &encode(with("sub", json!("root"))),
            1,
        );
        assert_eq!(refused(&more), "signature_invalid", "{alg}");
        let (input, signature) = token.rsplit_once('.').unwrap();
        let mut signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        for at in [0, signature.len() / 2, signature.len() - 1] {
            signature[at] ^= 1;
            assert_eq!(
                refused(&format!("{input}.{}", encode(&signature))),
                "signature_invalid",
                "{alg}"
            );
            signature[at] ^= 1;
        }
        for wrong in [
            vec![0],
            vec![0; signature.len()],
            [&signature[..], &[0]].concat(),
            [&[0], &signature[..]].concat(),
        ] {
            assert_eq!(
                refused(&format!("{input}.{}", encode(wrong))),
                "signature_invalid",
                "{alg}"
            );
        }
    }
}

#[test]
fn a_key_is_used_with_its_own_algorithm_only() {
    for key in ["RS256", "PS256"] {
        for alg in ALGORITHMS.iter().filter(|alg| **alg != key) {
            let token = signed(
                alg,
                &json!({"alg": alg, "kid": key}).to_string(),
                claims().to_string(),
            );
            assert_eq!(
                refused(&token),
                "alg_mismatch",
                "{alg} with a key for {key}"
            );
        }
    }
    // Without `alg` an RSA key means RS256, an elliptic one its curve's.
    for (alg, accepted) in [
        ("RS256", true),
        ("RS512", false),
        ("PS256", false),
        ("ES256", true),
        ("ES384", true),
        ("EdDSA", true),
    ] {
        let mut key = jwk(alg);
        key.as_object_mut().unwrap().remove("alg");
        let keys = KeySet::parse(&key.to_string()).unwrap();
        let token = signed(
            alg,
            &json!({"alg": alg, "kid": alg}).to_string(),
            claims().to_string(),
        );
        assert_eq!(check_with(&token, &keys, EXPECT).is_ok(), accepted, "{alg}");
    }
    // Two names of one algorithm.
    for (alg, kid) in [("EdDSA", "Ed25519"), ("Ed25519", "EdDSA")] {
        assert!(check(&headed(&json!({"alg": alg, "kid": kid}).to_string())).is_ok());
    }
}

#[test]
fn a_pss_signature_plus_the_modulus_is_no_second_signature() {
    let header = json!({"alg": "PS256", "kid": "PS256"}).to_string();
    let modulus = BigUint::from_bytes_be(&URL_SAFE_NO_PAD.decode(N).unwrap());
    // Some payload's signature is small enough for the sum to fit in as many bytes.
    let doubled = (0..64).find_map(|salt| {
        let token = signed("PS256", &header, with("jti", json!(salt)));
        let (input, signature) = token.rsplit_once('.').unwrap();
        let sum = BigUint::from_bytes_be(&URL_SAFE_NO_PAD.decode(signature).unwrap()) + &modulus;
        let bytes = sum.to_bytes_be();
        (bytes.len() == 256).then(|| (token.clone(), format!("{input}.{}", encode(bytes))))
    });
    let (token, doubled) = doubled.unwrap();
    assert!(check(&token).is_ok());
    assert_eq!(refused(&doubled), "signature_invalid");
}

/// HMAC with SHA-256 (RFC 2104), for the attack only.
fn hmac_sha256(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut key = if secret.len() > 64 {
        Sha256::digest(secret).to_vec()
    } else {
        secret.to_vec()
    };
    key.resize(64, 0);
    let pad = |byte: u8| key.iter().map(|k| k ^ byte).collect::<Vec<u8>>();
    let inner = Sha256::digest([pad(0x36), message.to_vec()].concat());
    Sha256::digest([pad(0x5c), inner.to_vec()].concat()).to_vec()
}

#[test]
fn no_signature_and_shared_secrets_are_refused() {
    let payload = encode(claims().to_string());
    for alg in ["none", "None", "NONE", "nOnE", "none ", "NoNe\0"] {
        let header = encode(json!({"alg": alg, "kid": "RS256"}).to_string());
        assert_eq!(refused(&format!("{header}.{payload}.")), "token_unsigned");
        assert_eq!(refused(&format!("{header}.{payload}")), "token_unsigned");
        assert_eq!(refused(&format!("{header}.{payload}.AA")), "alg_refused");
    }
    let n = URL_SAFE_NO_PAD.decode(N).unwrap();
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        STANDARD.encode(&n)
    );
    for secret in [
        n.as_slice(),
        N.as_bytes(),
        pem.as_bytes(),
        jwk("RS256").to_string().as_bytes(),
        b"",
    ] {
        for alg in ["HS256", "hs256"] {
            let input = format!(
                "{}.{payload}",
                encode(json!({"alg": alg, "kid": "RS256"}).to_string())
            );
            let token = format!("{input}.{}", encode(hmac_sha256(secret, input.as_bytes())));
            assert_eq!(refused(&token), "alg_refused");
        }
    }
    for alg in [
        "", "RS1", "rs256", "ES256K", "ES512", "Ed448", "RSA-OAEP", "dir", "eddsa", "ed25519",
        "RS256 ",
    ] {
        let code = refused(&signed(
            "RS256",
            &json!({"alg": alg, "kid": "RS256"}).to_string(),
            claims().to_string(),
        ));
        assert_eq!(
            code,
            if alg.is_empty() {
                "alg_missing"
            } else {
                "alg_refused"
            },
            "{alg}"
        );
    }
    for header in [
        json!({"kid": "RS256"}),
        json!({"alg": null, "kid": "RS256"}),
        json!({"alg": ["RS256"]}),
        json!({"alg": 256}),
    ] {
        assert_eq!(refused(&headed(&header.to_string())), "alg_missing");
    }
}

#[test]
fn the_key_is_the_one_named_and_comes_from_the_set() {
    assert_eq!(refused(&headed(r#"{"alg":"EdDSA"}"#)), "kid_missing");
    assert_eq!(
        refused(&headed(r#"{"alg":"EdDSA","kid":""}"#)),
        "kid_missing"
    );
    for kid in [
        "eddsa",
        "EdDSA ",
        "../../../dev/null",
        "' OR 1=1 --",
        "EdDSA\0",
        "\u{1b}[2J",
        &"x".repeat(100_000),
    ] {
        let token = headed(&json!({"alg": "EdDSA", "kid": kid}).to_string());
        let error = check(&token).unwrap_err();
        assert_eq!(error, VerifyError::KidUnknown(kid.to_owned()));
        assert!(error.to_string().len() < 400 && !error.to_string().contains('\u{1b}'));
    }
    for kid in ["null", "5", "[\"EdDSA\"]", "{}"] {
        assert_eq!(
            refused(&headed(&format!(r#"{{"alg":"EdDSA","kid":{kid}}}"#))),
            "header_type"
        );
    }
    // A set of one key is no reason to try it.
    let one = KeySet::parse(&jwk("EdDSA").to_string()).unwrap();
    let token = headed(r#"{"alg":"EdDSA","kid":"other"}"#);
    assert_eq!(
        check_with(&token, &one, EXPECT).unwrap_err().code(),
        "kid_unknown"
    );

    // Keys and addresses of keys that a token brings along are never used: neither for good nor for
    // bad.
    let attacker = ed25519_dalek::SigningKey::from_bytes(&[4; 32]);
    let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "EdDSA", "x": encode(attacker.verifying_key())});
    for (name, value) in [
        ("jwk", key),
        ("jku", json!("https://evil.example/keys")),
        ("x5u", json!("https://evil.example/cert")),
        ("x5c", json!(["MIIB"])),
        ("x5t#S256", json!("AAAA")),
    ] {
        let header = json!({"alg": "EdDSA", "kid": "EdDSA", name: value}).to_string();
        assert!(check(&headed(&header)).is_ok());
        let input = format!("{}.{}", encode(header), encode(claims().to_string()));
        let forged = format!(
            "{input}.{}",
            encode(attacker.sign(input.as_bytes()).to_bytes())
        );
        assert_eq!(refused(&forged), "signature_invalid", "{name}");
    }
}

#[test]
fn extensions_and_other_serializations_are_refused() {
    for crit in [
        r#"["exp"]"#,
        r#"["b64"]"#,
        "[]",
        "null",
        "\"b64\"",
        r#"["alg"]"#,
    ] {
        assert_eq!(
            refused(&headed(&format!(
                r#"{{"alg":"EdDSA","kid":"EdDSA","crit":{crit},"exp":1}}"#
            ))),
            "crit_refused"
        );
    }
    for b64 in ["false", "null", "0", "\"true\""] {
        assert_eq!(
            refused(&headed(&format!(
                r#"{{"alg":"EdDSA","kid":"EdDSA","b64":{b64}}}"#
            ))),
            "b64_refused"
        );
    }
    assert!(check(&headed(r#"{"alg":"EdDSA","kid":"EdDSA","b64":true}"#)).is_ok());

    let token = saying(claims().to_string());
    let parts: Vec<&str> = token.split('.').collect();
    let (header, payload, signature) = (parts[0], parts[1], parts[2]);
    assert_eq!(refused(&format!("{token}.")), "token_parts");
    assert_eq!(refused(&format!(".{token}")), "token_parts");
    assert_eq!(refused(&format!("{token}.AA.AA")), "token_encrypted");
    assert_eq!(
        refused(&format!("{header}..{signature}")),
        "token_part_empty"
    );
    assert_eq!(
        refused(&format!(".{payload}.{signature}")),
        "token_part_empty"
    );
    assert_eq!(refused("..."), "token_parts");
    assert_eq!(refused(".."), "token_part_empty");
    let flat = json!({"protected": header, "payload": payload, "signature": signature});
    let general =
        json!({"payload": payload, "signatures": [{"protected": header, "signature": signature}]});
    for form in [flat, general] {
        assert_eq!(refused(&form.to_string()), "json_serialization");
    }
    assert_eq!(refused(&format!("{token} {token}")), "two_tokens");
    assert_eq!(refused(&format!(" {token}")), "not_a_token");
    assert_eq!(refused(&format!("{token}\n")), "not_a_token");
    assert_eq!(refused(&token.replacen('.', ".\u{200b}", 1)), "not_a_token");

    let nested = signed(
        "EdDSA",
        r#"{"alg":"EdDSA","kid":"EdDSA","cty":"JWT"}"#,
        &token,
    );
    assert_eq!(refused(&nested), "token_nested");
}

#[test]
fn base64url_is_strict() {
    let token = saying(claims().to_string());
    let parts: Vec<&str> = token.split('.').collect();
    // 64 bytes end in one byte of four bits that count and two that do not: `A` and `B` decode to
    // the same lenient bytes.
    let last = parts[2].chars().last().unwrap();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let next = alphabet
        .chars()
        .nth(alphabet.find(last).unwrap() + 1)
        .unwrap();
    let stray = format!("{}{next}", &token[..token.len() - 1]);
    for changed in [
        stray,
        format!("{token}=="),
        format!("{token}AAA"),
        format!("{}=.{}.{}", parts[0], parts[1], parts[2]),
        format!("{}.{}/.{}", parts[0], parts[1], parts[2]),
        format!("{}.+{}.{}", parts[0], parts[1], parts[2]),
    ] {
        assert_eq!(refused(&changed), "base64_invalid", "{changed}");
    }
    let padded = format!(
        "{}.{}.{}",
        URL_SAFE.encode(r#"{"alg":"EdDSA","kid":"EdDSA"}"#),
        parts[1],
        parts[2]
    );
    assert_eq!(refused(&padded), "base64_invalid");
}

#[test]
fn duplicate_members_are_refused_wherever_they_are() {
    let good = claims().to_string();
    let open = good.strip_suffix('}').unwrap();
    for more in [
        r#""groups":["admin"]"#,
        r#""gr\u006fups":["admin"]"#,
        r#""sub":"root""#,
        r#""a":{"b":[{"c":1,"c":2}]}"#,
    ] {
        assert_eq!(
            refused(&saying(format!("{open},{more}}}"))),
            "duplicate_member"
        );
    }
    for header in [
        r#"{"alg":"EdDSA","alg":"EdDSA","kid":"EdDSA"}"#,
        r#"{"alg":"none","kid":"EdDSA","alg":"EdDSA"}"#,
        r#"{"alg":"EdDSA","kid":"EdDSA","kid":"RS256"}"#,
        r#"{"alg":"EdDSA","kid":"EdDSA","jwk":{"x":"","x":""}}"#,
    ] {
        assert_eq!(refused(&headed(header)), "duplicate_member");
    }
}

#[test]
fn payloads_that_are_no_strict_json_object_are_refused() {
    for (payload, code) in [
        ("[]".to_owned(), "not_an_object"),
        ("null".to_owned(), "not_an_object"),
        ("\"alice\"".to_owned(), "not_an_object"),
        (format!("\u{feff}{}", claims()), "byte_order_mark"),
        (format!("{}x", claims()), "json_syntax"),
        (format!("{}{}", claims(), claims()), "json_syntax"),
        (r#"{"sub":"alice"#.to_owned(), "json_unfinished"),
        (
            format!(
                r#"{{"groups":{}{}}}"#,
                "[".repeat(10_000),
                "]".repeat(10_000)
            ),
            "json_too_deep",
        ),
        (r#"{"a":"#.repeat(10_000), "json_too_deep"),
    ] {
        assert_eq!(refused(&saying(payload)), code);
    }
    assert_eq!(refused(&saying(b"{\"sub\":\"\xff\"}")), "utf8_invalid");
    // Blanks inside are JSON like any other.
    assert!(check(&saying(format!(" \r\n{}\t", claims()))).is_ok());
}

#[test]
fn expiry_is_required_and_a_number() {
    assert_eq!(refused(&saying(with("exp", Value::Null))), "exp_missing");
    for exp in [
        json!("1700000300"),
        json!(true),
        json!([1_700_000_300]),
        json!({}),
    ] {
        assert_eq!(refused(&saying(with("exp", exp))), "time_invalid");
    }
    let raw = |exp: &str| {
        saying(format!(
            r#"{{"iss":"{ISSUER}","aud":"{AUDIENCE}","exp":{exp}}}"#
        ))
    };
    for (exp, code) in [
        ("1e400", "number_out_of_range"),
        ("NaN", "json_syntax"),
        ("Infinity", "json_syntax"),
        ("null", "time_invalid"),
        ("-1", "token_expired"),
        ("0", "token_expired"),
        ("-1e308", "token_expired"),
        // Milliseconds, and what is no time at all, would never expire.
        ("1700000300000", "time_invalid"),
        ("18446744073709551615", "time_invalid"),
        ("1e308", "time_invalid"),
    ] {
        assert_eq!(refused(&raw(exp)), code, "{exp}");
    }
    for exp in ["1700000300.5", "1.7000003e9", "100000000000"] {
        assert!(check(&raw(exp)).is_ok(), "{exp}");
    }
}

#[test]
fn times_allow_half_a_minute_and_no_more() {
    let at = |claim: &str, seconds: f64| check(&saying(with(claim, json!(NOW + seconds))));
    assert!(at("exp", -CLOCK_SKEW_SECONDS).is_ok());
    assert_eq!(
        at("exp", -CLOCK_SKEW_SECONDS - 0.5).unwrap_err().code(),
        "token_expired"
    );
    for (claim, code) in [
        ("nbf", "token_not_yet_valid"),
        ("iat", "token_issued_in_future"),
    ] {
        assert!(at(claim, CLOCK_SKEW_SECONDS).is_ok());
        assert_eq!(
            at(claim, CLOCK_SKEW_SECONDS + 0.5).unwrap_err().code(),
            code
        );
        assert!(check(&saying(with(claim, Value::Null))).is_ok());
        for value in [
            json!("soon"),
            json!(false),
            json!([]),
            json!(NOW * 1000.0),
            json!(1e308),
        ] {
            assert_eq!(refused(&saying(with(claim, value))), "time_invalid");
        }
    }
    let token = saying(claims().to_string());
    for now in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(
            check_with(
                &token,
                &KEYS,
                Validation {
                    now: now.into(),
                    ..EXPECT
                }
            )
            .unwrap_err()
            .code(),
            "clock_invalid"
        );
    }
    let error = check_with(
        &token,
        &KEYS,
        Validation {
            now: (NOW + 3900.0).into(),
            ..EXPECT
        },
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the token expired 60 min ago (more than the allowed clock skew of 30 s)"
    );
}

#[test]
fn the_tolerance_for_clocks_can_be_another() {
    let claims =
        json!({ "iss": ISSUER, "aud": AUDIENCE, "exp": NOW + 100.0, "nbf": NOW, "iat": NOW });
    let token = saying(claims.to_string());
    let at = |now: f64, skew: f64| {
        verify_with_skew(
            &token,
            &KEYS,
            Validation {
                now: now.into(),
                ..EXPECT
            },
            skew,
        )
        .map(drop)
        .map_err(|error| error.code())
    };
    assert_eq!(
        (at(NOW + 100.0, 0.0), at(NOW + 100.5, 0.0)),
        (Ok(()), Err("token_expired"))
    );
    assert_eq!(
        (at(NOW + 160.0, 60.0), at(NOW + 160.5, 60.0)),
        (Ok(()), Err("token_expired"))
    );
    assert_eq!(
        (at(NOW - 60.0, 60.0), at(NOW - 60.5, 60.0)),
        (Ok(()), Err("token_not_yet_valid"))
    );
    let started = saying(
        json!({ "iss": ISSUER, "aud": AUDIENCE, "exp": NOW + 100.0, "iat": NOW }).to_string(),
    );
    let issued = verify_with_skew(
        &started,
        &KEYS,
        Validation {
            now: (NOW - 1.0).into(),
            ..EXPECT
        },
        0.5,
    );
    assert_eq!(
        issued.map(drop).map_err(|error| error.code()),
        Err("token_issued_in_future")
    );
}

#[test]
fn issuer_and_audience_are_exact() {
    for iss in [
        json!(format!("{ISSUER}/")),
        json!(ISSUER.to_uppercase()),
        json!(format!(" {ISSUER}")),
        json!(""),
    ] {
        assert_eq!(refused(&saying(with("iss", iss))), "issuer_mismatch");
    }
    for iss in [Value::Null, json!([ISSUER]), json!(5)] {
        assert_eq!(refused(&saying(with("iss", iss))), "issuer_missing");
    }
    for aud in [
        json!([AUDIENCE]),
        json!(["other", AUDIENCE]),
        json!([AUDIENCE, AUDIENCE]),
    ] {
        assert!(check(&saying(with("aud", aud))).is_ok());
    }
    // One text is one audience, even with blanks in it.
    for aud in [
        json!("other"),
        json!("openid cluster"),
        json!("cluster "),
        json!([]),
        json!(["Cluster"]),
        json!(""),
    ] {
        assert_eq!(refused(&saying(with("aud", aud))), "audience_mismatch");
    }
    for aud in [
        Value::Null,
        json!(5),
        json!({"cluster": true}),
        json!([AUDIENCE, 5]),
        json!([[AUDIENCE]]),
    ] {
        assert_eq!(refused(&saying(with("aud", aud))), "audience_missing");
    }
    let anybody = Validation {
        issuer: None,
        audience: None,
        now: NOW.into(),
    };
    let token = saying(r#"{"exp":1700000300}"#);
    assert!(check_with(&token, &KEYS, anybody).is_ok());
    let unchecked: Vec<CheckName> = verification_steps(&token, &KEYS, anybody)
        .into_iter()
        .filter_map(|line| (line.outcome == VerificationOutcome::NotChecked).then_some(line.name))
        .collect();
    assert_eq!(
        unchecked,
        [
            CheckName::Issuer,
            CheckName::Audience,
            CheckName::NotBefore,
            CheckName::IssuedAt,
            CheckName::Type
        ]
    );
}

#[test]
fn only_access_tokens_are_accepted() {
    let typed =
        |typ: &str| headed(&json!({"alg": "EdDSA", "kid": "EdDSA", "typ": typ}).to_string());
    for typ in [
        "JWT",
        "jwt",
        "at+jwt",
        "AT+JWT",
        "application/at+jwt",
        "Application/At+Jwt",
    ] {
        assert!(check(&typed(typ)).is_ok(), "{typ}");
    }
    for typ in [
        "",
        "id_token",
        "dpop+jwt",
        "logout+jwt",
        "secevent+jwt",
        "application/jwt",
        "JWT ",
        "at+jwt;x",
    ] {
        assert_eq!(refused(&typed(typ)), "typ_refused", "{typ}");
    }
    assert_eq!(
        refused(&headed(r#"{"alg":"EdDSA","kid":"EdDSA","typ":5}"#)),
        "header_type"
    );
}

#[test]
fn long_tokens_are_read_up_to_the_limit() {
    let groups: Vec<String> = (0..10_000)
        .map(|n| format!("/a/department/group-{n:05}"))
        .collect();
    let verified = check(&saying(with("groups", json!(groups)))).unwrap();
    assert_eq!(
        verified.claims.members().members()["groups"]
            .as_array()
            .unwrap()
            .len(),
        10_000
    );

    let filler = |length: usize| saying(with("filler", json!("x".repeat(length))));
    // Three bytes of payload are four of the token.
    let length = (MAX_TOKEN_BYTES - filler(0).len()) / 4 * 3;
    let longest = filler(length);
    assert!((MAX_TOKEN_BYTES - 4..=MAX_TOKEN_BYTES).contains(&longest.len()));
    assert!(check(&longest).is_ok());
    assert_eq!(refused(&filler(length + 6)), "token_too_long");
}

#[test]
fn a_failed_check_does_not_hide_the_others() {
    let token = saying(json!({"iss": "x", "aud": AUDIENCE, "exp": 1, "nbf": "x"}).to_string());
    let lines: Vec<_> = verification_steps(&token, &KEYS, EXPECT)
        .into_iter()
        .map(|line| (line.name.code(), line.outcome))
        .collect();
    use VerificationOutcome::{Failed, NotChecked, Passed};
    assert_eq!(
        lines,
        [
            ("form", Passed),
            ("signature", Passed),
            ("issuer", Failed),
            ("audience", Passed),
            ("expires", Failed),
            ("not_before", Failed),
            ("issued_at", NotChecked),
            ("type", NotChecked)
        ]
    );
    let lines = verification_steps("nonsense", &KEYS, EXPECT);
    assert_eq!(lines[0].code, Some("opaque_token"));
    assert!(lines[1..].iter().all(|line| line.outcome == NotChecked));
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>(), more in "[A-Za-z0-9_.=+/ {}\":-]{0,80}") {
        for text in [&text, &more] {
            let _ = UnverifiedToken::decode(text);
            let _ = KeySet::parse(text);
            prop_assert!(check(text).is_err());
        }
    }

    #[test]
    fn no_header_or_payload_panics(header in r#"[{}\[\]":,a-z0-9.\\]{0,40}"#, payload in any::<Vec<u8>>()) {
        let token = format!("{}.{}.AAAA", encode(&header), encode(&payload));
        prop_assert!(check(&token).is_err());
    }

    #[test]
    fn no_edit_of_a_token_is_accepted(at in any::<prop::sample::Index>(), byte in "[A-Za-z0-9_.=-]", insert in any::<bool>()) {
        let token = GOOD.as_str();
        let at = at.index(token.len());
        let mut edited = token.to_owned();
        edited.replace_range(at..at + usize::from(!insert), &byte);
        prop_assume!(edited != token);
        prop_assert!(check(&edited).is_err());
    }

    #[test]
    fn no_key_set_panics(x in any::<Vec<u8>>(), y in any::<Vec<u8>>(), kty in "RSA|EC|OKP|oct", crv in "P-256|P-384|Ed25519|P-521") {
        let key = json!({"kty": kty, "crv": crv, "kid": "a", "x": encode(&x), "y": encode(&y), "n": encode(&x), "e": encode(&y)});
        let _ = KeySet::parse(&json!({"keys": [key]}).to_string()).map_err(|error| error.to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_time_panics_or_is_accepted_outside_of_its_window(exp in any::<f64>(), nbf in any::<f64>(), iat in any::<i64>(), now in any::<f64>()) {
        let token = saying(json!({"exp": exp, "nbf": nbf, "iat": iat}).to_string());
        let anybody = Validation { issuer: None, audience: None, now: now.into() };
        if check_with(&token, &KEYS, anybody).is_ok() {
            prop_assert!(now <= exp + CLOCK_SKEW_SECONDS && nbf - CLOCK_SKEW_SECONDS <= now);
        }
    }
}

/// Every header that can be read, with every mix of these claims, at several instants and settings:
/// a service that knows the key accepts a token exactly when [`sign_in`] finds nothing against it.
#[test]
fn sign_in_refuses_exactly_what_the_verifier_refuses() {
    let headers = [
        json!({"alg": "EdDSA", "kid": "EdDSA"}),
        json!({"alg": "EdDSA", "kid": "EdDSA", "typ": "at+jwt"}),
        json!({"alg": "EdDSA", "kid": "EdDSA", "typ": "logout+jwt"}),
        json!({"alg": "EdDSA", "kid": "EdDSA", "typ": ""}),
        json!({"alg": "EdDSA"}),
        json!({"alg": "EdDSA", "kid": ""}),
    ];
    let absent = Value::Null;
    let issuers = [
        json!(ISSUER),
        json!("https://other.example"),
        json!(7),
        absent.clone(),
    ];
    let audiences = [
        json!(AUDIENCE),
        json!(["x", AUDIENCE]),
        json!([]),
        json!([AUDIENCE, 7]),
        absent.clone(),
    ];
    let expiries = [
        json!(NOW + 60.0),
        json!(NOW - 20.0),
        json!(NOW - 31.0),
        json!("soon"),
        json!({}),
        json!(1e308),
        absent.clone(),
    ];
    let starts = [
        json!(NOW),
        json!(NOW + 29.0),
        json!(NOW + 31.0),
        json!("now"),
        absent,
    ];
    let settings = [
        (Some(ISSUER), Some(AUDIENCE)),
        (Some(ISSUER), None),
        (None, Some(AUDIENCE)),
        (None, None),
    ];
    let (mut accepted, mut refused) = (0, 0);
    for (at, header) in headers.iter().enumerate() {
        for (place, (issuer, audience)) in issuers
            .iter()
            .flat_map(|i| audiences.iter().map(move |a| (i, a)))
            .enumerate()
        {
            for (turn, (exp, start)) in expiries
                .iter()
                .flat_map(|e| starts.iter().map(move |s| (e, s)))
                .enumerate()
            {
                let mut claims = serde_json::Map::new();
                // `nbf` and `iat` take turns, so that each of them fails alone.
                let starts_with = if (at + place + turn) % 2 == 0 {
                    "nbf"
                } else {
                    "iat"
                };
                for (name, value) in [
                    ("iss", issuer),
                    ("aud", audience),
                    ("exp", exp),
                    (starts_with, start),
                ] {
                    if !value.is_null() {
                        claims.insert(name.to_owned(), value.clone());
                    }
                }
                let token = signed(
                    "EdDSA",
                    &header.to_string(),
                    Value::Object(claims).to_string(),
                );
                let read = UnverifiedToken::decode(&token).unwrap();
                let (issuer, audience) = settings[(place + turn) % settings.len()];
                for (now, skew, access_tokens_only, max_lifetime) in [
                    (NOW, None, false, None),
                    (NOW + 10.0, Some(5), false, None),
                    (NOW, Some(0), false, None),
                    (f64::NAN, None, false, None),
                    (NOW, None, true, None),
                    (NOW, None, false, Some(60)),
                ] {
                    let known = AcceptedTokens {
                        issuer: issuer.map(str::to_owned),
                        audience: audience.map(str::to_owned),
                        clock_skew: skew,
                        discovery_url: None,
                        access_tokens_only,
                        max_lifetime,
                    };
                    let rules = TokenRules {
                        skew: skew.map_or(CLOCK_SKEW_SECONDS, f64::from),
                        access_tokens_only,
                        max_lifetime: max_lifetime.map(f64::from),
                    };
                    let verified = verify_with_rules(
                        &token,
                        &KEYS,
                        Validation {
                            issuer,
                            audience,
                            now: now.into(),
                        },
                        rules,
                    );
                    let checks =
                        check_sign_in(Some(&read.header), &read.claims, &known, Some(now.into()));
                    let found = first_failure(&checks);
                    assert_eq!(
                        found
                            .and_then(|check| check.error.as_ref())
                            .map(VerifyError::code),
                        verified.as_ref().err().map(VerifyError::code),
                        "{header} {:?} at {now} with {known:?}",
                        read.claims.members()
                    );
                    assert!(
                        found.is_none_or(|check| check.next.is_some() && !check.finding.is_empty())
                    );
                    *(if verified.is_ok() {
                        &mut accepted
                    } else {
                        &mut refused
                    }) += 1;
                }
            }
        }
    }
    assert!(accepted > 200 && refused > 10_000, "{accepted} {refused}");
}
