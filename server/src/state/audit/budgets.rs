//! How many different events each network without valid credentials, and each user, adds to the log
//! (D-124). No network and no user can use up the budget of another one, and memory is bounded.

use std::collections::HashMap;

use super::repeat_key::RepeatKey;
use crate::client_address::ClientNetwork;
use crate::rate_limit::{RateLimit, TokenBucket};

/// For each network (of IPv6, a site of 48 bits): 20 events at once, then one in half a second.
const NETWORK_LIMIT: RateLimit = RateLimit {
    burst: 20.0,
    interval: 0.5,
};
/// For each user: 100 events at once, then one in a second.
const USER_LIMIT: RateLimit = RateLimit {
    burst: 100.0,
    interval: 1.0,
};
/// The number of networks with a budget of their own; further ones share one.
const MAX_NETWORKS: usize = 4096;
/// The number of users with a budget of their own; further ones share one.
const MAX_USERS: usize = 1024;
/// The pause in seconds between searches for budgets that are full again, which are forgotten.
const PRUNE_INTERVAL: f64 = 10.0;

/// The budget that an event uses.
#[derive(Debug, Clone, Copy)]
pub(super) enum Payer<'a> {
    /// None: a superuser's events are all recorded, and so are those whose number another limit
    /// bounds.
    Unlimited,
    /// That of a network, because the request has no valid credentials; `None` if the client's
    /// address is not known.
    Network(Option<ClientNetwork>),
    /// That of a user with valid credentials, or of a known account.
    User(&'a str),
}

/// An event beyond a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BeyondBudget {
    /// Whether the budget is that of the network or user alone.
    pub(super) is_own: bool,
}

/// All budgets.
pub(super) struct Budgets {
    networks: Buckets,
    users: Buckets,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            networks: Buckets::new(NETWORK_LIMIT, MAX_NETWORKS),
            users: Buckets::new(USER_LIMIT, MAX_USERS),
        }
    }
}

impl Budgets {
    /// Takes one event from a budget.
    ///
    /// # Errors
    /// The budget is used up.
    pub(super) fn take(&mut self, payer: Payer<'_>, now: f64) -> Result<(), BeyondBudget> {
        match payer {
            Payer::Unlimited => Ok(()),
            Payer::Network(network) => {
                let network = network.map(|network| {
                    let site = network.site().unwrap_or(network);
                    site.first_address().to_string()
                });
                self.networks.take(RepeatKey::new(network.as_deref()), now)
            }
            Payer::User(name) => self.users.take(RepeatKey::new([name]), now),
        }
    }
}

/// Budgets with the same limit.
struct Buckets {
    limit: RateLimit,
    room: usize,
    own: HashMap<RepeatKey, TokenBucket>,
    /// That of everyone for whom there is no room.
    shared: TokenBucket,
    pruned_at: f64,
}

impl Buckets {
    fn new(limit: RateLimit, room: usize) -> Self {
        let shared = TokenBucket::full(limit);
        Self {
            limit,
            room,
            own: HashMap::new(),
            shared,
            pruned_at: f64::NEG_INFINITY,
        }
    }

    fn take(&mut self, owner: RepeatKey, now: f64) -> Result<(), BeyondBudget> {
        let limit = self.limit;
        if self.own.len() >= self.room && !self.own.contains_key(&owner) {
            self.prune(now);
            if self.own.len() >= self.room {
                return self
                    .shared
                    .try_acquire(limit, now)
                    .map_err(|_| BeyondBudget { is_own: false });
            }
        }
        let bucket = self
            .own
            .entry(owner)
            .or_insert_with(|| TokenBucket::full(limit));
        bucket
            .try_acquire(limit, now)
            .map_err(|_| BeyondBudget { is_own: true })
    }

    /// Forgets the budgets that are like new ones.
    fn prune(&mut self, now: f64) {
        // A clock that was set back starts the pause again.
        if (0.0..PRUNE_INTERVAL).contains(&(now - self.pruned_at)) {
            return;
        }
        self.pruned_at = now;
        let limit = self.limit;
        self.own.retain(|_, bucket| !bucket.is_full(limit, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(number: u32) -> Payer<'static> {
        Payer::Network(Some(ClientNetwork::from_address(std::net::IpAddr::from(
            number.to_be_bytes(),
        ))))
    }

    fn granted(budgets: &mut Budgets, payer: Payer<'_>, tries: usize, now: f64) -> usize {
        (0..tries)
            .filter(|_| budgets.take(payer, now).is_ok())
            .count()
    }

    #[test]
    fn each_network_and_each_user_has_its_own_budget() {
        let mut budgets = Budgets::default();
        assert_eq!(granted(&mut budgets, network(1), 1000, 0.0), 20);
        assert_eq!(
            granted(&mut budgets, network(2), 1000, 0.0),
            20,
            "another network"
        );
        assert_eq!(
            granted(&mut budgets, Payer::User("maya"), 1000, 0.0),
            100,
            "a user of any network"
        );
        assert_eq!(granted(&mut budgets, Payer::User("raj"), 1000, 0.0), 100);
        assert_eq!(
            granted(&mut budgets, Payer::Network(None), 1000, 0.0),
            20,
            "clients without an address share one"
        );
        assert_eq!(
            budgets.take(network(1), 0.0),
            Err(BeyondBudget { is_own: true })
        );
        assert_eq!(
            budgets.take(network(1), 0.5),
            Ok(()),
            "one more after half a second"
        );
        assert_eq!(granted(&mut budgets, Payer::Unlimited, 5000, 0.0), 5000);
    }

    #[test]
    fn an_ipv6_site_is_one_network() {
        let of =
            |text: &str| Payer::Network(Some(ClientNetwork::from_address(text.parse().unwrap())));
        let mut budgets = Budgets::default();
        assert_eq!(granted(&mut budgets, of("2001:db8:1:1::1"), 1000, 0.0), 20);
        assert_eq!(granted(&mut budgets, of("2001:db8:1:2::1"), 1000, 0.0), 0);
        assert_eq!(granted(&mut budgets, of("2001:db8:2:1::1"), 1000, 0.0), 20);
    }

    #[test]
    fn further_networks_share_a_budget_until_others_are_full_again() {
        let mut budgets = Budgets::default();
        for number in 0..u32::try_from(MAX_NETWORKS).unwrap() {
            assert_eq!(budgets.take(network(number), 0.0), Ok(()));
        }
        let further = (5000..5100).map(network);
        let granted = further
            .filter(|payer| budgets.take(*payer, 0.0).is_ok())
            .count();
        assert_eq!((granted, budgets.networks.own.len()), (20, MAX_NETWORKS));
        assert_eq!(
            budgets.take(network(6000), 0.0),
            Err(BeyondBudget { is_own: false })
        );
        assert_eq!(budgets.take(network(6000), PRUNE_INTERVAL), Ok(()));
        assert_eq!(budgets.networks.own.len(), 1);
        assert_eq!(
            budgets.take(network(6001), 0.0),
            Ok(()),
            "after the clock was set back"
        );
    }
}
