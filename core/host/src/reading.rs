//! Readers, and what is checked of their answers.

use std::ops::Range;
use std::sync::Arc;

use gannet_api::{Call, Error, Filter, PluginKind, ReadRequest, ReadSpan, Reading, Result, limits};

use crate::quarantine::PluginName;
use crate::replies::{CallScope, RequestState};
use crate::services::{Services, invalid_result, not_configured};

/// The reader that is asked when none is named.
pub(crate) const BUILTIN_READER: &str = "builtin";

impl Services {
    /// The spans of entries that answer a question, see
    /// [`Context::read`](gannet_api::Context::read). The reader shares what was
    /// read and encoded for the request.
    pub(crate) async fn read_passages(
        &self,
        call: &Call,
        request: ReadRequest,
        state: Arc<RequestState>,
    ) -> Result<Reading> {
        let name = request.provider.as_deref().unwrap_or(BUILTIN_READER);
        let reader = self.catalog().reader(name).cloned().ok_or_else(|| {
            let is_named = request.provider.is_some();
            match is_named {
                true => not_configured(PluginKind::Reader, name),
                false => no_default_reader(),
            }
        })?;
        let plugin = PluginName {
            kind: PluginKind::Reader,
            name,
        };
        let scope = CallScope::new(state, Filter::none());
        let context = self.scoped_context(call.clone(), plugin, &scope);
        let asked = request.clone();
        let work = async move { reader.read(asked, &context).await };
        let mut reading = self.isolate(plugin, call.deadline, work).await?;
        check_reading(&reading, &request).map_err(|problem| invalid_result(plugin, problem))?;
        for span in &mut reading.spans {
            span.answers.truncate(limits::FRAGMENTS);
        }
        Ok(reading)
    }
}

fn no_default_reader() -> Error {
    Error::Unavailable {
        message: format!(
            "no reader `{BUILTIN_READER}` is configured; name another one under `providers`, and \
             ask for it by its name"
        ),
    }
}

/// Spans of passages that there are, within their texts, apart from each
/// other, and not longer than what was asked for; probabilities of 0 to 1.
///
/// # Errors
/// What is wrong.
fn check_reading(reading: &Reading, request: &ReadRequest) -> std::result::Result<(), String> {
    if !is_probability(reading.no_answer) {
        return Err(format!("the probability {} of none", reading.no_answer));
    }
    let mut left = request.max_chars;
    let mut places: Vec<(usize, &Range<usize>)> = Vec::with_capacity(reading.spans.len());
    for span in &reading.spans {
        let chars = check_span(span, request)?;
        left = left.checked_sub(chars).ok_or_else(|| {
            let most = request.max_chars;
            format!("its spans have more than the {most} characters that were asked for")
        })?;
        places.push((span.passage, &span.range));
    }
    places.sort_unstable_by_key(|(passage, range)| (*passage, range.start));
    let mut pairs = places.iter().zip(places.iter().skip(1));
    match pairs.find(|(one, next)| one.0 == next.0 && one.1.end > next.1.start) {
        None => Ok(()),
        Some(((passage, one), (_, next))) => Err(format!(
            "the spans {one:?} and {next:?} of passage {passage} overlap"
        )),
    }
}

/// The characters of a span.
fn check_span(span: &ReadSpan, request: &ReadRequest) -> std::result::Result<usize, String> {
    let ReadSpan {
        passage,
        range,
        probability,
        answers,
        ..
    } = span;
    let Some(of) = request.passages.get(*passage) else {
        let passages = request.passages.len();
        return Err(format!("a span of passage {passage}; there are {passages}"));
    };
    let text = of.entry.raw_text.as_str();
    let place = || format!("of passage {passage}, a text of {} bytes", text.len());
    let Some(words) = part(text, range) else {
        return Err(format!("the span {range:?} {}", place()));
    };
    if !is_probability(*probability) {
        return Err(format!("the probability {probability} of a span"));
    }
    let is_inside = |answer: &Range<usize>| {
        answer.start >= range.start && answer.end <= range.end && part(text, answer).is_some()
    };
    match answers.iter().find(|answer| !is_inside(answer)) {
        None => Ok(words.chars().count()),
        Some(answer) => Err(format!(
            "the answer {answer:?} in the span {range:?} {}",
            place()
        )),
    }
}

