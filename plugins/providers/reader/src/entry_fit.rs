//! How well an entry fits a question, whichever of its sentences is chosen.

use std::collections::HashSet;

use gannet_model::flag;
use gannet_stages::{missing_entity, missing_name, time_fit, words};

use crate::numbered_names::{NumberedName, has_another, missing, names_in, names_of};
use crate::scope::Scope;

/// What is known of an entry; the features of these names say what it means.
pub(crate) struct EntryFit {
    pub(crate) time_fit: f32,
    pub(crate) misses_entity: f32,
    pub(crate) misses_name: f32,
    pub(crate) missing_weight: f32,
    pub(crate) coverage_text: f32,
    pub(crate) numbered_missing: f32,
    pub(crate) numbered_other: f32,
    pub(crate) numbered_other_title: f32,
}

impl EntryFit {
    pub(crate) fn of(scope: &Scope<'_>, at: usize) -> Self {
        let (question, text) = (scope.question, &scope.texts[at]);
        let entry = &scope.passages[at].entry;
        let terms = question.terms.iter();
        let lacking = terms.filter(|term| !text.all.contains(&term.stem));
        let stems = text.sentences.iter().flat_map(|sentence| &sentence.stems);
        let stems: HashSet<&String> = stems.collect();
        let asked = &question.numbered;
        let (names, names_of_title) = match asked.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => (
                names_in_entry(scope, at),
                names_in(&words(entry.title().unwrap_or_default())),
            ),
        };
        Self {
            time_fit: time_fit(entry, question.plan, scope.timezone) as f32,
            misses_entity: flag(missing_entity(entry, question.plan).is_some()),
            misses_name: flag(missing_name(entry, question.plan).is_some()),
            missing_weight: lacking.map(|term| term.weight as f32).fold(0.0, f32::max),
            coverage_text: question.coverage_where(|term| stems.contains(&term.stem)) as f32,
            numbered_missing: missing(asked, &names) as f32,
            numbered_other: flag(has_another(asked, &names)),
            numbered_other_title: flag(has_another(asked, &names_of_title)),
        }
    }
}

/// The names with a number in an entry.
fn names_in_entry(scope: &Scope<'_>, at: usize) -> Vec<NumberedName> {
    let sentences = &scope.texts[at].sentences;
    let words: Vec<&[String]> = sentences.iter().map(|one| one.words.as_slice()).collect();
    names_of(&scope.passages[at].entry, &words)
}
