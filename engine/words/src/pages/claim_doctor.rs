//! The sentences of the claim doctor, and what administrators of identity providers change.

use crate::extraction::kept_names;
use crate::phrases::{agree, count, timestamp};
use crate::rich_text::RichText;
use gbac_engine::groups::NestedGroupBehavior;

pub const PASTE_TOKEN: &str = "Paste a token to see its groups.";
pub const UNREADABLE: &str = "This text can't be examined";
pub const NO_GROUPS: &str = "No groups with the default setting";
pub const DEFAULT_PATH: &str = "the default";
pub const NO_NAMES: &str = "None";
/// Of an ID token, whose groups say nothing about those of clusters.
pub const PASTE_ACCESS_TOKEN: &str = "Paste the access token first.";

/// The groups that a token has where clusters read them by default.
pub fn found(groups: usize) -> String {
    format!("{} with the default setting", count(groups, "group"))
}

/// Groups whose names are not those that were meant.
pub fn broken(groups: usize) -> String {
    match groups {
        1 => "The group name is broken".into(),
        _ => format!("The {} are broken", count(groups, "group name")),
    }
}

/// A token whose time is over, in seconds since 1970.
pub fn expired(at: f64) -> String {
    format!(
        "This token expired on {}: its groups are those of an old sign-in.",
        timestamp(at)
    )
}

/// A path that only brokers refuse (D-29); `is_list` if it takes members of a list of objects.
pub fn refused_path(is_list: bool) -> RichText {
    let instead = if is_list {
        "Let the identity provider send a list of names."
    } else {
        "Rename the claim to letters, digits, `_`, `-` and `:`, such as `kafka_groups`, for the path `$.kafka_groups`."
    };
    RichText::message(&format!(
        "Redpanda's brokers refuse this path: they read only dotted names. {instead}"
    ))
}

/// Where else a token has names, where brokers refuse every path to them.
pub fn elsewhere_refused(paths: usize) -> String {
    let claims = agree(paths, "another claim", "other claims");
    format!("Names are in {claims}, at a path that Redpanda's brokers refuse.")
}

/// Where else a token has names; they may be something else.
pub fn elsewhere(paths: usize) -> RichText {
    let claims = agree(paths, "another claim", "other claims");
    let number = if paths == 1 {
        String::new()
    } else {
        format!("{paths} ")
    };
    let they = agree(paths, "that claim", "those claims");
    RichText::from(format!(
        "Names are in {number}{claims}. If they are the groups, set the claim path to {they}; if not, change the identity provider."
    ))
}

/// What a nested group behavior does to the names.
pub fn nested(behavior: NestedGroupBehavior) -> RichText {
    RichText::from("Groups are ")
        .text(kept_names(behavior))
        .text(".")
}

/// Groups that are not listed.
pub fn more(groups: usize) -> String {
    format!("and {} more", count(groups, "group"))
}

/// An identity provider: where its groups are, and how they get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderGuide {
    /// A name for programs.
    pub code: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// The steps of its administrator; what is in backticks is code.
    pub steps: &'static [&'static str],
    /// The claim path afterwards; none where no setting helps.
    pub path: Option<&'static str>,
    /// The settings, as lines of a request to the administrator; empty where there is nothing to ask.
    pub request: &'static [&'static str],
}

