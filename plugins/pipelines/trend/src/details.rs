//! A trend as results show it.

use std::ops::Range;

use gannet_plugin::filter::{FilterField, TimeRange};
use gannet_plugin::plan::{GroupBy, SetQuery};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::changes::{Changes, change_points};
use crate::counting::Counted;
use crate::interval::{MeanTime, mean_time_between};
use crate::period::{Period, TimeSpan, Unit};
use crate::question::Question;

/// The probability of a false change point in the total, and in all values
/// together, at most.
pub(crate) const LEVEL: f64 = 0.05;
/// The tests, by their names and sources.
const METHOD: &str = "binary segmentation (Scott, Knott 1974) with a Poisson likelihood ratio; \
permutation test, and among all entries of the logbook the exact test of Worsley (1983); \
level 0.05 for all change points of the total, and for those of all values together";
const INTERVAL: &str = "exact interval of a Poisson process (Garwood 1936), 95 %";

/// A trend.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Trend {
    /// The answer without its rows.
    pub(crate) summary: String,
    pub(crate) unit: Unit,
    /// The field whose values are counted.
    pub(crate) by: Option<String>,
    /// The observed time: of the logbook and of the question; none where the
    /// logbook has no entries of it.
    pub(crate) from: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    pub(crate) count: u64,
    /// Whether entries about a topic are counted, that are probably about it, and
    /// whether some of them may be left out.
    pub(crate) is_about: bool,
    pub(crate) is_cut: bool,
    /// Why no change of the rate is looked for, and no mean time given.
    pub(crate) untested: Option<&'static str>,
    /// A query for the entries; none for those about a topic.
    pub(crate) filter: Option<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) change_points: Vec<Change>,
    /// Periods where the rate changes as that of all entries may: no change points.
    pub(crate) follows_logbook: Vec<String>,
    pub(crate) mean_time_between: Option<MeanTime>,
    pub(crate) series: Vec<ValueTrend>,
    /// Entries without a value of the field.
    pub(crate) without_value: u64,
    /// Values that are not in `series`.
    pub(crate) other_values: u64,
    pub(crate) method: Method,
    /// The chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) svg: Option<String>,
}

/// A period.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) value: String,
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
    pub(crate) count: u64,
    /// All entries of the logbook.
    pub(crate) all: u64,
    pub(crate) is_partial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter: Option<String>,
}

/// A change point.
#[derive(Debug, Serialize)]
pub(crate) struct Change {
    /// The first period of the new rate, by its name.
    pub(crate) at: String,
    /// Entries of a period before and after it.
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) p_value: f64,
}

/// The trend of a value.
#[derive(Debug, Serialize)]
pub(crate) struct ValueTrend {
    pub(crate) value: String,
    pub(crate) count: u64,
    /// The entries of each row.
    pub(crate) counts: Vec<u64>,
    pub(crate) change_points: Vec<Change>,
    pub(crate) mean_time_between: Option<MeanTime>,
}

/// How change points and intervals are computed.
#[derive(Debug, Serialize)]
pub(crate) struct Method {
    pub(crate) change_points: &'static str,
    pub(crate) mean_time_between: &'static str,
    pub(crate) level: f64,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            change_points: METHOD,
            mean_time_between: INTERVAL,
            level: LEVEL,
        }
    }
}

