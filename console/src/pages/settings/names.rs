//! The names that a claim path finds in the pasted token, in one line.

use gbac_engine::groups::{ClaimFinding, extract};
use gbac_engine::policy::Settings;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::ui::{Message, MessageKind};

/// A message: what the claim path of the settings selects in these claims.
pub(super) fn claim_message(
    settings: &Settings,
    claims: &gbac_engine::ClaimSet,
) -> impl IntoView + use<> {
    let extraction = extract(&settings.identity_rules().extraction, claims, None);
    let (kind, words) = match extraction.claim {
        ClaimFinding::Array { len, .. } => (
            MessageKind::Good,
            format!("an array of {}", count(len, "string")),
        ),
        ClaimFinding::CommaList { parts, .. } => (
            MessageKind::Good,
            format!("one string of {}", count(parts, "name")),
        ),
        ClaimFinding::Union { nodes } => (
            MessageKind::Good,
            format!("{}, combined", count(nodes, "value")),
        ),
        ClaimFinding::Missing { .. } => (MessageKind::Warn, String::new()),
        ClaimFinding::WrongType { found, .. } => (
            MessageKind::Warn,
            format!("{found}, which is not a list of names"),
        ),
        ClaimFinding::NotString { found, .. } => (
            MessageKind::Warn,
            format!("a list with {found} in it, so all of it is discarded"),
        ),
        ClaimFinding::TooMany => (
            MessageKind::Warn,
            "too much, so all of it is discarded".into(),
        ),
        ClaimFinding::NoUserInfo => (MessageKind::Warn, String::new()),
    };
    let text = match kind {
        _ if words.is_empty() => "Not found in the pasted token: it gives no groups".to_owned(),
        MessageKind::Good | MessageKind::Warn | MessageKind::Error => {
            format!("Found in the pasted token: {words}")
        }
    };
    view! { <Message kind=kind>{text}</Message> }
}
