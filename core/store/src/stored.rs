//! Values as the databases hold them, read back.

use std::collections::{BTreeMap, HashMap};

use gannet_api::{EnhancementStatus, Passage, fold, scalar_text};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;

pub(crate) fn parse<T: DeserializeOwned + Default>(
    what: &'static str,
    entry_id: &str,
    json: &str,
) -> Result<T, StoreError> {
    if json == "[]" || json == "{}" {
        return Ok(T::default());
    }
    serde_json::from_str(json).map_err(|error| StoreError::Damaged {
        what,
        entry_id: entry_id.to_owned(),
        reason: error.to_string(),
    })
}

pub(crate) fn instant(
    what: &'static str,
    entry_id: &str,
    micros: i64,
) -> Result<Timestamp, StoreError> {
    // In nanoseconds the last second of the calendar is whole.
    Timestamp::from_nanosecond(i128::from(micros) * 1_000).map_err(|error| StoreError::Damaged {
        what,
        entry_id: entry_id.to_owned(),
        reason: error.to_string(),
    })
}

type StatusRow = (String, String, i64, u32, Option<String>);

pub(crate) fn statuses(
    entry_id: &str,
    json: &str,
) -> Result<BTreeMap<String, EnhancementStatus>, StoreError> {
    let rows: Vec<StatusRow> = parse("enhancement status", entry_id, json)?;
    rows.into_iter()
        .map(|(module, status, at, attempts, error)| {
            let at = instant("enhancement status", entry_id, at)?;
            let status = match status.as_str() {
                "complete" => EnhancementStatus::Complete { completed_at: at },
                "failed" => EnhancementStatus::Failed {
                    failed_at: at,
                    error: error.unwrap_or_default(),
                    attempts,
                },
                _ => EnhancementStatus::Pending,
            };
            Ok((module, status))
        })
        .collect()
}

/// The scalars of a metadata value, as the texts that filters compare.
pub(crate) fn scalars(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(members) => members.iter().for_each(|member| scalars(member, texts)),
        Value::Null | Value::Object(_) => {}
        scalar => texts.push(scalar_text(scalar)),
    }
}

/// Counts the scalars of metadata values, each once a value: the most frequent
/// first, then by text. Each value comes with the number of entries that have
/// it.
pub(crate) fn most_frequent_scalars(
    values: impl Iterator<Item = (Value, u64)>,
    limit: usize,
) -> Vec<(String, u64)> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for (value, count) in values {
        let mut texts = Vec::new();
        scalars(&value, &mut texts);
        texts.sort_unstable();
        texts.dedup();
        for text in texts {
            *counts.entry(text).or_default() += count;
        }
    }
    let mut counted: Vec<(String, u64)> = counts.into_iter().collect();
    counted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counted.truncate(limit);
    counted
}

/// Counts the scalars of metadata values as filters compare them, without their
/// case: the most frequent first, then by the folded text. Each is spelt as most
/// of the entries do.
pub(crate) fn most_frequent_folded(
    values: impl Iterator<Item = (Value, u64)>,
    limit: usize,
) -> Vec<(String, u64)> {
    let mut counts: HashMap<String, (u64, HashMap<String, u64>)> = HashMap::new();
    for (value, count) in values {
        let mut texts = Vec::new();
        scalars(&value, &mut texts);
        let mut folded: Vec<(String, String)> =
            texts.into_iter().map(|text| (fold(&text), text)).collect();
        folded.sort_unstable();
        folded.dedup_by(|a, b| a.0 == b.0);
        for (folded, text) in folded {
            let (entries, spellings) = counts.entry(folded).or_default();
            *entries += count;
            *spellings.entry(text).or_default() += count;
        }
    }
    let mut counted: Vec<_> = counts.into_iter().collect();
    counted.sort_unstable_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    counted.truncate(limit);
    let spelt = counted.into_iter().map(|(folded, (entries, spellings))| {
        let most = spellings
            .into_iter()
            .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        (most.map_or(folded, |(text, _)| text), entries)
    });
    spelt.collect()
}

/// A passage of a text; `None` when the text has no such place.
pub(crate) fn passage(
    ordinal: impl TryInto<u32>,
    start: impl TryInto<usize>,
    end: impl TryInto<usize>,
    text: &str,
) -> Option<Passage> {
    let start = start.try_into().ok()?;
    let end = end.try_into().ok()?;
    Some(Passage::new(
        ordinal.try_into().ok()?,
        start..end,
        text.get(start..end)?.to_owned(),
    ))
}
