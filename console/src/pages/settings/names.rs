//! The names that a claim path finds in the pasted token, in one line.

use gbac_engine::groups::{ClaimFinding, extract};
use gbac_engine::policy::Settings;
use gbac_words::pages::settings::claim_finding;
use leptos::prelude::*;

use crate::ui::{Message, MessageKind};

/// A message: what the claim path of the settings selects in these claims.
pub(super) fn claim_message(
    settings: &Settings,
    claims: &gbac_engine::ClaimSet,
) -> impl IntoView + use<> {
    let extraction = extract(&settings.identity_rules().extraction, claims, None);
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
    view! { <Message kind=kind>{claim_finding(&extraction.claim)}</Message> }
}
