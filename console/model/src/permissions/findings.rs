//! Findings: the meaning of each kind, links to what it is about, and the fixes in the draft.

use std::collections::BTreeMap;

use gbac_analysis::{Finding, FindingCode, Fix, Severity};
use gbac_api::encode::query;
use gbac_engine::Coded;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::phrases::count;

use crate::address::{self, value};
use crate::permissions::list;

/// How many findings are on a page.
pub const PAGE: usize = 50;

/// How many findings there are about each principal.
pub fn by_principal(findings: &[Finding]) -> BTreeMap<Principal, FindingMark> {
    let mut marks: BTreeMap<Principal, FindingMark> = BTreeMap::new();
    for finding in findings {
        for principal in about(finding) {
            let mark = marks.entry(principal.clone()).or_default();
            mark.findings += 1;
            if matches!(
                finding.code,
                FindingCode::PrincipalLetterCase | FindingCode::PrincipalSlashes
            ) {
                mark.near = finding
                    .principals
                    .iter()
                    .find(|other| *other != principal)
                    .cloned();
            }
        }
    }
    marks
}

/// The principals that a finding is about; of ACLs, that of the first.
fn about(finding: &Finding) -> Vec<&Principal> {
    match finding.acls.first() {
        Some(acl) if finding.principals.is_empty() => vec![&acl.principal],
        _ => finding.principals.iter().collect(),
    }
}

/// What was found about one principal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingMark {
    /// How many findings.
    pub findings: usize,
    /// A principal that differs only in letter case or slashes.
    pub near: Option<Principal>,
}

/// Where something can be opened and fixed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: String,
    /// The words of the link.
    pub words: String,
}

/// Where to fix a finding by hand: the pages of what it is about.
pub fn places(finding: &Finding, policy: &Policy) -> Vec<Place> {
    if matches!(
        finding.code,
        FindingCode::UserClaimEditable
            | FindingCode::SuperuserUnreachable
            | FindingCode::AccessGroupUnknown
    ) {
        return vec![Place {
            address: "/security/settings".into(),
            words: "Open settings".into(),
        }];
    }
    let mut places = Vec::new();
    for principal in about(finding) {
        let shown = gbac_words::escape::plain(&principal.to_string());
        let address =
            if principal.kind() == PrincipalType::Role && policy.has_role(principal.name()) {
                address::role(principal.name())
            } else {
                list::ListQuery::one(principal).address()
            };
        places.push(Place {
            address,
            words: format!("Open {shown}"),
        });
    }
    places
}

/// The fix that is in the draft with all of its changes.
pub fn staged(fixes: &[Fix], changes: &[Change]) -> Option<usize> {
    fixes
        .iter()
        .position(|fix| fix.changes.iter().all(|change| changes.contains(change)))
}

/// The neutral fix of each finding of a kind; none when one of them needs a choice.
pub fn fix_all(findings: &[&Finding], policy: &Policy) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for finding in findings {
        let fixes = finding.suggested_fixes(policy);
        let first = fixes.into_iter().next().filter(|fix| fix.is_neutral)?;
        changes.extend(first.changes);
    }
    (findings.len() > 1).then_some(changes)
}

/// Findings of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingGroup {
    /// The code.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// Their places among all.
    pub places: Vec<usize>,
}

/// The kinds of findings, in the order of the findings, optionally of one severity.
pub fn kinds(findings: &[Finding], severity: Option<Severity>) -> Vec<FindingGroup> {
    let mut kinds: Vec<FindingGroup> = Vec::new();
    for (place, finding) in findings.iter().enumerate() {
        if severity.is_some_and(|severity| severity != finding.severity) {
            continue;
        }
        match kinds.last_mut() {
            Some(kind) if kind.code == finding.code && kind.severity == finding.severity => {
                kind.places.push(place);
            }
            _ => kinds.push(FindingGroup {
                code: finding.code,
                severity: finding.severity,
                places: vec![place],
            }),
        }
    }
    kinds
}

/// The address of the findings of a severity.
pub fn address_of(severity: Option<Severity>) -> String {
    let part = severity.map(|severity| ("severity", severity.code().to_owned()));
    format!("{}{}", address::FINDINGS, query(part))
}

/// The severity in the query of an address of [`address_of`], without the `?`.
pub fn severity_at(query: &str) -> Option<Severity> {
    let code = value(query, "severity")?;
    Severity::ALL
        .iter()
        .copied()
        .find(|severity| severity.code() == code)
}

/// What was found, in a line.
pub fn summary(findings: &[Finding]) -> String {
    let mut parts = Vec::new();
    for severity in Severity::ALL.iter().copied() {
        let of_severity = findings.iter().filter(|one| one.severity == severity);
        let number = of_severity.count();
        if number > 0 {
            parts.push(count(number, severity.code()));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use gbac_analysis::lint;
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str, name: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        };
        policy_from_value(
            &json!({ "version": 1, "roles": [{ "name": "Empty" }, { "name": "Alone" }],
            "acls": [acl("Group:Eng", "a"), acl("Group:eng", "a"), acl("Role:Gone", "b")] }),
        )
        .unwrap()
    }

    #[test]
    fn findings_are_grouped_marked_and_fixed() {
        let policy = policy();
        let findings = lint(&policy);
        assert_eq!(summary(&findings), "2 warnings, 4 notices");
        let codes: Vec<(FindingCode, usize)> = kinds(&findings, None)
            .iter()
            .map(|kind| (kind.code, kind.places.len()))
            .collect();
        assert_eq!(
            codes,
            [
                (FindingCode::PrincipalLetterCase, 1),
                (FindingCode::RoleMissing, 1),
                (FindingCode::RoleWithoutAcls, 2),
                (FindingCode::RoleWithoutMembers, 2)
            ]
        );
        assert_eq!(kinds(&findings, Some(Severity::Error)), []);
        let marks = by_principal(&findings);
        let near = &marks[&Principal::group("Eng")];
        assert_eq!(
            (near.findings, near.near.as_ref()),
            (1, Some(&Principal::group("eng")))
        );
        assert_eq!(marks[&Principal::role("Empty")].findings, 2);

        let of = |code: FindingCode| {
            findings
                .iter()
                .filter(|finding| finding.code == code)
                .collect::<Vec<_>>()
        };
        let empty = of(FindingCode::RoleWithoutMembers);
        let changes = fix_all(&empty, &policy).unwrap();
        assert_eq!(changes.len(), 2);
        assert_eq!(
            staged(&empty[0].suggested_fixes(&policy), &changes),
            Some(0)
        );
        assert_eq!(staged(&empty[0].suggested_fixes(&policy), &[]), None);
        assert_eq!(
            fix_all(&of(FindingCode::PrincipalLetterCase), &policy),
            None
        );
    }

    #[test]
    fn every_finding_leads_somewhere() {
        let policy = policy();
        let findings = lint(&policy);
        let addresses: Vec<String> = findings
            .iter()
            .flat_map(|finding| places(finding, &policy))
            .map(|place| place.address)
            .collect();
        assert_eq!(
            addresses[0],
            "/security/permissions?search=%5EGroup%3AEng%24"
        );
        assert_eq!(
            addresses[2],
            "/security/permissions?search=%5ERole%3AGone%24"
        );
        assert_eq!(addresses[3], "/security/roles/Alone/details");
        assert_eq!(
            severity_at(
                address_of(Some(Severity::Notice))
                    .split_once('?')
                    .unwrap()
                    .1
            ),
            Some(Severity::Notice)
        );
        assert_eq!(
            (address_of(None).as_str(), severity_at("")),
            (address::FINDINGS, None)
        );
    }
}
