//! The claims that the user and the groups are read from.

use gbac_engine::ClaimSet;
use gbac_engine::groups::suggest_paths;
use gbac_engine::model::Principal;

/// How many other claims are offered.
const OFFERED: usize = 4;

/// Where the user comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSource {
    /// The rule that read it: `$.sub`.
    pub rule: String,
    /// Its claim path, where the rule takes a claim as it is.
    pub path: Option<String>,
    /// The principal.
    pub principal: Principal,
}

impl UserSource {
    /// A user that a rule read.
    #[must_use]
    pub fn from_rule(rule: &str, user: &str) -> Self {
        // A rule with an expression takes a part of the claim only.
        let path = (!rule.contains('/')).then(|| rule.to_owned());
        Self {
            rule: rule.to_owned(),
            path,
            principal: Principal::user(user),
        }
    }

    /// A user that was entered by hand.
    #[must_use]
    pub fn by_hand(user: &str) -> Self {
        Self {
            rule: "by hand".into(),
            path: None,
            principal: Principal::user(user),
        }
    }
}

/// The claim that groups are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupClaim {
    /// Its path: `$.groups`.
    pub path: String,
    /// What was found there: `3 names`.
    pub found: String,
    /// Whether there is a list of names.
    pub is_there: bool,
    /// The paths of other claims that hold names, the likeliest first.
    pub others: Vec<String>,
}

impl GroupClaim {
    /// The claim at a path, and the others of the token that could take its place.
    #[must_use]
    pub fn at_path(path: &str, found: String, is_there: bool, claims: &ClaimSet) -> Self {
        let others = suggest_paths(claims)
            .into_iter()
            .map(|suggestion| suggestion.path);
        let others = others.filter(|other| other != path).take(OFFERED).collect();
        Self {
            path: path.to_owned(),
            found,
            is_there,
            others,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_claims_with_names_are_offered() {
        let claims =
            json!({ "sub": "maya", "groups": ["a"], "realm_access": { "roles": ["x"] }, "exp": 1 });
        let serde_json::Value::Object(members) = claims else {
            panic!("an object")
        };
        let claims = gbac_json::claims_from_object(members);
        let found = GroupClaim::at_path("$.groups", "1 name".into(), true, &claims);
        assert_eq!(found.others, ["$.realm_access.roles"]);
        assert!(
            GroupClaim::at_path("$.realm_access.roles", String::new(), true, &claims)
                .others
                .contains(&"$.groups".into())
        );
    }

    #[test]
    fn only_a_whole_claim_can_be_pressed() {
        assert_eq!(
            UserSource::from_rule("$.sub", "maya").path.as_deref(),
            Some("$.sub")
        );
        assert_eq!(
            UserSource::from_rule("$.email/([^@]+)@.*/$1/", "maya").path,
            None
        );
        let by_hand = UserSource::by_hand("maya");
        assert_eq!(
            (by_hand.path, by_hand.principal),
            (None, Principal::user("maya"))
        );
    }
}
