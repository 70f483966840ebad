//! The sentences of the search of every page.

use gbac_engine::model::{Operation, Principal};

use crate::escape::plain;
use crate::rich_text::RichText;

pub const SINGLE_KEYS: &str = "Shortcuts of a single character";

/// Why what was typed has no answer.
pub const NOT_A_QUESTION: &str = "This is no name here, and no question that can be answered";

/// What can be typed, each with its purpose.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("Whether somebody can do something", "can maya write orders"),
    ("Why somebody can't", "why can't maya write orders"),
    ("Who can do something", "who can read payments-*"),
    ("A new role", "create role OrdersReaders"),
    ("A new member", "assign Group:eng to OrdersReaders"),
];

/// The operations that a question can name.
pub fn operations() -> RichText {
    let mut names = Vec::new();
    for operation in Operation::ALL {
        if *operation != Operation::All {
            names.push(operation.spelling().label.to_lowercase());
        }
    }
    RichText::from(format!("Operations: {}.", names.join(", ")))
}

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
