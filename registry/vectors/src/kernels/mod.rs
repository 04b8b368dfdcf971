//! The inner loops of the scan, in the best form that this processor runs.
//!
//! All integer forms give the same bits as the scalar form beside them. The
//! f32 form has one fixed order of additions, so a cosine is the same number
//! on every machine.

pub mod float;
pub mod hamming;
pub mod int8;
pub mod signs;

use std::sync::LazyLock;

use hamming::HammingKernel;
use int8::Int8Kernel;
use signs::SignsKernel;

/// The kernels chosen for this processor.
#[derive(Debug)]
pub struct Kernels {
    /// Hamming distances of blocks of 1-bit codes.
    pub hamming: HammingKernel,
    /// Dot products of int8 rows.
    pub int8: Int8Kernel,
    /// Greatest dot products of int8 rows with rows of signs.
    pub signs: SignsKernel,
}

/// The best kernels that this processor runs, chosen once.
pub static KERNELS: LazyLock<Kernels> = LazyLock::new(|| Kernels {
    hamming: hamming::best().1,
    int8: int8::best().1,
    signs: signs::best().1,
});

/// The names of the chosen kernels, for diagnostics: hamming, int8, signs.
#[must_use]
pub fn kernel_names() -> [&'static str; 3] {
    [hamming::best().0, int8::best().0, signs::best().0]
}
