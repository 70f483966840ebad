//! The networks of clients, and how much each of them takes at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use crate::lock::Lock;

/// The network of a client: an IPv4 address, or an IPv6 network of 64 bits, in which one machine
/// can use any address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// The network of an address.
    pub(crate) fn from_address(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        })
    }

    /// The IPv6 network of 48 bits around it, which one customer of a provider can have; `None` for
    /// IPv4.
    pub(crate) const fn site(self) -> Option<Self> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(Self(IpAddr::V6(Ipv6Addr::from_bits(
                address.to_bits() >> 80 << 80,
            )))),
        }
    }

    /// The network around it that often belongs to one owner: an IPv4 network of 24 bits, or an
    /// IPv6 site.
    pub(crate) fn surroundings(self) -> Self {
        match self.0 {
            IpAddr::V4(address) => Self(Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into()),
            IpAddr::V6(_) => self.site().unwrap_or(self),
        }
    }

    /// Its first address.
    pub(crate) const fn first_address(self) -> IpAddr {
        self.0
    }
}

/// A limited number of slots for each network; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct NetworkSlots(Arc<Parts>);

struct Parts {
    limit: usize,
    taken: Lock<BTreeMap<ClientNetwork, usize>>,
}

/// A slot of a network, which is free again when this is dropped.
pub(crate) struct NetworkSlot {
    slots: NetworkSlots,
    network: ClientNetwork,
}

impl NetworkSlots {
    /// This many slots for each network.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Parts {
            limit,
            taken: Lock::new(BTreeMap::new()),
        }))
    }

    /// Takes a slot; `None` if the network has none left.
    pub(crate) fn take(&self, network: ClientNetwork) -> Option<NetworkSlot> {
        let is_free = self.0.taken.with(|taken| {
            let count = taken.entry(network).or_default();
            let is_free = *count < self.0.limit;
            *count += usize::from(is_free);
            is_free
        });
        is_free.then(|| NetworkSlot {
            slots: self.clone(),
            network,
        })
    }

    /// The number of slots that a network has taken.
    pub(crate) fn taken(&self, network: ClientNetwork) -> usize {
        self.0
            .taken
            .with(|taken| taken.get(&network).copied().unwrap_or_default())
    }
}

impl Drop for NetworkSlot {
    fn drop(&mut self) {
        self.slots.0.taken.with(|taken| {
            if let Some(count) = taken.get_mut(&self.network) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    taken.remove(&self.network);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> ClientNetwork {
        ClientNetwork::from_address(text.parse().unwrap())
    }

    #[test]
    fn a_network_is_an_address_or_64_bits() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("10.0.0.1"), network("::ffff:10.0.0.1"));
        assert_ne!(network("10.0.0.1"), network("10.0.0.2"));
        assert_eq!(
            network("2001:db8::1").first_address().to_string(),
            "2001:db8::"
        );
        for (one, other, is_same) in [
            ("10.0.0.1", "10.0.0.200", true),
            ("10.0.0.1", "10.0.1.1", false),
            ("2001:db8::1", "2001:db8:0:ffff::1", true),
            ("2001:db8::1", "2001:db8:1::1", false),
        ] {
            assert_eq!(
                network(one).surroundings() == network(other).surroundings(),
                is_same,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn slots_are_limited_by_network_and_free_again_when_dropped() {
        let slots = NetworkSlots::new(2);
        let held = [
            slots.take(network("10.0.0.1")),
            slots.take(network("10.0.0.1")),
        ];
        assert!(held.iter().all(Option::is_some) && slots.take(network("10.0.0.1")).is_none());
        assert!(
            slots.take(network("10.0.0.2")).is_some(),
            "another network has its own"
        );
        assert_eq!(slots.taken(network("10.0.0.1")), 2);
        drop(held);
        assert_eq!(slots.taken(network("10.0.0.1")), 0);
        assert!(
            slots.0.taken.with(|taken| taken.is_empty()),
            "no memory is kept for a network without slots"
        );
        assert!(slots.take(network("10.0.0.1")).is_some());
    }
}
