//! Ids and texts of a record.

use serde_json::Value;

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
}
