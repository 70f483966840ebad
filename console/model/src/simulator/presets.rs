//! Group claims of well-known identity providers, and claim paths that fit the entered token.

use gbac_engine::groups::suggest_paths;

use crate::simulator::SimulatedIdentity;

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
        "Auth0, namespaced claim",
        "$['https://example.com/groups']",
        "An action adds the claim under a URL of your own; the dots need the brackets.",
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
        "$['cognito:groups']",
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
    ("auth0", "Auth0", &["auth0"]),
];

/// The claim path of a provider: of its ways, the one that finds names in this token, else the
/// likeliest.
pub fn provider_path(provider: &str, who: Option<&SimulatedIdentity>) -> Option<String> {
    let (_, _, ids) = PROVIDERS.iter().find(|(id, ..)| *id == provider)?;
    let paths: Vec<&str> = ids.iter().filter_map(|id| find(id)?.path).collect();
    let held = who.and_then(|who| who.taken.as_ref());
    let held = held
        .map(|taken| suggest_paths(taken.read.claims.members()))
        .unwrap_or_default();
    // A name of one's own stands where the preset has an example.
    let fits = |preset: &str, path: &str| match preset.split_once("['") {
        Some((before, _)) if before.is_empty() || before == "$" => path.starts_with("$['http"),
        Some((before, _)) => path
            .strip_prefix(before)
            .is_some_and(|rest| rest.starts_with(['.', '['])),
        None => path == preset,
    };
    let found = paths.iter().find_map(|preset| {
        held.iter()
            .find(|suggestion| fits(preset, &suggestion.path))
    });
    found
        .map(|suggestion| suggestion.path.clone())
        .or_else(|| paths.first().map(|path| (*path).to_owned()))
}

/// Finds a preset by its value in a form.
pub fn find(id: &str) -> Option<&'static ProviderPreset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The paths of this token that hold names, the likeliest first, and after them those of providers.
pub fn completions(who: Option<&SimulatedIdentity>) -> Vec<String> {
    let claims = who
        .and_then(|who| who.taken.as_ref())
        .map(|taken| taken.read.claims.members());
    let mut paths: Vec<String> = claims
        .map(|claims| {
            suggest_paths(claims)
                .into_iter()
                .map(|found| found.path)
                .collect()
        })
        .unwrap_or_default();
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
    use std::collections::BTreeSet;

    use gbac_engine::claim_path::ClaimPath;
    use serde_json::json;

    use super::*;
    use crate::simulator::evaluate;
    use crate::simulator::inputs::Inputs;
    use crate::simulator::tests::policy;

    #[test]
    fn every_preset_can_be_used() {
        let ids: BTreeSet<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        assert_eq!(ids.len(), PRESETS.len());
        for preset in PRESETS {
            assert_eq!(find(preset.id), Some(preset));
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
        assert_eq!(
            provider_path("auth0", None).unwrap(),
            "$['https://example.com/groups']"
        );
        assert_eq!(provider_path("nobody", None), None);
        for (.., ids) in PROVIDERS {
            assert!(ids.iter().all(|id| find(id).is_some()));
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
            let preset = find(id).unwrap_or_else(|| panic!("no preset {id}"));
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