/// Every provider with steps of its own.
pub const PROVIDERS: &[ProviderGuide] = &[
    ProviderGuide {
        code: "entra",
        name: "Entra ID",
        steps: &[
            "Open the app registration, then Token configuration, and add a groups claim.",
            "Select the groups assigned to the application: with more than 200 groups, a token has a link and no list.",
            "Send names, not object IDs: `sAMAccountName` for synchronized groups, `cloud_displayname` in the manifest for cloud groups.",
            "Assign to the application the groups that roles and ACLs name, then sign in again.",
        ],
        path: Some("$.groups"),
        request: &[
            "Token configuration > Add groups claim",
            "  Groups assigned to the application",
            "  Access token: sAMAccountName (cloud groups: cloud_displayname in the manifest)",
        ],
    },
    ProviderGuide {
        code: "okta",
        name: "Okta",
        steps: &[
            "Open Security, API, Authorization Servers, and a custom server. The org server adds groups to ID tokens only.",
            "Open Claims, and add the claim `groups` to the access token, with the value type Groups.",
            "Filter by a prefix such as `kafka-`, so that fewer than 100 groups of a user match.",
            "Sign in again.",
        ],
        path: Some("$.groups"),
        request: &[
            "Security > API > Authorization Servers > (custom server) > Claims > Add Claim",
            "  Name: groups",
            "  Include in: Access Token, Always",
            "  Value type: Groups, filtered to the groups of Kafka",
        ],
    },
    ProviderGuide {
        code: "keycloak",
        name: "Keycloak",
        steps: &[
            "Open Clients, the client, then Client scopes, and the scope whose name ends in `-dedicated`.",
            "Add a mapper by configuration: Group Membership, with the token claim name `groups`.",
            "Turn on Add to access token. With Full group path, names begin with a slash: `/eng/payments`.",
            "Sign in again.",
        ],
        path: Some("$.groups"),
        request: &[
            "Clients > (client) > Client scopes > (client)-dedicated > Add mapper > Group Membership",
            "  Token claim name: groups",
            "  Add to access token: On",
        ],
    },
    ProviderGuide {
        code: "auth0",
        name: "Auth0",
        steps: &[
            "Open Actions, Triggers, post-login, and add an action.",
            "Set a claim with a plain name such as `kafka_groups`: Auth0 drops a claim that is named `groups`.",
            "`api.accessToken.setCustomClaim('kafka_groups', groups)`",
            "Deploy the action, and sign in again.",
        ],
        path: Some("$.kafka_groups"),
        request: &[
            "Actions > Triggers > post-login, with an action:",
            "  api.accessToken.setCustomClaim('kafka_groups', [names of the groups])",
        ],
    },
    ProviderGuide {
        code: "google",
        name: "Google",
        steps: &[
            "Google's ID tokens have no groups, so no claim path finds any.",
            "Put a provider such as Keycloak or Entra ID between Google and the cluster, and let it add the groups.",
            "Or grant access to users by the claim `sub`, which never changes: `User:110169484474386276334`.",
        ],
        path: None,
        request: &[
            "A provider such as Keycloak with Google as its identity source, with group names in access tokens",
        ],
    },
    ProviderGuide {
        code: "cognito",
        name: "Cognito",
        steps: &[
            "Access tokens of users who are in a group of the user pool have its name already, in `cognito:groups`.",
            "By default, access tokens have no `aud` claim. A cluster that requires an audience refuses them.",
        ],
        path: Some("$.cognito:groups"),
        request: &[],
    },
];

/// The request to the administrator of a provider, if there is anything to ask.
pub fn request(guide: &ProviderGuide, reason: &str) -> Option<String> {
    if guide.request.is_empty() {
        return None;
    }
    let lines = guide.request.join("\n");
    Some(format!(
        "Please add the names of groups to access tokens in {}:\n\n{lines}\n\nWhy: {reason}",
        guide.name
    ))
}

#[cfg(test)]
mod tests {
    use super::{PROVIDERS, broken, elsewhere, found};
    use gbac_engine::claim_path::ClaimPath;

    #[test]
    fn every_guide_has_a_path_that_clusters_read() {
        for guide in PROVIDERS {
            assert!(!guide.steps.is_empty());
            if let Some(path) = guide.path {
                assert!(ClaimPath::parse(path).is_ok(), "{path}");
                // The platform accepts only dotted names (D-29).
                assert!(!path.contains('['), "{path}");
            }
        }
    }

    #[test]
    fn counts_agree() {
        assert_eq!(broken(1), "The group name is broken");
        assert_eq!(broken(2), "The 2 group names are broken");
        assert_eq!(found(1), "1 group with the default setting");
        assert!(
            elsewhere(1)
                .plain()
                .starts_with("Names are in another claim. ")
        );
        assert!(
            elsewhere(2)
                .plain()
                .starts_with("Names are in 2 other claims. ")
        );
    }
}
