//! The formats of other tools: a policy that a format can express decides alike after it was
//! written and read again, and after any two formats in turn.

mod exports;
mod laws;
mod lists;
mod unknown;

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_formats::import::{Import, Kind};

pub(crate) use exports::{context, state_of};
pub(crate) use laws::assert_alike;

/// A format, and how its tool is simulated.
#[derive(Debug, Clone)]
struct Format {
    name: &'static str,
    /// What the import recognizes.
    kind: Kind,
    /// The part of a policy that the format can express.
    expressible: fn(&Policy) -> Policy,
    /// The policy in this format, as the import gets it.
    write: fn(&Policy) -> String,
}

/// Every format that the import reads: those that an export writes, and lists of tools that have no
/// export.
fn all() -> Vec<Format> {
    exports::FORMATS.into_iter().chain(lists::FORMATS).collect()
}

/// A policy of these changes, without settings.
pub(crate) fn policy_of(changes: impl IntoIterator<Item = Change>) -> Policy {
    let mut policy = Policy::new(Settings::unstated());
    for change in changes {
        policy.apply(change).expect("a change of a policy");
    }
    policy
}

/// The ACLs of a policy that satisfy a condition, without roles.
fn acls_of(policy: &Policy, is_expressible: impl Fn(&Acl) -> bool) -> Policy {
    // No reader accepts an ACL that cannot be created.
    let acls = policy
        .acls()
        .filter(|acl| acl.check_create().is_empty() && is_expressible(acl));
    policy_of(acls.map(Change::AddAcl))
}

/// The policy that the import reads.
pub(crate) fn imported(text: &str, kind: Kind) -> Policy {
    let mut import = Import::default();
    let read = import.read(text, None);
    assert_eq!((read.kind, read.unread), (kind, Vec::new()), "{text}");
    import.policy()
}

/// The ACLs, and the roles with their members.
pub(crate) fn content(policy: &Policy) -> (BTreeSet<Acl>, Vec<(String, BTreeSet<Principal>)>) {
    (
        policy.acls().collect(),
        policy
            .roles()
            .map(|role| (role.name, role.members))
            .collect(),
    )
}
