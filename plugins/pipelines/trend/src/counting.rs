//! How many entries there are of each period, in all and of each value.

use std::collections::BTreeMap;

use gannet_plugin::filter::{Condition, Filter, FilterClause, FilterField, TimeRange};
use gannet_plugin::plan::{GroupBy, SetGroup, SetMember, SetRequest, TimeOrder};
use gannet_plugin::prelude::{Context, Result};
use jiff::Timestamp;

use crate::period::{Period, TimeSpan};
use crate::question::Question;

/// Members that the host gives at once.
const MOST_MEMBERS: usize = 1_000;
/// Entries that are read at once.
const READ_AT_ONCE: usize = 500;
/// Members about a topic from which the time is halved: the host finds a limited
/// number of entries about a topic at once.
const MEMBERS_OF_A_TOPIC: u64 = 100;
/// Times in which entries about a topic are looked for, at most.
const MOST_SEARCHES: usize = 64;

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) count: u64,
    /// Whether entries about the topic may have been left out: the counts are too
    /// low, of some periods more than of others.
    pub(crate) is_cut: bool,
    /// The entries of each period.
    pub(crate) counts: Vec<u64>,
    /// All entries of the logbook in each period.
    pub(crate) all: Vec<u64>,
    /// The values with the most entries.
    pub(crate) series: Vec<Series>,
    /// Entries without a value, and how many values are not among them.
    pub(crate) without_value: u64,
    pub(crate) other_values: u64,
    /// The oldest and the newest, as far as they are known.
    pub(crate) first: Option<SetMember>,
    /// The newest first.
    pub(crate) newest: Vec<SetMember>,
}

/// The entries of a value.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) value: String,
    pub(crate) counts: Vec<u64>,
}

impl Series {
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// What is counted, and by what.
pub(crate) struct Counting<'q> {
    pub(crate) question: &'q Question,
    pub(crate) observed: TimeSpan,
    pub(crate) periods: &'q [Period],
    /// Values that are counted, at most.
    pub(crate) series: usize,
    pub(crate) context: &'q Context,
}

