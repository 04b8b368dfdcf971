//! Rows of sheets, and the strings and formats of their cells.

use std::collections::HashMap;

use jiff::civil::{DateTime, date};
use jiff::{SignedDuration, Unit};

use crate::archive::Archive;
use crate::budget::Budget;
use crate::xml::{Node, visit};
use crate::{Part, Place, Result};

/// Rows that are read as one part.
const ROWS: usize = 200;
/// Bytes of text in a part, of several rows.
const BYTES: usize = 64 << 10;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// The rows of a sheet. The first one, which mostly names the columns, begins
/// each part.
pub(crate) struct Rows {
    name: String,
    header: String,
    parts: Vec<Part>,
    /// Rows of the last part.
    in_part: usize,
    /// The number of the next row.
    next: usize,
}

impl Rows {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            header: String::new(),
            parts: Vec::new(),
            in_part: 0,
            next: 1,
        }
    }

    pub(crate) fn add(&mut self, row: String, budget: &mut Budget<'_>) -> Result<()> {
        let number = self.next;
        self.next += 1;
        if row.is_empty() {
            return Ok(());
        }
        budget.take_text(row.len() + 1)?;
        let is_full = |part: &Part| self.in_part >= ROWS || part.text.len() + row.len() > BYTES;
        match self.parts.last_mut().filter(|part| !is_full(part)) {
            Some(part) => {
                part.text.push('\n');
                part.text.push_str(&row);
                self.in_part += 1;
            }
            None => {
                let is_first = self.parts.is_empty();
                let text = match is_first {
                    true => row.clone(),
                    false => {
                        budget.take_text(self.header.len())?;
                        format!("{}\n{row}", self.header)
                    }
                };
                self.parts.push(Part {
                    place: Place::Sheet(self.name.clone(), if is_first { 1 } else { number }),
                    title: self.name.clone(),
                    text,
                });
                self.in_part = 1;
                if is_first {
                    self.header = row;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn parts(self) -> Vec<Part> {
        self.parts
    }
}

/// The strings that cells name by their numbers.
pub(crate) struct Strings(Vec<String>);

impl Strings {
    pub(crate) fn read(archive: &mut Archive<'_>, part: Option<&str>) -> Result<Self> {
        let mut strings = Vec::new();
        let Some(xml) = part.map(|part| archive.text(part)).transpose()?.flatten() else {
            return Ok(Self(strings));
        };
        let (mut text, mut is_in_text, mut is_sound) = (String::new(), false, false);
        visit(&xml, |node| {
            match node {
                Node::Start(element) => match element.name() {
                    "si" => text.clear(),
                    "rPh" => is_sound = true,
                    "t" => is_in_text = !is_sound,
                    _ => {}
                },
                Node::Text(part) if is_in_text => text.push_str(part),
                Node::End("t") => is_in_text = false,
                Node::End("rPh") => is_sound = false,
                Node::End("si") => strings.push(std::mem::take(&mut text)),
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self(strings))
    }

    pub(crate) fn get(&self, number: &str) -> &str {
        let string = number.parse().ok().and_then(|at: usize| self.0.get(at));
        string.map_or("", String::as_str)
    }
}

/// Which styles of cells show a number as a date.
pub(crate) struct Formats {
    are_dates: Vec<bool>,
    first_day: DateTime,
}

impl Formats {
    pub(crate) fn read(
        archive: &mut Archive<'_>,
        part: Option<&str>,
        is_from_1904: bool,
    ) -> Result<Self> {
        let mut formats = Self {
            are_dates: Vec::new(),
            first_day: match is_from_1904 {
                true => date(1904, 1, 1),
                false => date(1899, 12, 30),
            }
            .to_datetime(Default::default()),
        };
        let Some(xml) = part.map(|part| archive.text(part)).transpose()?.flatten() else {
            return Ok(formats);
        };
        let mut own = HashMap::new();
        let mut is_in_cells = false;
        visit(&xml, |node| {
            match node {
                Node::Start(element) => {
                    let format = || element.attribute("numFmtId")?.parse::<u32>().ok();
                    match element.name() {
                        "numFmt" => {
                            let code = element.attribute("formatCode").unwrap_or_default();
                            own.extend(format().map(|id| (id, is_date(&code))));
                        }
                        "cellXfs" => is_in_cells = true,
                        "xf" if is_in_cells => {
                            let id = format().unwrap_or_default();
                            let built_in = matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58);
                            let is_date = own.get(&id).copied().unwrap_or(built_in);
                            formats.are_dates.push(is_date);
                        }
                        _ => {}
                    }
                }
                Node::End("cellXfs") => is_in_cells = false,
                _ => {}
            }
            Ok(())
        })?;
        Ok(formats)
    }

    /// A number as its cell shows it.
    pub(crate) fn shown(&self, number: &str, style: usize) -> String {
        let is_date = self.are_dates.get(style).copied().unwrap_or(false);
        let days = number.parse::<f64>().ok().filter(|_| is_date);
        let time = days.and_then(|days| self.time(days));
        time.unwrap_or_else(|| number.to_owned())
    }

    fn time(&self, days: f64) -> Option<String> {
        let seconds = SignedDuration::try_from_secs_f64((days * SECONDS_PER_DAY).round()).ok()?;
        let time = self.first_day.checked_add(seconds).ok()?;
        let time = time.round(Unit::Second).ok()?;
        Some(match (days.trunc() == 0.0, days.fract() == 0.0) {
            (true, _) => time.time().to_string(),
            (false, true) => time.date().to_string(),
            (false, false) => format!("{} {}", time.date(), time.time()),
        })
    }
}

/// Whether the code of a format has parts of a date or a time of day.
fn is_date(code: &str) -> bool {
    let mut is_quoted = false;
    let mut is_in_brackets = false;
    let mut is_escaped = false;
    for character in code.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' | '_' | '*' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '[' => is_in_brackets = true,
            ']' => is_in_brackets = false,
            'y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' if !is_quoted && !is_in_brackets => {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for code in [
            "dd.mm.yyyy",
            "yyyy\\-mm\\-dd hh:mm",
            "[$-407]d. mmm",
            "h:mm",
        ] {
            assert!(is_date(code), "{code}");
        }
        for code in ["0.00", "#,##0 \"days\"", "[Red]0", "General", "0\\d"] {
            assert!(!is_date(code), "{code}");
        }
    }

    #[test]
    fn numbers_of_days_are_shown_as_their_cells_show_them() {
        let formats = Formats {
            are_dates: vec![false, true],
            first_day: date(1899, 12, 30).to_datetime(Default::default()),
        };
        for (number, style, shown) in [
            ("45296", 1, "2024-01-05"),
            ("45296.354166666664", 1, "2024-01-05 08:30:00"),
            ("0.5", 1, "12:00:00"),
            ("45296", 0, "45296"),
            ("45296", 7, "45296"),
            ("1e300", 1, "1e300"),
            ("x", 1, "x"),
        ] {
            assert_eq!(formats.shown(number, style), shown, "{number}");
        }
    }
}
