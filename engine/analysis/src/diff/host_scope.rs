//! From where requests come, as far as the rules of two policies tell it apart.

use std::net::IpAddr;

use gbac_engine::internal::Operations;
use gbac_engine::model::Host;

/// From where a request comes, as far as rules tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostScope {
    Unknown,
    Other,
    Address(IpAddr),
}

impl HostScope {
    /// The scopes that these hosts tell apart; without hosts there is one.
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

    /// What applies of a rule for a host: what may deny denies, what may allow does not (D-04).
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

/// The one of a pair: of the earlier policy, 0, or the later one, 1.
pub(super) const fn of<T>(pair: &[T; 2], side: usize) -> &T {
    let [before, after] = pair;
    if side == 0 { before } else { after }
}
