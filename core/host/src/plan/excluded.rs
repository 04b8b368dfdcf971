//! Where a query says what it excludes: those words ask for nothing.

use std::ops::Range;

use gannet_api::query::{Node, ParsedQuery};

/// Where the parts stand that a query excludes: `-word`, `NOT word`, a phrase, a
/// field or a group in parentheses, each with its sign. Empty for a text whose
/// query excludes nothing.
pub(super) fn excluded_spans(text: &str, query: &ParsedQuery) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if !query.root.as_ref().is_some_and(excludes) {
        return spans;
    }
    let mut place = 0;
    while let Some(start) = start_of_piece(text, place) {
        let end = match operand_of_negation(text, start) {
            Some(operand) => {
                let end = end_of_operand(text, operand);
                spans.push(start..end);
                end
            }
            None => end_of_operand(text, start),
        };
        // The words of a group that is not excluded are read one by one.
        place = match text[start..].starts_with('(') {
            true => start + 1,
            false => end,
        };
    }
    spans
}

fn excludes(node: &Node) -> bool {
    match node {
        Node::Not(_) => true,
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => parts.iter().any(excludes),
        _ => false,
    }
}

fn start_of_piece(text: &str, from: usize) -> Option<usize> {
    let is_piece = |letter: char| !letter.is_whitespace() && letter != ')';
    text.get(from..)?.find(is_piece).map(|at| from + at)
}

/// Where the operand of a negation begins, when one stands here. Two of them
/// exclude nothing.
fn operand_of_negation(text: &str, start: usize) -> Option<usize> {
    let (mut at, mut negations) = (start, 0);
    loop {
        let rest = &text[at..];
        let sign = match (rest.strip_prefix('-'), rest.strip_prefix("NOT")) {
            (Some(after), _) if begins_operand(after) => 1,
            (_, Some(after)) if after.starts_with(|c: char| c.is_whitespace() || c == '(') => 3,
            _ => break,
        };
        negations += 1;
        at = start_of_piece(text, at + sign)?;
    }
    (negations % 2 == 1).then_some(at)
}

fn begins_operand(after: &str) -> bool {
    after.starts_with(|next: char| next.is_alphanumeric() || "\"(/*_".contains(next))
}

/// The end of a word with its quoted value, a phrase, or a group.
fn end_of_operand(text: &str, start: usize) -> usize {
    let (mut is_quoted, mut open) = (false, 0_usize);
    for (at, letter) in text[start..].char_indices() {
        let end = start + at;
        match letter {
            '"' => {
                is_quoted = !is_quoted;
                if !is_quoted && open == 0 {
                    return end + 1;
                }
            }
            _ if is_quoted => {}
            '(' => open += 1,
            ')' if open <= 1 => return end + open,
            ')' => open -= 1,
            blank if blank.is_whitespace() && open == 0 => return end,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use gannet_api::QuerySyntax;
    use gannet_api::query::{QueryOptions, parse};

    use super::*;

    fn excluded(text: &str) -> Vec<&str> {
        let query = parse(text, QuerySyntax::Operators, &QueryOptions::default());
        let spans = excluded_spans(text, &query).into_iter();
        spans.map(|span| &text[span]).collect()
    }

    #[test]
    fn each_excluded_part_is_found_with_its_sign() {
        for (text, expected) in [
            ("trip -salem unit", vec!["-salem"]),
            ("trip NOT author:salem", vec!["NOT author:salem"]),
            (
                "-author:\"A. Voss\" leak -\"loose tap\" now",
                vec!["-author:\"A. Voss\"", "-\"loose tap\""],
            ),
            (
                "leak NOT (salem OR (hatch gauge)) pump",
                vec!["NOT (salem OR (hatch gauge))"],
            ),
            ("leak (pump -gauge) tap", vec!["-gauge"]),
            ("leak -(été)", vec!["-(été)"]),
        ] {
            assert_eq!(excluded(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_without_exclusions_has_none() {
        for text in [
            "did RF-2 trip or not?",
            "leak at 5 -> 7",
            "leak",
            "leak NOT",
        ] {
            assert_eq!(excluded(text), Vec::<&str>::new(), "{text}");
        }
    }
}