impl Counting<'_> {
    /// Counts. Sets of at most 1,000 entries are counted by the times of their
    /// members, larger ones by a count for each period.
    ///
    /// # Errors
    /// Those of the host.
    pub(crate) async fn run(&self) -> Result<Counted> {
        let set = &self.question.set;
        let mut counted = if set.topic.is_empty() {
            let (count, members) = self.newest_members().await?;
            match members.len() as u64 == count {
                true => self.by_members(members).await?,
                false => self.by_periods(count, members).await?,
            }
        } else {
            let (members, is_cut) = self.members_of_topic().await?;
            let counted = self.by_members(members).await?;
            Counted { is_cut, ..counted }
        };
        let logbook = self.question.logbook();
        let has_all = set.topic.is_empty() && set.excluded.is_empty();
        let is_all = has_all && set.filter == logbook && set.times.len() < 2;
        counted.all = match is_all {
            true => counted.counts.clone(),
            false => self.counts_of(&logbook, &[], &[]).await?,
        };
        Ok(counted)
    }

    async fn newest_members(&self) -> Result<(u64, Vec<SetMember>)> {
        let set = &self.question.set;
        let request = SetRequest::new(set.filter.clone(), set.times.clone())
            .with_excluded(set.excluded.clone())
            .with_order(TimeOrder::Newest)
            .with_limit(MOST_MEMBERS);
        let found = self.context.set_members(&request).await?;
        Ok((found.count, found.members))
    }

    /// The members about a topic, looked for in parts of the time so that no
    /// part has more than the host finds at once; and whether one still has.
    async fn members_of_topic(&self) -> Result<(Vec<SetMember>, bool)> {
        let set = &self.question.set;
        let times = match set.times.is_empty() {
            true => vec![TimeRange::default()],
            false => set.times.clone(),
        };
        let mut parts: Vec<TimeRange> = times;
        let mut members: Vec<SetMember> = Vec::new();
        let mut searches = 0;
        let mut is_cut = false;
        while let Some(part) = parts.pop() {
            searches += 1;
            let request = SetRequest::new(set.filter.clone(), vec![part])
                .with_excluded(set.excluded.clone())
                .with_topic(set.topic.clone())
                .with_order(TimeOrder::Newest)
                .with_limit(MOST_MEMBERS);
            let found = self.context.set_members(&request).await?;
            let is_large = found.count > MEMBERS_OF_A_TOPIC;
            match self.halves(part).filter(|_| is_large) {
                Some(halves) if searches + parts.len() + 2 <= MOST_SEARCHES => parts.extend(halves),
                _ => {
                    is_cut |= is_large;
                    members.extend(found.members);
                }
            }
        }
        members.sort_by(|a, b| (b.timestamp, &b.entry_id).cmp(&(a.timestamp, &a.entry_id)));
        members.dedup();
        Ok((members, is_cut))
    }

    /// Both halves of a part of the observed time; `None` below a day.
    fn halves(&self, part: TimeRange) -> Option<[TimeRange; 2]> {
        let from = part
            .from
            .unwrap_or(self.observed.from)
            .max(self.observed.from);
        let until = part
            .until
            .unwrap_or(self.observed.until)
            .min(self.observed.until);
        let half = until.duration_since(from).as_secs() / 2;
        if half < 43_200 {
            return None;
        }
        let middle = Timestamp::from_second(from.as_second() + half).ok();
        Some([
            TimeRange {
                from: part.from,
                until: middle,
            },
            TimeRange {
                from: middle,
                until: part.until,
            },
        ])
    }

    /// The counts of members that are all known, the newest first.
    async fn by_members(&self, members: Vec<SetMember>) -> Result<Counted> {
        let mut counted = Counted {
            count: members.len() as u64,
            counts: vec![0; self.periods.len()],
            first: members.last().cloned(),
            ..Counted::default()
        };
        for member in &members {
            if let Some(at) = self.period_of(member.timestamp) {
                counted.counts[at] += 1;
            }
        }
        if let Some(field) = &self.question.by {
            self.add_values(field, &members, &mut counted).await?;
        }
        counted.newest = members;
        Ok(counted)
    }

    async fn add_values(
        &self,
        field: &FilterField,
        members: &[SetMember],
        counted: &mut Counted,
    ) -> Result<()> {
        let mut by_value: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for some in members.chunks(READ_AT_ONCE) {
            let ids = some.iter().map(|member| member.entry_id.clone());
            for entry in self.context.entries(ids.collect()).await? {
                let values = field.values_of(&entry);
                let mut values: Vec<&String> =
                    values.iter().filter(|one| !one.is_empty()).collect();
                values.sort();
                values.dedup();
                counted.without_value += u64::from(values.is_empty());
                let Some(at) = self.period_of(entry.timestamp) else {
                    continue;
                };
                for value in values {
                    let counts = by_value.entry(value.clone());
                    counts.or_insert_with(|| vec![0; self.periods.len()])[at] += 1;
                }
            }
        }
        let series = by_value.into_iter();
        let mut series: Vec<Series> = series
            .map(|(value, counts)| Series { value, counts })
            .collect();
        series.sort_by_key(|one| std::cmp::Reverse(one.count()));
        let others = series.split_off(self.series.min(series.len()));
        counted.other_values = others.len() as u64;
        counted.series = series;
        Ok(())
    }

    /// A count for each period, and each value of a field.
    async fn by_periods(&self, count: u64, members: Vec<SetMember>) -> Result<Counted> {
        let set = &self.question.set;
        let mut counted = Counted {
            count,
            counts: self
                .counts_of(&set.filter, &set.excluded, &set.times)
                .await?,
            newest: members,
            ..Counted::default()
        };
        let oldest = SetRequest::new(set.filter.clone(), set.times.clone())
            .with_excluded(set.excluded.clone())
            .with_order(TimeOrder::Oldest)
            .with_limit(1);
        let found = self.context.set_members(&oldest).await?;
        counted.first = found.members.into_iter().next();
        let Some(field) = &self.question.by else {
            return Ok(counted);
        };
        let request = SetRequest::new(set.filter.clone(), set.times.clone())
            .with_excluded(set.excluded.clone())
            .with_group_by(GroupBy::Field(field.clone()));
        for group in self.context.set_members(&request).await?.groups {
            if group.value == SetGroup::NO_VALUE {
                counted.without_value = group.count;
                continue;
            }
            if counted.series.len() >= self.series {
                counted.other_values += 1;
                continue;
            }
            let of_value = Condition::Equals(group.value.clone());
            let filter = set.filter.clone().and(field.clone(), of_value);
            let counts = self.counts_of(&filter, &set.excluded, &set.times).await?;
            counted.series.push(Series {
                value: group.value,
                counts,
            });
        }
        Ok(counted)
    }

    async fn counts_of(
        &self,
        filter: &Filter,
        excluded: &[FilterClause],
        times: &[TimeRange],
    ) -> Result<Vec<u64>> {
        let mut counts = Vec::with_capacity(self.periods.len());
        for period in self.periods {
            let within = TimeRange {
                from: Some(period.span.from),
                until: Some(period.span.until),
            };
            let times = match times {
                [] => vec![within],
                times => times
                    .iter()
                    .filter_map(|time| time.intersection(within))
                    .collect(),
            };
            if times.is_empty() {
                counts.push(0);
                continue;
            }
            let request = SetRequest::new(filter.clone(), times).with_excluded(excluded.to_vec());
            counts.push(self.context.set_members(&request).await?.count);
        }
        Ok(counts)
    }

    fn period_of(&self, time: Timestamp) -> Option<usize> {
        let after = self
            .periods
            .partition_point(|period| period.span.from <= time);
        let at = after.checked_sub(1)?;
        (time < self.periods[at].span.until).then_some(at)
    }
}
