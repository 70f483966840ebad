//! The command that grants an ACL directly to a principal, which no form of the console does.

use gbac_console_model::permissions::grant_call::grant_call;
use gbac_engine::model::Principal;
use gbac_words::pages::permissions as words;
use leptos::prelude::*;

use crate::ui::CopyBlock;

/// The call, to copy.
#[component]
pub(super) fn CliCall(
    /// Whom it grants to.
    principal: Principal,
) -> impl IntoView {
    let words = words::direct_grant(principal.kind());
    let call = grant_call(principal);
    view! {
        <div class="stack cli-call">
            <p class="help">{words}</p>
            {match call {
                Some(call) => view! { <CopyBlock text=call what="the call" /> }.into_any(),
                None => view! { <p class="help">{words::NOT_ON_COMMAND_LINE}</p> }.into_any(),
            }}
        </div>
    }
}
