//! The edit of one ACL: what can be chosen, what is wrong, and the ACL that takes its place. The type
//! of the resource stays.

use gbac_engine::model::{Acl, Operation};
use gbac_engine::policy::{Change, Policy};
use gbac_words::pages::role as words;

use crate::draft::is_done;
use crate::role::acl_form::{AclFaults, AclForm};

/// The operations that can be chosen, the present one among them.
pub fn edit_operations(original: &Acl) -> Vec<Operation> {
    let mut operations = AclForm::of_acl(original).offered();
    if !operations.contains(&original.operation) {
        operations.push(original.operation);
    }
    operations
}

/// The ACL that takes the place of the original in the policy with the draft.
///
/// # Errors
/// Every fault at once, by field; that nothing is changed only when `sent`.
pub fn check_edit(
    original: &Acl,
    form: &AclForm,
    after: &Policy,
    sent: bool,
) -> Result<Acl, AclFaults> {
    let acls = form.check_of(&original.principal, sent)?;
    let of_form = |text: Option<&str>| AclFaults {
        form: text.map(str::to_owned),
        ..AclFaults::default()
    };
    let Some(acl) = acls.into_iter().next().map(Acl::normalized) else {
        return Err(of_form(None));
    };
    if acl == original.clone().normalized() {
        return Err(of_form(sent.then_some(words::NOTHING_EDITED)));
    }
    if is_done(after, &Change::AddAcl(acl.clone())) {
        return Err(of_form(Some(words::ACL_EXISTS)));
    }
    Ok(acl)
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Host, PatternType, Permission, Principal, ResourceType};

    use super::*;
    use crate::role::acl_form::PatternChoice;

    fn acl(principal: Principal, name: &str) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal,
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        }
    }

    fn policy(acls: &[Acl]) -> Policy {
        let mut policy = Policy::default();
        for acl in acls {
            policy.apply(Change::AddAcl(acl.clone())).unwrap();
        }
        policy
    }

    #[test]
    fn each_field_of_an_acl_can_be_edited_and_the_rest_stays() {
        let old = acl(Principal::group("eng"), "a");
        let after = policy(std::slice::from_ref(&old));
        let form = AclForm {
            pattern: PatternChoice::Prefixed,
            name: "b-".into(),
            operations: vec![Operation::Write],
            permission: Permission::Deny,
            host: "10.0.0.7".into(),
            ..AclForm::of_acl(&old)
        };
        let new = check_edit(&old, &form, &after, true).unwrap();
        assert_eq!(new.principal, Principal::group("eng"));
        assert_eq!(new.resource_type, ResourceType::Topic);
        assert_eq!(
            (new.pattern_type, new.resource_name.as_str()),
            (PatternType::Prefixed, "b-")
        );
        assert_eq!(
            (new.operation, new.permission),
            (Operation::Write, Permission::Deny)
        );
        assert_eq!(new.host.to_string(), "10.0.0.7");
        // The fields of any ACL give it again.
        for name in ["*", "x"] {
            let old = acl(Principal::user("ann"), name);
            let form = AclForm::of_acl(&old);
            assert_eq!(form.check_of(&old.principal, true), Ok(vec![old]));
        }
    }

    #[test]
    fn an_edit_that_changes_nothing_or_repeats_another_acl_is_none() {
        let old = acl(Principal::role("R"), "a");
        let other = acl(Principal::role("R"), "b");
        let after = policy(&[old.clone(), other]);
        let mut form = AclForm::of_acl(&old);
        let faults = |form: &AclForm, sent| check_edit(&old, form, &after, sent).unwrap_err();
        assert_eq!(faults(&form, false), AclFaults::default());
        let why = faults(&form, true).form;
        assert_eq!(why.as_deref(), Some(words::NOTHING_EDITED));
        form.name = "b".into();
        let why = faults(&form, true).form;
        assert_eq!(why.as_deref(), Some(words::ACL_EXISTS));
        form.name = String::new();
        assert!(faults(&form, true).name.is_some());
    }

    #[test]
    fn an_operation_that_the_type_does_not_offer_stays_a_choice() {
        let mut odd = acl(Principal::role("R"), "a");
        odd.operation = Operation::ClusterAction;
        assert!(edit_operations(&odd).contains(&odd.operation));
    }
}
