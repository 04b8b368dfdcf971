//! Asks the reader.

use std::sync::Arc;

use gannet_plugin::prelude::{Context, Diagnostic, Result};
use gannet_plugin::provider::{ReadPassage, ReadRequest, Reading};

use super::{AnswerInput, QUOTED_CHARS_AT_MOST};

/// Entries that a reader is given, at most.
pub const ENTRIES_READ: usize = 3;

/// What the reader makes of the first entries. Where it cannot be asked or
/// fails, a diagnostic says so.
///
/// # Errors
/// What the reader fails with.
pub(super) async fn read(input: &AnswerInput<'_>, context: &Context) -> Result<Reading> {
    let entries = input.entries.iter().take(ENTRIES_READ).enumerate();
    let passages = entries.map(|(place, entry)| {
        let score = input.scores.get(place).copied().unwrap_or_default();
        ReadPassage::new(entry.clone(), score)
    });
    let request = ReadRequest::new(&input.plan.text, passages.collect(), QUOTED_CHARS_AT_MOST)
        .with_plan(Arc::new(input.plan.clone()))
        .with_provider(input.reader.map(str::to_owned));
    context.read(request).await.inspect_err(|error| {
        let message = format!("no sentences were chosen: {error}");
        context.diagnose(Diagnostic::warning("answer", message).category(error.category()));
    })
}
