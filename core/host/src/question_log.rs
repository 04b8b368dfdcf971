//! Keeps questions and answers, where the configuration asks for it: one line
//! of JSON each, without what reads like a secret.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use gannet_api::Diagnostic;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::result::{SearchHit, SearchResult};
use crate::secrets::redacted;

/// The version of a line's form.
const SCHEMA_VERSION: u32 = 1;

/// Where questions and answers are kept.
#[derive(Debug, Clone)]
pub(crate) struct QuestionLog(PathBuf);

impl QuestionLog {
    /// A log in this file, which is made when it is missing.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Adds an answer. That it cannot be written is a note in the result and
    /// never an error: the answer is there.
    pub(crate) fn add(&self, result: &mut SearchResult) {
        let mut redacted = redacted(line(result));
        if redacted["answer"].as_str() != result.answer.as_deref() {
            // They are places in the text as it was.
            redacted["answer_highlights"] = json!([]);
        }
        if let Err(error) = append(&self.0, &redacted) {
            let message = format!("{} cannot be written: {error}", self.0.display());
            let note = Diagnostic::warning("service.question_log", message);
            result.diagnostics.push(note.category("log"));
        }
    }
}

/// One write a line, so that lines of several processes do not mix. Only into
/// a file: a pipe that nobody reads would hold the answer for ever.
fn append(path: &Path, line: &Value) -> std::io::Result<()> {
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)?
        .write_all(format!("{line}\n").as_bytes())
}

/// Sources by what they are, without their texts.
fn line(result: &SearchResult) -> Value {
    let source = |hit: &SearchHit| {
        json!({
            "entry_id": hit.entry.entry_id,
            "source_system": hit.entry.source_system,
            "timestamp": hit.entry.timestamp,
            "rank": hit.rank,
            "score": hit.score,
            "score_kind": hit.score_kind,
        })
    };
    json!({
        "schema_version": SCHEMA_VERSION,
        "logged_at": Timestamp::now(),
        "question": result.query,
        "mode": result.mode,
        "answer": result.answer,
        "answer_status": result.answer_status,
        "answer_confidence": result.answer_confidence,
        "answer_highlights": result.answer_highlights,
        "citations": result.citations,
        "source_count": result.entries.len(),
        "sources": result.entries.iter().map(source).collect::<Vec<_>>(),
        "degraded": result.degraded,
        "took_ms": result.took_ms,
    })
}
