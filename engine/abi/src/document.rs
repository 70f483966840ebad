//! From a policy document to the members of its roles.

use gbac_json::policy_from_json;

use crate::extraction::{push_text, push_texts};

/// The largest number of problems in a result.
const MAX_PROBLEMS: usize = 10;

/// Reads a policy document. Writes 1 and a record for each member of a role, or 0 and its problems.
pub(crate) fn members(document: &str) -> Vec<u8> {
    let policy = match policy_from_json(document) {
        Ok(policy) => policy,
        Err(problems) => {
            let problems: Vec<String> = problems.0.iter().take(MAX_PROBLEMS).map(ToString::to_string).collect();
            let mut result = vec![0];
            push_texts(&mut result, problems.iter().map(String::as_str));
            return result;
        }
    };
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
