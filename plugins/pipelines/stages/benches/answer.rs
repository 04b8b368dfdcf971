//! How long the stages take beside what they ask others. For the deterministic
//! answer that is composing it from what a reader chose in long entries; the
//! bar is 30 ms.
#![allow(missing_docs, clippy::expect_used)]

use divan::Bencher;
use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::prelude::Entry;
use gannet_plugin::provider::{ReadSpan, Reading};
use gannet_plugin::query::ParsedQuery;
use gannet_stages::{
    AnswerInput, AssembleSettings, CitationStyle, FusionSettings, GROUNDED_PROBABILITY, ModuleHits,
    assemble, compose_answer, fuse,
};

fn main() {
    divan::main();
}

fn entries() -> Vec<Entry> {
    let sentence = "Modulator of klystron 3 tripped at 05:12 on low oil flow, pressure 2.5 bar. ";
    let other = "The trip was traced to a failed thyratron and the supply SR03C:RF:PS1 was reset. ";
    let text = format!("{sentence}{other}").repeat(40);
    let time = "2024-03-15T10:30:00Z".parse().expect("is a time");
    (0..12)
        .map(|number| Entry::new(format!("E{number}"), "log", time, text.clone()))
        .collect()
}

/// One sentence of each of the first three entries, from their middles.
fn reading(entries: &[Entry]) -> Reading {
    let sentence = "The trip was traced to a failed thyratron";
    let span = |(place, entry): (usize, &Entry)| {
        let text = &entry.raw_text;
        let mut places = text.match_indices(sentence).map(|(at, _)| at);
        let start = places.nth(20).expect("is in the text");
        let thyratron = start + "The trip was traced to ".len()..start + sentence.len();
        ReadSpan::new(place, start..start + sentence.len(), 0.9).with_answers(vec![thyratron])
    };
    let spans = entries.iter().take(3).enumerate().map(span).collect();
    Reading::new(spans, 0.1)
}

#[divan::bench]
fn compose_from_twelve_entries_of_6000_characters(bencher: Bencher) {
    let entries = entries();
    let reading = reading(&entries);
    let question = "What caused the modulator trip of klystron 3?";
    let plan = QueryPlan::of_terms(question, ParsedQuery::default()).with_intent(Intent::Cause);
    let input = AnswerInput {
        plan: &plan,
        entries: &entries,
        scores: &[1.0; 12],
        matches: None,
        style: CitationStyle::EntryId,
        timezone: "America/Los_Angeles",
        reader: None,
        grounded_probability: GROUNDED_PROBABILITY,
    };
    bencher.bench(|| compose_answer(&input, &reading));
}

#[divan::bench]
fn assemble_twelve_entries(bencher: Bencher) {
    let entries = entries();
    bencher.bench(|| assemble(&entries, &AssembleSettings::default(), "UTC"));
}

#[divan::bench]
fn fuse_two_lists_of_fifty(bencher: Bencher) {
    let list = |module: &str, step: usize| {
        let hits = (0..50).map(|at| {
            let id = format!("E{}", at * step);
            gannet_plugin::prelude::Hit::new(
                id,
                "logbook",
                1.0,
                gannet_plugin::search::ScoreKind::Bm25,
            )
        });
        ModuleHits::new(module, hits.collect())
    };
    let lists = [list("keyword", 1), list("semantic", 2)];
    let settings = FusionSettings::default();
    bencher.bench(|| fuse("klystron modulator trip", &lists, &settings));
}
