//! What the question says: how it is to be read, and which devices it names.

use gannet_plugin::filter::fold;
use gannet_plugin::query::{Node, QueryOptions, parse};
use gannet_plugin::search::QuerySyntax;

/// Plain words, unless there is more in the question than words: a phrase, an
/// operator, a pattern or a field. In plain words any word counts, so that
/// `what happened to CAV1` finds entries without `happened`.
pub(crate) fn syntax_of(question: &str) -> QuerySyntax {
    let read = parse(question, QuerySyntax::Operators, &QueryOptions::default());
    let is_word = |node: &Node| matches!(node, Node::Word(_));
    let only_words = match &read.root {
        None => true,
        Some(Node::All(parts)) => parts.iter().all(is_word),
        Some(node) => read.plain || is_word(node),
    };
    match only_words && read.filter.is_empty() {
        true => QuerySyntax::Plain,
        false => QuerySyntax::Operators,
    }
}

/// The devices and PVs that the question names, folded: words that begin with
/// a letter and hold a digit (`CAV1`, `TP-3`) or a colon (`LI:GUN:HV`).
pub(crate) fn names_in(question: &str) -> Vec<String> {
    let read = parse(question, QuerySyntax::Operators, &QueryOptions::default());
    let mut names = Vec::new();
    if let Some(root) = &read.root {
        collect_names(root, &mut names);
    }
    names
}

fn collect_names(node: &Node, names: &mut Vec<String>) {
    match node {
        Node::Word(word) if looks_like_a_name(word) => names.push(fold(word)),
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => {
            parts.iter().for_each(|part| collect_names(part, names));
        }
        _ => {}
    }
}

fn looks_like_a_name(word: &str) -> bool {
    let word = word.trim_end_matches(':');
    word.starts_with(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit() || c == ':')
}

/// Whether a text names one of these, as a whole name or as a whole part of
/// one: `SR03C:RF:CAV1:FWD_PWR` names `cav1`, `CAV12` does not.
pub(crate) fn names_any(text: &str, names: &[String]) -> bool {
    let text = fold(text);
    names.iter().any(|name| {
        text.match_indices(name.as_str()).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            let is_open = |side: Option<char>| side.is_none_or(|c| !c.is_alphanumeric());
            is_open(before) && is_open(after)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_with_more_than_words_is_in_the_query_language() {
        for (question, syntax) in [
            ("what happened to CAV1?", QuerySyntax::Plain),
            ("", QuerySyntax::Plain),
            ("\"window arc\" CAV1", QuerySyntax::Operators),
            ("CAV1 -vacuum", QuerySyntax::Operators),
            ("CAV1 author:smith", QuerySyntax::Operators),
            ("SR03C*CAV?", QuerySyntax::Operators),
        ] {
            assert_eq!(syntax_of(question), syntax, "{question}");
        }
    }

    #[test]
    fn names_hold_a_digit_or_a_colon() {
        let question = "what happened to CAV1, TP-3 and LI:GUN:HV in 2025? NOT K9 why: a \"B2\"";
        assert_eq!(names_in(question), ["cav1", "tp-3", "li:gun:hv"]);
    }

    #[test]
    fn a_part_of_a_name_counts_when_it_is_whole() {
        let names = ["cav1".to_owned()];
        assert!(names_any("SR03C:RF:CAV1:FWD_PWR fell", &names));
        assert!(names_any("CAV12 and then Cav1.", &names));
        assert!(!names_any("CAV12, XCAV1, cavity 1", &names));
        assert!(!names_any("CAV1", &[]));
    }

    proptest! {
        #[test]
        fn any_question_and_text_can_be_read(question in "\\PC{0,40}", text in "\\PC{0,40}") {
            let _ = syntax_of(&question);
            let _ = names_any(&text, &names_in(&question));
            prop_assert!(!names_any(&text, &[]));
        }
    }
}
