//! The confidence and the highlights of an answer, checked against its text.

use std::ops::Range;

use gannet_api::{Answer, Diagnostic, limits};

use super::hits::SOURCE;
use crate::quarantine::PluginName;

/// Drops a confidence that is not a probability, and highlights that are
/// nowhere in the text or overlap another one; the others are sorted. It is
/// called before the text is cut. A diagnostic says what was dropped. The
/// result is not degraded by it: the answer is complete.
pub(crate) fn check_confidence(answer: &mut Answer, plugin: PluginName<'_>) -> Option<Diagnostic> {
    let not_probability = drop_confidence(answer);
    let dropped = drop_highlights(answer);
    let highlights = match dropped {
        0 => None,
        1 => Some("1 highlight that is not a part of its answer".to_owned()),
        more => Some(format!(
            "{more} highlights that are not separate parts of its answer"
        )),
    };
    let wrong: Vec<String> = not_probability.into_iter().chain(highlights).collect();
    if wrong.is_empty() {
        return None;
    }
    let message = format!("{plugin} gave {}; ignored", wrong.join(" and "));
    Some(Diagnostic::warning(SOURCE, message).category("confidence"))
}

fn drop_confidence(answer: &mut Answer) -> Option<String> {
    let confidence = answer.answer_confidence?;
    if (0.0..=1.0).contains(&confidence) {
        return None;
    }
    answer.answer_confidence = None;
    Some(format!(
        "the confidence {confidence}, which is not between 0 and 1"
    ))
}

/// The number of highlights that were dropped.
fn drop_highlights(answer: &mut Answer) -> usize {
    let text = answer.answer.as_deref().unwrap_or_default();
    let highlights = &mut answer.answer_highlights;
    let given = highlights.len();
    highlights.sort_by_key(|range| (range.start, range.end));
    let mut end = 0;
    highlights.retain(|range| {
        let is_apart = range.start >= end && is_part(text, range);
        if is_apart {
            end = range.end;
        }
        is_apart
    });
    given - highlights.len()
}

/// Whether the range is a part of the text that has a character.
fn is_part(text: &str, range: &Range<usize>) -> bool {
    text.get(range.clone()).is_some_and(|part| !part.is_empty())
}

/// Keeps as many highlights as a result has at most, of those that lie before
/// the place where the text is cut.
pub(super) fn shrink_highlights(answer: &mut Answer) {
    let highlights = &mut answer.answer_highlights;
    highlights.retain(|range| range.end <= limits::ANSWER_BYTES);
    highlights.truncate(limits::FRAGMENTS);
}

#[cfg(test)]
mod tests {
    use gannet_api::PluginKind;

    use super::*;
    use crate::replies::shrink_answer;

    const PLUGIN: PluginName<'_> = PluginName {
        kind: PluginKind::Pipeline,
        name: "tale",
    };

    /// `µs` begins at 3; its first character has two bytes.
    fn answer(highlights: Vec<Range<usize>>) -> Answer {
        Answer::default()
            .with_answer("is µs [#A-1]".to_owned())
            .with_answer_highlights(highlights)
    }

    fn message(answer: &mut Answer) -> Option<String> {
        check_confidence(answer, PLUGIN).map(|note| note.message)
    }

    #[test]
    fn a_confidence_from_0_to_1_is_kept() {
        for confidence in [0.0, 0.55, 1.0] {
            let mut answer = Answer::default().with_answer_confidence(confidence);
            assert_eq!(message(&mut answer), None);
            assert_eq!(answer.answer_confidence, Some(confidence));
        }
    }

    #[test]
    fn a_confidence_that_is_not_a_probability_is_dropped_with_a_diagnostic() {
        for confidence in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            let mut answer = Answer::default().with_answer_confidence(confidence);
            let expected = format!(
                "pipeline `tale` gave the confidence {confidence}, which is not between 0 and 1; \
                 ignored"
            );
            assert_eq!(message(&mut answer), Some(expected));
            assert_eq!(answer.answer_confidence, None);
        }
    }

    #[test]
    fn highlights_are_sorted() {
        let mut answer = answer(vec![3..6, 0..2]);
        assert_eq!(message(&mut answer), None);
        assert_eq!(answer.answer_highlights, [0..2, 3..6]);
    }

    #[test]
    fn highlights_that_are_no_parts_of_the_text_are_dropped_with_a_diagnostic() {
        let reversed = Range { start: 2, end: 0 };
        for wrong in [2..99, 4..6, 3..4, 1..1, reversed] {
            let mut answer = answer(vec![wrong.clone(), 0..2]);
            let expected = "pipeline `tale` gave 1 highlight that is not a part of its answer; \
                            ignored";
            assert_eq!(message(&mut answer).as_deref(), Some(expected), "{wrong:?}");
            assert_eq!(answer.answer_highlights.len(), 1);
            assert_eq!(answer.answer_highlights[0], 0..2);
        }
    }

    #[test]
    fn a_highlight_that_overlaps_the_one_before_is_dropped() {
        let mut answer = answer(vec![0..5, 3..6, 5..6]);
        assert!(message(&mut answer).is_some());
        assert_eq!(answer.answer_highlights, [0..5, 5..6]);
    }

    #[test]
    fn highlights_of_an_answer_without_words_are_dropped() {
        let mut answer = Answer::default().with_answer_highlights(vec![0..1, 1..2]);
        assert!(message(&mut answer).is_some());
        assert!(answer.answer_highlights.is_empty());
    }

    #[test]
    fn highlights_behind_the_end_of_a_cut_answer_are_dropped() {
        let end = limits::ANSWER_BYTES;
        let mut long = Answer::default()
            .with_answer("x".repeat(end + 100))
            .with_answer_highlights(vec![0..end, end..end + 1]);
        assert_eq!(message(&mut long), None);
        shrink_answer(&mut long);
        assert_eq!(long.answer_highlights.len(), 1);
        assert_eq!(long.answer_highlights[0], 0..end);
    }
}
