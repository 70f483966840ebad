//! What is odd about the name of a principal, in sentences: what can never match, and what is nearly another name.

use gbac_analysis::{NameIndex, name_findings};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;
use leptos::prelude::*;
use std::collections::BTreeSet;

use super::escape::plain;
use super::words::fault;

/// What lint finds about the name of one principal, each as two sentences without the final period.
#[must_use]
pub fn remarks(policy: &Policy, known: &NameIndex, principal: &Principal) -> Vec<String> {
    let findings = name_findings(policy, principal, known);
    findings.iter().map(|finding| fault(&finding.message, &finding.hint)).collect()
}

/// The most names that are remembered.
const MOST: usize = 20_000;

/// The names of groups that this tab has seen in tokens and audit events; a context of every page. It ends with the tab.
#[derive(Clone, Copy)]
pub struct SeenGroups(RwSignal<BTreeSet<String>>);

impl Default for SeenGroups {
    fn default() -> Self {
        Self::new()
    }
}

impl SeenGroups {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self(RwSignal::new(BTreeSet::new()))
    }

    /// Remembers names, as far as there is room.
    pub fn add<'a>(self, names: impl IntoIterator<Item = &'a str>) {
        let mut new: Vec<String> = Vec::new();
        self.0.with_untracked(|seen| {
            let unseen = names.into_iter().filter(|name| !seen.contains(*name));
            new.extend(unseen.take(MOST.saturating_sub(seen.len())).map(str::to_owned));
        });
        if !new.is_empty() {
            self.0.update(|seen| seen.extend(new));
        }
    }

    /// Why to look again at a group that nobody is known to be in; none for one that a token, an audit event or the policy
    /// names.
    #[must_use]
    pub fn unseen(self, policy: &Policy, principal: &Principal) -> Option<String> {
        if principal.kind() != PrincipalType::Group {
            return None;
        }
        let is_known = policy.known_principals().any(|known| known == principal);
        let is_seen = is_known || self.0.with(|seen| seen.contains(principal.name()));
        (!is_seen).then(|| {
            format!(
                "`{}` is not seen in any token or policy here. Check that the identity provider sends this name",
                plain(&principal.to_string())
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let member = |name: &str| json!({ "principal": name });
        policy_from_value(&json!({ "version": 1, "roles": [
            { "name": "R", "members": [member("Group:payments"), member("Group:Payments"), member("Group:/eng")] } ] }))
        .unwrap()
    }

    #[test]
    fn names_that_can_never_match_are_told() {
        let policy = policy();
        let known = NameIndex::new(&policy);
        let said = |name: &str| remarks(&policy, &known, &Principal::group(name)).join("; ");
        assert!(said("eng*").starts_with("`Group:eng*` is not a wildcard"), "{}", said("eng*"));
        assert!(said("Group:eng").starts_with("`Group:Group:eng` is the group named `Group:eng`"));
        assert!(said("eng/").contains("differ only in leading or trailing slashes"), "{}", said("eng/"));
        // Also where both exist.
        assert!(said("payments").contains("`Group:Payments` and `Group:payments` differ only in letter case"));
        assert_eq!(said("analysts"), "");
    }

    #[test]
    fn a_group_that_nothing_here_names_is_told_until_it_is_seen() {
        Owner::new().with(|| {
            let (policy, seen) = (policy(), SeenGroups::new());
            let unseen = |principal: Principal| seen.unseen(&policy, &principal);
            assert_eq!(unseen(Principal::group("payments")), None);
            assert_eq!(unseen(Principal::user("new.hire")), None);
            let told = unseen(Principal::group("ops")).unwrap();
            assert!(told.starts_with("`Group:ops` is not seen in any token or policy here"), "{told}");
            seen.add(["ops", "x"]);
            assert_eq!(unseen(Principal::group("ops")), None);
            seen.add((0..2 * MOST).map(|_| "y"));
            assert!(seen.0.with_untracked(BTreeSet::len) <= MOST);
        });
    }
}
