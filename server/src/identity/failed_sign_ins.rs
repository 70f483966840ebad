//! The limit on failed password sign-ins, by user name and by client network (D-38).

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use crate::client_address::ClientNetwork;
use crate::lock::Lock;
use crate::rate_limit::{RateLimit, TokenBucket};

/// For each name, and for each network: ten at once, then one every six seconds.
const LIMIT: RateLimit = RateLimit {
    burst: 10.0,
    interval: 6.0,
};
/// For each network when the limit of a name is reached: three at once, then one every eight hours.
/// So those who guess a name cannot lock out a network that has not failed, and every network adds
/// only a few guesses a day.
const SPARE: RateLimit = RateLimit {
    burst: 3.0,
    interval: 8.0 * 3600.0,
};
/// The number of buckets for names. Names can share a bucket; which ones do differs from run to
/// run.
const NAME_BUCKETS: u64 = 1024;
/// The number of networks with an own record; further ones share a record.
const MAX_NETWORKS: usize = 16_384;
/// The number of networks of one IPv6 site with an own record; further ones share that of the site.
/// So one site cannot take all records.
const MAX_NETWORKS_OF_SITE: usize = 256;
/// The number of pairs of a name and a network that signed in. Only sign-ins add pairs, so guesses
/// displace none.
const MAX_SIGNED_IN: usize = 1024;
/// The pause in seconds between searches for records that can be dropped.
const PRUNE_INTERVAL: f64 = 60.0;

/// Counts failed sign-ins in bounded memory.
pub(crate) struct FailedSignIns {
    state: Lock<State>,
    hasher: RandomState,
}

struct State {
    names: Vec<TokenBucket>,
    networks: HashMap<ClientNetwork, Record>,
    /// The record of the networks for which there is no room.
    others: Record,
    pruned_at: f64,
    /// The pairs of a name and a network that signed in, and when.
    signed_in: HashMap<(u64, ClientNetwork), u64>,
    sign_ins: u64,
}

/// The failed sign-ins of a network.
#[derive(Clone, Copy)]
struct Record {
    attempts: TokenBucket,
    spare: TokenBucket,
    /// The number of attempts that took a spare permit and were not removed.
    spares_taken: u32,
}

impl Record {
    const NEW: Self = Self {
        attempts: TokenBucket::full(LIMIT),
        spare: TokenBucket::full(SPARE),
        spares_taken: 0,
    };
}

impl Default for FailedSignIns {
    fn default() -> Self {
        let state = State {
            names: (0..NAME_BUCKETS)
                .map(|_| TokenBucket::full(LIMIT))
                .collect(),
            networks: HashMap::new(),
            others: Record::NEW,
            pruned_at: f64::NEG_INFINITY,
            signed_in: HashMap::new(),
            sign_ins: 0,
        };
        Self {
            state: Lock::new(state),
            hasher: RandomState::new(),
        }
    }
}

impl FailedSignIns {
    /// Counts an attempt as failed before the password is checked, so that parallel attempts are
    /// limited as well.
    ///
    /// The limit of the network always applies. The limit of the name, to which others contribute,
    /// does not stop a network from which this name signed in before, and a network that has not
    /// failed recently has a few attempts of its own.
    ///
    /// # Errors
    /// There were too many; the seconds until the next attempt is allowed.
    pub(crate) fn count(&self, name: &str, peer: Option<IpAddr>, now: f64) -> Result<(), f64> {
        let name = self.hasher.hash_one(name);
        self.state.with(|state| {
            let Some(network) = peer.map(ClientNetwork::from_address) else {
                return state.name(name).try_acquire(LIMIT, now);
            };
            state
                .record(network, now)
                .attempts
                .try_acquire(LIMIT, now)?;
            if state.signed_in.contains_key(&(name, network)) {
                return Ok(());
            }
            let Err(wait) = state.name(name).try_acquire(LIMIT, now) else {
                return Ok(());
            };
            let record = state.record(network, now);
            if record.spare.try_acquire(SPARE, now).is_err() {
                record.attempts.refund(LIMIT);
                return Err(wait);
            }
            record.spares_taken = record.spares_taken.saturating_add(1);
            Ok(())
        })
    }

    /// Removes an attempt that did not fail.
    pub(crate) fn remove(&self, name: &str, peer: Option<IpAddr>) {
        let name = self.hasher.hash_one(name);
        self.state
            .with(|state| state.remove(name, peer.map(ClientNetwork::from_address)));
    }

    /// Counts an attempt without a name as failed, for the network alone: that of a sign-in with
    /// the identity provider.
    ///
    /// # Errors
    /// There were too many; the seconds until the next attempt is allowed.
    pub(crate) fn count_address(&self, peer: Option<IpAddr>, now: f64) -> Result<(), f64> {
        self.state
            .with(|state| match peer.map(ClientNetwork::from_address) {
                Some(network) => state.record(network, now).attempts.try_acquire(LIMIT, now),
                None => state.others.attempts.try_acquire(LIMIT, now),
            })
    }

