//! A trend in sentences.

use gannet_plugin::filter::FilterField;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::counting::Counted;
use crate::details::{Change, Trend};
use crate::interval::MeanTime;

/// Rows of the answer, at most.
const MOST_ROWS: usize = 100;

/// A trend in sentences, and the entries that it cites.
pub(crate) fn summary(trend: &Trend, counted: &Counted, zone: &TimeZone) -> (String, Vec<String>) {
    let mut cited = Vec::new();
    let mut lines = vec![heading(trend, zone)];
    let mut ends = Vec::new();
    for (name, member) in [
        ("first", &counted.first),
        ("last", &counted.newest.first().cloned()),
    ] {
        let Some(member) = member else { continue };
        let (id, day) = (&member.entry_id, day(member.timestamp, zone));
        ends.push(format!("The {name} one is of {day}. [#{id}]"));
        if !cited.contains(id) {
            cited.push(id.clone());
        }
    }
    lines.push(ends.join(" "));
    let mean = trend.mean_time_between.as_ref();
    lines.extend(mean.map(|mean| format!("Mean time between entries: {}.", interval(mean))));
    lines.extend(changes(trend));
    lines.extend(partial(trend));
    lines.extend(values(trend));
    lines.retain(|line| !line.is_empty());
    (lines.join("\n"), cited)
}

/// The counts of the periods, where there are any and they are few enough to be
/// read.
pub(crate) fn rows(trend: &Trend) -> String {
    if trend.count == 0 || trend.rows.len() > MOST_ROWS {
        return String::new();
    }
    let rows = trend.rows.iter();
    let rows = rows.map(|row| format!("\n- {}: {}", row.value, row.count));
    format!(
        "\nEntries by {}:{}",
        trend.unit.name(),
        rows.collect::<String>()
    )
}

fn heading(trend: &Trend, zone: &TimeZone) -> String {
    let entries = match trend.count {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    let last = |until: Timestamp| until.checked_sub(jiff::Span::new().seconds(1)).ok();
    let [from, until] = [trend.from, trend.until.and_then(last)]
        .map(|time| time.map(|time| day(time, zone)).unwrap_or_default());
    let about = match (trend.is_cut, trend.is_about) {
        (true, _) => "At least ",
        (false, true) => "About ",
        (false, false) => "",
    };
    format!("{about}{entries} from {from} to {until}.")
}

fn changes(trend: &Trend) -> Vec<String> {
    if let Some(reason) = trend.untested {
        return vec![format!("Changes of the rate are not tested: {reason}.")];
    }
    let unit = trend.unit.name();
    let mut lines: Vec<String> = trend
        .change_points
        .iter()
        .map(|change| format!("Change point: {}.", changed(change, unit)))
        .collect();
    if !trend.follows_logbook.is_empty() {
        lines.push(format!(
            "The rate changes in {}, as that of all entries of the logbook does.",
            trend.follows_logbook.join(", ")
        ));
    }
    if lines.is_empty() && trend.count > 0 {
        lines.push("No change of the rate is significant.".to_owned());
    }
    lines
}

/// `from 2025-03 on 8.1 instead of 2.5 a month (p = 0.002)`.
fn changed(change: &Change, unit: &str) -> String {
    let (after, before) = (number(change.after), number(change.before));
    let p = match change.p_value {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p => format!("p = {p:.3}"),
    };
    format!(
        "from {} on {after} instead of {before} a {unit} ({p})",
        change.at
    )
}

fn partial(trend: &Trend) -> Option<String> {
    let partial = trend.rows.iter().filter(|row| row.is_partial);
    let names: Vec<&str> = partial.map(|row| row.value.as_str()).collect();
    (!names.is_empty() && trend.count > 0)
        .then(|| format!("Covered in part, and not tested: {}.", names.join(", ")))
}

fn values(trend: &Trend) -> Vec<String> {
    let Some(by) = &trend.by else {
        return Vec::new();
    };
    // Where no entry has the field, a note says so.
    if trend.series.is_empty() && trend.without_value == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("By {}:", FilterField::from_name(by).label())];
    for one in &trend.series {
        let unit = trend.unit.name();
        let changes = one.change_points.iter();
        let changes = changes.map(|change| format!("; change point: {}", changed(change, unit)));
        let mean = one.mean_time_between.as_ref();
        let mean = mean.map(|mean| format!("; one in {}", interval(mean)));
        lines.push(format!(
            "- {}: {}{}{}",
            one.value.split_whitespace().collect::<Vec<_>>().join(" "),
            one.count,
            mean.unwrap_or_default(),
            changes.collect::<String>()
        ));
    }
    if trend.other_values > 0 {
        lines.push(format!("- {} more values", trend.other_values));
    }
    if trend.without_value > 0 {
        lines.push(format!("- without a value: {}", trend.without_value));
    }
    lines
}

/// `12 days (95 % interval 9.1 to 16 days)`, in hours where it is short.
fn interval(mean: &MeanTime) -> String {
    let (factor, unit) = match mean.days < 2.0 {
        true => (24.0, "hours"),
        false => (1.0, "days"),
    };
    let of = |days: f64| number(days * factor);
    let (low, high) = (of(mean.low_days), of(mean.high_days));
    format!(
        "{} {unit} (95 % interval {low} to {high} {unit})",
        of(mean.days)
    )
}

/// Two or three digits.
fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn day(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).date().to_string()
}
