//! The exponential and the GELU, as short polynomials over lanes. The
//! standard library's functions differ between platforms in the last bit.

use super::lanes::{Lane, Lanes, ROUNDING, ScalarLanes};

/// `e^x` for `x <= 0`, relative error below 2e-7; inputs below -87 count as
/// -87. Reduction and polynomial are those of the Cephes library's `expf`.
#[inline(always)]
pub(super) fn exponential<L: Lanes>(x: L) -> L {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const COEFFICIENTS: [f32; 6] = [
        1.987_569_1e-4,
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ];
    let x = x.max(L::splat(-87.0));
    let shifted = x.mul(L::splat(LOG2_E)).add(L::splat(ROUNDING));
    let whole = shifted.sub(L::splat(ROUNDING));
    let rest = x
        .sub(whole.mul(L::splat(LN2_HIGH)))
        .sub(whole.mul(L::splat(LN2_LOW)));
    let polynomial = horner(rest, &COEFFICIENTS);
    let fraction = polynomial.mul(rest.mul(rest)).add(rest).add(L::splat(1.0));
    fraction.mul(shifted.power_of_two())
}

/// `x * (1 + erf(x / sqrt 2)) / 2`, absolute error of the error function below
/// 5e-7. The error function is a quotient of two polynomials in `x^2` over
/// [-4, 4], the one the Eigen library uses.
#[inline(always)]
pub(super) fn gelu<L: Lanes>(x: L) -> L {
    const NUMERATOR: [f32; 7] = [
        -2.726_142e-10,
        2.770_681_5e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_5e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const DENOMINATOR: [f32; 5] = [
        -1.456_607_2e-5,
        -2.133_740_5e-4,
        -1.682_827e-3,
        -7.373_329e-3,
        -1.426_473_9e-2,
    ];
    let scaled = x.mul(L::splat(std::f32::consts::FRAC_1_SQRT_2));
    let clamped = scaled.min(L::splat(4.0)).max(L::splat(-4.0));
    let square = clamped.mul(clamped);
    let numerator = clamped.mul(horner(square, &NUMERATOR));
    let erf = numerator.div(horner(square, &DENOMINATOR));
    let half = x.mul(L::splat(0.5));
    half.add(half.mul(erf))
}

/// The hyperbolic tangent, in place, absolute error below 5e-7. It is called
/// for one row a text, so that one form serves every instruction set.
pub(crate) fn tanh(row: &mut [Lane]) {
    for value in row {
        let mut powers = value.map(|x| -2.0 * x.abs());
        exponential(ScalarLanes::load(&powers)).store(&mut powers);
        for (x, power) in value.iter_mut().zip(powers) {
            *x = ((1.0 - power) / (1.0 + power)).copysign(*x);
        }
    }
}

/// A polynomial with its highest coefficient first.
#[inline(always)]
fn horner<L: Lanes, const N: usize>(x: L, coefficients: &[f32; N]) -> L {
    let mut value = L::splat(coefficients[0]);
    for coefficient in &coefficients[1..] {
        value = value.mul(x).add(L::splat(*coefficient));
    }
    value
}
