//! What a digest counts and does not list.

use std::collections::BTreeMap;

use gannet_plugin::filter::FilterField;
use serde::Serialize;

use crate::item::{Item, Read, Section, group_of};
use crate::window::Window;

/// What the kind of entries without an item is called.
const ROUTINE: &str = "routine";

/// Entries that are counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LeftOut {
    /// `routine`, or the section that their sentences would be in.
    pub(crate) kind: String,
    /// The value of the field that sentences are grouped by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// How many there are.
    pub(crate) count: usize,
    /// A query for all entries of the time and the group; none where there is a
    /// topic.
    pub(crate) filter: Option<String>,
    /// Their ids, in the order of time.
    pub(crate) entry_ids: Vec<String>,
}

/// The entries that have no sentence on the page, by what they are.
pub(crate) fn left_out(
    read: &[Read<'_>],
    items: &[Item],
    shown: &[&Item],
    (window, by): (&Window, Option<&FilterField>),
) -> Vec<LeftOut> {
    let mut counted: BTreeMap<(String, Option<String>), Vec<String>> = BTreeMap::new();
    for one in read {
        let id = &one.entry.entry_id;
        if shown.iter().any(|item| item.entry_id == *id) {
            continue;
        }
        let kind = items.iter().find(|item| item.entry_id == *id);
        let kind = kind.map_or(ROUTINE.to_owned(), |item| title_of(item.section));
        let group = by.map(|field| group_of(one.entry, field));
        counted.entry((kind, group)).or_default().push(id.clone());
    }
    let of = |((kind, group), entry_ids): ((String, Option<String>), Vec<String>)| LeftOut {
        filter: window.query(by.zip(group.as_deref())),
        count: entry_ids.len(),
        kind,
        group,
        entry_ids,
    };
    counted.into_iter().map(of).collect()
}

/// The last line: how many there are of each kind, and how many sentences without
/// room are of entries that have another one on the page.
pub(crate) fn left_out_line(left_out: &[LeftOut], more: usize) -> Option<String> {
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for one in left_out {
        *by_kind.entry(&one.kind).or_default() += one.count;
    }
    let counts = by_kind.iter();
    let mut counts: Vec<String> = counts
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if more > 0 {
        let sentences = if more == 1 { "sentence" } else { "sentences" };
        counts.push(format!("{more} {sentences} of entries above"));
    }
    (!counts.is_empty()).then(|| format!("Not listed: {}.", counts.join(", ")))
}

/// The sentences that have no room and are of entries with another one.
pub(crate) fn of_shown(left_out: &[Item], shown: &[&Item]) -> usize {
    let is_shown = |one: &&Item| shown.iter().any(|item| item.entry_id == one.entry_id);
    left_out.iter().filter(is_shown).count()
}

fn title_of(section: Section) -> String {
    section.title().to_lowercase()
}
