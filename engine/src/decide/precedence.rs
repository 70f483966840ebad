//! What decides before any ACL is read: an expired identity is denied, then a superuser is allowed (D-14, D-20).

use super::{At, Reason};
use crate::identity::Identity;

/// The reason of a decision that no ACL can change.
#[inline]
pub(super) fn before_acls(identity: &Identity, is_superuser: bool, at: At) -> Option<Reason> {
    if identity.is_expired(at) {
        return Some(Reason::Expired);
    }
    is_superuser.then_some(Reason::Superuser)
}
