//! Tests attacks on the signatures of tokens, each a row of `tokens.json` or `keys.json` with the
//! code of its error. A row with `accepted` or `used` is a control: a similar but valid token or
//! key.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gbac_engine::Timestamp;
use gbac_engine::token::normalize_pasted;
use gbac_engine::verify::{KeySet, Validation, VerificationOutcome, verification_steps, verify};
use serde_json::{Value, json};

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn rows(file: &Value) -> &[Value] {
    file["attacks"].as_array().unwrap()
}

fn text<'v>(row: &'v Value, name: &str) -> Option<&'v str> {
    row[name].as_str()
}

/// The token of a row: verbatim, or built from its parts.
fn token(row: &Value, payload: &str) -> String {
    if let Some(token) = text(row, "token") {
        return token.repeat(
            row["repeat"]
                .as_u64()
                .map_or(1, |count| usize::try_from(count).unwrap()),
        );
    }
    let padding = |name: &str| usize::try_from(row[name].as_u64().unwrap_or_default()).unwrap();
    let payload = format!(
        "{}{}",
        text(row, "payload").unwrap_or(payload),
        " ".repeat(padding("payload_padding"))
    );
    let header = URL_SAFE_NO_PAD.encode(text(row, "header").unwrap());
    let signature = text(row, "signature").unwrap();
    // In groups of four, so that it stays valid base64url.
    let padding = "AAAA".repeat(padding("signature_padding") / 4);
    format!(
        "{header}.{}.{padding}{signature}",
        URL_SAFE_NO_PAD.encode(payload)
    )
}

/// The rows with an unexpected result, each with that result.
fn unexpected(rows: &[Value], found: impl Fn(&Value) -> String) -> Vec<String> {
    let mut ids = BTreeMap::new();
    let differs = |row: &Value| {
        let (id, found) = (text(row, "id").unwrap().to_owned(), found(row));
        assert!(
            ids.insert(id.clone(), ()).is_none(),
            "the id {id} is there twice"
        );
        (found != text(row, "expect").unwrap()).then(|| {
            format!(
                "{id} ({}): {found} instead of {}",
                text(row, "attack").unwrap(),
                text(row, "expect").unwrap()
            )
        })
    };
    rows.iter().filter_map(differs).collect()
}

#[test]
fn every_attack_on_a_token_is_refused_for_its_reason() {
    let file = read(include_str!("tokens.json"));
    let keys = KeySet::parse(&json!({ "keys": file["keys"] }).to_string()).unwrap();
    assert_eq!((keys.keys().len(), keys.problems()), (5, &[][..]));
    let validation = Validation {
        issuer: text(&file, "issuer"),
        audience: text(&file, "audience"),
        now: Timestamp::from_seconds(file["now"].as_f64().unwrap()),
    };
    let code = |token: &str| match verify(token, &keys, validation) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.code().to_owned(),
    };
    let wrong = unexpected(rows(&file), |row| {
        let token = token(row, text(&file, "payload").unwrap());
        let found = code(&token);
        // The verification steps have the same result.
        let steps = verification_steps(&token, &keys, validation);
        let failed = steps
            .iter()
            .find(|step| step.outcome == VerificationOutcome::Failed)
            .and_then(|step| step.code);
        assert_eq!(failed.unwrap_or("accepted"), found, "{}", row["id"]);
        found
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pasted tokens are normalized before they are decoded, which must not make forged ones valid.
#[test]
fn no_attack_is_accepted_after_it_is_tidied() {
    let file = read(include_str!("tokens.json"));
    let keys = KeySet::parse(&json!({ "keys": file["keys"] }).to_string()).unwrap();
    let now = Timestamp::from_seconds(file["now"].as_f64().unwrap());
    let validation = Validation {
        issuer: text(&file, "issuer"),
        audience: text(&file, "audience"),
        now,
    };
    let token = |row: &Value| token(row, text(&file, "payload").unwrap());
    let is_control = |row: &&Value| text(row, "expect") == Some("accepted");
    let good: Vec<String> = rows(&file).iter().filter(is_control).map(&token).collect();
    for row in rows(&file) {
        let tidied = normalize_pasted(&token(row)).token;
        let is_good = good.contains(&tidied);
        assert_eq!(
            verify(&tidied, &keys, validation).is_ok(),
            is_good,
            "{}: {}",
            row["id"],
            row["attack"]
        );
    }
}

#[test]
fn every_weak_or_foreign_key_is_left_out_for_its_reason() {
    let file = read(include_str!("keys.json"));
    let wrong = unexpected(rows(&file), |row| {
        let set =
            KeySet::parse(&json!({ "keys": [file["first"], row["key"]] }).to_string()).unwrap();
        match (set.keys(), set.problems()) {
            ([_, _], []) => "used".to_owned(),
            ([_], [problem]) => problem.code.to_owned(),
            found => panic!("{}: {found:?}", row["id"]),
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tables_cover_every_kind_of_attack() {
    let count = |file: &Value| {
        let mut groups = BTreeMap::<String, usize>::new();
        for row in rows(file) {
            *groups
                .entry(
                    text(row, "id")
                        .unwrap()
                        .rsplit_once('-')
                        .unwrap()
                        .0
                        .to_owned(),
                )
                .or_default() += 1;
        }
        groups
    };
    let tokens = count(&read(include_str!("tokens.json")));
    let kinds: Vec<&str> = tokens.keys().map(String::as_str).collect();
    let expected = [
        "b64",
        "base64",
        "claims",
        "confusion",
        "crit",
        "duplicate",
        "ecdsa",
        "eddsa",
        "embedded",
        "form",
        "good",
        "hmac",
        "json",
        "kid",
        "none",
        "rsa",
        "signature",
        "size",
        "type",
    ];
    assert_eq!(kinds, expected);
    assert!(tokens.values().sum::<usize>() >= 479, "{tokens:?}");
    assert!(
        count(&read(include_str!("keys.json")))
            .values()
            .sum::<usize>()
            >= 138
    );
}
