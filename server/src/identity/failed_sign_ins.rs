//! The limit on failed password sign-ins, by user name and by client address (D-38).

use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;

use crate::lock::Lock;
use crate::rate_limit::{RateLimit, TokenBucket};

/// Ten at once, then one every six seconds.
const LIMIT: RateLimit = RateLimit { burst: 10.0, interval: 6.0 };
/// The number of buckets for names, and for addresses. Names can share a bucket; which ones do differs from run to run.
const BUCKETS: u64 = 1024;

/// Counts failed sign-ins in constant memory.
pub(crate) struct FailedSignIns {
    by_name: Lock<Vec<TokenBucket>>,
    by_address: Lock<Vec<TokenBucket>>,
    hasher: RandomState,
}

impl Default for FailedSignIns {
    fn default() -> Self {
        let full = || Lock::new((0..BUCKETS).map(|_| TokenBucket::full(LIMIT)).collect());
        Self { by_name: full(), by_address: full(), hasher: RandomState::new() }
    }
}

impl FailedSignIns {
    /// Counts an attempt as failed before the password is checked, so that parallel attempts are limited as well.
    ///
    /// # Errors
    /// There were too many; the seconds until the next attempt is allowed.
    pub(crate) fn count(&self, name: &str, peer: Option<IpAddr>, now: f64) -> Result<(), f64> {
        self.with_bucket(&self.by_name, name, |bucket| bucket.try_acquire(LIMIT, now))?;
        let Some(peer) = peer.map(network) else { return Ok(()) };
        self.with_bucket(&self.by_address, peer, |bucket| bucket.try_acquire(LIMIT, now)).inspect_err(|_| {
            self.with_bucket(&self.by_name, name, |bucket| bucket.refund(LIMIT));
        })
    }

    /// Removes an attempt that succeeded.
    pub(crate) fn remove(&self, name: &str, peer: Option<IpAddr>) {
        self.with_bucket(&self.by_name, name, |bucket| bucket.refund(LIMIT));
        if let Some(peer) = peer.map(network) {
            self.with_bucket(&self.by_address, peer, |bucket| bucket.refund(LIMIT));
        }
    }

    fn with_bucket<T>(
        &self,
        buckets: &Lock<Vec<TokenBucket>>,
        key: impl Hash,
        work: impl FnOnce(&mut TokenBucket) -> T,
    ) -> T {
        let index = usize::try_from(self.hasher.hash_one(key) % BUCKETS).unwrap_or_default();
        // The index is always in range, which the compiler cannot know.
        buckets.with(|buckets| work(buckets.get_mut(index).unwrap_or(&mut TokenBucket::full(LIMIT))))
    }
}

/// The client of an address: for IPv6 its network of 64 bits, in which one machine can use any address.
fn network(peer: IpAddr) -> u128 {
    match peer.to_canonical() {
        IpAddr::V4(peer) => peer.to_bits().into(),
        IpAddr::V6(peer) => peer.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(failed_sign_ins: &FailedSignIns, name: &str, peer: &str, now: f64) -> Result<(), f64> {
        failed_sign_ins.count(name, Some(peer.parse().unwrap()), now)
    }

    #[test]
    fn names_and_addresses_are_limited() {
        let failed_sign_ins = FailedSignIns::default();
        for n in 0..10 {
            assert_eq!(count(&failed_sign_ins, "admin", &format!("10.0.0.{n}"), 0.0), Ok(()));
        }
        assert_eq!(count(&failed_sign_ins, "admin", "10.0.1.1", 0.0), Err(6.0), "one name from many addresses");
        assert_eq!(count(&failed_sign_ins, "admin", "10.0.1.1", 6.0), Ok(()));

        let failed_sign_ins = FailedSignIns::default();
        let names: Vec<String> = (0..10).map(|n| format!("user{n}")).collect();
        for name in &names {
            assert_eq!(count(&failed_sign_ins, name, "2001:db8::1", 0.0), Ok(()));
        }
        assert_eq!(count(&failed_sign_ins, "another", "2001:db8::2", 0.0), Err(6.0), "many names from one network");
        assert_eq!(count(&failed_sign_ins, "another", "2001:db8:0:1::1", 0.0), Ok(()));
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
}
