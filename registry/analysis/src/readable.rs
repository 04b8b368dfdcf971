//! What is read of an entry.

use gannet_api::Entry;

/// The texts of an entry that a search for words looks at, in order. Sources
/// that put the title into the text's first line have it once.
pub fn readable<'a>(entry: &'a Entry, keywords: &'a str) -> impl Iterator<Item = &'a str> {
    let title = entry
        .title()
        .filter(|title| !entry.raw_text.starts_with(title));
    [
        title.unwrap_or_default(),
        &entry.raw_text,
        entry.summary.as_deref().unwrap_or_default(),
        keywords,
        &entry.author,
    ]
    .into_iter()
    .chain(entry.attachment_texts().map(|of| of.text))
    .filter(|text| !text.is_empty())
}
