//! The rules that take precedence over ACLs: an expired identity is denied, and then a superuser is
//! allowed (D-14, D-20).

use super::{At, Reason};
use crate::identity::Identity;

/// The reason for a decision without ACLs; `None` if ACLs decide.
#[inline]
pub(super) fn before_acls(identity: &Identity, is_superuser: bool, at: At) -> Option<Reason> {
    if identity.is_expired(at) {
        return Some(Reason::Expired);
    }
    is_superuser.then_some(Reason::Superuser)
}
