//! AVX2, with and without AVX-VNNI: sixteen lanes are two registers.

#![allow(unsafe_code)]
// SAFETY, for every block of this file: the functions are inlined into the
// kernels of the tables "avx2" and "avx-vnni", which are called only after
// their features were found at run time. Loads and stores go through
// references to arrays of at least the size that is read or written.

use std::arch::x86_64::*;

use super::lanes::{LANES, Lane, Lanes};
use super::linear::{Isa, STEP_BYTES, STEP_INPUTS, TileSums};

#[derive(Clone, Copy)]
pub(super) struct Avx2Lanes(__m256, __m256);

impl Avx2Lanes {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(__m256, __m256) -> __m256) -> Self {
        Self(operation(self.0, other.0), operation(self.1, other.1))
    }
}

impl Lanes for Avx2Lanes {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see the head of the file.
        let lanes = unsafe { _mm256_set1_ps(value) };
        Self(lanes, lanes)
    }

    #[inline(always)]
    fn load(from: &Lane) -> Self {
        let (low, high) = from.split_at(8);
        // SAFETY: see the head of the file.
        unsafe {
            Self(
                _mm256_loadu_ps(low.as_ptr()),
                _mm256_loadu_ps(high.as_ptr()),
            )
        }
    }

    #[inline(always)]
    fn store(self, to: &mut Lane) {
        let (low, high) = to.split_at_mut(8);
        // SAFETY: see the head of the file.
        unsafe {
            _mm256_storeu_ps(low.as_mut_ptr(), self.0);
            _mm256_storeu_ps(high.as_mut_ptr(), self.1);
        }
    }

    #[inline(always)]
    fn from_integers(from: &[i32; LANES]) -> Self {
        let (low, high) = from.split_at(8);
        // SAFETY: see the head of the file.
        unsafe {
            Self(
                _mm256_cvtepi32_ps(_mm256_loadu_si256(low.as_ptr().cast())),
                _mm256_cvtepi32_ps(_mm256_loadu_si256(high.as_ptr().cast())),
            )
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_add_ps(a, b) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_sub_ps(a, b) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_mul_ps(a, b) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_div_ps(a, b) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_min_ps(a, b) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { _mm256_max_ps(a, b) })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(self, |lanes, _| unsafe {
            let exponent = _mm256_slli_epi32::<23>(_mm256_castps_si256(lanes));
            let one = _mm256_set1_epi32(1.0f32.to_bits().cast_signed());
            _mm256_castsi256_ps(_mm256_add_epi32(exponent, one))
        })
    }

    #[inline(always)]
    fn store_low_bytes(self, to: &mut [u8; LANES]) {
        // SAFETY: see the head of the file.
        unsafe {
            let mask = _mm256_set1_epi32(0xff);
            let low = _mm256_and_si256(_mm256_castps_si256(self.0), mask);
            let high = _mm256_and_si256(_mm256_castps_si256(self.1), mask);
            let words = _mm256_packus_epi32(low, high);
            let bytes = _mm256_packus_epi16(words, words);
            // The packs work within halves of 128 bits; this restores the order.
            let order = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
            let bytes = _mm256_permutevar8x32_epi32(bytes, order);
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm256_castsi256_si128(bytes));
        }
    }
}

/// Rows that share the sixteen registers.
const ROWS_AT_ONCE: usize = 4;

/// Calls `$kernel::<N>` for groups of up to four rows.
macro_rules! in_row_groups {
    ($kernel:ident, $panel:expr, $rows:expr, $sums:expr) => {
        for (rows, sums) in $rows
            .chunks(ROWS_AT_ONCE)
            .zip($sums.chunks_mut(ROWS_AT_ONCE))
        {
            match rows.len() {
                1 => $kernel::<1>($panel, rows, sums),
                2 => $kernel::<2>($panel, rows, sums),
                3 => $kernel::<3>($panel, rows, sums),
                _ => $kernel::<4>($panel, rows, sums),
            }
        }
    };
}

pub(super) struct Avx2;

impl Isa for Avx2 {
    type Floats = Avx2Lanes;

    #[inline(always)]
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS> {
        let mut sums: TileSums<ROWS> = [[[0; LANES]; 2]; ROWS];
        in_row_groups!(dot_widened, panel, rows, sums);
        sums
    }
}

/// Steps whose codes are widened at a time, so that they lie on the stack.
const WIDENED_STEPS: usize = 128;

