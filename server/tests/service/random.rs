//! Numbers that look random and are the same at every run; GBAC_SEED starts them elsewhere.

use std::env;

/// Where the numbers come from (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of GBAC_SEED, or else of this seed; it is printed where a test fails.
    pub(crate) fn seeded(otherwise: u64) -> Self {
        let seed = number("GBAC_SEED", otherwise).max(1);
        eprintln!("GBAC_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Whether something happens that happens once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// A number of the environment, or else this one.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}
