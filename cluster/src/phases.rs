//! The order in which ACLs change in a cluster, which has no transactions: at no moment is more
//! allowed than before the change and after it.

use gbac_engine::model::{Acl, Permission};

/// ACLs that are sent together.
#[derive(Debug, PartialEq, Eq)]
pub struct AclPhase {
    /// Whether they are created, rather than deleted.
    pub creates: bool,
    /// The ACLs; at least one.
    pub acls: Vec<Acl>,
}

/// The phases of a change, in which the caller sends them (D-136): denies come first and go last, and allows go before others come.
#[must_use]
pub fn phases(created: &[Acl], deleted: &[Acl]) -> Vec<AclPhase> {
    let mut phases = Vec::new();
    for (creates, acls, permission) in [
        (true, created, Permission::Deny),
        (false, deleted, Permission::Allow),
        (true, created, Permission::Allow),
        (false, deleted, Permission::Deny),
    ] {
        let mut phase = AclPhase {
            creates,
            acls: Vec::new(),
        };
        for acl in acls {
            if acl.permission == permission {
                phase.acls.push(acl.clone());
            }
        }
        if !phase.acls.is_empty() {
            phases.push(phase);
        }
    }
    phases
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, Principal, ResourceType};

    use super::*;

    fn acl(name: &str, permission: Permission) -> Acl {
        let user = Principal::user("ann");
        Acl {
            permission,
            ..Acl::allow(user, Operation::Read, ResourceType::Topic, name)
        }
    }

    #[test]
    fn denies_come_first_and_go_last() {
        let (allow, deny) = (Permission::Allow, Permission::Deny);
        let created = [acl("a", allow), acl("b", deny)];
        let deleted = [acl("c", deny), acl("d", allow)];
        let mut order = Vec::new();
        for phase in phases(&created, &deleted) {
            let name = phase.acls[0].resource_name.clone();
            assert_eq!(phase.acls.len(), 1);
            order.push((phase.creates, name));
        }
        let expected = [(true, "b"), (false, "d"), (true, "a"), (false, "c")];
        assert_eq!(
            order,
            expected.map(|(creates, name)| (creates, name.to_owned()))
        );
        assert_eq!(phases(&[], &[]), []);
    }
}
