//! What lint found: what each finding means, where to mend it, and which of its mends is in the draft.

use std::collections::BTreeMap;
use std::sync::Arc;

use gbac_analysis::{Finding, Fix, Severity, lint};
use gbac_api::encode::query;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use leptos::prelude::*;

use crate::state::address::{self, value};
use crate::state::permissions::list;
use crate::state::words::count;

/// How many findings are on a page.
pub const PAGE: usize = 50;

/// What was found in the policy that was read; a context of the permissions pages and whoever wants a mark.
///
/// Linting a large policy takes a while, so it begins only when it is wanted, and not before the page is seen.
#[derive(Clone, Copy)]
pub struct Findings {
    /// The findings; none while nobody wanted them or they are not there yet.
    pub all: Signal<Option<Arc<Vec<Finding>>>>,
    held: RwSignal<Option<Arc<Vec<Finding>>>>,
    /// Of which policy they are.
    of: StoredValue<Option<Arc<Policy>>>,
}

impl Default for Findings {
    fn default() -> Self {
        Self::new()
    }
}

impl Findings {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let held = RwSignal::new(None);
        Self { all: held.into(), held, of: StoredValue::new(None) }
    }

    /// Finds what is odd in a policy, unless it is the one that was looked at last.
    pub fn look_at(self, policy: &Arc<Policy>) {
        if self.of.with_value(|of| of.as_ref().is_some_and(|of| Arc::ptr_eq(of, policy))) {
            return;
        }
        self.of.set_value(Some(Arc::clone(policy)));
        self.held.set(Some(Arc::new(lint(policy))));
    }
}

/// How many findings there are about each principal.
#[must_use]
pub fn by_principal(findings: &[Finding]) -> BTreeMap<Principal, Mark> {
    let mut marks: BTreeMap<Principal, Mark> = BTreeMap::new();
    for finding in findings {
        // Of ACLs, the first is the one that it is about.
        let of_acl = finding.acls.first().map(|acl| &acl.principal).filter(|_| finding.principals.is_empty());
        for principal in finding.principals.iter().chain(of_acl) {
            let mark = marks.entry(principal.clone()).or_default();
            mark.findings += 1;
            if matches!(finding.code, "name_letter_case" | "name_leading_slash") {
                mark.near = finding.principals.iter().find(|other| *other != principal).cloned();
            }
        }
    }
    marks
}

/// What was found about one principal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many findings.
    pub findings: usize,
    /// A principal that differs only in letter case or slashes.
    pub near: Option<Principal>,
}

/// What a kind of finding is called, and what it means for those who are concerned.
#[must_use]
pub fn meaning(code: &str) -> (&'static str, &'static str) {
    match code {
        "superuser_name_chosen" => (
            "Superusers named by a claim that people can choose",
            "Whoever can set that claim to a superuser's name may do everything.",
        ),
        "acl_unreachable" => (
            "Allows that never allow",
            "A deny on the same or a broader name wins every time, so nobody gets what the row says.",
        ),
        "acl_covered" => (
            "Rows that say nothing new",
            "Another ACL says the same and more. Without this one nothing is decided differently.",
        ),
        "operation_foreign" => {
            ("Operations that the resource does not have", "No request asks for this operation here.")
        }
        "role_missing" => (
            "ACLs of a role that does not exist",
            "They have no effect now, and take effect when a role with that name is created.",
        ),
        "role_without_members" => ("Roles that nobody has", "What they permit and deny reaches nobody."),
        "role_without_acls" => ("Roles without ACLs", "Whoever has such a role gets nothing through it."),
        "name_letter_case" => (
            "Names that differ only in letter case",
            "Names are compared byte by byte, so these are different principals, and one of them is probably a typo.",
        ),
        "name_leading_slash" => (
            "Names that differ only in slashes",
            "These are different principals. Which one tokens make depends on the identity provider's paths and the nested group behavior.",
        ),
        "group_path_with_suffix" => (
            "Paths that no token makes",
            "With suffix only the last segment of a path becomes a group, so a name with a slash is never met.",
        ),
        "principal_wildcard" => (
            "An asterisk that is no wildcard",
            "Only User:* stands for everyone. This is a group or role that is named with an asterisk.",
        ),
        "principal_type_twice" => (
            "A type inside a user's name",
            "A user whose name begins with a type: most often a group was meant, and the group gets nothing.",
        ),
        "member_is_everyone" => (
            "User:* as a member",
            "Members are named one by one: this is the one user whose name is an asterisk, not everyone.",
        ),
        "topic_name" => (
            "Names that no topic can have",
            "Topics are named with letters, digits, dots, underscores and hyphens; an asterisk in a name is a character.",
        ),
        "cluster_name" => ("Another name for the cluster", "The cluster has one name, so this row is never met."),
        "role_name_not_ascii" => (
            "Role names beyond ASCII",
            "The platform takes ASCII names of roles only, so this policy could not be moved there as it is.",
        ),
        "principal_control_character" | "resource_name_control_character" => (
            "Control characters in a name",
            "They cannot be seen and are often pasted along, so the name is another one than it seems.",
        ),
        _ => ("Rows that could not be created today", "It was stored before it was checked, or by other means."),
    }
}

/// Where something can be looked at and mended by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: String,
    /// The words of the link.
    pub words: String,
}

