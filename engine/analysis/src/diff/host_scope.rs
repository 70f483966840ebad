//! The clients that the rules of two policies treat alike.

use std::net::IpAddr;

use gbac_engine::internal::Operations;
use gbac_engine::model::Host;

/// The clients that rules treat alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostScope {
    Unknown,
    Other,
    Address(IpAddr),
}

impl HostScope {
    /// The scopes that these hosts distinguish; a single one without hosts.
    pub(crate) fn all(hosts: &[Host]) -> Vec<Self> {
        if hosts.is_empty() {
            return vec![Self::Other];
        }
        let address = |host: &Host| match host {
            Host::Any => None,
            Host::Address(address) => Some(Self::Address(*address)),
        };
        [Self::Unknown, Self::Other].into_iter().chain(hosts.iter().filter_map(address)).collect()
    }

    /// The operations of a rule that apply. For an unknown client, rules for an address deny but do not allow (D-04).
    pub(crate) fn apply(self, host: Host, allow: Operations, deny: Operations) -> (Operations, Operations) {
        let nothing = Operations::default();
        match (host, self) {
            (Host::Any, _) => (allow, deny),
            (Host::Address(_), Self::Unknown) => (nothing, deny),
            (Host::Address(host), Self::Address(address)) if host == address => (allow, deny),
            (Host::Address(_), _) => (nothing, nothing),
        }
    }
}

/// The element of a pair for a policy: 0 is the earlier one, 1 the later one.
pub(super) const fn of<T>(pair: &[T; 2], side: usize) -> &T {
    let [before, after] = pair;
    if side == 0 { before } else { after }
}
