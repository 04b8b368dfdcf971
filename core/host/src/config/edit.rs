//! An adapter written into the text of a configuration file, whose comments
//! stay as they are.

use serde_json::{Map, Value};

use super::key_path::KeyPath;
use super::yaml::{Document, parse};

/// Why a text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not valid.
    #[error("the configuration file is not valid: {0}")]
    Invalid(String),
    /// It has other values where the new ones belong, or is written in a way
    /// in which lines cannot be added.
    #[error("`{0}` in the configuration file has other values, or is not written line by line")]
    Occupied(String),
}

/// The text with these lines below `ingestion.adapters`, with its own line ends; the first one is the
/// name of the adapter, and the others are indented below it.
///
/// # Errors
/// See [`EditError`]. A text that would say anything else than before and the
/// lines is not given.
pub fn with_adapter(text: &str, lines: &[String]) -> Result<String, EditError> {
    let read = |text: &str| parse(text).map_err(|refusal| EditError::Invalid(refusal.message));
    let old = read(text)?;
    let root = ["ingestion:".to_owned(), "  adapters:".to_owned()];
    let below = lines.iter().map(|line| format!("    {line}"));
    let block: Vec<String> = root.into_iter().chain(below).collect();
    let added = read(&block.join("\n"))?.value;

    let name = lines.first().map_or("", |line| line.trim_end_matches(':'));
    let key = KeyPath::from_dotted("ingestion.adapters").child(name);
    let edited = insert(text, &old, &block);
    let expected = merged(old.value, added).ok_or_else(|| EditError::Occupied(key.to_string()))?;
    match parse(&edited) {
        Ok(new) if new.value == expected => Ok(edited),
        _ => Err(EditError::Occupied(key.to_string())),
    }
}

/// Adds the lines of a block to the deepest key of it that the text has.
fn insert(text: &str, old: &Document, block: &[String]) -> String {
    let end = match text.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push_str(end);
    }
    let (mut path, mut value) = (KeyPath::default(), Some(&old.value));
    let (mut at, mut indent, mut depth) = (lines.len(), 0, 0);
    for line in block {
        // Only a line that is a key alone can have lines below it.
        let Some(key) = line.trim().strip_suffix(':') else {
            break;
        };
        let Some(member) = value.and_then(|value| value.get(key)) else {
            break;
        };
        path = path.child(key);
        let Some(place) = old.places.of_key(&path) else {
            break;
        };
        value = member.as_object().filter(|members| !members.is_empty());
        let first = value.and_then(|members| members.keys().next());
        let child = first.and_then(|first| old.places.of_key(&path.child(first)));
        at = place.line;
        indent = child.map_or(place.column + 1, |child| child.column - 1);
        depth += 1;
    }
    let left = &block[depth..];
    let first = left.first().map_or("", String::as_str);
    let own = first.len() - first.trim_start().len();
    let left = left.iter().map(|line| {
        let line = line.get(own..).unwrap_or_default();
        format!("{}{line}{end}", " ".repeat(indent))
    });
    lines.splice(at..at, left.collect::<Vec<_>>());
    lines.concat()
}

/// Both mappings as one; `None` where they have different values.
fn merged(mut old: Map<String, Value>, new: Map<String, Value>) -> Option<Map<String, Value>> {
    for (key, value) in new {
        let both = match (old.remove(&key), value) {
            (None | Some(Value::Null), value) => value,
            (Some(Value::Object(old)), Value::Object(new)) => merged(old, new)?.into(),
            (Some(old), new) if old == new => new,
            _ => return None,
        };
        old.insert(key, both);
    }
    Some(old)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn lines() -> Vec<String> {
        let lines = "csv:\n  settings:\n    columns:\n      id: \"Nr\" # certain";
        lines.lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_are_added_at_the_deepest_key_and_comments_stay() {
        let block = "    csv:\n      settings:\n        columns:\n          id: \"Nr\" # certain\n";
        let whole = format!("ingestion:\n  adapters:\n{block}");
        for (text, expected) in [
            ("", whole.clone()),
            ("# mine\nstore: {}", format!("# mine\nstore: {{}}\n{whole}")),
            (
                "ingestion: # sources\n  batch_size: 5\n# end\n",
                format!("ingestion: # sources\n  adapters:\n{block}  batch_size: 5\n# end\n"),
            ),
            (
                "ingestion:\n  adapters:\n    # a\n    jsonl: {}\nstore: {}\n",
                format!("ingestion:\n  adapters:\n{block}    # a\n    jsonl: {{}}\nstore: {{}}\n"),
            ),
            (
                "ingestion:\n    adapters:\n        csv:\n            enabled: true\n",
                "ingestion:\n    adapters:\n        csv:\n            settings:\n              columns:\n                id: \"Nr\" # certain\n            enabled: true\n".to_owned(),
            ),
        ] {
            assert_eq!(with_adapter(text, &lines()).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn line_ends_of_windows_stay() {
        let text = "# mine\r\ningestion:\r\n  batch_size: 5\r\nstore: {}";
        let edited = with_adapter(text, &lines()).unwrap();
        let plain = with_adapter(&text.replace("\r\n", "\n"), &lines()).unwrap();
        assert_eq!(edited, plain.replace('\n', "\r\n"));
    }

    #[test]
    fn what_has_other_values_or_is_written_in_one_line_is_refused() {
        for text in [
            "ingestion: {adapters: {}}\n",
            "ingestion:\n  adapters: {csv: {enabled: true}}\n",
            "ingestion:\n  adapters:\n    csv:\n      settings:\n        columns:\n          id: \"No\"\n",
            "ingestion: 5\n",
        ] {
            let refused = with_adapter(text, &lines()).unwrap_err();
            assert_eq!(
                refused,
                EditError::Occupied("ingestion.adapters.csv".into()),
                "{text}"
            );
        }
        assert!(matches!(
            with_adapter("a: [", &lines()),
            Err(EditError::Invalid(_))
        ));
    }
}
