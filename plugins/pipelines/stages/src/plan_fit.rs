//! How well an entry fits the times and things that a question names in its
//! words.

use gannet_plugin::plan::{PlanEntity, PlanTime, QueryPlan};
use gannet_plugin::prelude::{Entry, Hit, settings};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use serde_json::Value;

/// Reports are written some days after an event, seldom before it: entries of
/// this many days around a time fit it to [`FIT_AROUND`].
const DAYS_BEFORE: i64 = 1;
const DAYS_AFTER: i64 = 4;
/// How well an entry around a time fits it.
const FIT_AROUND: f64 = 0.6;
/// An entry that names a day may have been written this many days from it.
const DAYS_FROM_A_NAMED_DAY: i64 = 120;
/// Days of a time that are looked for in the text, at most.
const DAYS_IN_TEXT: usize = 3;

/// How well an entry's time must fit to be of the times of a plan.
const FIT_OF_TIME: f64 = FIT_AROUND;

/// How much the times and things count that a question names in its words, in
/// units of the best score. `docs/quality.md` has what each value gives on
/// questions over two collections of reports.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct PlanWeights {
    /// How much a time that fits raises an entry.
    #[setting(default = 0.5, min = 0.0)]
    pub time: f64,
    /// How much each thing that is named raises an entry that has it.
    #[setting(default = 0.2, min = 0.0)]
    pub entity: f64,
    /// The weight of what is found among the entries of the time and the
    /// things alone.
    #[setting(default = 0.5, min = 0.0)]
    pub list: f64,
}

/// How well an entry fits the times of a plan, 0 to 1: 1 for one that was
/// written within a time, or that names a day of it in a field or in its text,
/// 0.6 for one that was written around it. 1 when the plan has no time.
pub fn time_fit(entry: &Entry, plan: &QueryPlan, timezone: &str) -> f64 {
    if plan.times.is_empty() {
        return 1.0;
    }
    let fits = plan.times.iter().map(|time| fit(entry, time, timezone));
    fits.fold(0.0, f64::max)
}

/// Whether an entry is of the times of a plan, or of the days around them.
pub fn is_of_time(entry: &Entry, plan: &QueryPlan, timezone: &str) -> bool {
    time_fit(entry, plan, timezone) >= FIT_OF_TIME
}

/// The entries of the times of a plan: those that fit one in full, or, where
/// there is none, those of the days around. The days around a time are for
/// reports that were written late; the first entry of a year is one of that
/// year where it has any. Empty where no entry is of them.
pub fn of_times<'e>(entries: &[&'e Entry], plan: &QueryPlan, timezone: &str) -> Vec<&'e Entry> {
    let fitting = |least: f64| -> Vec<&'e Entry> {
        let entries = entries.iter().copied();
        let fitting = entries.filter(|entry| time_fit(entry, plan, timezone) >= least);
        fitting.collect()
    };
    let within = fitting(1.0);
    match within.is_empty() {
        true => fitting(FIT_OF_TIME),
        false => within,
    }
}

/// A time with the days around it, as far as it has bounds.
pub fn around(time: &PlanTime) -> (Option<Timestamp>, Option<Timestamp>) {
    let hours = |days: i64| (days * 24).hours();
    let from = time
        .from
        .map(|at| at.checked_sub(hours(DAYS_BEFORE)).unwrap_or(Timestamp::MIN));
    let to = time
        .to
        .map(|at| at.checked_add(hours(DAYS_AFTER)).unwrap_or(Timestamp::MAX));
    (from, to)
}

fn fit(entry: &Entry, time: &PlanTime, timezone: &str) -> f64 {
    if time.range().contains(entry.timestamp) || names_a_day_of(entry, time, timezone) {
        return 1.0;
    }
    let (from, to) = around(time);
    let is_around =
        from.is_none_or(|from| entry.timestamp >= from) && to.is_none_or(|to| entry.timestamp < to);
    if is_around { FIT_AROUND } else { 0.0 }
}

/// Whether a field of the entry has a day of the time, or its text names one.
fn names_a_day_of(entry: &Entry, time: &PlanTime, timezone: &str) -> bool {
    let (Some(first), Some(end)) = (
        time.from.and_then(|from| day_of(from, timezone)),
        time.to.and_then(|to| day_of(to, timezone)),
    ) else {
        return false;
    };
    let Some(written) = day_of(entry.timestamp, timezone) else {
        return false;
    };
    let is_near = |day: Date| {
        (written - day).get_days().unsigned_abs() <= DAYS_FROM_A_NAMED_DAY.unsigned_abs() as u32
    };
    let is_of_time = |day: &Date| *day >= first && *day < end;
    if entry
        .metadata
        .values()
        .filter_map(date_of)
        .any(|day| is_of_time(&day))
    {
        return true;
    }
    let days: Vec<Date> = first
        .series(1.day())
        .take_while(|day| *day < end)
        .take(DAYS_IN_TEXT + 1)
        .collect();
    days.len() <= DAYS_IN_TEXT
        && days
            .iter()
            .any(|day| is_near(*day) && names_day(&entry.raw_text, *day))
}

