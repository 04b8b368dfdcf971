//! AVX-512 with VNNI: sixteen lanes are one register.

#![allow(unsafe_code)]
// SAFETY, for every block of this file: the functions are inlined into the
// kernels of the table "avx512-vnni", which are called only after its features
// were found at run time. Loads and stores go through references to arrays of
// exactly the size that is read or written.

use std::arch::x86_64::*;

use super::lanes::{LANES, Lane, Lanes};
use super::linear::{Isa, STEP_BYTES, STEP_INPUTS, TileSums};

#[derive(Clone, Copy)]
pub(super) struct Avx512Lanes(__m512);

impl Lanes for Avx512Lanes {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &Lane) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Lane) {
        // SAFETY: see the head of the file.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn from_integers(from: &[i32; LANES]) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_cvtepi32_ps(_mm512_loadu_si512(from.as_ptr().cast())) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: see the head of the file.
        unsafe {
            let exponent = _mm512_slli_epi32::<23>(_mm512_castps_si512(self.0));
            let one = _mm512_set1_epi32(1.0f32.to_bits().cast_signed());
            Self(_mm512_castsi512_ps(_mm512_add_epi32(exponent, one)))
        }
    }

    #[inline(always)]
    fn store_low_bytes(self, to: &mut [u8; LANES]) {
        // SAFETY: see the head of the file.
        unsafe {
            let bytes = _mm512_cvtepi32_epi8(_mm512_castps_si512(self.0));
            _mm_storeu_si128(to.as_mut_ptr().cast(), bytes);
        }
    }
}

pub(super) struct Avx512Vnni;

impl Isa for Avx512Vnni {
    type Floats = Avx512Lanes;

    #[inline(always)]
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS> {
        let mut sums: TileSums<ROWS> = [[[0; LANES]; 2]; ROWS];
        let rows = rows.map(|row| &row[..panel.len()]);
        // SAFETY: see the head of the file; `step` is below the length of the
        // panel, to which the rows were cut just above.
        unsafe {
            let mut accumulators = [[_mm512_setzero_si512(); 2]; ROWS];
            for (step, weights) in panel.iter().enumerate() {
                let low = _mm512_loadu_si512(weights.as_ptr().cast());
                let high = _mm512_loadu_si512(weights[64..].as_ptr().cast());
                for (accumulator, row) in accumulators.iter_mut().zip(rows) {
                    let codes = _mm512_set1_epi32(i32::from_le_bytes(*row.get_unchecked(step)));
                    accumulator[0] = _mm512_dpbusd_epi32(accumulator[0], codes, low);
                    accumulator[1] = _mm512_dpbusd_epi32(accumulator[1], codes, high);
                }
            }
            for (sums, accumulator) in sums.iter_mut().zip(accumulators) {
                _mm512_storeu_si512(sums[0].as_mut_ptr().cast(), accumulator[0]);
                _mm512_storeu_si512(sums[1].as_mut_ptr().cast(), accumulator[1]);
            }
        }
        sums
    }
}
