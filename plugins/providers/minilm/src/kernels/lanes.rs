//! Sixteen 32-bit lanes: the one shape in which all floating-point arithmetic
//! of the encoder is written.
//!
//! Every instruction set implements the same sixteen-lane operations, each a
//! single IEEE operation per lane and never a fused multiply-add. Since the
//! order of operations is written once, over this trait, every instruction
//! set gives the same bits.

/// Sixteen floats in memory.
pub(crate) type Lane = [f32; LANES];

/// How many floats one lane group holds.
pub(crate) const LANES: usize = 16;

/// Sixteen floats in registers.
pub(super) trait Lanes: Copy {
    /// Sixteen copies of one number.
    fn splat(value: f32) -> Self;
    /// Reads sixteen numbers.
    fn load(from: &Lane) -> Self;
    /// Writes sixteen numbers.
    fn store(self, to: &mut Lane);
    /// Converts sixteen integers, rounding to nearest even.
    fn from_integers(from: &[i32; LANES]) -> Self;
    /// Lane by lane sum.
    fn add(self, other: Self) -> Self;
    /// Lane by lane difference.
    fn sub(self, other: Self) -> Self;
    /// Lane by lane product.
    fn mul(self, other: Self) -> Self;
    /// Lane by lane quotient.
    fn div(self, other: Self) -> Self;
    /// `if self < other { self } else { other }` in each lane.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }` in each lane.
    fn max(self, other: Self) -> Self;
    /// Two to the power of the integer that [`ROUNDING`] left in the low bits
    /// of each lane.
    fn power_of_two(self) -> Self;
    /// The low byte of each lane's bit pattern: the integer that [`ROUNDING`]
    /// left there.
    fn store_low_bytes(self, to: &mut [u8; LANES]);
}

/// 1.5 * 2^23. A number of small magnitude added to it is rounded to an
/// integer, which then stands in the low bits of the sum.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// The sum of all lanes, always added in the same order.
#[inline(always)]
pub(super) fn sum<L: Lanes>(lanes: L) -> f32 {
    fold(lanes, |a, b| a + b)
}

/// The smallest lane.
#[inline(always)]
pub(super) fn smallest<L: Lanes>(lanes: L) -> f32 {
    fold(lanes, |a, b| if a < b { a } else { b })
}

/// The largest lane.
#[inline(always)]
pub(super) fn largest<L: Lanes>(lanes: L) -> f32 {
    fold(lanes, |a, b| if a > b { a } else { b })
}

#[inline(always)]
fn fold<L: Lanes>(lanes: L, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut values = [0.0; LANES];
    lanes.store(&mut values);
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            values[lane] = join(values[lane], values[lane + width]);
        }
        width /= 2;
    }
    values[0]
}

/// The form in plain Rust; the others are tested against it.
#[derive(Clone, Copy)]
pub(super) struct ScalarLanes(Lane);

impl ScalarLanes {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| {
            operation(self.0[lane], other.0[lane])
        }))
    }
}

impl Lanes for ScalarLanes {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &Lane) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut Lane) {
        *to = self.0;
    }

    #[inline(always)]
    fn from_integers(from: &[i32; LANES]) -> Self {
        Self(from.map(|value| value as f32))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        let one = 1.0f32.to_bits();
        Self(
            self.0
                .map(|value| f32::from_bits((value.to_bits() << 23).wrapping_add(one))),
        )
    }

    #[inline(always)]
    fn store_low_bytes(self, to: &mut [u8; LANES]) {
        *to = self.0.map(|value| value.to_bits() as u8);
    }
}