    /// Removes an attempt without a name that did not fail.
    pub(crate) fn remove_address(&self, peer: Option<IpAddr>) {
        self.state
            .with(|state| match peer.map(ClientNetwork::from_address) {
                Some(network) => {
                    let key = state.record_key(network);
                    if let Some(record) = state.networks.get_mut(&key) {
                        record.attempts.refund(LIMIT);
                    }
                }
                None => state.others.attempts.refund(LIMIT),
            });
    }

    /// Removes an attempt that succeeded. From now on, failures elsewhere do not stop this name
    /// from this network.
    pub(crate) fn accept(&self, name: &str, peer: Option<IpAddr>) {
        let (name, network) = (
            self.hasher.hash_one(name),
            peer.map(ClientNetwork::from_address),
        );
        self.state.with(|state| {
            state.remove(name, network);
            if let Some(network) = network {
                state.remember_sign_in((name, network));
            }
        });
    }
}

impl State {
    fn name(&mut self, name: u64) -> &mut TokenBucket {
        let index = usize::try_from(name % NAME_BUCKETS).unwrap_or_default();
        // The index is always in range, which the compiler cannot know.
        self.names
            .get_mut(index)
            .unwrap_or(&mut self.others.attempts)
    }

    /// Returns the permits of one attempt: never one of the name and a spare one.
    fn remove(&mut self, name: u64, network: Option<ClientNetwork>) {
        let Some(network) = network else {
            return self.name(name).refund(LIMIT);
        };
        let key = self.record_key(network);
        let mut took_spare = false;
        if let Some(record) = self.networks.get_mut(&key) {
            record.attempts.refund(LIMIT);
            took_spare = record.spares_taken > 0;
            if took_spare {
                record.spare.refund(SPARE);
                record.spares_taken -= 1;
            }
        }
        if !took_spare && !self.signed_in.contains_key(&(name, network)) {
            self.name(name).refund(LIMIT);
        }
    }

    /// The network whose record counts for this one: itself, or its site if too many networks of
    /// that have a record.
    fn record_key(&self, network: ClientNetwork) -> ClientNetwork {
        let Some(site) = network.site() else {
            return network;
        };
        if self.networks.contains_key(&network) {
            return network;
        }
        let of_site = self
            .networks
            .keys()
            .filter(|known| known.site() == Some(site))
            .count();
        if of_site < MAX_NETWORKS_OF_SITE {
            network
        } else {
            site
        }
    }

    fn record(&mut self, network: ClientNetwork, now: f64) -> &mut Record {
        let network = self.record_key(network);
        if self.networks.len() >= MAX_NETWORKS && !self.networks.contains_key(&network) {
            if now - self.pruned_at >= PRUNE_INTERVAL {
                self.pruned_at = now;
                self.networks.retain(|_, record| {
                    !(record.attempts.is_full(LIMIT, now) && record.spare.is_full(SPARE, now))
                });
            }
            if self.networks.len() >= MAX_NETWORKS {
                return &mut self.others;
            }
        }
        self.networks.entry(network).or_insert(Record::NEW)
    }

