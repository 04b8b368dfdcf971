//! Dot products between the int8 words of a question and rows of signs, of
//! which each question word keeps the greatest.
#![allow(unsafe_code)]

/// Question words that are compared with a row together, so that its bits are
/// spread once for all of them.
const GROUP: usize = 4;

/// The words of a question in int8.
#[derive(Debug, Clone)]
pub struct SignQueries {
    /// One row of `padded` codes for each word; rows of zeros fill the last
    /// group.
    codes: Vec<i8>,
    /// The sum of each row.
    totals: Vec<i32>,
    padded: usize,
}

impl SignQueries {
    /// Takes rows of `padded` codes each, a multiple of 64 above 0.
    pub fn new(mut codes: Vec<i8>, padded: usize) -> Self {
        let words = codes.len() / padded;
        codes.resize(words.next_multiple_of(GROUP) * padded, 0);
        let sum = |row: &[i8]| row.iter().map(|&code| i32::from(code)).sum();
        Self {
            totals: codes.chunks_exact(padded).map(sum).collect(),
            codes,
            padded,
        }
    }

    /// The rows, those that fill the last group included: as many results are
    /// needed.
    pub fn rows(&self) -> usize {
        self.totals.len()
    }

    /// Bytes of the signs of one word.
    pub fn sign_bytes(&self) -> usize {
        self.padded / 8
    }

    /// Raises the best dot products to those with one row of signs.
    /// `sum_of_set` adds the codes of a group where a bit is set.
    fn raise(
        &self,
        signs: &[u8],
        best: &mut [i32],
        sum_of_set: impl Fn(&[i8], &[u8]) -> [i32; GROUP],
    ) {
        let groups = self.codes.chunks_exact(GROUP * self.padded);
        let totals = self.totals.as_chunks::<GROUP>().0;
        let best = best.as_chunks_mut::<GROUP>().0;
        for ((group, totals), best) in groups.zip(totals).zip(best) {
            let sums = sum_of_set(group, signs);
            for ((best, sum), total) in best.iter_mut().zip(sums).zip(totals) {
                // What is not set is subtracted.
                *best = (*best).max(2 * sum - total);
            }
        }
    }
}

/// Raises each number of `best` to the greatest dot product of its question
/// word with any row of `signs`, where a set bit counts as 1 and another as −1.
///
/// `signs` holds rows of [`SignQueries::sign_bytes`], dimension `i` in bit
/// `i % 8` of byte `i / 8`; what is left over is not read. `best` has
/// [`SignQueries::rows`] numbers.
pub type SignsKernel = fn(queries: &SignQueries, signs: &[u8], best: &mut [i32]);

/// The best form for this processor, with its name.
pub fn best() -> (&'static str, SignsKernel) {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::best() {
        return kernel;
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(kernel) = neon::best() {
        return kernel;
    }
    ("scalar", raise_scalar)
}

