//! The score of a passage by its words.

use gannet_api::{sign_bytes, split_places};

use super::InvalidVector;
use super::bit_counts::counts_of_bits;
use super::kernels::KERNELS;
use super::kernels::signs::SignQueries;
use super::quantize::{normalised, padded_dimension, push_int8};

/// Most words of a question that are compared: those of the greatest idf. A
/// question has fewer; a pasted page would cost several times a search.
const MOST_WORDS: usize = 64;

/// The words of a question, each with its weight.
///
/// The score of a passage with the words `w` is
/// `Σ idf(t) · max over w of cosine(t, sign(w)) / Σ idf(t)` over the words `t`
/// of the question. Their vectors are in int8 and those of the passage one bit
/// a dimension.
#[derive(Debug, Clone)]
pub struct QuestionWords {
    queries: SignQueries,
    /// What a dot product of each word adds to the score.
    factors: Vec<f64>,
    /// What makes a cosine of a dot product of each word.
    scales: Vec<f32>,
}

impl QuestionWords {
    /// `vectors` holds one vector of `dimension` numbers for each idf.
    ///
    /// # Errors
    /// [`InvalidVector::NotFinite`] when a vector holds a NaN or an infinity.
    pub fn new(vectors: &[f32], dimension: usize, idfs: &[f64]) -> Result<Self, InvalidVector> {
        let padded = padded_dimension(dimension);
        let mut words: Vec<(&f64, &[f32])> =
            idfs.iter().zip(vectors.chunks_exact(dimension)).collect();
        if words.len() > MOST_WORDS {
            words.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            words.truncate(MOST_WORDS);
        }
        let sum: f64 = words.iter().map(|(idf, _)| *idf).sum();
        // The length of a row of signs.
        let length = (dimension as f64).sqrt();
        let mut codes = Vec::with_capacity(words.len() * padded);
        let mut factors = Vec::with_capacity(words.len());
        let mut scales = Vec::with_capacity(words.len());
        for (idf, vector) in words {
            let step = push_int8(&normalised(vector, padded)?, &mut codes);
            factors.push(idf / sum * f64::from(step) / length);
            scales.push((f64::from(step) / length) as f32);
        }
        Ok(Self {
            queries: SignQueries::new(codes, padded),
            factors,
            scales,
        })
    }

    /// The score of a passage by the signs of its words; `None` when either
    /// has no words.
    pub fn score(&self, signs: &[u8]) -> Option<f64> {
        let products = self.factors.iter().zip(self.best(signs)?);
        Some(products.map(|(factor, dot)| factor * f64::from(dot)).sum())
    }

    /// The greatest cosine of each word with any row of signs; `None` when
    /// either has no words.
    pub fn nearest(&self, signs: &[u8]) -> Option<Vec<f32>> {
        let products = self.scales.iter().zip(self.best(signs)?);
        Some(products.map(|(scale, dot)| scale * dot as f32).collect())
    }

    fn best(&self, signs: &[u8]) -> Option<Vec<i32>> {
        if self.factors.is_empty() || signs.len() < self.queries.sign_bytes() {
            return None;
        }
        let mut best = vec![i32::MIN; self.queries.rows()];
        (KERNELS.signs)(&self.queries, signs, &mut best);
        Some(best)
    }
}

/// The vector of a question, for its cosine with the mean of words.
#[derive(Debug, Clone)]
pub struct QuestionVector {
    codes: Vec<i8>,
    step: f32,
}

impl QuestionVector {
    /// # Errors
    /// [`InvalidVector::NotFinite`] when it holds a NaN or an infinity.
    pub fn new(vector: &[f32]) -> Result<Self, InvalidVector> {
        let mut codes = Vec::with_capacity(vector.len());
        let step = push_int8(&normalised(vector, vector.len())?, &mut codes);
        Ok(Self { codes, step })
    }

    /// The cosine with the sum of rows of signs, where a set bit counts as 1
    /// and another as -1. The sums are integers, so every processor gives the
    /// same result.
    pub fn cosine_with_sum(&self, signs: &[u8]) -> f32 {
        let of_row = sign_bytes(self.codes.len()).max(1);
        let rows = (signs.len() / of_row) as i32;
        let set = counts_of_bits(signs, of_row);
        let (mut dot, mut square) = (0_i64, 0_i64);
        for (code, set) in self.codes.iter().zip(set) {
            let sum = i64::from(2 * set - rows);
            dot += i64::from(*code) * sum;
            square += sum * sum;
        }
        match square {
            0 => 0.0,
            square => (f64::from(self.step) * dot as f64 / (square as f64).sqrt()) as f32,
        }
    }
}

