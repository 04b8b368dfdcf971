//! The features of a choice of sentences, for the probability that they
//! answer.

use gannet_plugin::plan::{Intent, Precision};
use gannet_stages::{missing_entity, missing_name, time_fit};

use crate::choose::Place;
use crate::features::{SentenceFeatures, features, flag, share};
use crate::scope::Scope;

features! {
    /// What is known of an answer. The features of the best sentence are those
    /// of [`SentenceFeatures`].
    AnswerFeatures {
        /// Probabilities of the chosen sentences, best first, and of the best
        /// one that was not chosen.
        best,
        second,
        third,
        /// Their sum, and the probability that one at least answers, were they
        /// independent.
        sum,
        any,
        chosen,
        chars,
        /// The best of each entry after that of the best sentence.
        best_elsewhere,
        /// Share of the question in the best sentence and in its entry.
        coverage_best,
        coverage_entry,
        coverage_beyond_title,
        similarity,
        similarity_entry,
        similarity_least,
        mean,
        mean_entry,
        novelty,
        states_asked,
        focus,
        focus_similarity,
        entry_place,
        score_share,
        /// The second entry's share of the first one's score.
        second_score,
        terms,
        /// The heaviest word of the question that the entry lacks, by weight.
        missing_weight,
        asks_cause,
        asks_fix,
        asks_number,
        asks_date,
        asks_name,
        asks_outcome,
        asks_nothing,
        /// How well the entry fits the times of the question.
        time_fit,
        names_time,
        names_day,
        /// Whether the entry is not of a thing that the question names.
        misses_entity,
        misses_name,
        names_entity,
        /// Whether several of the last or the first are compared.
        asks_order,
        asks_compare,
        sentences,
    }
}

/// The features of a choice, which is not empty.
pub(crate) fn answer_features(
    scope: &Scope<'_>,
    chosen: &[Place],
    probabilities: &[Vec<f32>],
    sentences: &[Vec<SentenceFeatures>],
    timezone: &str,
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
    let question = scope.question;
    let text = &scope.texts[entry];
    let missing = question
        .terms
        .iter()
        .filter(|term| !text.all.contains(&term.stem));
    let passage = &scope.passages[entry];
    let plan = question.plan;
    let second_score = scope.passages.get(1).map_or(0.0, |second| second.score);
    AnswerFeatures {
        best: of[0],
        second: of.get(1).copied().unwrap_or_default(),
        third: of.get(2).copied().unwrap_or_default(),
        sum: of.iter().sum(),
        any: 1.0 - of.iter().map(|p| 1.0 - p).product::<f32>(),
        chosen: of.len() as f32,
        chars: chosen
            .iter()
            .map(|place| scope.texts[place.0].sentences[place.1].text.chars().count() as f32)
            .sum(),
        best_elsewhere: elsewhere.fold(0.0, f32::max),
        coverage_best: best.coverage,
        coverage_entry: best.coverage_entry,
        coverage_beyond_title: best.coverage_beyond_title,
        similarity: best.similarity,
        similarity_entry: best.similarity_entry,
        similarity_least: best.similarity_least,
        mean: best.mean,
        mean_entry: best.mean_entry,
        novelty: best.novelty,
        states_asked: best.states_asked,
        focus: best.focus,
        focus_similarity: best.focus_similarity,
        entry_place: best.entry_place,
        score_share: best.score_share,
        second_score: share(second_score, scope.passages[0].score),
        terms: best.terms,
        missing_weight: missing.map(|term| term.weight as f32).fold(0.0, f32::max),
        asks_cause: best.asks_cause,
        asks_fix: best.asks_fix,
        asks_number: best.asks_number,
        asks_date: best.asks_date,
        asks_name: best.asks_name,
        asks_outcome: best.asks_outcome,
        asks_nothing: best.asks_nothing,
        time_fit: time_fit(&passage.entry, plan, timezone) as f32,
        names_time: flag(!plan.times.is_empty()),
        names_day: flag(
            plan.times
                .iter()
                .any(|time| time.precision <= Precision::Day),
        ),
        misses_entity: flag(missing_entity(&passage.entry, plan).is_some()),
        misses_name: flag(missing_name(&passage.entry, plan).is_some()),
        names_entity: flag(plan.soft_entities().any(|entity| entity.field.is_some())),
        asks_order: flag(plan.time_order().is_some()),
        asks_compare: flag(plan.intent == Intent::Compare),
        sentences: best.sentences,
    }
}
