//! ACLs of subjects that do not reach a subject of a Schema Registry context.

use super::{Finding, FindingCode, Severity};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, PatternType, Permission, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::{policy::Policy, policy::index::Pattern};
use std::collections::BTreeSet;

/// A subject of a context, as the policy names it.
struct ContextSubject<'a> {
    /// Its name without the context.
    short: &'a str,
    /// Its whole name, `:.<context>:<name>`.
    name: &'a str,
}

/// Finds ACLs of subjects outside of contexts that would match a subject that the policy names in a
/// context, if its name were without the context. Principals with an ACL in a context are left out:
/// their author knows contexts.
pub(super) fn lint(policy: &Policy, findings: &mut Vec<Finding>) {
    let mut subjects = Vec::new();
    let mut aware = BTreeSet::new();
    for (_, pattern) in policy.patterns() {
        if pattern.resource_type == ResourceType::Subject
            && let Some(short) = short_name(pattern.name())
        {
            let name = pattern.name();
            subjects.push(ContextSubject { short, name });
            aware.extend(pattern.rows().iter().map(|row| row.principal.0));
        }
    }
    sort(&mut subjects, |a, b| {
        a.short.cmp(b.short).then(a.name.cmp(b.name))
    });
    for (_, pattern) in policy.patterns() {
        if pattern.resource_type == ResourceType::Subject
            && let Some(missed) = missed_subject(pattern, &subjects)
        {
            let acls = acls_of(policy, pattern, &aware);
            if !acls.is_empty() {
                findings.push(finding(pattern, missed).with_acls(acls));
            }
        }
    }
}

/// The name of a subject after its context; `None` for one outside of contexts, and for a context
/// as a whole.
fn short_name(name: &str) -> Option<&str> {
    let (_, short) = name.strip_prefix(":.")?.split_once(':')?;
    (!short.is_empty()).then_some(short)
}

/// The first subject of a context that the pattern would match without the context.
fn missed_subject<'s>(
    pattern: &Pattern,
    subjects: &'s [ContextSubject<'s>],
) -> Option<&'s ContextSubject<'s>> {
    let name = pattern.name();
    if pattern.is_all_names() || name.starts_with(":.") {
        return None;
    }
    let first = subjects.partition_point(|subject| subject.short < name);
    let subject = subjects.get(first)?;
    let is_matched = match pattern.pattern_type {
        PatternType::Literal => subject.short == name,
        PatternType::Prefixed => subject.short.starts_with(name),
    };
    is_matched.then_some(subject)
}

fn finding(pattern: &Pattern, missed: &ContextSubject<'_>) -> Finding {
    let (name, subject) = (escaped(pattern.name()), escaped(missed.name));
    let (what, is_prefix) = match pattern.pattern_type {
        PatternType::Literal => ("subject", ""),
        PatternType::Prefixed => ("prefix", " as a prefix"),
    };
    let context = missed.name.strip_suffix(missed.short).unwrap_or_default();
    let context = escaped(context);
    let message =
        format!("the {what} `{name}` does not reach the subject `{subject}` of a context");
    let hint = format!("to reach that context too, add the ACL for `{context}{name}`{is_prefix}");
    Finding::new(
        FindingCode::SubjectContext,
        Severity::Warning,
        message,
        hint,
    )
}

/// The ACLs of a pattern, without those of some principals.
fn acls_of(policy: &Policy, pattern: &Pattern, without: &BTreeSet<u32>) -> Vec<Acl> {
    let mut acls = Vec::new();
    for row in pattern.rows() {
        if without.contains(&row.principal.0) {
            continue;
        }
        for permission in [Permission::Deny, Permission::Allow] {
            for operation in row.operations(permission).iter() {
                acls.push(policy.acl(pattern, row, operation, permission));
            }
        }
    }
    acls
}
