//! The sentences of the search of every page.

use gbac_engine::model::Principal;

use crate::escape::plain;

pub const SINGLE_KEYS: &str = "Shortcuts of a single character";

pub fn joins(member: &Principal, role: &str) -> String {
    let member = plain(&member.to_string());
    format!("{member} joins {} in the draft", plain(role))
}
