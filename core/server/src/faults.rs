//! Faults of a body or a query string, in words that name the field.

use gannet_core::registry::nearest;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Reads a JSON object.
///
/// # Errors
/// 422 with the field that is wrong, and with the nearest name for one that
/// there is not. A list is refused: serde would take its members for fields.
pub(crate) fn read_object<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    if let Some(other) = body.trim_ascii_start().first()
        && *other != b'{'
    {
        let detail = format!("body: must be a JSON object, found {}", sort_of(*other));
        return Err(Problem::invalid(detail));
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut json);
    let value = read.map_err(|error| {
        let place = error.path().to_string();
        let fault = with_nearest(&error.into_inner().to_string());
        of_field(&place, &fault)
    })?;
    json.end()
        .map_err(|error| Problem::invalid(format!("body: {error}")))?;
    Ok(value)
}

/// A fault of a query string, with the field that it is of.
pub(crate) fn of_query(fault: &str) -> Problem {
    match fault.split_once(": ") {
        Some((field, fault)) if !field.contains(' ') => of_field(field, fault),
        _ => of_field("?", fault),
    }
}

/// What a value of JSON is, by its first byte.
fn sort_of(first: u8) -> &'static str {
    match first {
        b'[' => "an array",
        b'"' => "a string",
        b't' | b'f' => "a boolean",
        b'n' => "null",
        b'-' | b'0'..=b'9' => "a number",
        _ => "something else",
    }
}

/// A fault with the field that it is of: the one at this place, or the one
/// that is missing there.
fn of_field(place: &str, fault: &str) -> Problem {
    // Of what is broken as JSON the place is `?`, of the whole body `.`.
    let parent = (!matches!(place, "." | "?")).then_some(place);
    let named = quoted_behind("missing field ", fault);
    let named = named.or_else(|| quoted_behind("unknown field ", fault));
    let is_there = |name: &str| parent.is_some_and(|parent| parent.ends_with(name));
    let field = match (parent, named) {
        (Some(parent), Some(name)) if !is_there(name) => Some(format!("{parent}.{name}")),
        (Some(parent), _) => Some(parent.to_owned()),
        (None, Some(name)) => Some(name.to_owned()),
        (None, None) => None,
    };
    match field {
        Some(field) => Problem::invalid(format!("{field}: {fault}")).param(field),
        None => Problem::invalid(format!("body: {fault}")),
    }
}

/// A fault of serde with the nearest name in the place of all of them, where
/// it is of a field that there is not.
pub(crate) fn with_nearest(fault: &str) -> String {
    let Some((before, expected)) = fault.split_once(", expected ") else {
        return fault.to_owned();
    };
    let Some(name) = quoted_behind("unknown field ", before) else {
        return fault.to_owned();
    };
    let known = expected.split('`').skip(1).step_by(2);
    match nearest(name, known) {
        Some(near) => format!("{before}; did you mean `{near}`?"),
        None => fault.to_owned(),
    }
}

fn quoted_behind<'t>(words: &str, text: &'t str) -> Option<&'t str> {
    let (_, rest) = text.split_once(words)?;
    rest.strip_prefix('`')?.split('`').next()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Body {
        model: String,
        #[serde(default)]
        turns: Vec<Turn>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Turn {
        role: String,
    }

    #[test]
    fn a_fault_names_its_field() {
        for (body, param, part) in [
            (r#"{"model": 5}"#, Some("model"), "model: invalid type"),
            ("{}", Some("model"), "model: missing field `model`"),
            (
                r#"{"model": "a", "turns": [{"role": "b"}, {}]}"#,
                Some("turns[1].role"),
                "turns[1].role: missing field `role`",
            ),
            (
                r#"{"model": "a", "turn": []}"#,
                Some("turn"),
                "turn: unknown field `turn`; did you mean `turns`?",
            ),
            (
                r#"{"model": "a", "zzzzzzzz": 1}"#,
                Some("zzzzzzzz"),
                "expected `model` or `turns`",
            ),
            ("[]", None, "body: must be a JSON object, found an array"),
            (" 5", None, "body: must be a JSON object, found a number"),
            ("{\"model\":", Some("model"), "EOF"),
            ("{\"model\": \"a\"} x", None, "body: trailing characters"),
            ("", None, "body: EOF"),
        ] {
            let problem = read_object::<Body>(body.as_bytes()).unwrap_err();
            assert_eq!(problem.status, 422, "{body}");
            assert_eq!(problem.param.as_deref(), param, "{body}: {problem:?}");
            assert!(problem.detail.contains(part), "{body}: {}", problem.detail);
        }
        assert!(read_object::<Body>(b" {\"model\": \"a\"}\n").is_ok());
    }
}
