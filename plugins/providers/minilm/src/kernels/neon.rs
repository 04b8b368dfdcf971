//! NEON: sixteen lanes are four registers.

#![allow(unsafe_code)]
// SAFETY, for every block of this file: NEON is part of every 64-bit Arm
// processor. Loads and stores go through references to arrays of at least the
// size that is read or written.

use std::arch::aarch64::*;

use super::lanes::{LANES, Lane, Lanes};
use super::linear::{Isa, STEP_BYTES, STEP_INPUTS, TileSums};

#[derive(Clone, Copy)]
pub(super) struct NeonLanes([float32x4_t; 4]);

impl NeonLanes {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Self {
        Self(std::array::from_fn(|part| {
            operation(self.0[part], other.0[part])
        }))
    }
}

impl Lanes for NeonLanes {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see the head of the file.
        Self([unsafe { vdupq_n_f32(value) }; 4])
    }

    #[inline(always)]
    fn load(from: &Lane) -> Self {
        let (parts, _) = from.as_chunks::<4>();
        // SAFETY: see the head of the file.
        Self(std::array::from_fn(|part| unsafe {
            vld1q_f32(parts[part].as_ptr())
        }))
    }

    #[inline(always)]
    fn store(self, to: &mut Lane) {
        let (parts, _) = to.as_chunks_mut::<4>();
        for (part, lanes) in parts.iter_mut().zip(self.0) {
            // SAFETY: see the head of the file.
            unsafe { vst1q_f32(part.as_mut_ptr(), lanes) }
        }
    }

    #[inline(always)]
    fn from_integers(from: &[i32; LANES]) -> Self {
        let (parts, _) = from.as_chunks::<4>();
        // SAFETY: see the head of the file.
        Self(std::array::from_fn(|part| unsafe {
            vcvtq_f32_s32(vld1q_s32(parts[part].as_ptr()))
        }))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vaddq_f32(a, b) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vsubq_f32(a, b) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vmulq_f32(a, b) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vdivq_f32(a, b) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(other, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: see the head of the file.
        self.zip(self, |lanes, _| unsafe {
            let exponent = vshlq_n_u32::<23>(vreinterpretq_u32_f32(lanes));
            let one = vdupq_n_u32(1.0f32.to_bits());
            vreinterpretq_f32_u32(vaddq_u32(exponent, one))
        })
    }

    #[inline(always)]
    fn store_low_bytes(self, to: &mut [u8; LANES]) {
        // SAFETY: see the head of the file.
        unsafe {
            let words = self.0.map(|lanes| vmovn_u32(vreinterpretq_u32_f32(lanes)));
            let low = vmovn_u16(vcombine_u16(words[0], words[1]));
            let high = vmovn_u16(vcombine_u16(words[2], words[3]));
            vst1q_u8(to.as_mut_ptr(), vcombine_u8(low, high));
        }
    }
}

/// Rows that share the thirty-two registers.
const ROWS_AT_ONCE: usize = 2;

pub(super) struct Neon;

impl Isa for Neon {
    type Floats = NeonLanes;

    #[inline(always)]
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS> {
        let mut sums: TileSums<ROWS> = [[[0; LANES]; 2]; ROWS];
        for (rows, sums) in rows.chunks(ROWS_AT_ONCE).zip(sums.chunks_mut(ROWS_AT_ONCE)) {
            match rows.len() {
                1 => dot_widened::<1>(panel, rows, sums),
                _ => dot_widened::<2>(panel, rows, sums),
            }
        }
        sums
    }
}

/// Products of 16-bit numbers summed in 32 bits, which cannot saturate. Eight
/// outputs at a time; each has a register of four partial sums, joined at the
/// end.
#[inline(always)]
fn dot_widened<const ROWS: usize>(
    panel: &[[u8; STEP_BYTES]],
    rows: &[&[[u8; STEP_INPUTS]]],
    sums: &mut [[[i32; LANES]; 2]],
) {
    let rows: [_; ROWS] = std::array::from_fn(|row| &rows[row][..panel.len()]);
    for block in 0..4 {
        // SAFETY: see the head of the file.
        unsafe {
            let mut accumulators = [[vdupq_n_s32(0); 8]; ROWS];
            for (step, weights) in panel.iter().enumerate() {
                let (weights, _) = weights[block * 32..].as_chunks::<8>();
                for (accumulators, row) in accumulators.iter_mut().zip(rows) {
                    let codes = vdup_n_u32(u32::from_le_bytes(row[step]));
                    let codes = vreinterpretq_s16_u16(vmovl_u8(vreinterpret_u8_u32(codes)));
                    let codes = vget_low_s16(codes);
                    for (pair, weights) in weights.iter().take(4).enumerate() {
                        let weights = vmovl_s8(vld1_s8(weights.as_ptr().cast()));
                        let first = &mut accumulators[pair * 2];
                        *first = vmlal_s16(*first, vget_low_s16(weights), codes);
                        let second = &mut accumulators[pair * 2 + 1];
                        *second = vmlal_s16(*second, vget_high_s16(weights), codes);
                    }
                }
            }
            for (sums, accumulators) in sums.iter_mut().zip(accumulators) {
                let sums = &mut sums.as_flattened_mut()[block * 8..][..8];
                for (sum, accumulator) in sums.iter_mut().zip(accumulators) {
                    *sum = vaddvq_s32(accumulator);
                }
            }
        }
    }
}