/// Where to mend a finding by hand: the pages of what it is about.
#[must_use]
pub fn places(finding: &Finding, policy: &Policy) -> Vec<Place> {
    if finding.code == "superuser_name_chosen" {
        return vec![Place { address: "/security/settings".into(), words: "Open settings".into() }];
    }
    let of_acl = finding.acls.first().map(|acl| &acl.principal).filter(|_| finding.principals.is_empty());
    let place = |principal: &Principal| {
        let shown = crate::state::escape::plain(&principal.to_string());
        let address = if principal.kind() == PrincipalType::Role && policy.has_role(principal.name()) {
            address::role(principal.name())
        } else {
            list::Asked::one(principal).address()
        };
        Place { address, words: format!("Open {shown}") }
    };
    finding.principals.iter().chain(of_acl).map(place).collect()
}

/// Which of the mends is staged: all of its changes are.
#[must_use]
pub fn staged(mends: &[Fix], changes: &[Change]) -> Option<usize> {
    mends.iter().position(|mend| mend.changes.iter().all(|change| changes.contains(change)))
}

/// The one mend of each finding of a kind that changes what nobody may do; none when one of them needs a choice.
#[must_use]
pub fn mend_all(findings: &[&Finding], policy: &Policy) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for finding in findings {
        let mends = finding.suggested_fixes(policy);
        let first = mends.into_iter().next().filter(|mend| mend.is_neutral)?;
        changes.extend(first.changes);
    }
    (findings.len() > 1).then_some(changes)
}

/// Findings of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// The code.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Their places among all.
    pub places: Vec<usize>,
}

/// The kinds of findings, in order of the findings; of one severity where one is asked for.
#[must_use]
pub fn kinds(findings: &[Finding], severity: Option<Severity>) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (place, finding) in findings.iter().enumerate() {
        if severity.is_some_and(|severity| severity != finding.severity) {
            continue;
        }
        match kinds.last_mut().filter(|kind| kind.code == finding.code && kind.severity == finding.severity) {
            Some(kind) => kind.places.push(place),
            None => kinds.push(Kind { code: finding.code, severity: finding.severity, places: vec![place] }),
        }
    }
    kinds
}

/// The address of the findings of a severity.
#[must_use]
pub fn address_of(severity: Option<Severity>) -> String {
    let part = severity.map(|severity| ("severity", severity.code().to_owned()));
    format!("{}{}", address::FINDINGS, query(part))
}

/// The severity in the query of an address of [`address_of`], without the `?`.
#[must_use]
pub fn severity_at(query: &str) -> Option<Severity> {
    let asked = value(query, "severity")?;
    Severity::ALL.iter().copied().find(|severity| severity.code() == asked)
}

/// What was found, in a line.
#[must_use]
pub fn summary(findings: &[Finding]) -> String {
    let of = |severity: &Severity| findings.iter().filter(|finding| finding.severity == *severity).count();
    let parts: Vec<String> = Severity::ALL
        .iter()
        .map(|severity| (of(severity), severity.code()))
        .filter(|(number, _)| *number > 0)
        .map(|(number, code)| count(number, code))
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str, name: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        };
        policy_from_value(&json!({ "version": 1, "roles": [{ "name": "Empty" }, { "name": "Alone" }],
            "acls": [acl("Group:Eng", "a"), acl("Group:eng", "a"), acl("Role:Gone", "b")] }))
        .unwrap()
    }

    #[test]
    fn findings_are_grouped_marked_and_mended() {
        let policy = policy();
        let findings = lint(&policy);
        assert_eq!(summary(&findings), "2 warnings, 4 notices");
        let codes: Vec<(&str, usize)> =
            kinds(&findings, None).iter().map(|kind| (kind.code, kind.places.len())).collect();
        assert_eq!(
            codes,
            [("name_letter_case", 1), ("role_missing", 1), ("role_without_acls", 2), ("role_without_members", 2)]
        );
        assert_eq!(kinds(&findings, Some(Severity::Error)), []);
        let marks = by_principal(&findings);
        let near = &marks[&Principal::group("Eng")];
        assert_eq!((near.findings, near.near.as_ref()), (1, Some(&Principal::group("eng"))));
        assert_eq!(marks[&Principal::role("Empty")].findings, 2);

        let of = |code: &str| findings.iter().filter(|finding| finding.code == code).collect::<Vec<_>>();
        let empty = of("role_without_members");
        let changes = mend_all(&empty, &policy).unwrap();
        assert_eq!(changes.len(), 2);
        assert_eq!(staged(&empty[0].suggested_fixes(&policy), &changes), Some(0));
        assert_eq!(staged(&empty[0].suggested_fixes(&policy), &[]), None);
        assert_eq!(mend_all(&of("name_letter_case"), &policy), None);
    }

    #[test]
    fn every_finding_leads_somewhere() {
        let policy = policy();
        let findings = lint(&policy);
        let addresses: Vec<String> =
            findings.iter().flat_map(|finding| places(finding, &policy)).map(|place| place.address).collect();
        assert_eq!(addresses[0], "/security/permissions?search=%5EGroup%3AEng%24");
        assert_eq!(addresses[2], "/security/permissions?search=%5ERole%3AGone%24");
        assert_eq!(addresses[3], "/security/roles/Alone/details");
        assert_eq!(severity_at(address_of(Some(Severity::Notice)).split_once('?').unwrap().1), Some(Severity::Notice));
        assert_eq!((address_of(None).as_str(), severity_at("")), (address::FINDINGS, None));
    }

    #[test]
    fn a_policy_is_looked_at_once() {
        Owner::new().with(|| {
            let findings = Findings::new();
            let policy = Arc::new(policy());
            findings.look_at(&policy);
            let first = findings.all.get_untracked().unwrap();
            findings.look_at(&policy);
            assert!(Arc::ptr_eq(&first, &findings.all.get_untracked().unwrap()));
            findings.look_at(&Arc::new(Policy::default()));
            assert!(findings.all.get_untracked().unwrap().is_empty());
        });
    }
}
