//! Duplicate entries of a policy document: an ACL, a member or a superuser that stands in it twice.

use gbac_analysis::{Finding, FindingCode, Severity};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Principal};
use gbac_engine::order::{first_equals, sort};
use serde_json::Value;

use super::acl;
use super::reader::{Place, Problems};

/// A finding for each entry of a valid document that appears more than once.
pub(super) fn duplicate_entries(document: &Value) -> Vec<Finding> {
    let mut findings = duplicate_acls(document);
    for (index, role) in list(document, "roles").iter().enumerate() {
        findings.extend(duplicate_members(index, role));
    }
    findings.extend(duplicate_superusers(document));
    findings
}

fn duplicate_acls(document: &Value) -> Vec<Finding> {
    let mut acls: Vec<Acl> = Vec::new();
    for acl in list(document, "acls") {
        acls.extend(acl::read(acl, None, &Place::Root, &mut Problems::default()));
    }
    let mut findings = Vec::new();
    for (first, places) in duplicates(&acls, "/acls") {
        let finding = duplicate_finding(FindingCode::DuplicateAcl, "an ACL", places);
        findings.push(Finding {
            acls: acls.get(first).into_iter().cloned().collect(),
            ..finding
        });
    }
    findings
}

fn duplicate_members(index: usize, role: &Value) -> Vec<Finding> {
    let name = role.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut members: Vec<Principal> = Vec::new();
    for member in list(role, "members") {
        let principal = member.get("principal").and_then(Value::as_str);
        members.extend(principal.and_then(|text| Principal::parse(text).ok()));
    }
    let mut findings = Vec::new();
    for (first, places) in duplicates(&members, &format!("/roles/{index}/members")) {
        let subject = format!("a member of the role `{}`", escaped(name));
        let finding = duplicate_finding(FindingCode::DuplicateMember, &subject, places);
        let mut principals = vec![Principal::role(name)];
        principals.extend(members.get(first).cloned());
        findings.push(Finding {
            principals,
            ..finding
        });
    }
    findings
}

fn duplicate_superusers(document: &Value) -> Vec<Finding> {
    let settings = document.get("settings").unwrap_or(&Value::Null);
    let names = list(settings, "superusers").iter();
    let superusers: Vec<Principal> = names
        .filter_map(Value::as_str)
        .map(Principal::user)
        .collect();
    let mut findings = Vec::new();
    for (first, places) in duplicates(&superusers, "/settings/superusers") {
        let finding = duplicate_finding(FindingCode::DuplicateSuperuser, "a superuser", places);
        findings.push(Finding {
            principals: superusers.get(first).into_iter().cloned().collect(),
            ..finding
        });
    }
    findings
}

/// A list of an object; empty if it has none.
fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    match object.get(name) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// The items that appear more than once: the index of the first, and the JSON Pointers of all.
fn duplicates<T: Ord>(items: &[T], list: &str) -> Vec<(usize, Vec<String>)> {
    let mut later: Vec<(usize, usize)> = Vec::new();
    for (index, first) in first_equals(items).into_iter().enumerate() {
        if first != index {
            later.push((first, index));
        }
    }
    sort(&mut later, |a, b| a.cmp(b));
    let mut duplicates: Vec<(usize, Vec<String>)> = Vec::new();
    for (first, index) in later {
        let pointer = format!("{list}/{index}");
        match duplicates.last_mut() {
            Some((known, pointers)) if *known == first => pointers.push(pointer),
            _ => duplicates.push((first, vec![format!("{list}/{first}"), pointer])),
        }
    }
    duplicates
}

fn duplicate_finding(code: FindingCode, subject: &str, places: Vec<String>) -> Finding {
    let message = format!(
        "{subject} appears {} times, at `{}`",
        places.len(),
        escaped(&places.join("`, `"))
    );
    let finding = Finding::new(
        code,
        Severity::Notice,
        message,
        "keep one of them; it counts once",
    );
    Finding { places, ..finding }
}
