//! The command that grants an ACL directly to a principal, which no form of the console does.

use gbac_console_model::permissions::grant_call::grant_call;
use gbac_engine::model::{Principal, PrincipalType};
use leptos::prelude::*;

use crate::ui::CopyBlock;

/// The call, to copy.
#[component]
pub(super) fn CliCall(
    /// Whom it grants to.
    principal: Principal,
) -> impl IntoView {
    let is_group = principal.kind() == PrincipalType::Group;
    let call = grant_call(principal);
    view! {
        <div class="stack cli-call">
            <p class="help">
                {if is_group {
                    "Grant access to groups through roles. To grant it to the group directly, use the command line:"
                } else {
                    "Grant access to users through roles. To grant it to the user directly, use the command line:"
                }}
            </p>
            {match call {
                Some(call) => view! { <CopyBlock text=call what="the call" /> }.into_any(),
                None => view! { <p class="help">"This name can't be written on a command line."</p> }.into_any(),
            }}
        </div>
    }
}
