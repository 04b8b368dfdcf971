//! The reader of the fake hosts: it finds words, and knows nothing else.

use std::collections::HashSet;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::provider::{ReadRequest, ReadSpan, Reading};
use gannet_plugin::query::ParsedQuery;
use gannet_stages::{content_words, split_sentences, stem, stems};

/// How probable it is that what it chooses answers.
pub const PROBABILITY: f64 = 0.9;

/// Chooses, of the first passage that shares a content word with the question,
/// the sentence that shares most of them, the last one of several. Without
/// such a passage there is no answer.
pub fn read(request: &ReadRequest) -> Reading {
    let words = match &request.plan {
        Some(plan) => content_words(plan),
        None => {
            let plan = QueryPlan::of_terms(&request.question, ParsedQuery::default());
            content_words(&plan)
        }
    };
    let asked: HashSet<String> = words.iter().map(|word| stem(word)).collect();
    let mut passages = request.passages.iter().enumerate();
    let span = passages.find_map(|(place, passage)| {
        let sentences = split_sentences(&passage.entry.raw_text).into_iter();
        let shared = sentences.map(|sentence| {
            let own: HashSet<String> = stems(&sentence.text).collect();
            (own.intersection(&asked).count(), sentence.range)
        });
        let (shared, range) = shared.max_by_key(|(shared, _)| *shared)?;
        (shared > 0).then(|| ReadSpan::new(place, range, PROBABILITY))
    });
    match span {
        Some(span) => Reading::new(vec![span], 1.0 - PROBABILITY),
        None => Reading::new(Vec::new(), 1.0),
    }
}