impl Trend {
    pub(crate) fn of(
        question: &Question,
        observed: TimeSpan,
        (unit, periods): (Unit, &[Period]),
        counted: &Counted,
    ) -> Self {
        let complete = complete(periods);
        let untested = why_untested(question, counted);
        let changes_of = |counts: &[u64], level: f64| {
            if untested.is_some() {
                return Changes::default();
            }
            let of = |counts: &[u64]| counts.get(complete.clone()).unwrap_or_default().to_vec();
            change_points(&of(counts), &of(&counted.all), level)
        };
        let name = |at: &usize| periods[complete.start + at].name.clone();
        let shown = |changes: &Changes| -> Vec<Change> {
            let points = changes.points.iter();
            points
                .map(|point| Change {
                    at: name(&point.at),
                    before: point.before,
                    after: point.after,
                    p_value: point.p_value,
                })
                .collect()
        };
        let mean_time = |count: u64| match untested {
            Some(_) => None,
            None => mean_time_between(count, observed.days()),
        };
        let total = changes_of(&counted.counts, LEVEL);
        let level = LEVEL / counted.series.len().max(1) as f64;
        let series = counted.series.iter().map(|one| ValueTrend {
            value: one.value.clone(),
            count: one.count(),
            counts: one.counts.clone(),
            change_points: shown(&changes_of(&one.counts, level)),
            mean_time_between: mean_time(one.count()),
        });
        let places = 0..periods.len();
        Self {
            summary: String::new(),
            unit,
            by: question.by.as_ref().map(FilterField::query_name),
            from: Some(observed.from),
            until: Some(observed.until),
            count: counted.count,
            is_about: !question.set.is_exact(),
            is_cut: counted.is_cut,
            untested,
            filter: question.set.row_query(None),
            rows: places
                .map(|at| row(question, unit, &periods[at], counted, at))
                .collect(),
            change_points: shown(&total),
            follows_logbook: total.follow_all.iter().map(name).collect(),
            mean_time_between: mean_time(counted.count),
            series: series.collect(),
            without_value: counted.without_value,
            other_values: counted.other_values,
            method: Method::default(),
            svg: None,
        }
    }

    /// The counts, as questions about sets show theirs.
    pub(crate) fn set_details(&self, question: &Question) -> Value {
        let rows = self
            .rows
            .iter()
            .map(|row| json!({ "value": row.value, "count": row.count, "filter": row.filter }));
        json!({ "set": {
            "operation": "count",
            "count": self.count,
            "certain": self.count,
            "is_exact": question.set.is_exact() && !question.set.is_assumed,
            "group_by": self.unit,
            "rows": rows.collect::<Vec<_>>(),
            "filter": self.filter,
        } })
    }
}

/// Why nothing is said of the rate: it is unknown where entries were left out,
/// and periods between the times of a question were not asked for.
fn why_untested(question: &Question, counted: &Counted) -> Option<&'static str> {
    if counted.is_cut {
        return Some("there are more entries about the topic than were found");
    }
    (question.set.times.len() > 1).then_some("the question names several times")
}

/// The places of the periods that are complete: all but the first and the last.
fn complete(periods: &[Period]) -> Range<usize> {
    let is_partial = |period: Option<&Period>| period.is_some_and(|period| period.is_partial);
    let from = usize::from(is_partial(periods.first()));
    let until = periods.len() - usize::from(is_partial(periods.last()));
    from..until.max(from)
}

fn row(question: &Question, unit: Unit, period: &Period, counted: &Counted, at: usize) -> Row {
    let (from, until) = (period.span.from, period.span.until);
    let time = TimeRange {
        from: Some(from),
        until: Some(until),
    };
    Row {
        value: period.name.clone(),
        from,
        until,
        count: counted.counts.get(at).copied().unwrap_or_default(),
        all: counted.all.get(at).copied().unwrap_or_default(),
        is_partial: period.is_partial,
        filter: row_query(&question.set, unit, time, &period.name),
    }
}

/// A query for the entries of a period; the names of days, months and years are
/// dates of the query language.
fn row_query(set: &SetQuery, unit: Unit, time: TimeRange, name: &str) -> Option<String> {
    let by = match unit {
        Unit::Year => GroupBy::Year,
        Unit::Month => GroupBy::Month,
        Unit::Day => GroupBy::Day,
        Unit::Week => {
            let asked = set.times.iter();
            let mut times: Vec<TimeRange> =
                asked.filter_map(|asked| asked.intersection(time)).collect();
            if set.times.is_empty() {
                times.push(time);
            }
            // Several times are no single query.
            let is_one = times.len() == 1;
            return is_one.then(|| set.clone().with_times(times).row_query(None))?;
        }
    };
    set.clone().with_group_by(by).row_query(Some(name))
}
