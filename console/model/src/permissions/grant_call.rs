//! The command that grants an ACL directly to a principal, which no form of the console does.

use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::Change;
use gbac_formats::script::{ScriptTarget, steps};

/// The placeholder for a name in the call.
const EXAMPLE: &str = "TOPIC";

/// `gbac security acl create --allow-principal ..`, every word quoted; none where no argument can
/// hold the name.
pub fn grant_call(principal: Principal) -> Option<String> {
    let acl = Acl {
        resource_type: ResourceType::Topic,
        resource_name: EXAMPLE.into(),
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    };
    let step = steps(&[Change::AddAcl(acl)], ScriptTarget::Gbac)
        .into_iter()
        .next()?;
    step.commands.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_one_word_of_the_shell() {
        assert_eq!(
            grant_call(Principal::group("eng")).as_deref(),
            Some(
                "gbac security acl create --allow-principal Group:eng --operation read --topic TOPIC"
            )
        );
        assert_eq!(
            grant_call(Principal::group("$(id)")).as_deref(),
            Some(
                "gbac security acl create --allow-principal 'Group:$(id)' --operation read --topic TOPIC"
            )
        );
        assert_eq!(grant_call(Principal::group("a\0b")), None);
    }
}