/// A part of a text that has a character, where the range is between
/// characters.
fn part<'t>(text: &'t str, range: &Range<usize>) -> Option<&'t str> {
    text.get(range.clone()).filter(|part| !part.is_empty())
}

fn is_probability(number: f64) -> bool {
    (0.0..=1.0).contains(&number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::{Entry, ReadPassage};

    use super::*;

    /// Two entries; the first has a character of two bytes at 3.
    fn request() -> ReadRequest {
        let passage = |text: &str| {
            let entry = Entry::new("E1", "log", jiff::Timestamp::UNIX_EPOCH, text);
            ReadPassage::new(entry, 1.0)
        };
        ReadRequest::new("what?", vec![passage("is µs"), passage("RF trip")], 6)
    }

    fn problem(spans: Vec<ReadSpan>) -> Option<String> {
        check_reading(&Reading::new(spans, 0.5), &request()).err()
    }

    fn span(passage: usize, range: Range<usize>) -> ReadSpan {
        ReadSpan::new(passage, range, 0.5)
    }

    #[test]
    fn spans_that_touch_and_those_of_other_passages_are_taken() {
        assert_eq!(problem(vec![]), None);
        let spans = vec![span(1, 0..3), span(0, 3..6), span(1, 3..4)];
        assert_eq!(problem(spans), None);
    }

    #[test]
    fn characters_are_counted_and_more_than_asked_are_a_problem() {
        // Six characters in seven bytes.
        assert_eq!(problem(vec![span(0, 2..6), span(1, 0..3)]), None);
        let expected = "its spans have more than the 6 characters that were asked for";
        let spans = vec![span(0, 2..6), span(1, 0..4)];
        assert_eq!(problem(spans).as_deref(), Some(expected));
    }

    #[test]
    fn a_span_that_is_nowhere_is_a_problem() {
        for (wrong, expected) in [
            (span(2, 0..1), "a span of passage 2; there are 2"),
            (
                span(0, 0..7),
                "the span 0..7 of passage 0, a text of 6 bytes",
            ),
            (
                span(0, 4..6),
                "the span 4..6 of passage 0, a text of 6 bytes",
            ),
            (
                span(1, 3..3),
                "the span 3..3 of passage 1, a text of 7 bytes",
            ),
        ] {
            assert_eq!(problem(vec![wrong]).as_deref(), Some(expected));
        }
        let reversed = Range { start: 4, end: 2 };
        assert!(problem(vec![span(1, reversed)]).is_some());
    }

    #[test]
    fn spans_that_overlap_are_a_problem_in_whatever_order() {
        let expected = "the spans 0..4 and 3..5 of passage 1 overlap";
        for spans in [
            vec![span(1, 0..4), span(1, 3..5)],
            vec![span(1, 3..5), span(1, 0..4)],
        ] {
            let mut wide = request();
            wide.max_chars = 100;
            let problem = check_reading(&Reading::new(spans, 0.0), &wide);
            assert_eq!(problem, Err(expected.to_owned()));
        }
    }

    #[test]
    fn an_answer_outside_of_its_span_is_a_problem() {
        for answer in [0..2, 2..5, 3..3, 2..9] {
            let one = span(1, 2..4).with_answers(vec![2..4, answer.clone()]);
            let text = problem(vec![one]).unwrap();
            let expected = format!("the answer {answer:?} in the span 2..4 ");
            assert!(text.starts_with(&expected), "{text}");
        }
    }

    #[test]
    fn a_number_that_is_no_probability_is_a_problem() {
        for number in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            let text = problem(vec![ReadSpan::new(1, 0..2, number)]).unwrap();
            assert_eq!(text, format!("the probability {number} of a span"));
            let text = check_reading(&Reading::new(vec![], number), &request()).unwrap_err();
            assert_eq!(text, format!("the probability {number} of none"));
        }
    }
}
