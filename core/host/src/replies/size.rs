//! Texts and lists of plugins, cut to the contract's limits.

use std::borrow::Cow;
use std::io::{self, Write};

use gannet_api::{Answer, Diagnostic, Entry, Error, Highlight, Hit, limits};
use gannet_registry::shorten;
use serde_json::{Map, Value};

use super::confidence::shrink_highlights;
use crate::secrets::without_keys;

/// Replaces a value whose JSON is longer than so many bytes by a text that
/// says so.
pub(super) fn cut_json(value: &mut Value, max_bytes: usize) {
    if value.is_null() {
        return;
    }
    let mut room = Room(max_bytes);
    if serde_json::to_writer(&mut room, value).is_err() {
        *value = Value::String(format!("(left out: more than {max_bytes} bytes)"));
    }
}

/// Takes so many bytes and fails at the next.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.checked_sub(bytes.len());
        self.0 = left.ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The diagnostics of one call: each cut, and no more of them than a result
/// holds. Of more, those that matter most stay.
pub(crate) fn bounded_diagnostics(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let most = limits::DIAGNOSTICS;
    let left_out = all.len().saturating_sub(most);
    if left_out > 0 {
        // Stable: those of one level stay in order.
        all.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.level));
        all.truncate(most);
        all.shrink_to_fit();
    }
    for Diagnostic {
        source,
        message,
        category,
        ..
    } in &mut all
    {
        shorten(source, limits::NAME_BYTES);
        hide_keys(message);
        shorten(message, limits::MESSAGE_BYTES);
        if let Some(category) = category {
            shorten(category, limits::NAME_BYTES);
        }
    }
    if left_out > 0 {
        let message = format!("{left_out} more diagnostics were left out; {most} are kept");
        all.push(Diagnostic::warning("service.results", message).category("cut"));
    }
    all
}

/// An error whose texts are cut and hold no key of a server.
pub(crate) fn bounded_error(mut error: Error) -> Error {
    let (names, texts): (Vec<&mut String>, Vec<&mut String>) = match &mut error {
        Error::InvalidInput { message }
        | Error::Store { message, .. }
        | Error::Unavailable { message }
        | Error::Internal { message } => (vec![], vec![message]),
        Error::Configuration { key: name, message } | Error::Setting { name, message } => {
            (vec![name], vec![message])
        }
        Error::NotFound { what, name, hint } => (vec![what, name], vec![hint]),
        Error::Timeout { operation, .. } => (vec![operation], vec![]),
        Error::Provider {
            provider, message, ..
        } => (vec![provider], vec![message]),
        Error::Panicked { plugin, message } | Error::InvalidResult { plugin, message } => {
            (vec![plugin], vec![message])
        }
        // An error that is younger than this code passes as it is.
        _ => (vec![], vec![]),
    };
    names
        .into_iter()
        .for_each(|name| shorten(name, limits::NAME_BYTES));
    texts.into_iter().for_each(|text| {
        hide_keys(text);
        shorten(text, limits::MESSAGE_BYTES);
    });
    error
}

/// Before a text is cut, so that no part of a key remains.
fn hide_keys(text: &mut String) {
    if let Cow::Owned(hidden) = without_keys(text) {
        *text = hidden;
    }
}

/// Cuts what a hit holds besides its id. Places that do not lie within a
/// highlight's text are dropped.
pub(super) fn shrink_hit(hit: &mut Hit) {
    shorten(&mut hit.kind, limits::NAME_BYTES);
    hit.highlights.truncate(limits::FRAGMENTS);
    hit.highlights.iter_mut().for_each(shrink_highlight);
    if let Some(passage) = &mut hit.passage {
        shorten(&mut passage.text, limits::FRAGMENT_BYTES);
    }
    hit.provenance.retain(|one| one.score.is_finite());
    hit.provenance.truncate(limits::MODULES);
    for provenance in &mut hit.provenance {
        shorten(&mut provenance.module, limits::NAME_BYTES);
    }
    if let Some(explain) = &mut hit.explain {
        cut_json(explain, limits::EXPLANATION_BYTES);
    }
}

