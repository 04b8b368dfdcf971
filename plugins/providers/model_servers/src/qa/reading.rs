//! Which answers of a server become a reading.

use std::collections::BTreeMap;

use gannet_plugin::provider::{ReadSpan, Reading};

use super::answers::{AnswerSpan, Answered};

/// The best answers that have at least this score, do not overlap, and have at
/// most this many characters together; best first.
pub(super) fn of(answered: Vec<Answered>, min_score: f64, max_chars: usize) -> Reading {
    let mut candidates: Vec<(usize, &AnswerSpan)> = answered
        .iter()
        .flat_map(|one| one.answers.iter().map(|answer| (one.passage, answer)))
        .filter(|(_, answer)| answer.score >= min_score)
        .collect();
    // The sort is stable: of equal scores the passage that was found first.
    candidates.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    let mut chars_left = max_chars;
    let mut spans: Vec<ReadSpan> = Vec::new();
    // The best score of each passage that has a span.
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for (passage, answer) in candidates {
        let range = &answer.range;
        let is_apart = |span: &ReadSpan| {
            let other = &span.range;
            span.passage != passage || other.end <= range.start || range.end <= other.start
        };
        if answer.chars > chars_left || !spans.iter().all(is_apart) {
            continue;
        }
        chars_left -= answer.chars;
        best.entry(passage).or_insert(answer.score);
        let span = ReadSpan::new(passage, range.clone(), answer.score);
        spans.push(span.with_answers(vec![range.clone()]));
    }
    let no_answers = answered.iter().map(|one| {
        let has_candidate = one.answers.iter().any(|answer| answer.score >= min_score);
        match best.get(&one.passage) {
            Some(score) => one.impossible.unwrap_or(1.0 - score),
            // It was too long, whatever the server says of it.
            None if has_candidate => 1.0,
            None => one.impossible.unwrap_or(1.0),
        }
    });
    let no_answer = no_answers.fold(1.0, f64::min);
    Reading::new(spans, no_answer)
}
