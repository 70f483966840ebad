//! The hosts of a policy's ACLs, each with a small id.

use std::net::IpAddr;

use super::rows::HostId;
use crate::model::{Host, HostRange};

/// Hosts by id. A host keeps its id after its last ACL is removed, because a policy has few hosts.
#[derive(Debug, Clone, Default)]
pub(super) struct Hosts {
    /// The address of id 1, then of id 2, and so on; [`HostId::ANY`] is 0.
    addresses: Vec<IpAddr>,
    /// The ids, sorted by address.
    ids: Vec<HostId>,
    /// The ranges, in the order of their ids, which have their highest bit set.
    ranges: Vec<HostRange>,
}

impl Hosts {
    fn position(&self, address: IpAddr) -> Result<usize, usize> {
        self.ids
            .binary_search_by(|id| self.address(*id).cmp(&Some(address)))
    }

    fn address(&self, id: HostId) -> Option<IpAddr> {
        self.addresses.get((id.0 as usize).wrapping_sub(1)).copied()
    }

    fn range(&self, id: HostId) -> Option<HostRange> {
        id.range().and_then(|index| self.ranges.get(index)).copied()
    }

    /// The id of a host; `None` if no ACL has named it.
    pub(super) fn find(&self, host: Host) -> Option<HostId> {
        match host {
            Host::Any => Some(HostId::ANY),
            Host::Address(address) => self
                .position(address)
                .ok()
                .and_then(|position| self.ids.get(position))
                .copied(),
            Host::Range(range) => self
                .ranges
                .iter()
                .position(|known| *known == range)
                .map(HostId::of_range),
        }
    }

    /// The id of a host; adds the host if it is new.
    pub(super) fn find_or_add(&mut self, host: Host) -> HostId {
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
        match self.position(address) {
            Ok(position) => self.ids.get(position).copied().unwrap_or(HostId::ANY),
            Err(position) => {
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
