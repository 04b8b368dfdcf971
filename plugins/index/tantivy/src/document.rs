//! An entry as a document of the text index.

use gannet_api::{Entry, FilterField, scalar_text};
use serde_json::Value;
use tantivy::TantivyDocument;

use super::schema::{Fields, metadata_term};
use gannet_analysis::readable;
use gannet_index::{EntryRow, folded_value};

/// Keys that read several metadata keys, see [`FilterField::metadata_keys`].
const ALIASES: [&str; 2] = ["logbook", "tags"];

/// The document of an entry.
pub(super) fn document_of(row: &EntryRow, fields: &Fields) -> TantivyDocument {
    let entry = &row.entry;
    let mut document = TantivyDocument::new();
    document.add_u64(fields.doc, row.doc.unsigned_abs());
    document.add_i64(fields.timestamp, entry.timestamp.as_microsecond());
    document.add_text(fields.tenant, &entry.tenant);
    document.add_text(fields.id, &entry.entry_id);
    document.add_text(fields.kind, &entry.kind);
    document.add_text(fields.kind_folded, folded_value(&entry.kind));
    document.add_text(fields.source, folded_value(&entry.source_system));
    document.add_text(fields.author_folded, folded_value(&entry.author));
    add_readable(&mut document, entry, fields);
    add_metadata(&mut document, entry, fields);
    document
}

fn add_readable(document: &mut TantivyDocument, entry: &Entry, fields: &Fields) {
    let keywords = entry.keywords.join("\n");
    for text in readable(entry, &keywords) {
        document.add_text(fields.text, text);
        document.add_text(fields.words, text);
    }
    let title = entry.title().unwrap_or_default();
    for (field, text) in [
        (fields.title, title),
        (fields.keywords, keywords.as_str()),
        (fields.author, entry.author.as_str()),
    ] {
        if !text.is_empty() {
            document.add_text(field, text);
        }
    }
}

fn add_metadata(document: &mut TantivyDocument, entry: &Entry, fields: &Fields) {
    let own = entry
        .metadata
        .keys()
        .map(String::as_str)
        .filter(|key| !ALIASES.contains(key));
    for key in ALIASES.into_iter().chain(own) {
        let value = FilterField::Metadata(key.to_owned())
            .metadata_keys()
            .into_iter()
            .find_map(|key| entry.metadata.get(key));
        if let Some(value) = value {
            add_value(document, key, value, fields);
        }
    }
}

fn add_value(document: &mut TantivyDocument, key: &str, value: &Value, fields: &Fields) {
    match value {
        Value::Array(members) => {
            for member in members {
                add_value(document, key, member, fields);
            }
        }
        Value::Null | Value::Object(_) => {}
        scalar => {
            let folded = folded_value(&scalar_text(scalar));
            document.add_text(fields.metadata, metadata_term(key, &folded));
        }
    }
}
