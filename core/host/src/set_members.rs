//! The members of a set of entries: the store counts and lists them by their
//! fields and times, without ranking. Those about a topic are judged before, and
//! counted by their ids.

use gannet_api::query::{Node, ParsedQuery};
use gannet_api::{
    Call, Condition, Entry, Error, Filter, FilterClause, FilterField, Hit, Result, SetCertainty,
    SetMember, SetMembers, SetRequest, TimeOrder, TimeRange,
};
use gannet_store::{ListRequest, MatchCounts, MatchRequest, TextRequest};
use jiff::Timestamp;

use crate::isolate::within;
use crate::replies::{AskedBy, RequestState};
use crate::services::Services;
use crate::set_groups::SetGroups;

/// Values of a field that are read, at most, so that those left out are counted.
const MOST_READ: usize = 4000;
/// Entries that are read at once where some are excluded.
const PAGE: usize = 200;
/// Members that are given at most.
const MOST_MEMBERS: usize = 1000;

impl Services {
    /// Answers the host service [`SetRequest::SERVICE`].
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a payload that is no [`SetRequest`], and for
    /// more months or years than are counted; [`Error::Store`];
    /// [`Error::Timeout`].
    pub(crate) async fn answer_set_request(
        &self,
        call: &Call,
        payload: &[u8],
        instance: &str,
        state: &RequestState,
    ) -> Result<Vec<u8>> {
        let request: SetRequest = serde_json::from_slice(payload)
            .map_err(|error| Error::invalid_input(format!("not a set request: {error}")))?;
        let members = self.set_members(call, request, instance, state);
        let members = within("counting entries", call.deadline, members).await?;
        serde_json::to_vec(&members).map_err(|error| Error::internal(format!("a set: {error}")))
    }

    /// The members of a set.
    ///
    /// # Errors
    /// As [`answer_set_request`](Self::answer_set_request).
    pub(crate) async fn set_members(
        &self,
        call: &Call,
        request: SetRequest,
        instance: &str,
        state: &RequestState,
    ) -> Result<SetMembers> {
        if request.topic.is_empty() {
            let found = self.members_by_conditions(call, request).await?;
            if found.count == 0 {
                state.note_counted_none();
            }
            let members = found.members.iter();
            let relevant = members.map(|member| (member.entry_id.clone(), 1.0));
            state.keep_relevance(AskedBy::Set, relevant);
            return Ok(found);
        }
        let judged = self.judge_topic(call, &request, instance, state).await?;
        let (order, limit) = (request.order, request.limit);
        let certainty = SetCertainty {
            certain: judged.certain(),
            confidence: judged.confidence(),
            end_confidence: judged.end_confidence(order, limit),
        };
        let members = match judged.has_none() {
            true => SetMembers::default().with_group_by(request.group_by),
            false => {
                let by_id = SetRequest::new(judged.filter(), Vec::new())
                    .with_limit(limit)
                    .with_order(order)
                    .with_group_by(request.group_by);
                self.members_by_conditions(call, by_id).await?
            }
        };
        let mut diagnostics = judged.diagnostics;
        diagnostics.extend(members.diagnostics.iter().cloned());
        Ok(members
            .with_certainty(certainty)
            .with_diagnostics(diagnostics))
    }

    async fn members_by_conditions(&self, call: &Call, request: SetRequest) -> Result<SetMembers> {
        let set = MemberSet {
            services: self,
            tenant: &call.tenant,
            filter: request.filter,
            excluded: request.excluded,
            times: apart(request.times),
        };
        let count = set.count().await?;
        let counted = match request.group_by {
            Some(group_by) if count > 0 => set.groups(group_by, count).await?,
            group_by => SetGroups::of(group_by, Vec::new()),
        };
        let limit = request.limit.min(MOST_MEMBERS);
        let members = match count {
            0 => Vec::new(),
            _ => set.members(request.order, limit).await?,
        };
        Ok(SetMembers::default()
            .with_count(count)
            .with_members(members)
            .with_diagnostics(counted.left_out_note().into_iter().collect())
            .with_groups(counted.groups)
            .with_left_out(counted.left_out)
            .with_group_by(counted.group_by))
    }
}

/// Entries that pass a filter and are of one of some times.
pub(crate) struct MemberSet<'s> {
    pub(crate) services: &'s Services,
    pub(crate) tenant: &'s str,
    pub(crate) filter: Filter,
    /// Conditions of which an entry meets none.
    pub(crate) excluded: Vec<FilterClause>,
    /// Apart from each other, in their order; one that is open for any time.
    pub(crate) times: Vec<TimeRange>,
}

