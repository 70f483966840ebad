//! Rate limiting: a token bucket that can be refunded.

/// How many permits a full bucket holds, and how fast it refills.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RateLimit {
    /// The permits in a full bucket.
    pub(crate) burst: f64,
    /// The seconds after which one permit is added.
    pub(crate) interval: f64,
}

/// A token bucket; its content is computed on access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TokenBucket {
    permits: f64,
    updated_at: f64,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) const fn full(limit: RateLimit) -> Self {
        Self {
            permits: limit.burst,
            updated_at: f64::NEG_INFINITY,
        }
    }

    /// The seconds until a permit is available; 0 if there is one. A clock that went back adds
    /// nothing.
    fn wait(&mut self, limit: RateLimit, now: f64) -> f64 {
        if now > self.updated_at {
            self.permits =
                (self.permits + (now - self.updated_at) / limit.interval).min(limit.burst);
        }
        self.updated_at = now;
        // Rounding errors of the division must not cause a wait of a billionth of a second.
        if self.permits > 1.0 - 1e-6 {
            0.0
        } else {
            (1.0 - self.permits) * limit.interval
        }
    }

    /// Takes a permit.
    ///
    /// # Errors
    /// None is available; the seconds until one is.
    pub(crate) fn try_acquire(&mut self, limit: RateLimit, now: f64) -> Result<(), f64> {
        match self.wait(limit, now) {
            0.0 => {
                self.permits = (self.permits - 1.0).max(0.0);
                Ok(())
            }
            wait => Err(wait),
        }
    }

    /// Whether all permits are available, so that the bucket is like a new one.
    pub(crate) fn is_full(mut self, limit: RateLimit, now: f64) -> bool {
        self.wait(limit, now);
        self.permits >= limit.burst
    }

    /// Returns a permit that was not needed.
    pub(crate) fn refund(&mut self, limit: RateLimit) {
        self.permits = (self.permits + 1.0).min(limit.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit {
        burst: 2.0,
        interval: 10.0,
    };

    #[test]
    fn a_bucket_allows_a_burst_and_then_one_permit_per_interval() {
        let mut bucket = TokenBucket::full(LIMIT);
        assert_eq!(
            (
                bucket.try_acquire(LIMIT, 100.0),
                bucket.try_acquire(LIMIT, 100.0)
            ),
            (Ok(()), Ok(()))
        );
        assert_eq!(bucket.try_acquire(LIMIT, 100.0), Err(10.0));
        assert_eq!(bucket.try_acquire(LIMIT, 104.0), Err(6.0));
        assert_eq!(bucket.try_acquire(LIMIT, 110.0), Ok(()));
        assert_eq!(
            bucket.try_acquire(LIMIT, 90.0),
            Err(10.0),
            "a clock that went back adds nothing"
        );
        assert_eq!(bucket.try_acquire(LIMIT, 100.0), Ok(()));
        assert_eq!(bucket.wait(LIMIT, 1e9), 0.0);
        assert_eq!(
            (
                bucket.try_acquire(LIMIT, 1e9),
                bucket.try_acquire(LIMIT, 1e9)
            ),
            (Ok(()), Ok(()))
        );
        assert!(!bucket.is_full(LIMIT, 1e9 + 19.0) && bucket.is_full(LIMIT, 1e9 + 20.0));
        assert!(
            bucket.try_acquire(LIMIT, 1e9).is_err(),
            "never more than the burst"
        );
        bucket.refund(LIMIT);
        assert_eq!(bucket.try_acquire(LIMIT, 1e9), Ok(()));
    }
}