fn day_of(instant: Timestamp, timezone: &str) -> Option<Date> {
    instant.in_tz(timezone).ok().map(|local| local.date())
}

/// A field's value, when it is a date or begins with one.
fn date_of(value: &Value) -> Option<Date> {
    value
        .as_str()
        .and_then(|text| text.get(..10))
        .and_then(|text| text.parse().ok())
}

/// Whether a text names a day: `2003-01-15`, `1/15/2003`, `15.01.03`, `January
/// 15`, `15 Jan`.
fn names_day(text: &str, day: Date) -> bool {
    let (d, m, y) = (day.day(), day.month(), day.year());
    let short = y.rem_euclid(100);
    let mut forms = vec![format!("{y}-{m:02}-{d:02}")];
    for separator in ['/', '.', '-'] {
        for year in [format!("{y}"), format!("{short:02}")] {
            for (a, b) in [(m, d), (d, m)] {
                forms.push(format!("{a}{separator}{b}{separator}{year}"));
                forms.push(format!("{a:02}{separator}{b:02}{separator}{year}"));
            }
        }
    }
    let name = day.strftime("%B").to_string();
    for month in [name.as_str(), &name[..3]] {
        for form in [
            format!("{month} {d}"),
            format!("{month} {d:02}"),
            format!("{d} {month}"),
        ] {
            forms.push(form);
        }
    }
    let text = text.to_lowercase();
    forms
        .iter()
        .any(|form| holds_whole(&text, &form.to_lowercase()))
}

/// Whether the text holds the form, and no digit or letter goes on with it; an
/// ordinal's ending may.
fn holds_whole(text: &str, form: &str) -> bool {
    text.match_indices(form).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + form.len()..];
        let ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| after.strip_prefix(end));
        let next = ordinal.unwrap_or(after).chars().next();
        let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !goes_on(before) && !goes_on(next)
    })
}

/// Whether an entry has the value that a question names.
pub fn is_of_entity(entry: &Entry, entity: &PlanEntity) -> bool {
    entity.clause().is_some_and(|clause| clause.matches(entry))
}

/// The boosts of one hit, by what gives them; each in units of the best score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Boosts {
    /// For a time that fits.
    pub time: f64,
    /// For the things that the question names.
    pub entities: f64,
}

impl Boosts {
    /// What the plan's soft times and things are worth for an entry.
    pub fn of(entry: &Entry, plan: &QueryPlan, timezone: &str, weights: &PlanWeights) -> Self {
        let has_soft_time = plan.soft_times().next().is_some();
        let time = match has_soft_time {
            true => weights.time * time_fit(entry, plan, timezone),
            false => 0.0,
        };
        let mut spans: Vec<_> = plan
            .soft_entities()
            .filter(|entity| is_of_entity(entry, entity))
            .map(|entity| entity.span.clone().map(|span| (span.start, span.end)))
            .collect();
        spans.sort_unstable();
        spans.dedup();
        Self {
            time,
            entities: weights.entity * spans.len() as f64,
        }
    }

    /// The boosts in units of this score.
    #[must_use]
    pub fn scaled(self, best: f64) -> Self {
        Self {
            time: self.time * best,
            entities: self.entities * best,
        }
    }

    /// Adds the boosts to a hit's score.
    pub fn add_to(self, hit: &mut Hit) {
        hit.score += self.time + self.entities;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::plan::{PlanSource, Precision};

    use super::*;

    fn written(day: &str) -> Entry {
        let at = format!("{day}T08:00:00Z").parse().unwrap();
        Entry::new(day, "log", at, "Pump tripped.")
    }

    fn days(entries: &[&Entry]) -> Vec<String> {
        let year = PlanTime::new(Precision::Year, PlanSource::Words)
            .with_from("2024-01-01T00:00:00Z".parse().ok())
            .with_to("2025-01-01T00:00:00Z".parse().ok());
        let plan = QueryPlan::default().with_times(vec![year]);
        let found = of_times(entries, &plan, "UTC").into_iter();
        found.map(|entry| entry.entry_id.clone()).collect()
    }

    #[test]
    fn the_days_around_a_time_count_where_it_has_no_entry_itself() {
        let [before, within, after, later] =
            ["2023-12-31", "2024-06-01", "2025-01-03", "2025-02-01"].map(written);
        let all = [&before, &within, &after, &later];
        assert_eq!(days(&all), ["2024-06-01"]);
        assert_eq!(
            days(&[&before, &after, &later]),
            ["2023-12-31", "2025-01-03"]
        );
        assert_eq!(days(&[&later]), Vec::<String>::new());
    }

    #[test]
    fn every_entry_is_of_a_question_without_a_time() {
        let entry = written("2024-06-01");
        let found = of_times(&[&entry], &QueryPlan::default(), "UTC");
        assert_eq!(found.len(), 1);
    }
}
