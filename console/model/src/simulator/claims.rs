//! The claims of a token, as a list from which the claim path can be chosen, and the group claims of
//! well-known identity providers.

use gbac_engine::ClaimSet;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{ClaimSource, suggest_paths};
use gbac_words::escape::plain;
use gbac_words::phrases::count;
use serde_json::{Map, Value};

use crate::simulator::identity::SimulatedIdentity;

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

fn json(claims: &ClaimSet) -> Map<String, Value> {
    match serde_json::from_str(&claims.to_string()) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
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

/// A provider, or one of its ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderPreset {
    /// The value in a form.
    pub id: &'static str,
    /// What is shown.
    pub name: &'static str,
    /// The claim path; none where no path finds groups.
    pub path: Option<&'static str>,
    /// What to know about it.
    pub about: &'static str,
}

const fn preset(
    id: &'static str,
    name: &'static str,
    path: &'static str,
    about: &'static str,
) -> ProviderPreset {
    ProviderPreset {
        id,
        name,
        path: Some(path),
        about,
    }
}

/// Every preset.
pub const PRESETS: &[ProviderPreset] = &[
    preset(
        "keycloak-groups",
        "Keycloak, group mapper",
        "$.groups",
        "Names are paths such as /company/eng, unless “Full group path” is off in the mapper.",
    ),
    preset(
        "keycloak-realm-roles",
        "Keycloak, realm roles",
        "$.realm_access.roles",
        "Roles that every user has, such as offline_access, come with them.",
    ),
    preset(
        "keycloak-client-roles",
        "Keycloak, client roles",
        "$.resource_access['my-client'].roles",
        "Put the client’s name in place of my-client; a name with a dot or hyphen needs the brackets.",
    ),
    preset(
        "okta",
        "Okta, custom authorization server",
        "$.groups",
        "Add the groups claim to the access token; it lists at most 100 groups.",
    ),
    preset(
        "auth0",
        "Auth0, plain claim",
        "$.kafka_groups",
        "An action adds the claim under a name of your own; Auth0 drops one that is named groups.",
    ),
    preset(
        "auth0-url",
        "Auth0, namespaced claim",
        "$['https://example.com/groups']",
        "An action adds the claim under a URL of your own; the dots need the brackets, which Redpanda's brokers refuse.",
    ),
    preset(
        "entra-ids",
        "Entra ID, object IDs",
        "$.groups",
        "The names are GUIDs. Above 200 groups, the token contains an address instead, which is not followed.",
    ),
    preset(
        "entra-names",
        "Entra ID, names",
        "$.groups",
        "Set groupMembershipClaims to ApplicationGroup, and the optional claim groups of the access token to sam_account_name, or to cloud_displayname for groups of the cloud.",
    ),
    preset(
        "entra-roles",
        "Entra ID, app roles",
        "$.roles",
        "App roles are listed whatever the number of groups, so they avoid the overage.",
    ),
    preset(
        "pingone",
        "PingOne",
        "$.memberOfGroupNames",
        "The attribute’s name is chosen in the application’s attribute mapping.",
    ),
    preset(
        "cognito",
        "Cognito",
        "$.cognito:groups",
        "Access tokens have no audience; they name the client in client_id.",
    ),
    preset(
        "gitlab",
        "GitLab",
        "$.groups_direct",
        "Paths without a leading slash, in ID tokens; the access token cannot be read.",
    ),
    preset(
        "gitea",
        "Gitea",
        "$.groups",
        "Organizations, and teams as organization:team.",
    ),
    preset("authentik", "authentik", "$.groups", "Bare names."),
    preset(
        "canaille",
        "Canaille",
        "$.groups",
        "Unchanged names, which may be paths.",
    ),
    ProviderPreset {
        id: "zitadel",
        name: "ZITADEL",
        path: None,
        about: "Roles are the keys of an object, which a claim path can't select. Add an action that writes them as a list.",
    },
    ProviderPreset {
        id: "google",
        name: "Google",
        path: None,
        about: "No token has a group claim, and access tokens cannot be read.",
    },
    preset(
        "glewlwyd",
        "Glewlwyd",
        "$.groups",
        "One string with commas, which is split; names may be paths.",
    ),
];

/// The providers that stand beside the token: a value, a name, and the presets of each, the
/// likeliest first.
pub const PROVIDERS: &[(&str, &str, &[&str])] = &[
    (
        "keycloak",
        "Keycloak",
        &[
            "keycloak-groups",
            "keycloak-realm-roles",
            "keycloak-client-roles",
        ],
    ),
    ("entra", "Entra ID", &["entra-ids", "entra-roles"]),
    ("okta", "Okta", &["okta"]),
    ("auth0", "Auth0", &["auth0", "auth0-url"]),
];

/// The claim path of a provider: of its ways, the one that finds names in this token, else the
/// likeliest.
pub fn provider_path(provider: &str, who: Option<&SimulatedIdentity>) -> Option<String> {
    let (_, _, ids) = PROVIDERS.iter().find(|(id, ..)| *id == provider)?;
    let paths: Vec<&str> = ids.iter().filter_map(|id| find_preset(id)?.path).collect();
    let held = held_paths(who);
    for preset in &paths {
        if let Some(path) = held.iter().find(|path| fits(preset, path)) {
            return Some(path.clone());
        }
    }
    Some((*paths.first()?).to_owned())
}

