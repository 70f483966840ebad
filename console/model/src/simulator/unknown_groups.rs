//! A token with a link in place of its groups: which group would allow the request, and which would
//! deny what is allowed without them.

use gbac_analysis::{denied_groups, least_grant};
use gbac_engine::decide::{At, Decision, Reason};
use gbac_engine::groups::{ClaimFinding, MissingReason};
use gbac_engine::identity::Identity;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Policy;

use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::question::AccessRequest;

/// How many groups are offered.
const OFFERED: usize = 5;

/// The groups of which each alone would allow a request that nothing allows, those that open every
/// name or the cluster last; and how many more there are.
pub fn allowing_groups(
    policy: &Policy,
    identity: &Identity,
    access: &AccessRequest,
) -> (Vec<String>, usize) {
    let found = least_grant(policy, identity, &[access.request(At::IgnoringExpiry)]);
    let is_unmatched = found
        .decisions
        .iter()
        .all(|decision| decision.reason == Reason::NoMatch);
    let mut groups = Vec::new();
    for set in found.memberships_to_add {
        match set.as_slice() {
            [only] if is_unmatched && only.kind() == PrincipalType::Group => {
                groups.push(only.name().to_owned());
            }
            _ => {}
        }
    }
    let more = groups.len().saturating_sub(OFFERED);
    groups.truncate(OFFERED);
    (groups, more)
}

/// The groups that would deny a request that an ACL allows, of a user whose groups are unknown;
/// none where they are known.
pub(super) fn denying_groups(
    policy: &Policy,
    who: &SimulatedIdentity,
    access: &AccessRequest,
    decision: &Decision,
) -> Vec<String> {
    let overage = ClaimFinding::Missing {
        reason: MissingReason::Overage,
    };
    match &who.taken {
        Some(taken) if taken.extraction.claim == overage => match decision.reason {
            Reason::AllowRule => denied_groups(policy, &access.request(At::IgnoringExpiry)),
            Reason::DenyRule | Reason::NoMatch | Reason::Superuser | Reason::Expired => Vec::new(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gbac_analysis::provider::AcceptedTokens;
    use gbac_engine::model::{Operation, ResourceType};
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;
    use crate::simulator::inputs::Inputs;
    use crate::simulator::tests::{evaluate, policy};
    use crate::simulator::verdict::VerdictKind;

    const NOW: f64 = 1_795_243_000.0;

    #[test]
    fn what_is_allowed_without_the_groups_says_which_would_deny_it() {
        let acl = |principal: &str, permission: &str| {
            json!({
                "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders",
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal,
                "host": "*", "operation": "OPERATION_READ",
                "permission_type": format!("PERMISSION_TYPE_{permission}"),
            })
        };
        let document = json!({
            "version": 1,
            "settings": {},
            "roles": [{ "name": "Blocked", "members": [{ "principal": "Group:interns" }] }],
            "acls": [
                acl("User:priya", "ALLOW"),
                acl("Group:contractors", "DENY"),
                acl("Role:Blocked", "DENY"),
            ],
        });
        let policy = Arc::new(policy_from_value(&document).unwrap());
        let verdict = |name: &str, claims: serde_json::Value| {
            let inputs = Inputs {
                token: claims.to_string(),
                as_claims: true,
                operation: Operation::Read,
                resource_type: ResourceType::Topic,
                resource_name: name.into(),
                ..Inputs::default()
            };
            let view = evaluate(&inputs, Some(&policy), &AcceptedTokens::default(), NOW);
            let verdict = view.verdict.unwrap();
            (
                verdict.kind,
                verdict.sentence.plain(),
                verdict.denying_groups,
            )
        };
        let overage = json!({ "sub": "priya", "exp": NOW + 60.0, "_claim_names": { "groups": "s" },
            "_claim_sources": { "s": { "endpoint": "https://graph.example/x" } } });
        let (kind, sentence, groups) = verdict("orders", overage.clone());
        assert_eq!(kind, VerdictKind::AllowedIf);
        assert!(
            sentence.starts_with("User:priya can read topic orders, if ")
                && sentence
                    .ends_with("the user is in none of: Group:contractors and Group:interns"),
            "{sentence}"
        );
        assert_eq!(groups, ["contractors", "interns"]);
        // What nothing allows does not, and a token with groups says it by the decision.
        let (kind, _, groups) = verdict("other", overage);
        assert_eq!((kind, groups.len()), (VerdictKind::NothingAllows, 0));
        let known = json!({ "sub": "priya", "exp": NOW + 60.0, "groups": ["ops"] });
        let (_, sentence, groups) = verdict("orders", known);
        assert!(
            !sentence.contains("none of") && groups.is_empty(),
            "{sentence}"
        );
    }

    #[test]
    fn each_group_alone_allows_the_request() {
        let access = |operation, name: &str| AccessRequest {
            operation,
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            host: None,
        };
        let user = Identity::new("priya", [""; 0]);
        let offered = |access: &AccessRequest| allowing_groups(&policy(), &user, access);
        let write = access(Operation::Write, "payments-settled");
        let (groups, more) = offered(&write);
        assert_eq!(
            (groups.as_slice(), more),
            (&["Payments", "payments"].map(String::from)[..], 0)
        );
        for group in groups {
            let held = user.with_groups([group.as_str()]);
            let decided =
                gbac_engine::decide::decide(&policy(), &held, &write.request(At::IgnoringExpiry));
            assert_eq!(decided.reason, Reason::AllowRule, "{group}");
        }
        // Nothing is missing, or no group has it.
        let root = Identity::new("root", [""; 0]);
        assert_eq!(allowing_groups(&policy(), &root, &write), (Vec::new(), 0));
        assert_eq!(offered(&access(Operation::Alter, "other")), (Vec::new(), 0));
    }
}
