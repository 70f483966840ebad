//! Words for counts, ages and ACLs, the same on every page.

pub use gbac_console_model::phrases::{
    ago as age, capitalized as sentence, count, list_up_to as list, thousands, with_hint as fault,
};
use gbac_engine::model::Acl;

use super::escape::plain;

/// An ACL without its principal in one line, as the name of a row's buttons: `Topic payments- prefixed, Write, allow, host *`.
#[must_use]
pub fn acl_line(acl: &Acl) -> String {
    let kind = acl.resource_type.spelling().words;
    let name = if acl.resource_name.is_empty() { String::new() } else { format!(" {}", plain(&acl.resource_name)) };
    format!(
        "{kind}{name} {}, {}, {}, host {}",
        acl.pattern_type.spelling().words,
        acl.operation.spelling().words,
        acl.permission.spelling().words.to_lowercase(),
        acl.host
    )
}
