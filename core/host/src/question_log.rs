//! Keeps questions and answers, where the configuration asks for it: one line
//! of JSON each, without what reads like a secret.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gannet_api::Diagnostic;
use jiff::Timestamp;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::result::{SearchHit, SearchResult};

/// The version of a line's form.
const SCHEMA_VERSION: u32 = 1;
/// Stands where something was taken out.
const REDACTED: &str = "[REDACTED]";

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
        let line = redacted(line(result));
        if let Err(error) = append(&self.0, &line) {
            let message = format!("{} cannot be written: {error}", self.0.display());
            let note = Diagnostic::warning("service.question_log", message);
            result.diagnostics.push(note.category("log"));
        }
    }
}

/// One write a line, so that lines of several processes do not mix.
fn append(path: &Path, line: &Value) -> std::io::Result<()> {
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
        "citations": result.citations,
        "source_count": result.entries.len(),
        "sources": result.entries.iter().map(source).collect::<Vec<_>>(),
        "degraded": result.degraded,
        "took_ms": result.took_ms,
    })
}

/// The value with secrets taken out: whatever stands under a key that names
/// one, and what reads like one in any text. Ids are kept, however long.
fn redacted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, member)| {
                let member = match names_a_secret(&key) {
                    true => Value::from(REDACTED),
                    false => redacted(member),
                };
                (key, member)
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(members) => members.into_iter().map(redacted).collect(),
        Value::String(text) => Value::String(SECRETS.replace_all(&text, REDACTED).into_owned()),
        other => other,
    }
}

fn names_a_secret(key: &str) -> bool {
    const NAMES: [&str; 6] = [
        "api_key",
        "apikey",
        "authorization",
        "password",
        "secret",
        "token",
    ];
    let key = key.to_lowercase().replace('-', "_");
    NAMES.iter().any(|name| key.contains(name))
}

/// Keys of model servers and code hosts, bearer tokens, JSON web tokens,
/// passwords in addresses and after their name, private keys.
#[allow(clippy::expect_used, reason = "a constant, compiled by the tests")]
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"\b(?:sk|pk|rk)-[A-Za-z0-9_\-]{16,}",
        r"\b(?:ghp|gho|ghs|ghu|glpat|xox[abp])[_\-][A-Za-z0-9_\-]{16,}",
        r"\bAKIA[0-9A-Z]{16}\b",
        r"(?i:\bbearer)\s+[A-Za-z0-9._~+/\-]+=*",
        r"\beyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+",
        r"(?i:\b(?:password|passwd|pwd|api[_\-]?key|secret|token))\s*[:=]\s*\S+",
        r"://[^\s/:@]+:[^\s/@]+@",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    ];
    Regex::new(&forms.join("|")).expect("a sound expression")
});

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_reads_like_a_secret_is_taken_out() {
        for text in [
            "sk-aaaaaaaaaaaaaaaaaaaa",
            "Bearer abc.def",
            "password: hunter2",
            "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl",
        ] {
            assert_eq!(redacted(json!({ "q": text })), json!({ "q": REDACTED }));
        }
        let address = redacted(json!("see postgres://ops:geheim@db/log"));
        assert_eq!(address, json!("see postgres[REDACTED]db/log"));
        assert_eq!(
            redacted(json!({ "api_key": "abc" })),
            json!({ "api_key": REDACTED })
        );
    }

    #[test]
    fn ids_and_ordinary_words_are_kept() {
        let kept = json!({
            "question": "who bears the task-force token ring logbook?",
            "sources": [{ "entry_id": "research_6_research_hypothesis_h001_long" }],
        });
        assert_eq!(redacted(kept.clone()), kept);
    }
}
