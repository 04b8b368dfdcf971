//! The members of a set by day, by month, by year, or by the values of a field.

use gannet_api::{
    Condition, Diagnostic, Error, FilterClause, FilterField, GroupBy, Result, SetGroup, TimeOrder,
    TimeRange,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::set_members::MemberSet;
use crate::timeline::{TimeUnit, starts};

/// Values that members are counted by, at most.
const MOST_VALUES: usize = 400;

/// What members are counted by, and the counts.
#[derive(Debug)]
pub(crate) struct SetGroups {
    pub(crate) group_by: Option<GroupBy>,
    pub(crate) groups: Vec<SetGroup>,
    /// Values beyond the most frequent ones, which have no group.
    pub(crate) left_out: u64,
}

impl SetGroups {
    pub(crate) fn of(group_by: Option<GroupBy>, groups: Vec<SetGroup>) -> Self {
        Self {
            group_by,
            groups,
            left_out: 0,
        }
    }

    /// Says how many values are left out, where some are.
    pub(crate) fn left_out_note(&self) -> Option<Diagnostic> {
        let left_out = self.left_out;
        let message = format!(
            "the {MOST_VALUES} most frequent values are given; {left_out} more are left out"
        );
        (left_out > 0).then(|| Diagnostic::info("service.set_members", message))
    }
}

impl MemberSet<'_> {
    /// What the members are counted by, and the counts. Too many days are
    /// counted by month, and too many months by year.
    pub(crate) async fn groups(&self, group_by: GroupBy, count: u64) -> Result<SetGroups> {
        if let GroupBy::Field(field) = &group_by {
            let (groups, left_out) = self.groups_of_field(field, count).await?;
            return Ok(SetGroups {
                group_by: Some(group_by),
                groups,
                left_out,
            });
        }
        let Some((first, last)) = self.first_and_last().await? else {
            return Ok(SetGroups::of(Some(group_by), Vec::new()));
        };
        let units = [
            (GroupBy::Day, TimeUnit::Day, "%Y-%m-%d"),
            (GroupBy::Month, TimeUnit::Month, "%Y-%m"),
        ];
        let asked = units.iter().position(|(unit, ..)| *unit == group_by);
        for (by, unit, name) in units.into_iter().skip(asked.unwrap_or(usize::MAX)) {
            if let Ok((_, starts)) = starts(Some(unit), first, last) {
                let groups = self.groups_of_time(&starts, name).await?;
                return Ok(SetGroups::of(Some(by), groups));
            }
        }
        let (_, years) = starts(Some(TimeUnit::Year), first, last)
            .map_err(|error| Error::invalid_input(error.to_string()))?;
        let groups = self.groups_of_time(&years, "%Y").await?;
        Ok(SetGroups::of(Some(GroupBy::Year), groups))
    }

    /// The most frequent values, and how many others there are.
    async fn groups_of_field(
        &self,
        field: &FilterField,
        count: u64,
    ) -> Result<(Vec<SetGroup>, u64)> {
        let mut groups: Vec<SetGroup> = Vec::new();
        for time in &self.times {
            let counts = self.counts(*time, vec![field.clone()]).await?;
            for (value, count) in counts.facets.into_iter().flatten() {
                match groups.iter_mut().find(|group| group.value == value) {
                    Some(group) => group.count += count,
                    None => groups.push(SetGroup { value, count }),
                }
            }
        }
        let without = self.without(field, count, &mut groups).await?;
        groups.sort_by(|a, b| (b.count, &a.value).cmp(&(a.count, &b.value)));
        let left_out = groups.len().saturating_sub(MOST_VALUES) as u64;
        groups.truncate(MOST_VALUES);
        groups.extend(without);
        Ok((groups, left_out))
    }

    /// The members without a value of a field, and those whose value is empty,
    /// which are taken from the groups.
    async fn without(
        &self,
        field: &FilterField,
        all: u64,
        groups: &mut Vec<SetGroup>,
    ) -> Result<Option<SetGroup>> {
        let is_empty = |group: &mut SetGroup| group.value.is_empty();
        let mut count: u64 = groups
            .extract_if(.., is_empty)
            .map(|group| group.count)
            .sum();
        // Other fields are of every entry.
        if let FilterField::Metadata(_) = field {
            count += all.saturating_sub(self.with_any_value(field).count().await?);
        }
        Ok((count > 0).then(|| SetGroup {
            value: SetGroup::NO_VALUE.to_owned(),
            count,
        }))
    }

    /// Those of the members that have a value of a field.
    fn with_any_value(&self, field: &FilterField) -> Self {
        let mut filter = self.filter.clone();
        filter.clauses.push(FilterClause {
            field: field.clone(),
            condition: Condition::Contains(String::new()),
        });
        Self {
            services: self.services,
            tenant: self.tenant,
            filter,
            excluded: self.excluded.clone(),
            times: self.times.clone(),
        }
    }

    /// The days of the outermost members, or where the times begin and end; not
    /// after the present.
    async fn first_and_last(&self) -> Result<Option<(Date, Date)>> {
        let options = self.services.query_options();
        let (zone, now) = (options.timezone, options.now);
        let outermost = (
            self.members(Some(TimeOrder::Oldest), 1).await?,
            self.members(Some(TimeOrder::Newest), 1).await?,
        );
        let (Some(first), Some(last)) = (outermost.0.first(), outermost.1.first()) else {
            return Ok(None);
        };
        let date = |at: Timestamp| at.to_zoned(zone.clone()).date();
        let first = self
            .times
            .first()
            .and_then(|time| time.from)
            .map_or(first.timestamp, |from| from.min(first.timestamp));
        let until = self.times.last().and_then(|time| time.until);
        let until = until.map(|until| last_before(until.min(now)));
        let last = until.map_or(last.timestamp, |until| until.max(last.timestamp));
        Ok(Some((date(first), date(last))))
    }

    async fn groups_of_time(&self, starts: &[Date], name: &str) -> Result<Vec<SetGroup>> {
        let zone = self.services.query_options().timezone;
        let mut groups = Vec::with_capacity(starts.len());
        for pair in starts.windows(2) {
            let range = TimeRange {
                from: Some(start_of(pair[0], &zone)?),
                until: Some(start_of(pair[1], &zone)?),
            };
            let mut count = 0;
            for time in self
                .times
                .iter()
                .filter_map(|time| time.intersection(range))
            {
                count += self.counts(time, Vec::new()).await?.count;
            }
            let value = pair[0].strftime(name).to_string();
            groups.push(SetGroup { value, count });
        }
        Ok(groups)
    }
}

