//! How long the deterministic answer takes: twelve long entries are the most
//! that it reads. The bar is 30 ms.
#![allow(missing_docs, clippy::expect_used)]

use divan::Bencher;
use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::ParsedQuery;
use gannet_stages::{
    AnswerInput, AssembleSettings, CitationStyle, FusionSettings, GROUNDED_SHARE, ModuleHits,
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

#[divan::bench]
fn compose_from_twelve_entries_of_6000_characters(bencher: Bencher) {
    let entries = entries();
    let question = "What caused the modulator trip of klystron 3?";
    let plan = QueryPlan::of_terms(question, ParsedQuery::default()).with_intent(Intent::Cause);
    bencher.bench(|| {
        compose_answer(AnswerInput {
            plan: &plan,
            entries: &entries,
            matches: None,
            style: CitationStyle::EntryId,
            timezone: "America/Los_Angeles",
            grounded_share: GROUNDED_SHARE,
        })
    });
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
