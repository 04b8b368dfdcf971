//! Records that are JSON objects.

use gannet_plugin::ingest::{Read, RejectedRecord, read_id};
use gannet_plugin::prelude::{Entry, Record};
use serde_json::{Map, Value};

use crate::json_fields::present;
use crate::long_numbers::long_numbers_as_text;

/// The fields of a record. A number that would lose digits, such as an integer
/// beyond 64 bits, becomes a string of them.
///
/// # Errors
/// A reason, where it is not a JSON object.
pub fn json_object(raw: &str) -> Read<Map<String, Value>> {
    match serde_json::from_str(&long_numbers_as_text(raw)) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(format!("not valid JSON: {error}")),
    }
}

/// The record of what was read at a position: the entry, or a rejected record
/// with the reason, the text as it came, and the id where it is known.
pub fn entry_or_rejected(
    position: String,
    raw: &str,
    entry_id: Option<String>,
    read: Read<Entry>,
) -> Record {
    match read {
        Ok(entry) => Record::Entry(Box::new(entry)),
        Err(reason) => {
            Record::Rejected(RejectedRecord::new(position, reason, raw).with_entry_id(entry_id))
        }
    }
}

/// The record of a JSON object. `id_keys` are the keys that its id may stand
/// under, which a rejected record shows too.
pub fn json_record(
    position: String,
    raw: &str,
    id_keys: &[&str],
    convert: impl FnOnce(String, &Map<String, Value>) -> Read<Entry>,
) -> Record {
    let mut entry_id = None;
    let read = json_object(raw).and_then(|fields| {
        let key = id_keys.iter().find(|key| present(&fields, key).is_some());
        let key = key.or(id_keys.first()).copied().unwrap_or("id");
        let id = read_id(key, fields.get(key))?;
        entry_id = Some(id.clone());
        let entry = convert(id, &fields)?;
        match entry.raw_text.is_empty() && entry.attachments.is_empty() {
            true => Err("no text and no attachment".to_owned()),
            false => Ok(entry),
        }
    });
    entry_or_rejected(position, raw, entry_id, read)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use crate::json_fields::read_string;

    use super::*;

    #[test]
    fn a_json_object_is_an_entry_or_is_rejected_with_its_id() {
        let convert = |id: String, fields: &Map<String, Value>| {
            let text = read_string(fields, "text")?;
            Ok(Entry::new(id, "log", Default::default(), text))
        };
        let read = |raw: &str| json_record("entry 1".to_owned(), raw, &["number", "id"], convert);
        let reason = |raw| match read(raw) {
            Record::Rejected(rejected) => (rejected.entry_id.unwrap_or_default(), rejected.reason),
            other => panic!("{other:?}"),
        };

        for raw in [
            r#"{"number": 7, "text": "x"}"#,
            r#"{"number": null, "id": "7", "text": "x"}"#,
        ] {
            assert!(
                matches!(read(raw), Record::Entry(entry) if entry.entry_id == "7"),
                "{raw}"
            );
        }
        let long = "123456789012345678901234567890";
        let record = read(&format!(r#"{{"number": {long}, "text": "x"}}"#));
        assert!(matches!(record, Record::Entry(entry) if entry.entry_id == long));
        assert_eq!(reason("[]").1, "not a JSON object");
        assert!(reason("{").1.starts_with("not valid JSON"));
        assert_eq!(reason("{}").1, "no `number`");
        assert_eq!(
            reason(r#"{"id": 7}"#),
            ("7".into(), "no text and no attachment".into())
        );
        assert_eq!(
            reason(r#"{"id": 7, "text": 1}"#),
            ("7".into(), "`text` 1 is not a string".into())
        );
    }
}
