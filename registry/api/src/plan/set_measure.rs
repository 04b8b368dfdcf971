//! Numbers of a set that are computed from its rows.

use serde::{Deserialize, Serialize};

use super::SetGroup;

/// A number that a question asks for beside the counts of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SetMeasure {
    /// How many values of the field members have: "how many authors".
    Values,
    /// The mean number of members in a day, a month or a year.
    Mean,
}

impl SetMeasure {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Mean => "mean",
        }
    }

    /// The number, of so many members with these rows and so many values without
    /// a row. `None` for the mean of no rows.
    ///
    /// ```
    /// use gannet_api::{SetGroup, SetMeasure};
    ///
    /// let row = |value: &str, count| SetGroup { value: value.to_owned(), count };
    /// let rows = [row("anna", 3), row("ben", 1), row(SetGroup::NO_VALUE, 2)];
    /// assert_eq!(SetMeasure::Values.number(6, &rows, 0), Some(2.0));
    /// let rows = [row("2024", 6), row("2025", 3)];
    /// assert_eq!(SetMeasure::Mean.number(9, &rows, 0), Some(4.5));
    /// ```
    pub fn number(self, count: u64, rows: &[SetGroup], left_out: u64) -> Option<f64> {
        match self {
            Self::Values => {
                let has_value = |row: &&SetGroup| row.value != SetGroup::NO_VALUE && row.count > 0;
                let values = rows.iter().filter(has_value).count() as u64;
                Some((values + left_out) as f64)
            }
            Self::Mean if rows.is_empty() => None,
            Self::Mean => Some(count as f64 / rows.len() as f64),
        }
    }
}
