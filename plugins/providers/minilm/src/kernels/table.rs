//! One table of functions for each instruction set, and the choice among
//! them.

#![allow(unsafe_code)]

use super::attention::{self, Head, HeadScratch};
use super::lanes::{LANES, Lane};
use super::linear::{self, FloatWeights, Int8Rows, Int8Weights, Isa};
use super::rows::{self, LayerNorm, RowScale};

/// The functions of one instruction set. A table is handed out only when the
/// processor has that set, so its functions may be called safely.
pub(crate) struct Kernels {
    name: &'static str,
    available: fn() -> bool,
    linear_int8: unsafe fn(Int8Rows<'_>, Int8Weights<'_>, &mut [Lane]),
    linear_float: unsafe fn(&[Lane], FloatWeights<'_>, &mut [Lane]),
    attend: unsafe fn(&[Lane], &mut [Lane], Head, &mut HeadScratch),
    quantise: unsafe fn(&[Lane], &mut [[u8; LANES]]) -> RowScale,
    gelu: unsafe fn(&mut [Lane]),
    add_and_normalise: unsafe fn(&mut [Lane], &[Lane], LayerNorm<'_>),
    embed: unsafe fn(&mut [Lane], &[u8], f32),
    accumulate: unsafe fn(&mut [Lane], &[Lane]),
    to_unit_length: unsafe fn(&mut [Lane]),
}

/// Declares the table of an instruction set: its kernels are the bodies of the
/// sibling modules, compiled with the features named.
macro_rules! kernel_table {
    ($table:ident, $name:literal, $isa:ty, $available:expr $(, $features:literal)?) => {
        static $table: Kernels = {
            type Floats = <$isa as Isa>::Floats;

            $(#[target_feature(enable = $features)])?
            unsafe fn linear_int8(rows: Int8Rows<'_>, weights: Int8Weights<'_>, output: &mut [Lane]) {
                linear::linear_int8::<$isa>(rows, weights, output);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn linear_float(rows: &[Lane], weights: FloatWeights<'_>, output: &mut [Lane]) {
                linear::linear_float::<Floats>(rows, weights, output);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn attend(joint: &[Lane], output: &mut [Lane], head: Head, scratch: &mut HeadScratch) {
                attention::attend::<Floats>(joint, output, head, scratch);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn quantise(row: &[Lane], codes: &mut [[u8; LANES]]) -> RowScale {
                rows::quantise::<Floats>(row, codes)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn gelu(row: &mut [Lane]) {
                rows::gelu::<Floats>(row);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn add_and_normalise(row: &mut [Lane], addend: &[Lane], weights: LayerNorm<'_>) {
                rows::add_and_normalise::<Floats>(row, addend, weights);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn embed(row: &mut [Lane], codes: &[u8], step: f32) {
                rows::embed::<Floats>(row, codes, step);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn accumulate(total: &mut [Lane], row: &[Lane]) {
                rows::accumulate::<Floats>(total, row);
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn to_unit_length(vector: &mut [Lane]) {
                rows::to_unit_length::<Floats>(vector);
            }

            Kernels {
                name: $name,
                available: $available,
                linear_int8,
                linear_float,
                attend,
                quantise,
                gelu,
                add_and_normalise,
                embed,
                accumulate,
                to_unit_length,
            }
        };
    };
}

kernel_table!(SCALAR, "scalar", super::scalar::Scalar, || true);

#[cfg(target_arch = "x86_64")]
kernel_table!(
    AVX2,
    "avx2",
    super::avx2::Avx2,
    || is_x86_feature_detected!("avx2"),
    "avx2"
);

#[cfg(target_arch = "x86_64")]
kernel_table!(
    AVX_VNNI,
    "avx-vnni",
    super::avx2::AvxVnni,
    || is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni"),
    "avx2,avxvnni"
);

#[cfg(target_arch = "x86_64")]
kernel_table!(
    AVX512_VNNI,
    "avx512-vnni",
    super::avx512::Avx512Vnni,
    || {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
    },
    "avx512f,avx512bw,avx512vl,avx512vnni"
);

#[cfg(target_arch = "aarch64")]
kernel_table!(NEON, "neon", super::neon::Neon, || true, "neon");

/// Fastest first.
static TABLES: &[&Kernels] = &[
    #[cfg(target_arch = "x86_64")]
    &AVX512_VNNI,
    #[cfg(target_arch = "x86_64")]
    &AVX_VNNI,
    #[cfg(target_arch = "x86_64")]
    &AVX2,
    #[cfg(target_arch = "aarch64")]
    &NEON,
    &SCALAR,
];

impl Kernels {
    /// The fastest table this processor can run.
    pub(crate) fn best() -> &'static Self {
        Self::available().next().unwrap_or(&SCALAR)
    }

    /// All tables this processor can run, the fastest first.
    pub(crate) fn available() -> impl Iterator<Item = &'static Self> {
        TABLES.iter().copied().filter(|table| (table.available)())
    }

    /// The instruction set.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// `output = rows * weights + bias` in eight bits.
    pub(crate) fn linear_int8(
        &self,
        rows: Int8Rows<'_>,
        weights: Int8Weights<'_>,
        output: &mut [Lane],
    ) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.linear_int8)(rows, weights, output) }
    }

    /// `output = rows * weights + bias` in floats.
    pub(crate) fn linear_float(
        &self,
        rows: &[Lane],
        weights: FloatWeights<'_>,
        output: &mut [Lane],
    ) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.linear_float)(rows, weights, output) }
    }

    /// One head of attention.
    pub(crate) fn attend(
        &self,
        joint: &[Lane],
        output: &mut [Lane],
        head: Head,
        scratch: &mut HeadScratch,
    ) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.attend)(joint, output, head, scratch) }
    }

    /// Eight-bit codes of a row.
    pub(crate) fn quantise(&self, row: &[Lane], codes: &mut [[u8; LANES]]) -> RowScale {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.quantise)(row, codes) }
    }

    /// The activation, in place.
    pub(crate) fn gelu(&self, row: &mut [Lane]) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.gelu)(row) }
    }

    /// `row = normalise(row + addend)`.
    pub(crate) fn add_and_normalise(
        &self,
        row: &mut [Lane],
        addend: &[Lane],
        weights: LayerNorm<'_>,
    ) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.add_and_normalise)(row, addend, weights) }
    }

    /// `row = codes * step`.
    pub(crate) fn embed(&self, row: &mut [Lane], codes: &[u8], step: f32) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.embed)(row, codes, step) }
    }

    /// `total = total + row`.
    pub(crate) fn accumulate(&self, total: &mut [Lane], row: &[Lane]) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.accumulate)(total, row) }
    }

    /// Scales a vector to length 1.
    pub(crate) fn to_unit_length(&self, vector: &mut [Lane]) {
        // SAFETY: a table is handed out only after its features were found.
        unsafe { (self.to_unit_length)(vector) }
    }
}