/// Whether these are signs of words of this dimension, with or without the
/// places of words that have one of them each.
pub fn are_signs_of(record: &[u8], dimension: usize) -> bool {
    let Some((signs, places)) = split_places(record) else {
        return false;
    };
    match sign_bytes(dimension) {
        0 => record.is_empty(),
        of_word => {
            let vectors = signs.len() / of_word;
            let is_there = |vector: u16| usize::from(vector) < vectors;
            signs.len().is_multiple_of(of_word) && places.iter().all(|p| is_there(p.vector))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_api::push_signs;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::Random;

    fn signs_of(vectors: &[f32], dimension: usize) -> Vec<u8> {
        let mut signs = Vec::new();
        let words = vectors.chunks_exact(dimension);
        words.for_each(|vector| push_signs(vector, &mut signs));
        signs
    }

    /// The formula, in floats.
    fn plainly(question: &[f32], idfs: &[f64], passage: &[f32], dimension: usize) -> f64 {
        let cosine = |t: &[f32], w: &[f32]| {
            let length = t.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            let products = t.iter().zip(w);
            let dot: f64 = products
                .map(|(t, w)| f64::from(*t) * if *w > 0.0 { 1.0 } else { -1.0 })
                .sum();
            dot / length / (dimension as f64).sqrt()
        };
        let weighted = question.chunks_exact(dimension).zip(idfs).map(|(t, idf)| {
            let words = passage.chunks_exact(dimension);
            let best = words.map(|w| cosine(t, w)).fold(f64::MIN, f64::max);
            idf * best
        });
        weighted.sum::<f64>() / idfs.iter().sum::<f64>()
    }

    #[test]
    fn each_question_word_counts_with_its_nearest_word_by_its_idf() {
        // The first word is exactly the second of the passage, the other one
        // agrees with the first in three of four dimensions.
        let question = [1.0, 1.0, -1.0, -1.0, 2.0, 2.0, 2.0, -2.0];
        let passage = [0.1, 0.1, 0.1, 0.1, 0.3, 0.3, -0.1, -9.0];
        let words = QuestionWords::new(&question, 4, &[3.0, 1.0]).unwrap();
        let score = words.score(&signs_of(&passage, 4)).unwrap();
        assert!((score - (3.0 + 0.5) / 4.0).abs() < 1e-6, "{score}");
        assert_eq!(words.score(&[]), None);
        let nothing = QuestionWords::new(&[], 4, &[]).unwrap();
        assert_eq!(nothing.score(&signs_of(&passage, 4)), None);
    }

    #[test]
    fn of_a_very_long_question_the_rarest_words_count() {
        let mut vectors = [-1.0, -1.0].repeat(MOST_WORDS + 1);
        vectors.extend([1.0, 1.0].repeat(MOST_WORDS));
        let mut idfs = vec![0.1; MOST_WORDS + 1];
        idfs.extend(vec![2.0; MOST_WORDS]);
        let words = QuestionWords::new(&vectors, 2, &idfs).unwrap();
        let score = words.score(&signs_of(&[1.0, 1.0], 2)).unwrap();
        assert!((score - 1.0).abs() < 1e-6, "{score}");
    }

    #[test]
    fn the_cosine_with_a_sum_is_that_of_the_formula() {
        let question = QuestionVector::new(&[1.0, 0.0, 0.0, 0.0]).unwrap();
        // The sum is (2, 0, -2, -2).
        let signs = signs_of(&[1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0], 4);
        let expected = 2.0 / 12.0_f32.sqrt();
        assert!((question.cosine_with_sum(&signs) - expected).abs() < 1e-2);
        assert!(question.cosine_with_sum(&[]) == 0.0);
    }

    #[test]
    fn places_name_vectors_that_are_there() {
        let mut record = signs_of(&[1.0; 128], 64);
        assert!(are_signs_of(&record, 64) && !are_signs_of(&record, 192));
        let place = |vector| gannet_api::TokenPlace { start: 0, vector };
        let mut beyond = record.clone();
        gannet_api::push_places(&[place(1)], &mut record);
        gannet_api::push_places(&[place(2)], &mut beyond);
        assert!(are_signs_of(&record, 64) && !are_signs_of(&beyond, 64));
    }

    proptest! {
        #[test]
        fn the_score_is_that_of_the_formula_but_for_the_rounding_of_the_question(
            dimension in 1usize..200, asked in 1usize..12, there in 1usize..12, seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed);
            let mut vectors = |count: usize| -> Vec<f32> {
                let value = |_| (random.word() as i32) as f32 / i32::MAX as f32;
                (0..count * dimension).map(value).collect()
            };
            let (question, passage) = (vectors(asked), vectors(there));
            let idfs: Vec<f64> = (0..asked).map(|at| 0.5 + at as f64).collect();
            let words = QuestionWords::new(&question, dimension, &idfs).unwrap();
            let found = words.score(&signs_of(&passage, dimension)).unwrap();
            let exact = plainly(&question, &idfs, &passage, dimension);
            prop_assert!((found - exact).abs() < 0.01, "{} for {}", found, exact);
        }
    }
}
