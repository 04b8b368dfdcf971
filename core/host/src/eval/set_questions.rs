//! Questions about sets of entries with their complete golds, as a file has them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::EvalError;
use super::judgements::read_questions_of;

/// A question about a set of entries.
#[derive(Debug, Clone, Deserialize)]
pub struct SetQuestion {
    /// Its id, unique in the file.
    pub id: String,
    /// The name of the folder of the documents that it is about.
    pub collection: Option<String>,
    /// What is asked.
    pub text: String,
    /// What is asked of the set.
    pub kind: SetKind,
    /// Whether fields and times alone decide which entries are in the set.
    pub field_only: bool,
    /// What is right.
    pub gold: SetGold,
    /// How many of the last entries are asked for.
    pub n: Option<usize>,
    /// Ids of entries that may be listed or not.
    #[serde(default)]
    pub also_right: Vec<String>,
}

/// What is asked of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SetKind {
    /// How many entries it has.
    Count,
    /// Its entries.
    List,
    /// The oldest one.
    First,
    /// The newest one.
    Last,
    /// Some of the newest.
    LastN,
    /// How often there is one.
    Rate,
    /// How many there are of each value of a field, or in each year or month.
    By,
}

/// The right answer about a set.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SetGold {
    /// How many entries the whole set has.
    pub count: u64,
    /// Ids of the entries that are asked for: of the whole set, of one entry for
    /// the first or the last, the newest first for some of the last.
    #[serde(default)]
    pub ids: Vec<String>,
    /// The numbers of entries by value, those of 0 left out.
    #[serde(default)]
    pub groups: BTreeMap<String, u64>,
}

impl SetQuestion {
    /// Reads those questions of a file that are about a collection, or have none:
    /// one JSON object per line.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is not a question, repeats an id
    /// or has a gold that does not fit its kind; a file without a question about
    /// the collection.
    pub fn read(path: &Path, collection: &str) -> Result<Vec<Self>, EvalError> {
        let mut questions = read_questions_of(path, parse, |question: &Self| &question.id)?;
        questions.retain(|question| {
            let of = question.collection.as_deref();
            of.is_none_or(|name| name == collection)
        });
        match questions.is_empty() {
            true => Err(EvalError::NoneOfCollection {
                path: path.to_owned(),
                collection: collection.to_owned(),
            }),
            false => Ok(questions),
        }
    }
}

fn parse(line: &str) -> Result<SetQuestion, String> {
    let question: SetQuestion =
        serde_json::from_str(line).map_err(|error| format!("not a question: {error}"))?;
    if question.gold.count == 0 {
        return Ok(question);
    }
    let needs_ids = !matches!(question.kind, SetKind::Count | SetKind::Rate | SetKind::By);
    if needs_ids && question.gold.ids.is_empty() {
        return Err("expected ids in `gold`".to_owned());
    }
    if question.kind == SetKind::By && question.gold.groups.is_empty() {
        return Err("expected `groups` in `gold`".to_owned());
    }
    if question.kind == SetKind::LastN && question.n.is_none() {
        return Err("expected `n`".to_owned());
    }
    Ok(question)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<SetQuestion>, EvalError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sets.jsonl");
        std::fs::write(&path, text).unwrap();
        SetQuestion::read(&path, "plant")
    }

    const GOOD: &str = r#"{"id":"a","collection":"plant","text":"how many trips","kind":"count","field_only":true,"gold":{"count":2,"ids":["E1","E2"]}}"#;

    #[test]
    fn questions_of_other_collections_are_left_out() {
        let other = GOOD.replace("plant", "mill").replace(r#""a""#, r#""b""#);
        let any = GOOD
            .replace(r#""collection":"plant","#, "")
            .replace(r#""a""#, r#""c""#);
        let read = read_text(&format!("{GOOD}\n{other}\n{any}")).unwrap();
        let ids: Vec<&str> = read.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids, ["a", "c"]);
        let none = read_text(&other).unwrap_err().to_string();
        assert!(none.contains("`collection` `plant`"), "{none}");
    }

    #[test]
    fn a_gold_has_what_its_kind_needs() {
        let by = GOOD.replace("count\",\"field", "by\",\"field");
        let message = read_text(&by).unwrap_err().to_string();
        assert!(message.contains("line 1: expected `groups`"), "{message}");
        let last = GOOD.replace("count\",\"field", "last_n\",\"field");
        let message = read_text(&last).unwrap_err().to_string();
        assert!(message.contains("expected `n`"), "{message}");
    }
}
