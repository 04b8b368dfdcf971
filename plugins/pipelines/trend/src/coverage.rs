//! The time in which entries could have been written.

use gannet_plugin::filter::{Condition, Filter, FilterField, TimeRange};
use gannet_plugin::plan::{SetQuery, SetRequest, TimeOrder};
use gannet_plugin::prelude::{Context, Result};
use jiff::{Span, Timestamp};

use crate::period::TimeSpan;

/// The first and the last entry of a logbook. `None` where it has none.
///
/// # Errors
/// Those of the store.
pub(crate) async fn coverage(logbook: &Filter, context: &Context) -> Result<Option<TimeSpan>> {
    let outermost = async |order: TimeOrder| -> Result<Option<Timestamp>> {
        let request = SetRequest::new(logbook.clone(), Vec::new());
        let request = request.with_order(order).with_limit(1);
        let found = context.set_members(&request).await?;
        Ok(found.members.first().map(|member| member.timestamp))
    };
    let Some(from) = outermost(TimeOrder::Oldest).await? else {
        return Ok(None);
    };
    let last = outermost(TimeOrder::Newest).await?.unwrap_or(from);
    let until = last.checked_add(Span::new().seconds(1)).unwrap_or(last);
    Ok(Some(TimeSpan { from, until }))
}

/// The part of it that a question is about; `None` where there is none.
pub(crate) fn observed(covered: TimeSpan, set: &SetQuery) -> Option<TimeSpan> {
    let strict = set.filter.clauses.iter().filter_map(|clause| {
        let Condition::Time(time) = &clause.condition else {
            return None;
        };
        (clause.field == FilterField::Timestamp).then_some(*time)
    });
    let asked = strict.chain(hull(&set.times));
    let span = asked.fold(covered, |span, time| TimeSpan {
        from: time.from.map_or(span.from, |from| from.max(span.from)),
        until: time.until.map_or(span.until, |until| until.min(span.until)),
    });
    (span.from < span.until).then_some(span)
}

/// From the first to the last of some times; `None` without times.
fn hull(times: &[TimeRange]) -> Option<TimeRange> {
    let starts: Option<Vec<Timestamp>> = times.iter().map(|time| time.from).collect();
    let ends: Option<Vec<Timestamp>> = times.iter().map(|time| time.until).collect();
    (!times.is_empty()).then(|| TimeRange {
        from: starts.and_then(|all| all.into_iter().min()),
        until: ends.and_then(|all| all.into_iter().max()),
    })
}
