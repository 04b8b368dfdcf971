//! The members of a set of the fake host's entries.

use std::cmp::Reverse;

use gannet_api::{Entry, GroupBy, SetGroup, SetMember, SetMembers, SetRequest, TimeOrder};

/// The members of a set: of the entries that pass its filter, those of its
/// times. A topic is not judged, and every one is about it.
pub(super) fn members<'e>(
    entries: impl Iterator<Item = &'e Entry>,
    request: &SetRequest,
) -> SetMembers {
    let is_of_times = |entry: &&Entry| {
        let mut times = request.times.iter();
        request.times.is_empty() || times.any(|time| time.contains(entry.timestamp))
    };
    let mut found: Vec<&Entry> = entries.filter(is_of_times).collect();
    found.sort_by_key(|entry| entry.timestamp);
    if request.order != Some(TimeOrder::Oldest) {
        found.reverse();
    }
    let groups = request.group_by.as_ref().map(|by| groups(&found, by));
    let members = found.iter().take(request.limit).map(|entry| SetMember {
        entry_id: entry.entry_id.clone(),
        kind: entry.kind.clone(),
        timestamp: entry.timestamp,
    });
    SetMembers::default()
        .with_count(found.len() as u64)
        .with_members(members.collect())
        .with_groups(groups.unwrap_or_default())
        .with_group_by(request.group_by.clone())
}

/// The members by what they are counted by, those with the most first.
fn groups(entries: &[&Entry], by: &GroupBy) -> Vec<SetGroup> {
    let mut groups: Vec<SetGroup> = Vec::new();
    for value in entries.iter().flat_map(|entry| values_of(entry, by)) {
        match groups.iter_mut().find(|group| group.value == value) {
            Some(group) => group.count += 1,
            None => groups.push(SetGroup { value, count: 1 }),
        }
    }
    groups.sort_by_key(|group| Reverse(group.count));
    groups
}

fn values_of(entry: &Entry, by: &GroupBy) -> Vec<String> {
    let field = match by {
        GroupBy::Day => return vec![entry.timestamp.strftime("%Y-%m-%d").to_string()],
        GroupBy::Month => return vec![entry.timestamp.strftime("%Y-%m").to_string()],
        GroupBy::Year => return vec![entry.timestamp.strftime("%Y").to_string()],
        GroupBy::Field(field) => field,
    };
    let mut values = field.values_of(entry);
    if values.is_empty() {
        values.push(SetGroup::NO_VALUE.to_owned());
    }
    values
}
