//! What a question-answering server answers.

use std::ops::Range;

use serde_json::Value;

/// By how much a score may be above 1: sums of 32-bit floats.
const ROUNDING: f64 = 1e-3;

/// What the server found in one passage.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answered {
    /// Which of the passages of the request.
    pub(super) passage: usize,
    /// Its answers, best first.
    pub(super) answers: Vec<AnswerSpan>,
    /// The score of the empty answer, where the server gives it.
    pub(super) impossible: Option<f64>,
}

/// Words of a passage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnswerSpan {
    /// Their bytes in the text of the passage.
    pub(super) range: Range<usize>,
    pub(super) chars: usize,
    /// 0 to 1.
    pub(super) score: f64,
}

/// The answers from each of these texts.
///
/// # Errors
/// What is wrong with them, as a predicate after "a response that".
pub(super) fn answers_of_each(body: &Value, texts: &[&str]) -> Result<Vec<Answered>, String> {
    // The answer to a list of one text is that to the text itself.
    if let [text] = texts {
        return Ok(vec![answers_of(body, text)?]);
    }
    let list = body.as_array().map(Vec::as_slice).unwrap_or_default();
    if list.len() != texts.len() {
        return Err(format!(
            "does not have an array with one item for each of {} texts; set `form: single`",
            texts.len()
        ));
    }
    let pairs = list.iter().zip(texts);
    pairs.map(|(item, text)| answers_of(item, text)).collect()
}

/// The answers from one text: an object, or an array of objects.
fn answers_of(item: &Value, text: &str) -> Result<Answered, String> {
    let items = match item {
        Value::Object(_) => std::slice::from_ref(item),
        Value::Array(items) => match items.as_slice() {
            [Value::Array(items)] => items,
            items => items,
        },
        _ => return Err("is neither an answer nor an array of answers".to_owned()),
    };
    let mut answered = Answered::default();
    for item in items {
        let score = score(item)?;
        match answer(item, text)? {
            Some((range, chars)) => answered.answers.push(AnswerSpan {
                range,
                chars,
                score,
            }),
            None => {
                let best = answered.impossible.map_or(score, |best| best.max(score));
                answered.impossible = Some(best);
            }
        }
    }
    // The sort is stable: answers with equal scores keep their order.
    let answers = &mut answered.answers;
    answers.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(answered)
}

fn score(item: &Value) -> Result<f64, String> {
    let score = item["score"]
        .as_f64()
        .ok_or("has an answer without a number as `score`")?;
    match (0.0..=1.0 + ROUNDING).contains(&score) {
        true => Ok(score.min(1.0)),
        false => Err(format!(
            "has the score {score}; probabilities from 0 to 1 are required"
        )),
    }
}

/// The bytes and the number of characters of an answer; `None` for the empty
/// one.
fn answer(item: &Value, text: &str) -> Result<Option<(Range<usize>, usize)>, String> {
    let answer = item["answer"]
        .as_str()
        .ok_or("has an answer without a string as `answer`")?;
    if answer.trim().is_empty() {
        return Ok(None);
    }
    let offset = |name: &str| {
        let offset = item[name].as_u64();
        offset
            .and_then(|offset| usize::try_from(offset).ok())
            .ok_or_else(|| format!("has an answer without an offset as `{name}`"))
    };
    let (start, end) = (offset("start")?, offset("end")?);
    let range = trimmed(text, bytes(text, start, end).unwrap_or_default());
    let words = &text[range.clone()];
    // Some servers put a space where the text has other white space.
    if !words.split_whitespace().eq(answer.split_whitespace()) {
        return Err(format!(
            "has the answer {answer:?} at {start} to {end}, where the text has {words:?}; `start` \
             and `end` must count the characters of the context"
        ));
    }
    Ok(Some((range, words.chars().count())))
}

/// The bytes of the characters from `start` to before `end`.
fn bytes(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let ends = std::iter::once(text.len());
    let mut places = text.char_indices().map(|(at, _)| at).chain(ends);
    let first = places.nth(start)?;
    let last = match end.checked_sub(start)? {
        0 => first,
        chars => places.nth(chars - 1)?,
    };
    Some(first..last)
}

/// A range without white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn characters_are_counted_and_not_bytes() {
        let text = "µ=2 °C";
        assert_eq!(bytes(text, 0, 1), Some(0..2));
        assert_eq!(bytes(text, 4, 6), Some(5..8));
        assert_eq!(bytes(text, 6, 6), Some(8..8));
        for (start, end) in [(0, 7), (7, 7), (3, 2)] {
            assert_eq!(bytes(text, start, end), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_offsets_a_server_gives_nothing_panics(
            text in ".{0,20}",
            answer in ".{0,6}",
            start in 0_usize..30,
            end in 0_usize..30,
        ) {
            let item = serde_json::json!(
                {"answer": answer, "start": start, "end": end, "score": 0.5}
            );
            if let Ok(answered) = answers_of(&item, &text) {
                for one in answered.answers {
                    proptest::prop_assert!(!text[one.range].trim().is_empty());
                }
            }
        }
    }
}
