//! From a policy document to the members of its roles.

use gbac_json::{parse, policy_from_json};

use crate::extraction::{push_text, push_texts};

/// The largest number of problems in a result.
const MAX_PROBLEMS: usize = 10;

/// A document may leave `roles` out. As a source of members it then is another document, or a part
/// of one.
const NO_ROLES: &str = "`roles` is missing; write `\"roles\": []` if no role has members";

/// Reads a policy document. Writes 1 and a record for each member of a role, or 0 and its problems.
pub(crate) fn members(document: &str) -> Vec<u8> {
    let policy = match policy_from_json(document) {
        Ok(policy) => policy,
        Err(problems) => {
            return refused(
                &problems
                    .0
                    .iter()
                    .take(MAX_PROBLEMS)
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
            );
        }
    };
    if policy.roles().next().is_none() && !states_roles(document) {
        return refused(&[NO_ROLES.to_owned()]);
    }
    let mut result = vec![1];
    for role in policy.roles() {
        for member in &role.members {
            result.push(3);
            push_text(&mut result, &role.name);
            push_text(&mut result, &member.to_string());
        }
    }
    result
}

fn refused(problems: &[String]) -> Vec<u8> {
    let mut result = vec![0];
    push_texts(&mut result, problems.iter().map(String::as_str));
    result
}

fn states_roles(document: &str) -> bool {
    parse(document)
        .is_ok_and(|document| document.get("roles").is_some_and(|roles| roles.is_array()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_members_states_its_roles() {
        assert_eq!(members(r#"{"version":1,"roles":[]}"#), [1]);
        assert_eq!(members(r#"{"version":1,"roles":[{"name":"dev"}]}"#), [1]);
        for without in [
            r#"{"version":1}"#,
            r#"{"version":1,"acls":[],"settings":{"dialect":"kafka"}}"#,
        ] {
            let found = members(without);
            assert_eq!(found[0], 0);
            assert!(
                String::from_utf8_lossy(&found).contains("`roles` is missing"),
                "{without}"
            );
        }
    }
}