/// Cuts an entry that came with a hit.
pub(super) fn shrink_entry(entry: &mut Entry) {
    for name in [&mut entry.kind, &mut entry.source_system, &mut entry.author] {
        shorten(name, limits::NAME_BYTES);
    }
    shorten(&mut entry.raw_text, limits::ENTRY_BYTES);
    if let Some(summary) = &mut entry.summary {
        shorten(summary, limits::MESSAGE_BYTES);
    }
    entry.keywords.truncate(limits::FRAGMENTS);
    entry.attachments.truncate(limits::FRAGMENTS);
    let mut metadata = Value::Object(std::mem::take(&mut entry.metadata));
    cut_json(&mut metadata, limits::EXPLANATION_BYTES);
    if let Value::Object(metadata) = metadata {
        entry.metadata = metadata;
    }
}

fn shrink_highlight(highlight: &mut Highlight) {
    let end = highlight.text.len().min(limits::FRAGMENT_BYTES);
    shorten(&mut highlight.text, limits::FRAGMENT_BYTES);
    highlight.ranges.truncate(limits::FRAGMENTS);
    if let Some(source) = &mut highlight.source {
        shorten(source, limits::NAME_BYTES);
    }
    let text = &highlight.text;
    highlight
        .ranges
        .retain(|&(from, until)| until <= end && text.get(from..until).is_some());
}

/// Cuts what an answer holds besides its hits.
pub(crate) fn shrink_answer(answer: &mut Answer) {
    shrink_highlights(answer);
    if let Some(text) = &mut answer.answer {
        shorten(text, limits::ANSWER_BYTES);
    }
    shorten(&mut answer.reasoning, limits::ANSWER_BYTES);
    let is_id = |id: &String| (1..=limits::ID_BYTES).contains(&id.len());
    for ids in [&mut answer.citations, &mut answer.sources] {
        ids.retain(is_id);
        ids.truncate(limits::CITATIONS);
    }
    answer.search_modes_used.truncate(limits::MODULES);
    for module in &mut answer.search_modes_used {
        shorten(module, limits::NAME_BYTES);
    }
    let mut extensions = Value::Object(std::mem::take(&mut answer.extensions));
    cut_json(&mut extensions, limits::DETAILS_BYTES);
    answer.extensions = match extensions {
        Value::Object(extensions) => extensions,
        notice => Map::from_iter([("left_out".to_owned(), notice)]),
    };
    let values = [&mut answer.plan, &mut answer.pipeline_details];
    let values = values.into_iter().flatten();
    for value in values.chain(answer.extensions.values_mut()) {
        cut_json(value, limits::DETAILS_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use gannet_api::ScoreKind;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_cut_says_how_long_it_was_and_no_character_is_split() {
        let mut text = "é".repeat(10);
        shorten(&mut text, 20);
        assert_eq!(text, "é".repeat(10));
        shorten(&mut text, 5);
        assert_eq!(text, "éé… (cut, 4 of 20 bytes shown)");
    }

    #[test]
    fn a_value_that_is_too_long_as_json_is_left_out() {
        let mut value = json!({"a": [1, 2, 3]});
        cut_json(&mut value, 13);
        assert_eq!(value, json!({"a": [1, 2, 3]}));
        cut_json(&mut value, 12);
        assert_eq!(value, json!("(left out: more than 12 bytes)"));
    }

    #[test]
    fn of_too_many_diagnostics_those_that_matter_stay() {
        let notes = (0..1_000_000).map(|number| match number {
            999_999 => Diagnostic::error("x", "failed"),
            _ => Diagnostic::info("x", "noted"),
        });
        let kept = bounded_diagnostics(notes.collect());
        assert_eq!(kept.len(), limits::DIAGNOSTICS + 1);
        assert_eq!(kept[0].message, "failed");
        let last = kept.last().map(|one| one.message.as_str());
        assert_eq!(
            last,
            Some("999800 more diagnostics were left out; 200 are kept")
        );
    }

    #[test]
    fn places_outside_of_a_highlight_are_dropped() {
        let mut hit = Hit::new("a", "logbook", 1.0, ScoreKind::Bm25);
        let ranges = vec![(0, 2), (1, 3), (3, 2), (2, 9)];
        let text = "éab".to_owned();
        hit.highlights = vec![Highlight::new(text, ranges)];
        shrink_hit(&mut hit);
        assert_eq!(hit.highlights[0].ranges, [(0, 2)]);
    }
}
