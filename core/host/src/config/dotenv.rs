//! `.env` files.

use std::ops::Range;
use std::sync::Arc;

use super::origin::Place;

/// A `.env` file that was read.
#[derive(Debug, Default)]
pub(crate) struct DotEnv {
    pub(crate) variables: Vec<DotEnvVariable>,
    /// Lines that are neither blank nor `NAME=VALUE` nor a comment.
    pub(crate) unread: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct DotEnvVariable {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: Place,
}

/// Reads lines of `NAME=VALUE`: with `export ` before or not, the value bare,
/// in single quotes (as it is) or in double quotes (`\n`, `\t`, `\"`, `\\`).
/// ` #` begins a comment. Nothing is substituted.
pub(crate) fn read_dotenv(text: &str) -> DotEnv {
    let text: Arc<str> = Arc::from(text);
    let mut read = DotEnv::default();
    let mut offset = 0;
    for (number, line) in text.split('\n').enumerate() {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            match assignment(content) {
                Some((name, value)) => read.variables.push(DotEnvVariable {
                    name,
                    value,
                    place: Place {
                        line: number + 1,
                        column: 1,
                        span: Range {
                            start: offset,
                            end: offset + line.trim_end().len(),
                        },
                        text: Arc::clone(&text),
                    },
                }),
                None => read.unread.push(number + 1),
            }
        }
        offset += line.len() + 1;
    }
    read
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(())?;
    Some((name.to_owned(), unquoted(value.trim())?))
}

fn unquoted(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (inside, _) = rest.split_once('\'')?;
        return Some(inside.to_owned());
    }
    if let Some(rest) = value.strip_prefix('"') {
        return unescaped(rest);
    }
    let bare = value.split(" #").next().unwrap_or(value);
    Some(bare.trim_end().to_owned())
}

/// The text up to the closing quote.
fn unescaped(quoted: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some(text),
            '\\' => text.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => text.push(other),
        }
    }
}
