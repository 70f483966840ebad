//! A token with a link in place of its groups: which group would allow the request.

use gbac_analysis::least_grant;
use gbac_engine::decide::{At, Reason};
use gbac_engine::identity::Identity;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Policy;

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

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, ResourceType};

    use super::*;
    use crate::simulator::tests::policy;

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
