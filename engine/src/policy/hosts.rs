//! The hosts that ACLs name, by a small number.

use std::net::IpAddr;

use super::rows::HostId;
use crate::model::Host;

/// Hosts by number. One that no ACL names any more keeps its number: there are few.
#[derive(Debug, Clone, Default)]
pub(super) struct Hosts {
    /// By number less one; [`HostId::ANY`] is 0.
    addresses: Vec<IpAddr>,
    /// In order of the addresses.
    numbers: Vec<HostId>,
}

impl Hosts {
    fn place(&self, address: IpAddr) -> Result<usize, usize> {
        self.numbers.binary_search_by(|id| self.address(*id).cmp(&Some(address)))
    }

    fn address(&self, id: HostId) -> Option<IpAddr> {
        self.addresses.get((id.0 as usize).wrapping_sub(1)).copied()
    }

    /// The number of a host, when an ACL named it.
    pub(super) fn find(&self, host: Host) -> Option<HostId> {
        match host {
            Host::Any => Some(HostId::ANY),
            Host::Address(address) => self.place(address).ok().and_then(|place| self.numbers.get(place)).copied(),
        }
    }

    /// The number of a host, a new one where it has none.
    pub(super) fn number(&mut self, host: Host) -> HostId {
        let Host::Address(address) = host else { return HostId::ANY };
        match self.place(address) {
            Ok(place) => self.numbers.get(place).copied().unwrap_or(HostId::ANY),
            Err(place) => {
                self.addresses.push(address);
                let id = HostId(self.addresses.len() as u32);
                self.numbers.insert(place, id);
                id
            }
        }
    }

    /// The host of a number.
    pub(super) fn get(&self, id: HostId) -> Host {
        self.address(id).map_or(Host::Any, Host::Address)
    }
}
