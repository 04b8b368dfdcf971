//! How notes of a plan name texts and times.

use jiff::civil::DateTime;

/// Longest piece of a question that a note quotes, in characters.
const LONGEST_QUOTE: usize = 60;

/// A piece of the question; shortened when it is long.
pub(super) fn quoted(piece: &str) -> String {
    match piece.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("`{}…`", &piece[..end]),
        None => format!("`{piece}`"),
    }
}

/// An interval in the facility's zone.
pub(super) fn interval(from: Option<DateTime>, to: Option<DateTime>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from.date().tomorrow().ok() == Some(to.date()) && is_day(to) => {
            match is_day(from) {
                true => from.date().to_string(),
                false => format!("{} until {}", written(from), written(to)),
            }
        }
        (Some(from), Some(to)) => format!("{} until {}", written(from), written(to)),
        (Some(from), None) => format!("{} or later", written(from)),
        (None, Some(to)) => format!("before {}", written(to)),
        (None, None) => "any time".to_owned(),
    }
}

fn written(time: DateTime) -> String {
    match is_day(time) {
        true => time.date().to_string(),
        false => time.strftime("%Y-%m-%d %H:%M").to_string(),
    }
}

fn is_day(time: DateTime) -> bool {
    time.time() == jiff::civil::Time::midnight()
}
