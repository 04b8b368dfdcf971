//! The features of a choice of sentences, for the probability that they
//! answer.

use gannet_model::{features, flag};

use crate::choose::Place;
use crate::features::{SentenceFeatures, share};
use crate::scope::Scope;

/// A share whose logarithm is taken.
const LEAST_SHARE: f32 = 1e-9;

features! {
    /// What is known of an answer. The features of the best sentence are those
    /// of [`SentenceFeatures`].
    AnswerFeatures {
        /// The probability of the best sentence.
        best,
        /// Of the chosen sentences: the sum of their probabilities, the
        /// probability that one at least answers, were they independent, and
        /// their characters.
        sum,
        any,
        chars,
        /// The best probability in the other entries.
        best_elsewhere,
        /// Of all sentences: the sum of their probabilities and of the five
        /// best, and how evenly the probabilities are spread: the entropy of
        /// their shares by the greatest that so many can have, 0 to 1.
        sum_all,
        sum_best_five,
        spread,
        /// Share of the question in the best sentence and in its entry.
        coverage_best,
        coverage_entry,
        coverage_beyond_title,
        similarity,
        similarity_entry,
        similarity_least,
        mean_entry,
        novelty,
        focus_similarity,
        /// The second entry's share of the first one's score.
        second_score,
        terms,
        /// The heaviest word of the question that the entry lacks, by weight.
        missing_weight,
        /// How well the entry fits the times of the question.
        time_fit,
        names_time,
        /// Whether the entry is not of a thing that the question names.
        misses_entity,
        misses_name,
        names_entity,
        /// Names with a number in the question, how many of them the best
        /// sentence and its entry lack, and whether these have one with another
        /// number; whether its title has.
        numbered,
        numbered_missing,
        numbered_missing_entry,
        numbered_other,
        numbered_other_entry,
        numbered_other_title,
        coverage_text,
        coverage_together,
        /// Sentences of the entry.
        sentences,
    }
}

/// The features of a choice, which is not empty.
pub(crate) fn answer_features(
    scope: &Scope<'_>,
    chosen: &[Place],
    probabilities: &[Vec<f32>],
    sentences: &[Vec<SentenceFeatures>],
) -> AnswerFeatures {
    let probability = |(entry, at): &Place| probabilities[*entry][*at];
    let of: Vec<f32> = chosen.iter().map(probability).collect();
    let (entry, at) = chosen[0];
    let best = &sentences[entry][at];
    let elsewhere = probabilities
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != entry);
    let elsewhere = elsewhere.flat_map(|(_, of_entry)| of_entry).copied();
    let mut all = probabilities.concat();
    all.sort_by(|a, b| b.total_cmp(a));
    let sum = all.iter().sum::<f32>().max(LEAST_SHARE);
    let plan = scope.question.plan;
    let second_score = scope.passages.get(1).map_or(0.0, |second| second.score);
    AnswerFeatures {
        best: of[0],
        sum: of.iter().sum(),
        any: 1.0 - of.iter().map(|p| 1.0 - p).product::<f32>(),
        chars: chosen
            .iter()
            .map(|place| scope.texts[place.0].sentences[place.1].text.chars().count() as f32)
            .sum(),
        best_elsewhere: elsewhere.fold(0.0, f32::max),
        sum_all: sum,
        sum_best_five: all.iter().take(5).sum(),
        spread: spread(&all, sum),
        coverage_best: best.coverage,
        coverage_entry: best.coverage_entry,
        coverage_beyond_title: best.coverage_beyond_title,
        similarity: best.similarity,
        similarity_entry: best.similarity_entry,
        similarity_least: best.similarity_least,
        mean_entry: best.mean_entry,
        novelty: best.novelty,
        focus_similarity: best.focus_similarity,
        second_score: share(second_score, scope.passages[0].score),
        terms: best.terms,
        missing_weight: best.missing_weight,
        time_fit: best.time_fit,
        names_time: flag(!plan.times.is_empty()),
        misses_entity: best.misses_entity,
        misses_name: best.misses_name,
        names_entity: flag(plan.soft_entities().any(|entity| entity.field.is_some())),
        numbered: best.numbered,
        numbered_missing: best.numbered_missing,
        numbered_missing_entry: best.numbered_missing_entry,
        numbered_other: best.numbered_other,
        numbered_other_entry: best.numbered_other_entry,
        numbered_other_title: best.numbered_other_title,
        coverage_text: best.coverage_text,
        coverage_together: best.coverage_together,
        sentences: best.sentences,
    }
}

/// 1 where there is nothing to compare.
fn spread(probabilities: &[f32], sum: f32) -> f32 {
    if probabilities.len() < 2 {
        return 1.0;
    }
    let shares = probabilities.iter().map(|p| p / sum);
    let entropy: f32 = shares
        .map(|share| -share * share.max(LEAST_SHARE).ln())
        .sum();
    entropy / (probabilities.len() as f32).ln()
}
