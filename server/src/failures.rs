//! How often a password may be wrong (D-38): so often for a user's name, whoever asks, and so often for an address,
//! whatever name it tries.

use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;

use crate::bucket::{Bucket, Rate};
use crate::lock::Lock;

/// Ten at once, then one in six seconds.
const RATE: Rate = Rate { burst: 10.0, every: 6.0 };
/// How many buckets there are for names, and for addresses. Two names may share one; which do is drawn at each start.
const BUCKETS: u64 = 1024;

/// The failed sign-ins of late. It takes the same room whatever is tried.
pub(crate) struct Failures {
    names: Lock<Vec<Bucket>>,
    peers: Lock<Vec<Bucket>>,
    places: RandomState,
}

impl Default for Failures {
    fn default() -> Self {
        let full = || Lock::new((0..BUCKETS).map(|_| Bucket::full(RATE)).collect());
        Self { names: full(), peers: full(), places: RandomState::new() }
    }
}

impl Failures {
    /// Counts an attempt as failed before it is made, so that many at once are not better off than one after another.
    ///
    /// # Errors
    /// In how many seconds the next may be made.
    pub(crate) fn begin(&self, name: &str, peer: Option<IpAddr>, now: f64) -> Result<(), f64> {
        self.at(&self.names, name, |bucket| bucket.take(RATE, now))?;
        let Some(peer) = peer.map(network) else { return Ok(()) };
        self.at(&self.peers, peer, |bucket| bucket.take(RATE, now)).inspect_err(|_| {
            self.at(&self.names, name, |bucket| bucket.give(RATE));
        })
    }

    /// Takes an attempt back that did not fail.
    pub(crate) fn succeed(&self, name: &str, peer: Option<IpAddr>) {
        self.at(&self.names, name, |bucket| bucket.give(RATE));
        if let Some(peer) = peer.map(network) {
            self.at(&self.peers, peer, |bucket| bucket.give(RATE));
        }
    }

    fn at<T>(&self, of: &Lock<Vec<Bucket>>, key: impl Hash, work: impl FnOnce(&mut Bucket) -> T) -> T {
        let place = usize::try_from(self.places.hash_one(key) % BUCKETS).unwrap_or_default();
        // The buckets are as many as there are places; a stand-in is what the compiler cannot know is never used.
        of.with(|buckets| work(buckets.get_mut(place).unwrap_or(&mut Bucket::full(RATE))))
    }
}

/// Whose address it is: one machine in IPv4, a network of 64 bits in IPv6, where a machine has as many as it likes.
fn network(peer: IpAddr) -> u128 {
    match peer.to_canonical() {
        IpAddr::V4(peer) => peer.to_bits().into(),
        IpAddr::V6(peer) => peer.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(failures: &Failures, name: &str, peer: &str, now: f64) -> Result<(), f64> {
        failures.begin(name, Some(peer.parse().unwrap()), now)
    }

    #[test]
    fn a_name_and_an_address_have_their_limits() {
        let failures = Failures::default();
        for n in 0..10 {
            assert_eq!(fails(&failures, "admin", &format!("10.0.0.{n}"), 0.0), Ok(()));
        }
        assert_eq!(fails(&failures, "admin", "10.0.1.1", 0.0), Err(6.0), "one name from many addresses");
        assert_eq!(fails(&failures, "admin", "10.0.1.1", 6.0), Ok(()));

        let failures = Failures::default();
        let names: Vec<String> = (0..10).map(|n| format!("user{n}")).collect();
        for name in &names {
            assert_eq!(fails(&failures, name, "2001:db8::1", 0.0), Ok(()));
        }
        assert_eq!(fails(&failures, "another", "2001:db8::2", 0.0), Err(6.0), "many names from one network");
        assert_eq!(fails(&failures, "another", "2001:db8:0:1::1", 0.0), Ok(()));
    }

    #[test]
    fn what_is_right_costs_nothing() {
        let failures = Failures::default();
        let peer = Some(IpAddr::from([127, 0, 0, 1]));
        for _ in 0..100 {
            failures.begin("admin", peer, 0.0).unwrap();
            failures.succeed("admin", peer);
        }
        for n in 0..10 {
            assert_eq!(failures.begin("admin", peer, 0.0), Ok(()), "{n}");
        }
        assert!(failures.begin("admin", peer, 0.0).is_err());
    }
}
