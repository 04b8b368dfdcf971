//! The set of several domains from the sets of each.

use std::cmp::Reverse;

use gannet_plugin::filter::{Condition, fold};
use gannet_plugin::plan::{GroupBy, SetGroup, SetMember, SetMembers, SetOperation, SetQuery};
use gannet_stages::{FoundSet, MEMBERS_OF_A_RATE, Nearest};

use crate::domains::Domain;

/// The union of sets that have no entry in common.
pub(crate) fn union(query: SetQuery, parts: &[FoundSet], listed: usize) -> FoundSet {
    let count = parts.iter().map(|part| part.members.count).sum();
    let members = parts.iter().flat_map(|part| part.members.members.clone());
    let mut members: Vec<SetMember> = members.collect();
    let limit = match query.operation {
        SetOperation::First => {
            members.sort_by(|a, b| key(a).cmp(&key(b)));
            query.limit.unwrap_or(1)
        }
        operation => {
            members.sort_by(|a, b| {
                Reverse(a.timestamp)
                    .cmp(&Reverse(b.timestamp))
                    .then_with(|| a.entry_id.cmp(&b.entry_id))
            });
            match operation {
                SetOperation::Last => query.limit.unwrap_or(1),
                SetOperation::Rate => MEMBERS_OF_A_RATE,
                _ => listed,
            }
        }
    };
    members.truncate(limit);
    let group_by = parts.iter().find_map(|part| part.query.group_by.clone());
    // Values without a row may be the same ones in several domains.
    let is_whole = parts.iter().all(|part| part.members.left_out == 0);
    let measure = query.measure.filter(|_| is_whole);
    let query = query.with_measure(measure);
    FoundSet {
        query: query.with_group_by(group_by.clone()),
        members: SetMembers::default()
            .with_count(count)
            .with_members(members)
            .with_groups(groups(group_by.as_ref(), parts)),
        nearest: if count == 0 { nearest(parts) } else { None },
    }
}

fn key(member: &SetMember) -> (jiff::Timestamp, &str) {
    (member.timestamp, &member.entry_id)
}

/// Times in their order, values with the most members first, and those without
/// one at the end.
fn groups(group_by: Option<&GroupBy>, parts: &[FoundSet]) -> Vec<SetGroup> {
    let mut groups: Vec<SetGroup> = Vec::new();
    for group in parts.iter().flat_map(|part| &part.members.groups) {
        match groups.iter_mut().find(|known| known.value == group.value) {
            Some(known) => known.count += group.count,
            None => groups.push(group.clone()),
        }
    }
    match group_by {
        Some(GroupBy::Field(_)) => groups.sort_by(|a, b| {
            let is_none = |group: &SetGroup| group.value == SetGroup::NO_VALUE;
            let key = |group: &SetGroup| (is_none(group), Reverse(group.count));
            key(a).cmp(&key(b)).then_with(|| a.value.cmp(&b.value))
        }),
        _ => groups.sort_by(|a, b| a.value.cmp(&b.value)),
    }
    groups
}

/// The newest of those before, or else the oldest of those after.
fn nearest(parts: &[FoundSet]) -> Option<(Nearest, SetMember)> {
    let all = || parts.iter().filter_map(|part| part.nearest.as_ref());
    let before = all().filter(|(side, _)| *side == Nearest::Before);
    let after = all().filter(|(side, _)| *side == Nearest::After);
    let before = before.max_by_key(|(_, member)| member.timestamp);
    before
        .or_else(|| after.min_by_key(|(_, member)| member.timestamp))
        .cloned()
}

/// Whether two domains may have an entry in common: neither has a field of
/// whose values the other has none.
pub(crate) fn may_overlap(domains: &[&Domain]) -> bool {
    let pairs = domains.iter().enumerate();
    pairs.into_iter().any(|(place, one)| {
        let others = domains.iter().skip(place + 1);
        others.into_iter().any(|other| !are_apart(one, other))
    })
}

fn are_apart(one: &Domain, other: &Domain) -> bool {
    one.clauses.iter().any(|clause| {
        let same = other.clauses.iter().filter(|of| of.field == clause.field);
        same.into_iter().any(|of| {
            let values = values_of(&of.condition);
            !values_of(&clause.condition)
                .iter()
                .any(|value| values.contains(value))
        })
    })
}

fn values_of(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::Equals(value) => vec![fold(value)],
        Condition::AnyOf(values) => values.iter().map(|value| fold(value)).collect(),
        _ => Vec::new(),
    }
}
