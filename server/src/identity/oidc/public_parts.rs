//! The public parts of a key set (RFC 7517), for clients that verify tokens by themselves.

use serde_json::{Map, Value, json};

/// The members of a key that a verifier reads (RFC 7517 section 4, RFC 7518 section 6, RFC 8037).
const MEMBERS: [&str; 10] = [
    "kty", "kid", "use", "key_ops", "alg", "n", "e", "crv", "x", "y",
];
/// The key types that have a public part; the only member of another one can be its secret.
const TYPES: [&str; 3] = ["RSA", "EC", "OKP"];

/// A JWKS with the public parts of the keys in `text`; without keys if it is no JWKS.
pub(super) fn public_parts(text: &str) -> String {
    let mut public = Vec::new();
    if let Ok(Value::Object(document)) = gbac_json::parse(text)
        && let Some(Value::Array(keys)) = document.get("keys")
    {
        for key in keys {
            public.extend(public_part(key));
        }
    }
    json!({ "keys": public }).to_string()
}

/// The public part of a key; `None` if it has none.
fn public_part(key: &Value) -> Option<Map<String, Value>> {
    let key = key.as_object()?;
    let kty = key.get("kty")?.as_str()?;
    if !TYPES.contains(&kty) {
        return None;
    }
    let mut public = Map::new();
    for name in MEMBERS {
        if let Some(value) = key.get(name) {
            public.insert(name.to_owned(), value.clone());
        }
    }
    Some(public)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_public_is_published() {
        let text = json!({
            "keys": [
                { "kty": "RSA", "kid": "a", "n": "bg", "e": "AQAB", "d": "secret", "p": "secret", "x5c": ["certificate"] },
                { "kty": "EC", "kid": "b", "crv": "P-256", "x": "eA", "y": "eQ", "alg": "ES256", "use": "sig" },
                { "kty": "oct", "kid": "c", "k": "secret" },
                { "kty": 7 },
                "key",
            ],
            "more": "ignored",
        });
        let public: Value = serde_json::from_str(&public_parts(&text.to_string())).unwrap();
        assert_eq!(
            public,
            json!({
                "keys": [
                    { "kty": "RSA", "kid": "a", "n": "bg", "e": "AQAB" },
                    { "kty": "EC", "kid": "b", "crv": "P-256", "x": "eA", "y": "eQ", "alg": "ES256", "use": "sig" },
                ],
            })
        );
        for not_keys in ["", "[]", "{}", r#"{ "keys": {} }"#] {
            assert_eq!(public_parts(not_keys), r#"{"keys":[]}"#, "{not_keys}");
        }
    }
}
