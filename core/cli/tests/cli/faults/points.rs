//! How many points, and which.

/// Points of the short form.
const SHORT: u64 = 4;
const SEED: u64 = 20_261_122;

/// Numbers that only look random: the same for the same seed (splitmix64).
pub struct Points(u64);

impl Points {
    /// Those of this run; each test has its own.
    pub fn of(test: &str) -> Self {
        let seed = number("GANNET_FAULT_SEED").unwrap_or(SEED);
        println!("{test}: GANNET_FAULT_SEED={seed}");
        let of_test = test.bytes().map(u64::from).sum::<u64>();
        Self(seed.wrapping_add(of_test))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

/// How many points there are.
pub fn count() -> u64 {
    number("GANNET_FAULT_POINTS").unwrap_or(SHORT)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
