//! Pinned sources: entries that always stand first in the result.

use std::collections::HashMap;

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::{Context, Diagnostic, Entry, Error, Hit, Result};
use gannet_plugin::search::{Provenance, ScoreKind};

/// How many entries can be pinned.
const PINNED_AT_MOST: usize = 100;
/// The provenance of a pinned entry, in the place of a search module.
const PINNED: &str = "pinned";

/// The ids of a call's `ID, ID`.
pub(crate) fn ids_in(text: &str) -> Vec<String> {
    let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(str::to_owned).collect()
}

/// Reads the entries that are pinned, each once, in the order of the ids. One
/// that is not there or that the call's filter leaves out is a warning named
/// `source`; a filter holds for what is pinned too.
///
/// # Errors
/// [`Error::InvalidInput`] for more than 100 ids; what reading entries fails
/// with.
pub(crate) async fn read_pinned(
    ids: &[String],
    filter: &Filter,
    source: &str,
    context: &Context,
) -> Result<Vec<Entry>> {
    let mut wanted: Vec<String> = Vec::new();
    for id in ids {
        if !wanted.contains(id) {
            wanted.push(id.clone());
        }
    }
    if wanted.len() > PINNED_AT_MOST {
        return Err(Error::invalid_input(format!(
            "{} entries are pinned; the maximum is {PINNED_AT_MOST}",
            wanted.len()
        )));
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let entries = context.entries(wanted.clone()).await?;
    let mut by_id: HashMap<String, Entry> = entries
        .into_iter()
        .map(|entry| (entry.entry_id.clone(), entry))
        .collect();
    let warn = |message: String, category: &str| {
        context.diagnose(Diagnostic::warning(source, message).category(category));
    };
    let mut pinned = Vec::new();
    for id in wanted {
        match by_id.remove(&id) {
            Some(entry) if filter.matches(&entry) => pinned.push(entry),
            Some(_) => warn(
                format!("the pinned entry `{id}` is not shown: the filter excludes it"),
                "filter",
            ),
            None => warn(
                format!("there is no entry `{id}` to pin; check the id"),
                "not_found",
            ),
        }
    }
    Ok(pinned)
}

/// A pinned entry as a hit. Its score is 1 and no search made it.
pub(crate) fn pinned_hit(entry: &Entry, rank: u32) -> Hit {
    let mut hit = Hit::new(&entry.entry_id, &entry.kind, 1.0, ScoreKind::None);
    hit.provenance = vec![Provenance::new(
        PINNED.to_owned(),
        rank,
        1.0,
        ScoreKind::None,
    )];
    hit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_between_commas() {
        assert_eq!(ids_in(" A-1, b 2 ,,3"), ["A-1", "b 2", "3"]);
        assert_eq!(ids_in(" , "), Vec::<String>::new());
    }
}
