//! The sentences of the search of every page.

use gbac_engine::model::Principal;

use crate::escape::plain;
use crate::rich_text::RichText;

pub const SINGLE_KEYS: &str = "Shortcuts of a single character";

/// What the choices below an answer about one name are.
pub fn also_containing(name: &str) -> RichText {
    RichText::from("Names and prefixes in ACLs that contain ")
        .code(name)
        .text(":")
}

pub fn joins(member: &Principal, role: &str) -> String {
    let member = plain(&member.to_string());
    format!("{member} joins {} in the draft", plain(role))
}
