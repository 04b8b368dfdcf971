//! The block of keys and values that a text may begin with.

use serde_json::{Map, Value};

/// Keys that become fields of the entry.
const FIELDS: [&str; 3] = ["title", "date", "author"];

/// Keys and values: texts, or lists of texts.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FrontMatter(Map<String, Value>);

impl FrontMatter {
    /// The front matter of a text, and the text behind it. A block with lines
    /// of another form is no front matter.
    pub(crate) fn split(text: &str) -> (Self, &str) {
        let found = text.strip_prefix("---\n").and_then(|behind| {
            let mut at = 0;
            let end = behind.split_inclusive('\n').find_map(|line| {
                let start = at;
                at += line.len();
                matches!(line.trim_end(), "---" | "...").then_some((start, at))
            });
            let (end, body) = end?;
            Some((Self::read(&behind[..end])?, &behind[body..]))
        });
        found.unwrap_or((Self::default(), text))
    }

    /// Reads `key: value`, `key: [a, b]`, and `- a` below a key.
    fn read(block: &str) -> Option<Self> {
        let mut values: Vec<(String, Value)> = Vec::new();
        for line in block.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                match &mut values.last_mut()?.1 {
                    Value::Array(items) => items.push(unquoted(item).into()),
                    Value::String(text) if text.is_empty() => {
                        values.last_mut()?.1 = vec![unquoted(item)].into();
                    }
                    _ => return None,
                }
                continue;
            }
            let (key, value) = line.split_once(':')?;
            let is_key = !key.is_empty() && !key.contains(char::is_whitespace);
            if !is_key || !(value.is_empty() || value.starts_with(' ')) {
                return None;
            }
            values.push((key.to_lowercase(), read_value(value.trim())));
        }
        Some(Self(values.into_iter().collect()))
    }

    pub(crate) fn title(&self) -> Option<&str> {
        self.text("title")
    }

    pub(crate) fn date(&self) -> Option<&str> {
        self.text("date")
    }

    pub(crate) fn author(&self) -> Option<&str> {
        self.text("author")
    }

    /// The other keys that have a value.
    pub(crate) fn rest(&self) -> impl Iterator<Item = (String, Value)> {
        let rest = self
            .0
            .iter()
            .filter(|(key, value)| !FIELDS.contains(&key.as_str()) && value.as_str() != Some(""));
        rest.map(|(key, value)| (key.clone(), value.clone()))
    }

    fn text(&self, key: &str) -> Option<&str> {
        let text = self.0.get(key)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }
}

fn read_value(value: &str) -> Value {
    let list = value
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    match list {
        None => unquoted(value).into(),
        Some(list) => {
            let items = list
                .split(',')
                .map(unquoted)
                .filter(|item| !item.is_empty());
            items.collect::<Vec<_>>().into()
        }
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote| {
        text.strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
    };
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn keys_texts_and_lists_are_read() {
        let text = "---\nTitle: \"Start: slow\"\ntags: [rf, 'warm up']\nsystems:\n  - CAV1\n- CAV2\n\
                    empty:\n---\nBody\n---\n";
        let (front, body) = FrontMatter::split(text);
        assert_eq!(front.title(), Some("Start: slow"));
        assert_eq!(front.date(), None);
        let rest: Map<String, Value> = front.rest().collect();
        let expected = json!({"tags": ["rf", "warm up"], "systems": ["CAV1", "CAV2"]});
        assert_eq!(Value::from(rest), expected);
        assert_eq!(body, "Body\n---\n");
    }

    #[test]
    fn what_is_not_a_block_of_keys_is_text() {
        for text in [
            "---\nA rule: and a sentence\n---\nx",
            "---\ntitle: never ended",
            "---\n- a list\n---\n",
            "---\nhttp://a.example\n---\n",
            " ---\na: b\n---\n",
            "",
        ] {
            assert_eq!(
                FrontMatter::split(text),
                (FrontMatter::default(), text),
                "{text}"
            );
        }
    }
}
