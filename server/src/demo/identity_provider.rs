//! The demo identity provider: one RSA key for each run, RS256, tokens that are valid for an hour.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gbac_api::paths;
use gbac_api::service::Person;
use gbac_engine::verify::KeySet;
use rand_core::OsRng;
use rsa::RsaPrivateKey;
use rsa::pkcs1v15::SigningKey;
use rsa::signature::{RandomizedSigner, SignatureEncoding};
use rsa::traits::PublicKeyParts;
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::users;
use crate::random;

/// The audience of the tokens.
pub(crate) const AUDIENCE: &str = "streams";
/// The size of the key in bits.
const KEY_BITS: usize = 2048;
/// The lifetime of a token in seconds.
const LIFETIME: i64 = 3600;

/// The signing key of a demo identity provider.
#[derive(Clone)]
pub struct DemoKey(Box<RsaPrivateKey>);

impl DemoKey {
    /// A new key. This takes a fraction of a second.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub fn new() -> io::Result<Self> {
        match RsaPrivateKey::new(&mut OsRng, KEY_BITS) {
            Ok(key) => Ok(Self(Box::new(key))),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}

/// Does not print the key.
impl fmt::Debug for DemoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DemoKey")
    }
}

/// The demo identity provider.
pub(crate) struct IdentityProvider {
    issuer: String,
    kid: String,
    key: SigningKey<Sha256>,
    jwks: String,
    key_set: KeySet,
}