impl MemberSet<'_> {
    pub(crate) async fn count(&self) -> Result<u64> {
        let mut count = 0;
        for time in &self.times {
            count += self.counts(*time, Vec::new()).await?.count;
        }
        Ok(count)
    }

    pub(crate) async fn counts(
        &self,
        time: TimeRange,
        facets: Vec<FilterField>,
    ) -> Result<MatchCounts> {
        let request = MatchRequest {
            query: self.query(),
            filter: self.filter_of(time),
            fuzzy: false,
            facets,
            values: MOST_READ,
        };
        let store = self.services.store();
        Ok(store.text_matches(self.tenant, request).await?)
    }

    /// What no member is, as a tree of a query.
    fn query(&self) -> ParsedQuery {
        let excluded = self.excluded.iter().cloned();
        let excluded: Vec<Node> = excluded
            .map(|clause| Node::Not(Box::new(Node::Field(clause))))
            .collect();
        ParsedQuery {
            root: (!excluded.is_empty()).then_some(Node::And(excluded)),
            ..ParsedQuery::default()
        }
    }

    /// Never empty: a text index finds nothing where nothing is asked for.
    fn filter_of(&self, time: TimeRange) -> Filter {
        let filter = self.filter.clone();
        let time = match time == TimeRange::default() {
            true if filter.is_empty() => all_times(),
            true => return filter,
            false => time,
        };
        filter.and(FilterField::Timestamp, Condition::Time(time))
    }

    /// The first or last members, in that order.
    pub(crate) async fn members(
        &self,
        order: Option<TimeOrder>,
        limit: usize,
    ) -> Result<Vec<SetMember>> {
        let is_oldest_first = order == Some(TimeOrder::Oldest);
        let mut times = self.times.clone();
        if !is_oldest_first {
            times.reverse();
        }
        let mut members = Vec::new();
        for time in times {
            let left = limit - members.len();
            if left == 0 {
                break;
            }
            members.extend(match is_oldest_first {
                true => self.oldest(time, left).await?,
                false => self.newest(time, left).await?,
            });
        }
        Ok(members)
    }

    /// The text index lists by time, the newest first.
    async fn newest(&self, time: TimeRange, limit: usize) -> Result<Vec<SetMember>> {
        let request = TextRequest {
            query: self.query(),
            filter: self.filter_of(time),
            limit,
            fuzzy: false,
        };
        let store = self.services.store();
        let found = store.text_search(self.tenant, request).await?;
        Ok(found.hits.iter().filter_map(member_of).collect())
    }

    async fn oldest(&self, time: TimeRange, limit: usize) -> Result<Vec<SetMember>> {
        let count = self.counts(time, Vec::new()).await?.count;
        if let Some(count) = usize::try_from(count)
            .ok()
            .filter(|count| *count <= MOST_MEMBERS)
        {
            let mut members = self.newest(time, count).await?;
            members.reverse();
            members.truncate(limit);
            return Ok(members);
        }
        let mut request = ListRequest {
            filter: self.filter_of(time),
            limit: match self.excluded.is_empty() {
                true => limit,
                false => limit.max(PAGE),
            },
            after: None,
            newest_first: false,
        };
        let mut members = Vec::new();
        loop {
            let page = self.services.store().list(self.tenant, request.clone());
            let page = page.await?;
            let mut entries = page.entries;
            entries.retain(|entry| !is_excluded(&self.excluded, entry));
            members.extend(entries.into_iter().map(member));
            request.after = page.next;
            if members.len() >= limit || request.after.is_none() {
                members.truncate(limit);
                return Ok(members);
            }
        }
    }
}

fn member(entry: Entry) -> SetMember {
    SetMember {
        entry_id: entry.entry_id,
        kind: entry.kind,
        timestamp: entry.timestamp,
    }
}

/// A hit of a list, whose score is its time in seconds since 1970.
fn member_of(hit: &Hit) -> Option<SetMember> {
    let micros = (hit.score * 1e6).round() as i64;
    Some(SetMember {
        entry_id: hit.entry_id.clone(),
        kind: hit.kind.clone(),
        timestamp: Timestamp::from_microsecond(micros).ok()?,
    })
}

/// A span of time that every entry is of.
fn all_times() -> TimeRange {
    TimeRange {
        from: Some(Timestamp::MIN),
        until: None,
    }
}

/// Ranges in their order, those that meet joined, so that no entry is of two.
pub(crate) fn apart(mut times: Vec<TimeRange>) -> Vec<TimeRange> {
    if times.is_empty() {
        return vec![TimeRange::default()];
    }
    times.sort_by_key(|time| time.from);
    let mut joined: Vec<TimeRange> = Vec::new();
    for time in times {
        match joined.last_mut() {
            Some(last) if meets(last, &time) => {
                last.until = last.until.zip(time.until).map(|(a, b)| a.max(b));
            }
            _ => joined.push(time),
        }
    }
    joined
}

/// Whether a range reaches the next one.
fn meets(one: &TimeRange, next: &TimeRange) -> bool {
    let Some(until) = one.until else { return true };
    next.from.is_none_or(|from| from <= until)
}

/// Whether an entry meets one of the conditions that no member meets.
pub(crate) fn is_excluded(excluded: &[FilterClause], entry: &Entry) -> bool {
    excluded.iter().any(|clause| clause.matches(entry))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn range(from: Option<&str>, until: Option<&str>) -> TimeRange {
        let read = |day: Option<&str>| day.map(|day| format!("{day}T00:00:00Z").parse().unwrap());
        TimeRange {
            from: read(from),
            until: read(until),
        }
    }

    #[test]
    fn times_that_meet_are_one() {
        let years = |first: &str, end: &str| {
            range(
                Some(&format!("{first}-01-01")),
                Some(&format!("{end}-01-01")),
            )
        };
        assert_eq!(
            apart(vec![years("2006", "2007"), years("2005", "2006")]),
            [years("2005", "2007")]
        );
        let far = vec![years("2003", "2004"), years("2005", "2006")];
        assert_eq!(apart(far.clone()), far);
        let open = range(Some("2004-01-01"), None);
        assert_eq!(
            apart(vec![years("2003", "2008"), open]),
            [range(Some("2003-01-01"), None)]
        );
        assert_eq!(apart(Vec::new()), [TimeRange::default()]);
    }
}