/// The last instant before another one.
fn last_before(end: Timestamp) -> Timestamp {
    end.checked_sub(SignedDuration::from_nanos(1))
        .unwrap_or(end)
}

fn start_of(date: Date, zone: &TimeZone) -> Result<Timestamp> {
    let zoned = date.to_zoned(zone.clone());
    let out_of_range = |error| Error::invalid_input(format!("a time is out of range: {error}"));
    Ok(zoned.map_err(out_of_range)?.timestamp())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn range(from: &str, until: Option<&str>) -> TimeRange {
        let read = |day: &str| format!("{day}T00:00:00Z").parse().unwrap();
        TimeRange {
            from: Some(read(from)),
            until: until.map(read),
        }
    }

    #[test]
    fn values_without_a_group_are_noted() {
        let mut counted = SetGroups::of(Some(GroupBy::from_name("author")), Vec::new());
        assert_eq!(counted.left_out_note(), None);
        counted.left_out = 50;
        let note = counted.left_out_note().unwrap().message;
        assert_eq!(
            note,
            "the 400 most frequent values are given; 50 more are left out"
        );
    }

    #[test]
    fn a_year_and_an_open_range_have_a_part_in_common() {
        let year = range("2004-01-01", Some("2005-01-01"));
        let since = range("2004-06-01", None);
        assert_eq!(
            year.intersection(since),
            Some(range("2004-06-01", Some("2005-01-01")))
        );
        assert_eq!(year.intersection(range("2006-01-01", None)), None);
    }
}