/// Products of 16-bit numbers, which cannot saturate. Eight outputs at a time;
/// each has two partial sums, joined at the end. The codes are widened once
/// for all outputs of the panel.
#[inline(always)]
fn dot_widened<const ROWS: usize>(
    panel: &[[u8; STEP_BYTES]],
    rows: &[&[[u8; STEP_INPUTS]]],
    sums: &mut [[[i32; LANES]; 2]],
) {
    let mut widened = [[[0_u16; STEP_INPUTS]; WIDENED_STEPS]; ROWS];
    for (part, panel) in panel.chunks(WIDENED_STEPS).enumerate() {
        for (widened, row) in widened.iter_mut().zip(rows) {
            let codes = &row[part * WIDENED_STEPS..][..panel.len()];
            for (widened, codes) in widened.iter_mut().zip(codes) {
                *widened = codes.map(u16::from);
            }
        }
        for block in 0..4 {
            // SAFETY: see the head of the file; `step` is below the length of
            // the panel's part, which is at most that of the widened rows.
            unsafe {
                let mut accumulators = [[_mm256_setzero_si256(); 2]; ROWS];
                for (step, weights) in panel.iter().enumerate() {
                    let (weights, _) = weights[block * 32..].as_chunks::<16>();
                    let low = _mm_loadu_si128(weights[0].as_ptr().cast());
                    let high = _mm_loadu_si128(weights[1].as_ptr().cast());
                    let (low, high) = (_mm256_cvtepi8_epi16(low), _mm256_cvtepi8_epi16(high));
                    for (accumulator, row) in accumulators.iter_mut().zip(&widened) {
                        let codes: *const i64 = row.get_unchecked(step).as_ptr().cast();
                        let codes = _mm256_set1_epi64x(codes.read_unaligned());
                        let products = [
                            _mm256_madd_epi16(codes, low),
                            _mm256_madd_epi16(codes, high),
                        ];
                        accumulator[0] = _mm256_add_epi32(accumulator[0], products[0]);
                        accumulator[1] = _mm256_add_epi32(accumulator[1], products[1]);
                    }
                }
                for (sums, accumulator) in sums.iter_mut().zip(accumulators) {
                    let joined = _mm256_hadd_epi32(accumulator[0], accumulator[1]);
                    let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(joined);
                    let sums = &mut sums.as_flattened_mut()[block * 8..][..8];
                    let before = _mm256_loadu_si256(sums.as_ptr().cast());
                    let after = _mm256_add_epi32(before, ordered);
                    _mm256_storeu_si256(sums.as_mut_ptr().cast(), after);
                }
            }
        }
    }
}

pub(super) struct AvxVnni;

impl Isa for AvxVnni {
    type Floats = Avx2Lanes;

    #[inline(always)]
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS> {
        let mut sums: TileSums<ROWS> = [[[0; LANES]; 2]; ROWS];
        in_row_groups!(dot_vnni, panel, rows, sums);
        sums
    }
}

/// Sixteen outputs at a time.
#[inline(always)]
fn dot_vnni<const ROWS: usize>(
    panel: &[[u8; STEP_BYTES]],
    rows: &[&[[u8; STEP_INPUTS]]],
    sums: &mut [[[i32; LANES]; 2]],
) {
    let rows: [_; ROWS] = std::array::from_fn(|row| &rows[row][..panel.len()]);
    for half in 0..2 {
        // SAFETY: see the head of the file; `step` is below the length of the
        // panel, to which the rows were cut just above.
        unsafe {
            let mut accumulators = [[_mm256_setzero_si256(); 2]; ROWS];
            for (step, weights) in panel.iter().enumerate() {
                let (weights, _) = weights[half * 64..].as_chunks::<32>();
                let low = _mm256_loadu_si256(weights[0].as_ptr().cast());
                let high = _mm256_loadu_si256(weights[1].as_ptr().cast());
                for (accumulator, row) in accumulators.iter_mut().zip(rows) {
                    let codes = i32::from_le_bytes(*row.get_unchecked(step));
                    let codes = _mm256_set1_epi32(codes);
                    accumulator[0] = _mm256_dpbusd_avx_epi32(accumulator[0], codes, low);
                    accumulator[1] = _mm256_dpbusd_avx_epi32(accumulator[1], codes, high);
                }
            }
            for (sums, accumulator) in sums.iter_mut().zip(accumulators) {
                let (low, high) = sums[half].split_at_mut(8);
                _mm256_storeu_si256(low.as_mut_ptr().cast(), accumulator[0]);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), accumulator[1]);
            }
        }
    }
}
