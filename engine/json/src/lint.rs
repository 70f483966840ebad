//! The lint of a policy document: of its policy, and of what it holds twice.

use serde_json::Value;

use super::acl;
use super::document::policy_from_value;
use super::reader::{self, Place, Problems};
use gbac_analysis::{Finding, FindingCode, Severity, lint, sort_findings};
use gbac_engine::escape::escaped;
use gbac_engine::internal::{firsts, sort};
use gbac_engine::model::{Acl, Principal};

/// Finds what is odd in a policy document, what it holds twice too: the policy that is read from it does not (D-17).
///
/// # Errors
/// The document is no policy: every problem at once.
///
/// ```
/// use gbac_json::lint_from_json;
/// let document = r#"{ "version": 1, "settings": { "superusers": ["admin", "admin"] } }"#;
/// let findings = lint_from_json(document)?;
/// assert_eq!((findings[0].code.as_str(), findings[0].places[1].as_str()), ("duplicate_superuser", "/settings/superusers/1"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn lint_from_json(text: &str) -> Result<Vec<Finding>, Problems> {
    lint_from_value(&reader::parse(text)?)
}

/// Finds what is odd in a policy document that is parsed already; see [`lint_from_json`].
///
/// # Errors
/// The document is no policy: every problem at once.
pub fn lint_from_value(document: &Value) -> Result<Vec<Finding>, Problems> {
    let mut findings = lint(&policy_from_value(document)?);
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let acls: Vec<Acl> = list(document, "acls")
        .iter()
        .filter_map(|acl| acl::read(acl, None, &Place::Root, &mut Problems::default()))
        .collect();
    for (first, places) in twice(&acls, "/acls") {
        let found = twice_found(FindingCode::DUPLICATE_ACL, "an ACL", places);
        findings.push(Finding { acls: acls.get(first).into_iter().cloned().collect(), ..found });
    }
    for (place, role) in list(document, "roles").iter().enumerate() {
        let principal = |member: &Value| Principal::parse(member.get("principal")?.as_str()?).ok();
        let members: Vec<Principal> = list(role, "members").iter().filter_map(principal).collect();
        let name = role.get("name").and_then(Value::as_str).unwrap_or_default();
        for (first, places) in twice(&members, &format!("/roles/{place}/members")) {
            let what = format!("a member of the role `{}`", escaped(name));
            let found = twice_found(FindingCode::DUPLICATE_MEMBER, &what, places);
            let about = [Principal::role(name)].into_iter().chain(members.get(first).cloned());
            findings.push(Finding { principals: about.collect(), ..found });
        }
    }
    let settings = document.get("settings").unwrap_or(&Value::Null);
    let superuser = |name: &Value| name.as_str().map(Principal::user);
    let superusers: Vec<Principal> = list(settings, "superusers").iter().filter_map(superuser).collect();
    for (first, places) in twice(&superusers, "/settings/superusers") {
        let found = twice_found(FindingCode::DUPLICATE_SUPERUSER, "a superuser", places);
        findings.push(Finding { principals: superusers.get(first).into_iter().cloned().collect(), ..found });
    }
    sort_findings(&mut findings);
    Ok(findings)
}

/// What is there more than once: the place of the first, and the pointers of all.
fn twice<T: Ord>(items: &[T], list: &str) -> Vec<(usize, Vec<String>)> {
    let firsts = firsts(items);
    let mut again: Vec<(usize, usize)> = firsts.into_iter().zip(0..).filter(|(first, place)| first != place).collect();
    sort(&mut again, |a, b| a.cmp(b));
    let pointer = |place: usize| format!("{list}/{place}");
    let of = |same: &[(usize, usize)]| {
        let (first, _) = same.first()?;
        Some((*first, std::iter::once(*first).chain(same.iter().map(|(_, place)| *place)).map(pointer).collect()))
    };
    again.chunk_by(|a, b| a.0 == b.0).filter_map(of).collect()
}

fn twice_found(code: FindingCode, what: &str, places: Vec<String>) -> Finding {
    let message = format!("{what} appears {} times, at `{}`", places.len(), escaped(&places.join("`, `")));
    let found = Finding::new(code, Severity::Notice, message, "keep one of them; it counts once");
    Finding { places, ..found }
}
