//! How a question is read: as plain words, or in the query language.

use std::sync::Arc;

use gannet_plugin::filter::Filter;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::Context;
use gannet_plugin::query::{self, Node, ParsedQuery, QueryOptions};
use gannet_plugin::search::QuerySyntax;

/// Letters and digits at least beside a `*` for a name.
const NAME_AT_LEAST: usize = 3;

/// Plain words, unless the question carries explicit operators: a quoted
/// phrase, AND, OR or NOT in capitals, a word with a leading minus, a name
/// with `*`, or a field such as `author:`. A question in plain words must find
/// something, and `beam NOT injection` must leave out what it says. A title or
/// a pasted report is never a query, see [`query::is_query_like`].
pub fn syntax_of(question: &str) -> QuerySyntax {
    if !query::is_query_like(question) {
        return QuerySyntax::Plain;
    }
    let has_phrase = question.matches('"').count() >= 2;
    let words: Vec<&str> = question.split_whitespace().collect();
    let has_operator = words.iter().enumerate().any(|(at, word)| {
        let joins = at > 0 && at + 1 < words.len();
        match *word {
            "AND" | "OR" => joins,
            "NOT" => at + 1 < words.len(),
            word => is_excluded(word) || is_pattern(word),
        }
    });
    if has_phrase || has_operator || has_field(question) {
        QuerySyntax::Operators
    } else {
        QuerySyntax::Plain
    }
}

/// The host's plan of a question: the one that came with a request, where
/// there is one, else one that is asked for; on a host without that service,
/// the words alone.
pub async fn plan_of(
    question: &str,
    came: Option<&Arc<QueryPlan>>,
    filter: &Filter,
    context: &Context,
) -> Arc<QueryPlan> {
    if let Some(plan) = came {
        return plan.clone();
    }
    let planned = context.query_plan(question, filter).await;
    planned.unwrap_or_else(|_| Arc::new(QueryPlan::of_terms(question, ParsedQuery::default())))
}

/// What the question is about, in words: without operators, fields and what
/// it excludes.
pub fn subject_of(question: &str, syntax: QuerySyntax) -> String {
    match syntax {
        QuerySyntax::Plain => question.to_owned(),
        QuerySyntax::Operators => {
            let mut words = Vec::new();
            if let Some(root) = query::parse(question, syntax, &QueryOptions::default()).root {
                collect_wanted(&root, &mut words);
            }
            words.join(" ")
        }
    }
}

fn collect_wanted(node: &Node, words: &mut Vec<String>) {
    match node {
        Node::Word(text) | Node::Phrase(text) | Node::Prefix(text) | Node::Glob(text) => {
            words.push(text.clone());
        }
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => {
            for part in parts {
                collect_wanted(part, words);
            }
        }
        Node::Not(_) | Node::Field(_) | Node::Regex(_) => {}
    }
}

/// `-vacuum`; not `-15` and not `--`.
fn is_excluded(word: &str) -> bool {
    let excluded = word.strip_prefix('-');
    excluded.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// `SR01C*` or `/BPM[0-9]+/`.
fn is_pattern(word: &str) -> bool {
    let literal = word.chars().filter(|c| c.is_alphanumeric()).count();
    let is_regex = word.len() > 2 && word.starts_with('/') && word.ends_with('/');
    literal >= NAME_AT_LEAST && (word.contains('*') || is_regex)
}

/// Whether the query language reads a field in the question.
fn has_field(question: &str) -> bool {
    if !question.contains(':') {
        return false;
    }
    let parsed = query::parse(question, QuerySyntax::Operators, &QueryOptions::default());
    !parsed.filter.is_empty() || parsed.root.as_ref().is_some_and(holds_field)
}

fn holds_field(node: &Node) -> bool {
    match node {
        Node::Field(_) => true,
        Node::Not(inner) => holds_field(inner),
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => parts.iter().any(holds_field),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_plain_words_is_read_as_words() {
        for question in [
            "What caused the RF cavity trip?",
            "Why did SR03C:RF:CAV1 not recover at -15 C?",
            "LOSS OF OFFSITE POWER AND REACTOR TRIP",
            "and then what?",
            "5 \" pipe",
            "The \"A\" pump tripped.\nThe \"B\" pump was NOT started.",
        ] {
            assert_eq!(syntax_of(question), QuerySyntax::Plain, "{question}");
        }
    }

    #[test]
    fn explicit_operators_are_kept() {
        for question in [
            "\"beam loss\" sector 7",
            "beam NOT injection",
            "BPM AND RF",
            "author:jones vacuum",
            "rf trip -vacuum",
            "SR01C* trips",
        ] {
            assert_eq!(syntax_of(question), QuerySyntax::Operators, "{question}");
        }
    }

    #[test]
    fn the_subject_leaves_out_fields_and_what_is_excluded() {
        let question = "author:jones \"beam loss\" NOT injection";
        assert_eq!(subject_of(question, QuerySyntax::Operators), "beam loss");
    }
}
