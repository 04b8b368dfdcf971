//! Citations of an answer: of what the pipeline was given, and nothing else.

use std::collections::BTreeSet;

use gannet_api::{Answer, AnswerStatus, Diagnostic};
use gannet_store::{Store, StoreError};

use super::hits::{SOURCE, Verdict, Verdicts};
use super::rewritten::RewrittenText;
use super::scope::CallScope;
use crate::quarantine::PluginName;

/// Bytes after which an opened bracket is no mark of a citation.
const MARK_BYTES: usize = 1200;

/// Drops citations and sources that no service of the host gave in this call,
/// or that fail the call's filter, and takes their marks (`[#ID]`) out of the
/// answer. What is left is not grounded then, and has no confidence: a
/// statement lost its support. Highlights stay at their words.
///
/// # Errors
/// [`StoreError`] when entries cannot be read.
pub(crate) async fn check_citations(
    answer: &mut Answer,
    plugin: PluginName<'_>,
    (store, tenant): (&Store, &str),
    scope: &CallScope,
) -> Result<Option<Diagnostic>, StoreError> {
    let text = answer.answer.take();
    let marks = text
        .as_deref()
        .map_or_else(Vec::new, |text| marks(text, scope));
    let marked = marks.iter().flat_map(|mark| &mark.ids);
    let named = answer.citations.iter().chain(&answer.sources).chain(marked);
    let known = known(named, (store, tenant), scope).await?;

    let mut foreign: BTreeSet<String> = BTreeSet::new();
    let mut keep = |id: &String| {
        let is_known = known.contains(id);
        if !is_known {
            foreign.insert(id.clone());
        }
        is_known
    };
    let cited = answer.citations.len();
    answer.citations.retain(&mut keep);
    let has_lost =
        answer.citations.len() < cited || !marks.iter().all(|mark| mark.ids.iter().all(&mut keep));
    answer.sources.retain(&mut keep);
    if let Some(text) = text {
        let rewritten = without_foreign(&text, &marks, &mut keep);
        let highlights = std::mem::take(&mut answer.answer_highlights);
        let moved = highlights.iter().filter_map(|range| rewritten.moved(range));
        answer.answer_highlights = moved.collect();
        answer.answer = Some(rewritten.into_text());
    }

    let is_unsupported = has_lost || (answer.citations.is_empty() && !says_none(answer, scope));
    if is_unsupported && answer.answer_status == Some(AnswerStatus::Grounded) {
        answer.answer_status = Some(AnswerStatus::Uncited);
        answer.answer_confidence = None;
    }
    if has_lost {
        answer.answer_confidence = None;
    }
    if foreign.is_empty() {
        return Ok(None);
    }
    scope.request().degrade();
    let entries = match foreign.len() {
        1 => "1 entry that it was not given".to_owned(),
        number => format!("{number} entries that it was not given"),
    };
    let message = format!("{plugin} cites or uses {entries}; the citations were removed");
    Ok(Some(
        Diagnostic::warning(SOURCE, message).category("citation"),
    ))
}

/// Whether an answer says that a set is empty, and the host counted an empty one
/// for it: there is no entry to cite.
fn says_none(answer: &Answer, scope: &CallScope) -> bool {
    let details = answer.pipeline_details.as_ref();
    let count = details.and_then(|details| details.pointer("/set/count"));
    count.and_then(serde_json::Value::as_u64) == Some(0) && scope.request().has_counted_none()
}

/// Those of the entries that were given and pass the filter.
async fn known<'a>(
    named: impl Iterator<Item = &'a String>,
    (store, tenant): (&Store, &str),
    scope: &CallScope,
) -> Result<BTreeSet<String>, StoreError> {
    let given: BTreeSet<&str> = named
        .map(String::as_str)
        .filter(|id| scope.check_of(id).is_some())
        .collect();
    let verdicts = Verdicts::on(given.iter().copied(), store, tenant, scope).await?;
    let passing = given.into_iter();
    let passing = passing.filter(|id| verdicts.of(id) == Verdict::Passes);
    Ok(passing.map(str::to_owned).collect())
}

