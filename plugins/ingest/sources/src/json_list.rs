//! A JSON file as a list of records that are not parsed yet.
//!
//! A member keeps its text, so that a rejected record is handed back as it
//! came, and one that cannot be parsed spoils none of the others. The JSON
//! parser's limit of 128 levels holds for each member.
//!
//! Only the file itself is held in memory: a list of many small members takes
//! no more than its bytes.

use std::borrow::Cow;
use std::fmt::Formatter;
use std::io::Read;
use std::path::{Path, PathBuf};

use gannet_plugin::ingest::{open, unreadable};
use gannet_plugin::prelude::{Error, Result};
use serde::Deserialize;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// What a file in UTF-8 may begin with.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The members of the list in a JSON file, one after the other, each as its
/// JSON text.
///
/// ```
/// use gannet_sources::JsonList;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("export.json");
/// std::fs::write(&path, r#"{"data": {"entries": [{"id": 1}, {"id": 2}]}}"#).unwrap();
/// let list = JsonList::read(&path, 1_000, &["entries", "data.entries"])?;
/// let members: Vec<String> = list.collect::<Result<_, _>>()?;
/// assert_eq!(members, [r#"{"id": 1}"#, r#"{"id": 2}"#]);
/// # Ok::<(), gannet_plugin::prelude::Error>(())
/// ```
pub struct JsonList {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the next member begins, or what separates it.
    at: usize,
    left: usize,
}

impl JsonList {
    /// Reads a file and checks that it is a list, or an object with the list
    /// under one of the `keys`. A key of several parts, `data.entries`, is the
    /// way through objects; the first that is there counts.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when the file cannot be read, is larger than
    /// `max_bytes`, or holds no such list.
    pub fn read<K: AsRef<str>>(path: &Path, max_bytes: u64, keys: &[K]) -> Result<Self> {
        Self::of(path, read_bytes(path, max_bytes)?, keys)
    }

    /// The same of bytes that were read already; `path` is what they are
    /// called in errors.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when they hold no such list.
    pub fn of<K: AsRef<str>>(path: &Path, bytes: Vec<u8>, keys: &[K]) -> Result<Self> {
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        let place = find_list(path, &bytes, &keys)?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            at: place.start,
            left: place.count,
        })
    }

    /// How many members are left.
    pub fn len(&self) -> usize {
        self.left
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl Iterator for JsonList {
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
        // The syntax was checked when the file was read.
        Some(member.map_err(|error| no_list(&self.path, &[], &error.to_string())))
    }
}

/// Where a list stands in the bytes of a file.
pub(crate) struct ListPlace {
    /// Where its first member begins, or the white space before it.
    start: usize,
    /// Where its closing bracket is.
    pub(crate) end: usize,
    /// How many members it has.
    pub(crate) count: usize,
}

/// Finds the list and checks the syntax of its members.
pub(crate) fn find_list(path: &Path, bytes: &[u8], keys: &[&str]) -> Result<ListPlace> {
    place_of_list(bytes, keys).map_err(|why| no_list(path, keys, &why))
}

fn place_of_list(bytes: &[u8], keys: &[&str]) -> std::result::Result<ListPlace, String> {
    let json = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if json.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    let is_list = json.trim_ascii_start().starts_with(b"[");
    let list = match is_list {
        true => json,
        false => {
            let mut found = None;
            for key in keys {
                found = found.or(value_at(json, key).map_err(|error| error.to_string())?);
            }
            found.ok_or("no such key at line 1")?.get().as_bytes()
        }
    };
    let mut parser = Deserializer::from_slice(list);
    let count = parser.deserialize_seq(Count);
    let count = count.and_then(|count| parser.end().map(|()| count));
    let count = count.map_err(|error| error.to_string())?;
    // The list is a part of the file, not a copy of one.
    let offset = list.as_ptr().addr() - bytes.as_ptr().addr();
    let bracket = list.iter().take_while(|byte| **byte != b'[').count();
    Ok(ListPlace {
        start: offset + bracket + 1,
        end: offset + list.trim_ascii_end().len() - 1,
        count,
    })
}

/// The value under a key, part by part; nothing where a part is missing.
fn value_at<'a>(json: &'a [u8], key: &str) -> serde_json::Result<Option<&'a RawValue>> {
    let mut value: &RawValue = serde_json::from_slice(json)?;
    for part in key.split('.') {
        if !value.get().starts_with('{') {
            return Ok(None);
        }
        let mut parser = Deserializer::from_str(value.get());
        match parser.deserialize_map(Member(part))? {
            Some(member) => value = member,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// Finds one member of an object, and keeps no other.
struct Member<'k>(&'k str);

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "an object with `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut object: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

        let mut found = None;
        while let Some(Key(key)) = object.next_key()? {
            match key == self.0 {
                true => found = Some(object.next_value()?),
                false => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
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

fn no_list(path: &Path, keys: &[&str], why: &str) -> Error {
    Error::invalid_input(format!(
        "`{}` is neither a JSON array of entries nor an object with `{}`: {why}",
        path.display(),
        keys.join("` or `")
    ))
}

/// The bytes of a file.
///
/// # Errors
/// [`Error::InvalidInput`] when it cannot be read or has more than `max_bytes`.
pub(crate) fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let failed = |error| unreadable(path, &error);
    let file = open(path)?;
    let size = file.metadata().map_err(failed)?.len();

    // One byte more than allowed tells a file that is too large, also where
    // the size is not known before, as of a pipe.
    let mut bytes = Vec::new();
    if size <= max_bytes {
        file.take(max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(failed)?;
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
        let members = JsonList::read(&path, 1000, &["entries", "data.entries"]).unwrap();
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
        let inner = format!(r#"{{"data": {{"n": 1, "entries": {list}}}}}"#);
        assert_eq!(members(inner.as_bytes()), expected);
    }

    #[test]
    fn a_file_without_the_list_says_which_keys_it_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("entries.json");
        for json in [
            "{}",
            "{\"data\": 5}",
            "{\"data\": {}}",
            "{\"entries\": 5}",
            "7",
            "[1",
        ] {
            std::fs::write(&path, json).unwrap();
            let read = JsonList::read(&path, 1000, &["entries", "data.entries"]);
            let error = read.err().unwrap().to_string();
            assert!(
                error.contains("`entries` or `data.entries`: "),
                "{json}: {error}"
            );
            assert!(error.contains("line 1"), "{json}: {error}");
        }
    }

    #[test]
    fn a_file_without_a_text_is_said_to_be_empty() {
        for text in ["", " \n\t\n", "\u{feff}", "\u{feff}\n"] {
            let read = JsonList::of(Path::new("a.json"), text.into(), &["entries"]);
            let error = read.err().unwrap().to_string();
            assert!(
                error.ends_with("`entries`: it is empty"),
                "{text:?}: {error}"
            );
        }
    }
}
