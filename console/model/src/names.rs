//! Findings about a principal's name, as sentences: names that can never match, and near misses.

use gbac_analysis::{NameIndex, name_findings};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;
use gbac_words::escape::plain;
use gbac_words::phrases::with_hint;
use std::collections::BTreeSet;

/// What lint finds about the name of one principal, each as two sentences without the final period.
pub fn remarks(policy: &Policy, known: &NameIndex, principal: &Principal) -> Vec<String> {
    let findings = name_findings(policy, principal, known);
    findings
        .iter()
        .map(|finding| with_hint(&finding.message, &finding.hint))
        .collect()
}

/// The names that are entered, one a line.
pub(crate) fn entered(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

/// Why to check a group that nothing here names: no token, no audit event and no principal of the
/// policy. `seen` are the names of groups in tokens and audit events.
pub fn unseen(policy: &Policy, seen: &BTreeSet<String>, principal: &Principal) -> Option<String> {
    if principal.kind() != PrincipalType::Group {
        return None;
    }
    let is_known = policy.known_principals().any(|known| known == principal)
        || seen.contains(principal.name());
    (!is_known).then(|| {
        format!(
            "`{}` is not seen in any token or policy here. Check that the identity provider sends this name",
            plain(&principal.to_string())
        )
    })
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
        assert!(
            said("eng*").starts_with("`Group:eng*` is not a wildcard"),
            "{}",
            said("eng*")
        );
        assert!(said("Group:eng").starts_with("`Group:Group:eng` is the group named `Group:eng`"));
        assert!(
            said("eng/").contains("differ only in leading or trailing slashes"),
            "{}",
            said("eng/")
        );
        // Also where both exist.
        assert!(
            said("payments")
                .contains("`Group:Payments` and `Group:payments` differ only in letter case")
        );
        assert_eq!(said("analysts"), "");
    }

    #[test]
    fn a_group_that_nothing_here_names_is_told_until_it_is_seen() {
        let (policy, mut seen) = (policy(), BTreeSet::new());
        assert_eq!(unseen(&policy, &seen, &Principal::group("payments")), None);
        assert_eq!(unseen(&policy, &seen, &Principal::user("new.hire")), None);
        let text = unseen(&policy, &seen, &Principal::group("ops")).unwrap();
        assert!(
            text.starts_with("`Group:ops` is not seen in any token or policy here"),
            "{text}"
        );
        seen.insert("ops".into());
        assert_eq!(unseen(&policy, &seen, &Principal::group("ops")), None);
    }
}
