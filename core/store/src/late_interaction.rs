//! Scores of entries by their words.

use gannet_api::split_places;

use crate::error::StoreError;
use crate::models::check_finite;
use crate::token_records::{EntryTokens, TokenRecords};
use gannet_vectors::QuestionWords;

/// The words of a question that entries are scored by, word by word.
#[derive(Debug, Clone, PartialEq)]
pub struct LateInteraction {
    /// The words of the question.
    pub words: Vec<String>,
    /// Their vectors by the model, all dimensions of the first word first.
    pub vectors: Vec<f32>,
}

impl LateInteraction {
    /// Scores entries: for each the greatest over its passages of
    /// `Σ idf(t) · max over w of cosine(t, sign(w)) / Σ idf(t)`, with the words
    /// `t` of the question and `w` of the passage. `None` for an entry without
    /// token vectors. Of a question of more than 64 words, those of the
    /// greatest idf count.
    ///
    /// # Errors
    /// [`StoreError::InvalidRequest`] when there is not one finite vector of
    /// the model's dimension for each word.
    pub fn scores(
        &self,
        idfs: &[f64],
        records: &TokenRecords,
    ) -> Result<Vec<Option<f64>>, StoreError> {
        if records.dimension == 0 {
            return Ok(vec![None; records.entries.len()]);
        }
        let words = self.weighted(records.dimension, idfs)?;
        let score = |entry: &EntryTokens| {
            let of_passages = entry.iter().filter_map(|passage| {
                let (signs, _) = split_places(&passage.record)?;
                words.score(signs)
            });
            of_passages.reduce(f64::max)
        };
        Ok(records.entries.iter().map(score).collect())
    }

    /// The words with their weights.
    ///
    /// # Errors
    /// [`StoreError::InvalidRequest`] when there is not one finite vector of
    /// this dimension for each word.
    pub(crate) fn weighted(
        &self,
        dimension: usize,
        idfs: &[f64],
    ) -> Result<QuestionWords, StoreError> {
        if self.words.len().checked_mul(dimension) != Some(self.vectors.len()) {
            return Err(StoreError::InvalidRequest {
                message: format!(
                    "{} numbers are not the vectors of {} words with {dimension} dimensions",
                    self.vectors.len(),
                    self.words.len(),
                ),
            });
        }
        check_finite(&self.vectors)?;
        Ok(QuestionWords::new(&self.vectors, dimension, idfs)?)
    }
}
