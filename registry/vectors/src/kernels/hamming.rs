//! Hamming distances between a query's 1-bit code and blocks of codes.
//!
//! Codes lie in blocks of eight rows, word by word: word 0 of the eight rows,
//! then word 1 of the eight, and so on. One 64-byte load thus feeds eight
//! rows, and no sum across lanes is needed.
#![allow(unsafe_code)]

/// Rows in one block of codes.
pub const BLOCK_ROWS: usize = 8;

/// Writes the distance of every row of `blocks` to `query` into `distances`.
///
/// `blocks` holds whole blocks of `BLOCK_ROWS * query.len()` words, and
/// `distances` one place a row. What has no counterpart is left out.
pub type HammingKernel = fn(blocks: &[u64], query: &[u64], distances: &mut [u16]);

/// The best form for this processor, with its name.
pub fn best() -> (&'static str, HammingKernel) {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::best() {
        return kernel;
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(kernel) = neon::best() {
        return kernel;
    }
    ("scalar", distances_scalar)
}

/// The plain form, and the meaning of all others.
pub fn distances_scalar(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
    let blocks = blocks.chunks_exact(BLOCK_ROWS * query.len());
    let places = distances.as_chunks_mut::<BLOCK_ROWS>().0;
    for (block, places) in blocks.zip(places) {
        *places = [0; BLOCK_ROWS];
        for (words, query_word) in block.as_chunks::<BLOCK_ROWS>().0.iter().zip(query) {
            for (place, word) in places.iter_mut().zip(words) {
                *place += (word ^ query_word).count_ones() as u16;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK_ROWS, HammingKernel};

    // The safe functions check the processor on every call, which is one load:
    // so none of them can be called where it would be undefined behaviour.

    pub(super) fn best() -> Option<(&'static str, HammingKernel)> {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            return Some(("avx512-vpopcntdq", vpopcntdq));
        }
        if is_x86_feature_detected!("avx2") {
            return Some(("avx2", avx2));
        }
        is_x86_feature_detected!("popcnt").then_some(("popcnt", popcnt as HammingKernel))
    }

    pub(super) fn vpopcntdq(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        assert!(is_x86_feature_detected!("avx512f"));
        assert!(is_x86_feature_detected!("avx512vpopcntdq"));
        // SAFETY: the features were just checked.
        unsafe { distances_vpopcntdq(blocks, query, distances) }
    }

    pub(super) fn avx2(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        assert!(is_x86_feature_detected!("avx2"));
        // SAFETY: the feature was just checked.
        unsafe { distances_avx2(blocks, query, distances) }
    }

    pub(super) fn popcnt(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        assert!(is_x86_feature_detected!("popcnt"));
        // SAFETY: the feature was just checked.
        unsafe { distances_popcnt(blocks, query, distances) }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn distances_vpopcntdq(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        let blocks = blocks.chunks_exact(BLOCK_ROWS * query.len());
        let places = distances.as_chunks_mut::<BLOCK_ROWS>().0;
        for (block, places) in blocks.zip(places) {
            let mut sums = _mm512_setzero_si512();
            for (words, query_word) in block.as_chunks::<BLOCK_ROWS>().0.iter().zip(query) {
                // SAFETY: `words` is 64 readable bytes; the load asks for no alignment.
                let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
                let differing = _mm512_xor_si512(words, _mm512_set1_epi64(*query_word as i64));
                sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(differing));
            }
            // SAFETY: `places` is 16 writable bytes; the store asks for no alignment.
            unsafe { _mm_storeu_si128(places.as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sums)) };
        }
    }

    #[target_feature(enable = "avx2")]
    fn distances_avx2(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        let blocks = blocks.chunks_exact(BLOCK_ROWS * query.len());
        let places = distances.as_chunks_mut::<BLOCK_ROWS>().0;
        for (block, places) in blocks.zip(places) {
            let block = block.as_chunks::<BLOCK_ROWS>().0;
            let mut sums = [_mm256_setzero_si256(); 2];
            for (words, query_word) in block.iter().zip(query) {
                let query_word = _mm256_set1_epi64x(*query_word as i64);
                for (half, sum) in words.as_chunks::<4>().0.iter().zip(&mut sums) {
                    // SAFETY: `half` is 32 readable bytes; the load asks for no alignment.
                    let words = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
                    let counts = byte_counts(_mm256_xor_si256(words, query_word));
                    let rows = _mm256_sad_epu8(counts, _mm256_setzero_si256());
                    *sum = _mm256_add_epi64(*sum, rows);
                }
            }
            for (half, sum) in places.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
                let mut rows = [0u64; 4];
                // SAFETY: `rows` is 32 writable bytes; the store asks for no alignment.
                unsafe { _mm256_storeu_si256(rows.as_mut_ptr().cast(), sum) };
                *half = rows.map(|distance| distance as u16);
            }
        }
    }

    /// The number of ones in every byte, by a table of the sixteen nibbles.
    #[target_feature(enable = "avx2")]
    fn byte_counts(words: __m256i) -> __m256i {
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let nibble = _mm256_set1_epi8(0x0f);
        let low = _mm256_and_si256(words, nibble);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(words), nibble);
        _mm256_add_epi8(
            _mm256_shuffle_epi8(table, low),
            _mm256_shuffle_epi8(table, high),
        )
    }

    /// The scalar form, compiled with the popcnt instruction.
    #[target_feature(enable = "popcnt")]
    fn distances_popcnt(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        let blocks = blocks.chunks_exact(BLOCK_ROWS * query.len());
        let places = distances.as_chunks_mut::<BLOCK_ROWS>().0;
        for (block, places) in blocks.zip(places) {
            let mut sums = [0u64; BLOCK_ROWS];
            for (words, query_word) in block.as_chunks::<BLOCK_ROWS>().0.iter().zip(query) {
                for (sum, word) in sums.iter_mut().zip(words) {
                    *sum += u64::from((word ^ query_word).count_ones());
                }
            }
            *places = sums.map(|distance| distance as u16);
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{BLOCK_ROWS, HammingKernel};

    pub(super) fn best() -> Option<(&'static str, HammingKernel)> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(("neon", neon as HammingKernel))
    }

    pub(super) fn neon(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        assert!(std::arch::is_aarch64_feature_detected!("neon"));
        // SAFETY: the feature was just checked.
        unsafe { distances_neon(blocks, query, distances) }
    }

    #[target_feature(enable = "neon")]
    fn distances_neon(blocks: &[u64], query: &[u64], distances: &mut [u16]) {
        let blocks = blocks.chunks_exact(BLOCK_ROWS * query.len());
        let places = distances.as_chunks_mut::<BLOCK_ROWS>().0;
        for (block, places) in blocks.zip(places) {
            let block = block.as_chunks::<BLOCK_ROWS>().0;
            let mut sums = [vdupq_n_u64(0); 4];
            for (words, query_word) in block.iter().zip(query) {
                let query_word = vdupq_n_u64(*query_word);
                for (pair, sum) in words.as_chunks::<2>().0.iter().zip(&mut sums) {
                    // SAFETY: `pair` is 16 readable bytes, aligned as u64.
                    let words = unsafe { vld1q_u64(pair.as_ptr()) };
                    let differing = vreinterpretq_u8_u64(veorq_u64(words, query_word));
                    let counts = vpaddlq_u8(vcntq_u8(differing));
                    *sum = vaddq_u64(*sum, vpaddlq_u32(vpaddlq_u16(counts)));
                }
            }
            for (pair, sum) in places.as_chunks_mut::<2>().0.iter_mut().zip(sums) {
                *pair = [
                    vgetq_lane_u64::<0>(sum) as u16,
                    vgetq_lane_u64::<1>(sum) as u16,
                ];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK_ROWS, HammingKernel, best, distances_scalar};

    /// Every form that this processor runs.
    fn forms() -> Vec<(&'static str, HammingKernel)> {
        let mut forms = vec![best()];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                forms.push(("avx2", super::x86::avx2));
            }
            if is_x86_feature_detected!("popcnt") {
                forms.push(("popcnt", super::x86::popcnt));
            }
        }
        forms
    }

    proptest! {
        #[test]
        fn every_form_gives_the_distances_of_the_scalar_form(
            words in 1usize..40, blocks in 0usize..6, seed in any::<u64>(),
        ) {
            let mut random = crate::testing::Random::new(seed);
            let query: Vec<u64> = (0..words).map(|_| random.word()).collect();
            let codes: Vec<u64> = (0..words * blocks * BLOCK_ROWS).map(|_| random.word()).collect();
            let mut expected = vec![0; blocks * BLOCK_ROWS];
            distances_scalar(&codes, &query, &mut expected);
            for (name, kernel) in forms() {
                let mut found = vec![u16::MAX; blocks * BLOCK_ROWS];
                kernel(&codes, &query, &mut found);
                prop_assert_eq!(&found, &expected, "{}", name);
            }
        }
    }

    #[test]
    fn the_scalar_form_counts_differing_bits_of_each_row() {
        // Two words a row: row r differs from the query in r bits of word 0
        // and in all bits of word 1.
        let mut block: Vec<u64> = (0..8).map(|row| (1 << row) - 1).collect();
        block.extend([u64::MAX; 8]);
        let mut distances = [0; 8];
        distances_scalar(&block, &[0, 0], &mut distances);
        assert_eq!(distances, [64, 65, 66, 67, 68, 69, 70, 71]);
    }

    #[test]
    fn the_largest_dimension_does_not_overflow() {
        let words = crate::MAX_DIMENSION / 64;
        for (_, kernel) in forms() {
            let mut distances = [0; 8];
            kernel(&vec![u64::MAX; words * 8], &vec![0; words], &mut distances);
            assert_eq!(distances, [crate::MAX_DIMENSION as u16; 8]);
        }
    }
}
