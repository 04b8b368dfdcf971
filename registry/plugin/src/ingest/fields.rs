//! Ids and texts of a record, and records that are JSON objects.

use serde_json::{Map, Value};

use crate::{Entry, Record, RejectedRecord};

/// A value of a record, or the reason why the record cannot be used, for a
/// person.
pub type Read<T> = std::result::Result<T, String>;

/// Reads an id: a text that is not blank, or an integer. `key` is what
/// the source calls it, for the reason.
///
/// A fraction or a number of more than 64 bits is refused: it would be written
/// in another way than it came, and two ids could become one.
///
/// # Errors
/// A reason, for a person.
///
/// ```
/// use gannet_plugin::ingest::read_id;
/// use serde_json::json;
///
/// assert_eq!(read_id("id", Some(&json!(7))), Ok("7".to_owned()));
/// assert_eq!(read_id("id", None), Err("no `id`".to_owned()));
/// ```
pub fn read_id(key: &str, value: Option<&Value>) -> Read<String> {
    match value {
        Some(Value::String(id)) if id.contains(char::is_control) => {
            Err(format!("`{key}` {id:?} contains a control character"))
        }
        Some(Value::String(id)) if !id.trim().is_empty() => Ok(id.clone()),
        Some(Value::Number(id)) if id.is_i64() || id.is_u64() => Ok(id.to_string()),
        None | Some(Value::Null | Value::String(_)) => Err(format!("no `{key}`")),
        Some(other) => Err(format!(
            "`{key}` {other} is neither a string nor an integer"
        )),
    }
}

/// The text of an entry: the title, a blank line and the text, or the one of
/// them that is there.
///
/// ```
/// use gannet_plugin::ingest::join_title;
///
/// assert_eq!(join_title("RF trip", "Reset."), "RF trip\n\nReset.");
/// assert_eq!(join_title("", "Reset."), "Reset.");
/// ```
pub fn join_title(title: &str, text: &str) -> String {
    if title.is_empty() || text.is_empty() {
        return format!("{title}{text}");
    }
    format!("{title}\n\n{text}")
}

/// A key's value, where it is there and not null.
pub fn present<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|value| !value.is_null())
}

/// A key's text; empty where it is missing or null.
///
/// # Errors
/// A reason, where it is another kind of value.
pub fn read_string<'a>(fields: &'a Map<String, Value>, key: &str) -> Read<&'a str> {
    match present(fields, key) {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{key}` {other} is not a string")),
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
    let read = || {
        let fields = match serde_json::from_str(raw) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err("not a JSON object".to_owned()),
            Err(error) => return Err(format!("not valid JSON: {error}")),
        };
        let key = id_keys.iter().find(|key| present(&fields, key).is_some());
        let key = key.or(id_keys.first()).copied().unwrap_or("id");
        let id = read_id(key, fields.get(key))?;
        entry_id = Some(id.clone());
        let entry = convert(id, &fields)?;
        match entry.raw_text.is_empty() && entry.attachments.is_empty() {
            true => Err("no text and no attachment".to_owned()),
            false => Ok(entry),
        }
    };
    match read() {
        Ok(entry) => Record::Entry(Box::new(entry)),
        Err(reason) => Record::Rejected(RejectedRecord {
            position,
            entry_id,
            reason,
            raw: raw.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn texts_and_whole_numbers_are_ids_as_they_came() {
        for (value, id) in [
            (json!("E 1"), "E 1"),
            (json!("07"), "07"),
            (json!(7), "7"),
            (json!(-7), "-7"),
            (json!(u64::MAX), "18446744073709551615"),
        ] {
            assert_eq!(read_id("id", Some(&value)).unwrap(), id);
        }
    }

    #[test]
    fn nothing_null_and_a_blank_text_are_no_id() {
        for value in [None, Some(json!(null)), Some(json!("")), Some(json!(" "))] {
            assert_eq!(read_id("uid", value.as_ref()).unwrap_err(), "no `uid`");
        }
    }

    #[test]
    fn what_could_make_two_ids_one_is_refused() {
        let long: Value = serde_json::from_str("123456789012345678901").unwrap();
        for value in [json!(1.5), long, json!(true), json!(["a"])] {
            let reason = read_id("id", Some(&value)).unwrap_err();
            assert!(reason.ends_with("neither a string nor an integer"));
        }
    }

    #[test]
    fn a_json_object_is_an_entry_or_is_rejected_with_its_id() {
        let convert = |id: String, fields: &Map<String, Value>| {
            let text = read_string(fields, "text")?;
            Ok(Entry::new(id, "log", Default::default(), text))
        };
        let read = |raw| json_record("entry 1".to_owned(), raw, &["number", "id"], convert);
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
