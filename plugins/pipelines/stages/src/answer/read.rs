//! Asks the reader.

use std::sync::Arc;

use gannet_plugin::prelude::{Context, Diagnostic, Error, Result};
use gannet_plugin::provider::{ReadPassage, ReadRequest, Reading};

use super::{AnswerInput, QUOTED_CHARS_AT_MOST};

/// Entries that a reader is given, at most.
pub const ENTRIES_READ: usize = 3;
/// The name of the reader that is asked where none is named.
const BUILTIN_READER: &str = "builtin";

/// What the reader makes of the first entries, or the built-in one where that
/// which is named fails. A diagnostic says what failed.
///
/// # Errors
/// What the reader that is named fails with.
pub(super) async fn read(input: &AnswerInput<'_>, context: &Context) -> Result<Reading> {
    let error = match context.read(request(input, input.reader)).await {
        Ok(reading) => return Ok(reading),
        Err(error) => error,
    };
    let warn = |message: String, error: &Error| {
        let note = Diagnostic::warning("answer", message);
        context.diagnose(note.category(error.category()));
    };
    if let Some(name) = input.reader.filter(|name| *name != BUILTIN_READER)
        && let Ok(reading) = context.read(request(input, None)).await
    {
        let message = format!("the built-in reader was asked in place of `{name}`: {error}");
        warn(message, &error);
        return Ok(reading);
    }
    warn(format!("no sentences were chosen: {error}"), &error);
    Err(error)
}

fn request(input: &AnswerInput<'_>, reader: Option<&str>) -> ReadRequest {
    let entries = input.entries.iter().take(ENTRIES_READ).enumerate();
    let passages = entries.map(|(place, entry)| {
        let score = input.scores.get(place).copied().unwrap_or_default();
        ReadPassage::new(entry.clone(), score)
    });
    ReadRequest::new(&input.plan.text, passages.collect(), QUOTED_CHARS_AT_MOST)
        .with_plan(Arc::new(input.plan.clone()))
        .with_provider(reader.map(str::to_owned))
}
