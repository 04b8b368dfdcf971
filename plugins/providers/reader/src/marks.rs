//! The words of a sentence that answer: what is marked where it is shown.

use std::ops::Range;

use crate::cues::Ask;
use crate::question::Question;

/// The bytes of a text, inside of a sentence, that answer: its numbers or names
/// where one is asked for and the question has others, else all of it.
pub(crate) fn marks(
    question: &Question<'_>,
    text: &str,
    sentence: &Range<usize>,
) -> Vec<Range<usize>> {
    let asks = |ask| question.asks_for(ask);
    let wants_number = asks(Ask::Number) || asks(Ask::Duration) || asks(Ask::Date);
    let wants_name = asks(Ask::Name);
    let is_new = |word: &str| !question.all_words.contains(&word.to_lowercase());
    let words = words(text, sentence).skip(usize::from(!wants_number));
    let marked: Vec<Range<usize>> = words
        .filter(|range| {
            let word = &text[range.clone()];
            let is_number = wants_number && word.contains(|c: char| c.is_ascii_digit());
            let is_name = wants_name && word.starts_with(char::is_uppercase);
            (is_number || is_name) && is_new(word)
        })
        .collect();
    match marked.is_empty() {
        true => vec![sentence.clone()],
        false => joined(text, marked),
    }
}

/// The words of a sentence without the marks around them.
fn words(text: &str, sentence: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let inside = &text[sentence.clone()];
    let start = sentence.start;
    inside.split_whitespace().filter_map(move |word| {
        let at = start + (word.as_ptr() as usize - inside.as_ptr() as usize);
        let is_mark = |c: char| !c.is_alphanumeric();
        let from = word.find(|c: char| !is_mark(c))?;
        let to = word.trim_end_matches(is_mark).len();
        Some(at + from..at + to)
    })
}

/// Neighbours with nothing but blanks between them become one.
fn joined(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if text[last.end..range.start].trim().is_empty() => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use gannet_plugin::plan::QueryPlan;
    use gannet_plugin::query::ParsedQuery;
    use gannet_plugin::search::SpanSimilarities;

    use super::*;

    fn marked(question: &str, sentence: &str) -> Vec<String> {
        let plan = QueryPlan::of_terms(question, ParsedQuery::default());
        let question = Question::read(&plan, &SpanSimilarities::default(), &Default::default(), 1);
        let ranges = marks(&question, sentence, &(0..sentence.len()));
        ranges
            .into_iter()
            .map(|range| sentence[range].to_owned())
            .collect()
    }

    #[test]
    fn numbers_and_names_that_are_asked_for_are_marked() {
        let sentence = "On day 3, Petra Voss measured 4.5 bar.";
        assert_eq!(marked("how high was it on day 3?", sentence), ["4.5"]);
        assert_eq!(marked("who measured it?", sentence), ["Petra Voss"]);
    }

    #[test]
    fn another_sentence_is_marked_as_a_whole() {
        let sentence = "The valve leaked.";
        assert_eq!(marked("why did it trip?", sentence), [sentence]);
        assert_eq!(marked("how many trips?", sentence), [sentence]);
    }
}