/// A mark in an answer.
struct Mark {
    start: usize,
    end: usize,
    ids: Vec<String>,
}

/// The marks of a text, in order: `[#ID]`, `[#ID, #ID]`. An id can hold any
/// character: of the brackets that may end a mark, the last that makes it one
/// of a given entry does.
fn marks(text: &str, scope: &CallScope) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("[#").map(|at| from + at) {
        match mark_at(text, start, scope) {
            Some(mark) => {
                from = mark.end;
                marks.push(mark);
            }
            None => from = start + 2,
        }
    }
    marks
}

fn mark_at(text: &str, start: usize, scope: &CallScope) -> Option<Mark> {
    let inside = &text[start + 2..];
    let inside = &inside[..inside.floor_char_boundary(MARK_BYTES)];
    let inside = inside.split('\n').next().unwrap_or_default();
    let ends = inside.match_indices(']').map(|(at, _)| at);
    let is_given = |end: &usize| scope.check_of(&inside[..*end]).is_some();
    if let Some(end) = ends.rev().find(is_given) {
        return Some(Mark {
            start,
            end: start + end + 3,
            ids: vec![inside[..end].to_owned()],
        });
    }
    let end = inside.find(']')?;
    let parts = inside[..end].split([',', ';']).map(str::trim);
    let ids = parts.map(|part| part.strip_prefix('#').unwrap_or(part).to_owned());
    Some(Mark {
        start,
        end: start + end + 3,
        ids: ids.collect(),
    })
}

/// The text with marks of entries to keep; those of others are taken out,
/// with the spaces before them.
fn without_foreign<'t>(
    text: &'t str,
    marks: &[Mark],
    keep: &mut impl FnMut(&String) -> bool,
) -> RewrittenText<'t> {
    let mut kept = RewrittenText::of(text);
    let mut from = 0;
    for mark in marks {
        kept.copy(from..mark.start);
        from = mark.end;
        let ids: Vec<&String> = mark.ids.iter().filter(|id| keep(id)).collect();
        if ids.len() == mark.ids.len() {
            kept.copy(mark.start..mark.end);
            continue;
        }
        if ids.is_empty() {
            kept.trim_end();
        }
        for id in ids {
            kept.insert(&format!("[#{id}]"));
        }
    }
    kept.copy(from..text.len());
    kept
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gannet_api::{Filter, Hit, ScoreKind};

    use super::*;

    fn checked(text: &str, given: &[&str]) -> String {
        let scope = CallScope::new(Arc::default(), Filter::none());
        let hit = |id: &&str| Hit::new(*id, "logbook", 1.0, ScoreKind::Bm25);
        let hits: Vec<Hit> = given.iter().map(hit).collect();
        scope.note_hits(&hits, &Filter::none());
        let marks = marks(text, &scope);
        without_foreign(text, &marks, &mut |id| given.contains(&id.as_str())).into_text()
    }

    #[test]
    fn marks_of_what_was_given_stay_and_others_go_with_the_space_before_them() {
        let text = "Tripped [#A-1], reset [#B-2]. Then [#A-1, #B-2; #C-3] again [#A-1].";
        assert_eq!(
            checked(text, &["A-1", "C-3"]),
            "Tripped [#A-1], reset. Then [#A-1][#C-3] again [#A-1]."
        );
    }

    #[test]
    fn an_id_may_hold_brackets_and_commas() {
        let text = "One [#a]b], two [#x, y], three [#a].";
        assert_eq!(
            checked(text, &["a]b", "x, y"]),
            "One [#a]b], two [#x, y], three."
        );
    }

    #[test]
    fn what_is_no_mark_stays() {
        for text in ["valve [open]", "[#", "[#a\nb]", "[2]", "[#é"] {
            assert_eq!(checked(text, &[]), text);
        }
    }
}
