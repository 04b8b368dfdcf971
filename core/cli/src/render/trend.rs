//! Counts over time as bars, and as comma-separated values.

use csv::Writer;
use serde::Deserialize;
use serde_json::Value;

use super::safe::{safe, safe_line};
use super::wrap::width;
use super::{ACCENT, DIM, WARNING};
use crate::failure::Failure;
use crate::output;

/// Columns of a bar, at most.
const MOST_COLUMNS: usize = 50;
/// Eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A trend, as the details of a result have it.
#[derive(Deserialize)]
pub struct Trend {
    /// The answer without its rows.
    pub summary: String,
    rows: Vec<Row>,
    change_points: Vec<Change>,
    series: Vec<Series>,
}

#[derive(Deserialize)]
struct Row {
    value: String,
    from: String,
    until: String,
    count: u64,
    all: u64,
    is_partial: bool,
}

#[derive(Deserialize)]
struct Change {
    at: String,
}

#[derive(Deserialize)]
struct Series {
    value: String,
    counts: Vec<u64>,
}

impl Trend {
    /// The trend of a result, if entries were counted.
    pub fn of(found: &Value) -> Option<Self> {
        Self::deserialize(found).ok()
    }

    fn changes_at(&self, row: &Row) -> bool {
        self.change_points
            .iter()
            .any(|change| change.at == row.value)
    }
}

/// A line for each period with its bar; periods that are covered in part are dim.
/// None where nothing is counted.
pub fn trend_lines(trend: &Trend) -> Vec<String> {
    let most = trend.rows.iter().map(|row| row.count).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    let digits = most.to_string().len();
    let names = trend
        .rows
        .iter()
        .map(|row| row.value.len())
        .max()
        .unwrap_or(0);
    let room = width().saturating_sub(names + digits + 22);
    let columns = room.clamp(8, MOST_COLUMNS);
    let lines = trend.rows.iter().map(|row| {
        let style = if row.is_partial { DIM } else { ACCENT };
        let note = match (row.is_partial, trend.changes_at(row)) {
            (true, _) => format!("  {DIM}in part{DIM:#}"),
            (_, true) => format!("  {WARNING}change point{WARNING:#}"),
            _ => String::new(),
        };
        let bar = match bar(row.count, most, columns) {
            bar if bar.is_empty() => bar,
            bar => format!("  {style}{bar}{style:#}"),
        };
        let name = safe_line(&row.value);
        format!("  {name:<names$}  {:>digits$}{bar}{note}", row.count)
    });
    lines.collect()
}

/// A bar of as many columns as the count has of the largest one.
fn bar(count: u64, most: u64, columns: usize) -> String {
    if count == 0 || most == 0 {
        return String::new();
    }
    let share = count as f64 / most as f64;
    let eighths = ((share * columns as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Prints a row for each period, with a column for each value.
///
/// # Errors
/// Those of the output.
pub fn print_trend_csv(trend: Option<&Trend>) -> Result<(), Failure> {
    let mut lines = Writer::from_writer(Vec::new());
    let names = [
        "period",
        "from",
        "until",
        "count",
        "all",
        "partial",
        "change_point",
    ];
    let series = trend
        .map(|trend| trend.series.as_slice())
        .unwrap_or_default();
    let values = series.iter().map(|one| one.value.as_str());
    let header: Vec<&str> = names.into_iter().chain(values).collect();
    lines.write_record(&header).map_err(failed)?;
    let rows = trend
        .iter()
        .flat_map(|trend| trend.rows.iter().map(move |row| (trend, row)));
    for (at, (trend, row)) in rows.enumerate() {
        let mut record = vec![
            row.value.clone(),
            row.from.clone(),
            row.until.clone(),
            row.count.to_string(),
            row.all.to_string(),
            row.is_partial.to_string(),
            trend.changes_at(row).to_string(),
        ];
        let of_row = series
            .iter()
            .map(|one| one.counts.get(at).copied().unwrap_or_default());
        record.extend(of_row.map(|count| count.to_string()));
        lines.write_record(&record).map_err(failed)?;
    }
    let text = lines.into_inner().map_err(|error| error.into_error())?;
    output::write_all(safe(&String::from_utf8_lossy(&text)).as_bytes());
    Ok(())
}

fn failed(error: csv::Error) -> Failure {
    std::io::Error::from(error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(8, 8, 4), "████");
        assert_eq!(bar(1, 8, 4), "▌");
        assert_eq!(bar(1, 1000, 4), "▏");
        assert_eq!(bar(0, 8, 4), "");
    }
}
