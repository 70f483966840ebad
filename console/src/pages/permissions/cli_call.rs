//! The command that grants an ACL directly to a principal, which no form of the console does.

use gbac_api::script::{ScriptTarget, steps};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Change;
use leptos::prelude::*;

use crate::ui::CopyBlock;

/// The placeholder for a name in the copied call.
const EXAMPLE: &str = "TOPIC";

/// The call, to copy.
#[component]
pub(super) fn CliCall(
    /// Whom it grants to.
    principal: Principal,
) -> impl IntoView {
    let is_group = principal.kind() == PrincipalType::Group;
    let call = call(principal);
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

/// `gbac security acl create --allow-principal ..`, every word quoted; none where no argument can hold the name.
fn call(principal: Principal) -> Option<String> {
    let acl = Acl {
        resource_type: ResourceType::Topic,
        resource_name: EXAMPLE.into(),
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    };
    let step = steps(&[Change::AddAcl(acl)], ScriptTarget::Gbac).into_iter().next()?;
    step.commands.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_one_word_of_the_shell() {
        assert_eq!(
            call(Principal::group("eng")).as_deref(),
            Some("gbac security acl create --allow-principal Group:eng --operation read --topic TOPIC")
        );
        assert_eq!(
            call(Principal::group("$(id)")).as_deref(),
            Some("gbac security acl create --allow-principal 'Group:$(id)' --operation read --topic TOPIC")
        );
        assert_eq!(call(Principal::group("a\0b")), None);
    }
}
