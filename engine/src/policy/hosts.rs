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
    /// The ranges and names, in the order of their ids, which have their highest bit set.
    others: Vec<Host>,
    /// The ids of the ranges and names, sorted by host.
    other_ids: Vec<HostId>,
}

impl Hosts {
    fn address(&self, id: HostId) -> Option<IpAddr> {
        self.addresses.get((id.0 as usize).wrapping_sub(1)).copied()
    }

    fn other(&self, id: HostId) -> Option<&Host> {
        id.other().and_then(|index| self.others.get(index))
    }

    /// The range with an id; `None` if it is another host.
    pub(super) fn range(&self, id: HostId) -> Option<HostRange> {
        match self.other(id) {
            Some(Host::Range(range)) => Some(*range),
            _ => None,
        }
    }

    /// The id of a host; the error is where its id belongs among the sorted ones of its kind.
    fn search(&self, host: &Host) -> Result<HostId, usize> {
        let (ids, place) = match host {
            Host::Any => return Ok(HostId::ANY),
            Host::Address(address) => (
                &self.ids,
                self.ids
                    .binary_search_by(|id| self.address(*id).cmp(&Some(*address)))?,
            ),
            Host::Range(_) | Host::Name(_) => (
                &self.other_ids,
                self.other_ids
                    .binary_search_by(|id| self.other(*id).cmp(&Some(host)))?,
            ),
        };
        Ok(ids.get(place).copied().unwrap_or(HostId::ANY))
    }

    /// The id of a host; `None` if no ACL has named it.
    pub(super) fn find(&self, host: &Host) -> Option<HostId> {
        self.search(host).ok()
    }

    /// The id of a host; adds the host if it is new.
    pub(super) fn find_or_add(&mut self, host: &Host) -> HostId {
        let place = match self.search(host) {
            Ok(id) => return id,
            Err(place) => place,
        };
        if let Host::Address(address) = host {
            self.addresses.push(*address);
            let id = HostId(self.addresses.len() as u32);
            self.ids.insert(place, id);
            return id;
        }
        let id = HostId::of_other(self.others.len());
        self.others.push(host.clone());
        self.other_ids.insert(place, id);
        id
    }

    /// The host with an id.
    pub(super) fn get(&self, id: HostId) -> Host {
        match self.other(id) {
            Some(host) => host.clone(),
            None => self.address(id).map_or(Host::Any, Host::Address),
        }
    }
}
