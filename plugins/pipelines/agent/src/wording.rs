//! The words of the answer, whoever found them.

use gannet_plugin::query::{self, Node, QueryOptions};
use gannet_plugin::{AnswerStatus, Error, QuerySyntax};
use gannet_stages::{AnswerInput, CitationStyle, Cited, ComposedAnswer, compose_answer};

use crate::findings::Findings;

/// Entries that the sentences of an answer are looked for in.
const ENTRIES_READ: usize = 50;

/// The words of the answer.
pub(crate) struct Wording {
    pub(crate) text: String,
    pub(crate) status: AnswerStatus,
    pub(crate) citations: Vec<String>,
    pub(crate) reason: String,
}

impl Wording {
    /// The entries' own words.
    pub(crate) fn of_entries(question: &str, findings: &Findings, timezone: &str) -> Self {
        let composed = compose_answer(AnswerInput {
            question,
            entries: &findings.entries(ENTRIES_READ),
            hits: findings.hits(),
            style: CitationStyle::EntryId,
            timezone,
        });
        let ComposedAnswer {
            text,
            status,
            reason,
            citations,
            ..
        } = composed;
        Self {
            text,
            status,
            citations,
            reason,
        }
    }
}

impl From<Cited> for Wording {
    /// A model's words.
    fn from(cited: Cited) -> Self {
        let status = match cited.citations.is_empty() {
            true => AnswerStatus::Uncited,
            false => AnswerStatus::Grounded,
        };
        Self {
            text: cited.text.trim().to_owned(),
            status,
            citations: cited.citations,
            reason: "worded by a chat model".to_owned(),
        }
    }
}

/// How a question is read when it goes to the tools as it is: as plain words,
/// of which any counts, unless it holds an operator, a phrase or a field.
pub(crate) fn syntax_of(question: &str) -> QuerySyntax {
    let read = query::parse(question, QuerySyntax::Operators, &QueryOptions::default());
    let is_word = |node: &Node| matches!(node, Node::Word(_));
    let is_words = match &read.root {
        None => true,
        Some(Node::All(parts)) => parts.iter().all(is_word),
        Some(node) => is_word(node),
    };
    match is_words && read.filter.is_empty() {
        true => QuerySyntax::Plain,
        false => QuerySyntax::Operators,
    }
}

/// One error that stands for all tools that failed: a retry can help when it
/// can for any.
pub(crate) fn all_failed(name: &str, mut failures: Vec<(String, Error)>) -> Error {
    if failures.len() == 1 {
        return failures.swap_remove(0).1;
    }
    let is_store = |(_, error): &(String, Error)| matches!(error, Error::Store { .. });
    let is_of_the_store = failures.iter().all(is_store);
    let retryable = failures.iter().any(|(_, error)| error.is_retryable());
    let reasons: Vec<String> = failures
        .iter()
        .map(|(tool, error)| format!("{tool}: {error}"))
        .collect();
    let message = format!("all tools failed: {}", reasons.join("; "));
    if is_of_the_store {
        return Error::Store { message, retryable };
    }
    Error::Provider {
        provider: format!("{name}.tools"),
        message,
        retryable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_plain_words_is_read_as_words() {
        for question in ["What caused the RF trip?", "CAV1", "", "SR03C:RF:CAV1 trip"] {
            assert_eq!(syntax_of(question), QuerySyntax::Plain, "{question}");
        }
        for question in ["\"beam loss\"", "beam NOT injection", "author:jones vacuum"] {
            assert_eq!(syntax_of(question), QuerySyntax::Operators, "{question}");
        }
    }
}
