//! The file as a list of records that are not parsed yet.
//!
//! A member keeps its text, so that a rejected record is handed back as it
//! came, and one that cannot be parsed spoils none of the others. The JSON
//! parser's limit of 128 levels holds for each member.
//!
//! Only the file itself is held in memory: a list of many small members takes
//! no more than its bytes.

use std::fmt::Formatter;
use std::io::Read;
use std::path::{Path, PathBuf};

use gannet_plugin::{Error, Result, ingest};
use serde::Deserialize;
use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The object form of the file; other keys are of no use.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    entries: &'a RawValue,
}

/// The members of a file's list, one after the other.
pub(crate) struct Members {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the next member begins, or what separates it.
    at: usize,
    left: usize,
}

impl Members {
    /// Reads a file and checks that it is a list.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when the file cannot be read, is larger than
    /// `max_bytes`, or holds neither a list nor an object with `entries`.
    pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Self> {
        let bytes = read_bytes(path, max_bytes)?;
        let (at, left) = find_list(&bytes).map_err(|error| no_list(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            at,
            left,
        })
    }

    /// How many are left.
    pub(crate) fn len(&self) -> usize {
        self.left
    }
}

impl Iterator for Members {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_between = |byte: &&u8| **byte == b',' || byte.is_ascii_whitespace();
        let begin = self.at + rest.iter().take_while(is_between).count();
        let rest = self.bytes.get(begin..).unwrap_or_default();
        let mut values = Deserializer::from_slice(rest).into_iter::<&RawValue>();
        let member = values.next()?.map(|raw| raw.get().to_owned());
        self.at = begin + values.byte_offset();
        Some(member.map_err(|error| no_list(&self.path, &error)))
    }
}

/// Where the first member of the list begins, and how many there are.
fn find_list(bytes: &[u8]) -> serde_json::Result<(usize, usize)> {
    let json = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let is_list = json.trim_ascii_start().starts_with(b"[");
    let list = match is_list {
        true => json,
        false => {
            let document: Document<'_> = serde_json::from_slice(json)?;
            document.entries.get().as_bytes()
        }
    };
    let mut parser = Deserializer::from_slice(list);
    let count = parser.deserialize_seq(Count)?;
    parser.end()?;
    // The list is a part of the file, not a copy of one.
    let start = list.as_ptr().addr() - bytes.as_ptr().addr();
    let bracket = list.iter().take_while(|byte| **byte != b'[').count();
    Ok((start + bracket + 1, count))
}

/// Counts the members of a list, and checks their syntax.
struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = usize;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<usize, A::Error> {
        let mut count = 0;
        while list.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

fn no_list(path: &Path, error: &serde_json::Error) -> Error {
    Error::invalid_input(format!(
        "`{}` is neither a JSON array of entries nor an object with `entries`: {error}",
        path.display()
    ))
}

fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let unreadable = |error| ingest::unreadable(path, &error);
    let file = ingest::open(path)?;
    let size = file.metadata().map_err(unreadable)?.len();

    // One byte more than allowed tells a file that is too large, also where
    // the size is not known before, as of a pipe.
    let mut bytes = Vec::new();
    if size <= max_bytes {
        file.take(max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    }
    if size > max_bytes || bytes.len() as u64 > max_bytes {
        return Err(Error::invalid_input(format!(
            "`{}` is larger than `max_bytes` ({max_bytes}): write one record per line and use the \
             `jsonl` adapter, or raise the setting",
            path.display()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn members(json: &[u8]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("entries.json");
        std::fs::write(&path, json).unwrap();
        let members = Members::read(&path, 1000).unwrap();
        let count = members.len();
        let members: Vec<String> = members.map(Result::unwrap).collect();
        assert_eq!(members.len(), count);
        members
    }

    #[test]
    fn every_member_comes_as_it_stands_in_the_file() {
        let expected = ["1", r#"{"a":[1, "],"]}"#, "\"x\"", "null", "[]", "-2.5e3"];
        let list = r#" [1,{"a":[1, "],"]} , "x",null,[],
            -2.5e3 ] "#;

        assert_eq!(members(list.as_bytes()), expected);
        let marked = [BYTE_ORDER_MARK, list.as_bytes()].concat();
        assert_eq!(members(&marked), expected);
        let document = format!(r#"{{"made": [7], "entries": {list}, "by": "x"}}"#);
        assert_eq!(members(document.as_bytes()), expected);
        assert!(members(b"[ ]").is_empty());
    }
}
