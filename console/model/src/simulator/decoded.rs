//! The decoded token: its header, and its claims as a list from which the claim path can be chosen.

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::ClaimSource;
use gbac_words::escape::plain;
use gbac_words::phrases::count;
use serde_json::{Map, Value};

use crate::simulator::SimulatedIdentity;

/// How many claims are listed, those inside others too.
const LISTED: usize = 200;
/// How deep claims inside claims are listed.
const DEPTH: usize = 4;
/// How many characters of a value are shown.
const VALUE_CHARS: usize = 400;

/// A decoded token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The header as JSON; none for claims that were entered without a token.
    pub header: Option<String>,
    /// The claims.
    pub claims: Vec<DecodedClaim>,
    /// What there is: `header and 12 claims`.
    pub summary: String,
}

/// A claim, or a member of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedClaim {
    /// How deep it is inside other claims; 0 for a claim itself.
    pub depth: usize,
    /// Its name.
    pub name: String,
    /// Its claim path; none where its name cannot be in one.
    pub path: Option<String>,
    /// Its value on one line; empty where its members follow.
    pub value: String,
    /// Whether groups are read from it.
    pub is_claim_path: bool,
}

/// The decoded token of an identity; none where names were entered by hand.
pub fn decoded(who: &SimulatedIdentity) -> Option<Decoded> {
    let taken = who.taken.as_ref()?;
    let json = |claims: &gbac_engine::ClaimSet| match serde_json::from_str(&claims.to_string()) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let header = taken
        .read
        .header
        .as_ref()
        .map(|header| json(header.members()));
    let members = json(taken.read.claims.members());
    let in_force = match &taken.rules.extraction.source {
        ClaimSource::Token(path) => Some(path.to_string()),
        ClaimSource::UserInfo(_) => None,
    };
    let mut claims = Vec::new();
    list(&members, &mut Vec::new(), in_force.as_deref(), &mut claims);
    let number = count(members.len(), "claim");
    Some(Decoded {
        summary: if header.is_some() {
            format!("header and {number}")
        } else {
            number
        },
        header: header.map(|header| {
            let text = serde_json::to_string_pretty(&header).unwrap_or_default();
            text.lines().map(line).collect::<Vec<_>>().join("\n")
        }),
        claims,
    })
}

fn list<'a>(
    members: &'a Map<String, Value>,
    above: &mut Vec<&'a str>,
    in_force: Option<&str>,
    claims: &mut Vec<DecodedClaim>,
) {
    for (name, value) in members {
        if claims.len() >= LISTED {
            return;
        }
        above.push(name);
        let path = ClaimPath::parse(&ClaimPath::text_to(above.iter().copied()))
            .ok()
            .map(|path| path.to_string());
        let inside = value
            .as_object()
            .filter(|inside| !inside.is_empty() && above.len() < DEPTH);
        claims.push(DecodedClaim {
            depth: above.len() - 1,
            name: name.clone(),
            is_claim_path: path.is_some() && path.as_deref() == in_force,
            path,
            value: if inside.is_some() {
                String::new()
            } else {
                shortened(value)
            },
        });
        if let Some(inside) = inside {
            list(inside, above, in_force, claims);
        }
        above.pop();
    }
}

/// A line of JSON whose names and values are shown as they are; the blanks before it stay.
fn line(text: &str) -> String {
    let content = text.trim_start();
    " ".repeat(text.len() - content.len()) + &plain(content)
}

fn shortened(value: &Value) -> String {
    let text = plain(&value.to_string());
    if text.chars().count() <= VALUE_CHARS {
        return text;
    }
    let first: String = text.chars().take(VALUE_CHARS).collect();
    format!("{first}…")
}

#[cfg(test)]
mod tests {
    use gbac_analysis::provider::AcceptedTokens;
    use serde_json::json;

    use super::*;
    use crate::simulator::evaluate;
    use crate::simulator::inputs::{IdentityMode, InputEdit, Inputs};
    use crate::simulator::tests::{compact, policy};

    #[test]
    fn every_claim_is_listed_and_can_be_the_claim_path() {
        let claims = json!({ "sub": "maya", "groups": ["a", "b"], "realm_access": { "roles": ["x", "y"] },
            "https://x/g": ["z"], "exp": 9_000_000_000_u64 });
        let token = compact(&json!({ "alg": "RS256", "kid": "k" }), &claims);
        let mut inputs = Inputs {
            token,
            ..Inputs::default()
        };
        let policy = policy();
        let view =
            |inputs: &Inputs| evaluate(inputs, Some(&policy), &AcceptedTokens::default(), 0.0);
        let found = decoded(&view(&inputs).who.unwrap()).unwrap();
        assert_eq!(found.summary, "header and 5 claims");
        assert_eq!(
            found.header.as_deref(),
            Some("{\n  \"alg\": \"RS256\",\n  \"kid\": \"k\"\n}")
        );
        let told: Vec<(usize, &str, &str, bool)> = (found.claims.iter())
            .map(|claim| {
                (
                    claim.depth,
                    claim.path.as_deref().unwrap(),
                    claim.value.as_str(),
                    claim.is_claim_path,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (0, "$.exp", "9000000000", false),
                (0, "$.groups", "[\"a\",\"b\"]", true),
                (0, "$['https://x/g']", "[\"z\"]", false),
                (0, "$.realm_access", "", false),
                (1, "$.realm_access.roles", "[\"x\",\"y\"]", false),
                (0, "$.sub", "\"maya\"", false),
            ]
        );
        // Each of them is read once it is chosen.
        for (path, groups) in [
            ("$['https://x/g']", vec!["z"]),
            ("$.realm_access.roles", vec!["x", "y"]),
        ] {
            let service = view(&inputs).service;
            InputEdit::TryClaimPath(path.into()).apply(&mut inputs, &service);
            let who = view(&inputs).who.unwrap();
            assert_eq!(who.identity.as_ref().unwrap().groups(), groups);
            let chosen: Vec<DecodedClaim> = decoded(&who)
                .unwrap()
                .claims
                .into_iter()
                .filter(|claim| claim.is_claim_path)
                .collect();
            assert_eq!(chosen.len(), 1);
            assert_eq!(chosen[0].path.as_deref(), Some(path));
        }
        let by_hand = Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            ..Inputs::default()
        };
        assert_eq!(decoded(&view(&by_hand).who.unwrap()), None);
    }

    #[test]
    fn hostile_claims_are_cut_short() {
        let many: Map<String, Value> = (0..500)
            .map(|number| (format!("c{number:03}"), json!({ "x": 1 })))
            .collect();
        let long = json!({ "sub": "m\u{202e}", "long": "x".repeat(5000), "a": { "b": { "c": { "d": { "e": 1 } } } } });
        for (claims, most) in [(Value::Object(many), LISTED + DEPTH), (long, 10)] {
            let inputs = Inputs {
                token: claims.to_string(),
                as_claims: true,
                ..Inputs::default()
            };
            let who = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), 0.0)
                .who
                .unwrap();
            let found = decoded(&who).unwrap();
            assert!(found.claims.len() <= most && found.header.is_none());
            assert!(
                found
                    .claims
                    .iter()
                    .all(|claim| claim.value.chars().count() <= VALUE_CHARS + 1)
            );
            assert!(
                found
                    .claims
                    .iter()
                    .all(|claim| !claim.value.contains('\u{202e}'))
            );
        }
    }
}
