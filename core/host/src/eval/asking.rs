//! Asks questions whose answers are measured, and keeps what was answered.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::{AnswerLine, EvalError, EvalStep};
use crate::{Gannet, SearchInput, SearchResult, Stop};

/// The least number of entries that is answered for: gold entries are looked for
/// among the first 10.
pub(super) const DEPTH: usize = 10;

/// The host, and the mode of it, that is asked.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub gannet: &'a Gannet,
    pub mode: &'a str,
    pub stop: &'a Stop,
}

impl Asking<'_> {
    /// Asks all questions, or those before the stop.
    ///
    /// # Errors
    /// Those of the search.
    pub async fn ask_all<Q>(
        self,
        questions: &[Q],
        text: fn(&Q) -> &str,
        mut add: impl FnMut(&Q, &SearchResult),
        progress: &mut impl FnMut(EvalStep),
    ) -> Result<(), EvalError> {
        for (index, question) in questions.iter().enumerate() {
            if self.stop.is_raised() {
                break;
            }
            let result = self.ask(text(question)).await?;
            add(question, &result);
            progress(EvalStep::Ask {
                mode: self.mode.to_owned(),
                done: index + 1,
                total: questions.len(),
            });
        }
        Ok(())
    }

    async fn ask(self, text: &str) -> Result<SearchResult, EvalError> {
        let mut input = SearchInput::new(text);
        input.mode = Some(self.mode.to_owned());
        input.max_results = Some(self.gannet.default_max_results().max(DEPTH));
        Ok(self.gannet.search(input).await?)
    }
}

impl AnswerLine {
    /// The answer of a result.
    pub(super) fn of(id: &str, result: &SearchResult) -> Self {
        // By its name: statuses that are added later are counted without a change.
        let status = result.answer_status.map(|status| serde_json::json!(status));
        let status = status.as_ref().and_then(Value::as_str);
        let ids = result.entries.iter().map(|hit| hit.entry.entry_id.clone());
        Self {
            id: id.to_owned(),
            answer: result.answer.clone().unwrap_or_default(),
            citations: result.citations.clone(),
            status: status.unwrap_or_default().to_owned(),
            confidence: result.answer_confidence,
            top_ids: ids.collect(),
        }
    }
}

/// Writes answers as JSON Lines: `id`, `answer`, `citations`, `status`,
/// `confidence` and `top_ids`.
///
/// # Errors
/// The file cannot be written.
pub fn write_answers(answers: &[AnswerLine], path: &Path) -> Result<(), EvalError> {
    let mut lines = Vec::new();
    let written = answers.iter().try_for_each(|answer| {
        serde_json::to_writer(&mut lines, answer)?;
        writeln!(lines)
    });
    let saved = written.and_then(|()| std::fs::write(path, lines));
    saved.map_err(|source| EvalError::File {
        path: path.to_owned(),
        source,
    })
}
