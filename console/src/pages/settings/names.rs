//! The names that a claim path finds in tokens, in a line for each finding.

use gbac_console_model::group_tokens::GroupTokens;
use gbac_engine::groups::{ClaimFinding, extract};
use gbac_engine::policy::Settings;
use gbac_words::pages::settings::claim_finding;
use leptos::prelude::*;

use crate::ui::{Message, MessageKind};

/// What other settings find in tokens, each message once.
pub(super) fn claim_messages(settings: &Settings, tokens: &GroupTokens) -> impl IntoView + use<> {
    let rule = settings.identity_rules().extraction;
    let mut found: Vec<(MessageKind, String)> = Vec::new();
    for claims in tokens.readable() {
        let extraction = extract(&rule, claims, None);
        let kind = match extraction.claim {
            ClaimFinding::Array { .. }
            | ClaimFinding::CommaList { .. }
            | ClaimFinding::Union { .. } => MessageKind::Good,
            ClaimFinding::Missing { .. }
            | ClaimFinding::WrongType { .. }
            | ClaimFinding::NotString { .. }
            | ClaimFinding::TooMany
            | ClaimFinding::NoUserInfo => MessageKind::Warn,
        };
        let message = (kind, claim_finding(&extraction.claim));
        if !found.contains(&message) {
            found.push(message);
        }
    }
    let shown = found
        .into_iter()
        .map(|(kind, words)| view! { <Message kind=kind>{words}</Message> });
    shown.collect_view()
}
