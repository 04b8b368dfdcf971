//! Prompts: what is said to a chat model, in the built-in words or in those
//! of the facility.

use gannet_plugin::prelude::Setup;
use gannet_stages::{BuiltInPrompt, CitationStyle};

/// What stands between the parts where they are one text.
const BETWEEN: &str = "\n\n";

/// What the pipeline's own prompts are named after.
const PLUGIN: &str = "rag";

/// What the model is, and how it is to treat what it reads.
const SYSTEM: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "system",
    text: include_str!("../prompts/rag.system.md"),
    required: &["nonce"],
};
/// Entries in order, and the question.
const USER: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "user",
    text: include_str!("../prompts/rag.user.md"),
    required: &["context", "question"],
};
/// A statement, notes on it, sources and the question, within one budget.
const ASK: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "ask",
    text: include_str!("../prompts/rag.ask.md"),
    required: &["statement", "notes", "sources", "question"],
};

/// Every prompt of the pipeline.
pub(crate) const PROMPTS: [BuiltInPrompt; 3] = [SYSTEM, USER, ASK];

/// What is said to a chat model in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) system: String,
    pub(crate) user: String,
}

impl Prompt {
    /// Bytes of both parts, with an empty line between them: a provider that
    /// takes one text puts it there.
    pub(crate) fn size(&self) -> usize {
        self.system.len() + BETWEEN.len() + self.user.len()
    }
}

/// The parts of a proportional prompt, each as it is shown.
pub(crate) struct AskParts<'a> {
    pub(crate) statement: &'a str,
    pub(crate) notes: &'a str,
    pub(crate) sources: &'a str,
    pub(crate) question: &'a str,
}

/// Writes the prompts of one call.
pub(crate) struct PromptWriter<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) style: CitationStyle,
    /// The mark of the fences around what was retrieved.
    pub(crate) nonce: &'a str,
}

impl PromptWriter<'_> {
    /// Entries in order, fenced, and the question.
    pub(crate) fn in_order(&self, context: &str, question: &str) -> Prompt {
        let values = [("context", context), ("question", question)];
        Prompt {
            system: self.system(),
            user: self.written(&USER, &values),
        }
    }

    /// The parts of a proportional prompt, those that were retrieved fenced.
    pub(crate) fn proportional(&self, parts: &AskParts<'_>) -> Prompt {
        let values = [
            ("statement", parts.statement),
            ("notes", parts.notes),
            ("sources", parts.sources),
            ("question", parts.question),
        ];
        Prompt {
            system: self.system(),
            user: self.written(&ASK, &values),
        }
    }

    fn system(&self) -> String {
        self.written(&SYSTEM, &[])
    }

    fn written(&self, prompt: &BuiltInPrompt, values: &[(&str, &str)]) -> String {
        let mut all = vec![
            ("citing", self.style.instruction()),
            ("mark", self.style.form()),
            ("nonce", self.nonce),
        ];
        all.extend_from_slice(values);
        prompt.render(self.setup, &all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        let setup = Setup::default();
        let writer = PromptWriter {
            setup: &setup,
            style: CitationStyle::EntryId,
            nonce: "5f2a",
        };
        writer.in_order("the {question} entries", "why {nonce}?")
    }

    #[test]
    fn every_placeholder_is_filled_once() {
        let Prompt { system, user } = prompt();
        assert!(
            !system.contains('{') && !system.contains("\n\n"),
            "{system}"
        );
        assert!(system.contains("<<<DATA 5f2a>>>"));
        assert_eq!(user, "the {question} entries\n\nQuestion: why {nonce}?");
    }
}
