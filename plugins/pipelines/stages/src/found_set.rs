//! The members of a set that a question asks of, as the store has them.

use gannet_plugin::filter::TimeRange;
use gannet_plugin::plan::{SetMember, SetMembers, SetOperation, SetQuery, SetRequest, TimeOrder};
use gannet_plugin::prelude::{Context, Entry, Hit, Result};
use gannet_plugin::search::ScoreKind;

use crate::Nearest;

/// Members whose times are read for how often there is one.
pub const MEMBERS_OF_A_RATE: usize = 1000;

/// A set as the store has it.
#[derive(Debug, Clone)]
pub struct FoundSet {
    /// What was counted, by what the store counted it.
    pub query: SetQuery,
    /// Its members.
    pub members: SetMembers,
    /// The entry that is nearest to an empty set.
    pub nearest: Option<(Nearest, SetMember)>,
}

/// Counts the members of a set and finds those that are asked for: the first or
/// last ones, those of a rate, or else as many of the newest as `listed` says.
///
/// # Errors
/// Those of the store; one that
/// [`is_missing_service`](gannet_plugin::prelude::Error::is_missing_service) on
/// hosts that count no sets.
pub async fn find_set(context: &Context, set: &SetQuery, listed: usize) -> Result<FoundSet> {
    let listed = match set.operation {
        SetOperation::Rate => MEMBERS_OF_A_RATE,
        _ => listed,
    };
    let members = context.set_members(&set.request(listed)).await?;
    let nearest = match members.count {
        0 => nearest(context, set).await?,
        _ => None,
    };
    let group_by = members.group_by.clone().or_else(|| set.group_by.clone());
    Ok(FoundSet {
        query: set.clone().with_group_by(group_by),
        members,
        nearest,
    })
}

/// Members as hits, whose scores fall in their order.
pub fn hits_of_members(entries: &[Entry]) -> Vec<Hit> {
    let count = entries.len().max(1) as f64;
    let hits = entries.iter().enumerate().map(|(place, entry)| {
        let score = 1.0 - place as f64 / count;
        Hit::new(
            entry.entry_id.clone(),
            entry.kind.clone(),
            score,
            ScoreKind::Other,
        )
    });
    hits.collect()
}

/// The last entry before the times of an empty set, or the first after them.
async fn nearest(context: &Context, set: &SetQuery) -> Result<Option<(Nearest, SetMember)>> {
    // Of a topic alone, judging one more time costs more than it says.
    let is_topic_alone = set.filter.is_empty() && !set.is_exact();
    if set.times.is_empty() || is_topic_alone {
        return Ok(None);
    }
    let ends = [
        (Nearest::Before, before(&set.times), TimeOrder::Newest),
        (Nearest::After, after(&set.times), TimeOrder::Oldest),
    ];
    for (side, range, order) in ends {
        let Some(range) = range else { continue };
        let request = SetRequest::new(set.filter.clone(), vec![range])
            .with_excluded(set.excluded.clone())
            .with_topic(set.topic.clone())
            .with_order(order)
            .with_limit(1);
        let found = context.set_members(&request).await?;
        if let Some(member) = found.members.into_iter().next() {
            return Ok(Some((side, member)));
        }
    }
    Ok(None)
}

/// What lies before all of the times.
fn before(times: &[TimeRange]) -> Option<TimeRange> {
    let starts: Option<Vec<_>> = times.iter().map(|time| time.from).collect();
    let until = starts?.into_iter().min()?;
    Some(TimeRange {
        from: None,
        until: Some(until),
    })
}

/// What lies after all of the times.
fn after(times: &[TimeRange]) -> Option<TimeRange> {
    let ends: Option<Vec<_>> = times.iter().map(|time| time.until).collect();
    let from = ends?.into_iter().max()?;
    Some(TimeRange {
        from: Some(from),
        until: None,
    })
}
