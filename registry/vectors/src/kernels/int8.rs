//! Dot products between an int8 query and int8 rows.
#![allow(unsafe_code)]

/// Writes the dot product of `query` with every row of `rows` into `dots`.
///
/// Rows have the length of `query`, a multiple of 64. What has no counterpart
/// is left out.
pub type Int8Kernel = fn(query: &[i8], rows: &[&[i8]], dots: &mut [i32]);

/// The best form for this processor, with its name.
pub fn best() -> (&'static str, Int8Kernel) {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::best() {
        return kernel;
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(kernel) = neon::best() {
        return kernel;
    }
    ("scalar", dots_scalar)
}

/// The plain form, and the meaning of all others.
pub fn dots_scalar(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
    for (row, dot) in rows.iter().zip(dots) {
        *dot = query
            .iter()
            .zip(*row)
            .map(|(&a, &b)| i32::from(a) * i32::from(b))
            .sum();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Int8Kernel;

    // The safe functions check the processor on every call, which is one load:
    // so none of them can be called where it would be undefined behaviour.

    // The VNNI instruction multiplies unsigned by signed bytes. Flipping the
    // top bit of a row's byte adds 128 to it as an unsigned number, which adds
    // 128 times the sum of the query to the dot product: the same for all rows.
    const SIGN_BITS: i8 = i8::MIN;

    /// Rows that are in question lie apart in memory: so many rows early, the
    /// processor is asked to fetch one.
    const ROWS_AHEAD: usize = 8;

    #[target_feature(enable = "sse")]
    fn fetch(row: Option<&&[i8]>) {
        for line in row.map_or(&[][..], |row| row.as_chunks::<64>().0) {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr());
        }
    }

    fn surplus_of_flipped_signs(query: &[i8]) -> i32 {
        128 * query.iter().map(|&value| i32::from(value)).sum::<i32>()
    }

    pub(super) fn best() -> Option<(&'static str, Int8Kernel)> {
        if has_avx512_vnni() {
            return Some(("avx512-vnni", avx512_vnni));
        }
        if is_x86_feature_detected!("avxvnni") {
            return Some(("avx-vnni", avx_vnni));
        }
        is_x86_feature_detected!("avx2").then_some(("avx2", avx2 as Int8Kernel))
    }

    pub(super) fn has_avx512_vnni() -> bool {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
    }

    pub(super) fn avx512_vnni(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        assert!(has_avx512_vnni());
        // SAFETY: the features were just checked.
        unsafe { dots_avx512_vnni(query, rows, dots) }
    }

    pub(super) fn avx_vnni(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        assert!(is_x86_feature_detected!("avxvnni"));
        // SAFETY: the feature was just checked.
        unsafe { dots_avx_vnni(query, rows, dots) }
    }

    pub(super) fn avx2(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        assert!(is_x86_feature_detected!("avx2"));
        // SAFETY: the feature was just checked.
        unsafe { dots_avx2(query, rows, dots) }
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    fn dots_avx512_vnni(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        let surplus = surplus_of_flipped_signs(query);
        let flip = _mm512_set1_epi8(SIGN_BITS);
        for (index, (row, dot)) in rows.iter().zip(dots).enumerate() {
            fetch(rows.get(index + ROWS_AHEAD));
            let mut sums = _mm512_setzero_si512();
            let parts = row
                .as_chunks::<64>()
                .0
                .iter()
                .zip(query.as_chunks::<64>().0);
            for (row, query) in parts {
                // SAFETY: both are 64 readable bytes; the loads ask for no alignment.
                let (row, query) = unsafe {
                    (
                        _mm512_loadu_si512(row.as_ptr().cast()),
                        _mm512_loadu_si512(query.as_ptr().cast()),
                    )
                };
                sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(row, flip), query);
            }
            *dot = _mm512_reduce_add_epi32(sums) - surplus;
        }
    }

    #[target_feature(enable = "avx2,avxvnni")]
    fn dots_avx_vnni(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        let surplus = surplus_of_flipped_signs(query);
        let flip = _mm256_set1_epi8(SIGN_BITS);
        for (index, (row, dot)) in rows.iter().zip(dots).enumerate() {
            fetch(rows.get(index + ROWS_AHEAD));
            let mut sums = _mm256_setzero_si256();
            let parts = row
                .as_chunks::<32>()
                .0
                .iter()
                .zip(query.as_chunks::<32>().0);
            for (row, query) in parts {
                let (row, query) = load_pair(row, query);
                sums = _mm256_dpbusd_avx_epi32(sums, _mm256_xor_si256(row, flip), query);
            }
            *dot = sum_of_lanes(sums) - surplus;
        }
    }

    #[target_feature(enable = "avx2")]
    fn dots_avx2(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        for (index, (row, dot)) in rows.iter().zip(dots).enumerate() {
            fetch(rows.get(index + ROWS_AHEAD));
            let mut sums = _mm256_setzero_si256();
            let parts = row
                .as_chunks::<32>()
                .0
                .iter()
                .zip(query.as_chunks::<32>().0);
            for (row, query) in parts {
                let (row, query) = load_pair(row, query);
                let low = _mm256_madd_epi16(
                    _mm256_cvtepi8_epi16(_mm256_castsi256_si128(row)),
                    _mm256_cvtepi8_epi16(_mm256_castsi256_si128(query)),
                );
                let high = _mm256_madd_epi16(
                    _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(row)),
                    _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(query)),
                );
                sums = _mm256_add_epi32(sums, _mm256_add_epi32(low, high));
            }
            *dot = sum_of_lanes(sums);
        }
    }

    #[target_feature(enable = "avx2")]
    fn load_pair(left: &[i8; 32], right: &[i8; 32]) -> (__m256i, __m256i) {
        // SAFETY: both are 32 readable bytes; the loads ask for no alignment.
        unsafe {
            (
                _mm256_loadu_si256(left.as_ptr().cast()),
                _mm256_loadu_si256(right.as_ptr().cast()),
            )
        }
    }

    #[target_feature(enable = "avx2")]
    fn sum_of_lanes(sums: __m256i) -> i32 {
        let mut lanes = [0i32; 8];
        // SAFETY: `lanes` is 32 writable bytes; the store asks for no alignment.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sums) };
        lanes.iter().sum()
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::Int8Kernel;

    pub(super) fn best() -> Option<(&'static str, Int8Kernel)> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(("neon", neon as Int8Kernel))
    }

    pub(super) fn neon(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        assert!(std::arch::is_aarch64_feature_detected!("neon"));
        // SAFETY: the feature was just checked.
        unsafe { dots_neon(query, rows, dots) }
    }

    #[target_feature(enable = "neon")]
    fn dots_neon(query: &[i8], rows: &[&[i8]], dots: &mut [i32]) {
        for (row, dot) in rows.iter().zip(dots) {
            let mut sums = vdupq_n_s32(0);
            let parts = row
                .as_chunks::<16>()
                .0
                .iter()
                .zip(query.as_chunks::<16>().0);
            for (row, query) in parts {
                // SAFETY: both are 16 readable bytes; the loads ask for no alignment.
                let (row, query) = unsafe { (vld1q_s8(row.as_ptr()), vld1q_s8(query.as_ptr())) };
                let low = vmull_s8(vget_low_s8(row), vget_low_s8(query));
                let high = vmull_high_s8(row, query);
                sums = vpadalq_s16(vpadalq_s16(sums, low), high);
            }
            *dot = vaddvq_s32(sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Int8Kernel, best, dots_scalar};

    /// Every form that this processor runs.
    fn forms() -> Vec<(&'static str, Int8Kernel)> {
        let mut forms = vec![best()];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avxvnni") {
                forms.push(("avx-vnni", super::x86::avx_vnni));
            }
            if is_x86_feature_detected!("avx2") {
                forms.push(("avx2", super::x86::avx2));
            }
        }
        forms
    }

    proptest! {
        #[test]
        fn every_form_gives_the_dot_products_of_the_scalar_form(
            chunks in 1usize..10, rows in 0usize..20, seed in any::<u64>(),
        ) {
            let mut random = crate::testing::Random::new(seed);
            let query: Vec<i8> = (0..chunks * 64).map(|_| random.word() as i8).collect();
            let codes: Vec<i8> = (0..chunks * 64 * rows).map(|_| random.word() as i8).collect();
            let codes: Vec<&[i8]> = codes.chunks_exact(chunks * 64).collect();
            let mut expected = vec![0; rows];
            dots_scalar(&query, &codes, &mut expected);
            for (name, kernel) in forms() {
                let mut found = vec![i32::MAX; rows];
                kernel(&query, &codes, &mut found);
                prop_assert_eq!(&found, &expected, "{}", name);
            }
        }
    }

    #[test]
    fn the_extremes_of_the_largest_dimension_do_not_overflow() {
        let dimension = crate::MAX_DIMENSION;
        for value in [i8::MIN, i8::MAX] {
            let row = vec![value; dimension];
            for (name, kernel) in forms() {
                let mut dots = [0];
                kernel(&row, &[&row], &mut dots);
                let expected = dimension as i32 * i32::from(value) * i32::from(value);
                assert_eq!(dots[0], expected, "{name}");
            }
        }
    }
}
