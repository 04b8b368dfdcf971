//! The arithmetic of the encoder, once for each instruction set.
//!
//! [`Kernels::best`] picks a table of functions at run time. All tables give
//! the same bits: integer products are exact, and floating-point operations
//! stand in one order, written over sixteen lanes.

mod attention;
mod functions;
mod lanes;
mod linear;
mod rows;
mod scalar;
mod table;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(test)]
mod tests;

pub(crate) use attention::{Head, HeadScratch};
pub(crate) use functions::tanh;
pub(crate) use lanes::{LANES, Lane};
pub(crate) use linear::{FloatWeights, Int8Rows, Int8Weights, PANEL, STEP_INPUTS};
pub(crate) use rows::{LayerNorm, RowScale};
pub(crate) use table::Kernels;
