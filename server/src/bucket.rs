//! A bucket of permits: some at once, then one after another.

/// How many at once, and how long until the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// How many a full bucket holds.
    pub(crate) burst: f64,
    /// After how many seconds one more is there.
    pub(crate) every: f64,
}

/// A bucket; what it holds is worked out when somebody asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bucket {
    held: f64,
    at: f64,
}

impl Bucket {
    /// A full one.
    pub(crate) const fn full(rate: Rate) -> Self {
        Self { held: rate.burst, at: f64::NEG_INFINITY }
    }

    /// How many seconds there is no permit; 0 when there is one. A clock that went back fills nothing.
    pub(crate) fn wait(&mut self, rate: Rate, now: f64) -> f64 {
        if now > self.at {
            self.held = (self.held + (now - self.at) / rate.every).min(rate.burst);
        }
        self.at = now;
        // What division loses must not make somebody wait for a billionth of a second.
        if self.held > 1.0 - 1e-6 { 0.0 } else { (1.0 - self.held) * rate.every }
    }

    /// Takes a permit; without one, how many seconds there is none.
    pub(crate) fn take(&mut self, rate: Rate, now: f64) -> Result<(), f64> {
        match self.wait(rate, now) {
            0.0 => {
                self.held = (self.held - 1.0).max(0.0);
                Ok(())
            }
            wait => Err(wait),
        }
    }

    /// Puts one back that was not needed.
    pub(crate) fn give(&mut self, rate: Rate) {
        self.held = (self.held + 1.0).min(rate.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 2.0, every: 10.0 };

    #[test]
    fn some_at_once_then_one_after_another() {
        let mut bucket = Bucket::full(RATE);
        assert_eq!((bucket.take(RATE, 100.0), bucket.take(RATE, 100.0)), (Ok(()), Ok(())));
        assert_eq!(bucket.take(RATE, 100.0), Err(10.0));
        assert_eq!(bucket.take(RATE, 104.0), Err(6.0));
        assert_eq!(bucket.take(RATE, 110.0), Ok(()));
        assert_eq!(bucket.take(RATE, 90.0), Err(10.0), "a clock that went back fills nothing");
        assert_eq!(bucket.take(RATE, 100.0), Ok(()));
        assert_eq!(bucket.wait(RATE, 1e9), 0.0);
        assert_eq!((bucket.take(RATE, 1e9), bucket.take(RATE, 1e9)), (Ok(()), Ok(())));
        assert!(bucket.take(RATE, 1e9).is_err(), "never more than it holds");
        bucket.give(RATE);
        assert_eq!(bucket.take(RATE, 1e9), Ok(()));
    }
}
