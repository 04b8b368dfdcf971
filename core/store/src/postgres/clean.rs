//! What PostgreSQL cannot keep.

use gannet_api::Entry;
use serde_json::{Map, Value};

use super::instant::Instant;
use crate::error::StoreError;

/// What stands for U+0000, which no text in PostgreSQL can hold.
const REPLACEMENT: &str = "\u{fffd}";

/// The entry as it can be kept: U+0000 replaced, and refused in ids, which
/// are opaque.
pub(super) fn clean(mut entry: Entry) -> Result<Entry, StoreError> {
    let refuse = |reason: &str| StoreError::InvalidEntry {
        entry_id: entry.entry_id.clone(),
        reason: reason.to_owned(),
    };
    if holds_nul(&entry.entry_id) || holds_nul(&entry.tenant) {
        return Err(refuse("its id or tenant holds the character U+0000"));
    }
    if !Instant(entry.timestamp.as_microsecond()).fits() {
        return Err(refuse("its timestamp lies before PostgreSQL's calendar"));
    }
    for text in [
        &mut entry.kind,
        &mut entry.source_system,
        &mut entry.author,
        &mut entry.raw_text,
    ] {
        clean_text(text);
    }
    entry.summary.iter_mut().for_each(clean_text);
    entry.keywords.iter_mut().for_each(clean_text);
    for file in &mut entry.attachments {
        for text in [
            &mut file.url,
            &mut file.mime_type,
            &mut file.filename,
            &mut file.thumbnail_url,
            &mut file.caption,
        ] {
            text.iter_mut().for_each(clean_text);
        }
    }
    clean_object(&mut entry.metadata);
    Ok(entry)
}

pub(super) fn clean_text(text: &mut String) {
    if holds_nul(text) {
        *text = text.replace('\0', REPLACEMENT);
    }
}

pub(super) fn clean_object(object: &mut Map<String, Value>) {
    if object.keys().any(|key| holds_nul(key)) {
        let old = std::mem::take(object);
        object.extend(
            old.into_iter()
                .map(|(key, value)| (key.replace('\0', REPLACEMENT), value)),
        );
    }
    object.values_mut().for_each(clean_value);
}

fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => clean_text(text),
        Value::Array(members) => members.iter_mut().for_each(clean_value),
        Value::Object(object) => clean_object(object),
        // `jsonb` knows no negative zero.
        Value::Number(number) if number.as_f64() == Some(0.0) && number.is_f64() => {
            *value = Value::from(0.0);
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

pub(super) fn holds_nul(text: &str) -> bool {
    text.contains('\0')
}