    fn remember_sign_in(&mut self, pair: (u64, ClientNetwork)) {
        self.sign_ins += 1;
        self.signed_in.insert(pair, self.sign_ins);
        if self.signed_in.len() > MAX_SIGNED_IN
            && let Some((oldest, _)) = self.signed_in.iter().min_by_key(|(_, at)| **at)
        {
            let oldest = *oldest;
            self.signed_in.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u32 = 24 * 3600;

    fn count(failed_sign_ins: &FailedSignIns, name: &str, peer: &str, now: f64) -> Result<(), f64> {
        failed_sign_ins.count(name, Some(peer.parse().unwrap()), now)
    }

    /// The address of a guessing machine.
    fn guesser(number: u32) -> IpAddr {
        IpAddr::from((10 << 24 | number).to_be_bytes())
    }

    const ADMIN: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    #[test]
    fn names_and_addresses_are_limited() {
        let failed_sign_ins = FailedSignIns::default();
        for n in 0..10 {
            assert_eq!(
                count(&failed_sign_ins, "admin", &format!("10.0.0.{n}"), 0.0),
                Ok(())
            );
        }
        for n in 0..3 {
            assert_eq!(
                count(&failed_sign_ins, "admin", "10.0.1.1", 0.0),
                Ok(()),
                "spare attempt {n}"
            );
        }
        assert_eq!(
            count(&failed_sign_ins, "admin", "10.0.1.1", 0.0),
            Err(6.0),
            "one name from many addresses"
        );
        assert_eq!(
            failed_sign_ins.count("admin", None, 0.0),
            Err(6.0),
            "an unknown address has no spare attempts"
        );
        assert_eq!(count(&failed_sign_ins, "admin", "10.0.1.1", 6.0), Ok(()));

        let failed_sign_ins = FailedSignIns::default();
        let names: Vec<String> = (0..10).map(|n| format!("user{n}")).collect();
        for name in &names {
            assert_eq!(count(&failed_sign_ins, name, "2001:db8::1", 0.0), Ok(()));
        }
        assert_eq!(
            count(&failed_sign_ins, "another", "2001:db8::2", 0.0),
            Err(6.0),
            "many names from one network"
        );
        assert_eq!(
            count(&failed_sign_ins, "another", "2001:db8:0:1::1", 0.0),
            Ok(())
        );
    }

    #[test]
    fn successful_sign_ins_are_not_counted() {
        let failed_sign_ins = FailedSignIns::default();
        let peer = Some(IpAddr::from([127, 0, 0, 1]));
        for _ in 0..100 {
            failed_sign_ins.count("admin", peer, 0.0).unwrap();
            failed_sign_ins.remove("admin", peer);
        }
        for n in 0..10 {
            assert_eq!(failed_sign_ins.count("admin", peer, 0.0), Ok(()), "{n}");
        }
        assert!(failed_sign_ins.count("admin", peer, 0.0).is_err());
    }

    /// Every machine guesses as fast as it may, once a minute all that it may; the number of
    /// guesses at `admin` in a day.
    fn guesses_in_a_day(failed_sign_ins: &FailedSignIns, machines: u32) -> u32 {
        let mut guesses = 0;
        for minute in 0..DAY / 60 {
            for number in 0..machines {
                while failed_sign_ins
                    .count("admin", Some(guesser(number)), f64::from(minute * 60))
                    .is_ok()
                {
                    guesses += 1;
                }
            }
        }
        guesses
    }

    #[test]
    fn guesses_a_day_are_bounded_over_many_addresses() {
        // What the name alone allows: ten, and one every six seconds.
        let of_name = 10 + DAY / 6;
        for machines in [1, 2, 20, 200] {
            let guesses = guesses_in_a_day(&FailedSignIns::default(), machines);
            // Each machine adds its three spare attempts, and one every eight hours.
            assert!(
                guesses <= of_name + machines * 6,
                "{machines} machines: {guesses}"
            );
        }
    }

    #[test]
    fn guesses_are_bounded_however_many_addresses_there_are() {
        let failed_sign_ins = FailedSignIns::default();
        let limit = u32::try_from(MAX_NETWORKS).unwrap();
        let mut guesses = 0;
        for number in 0..3 * limit {
            while failed_sign_ins
                .count("admin", Some(guesser(number)), 0.0)
                .is_ok()
            {
                guesses += 1;
            }
        }
        // What the name allows, all of it to the first network, and the spare attempts of the other
        // records and of the one that further networks share.
        assert_eq!(guesses, 10 + 3 * (limit - 1) + 3);
        assert_eq!(
            failed_sign_ins.state.with(|state| state.networks.len()),
            MAX_NETWORKS
        );
        // A day later the records can be dropped, and others take their place.
        assert_eq!(
            failed_sign_ins.count("other", Some(ADMIN), f64::from(DAY)),
            Ok(())
        );
        assert_eq!(failed_sign_ins.state.with(|state| state.networks.len()), 1);
    }

    #[test]
    fn guessing_machines_do_not_lock_out_the_admin() {
        for machines in [2, 50, 2000] {
            let failed_sign_ins = FailedSignIns::default();
            let guess = |now: f64| {
                for number in 0..machines {
                    for _ in 0..10 {
                        let _ = failed_sign_ins.count("admin", Some(guesser(number)), now);
                    }
                }
            };
            let (mut tries, mut refused) = (0, 0);
            // The admin signs in for the first time since the start after a minute of guessing, and
            // then again and again.
            for second in 0..120 {
                guess(f64::from(second));
                if second >= 60 {
                    tries += 1;
                    match failed_sign_ins.count("admin", Some(ADMIN), f64::from(second)) {
                        Ok(()) => failed_sign_ins.accept("admin", Some(ADMIN)),
                        Err(_) => refused += 1,
                    }
                }
            }
            assert_eq!((tries, refused), (60, 0), "{machines} machines");
        }
    }

    #[test]
    fn one_site_with_many_networks_does_not_lock_out_the_admin() {
        let failed_sign_ins = FailedSignIns::default();
        let of_site =
            |number: u128| IpAddr::from((0x2001_0db8_u128 << 96 | number << 64).to_be_bytes());
        let mut guesses = 0;
        for number in 0..2 * MAX_NETWORKS as u128 {
            while failed_sign_ins
                .count("admin", Some(of_site(number)), 0.0)
                .is_ok()
            {
                guesses += 1;
            }
        }
        let of_records = 3 * (MAX_NETWORKS_OF_SITE - 1);
        assert!(
            (of_records..=10 + of_records + 3).contains(&guesses),
            "{guesses}"
        );
        assert_eq!(failed_sign_ins.count("admin", Some(ADMIN), 0.0), Ok(()));
        let elsewhere = Some("2001:db8:1::1".parse().unwrap());
        assert_eq!(
            failed_sign_ins.count("admin", elsewhere, 0.0),
            Ok(()),
            "another site"
        );
    }

    #[test]
    fn a_network_that_signed_in_waits_for_its_own_failures_only() {
        let failed_sign_ins = FailedSignIns::default();
        failed_sign_ins.count("admin", Some(ADMIN), 0.0).unwrap();
        failed_sign_ins.accept("admin", Some(ADMIN));
        for number in 0..100 {
            let _ = failed_sign_ins.count("admin", Some(guesser(number)), 0.0);
        }
        for n in 0..10 {
            assert_eq!(
                failed_sign_ins.count("admin", Some(ADMIN), 0.0),
                Ok(()),
                "attempt {n}"
            );
        }
        assert_eq!(
            failed_sign_ins.count("admin", Some(ADMIN), 0.0),
            Err(6.0),
            "its own failures"
        );
        // It signed in as `admin` only: another name that many guess has the limit of the name and
        // the spare attempts.
        let failed_sign_ins = FailedSignIns::default();
        failed_sign_ins.accept("bob", Some(ADMIN));
        // An attempt that is only taken back is no sign-in.
        failed_sign_ins.count("admin", Some(ADMIN), 0.0).unwrap();
        failed_sign_ins.remove("admin", Some(ADMIN));
        for number in 0..100 {
            let _ = failed_sign_ins.count("admin", Some(guesser(number)), 0.0);
        }
        assert_eq!(
            (0..10)
                .filter(|_| failed_sign_ins.count("admin", Some(ADMIN), 0.0).is_ok())
                .count(),
            3
        );
    }

    #[test]
    fn attempts_that_are_taken_back_add_no_guesses() {
        let failed_sign_ins = FailedSignIns::default();
        let mut guesses = 0;
        // A relayed operation that says nothing about the password is taken back, and guesses come
        // in between.
        for second in 0..3600 {
            let now = f64::from(second);
            if failed_sign_ins.count("admin", Some(ADMIN), now).is_ok() {
                failed_sign_ins.remove("admin", Some(ADMIN));
            }
            while failed_sign_ins.count("admin", Some(ADMIN), now).is_ok() {
                guesses += 1;
            }
            for number in 0..5 {
                while failed_sign_ins
                    .count("admin", Some(guesser(number)), now)
                    .is_ok()
                {
                    guesses += 1;
                }
            }
        }
        assert!(guesses <= 10 + 3600 / 6 + 6 * 3, "{guesses}");
    }

    #[test]
    fn attempts_without_a_name_are_limited_by_network_and_lock_out_no_name() {
        let failed_sign_ins = FailedSignIns::default();
        for _ in 0..100 {
            failed_sign_ins.count_address(Some(ADMIN), 0.0).unwrap();
            failed_sign_ins.remove_address(Some(ADMIN));
        }
        for number in 0..50 {
            let allowed = (0..20)
                .filter(|_| {
                    failed_sign_ins
                        .count_address(Some(guesser(number)), 0.0)
                        .is_ok()
                })
                .count();
            assert_eq!(allowed, 10, "machine {number}");
        }
        assert_eq!(
            failed_sign_ins.count_address(Some(guesser(0)), 0.0),
            Err(6.0)
        );
        assert_eq!(
            failed_sign_ins.count("admin", Some(guesser(0)), 0.0),
            Err(6.0),
            "guesses of a password share the limit"
        );
        assert_eq!(failed_sign_ins.count("admin", Some(ADMIN), 0.0), Ok(()));
        assert_eq!(
            (0..20)
                .filter(|_| failed_sign_ins.count_address(None, 0.0).is_ok())
                .count(),
            10
        );
    }

    #[test]
    fn the_memory_of_sign_ins_is_bounded() {
        let failed_sign_ins = FailedSignIns::default();
        for number in 0..u32::try_from(MAX_SIGNED_IN).unwrap() + 10 {
            failed_sign_ins.accept("admin", Some(guesser(number)));
        }
        assert_eq!(
            failed_sign_ins.state.with(|state| state.signed_in.len()),
            MAX_SIGNED_IN
        );
    }
}
