//! The hosts of a policy's ACLs, each with a small id.

use std::net::IpAddr;

use super::rows::HostId;
use crate::model::{Host, HostRange};

/// Hosts by id. A host keeps its id after its last ACL is removed, because a policy has few hosts.
#[derive(Debug, Clone, Default)]
pub(super) struct Hosts {
    /// The address of id 1, then of id 2, and so on; [`HostId::ANY`] is 0.
    addresses: Vec<IpAddr>,
    /// In order of the addresses.
    numbers: Vec<HostId>,
    /// Ranges, in order of their numbers, which have a bit of their own.
    ranges: Vec<HostRange>,
}

impl Hosts {
    fn position(&self, address: IpAddr) -> Result<usize, usize> {
        self.ids.binary_search_by(|id| self.address(*id).cmp(&Some(address)))
    }

    fn address(&self, id: HostId) -> Option<IpAddr> {
        self.addresses.get((id.0 as usize).wrapping_sub(1)).copied()
    }

    fn range(&self, id: HostId) -> Option<HostRange> {
        id.range().and_then(|place| self.ranges.get(place)).copied()
    }

    /// The number of a host, when an ACL named it.
    pub(super) fn find(&self, host: Host) -> Option<HostId> {
        match host {
            Host::Any => Some(HostId::ANY),
            Host::Address(address) => self.place(address).ok().and_then(|place| self.numbers.get(place)).copied(),
            Host::Range(range) => self.ranges.iter().position(|known| *known == range).map(HostId::of_range),
        }
    }

    /// The number of a host, a new one where it has none.
    pub(super) fn number(&mut self, host: Host) -> HostId {
        let address = match host {
            Host::Any => return HostId::ANY,
            Host::Address(address) => address,
            Host::Range(range) => {
                return self.find(host).unwrap_or_else(|| {
                    self.ranges.push(range);
                    HostId::of_range(self.ranges.len() - 1)
                });
            }
        };
        match self.place(address) {
            Ok(place) => self.numbers.get(place).copied().unwrap_or(HostId::ANY),
            Err(place) => {
                self.addresses.push(address);
                let id = HostId(self.addresses.len() as u32);
                self.ids.insert(position, id);
                id
            }
        }
    }

    /// The host with an id.
    pub(super) fn get(&self, id: HostId) -> Host {
        match self.range(id) {
            Some(range) => Host::Range(range),
            None => self.address(id).map_or(Host::Any, Host::Address),
        }
    }
}
