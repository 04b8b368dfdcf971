//! What came of the check of an answer's marks.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Diagnostic;

/// What an answer cites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cited {
    /// The answer, without marks of entries that were not in the context.
    pub text: String,
    /// What it cites, in order of first appearance.
    pub citations: Vec<String>,
    /// How many marks named an entry that was not given.
    pub unknown: usize,
    /// How many links were taken out.
    pub links: usize,
}

impl Cited {
    /// How far a model's answer can be trusted: what cites nothing is
    /// supported by nothing.
    pub fn status(&self) -> AnswerStatus {
        match self.citations.is_empty() {
            true => AnswerStatus::Uncited,
            false => AnswerStatus::Grounded,
        }
    }

    /// What was taken out, as warnings of this source. `foreign` says which
    /// entries are none that can be cited: those `that were not in the context`.
    pub fn notes(&self, source: &str, foreign: &str) -> Vec<Diagnostic> {
        let taken_out = [
            (
                self.unknown,
                format!("citations of entries {foreign} were removed"),
                "citation",
            ),
            (
                self.links,
                "links were removed from the answer of the model".to_owned(),
                "link",
            ),
        ];
        let counted = taken_out.into_iter().filter(|(count, ..)| *count > 0);
        let note = |(count, what, category): (usize, String, &str)| {
            Diagnostic::warning(source, format!("{what}: {count}")).category(category)
        };
        counted.map(note).collect()
    }
}
