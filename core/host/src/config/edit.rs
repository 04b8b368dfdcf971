//! An adapter or a number written into the text of a configuration file, whose
//! comments stay as they are.

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
    let old = read(text)?;
    let root = ["ingestion:".to_owned(), "  adapters:".to_owned()];
    let below = lines.iter().map(|line| format!("    {line}"));
    let block: Vec<String> = root.into_iter().chain(below).collect();
    let added = read(&block.join("\n"))?.value;

    let name = lines.first().map_or("", |line| line.trim_end_matches(':'));
    let key = KeyPath::from_dotted("ingestion.adapters").child(name);
    let edited = insert(text, &old, &block);
    let expected = merged(old.value, added).ok_or_else(|| EditError::Occupied(key.to_string()))?;
    checked(edited, &expected, &key)
}

/// The text with a number at a dotted key, in the place of a number that is there.
///
/// # Errors
/// As [`with_adapter`].
pub fn with_number(text: &str, key: &str, number: f64) -> Result<String, EditError> {
    let old = read(text)?;
    let path = KeyPath::from_dotted(key);
    let occupied = || EditError::Occupied(key.to_owned());
    let edited = match value_at(&old.value, &path) {
        Some(Value::Number(_)) => replaced(text, &old, &path, number).ok_or_else(occupied)?,
        Some(_) => return Err(occupied()),
        None => insert(text, &old, &block_of(&path, number)),
    };
    let mut expected = old.value;
    set(&mut expected, &path.0, number).ok_or_else(occupied)?;
    checked(edited, &expected, &path)
}

fn read(text: &str) -> Result<Document, EditError> {
    parse(text).map_err(|refusal| EditError::Invalid(refusal.message))
}

/// The text where it says what is expected.
fn checked(
    edited: String,
    expected: &Map<String, Value>,
    key: &KeyPath,
) -> Result<String, EditError> {
    match parse(&edited) {
        Ok(new) if new.value == *expected => Ok(edited),
        _ => Err(EditError::Occupied(key.to_string())),
    }
}

fn value_at<'v>(root: &'v Map<String, Value>, path: &KeyPath) -> Option<&'v Value> {
    let (first, rest) = path.0.split_first()?;
    let first = root.get(first);
    rest.iter().fold(first, |value, key| value?.get(key))
}

/// Sets a number below mappings; `None` where a value on the way is something
/// else.
fn set(map: &mut Map<String, Value>, path: &[String], number: f64) -> Option<()> {
    let (key, rest) = path.split_first()?;
    if rest.is_empty() {
        map.insert(key.clone(), number.into());
        return Some(());
    }
    let below = map.entry(key.clone()).or_insert(Value::Null);
    if below.is_null() {
        *below = Map::new().into();
    }
    set(below.as_object_mut()?, rest, number)
}

/// The text with another number where one is written.
fn replaced(text: &str, old: &Document, path: &KeyPath, number: f64) -> Option<String> {
    let span = old.places.of_value(path)?.span;
    let mut text = text.to_owned();
    text.get(span.clone())?;
    text.replace_range(span, &written(number));
    Some(text)
}

/// A number as YAML has it: one without a point would be read as an integer.
fn written(number: f64) -> String {
    match number.fract() == 0.0 {
        true => format!("{number:.1}"),
        false => number.to_string(),
    }
}

/// The lines of a number below its keys.
fn block_of(path: &KeyPath, number: f64) -> Vec<String> {
    let last = path.0.len() - 1;
    let keys = path.0.iter().enumerate();
    keys.map(|(depth, key)| {
        let value = match depth == last {
            true => format!(" {}", written(number)),
            false => String::new(),
        };
        format!("{}{key}:{value}", "  ".repeat(depth))
    })
    .collect()
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
    fn a_number_is_added_or_replaced_and_comments_stay() {
        let key = "pipelines.rag.settings.fusion.alpha";
        for (text, expected) in [
            (
                "pipelines:\n  rag: # mine\n    enabled: true\n",
                "pipelines:\n  rag: # mine\n    settings:\n      fusion:\n        alpha: 0.7\n    enabled: true\n",
            ),
            (
                "pipelines:\n  rag:\n    settings:\n      fusion: {alpha: 0.5, late_weight: 1.0}\n",
                "pipelines:\n  rag:\n    settings:\n      fusion: {alpha: 0.7, late_weight: 1.0}\n",
            ),
            (
                "pipelines:\n  rag:\n    settings:\n      fusion:\n        alpha: 0.25 # less\n",
                "pipelines:\n  rag:\n    settings:\n      fusion:\n        alpha: 0.7 # less\n",
            ),
        ] {
            assert_eq!(with_number(text, key, 0.7).unwrap(), expected, "{text}");
        }
        let text = "pipelines:\n  rag:\n    settings:\n      fusion:\n        alpha: 0.5\n";
        for (number, written) in [(0.0, "alpha: 0.0\n"), (1.0, "alpha: 1.0\n")] {
            let edited = with_number(text, key, number).unwrap();
            assert_eq!(edited, text.replace("alpha: 0.5\n", written));
        }
        for text in ["pipelines: {}\n", "pipelines:\n  rag:\n    settings: 5\n"] {
            let refused = with_number(text, key, 0.7);
            assert_eq!(refused, Err(EditError::Occupied(key.into())), "{text}");
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