/// The paths of a token that hold names, the likeliest first.
fn held_paths(who: Option<&SimulatedIdentity>) -> Vec<String> {
    let Some(SimulatedIdentity {
        taken: Some(taken), ..
    }) = who
    else {
        return Vec::new();
    };
    let found = suggest_paths(taken.read.claims.members());
    found.into_iter().map(|found| found.path).collect()
}

/// Whether a path is that of a preset. A name of one's own stands where the preset has an example.
fn fits(preset: &str, path: &str) -> bool {
    match preset.split_once("['") {
        Some(("" | "$", _)) => path.starts_with("$['http"),
        Some((before, _)) => match path.strip_prefix(before) {
            Some(rest) => rest.starts_with(['.', '[']),
            None => false,
        },
        None => path == preset,
    }
}

/// Finds a preset by its value in a form.
pub fn find_preset(id: &str) -> Option<&'static ProviderPreset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The paths of this token that hold names, the likeliest first, and after them those of providers.
pub fn completions(who: Option<&SimulatedIdentity>) -> Vec<String> {
    let mut paths = held_paths(who);
    for path in PRESETS.iter().filter_map(|preset| preset.path) {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Where the provider of this token describes itself, which is where its keys are named; shown, and
/// not fetched.
pub fn discovery(who: &SimulatedIdentity) -> Option<String> {
    let issuer = who.taken.as_ref()?.read.claims.issuer()?;
    let base = issuer.strip_suffix('/').unwrap_or(issuer);
    base.starts_with("https://")
        .then(|| format!("{base}/.well-known/openid-configuration"))
}

#[cfg(test)]
mod tests {
    use gbac_analysis::provider::AcceptedTokens;
    use serde_json::json;
    use std::collections::BTreeSet;

    use super::*;
    use crate::simulator::identity::of_service;
    use crate::simulator::inputs::{IdentityMode, InputEdit, Inputs};
    use crate::simulator::tests::{compact, evaluate, policy};

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
            let service = of_service(policy.settings());
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

    #[test]
    fn every_preset_can_be_used() {
        let ids: BTreeSet<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        assert_eq!(ids.len(), PRESETS.len());
        for preset in PRESETS {
            assert_eq!(find_preset(preset.id), Some(preset));
            assert!(preset.about.ends_with('.'));
            if let Some(path) = preset.path {
                ClaimPath::parse(path).unwrap();
            }
        }
    }

    #[test]
    fn a_provider_reads_groups_where_the_token_has_them() {
        let path = |provider: &str, claims: serde_json::Value| {
            let inputs = Inputs {
                token: claims.to_string(),
                as_claims: true,
                ..Inputs::default()
            };
            let view = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), 0.0);
            provider_path(provider, view.who.as_deref()).unwrap()
        };
        let roles = json!({ "sub": "a", "realm_access": { "roles": ["x"] } });
        let client = json!({ "sub": "a", "resource_access": { "my.app": { "roles": ["x"] } } });
        assert_eq!(
            path(
                "keycloak",
                json!({ "sub": "a", "groups": ["x"], "realm_access": { "roles": ["x"] } })
            ),
            "$.groups"
        );
        assert_eq!(path("keycloak", roles), "$.realm_access.roles");
        assert_eq!(
            path("keycloak", client),
            "$.resource_access['my.app'].roles"
        );
        assert_eq!(
            path("entra", json!({ "sub": "a", "roles": ["x"] })),
            "$.roles"
        );
        assert_eq!(
            path("auth0", json!({ "sub": "a", "https://x.example/g": ["x"] })),
            "$['https://x.example/g']"
        );
        // Without names, it is the provider's usual place.
        assert_eq!(path("okta", json!({ "sub": "a" })), "$.groups");
        assert_eq!(provider_path("auth0", None).unwrap(), "$.kafka_groups");
        assert_eq!(provider_path("nobody", None), None);
        for (.., ids) in PROVIDERS {
            assert!(ids.iter().all(|id| find_preset(id).is_some()));
        }
    }

    #[test]
    fn every_shape_has_a_preset_that_finds_its_groups() {
        let shapes: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/claim-shapes.json")).unwrap();
        let mut used = BTreeSet::new();
        for shape in shapes.as_array().unwrap() {
            let Some(id) = shape["preset"].as_str() else {
                continue;
            };
            used.insert(id);
            let preset = find_preset(id).unwrap_or_else(|| panic!("no preset {id}"));
            let Some(path) = preset.path else { continue };
            assert_eq!(Some(path), shape["path"].as_str(), "{id}");
        }
        let all: BTreeSet<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        assert_eq!(used, all);
    }

    #[test]
    fn the_token_completes_first() {
        let claims = json!({ "sub": "a", "iss": "https://idp.example/realms/x/", "realm_access": { "roles": ["x"] } });
        let inputs = Inputs {
            token: claims.to_string(),
            as_claims: true,
            ..Inputs::default()
        };
        let who = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), 0.0)
            .who
            .unwrap();
        let paths = completions(Some(&who));
        assert_eq!(paths[0], "$.realm_access.roles");
        assert_eq!(
            paths
                .iter()
                .filter(|path| *path == "$.realm_access.roles")
                .count(),
            1
        );
        assert!(completions(None).contains(&"$.groups".to_owned()));
        assert_eq!(
            discovery(&who).as_deref(),
            Some("https://idp.example/realms/x/.well-known/openid-configuration")
        );
    }
}
