//! The open connections: how many there may be, for each network of clients and in total.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::activity::Activity;
use super::connection_limits::ConnectionLimits;
use crate::client_address::{ClientNetwork, NetworkSlot, NetworkSlots};
use crate::lock::Lock;
use crate::metrics::{CloseReason, Metrics, RefuseReason};
use crate::state::service::Service;

/// The open connections; a handle that is cheap to clone.
#[derive(Clone)]
pub(super) struct ConnectionTable(Arc<Parts>);

struct Parts {
    service: Service,
    limit: usize,
    slots: NetworkSlots,
    open: Lock<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    connections: BTreeMap<u64, Entry>,
}

struct Entry {
    network: ClientNetwork,
    is_trusted: bool,
    activity: Activity,
}

/// An accepted connection, which leaves the table when this is dropped.
pub(super) struct Admission {
    table: ConnectionTable,
    id: u64,
    /// What the connection does.
    pub(super) activity: Activity,
    /// Trusted proxies have none, because the limit of their network does not apply.
    _slot: Option<NetworkSlot>,
}

impl ConnectionTable {
    /// An empty table with these limits.
    pub(super) fn new(service: Service, limits: ConnectionLimits) -> Self {
        let slots = NetworkSlots::new(limits.per_address);
        Self(Arc::new(Parts {
            service,
            limit: limits.total,
            slots,
            open: Lock::default(),
        }))
    }

    /// Accepts a connection. If there are as many as there may be, one that is idle or waits for
    /// its client makes room: of the network with the most connections, the one that is idle for
    /// the longest time, or else the one that waits for the longest time. One of a trusted proxy
    /// makes room only if there are no others.
    ///
    /// # Errors
    /// The network has too many connections, or the service works on requests of all connections.
    pub(super) fn admit(&self, peer: IpAddr) -> Result<Admission, RefuseReason> {
        let parts = &self.0;
        let (network, is_trusted) = (
            ClientNetwork::from_address(peer),
            parts.service.trusted_proxies().contains(peer),
        );
        let slot = if is_trusted {
            None
        } else {
            let Some(slot) = parts.slots.take(network) else {
                return Err(self.refused(RefuseReason::Address));
            };
            Some(slot)
        };
        let activity = Activity::new();
        let id = parts.open.with(|open| {
            if open.connections.len() >= parts.limit {
                let evicted = self.longest_waiting(open)?;
                open.connections.remove(&evicted)?.activity.evict();
                self.metrics().count_closed_connection(CloseReason::Evicted);
            }
            open.last = open.last.wrapping_add(1);
            open.connections.insert(
                open.last,
                Entry {
                    network,
                    is_trusted,
                    activity: activity.clone(),
                },
            );
            Some(open.last)
        });
        let Some(id) = id else {
            return Err(self.refused(RefuseReason::Total));
        };
        self.metrics().count_open_connections(1);
        Ok(Admission {
            table: self.clone(),
            id,
            activity,
            _slot: slot,
        })
    }

    fn refused(&self, reason: RefuseReason) -> RefuseReason {
        self.metrics().count_refused_connection(reason);
        reason
    }

    fn longest_waiting(&self, open: &Open) -> Option<u64> {
        let waiting = open.connections.iter().filter_map(|(id, entry)| {
            let count = self.0.slots.taken(entry.network);
            Some((
                (entry.is_trusted, Reverse(count), entry.activity.waiting()?),
                *id,
            ))
        });
        waiting.min().map(|(_, id)| id)
    }

    /// Where its connections are counted.
    pub(super) fn metrics(&self) -> &Metrics {
        self.0.service.metrics()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.table
            .0
            .open
            .with(|open| open.connections.remove(&self.id));
        self.table.metrics().count_open_connections(-1);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;
    use crate::serve::options::ServeOptions;
    use crate::serve::start::open;

    fn table(total: usize, per_address: usize) -> ConnectionTable {
        let options = ServeOptions {
            trusted_proxies: vec!["10.9.0.0/16".into()],
            ..ServeOptions::default()
        };
        ConnectionTable::new(
            open(&options).unwrap().service,
            ConnectionLimits { total, per_address },
        )
    }

    fn admit(table: &ConnectionTable, peer: &str) -> Result<Admission, RefuseReason> {
        table.admit(peer.parse().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn one_network_cannot_take_all_connections() {
        let table = table(8, 2);
        let held = [
            admit(&table, "10.0.0.1").unwrap(),
            admit(&table, "10.0.0.1").unwrap(),
        ];
        assert_eq!(admit(&table, "10.0.0.1").err(), Some(RefuseReason::Address));
        let other = admit(&table, "10.0.0.2").unwrap();
        drop(held);
        assert!(
            admit(&table, "10.0.0.1").is_ok(),
            "a closed connection leaves the table"
        );
        let six = [
            admit(&table, "2001:db8::1").unwrap(),
            admit(&table, "2001:db8::2").unwrap(),
        ];
        assert_eq!(
            admit(&table, "2001:db8::3").err(),
            Some(RefuseReason::Address),
            "64 bits are one network"
        );
        drop((other, six));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_table_closes_what_is_idle_for_the_longest_time() {
        let table = table(4, 3);
        let mut held = Vec::new();
        for peer in ["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2"] {
            held.push(admit(&table, peer).unwrap());
            advance(Duration::from_secs(1)).await;
        }
        let active = held[1].activity.request();
        let new = admit(&table, "10.0.0.3").unwrap();
        assert_eq!(
            held[2].activity.expired().await,
            CloseReason::Evicted,
            "of the network with the most connections"
        );
        let requests: Vec<_> = [0, 3].map(|n| held[n].activity.request()).into();
        let newest = new.activity.request();
        assert_eq!(
            admit(&table, "10.0.0.4").err(),
            Some(RefuseReason::Total),
            "the service works for all of them"
        );
        drop((active, requests, newest));
        assert!(admit(&table, "10.0.0.4").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_trusted_proxy_has_no_limit_of_its_own_and_makes_room_last() {
        let table = table(4, 1);
        let proxy: Vec<_> = (0..3).map(|_| admit(&table, "10.9.0.1").unwrap()).collect();
        let client = admit(&table, "10.0.0.1").unwrap();
        let second = admit(&table, "10.9.0.1").unwrap();
        assert_eq!(client.activity.expired().await, CloseReason::Evicted);
        drop((proxy, second));
    }
}