/// The plain form, and the meaning of all others.
pub fn raise_scalar(queries: &SignQueries, signs: &[u8], best: &mut [i32]) {
    for row in signs.chunks_exact(queries.sign_bytes()) {
        queries.raise(row, best, |group, row| {
            let mut sums = [0; GROUP];
            for (codes, sum) in group.chunks_exact(row.len() * 8).zip(&mut sums) {
                for (codes, bits) in codes.as_chunks::<8>().0.iter().zip(row) {
                    let set = |bit: usize| i32::from(bits >> bit & 1);
                    let codes = codes.iter().enumerate();
                    *sum += codes
                        .map(|(bit, &code)| set(bit) * i32::from(code))
                        .sum::<i32>();
                }
            }
            sums
        });
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{GROUP, SignQueries, SignsKernel};

    // The safe functions check the processor on every call, which is one load:
    // so none of them can be called where it would be undefined behaviour.

    pub(super) fn best() -> Option<(&'static str, SignsKernel)> {
        if has_avx512() {
            return Some(("avx512-vnni", avx512_vnni));
        }
        is_x86_feature_detected!("avx2").then_some(("avx2", avx2 as SignsKernel))
    }

    fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
    }

    pub(super) fn avx512_vnni(queries: &SignQueries, signs: &[u8], best: &mut [i32]) {
        assert!(has_avx512());
        for row in signs.chunks_exact(queries.sign_bytes()) {
            // SAFETY: the features were just checked.
            queries.raise(row, best, |group, row| unsafe { sums_avx512(group, row) });
        }
    }

    pub(super) fn avx2(queries: &SignQueries, signs: &[u8], best: &mut [i32]) {
        assert!(is_x86_feature_detected!("avx2"));
        for row in signs.chunks_exact(queries.sign_bytes()) {
            // SAFETY: the feature was just checked.
            queries.raise(row, best, |group, row| unsafe { sums_avx2(group, row) });
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn sums_avx512(group: &[i8], row: &[u8]) -> [i32; GROUP] {
        let ones = _mm512_set1_epi8(1);
        let mut sums = [_mm512_setzero_si512(); GROUP];
        for (part, bits) in row.as_chunks::<8>().0.iter().enumerate() {
            let set = u64::from_le_bytes(*bits);
            for (codes, sum) in group.chunks_exact(row.len() * 8).zip(&mut sums) {
                let codes = codes[part * 64..].as_ptr();
                // SAFETY: `codes` has 64 readable bytes for each 8 bytes of the
                // row; the load asks for no alignment.
                let codes = unsafe { _mm512_maskz_loadu_epi8(set, codes) };
                *sum = _mm512_dpbusd_epi32(*sum, ones, codes);
            }
        }
        sums.map(|sum| _mm512_reduce_add_epi32(sum))
    }

    /// Parts of 32 dimensions whose sums of pairs fit into 16 bits.
    const PARTS_IN_16_BITS: usize = 64;

    #[target_feature(enable = "avx2")]
    fn sums_avx2(group: &[i8], row: &[u8]) -> [i32; GROUP] {
        let mut sums = [_mm256_setzero_si256(); GROUP];
        for (block, bits) in row.chunks(PARTS_IN_16_BITS * 4).enumerate() {
            let first = block * PARTS_IN_16_BITS * 32;
            let pairs = pairs_avx2(group, row.len() * 8, first, bits);
            for (sum, pairs) in sums.iter_mut().zip(pairs) {
                let quads = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                *sum = _mm256_add_epi32(*sum, quads);
            }
        }
        let [a, b, c, d] = sums;
        let sums = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let sums = _mm_add_epi32(
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256::<1>(sums),
        );
        let mut lanes = [0i32; GROUP];
        // SAFETY: `lanes` is 16 writable bytes; the store asks for no alignment.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), sums) };
        lanes
    }

    /// Sums of pairs of the codes whose bits are set, from dimension `first`.
    #[target_feature(enable = "avx2")]
    fn pairs_avx2(group: &[i8], padded: usize, first: usize, bits: &[u8]) -> [__m256i; GROUP] {
        let ones = _mm256_set1_epi8(1);
        let mut sums = [_mm256_setzero_si256(); GROUP];
        let (a, rest) = group.split_at(padded);
        let (b, rest) = rest.split_at(padded);
        let (c, d) = rest.split_at(padded);
        let [a, b, c, d] = [a, b, c, d].map(|codes| codes[first..].as_chunks::<32>().0);
        // Zipped, so that no index is checked within the loop.
        let words = a.iter().zip(b).zip(c).zip(d);
        for (bits, (((a, b), c), d)) in bits.as_chunks::<4>().0.iter().zip(words) {
            let set = spread(i32::from_le_bytes(*bits));
            for (codes, sum) in [a, b, c, d].into_iter().zip(&mut sums) {
                // SAFETY: a part is 32 readable bytes; the load asks for no alignment.
                let codes = unsafe { _mm256_loadu_si256(codes.as_ptr().cast()) };
                let pairs = _mm256_maddubs_epi16(ones, _mm256_and_si256(codes, set));
                *sum = _mm256_add_epi16(*sum, pairs);
            }
        }
        sums
    }

    /// A byte of ones for each bit that is set.
    #[target_feature(enable = "avx2")]
    fn spread(bits: i32) -> __m256i {
        let byte_of_lane = _mm256_setr_epi8(
            0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, //
            2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
        );
        let bit_of_lane = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of_lane);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of_lane), bit_of_lane)
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{GROUP, SignQueries, SignsKernel};

    pub(super) fn best() -> Option<(&'static str, SignsKernel)> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(("neon", neon as SignsKernel))
    }

    pub(super) fn neon(queries: &SignQueries, signs: &[u8], best: &mut [i32]) {
        assert!(std::arch::is_aarch64_feature_detected!("neon"));
        for row in signs.chunks_exact(queries.sign_bytes()) {
            // SAFETY: the feature was just checked.
            queries.raise(row, best, |group, row| unsafe { sums_neon(group, row) });
        }
    }

    #[target_feature(enable = "neon")]
    fn sums_neon(group: &[i8], row: &[u8]) -> [i32; GROUP] {
        let bit_of_lane = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let mut sums = [vdupq_n_s32(0); GROUP];
        for (part, [low, high]) in row.as_chunks::<2>().0.iter().enumerate() {
            let bytes = vcombine_u8(vdup_n_u8(*low), vdup_n_u8(*high));
            let set = vreinterpretq_s8_u8(vtstq_u8(bytes, bit_of_lane));
            for (codes, sum) in group.chunks_exact(row.len() * 8).zip(&mut sums) {
                let codes = codes[part * 16..].as_ptr();
                // SAFETY: `codes` has 16 readable bytes for each 2 bytes of the row.
                let codes = unsafe { vld1q_s8(codes) };
                *sum = vpadalq_s16(*sum, vpaddlq_s8(vandq_s8(codes, set)));
            }
        }
        sums.map(|sum| vaddvq_s32(sum))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::{SignQueries, SignsKernel, best, raise_scalar};
    use crate::MAX_DIMENSION;

    /// Every form that this processor runs.
    fn forms() -> Vec<(&'static str, SignsKernel)> {
        let mut forms = vec![best(), ("scalar", raise_scalar)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            forms.push(("avx2", super::x86::avx2));
        }
        forms
    }

    /// What the scalar form means, by its definition.
    fn expected(codes: &[i8], padded: usize, signs: &[u8]) -> Vec<i32> {
        let dot = |word: &[i8], row: &[u8]| -> i32 {
            let values = word.iter().enumerate();
            values
                .map(|(at, &code)| match row[at / 8] >> (at % 8) & 1 {
                    1 => i32::from(code),
                    _ => -i32::from(code),
                })
                .sum()
        };
        let rows = || signs.chunks_exact(padded / 8);
        codes
            .chunks_exact(padded)
            .map(|word| rows().map(|row| dot(word, row)).max().unwrap_or(i32::MIN))
            .collect()
    }

    proptest! {
        #[test]
        fn every_form_gives_the_greatest_dot_product_of_each_question_word(
            chunks in 1usize..40, words in 0usize..7, rows in 0usize..5, seed in any::<u64>(),
        ) {
            let padded = chunks * 64;
            let mut random = crate::testing::Random::new(seed);
            let codes: Vec<i8> = (0..words * padded).map(|_| random.word() as i8).collect();
            let signs: Vec<u8> = (0..rows * padded / 8).map(|_| random.word() as u8).collect();
            let expected = expected(&codes, padded, &signs);
            let queries = SignQueries::new(codes, padded);
            for (name, kernel) in forms() {
                let mut found = vec![i32::MIN; queries.rows()];
                kernel(&queries, &signs, &mut found);
                prop_assert_eq!(&found[..words], &expected[..], "{}", name);
            }
        }
    }

    #[test]
    fn the_extremes_of_the_largest_dimension_do_not_overflow() {
        for value in [i8::MIN, i8::MAX] {
            let queries = SignQueries::new(vec![value; MAX_DIMENSION], MAX_DIMENSION);
            for (name, kernel) in forms() {
                let mut found = vec![i32::MIN; queries.rows()];
                kernel(&queries, &vec![u8::MAX; MAX_DIMENSION / 8], &mut found);
                let sum = MAX_DIMENSION as i32 * i32::from(value);
                assert_eq!(found[0], sum, "{name}");
            }
        }
    }

    #[test]
    fn the_best_of_an_earlier_passage_stays() {
        let queries = SignQueries::new(vec![1; 64], 64);
        for (name, kernel) in forms() {
            let mut found = vec![60; queries.rows()];
            kernel(&queries, &[0; 8], &mut found);
            assert_eq!(found[0], 60, "{name}");
            kernel(&queries, &[u8::MAX; 8], &mut found);
            assert_eq!(found[0], 64, "{name}");
        }
    }
}