impl IdentityProvider {
    /// A provider with this key, whose issuer URL has this address.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(crate) fn new(address: SocketAddr, DemoKey(key): DemoKey) -> io::Result<Self> {
        let kid = format!("demo-{}", random::hex(&random::bytes::<4>()?));
        let jwk = json!({
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
            "n": URL_SAFE_NO_PAD.encode(key.n().to_bytes_be()),
            "e": URL_SAFE_NO_PAD.encode(key.e().to_bytes_be()),
        });
        let jwks = json!({ "keys": [jwk] }).to_string();
        let key_set = KeySet::parse(&jwks).map_err(|error| io::Error::other(error.to_string()))?;
        let issuer = format!("http://{address}{}", paths::DEMO_PROVIDER);
        Ok(Self {
            issuer,
            kid,
            key: SigningKey::new(*key),
            jwks,
            key_set,
        })
    }

    /// The issuer of the tokens.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The keys, as JSON text (RFC 7517).
    pub(crate) fn jwks(&self) -> &str {
        &self.jwks
    }

    /// The discovery document (RFC 8414). It has no authorization endpoint, since users cannot sign
    /// in here.
    pub(crate) fn discovery(&self) -> Value {
        let origin = self.issuer.trim_end_matches(paths::DEMO_PROVIDER);
        json!({
            "issuer": self.issuer,
            "jwks_uri": format!("{origin}{}", paths::DEMO_JWKS),
            "response_types_supported": [],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "groups"],
            "claims_supported": ["iss", "sub", "aud", "iat", "exp", "azp", "scope", "jti", "groups"],
        })
    }

    /// The users, each with a token that is signed now.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(crate) fn users(&self, now: f64) -> io::Result<Vec<Person>> {
        let mut people = Vec::new();
        for user in users::ALL {
            people.push(Person {
                id: user.id.into(),
                name: user.name.into(),
                note: user.note.into(),
                token: self.sign(user.typ, (user.claims)(), now)?,
            });
        }
        Ok(people)
    }

    /// A token with these claims and the common ones.
    fn sign(&self, typ: &str, mut claims: Map<String, Value>, now: f64) -> io::Result<String> {
        #[expect(clippy::cast_possible_truncation, reason = "rounds down to seconds")]
        let now = now as i64;
        claims
            .entry("iss")
            .or_insert_with(|| self.issuer.clone().into());
        claims.entry("aud").or_insert_with(|| AUDIENCE.into());
        claims.entry("iat").or_insert_with(|| now.into());
        claims
            .entry("exp")
            .or_insert_with(|| now.saturating_add(LIFETIME).into());
        claims.insert("jti".into(), random::hex(&random::bytes::<16>()?).into());
        let header = json!({ "alg": "RS256", "typ": typ, "kid": self.kid });
        let input = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header.to_string()),
            URL_SAFE_NO_PAD.encode(Value::Object(claims).to_string())
        );
        let signature = self
            .key
            .try_sign_with_rng(&mut OsRng, input.as_bytes())
            .map_err(io::Error::other)?;
        Ok(format!(
            "{input}.{}",
            URL_SAFE_NO_PAD.encode(signature.to_bytes())
        ))
    }

    /// The keys, for verification.
    pub(crate) fn key_set(&self) -> &KeySet {
        &self.key_set
    }

    /// The URL of the discovery document.
    pub(crate) fn discovery_url(&self) -> String {
        let origin = self.issuer.trim_end_matches(paths::DEMO_PROVIDER);
        format!("{origin}{}", paths::DEMO_DISCOVERY)
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::Coded;
    use gbac_engine::groups::NestedGroupBehavior;
    use gbac_engine::identity::Identity;
    use gbac_engine::policy::{GroupSource, Settings};
    use gbac_engine::token::Claims;
    use gbac_engine::verify::{Validation, verify};

    use super::*;

    fn claims(provider: &IdentityProvider, token: &str, now: f64) -> Option<Claims> {
        let expect = Validation {
            issuer: Some(provider.issuer()),
            audience: Some(AUDIENCE),
            now: now.into(),
        };
        verify(token, provider.key_set(), expect)
            .ok()
            .map(|verified| verified.claims)
    }

    fn provider() -> IdentityProvider {
        IdentityProvider::new(([127, 0, 0, 1], 8420).into(), DemoKey::new().unwrap()).unwrap()
    }

    #[test]
    fn only_its_own_valid_tokens_verify() {
        let provider = provider();
        let sign = |claims: Value| {
            let Value::Object(claims) = claims else {
                unreachable!()
            };
            provider.sign("JWT", claims, 1000.0).unwrap()
        };
        let good = sign(json!({ "sub": "a" }));
        assert_eq!(
            claims(&provider, &good, 1000.0).unwrap().subject(),
            Some("a")
        );
        assert!(
            claims(&provider, &good, 1000.0 + 3600.0 + 31.0).is_none(),
            "expired"
        );
        assert!(claims(&provider, &good, 900.0).is_none(), "from the future");
        assert!(
            claims(
                &provider,
                &sign(json!({ "sub": "a", "aud": "other" })),
                1000.0
            )
            .is_none()
        );
        assert!(
            claims(
                &provider,
                &sign(json!({ "sub": "a", "iss": "https://other" })),
                1000.0
            )
            .is_none()
        );
        let mut forged = good.clone();
        forged.truncate(good.len() - 4);
        forged.push_str(if good.ends_with("AAAA") {
            "BBBB"
        } else {
            "AAAA"
        });
        assert!(claims(&provider, &forged, 1000.0).is_none());
        assert!(
            claims(&self::provider(), &good, 1000.0).is_none(),
            "another key"
        );
    }

    #[test]
    fn the_users_show_the_special_cases_of_groups() {
        let provider = provider();
        let found = |nested| -> Vec<(String, Vec<String>, Vec<&'static str>)> {
            let mut settings = Settings::default();
            if let GroupSource::Properties {
                nested: behavior, ..
            } = &mut settings.groups
            {
                *behavior = nested;
            }
            let rules = settings.identity_rules();
            let people = provider.users(1000.0).unwrap();
            people
                .iter()
                .map(|user| {
                    let claims = claims(&provider, &user.token, 1000.0).unwrap();
                    let (identity, extraction) =
                        Identity::from_verified(&claims, None, &rules).unwrap();
                    let codes = extraction
                        .warnings
                        .iter()
                        .map(|warning| warning.code.code())
                        .collect();
                    (
                        identity.user().to_owned(),
                        identity.groups().to_vec(),
                        codes,
                    )
                })
                .collect()
        };
        let none = found(NestedGroupBehavior::None);
        let [maya, jonas, priya] = none.as_slice() else {
            panic!("three people")
        };
        assert_eq!(maya.1, ["engineering", "analytics"]);
        assert!(maya.2.contains(&"empty_part"), "{maya:?}");
        assert!(
            jonas.1.contains(&"/eng/payments".to_owned())
                && jonas.1.contains(&"/contractors/payments".to_owned())
        );
        assert!(
            priya.1.is_empty() && priya.2.contains(&"group_overage"),
            "{priya:?}"
        );

        let suffix = found(NestedGroupBehavior::Suffix);
        assert_eq!(
            suffix[1]
                .1
                .iter()
                .filter(|name| *name == "payments")
                .count(),
            1
        );
        assert!(suffix[1].2.contains(&"suffix_collision"), "{suffix:?}");
    }
}
