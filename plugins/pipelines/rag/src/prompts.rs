//! Prompts: what is said to a chat model, in the built-in words or in those
//! of the facility.

use gannet_plugin::{Result, Setup};
use gannet_stages::CitationStyle;

/// What the pipeline's own prompts are named after.
const PLUGIN: &str = "rag";

/// A prompt that is built in.
struct BuiltIn {
    /// Its name after the dot: `system` of `rag.system`.
    part: &'static str,
    text: &'static str,
    /// Placeholders without which it is of no use.
    required: &'static [&'static str],
}

/// What the model is, and how it is to treat what it reads.
const SYSTEM: BuiltIn = BuiltIn {
    part: "system",
    text: include_str!("../prompts/rag.system.md"),
    required: &["nonce"],
};
/// Entries in order, and the question.
const USER: BuiltIn = BuiltIn {
    part: "user",
    text: include_str!("../prompts/rag.user.md"),
    required: &["context", "question"],
};
/// A statement, notes on it, sources and the question, within one budget.
const ASK: BuiltIn = BuiltIn {
    part: "ask",
    text: include_str!("../prompts/rag.ask.md"),
    required: &["statement", "notes", "sources", "question"],
};

/// Whether the facility's own prompts have the placeholders that they need.
///
/// # Errors
/// A configuration error that names the prompt and the placeholder.
pub(crate) fn check_prompts(setup: &Setup) -> Result<()> {
    for prompt in [SYSTEM, USER, ASK] {
        for owner in [setup.instance.as_str(), PLUGIN] {
            let name = format!("{owner}.{}", prompt.part);
            setup.prompts.check(&name, prompt.required)?;
        }
    }
    Ok(())
}

/// What is said to a chat model in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) system: String,
    pub(crate) user: String,
}

impl Prompt {
    /// Bytes of both parts.
    pub(crate) fn size(&self) -> usize {
        self.system.len() + self.user.len()
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
    /// The word of the fences around what was retrieved.
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

    /// The prompt of this instance's name, else that of the plugin's, else
    /// the built-in one.
    fn written(&self, prompt: &BuiltIn, values: &[(&str, &str)]) -> String {
        let own = format!("{}.{}", self.setup.instance, prompt.part);
        let name = match self.setup.prompts.files.contains_key(&own) {
            true => own,
            false => format!("{PLUGIN}.{}", prompt.part),
        };
        let facility = under("About this facility:", &self.setup.prompts.facility);
        let guidelines = under(
            "How answers are written here:",
            &self.setup.prompts.guidelines,
        );
        let (citing, mark) = how_to_cite(self.style);
        let mut all = vec![
            ("facility", facility.as_str()),
            ("guidelines", guidelines.as_str()),
            ("citing", citing),
            ("mark", mark),
            ("nonce", self.nonce),
        ];
        all.extend_from_slice(values);
        self.setup
            .prompts
            .render(&name, prompt.text.trim_end(), &all)
    }
}

/// A text of the facility with its heading and an empty line after it;
/// nothing at all when there is no text.
fn under(heading: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("{heading}\n{text}\n\n"),
    }
}

/// How to cite, in a sentence, and what a mark looks like.
fn how_to_cite(style: CitationStyle) -> (&'static str, &'static str) {
    match style {
        CitationStyle::EntryId => (
            "After each sentence cite the entry that it comes from by its id, as [#id].",
            "[#id]",
        ),
        CitationStyle::Number => (
            "After each sentence cite the entry that it comes from by its number, counted from \
             1 in the order of the entries, as [1].",
            "[n]",
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn setup(files: &[(&str, &str)]) -> Setup {
        let mut setup = Setup {
            instance: "my_rag".to_owned(),
            ..Setup::default()
        };
        let files = files.iter();
        setup.prompts.files = files
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        setup
    }

    fn prompt(setup: &Setup) -> Prompt {
        let writer = PromptWriter {
            setup,
            style: CitationStyle::EntryId,
            nonce: "5f2a",
        };
        writer.in_order("the {question} entries", "why {nonce}?")
    }

    #[test]
    fn nothing_of_the_facility_leaves_no_heading() {
        let Prompt { system, user } = prompt(&setup(&[]));
        assert!(!system.contains("facility:") && !system.contains("written here"));
        assert!(
            !system.contains('{') && !system.contains("\n\n"),
            "{system}"
        );
        assert!(system.contains("<<<DATA 5f2a>>>"));
        assert_eq!(user, "the {question} entries\n\nQuestion: why {nonce}?");
    }

    #[test]
    fn the_facility_has_its_say() {
        let mut setup = setup(&[]);
        setup.prompts.facility = "A ring of 12 sectors.\n".to_owned();
        setup.prompts.guidelines = "Metric units.".to_owned();
        let system = prompt(&setup).system;
        let both = "About this facility:\nA ring of 12 sectors.\n\n\
                    How answers are written here:\nMetric units.\n\nUse only";
        assert!(system.contains(both), "{system}");
    }

    #[test]
    fn an_instance_has_its_own_prompts_before_those_of_the_plugin() {
        let of_plugin = ("rag.user", "P {context} {question}");
        let of_instance = ("my_rag.user", "I {context} {question}");
        let both = setup(&[of_plugin, of_instance]);
        assert!(prompt(&both).user.starts_with("I the "));
        let one = setup(&[of_plugin]);
        assert!(prompt(&one).user.starts_with("P the "));
    }

    #[test]
    fn a_prompt_without_what_it_needs_is_refused() {
        for (name, text, missing) in [
            ("rag.user", "{context}", "{question}"),
            ("my_rag.system", "Be kind.", "{nonce}"),
            ("rag.ask", "{statement} {sources} {question}", "{notes}"),
        ] {
            let refused = check_prompts(&setup(&[(name, text)])).unwrap_err();
            let refused = refused.to_string();
            assert!(
                refused.contains(name) && refused.contains(missing),
                "{refused}"
            );
        }
        assert!(check_prompts(&setup(&[("other.user", "")])).is_ok());
    }
}
