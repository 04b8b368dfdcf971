//! Hard, typed filters: what an entry must be to be found at all.
//!
//! Every store applies a filter inside its indexes, before ranking. What a
//! filter means is defined here, by [`Filter::matches`]: a store's answer is
//! right when it equals this function applied to every entry.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Entry;

/// Clauses that must all hold. An empty filter lets every entry through.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Filter {
    /// The clauses, joined by AND.
    pub clauses: Vec<FilterClause>,
}

/// One condition on one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilterClause {
    /// What is looked at.
    pub field: FilterField,
    /// What must be true of it.
    pub condition: Condition,
}

/// A field that can be filtered on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterField {
    /// The entry's id.
    EntryId,
    /// Who wrote it.
    Author,
    /// Where it came from.
    SourceSystem,
    /// What sort of text it is.
    Kind,
    /// When it was logged. Takes [`Condition::Time`] only.
    Timestamp,
    /// A top-level key of the metadata. A list there matches when any of its
    /// members does. `logbook` looks at `logbook`, then `logbook_name`, then
    /// `books`; `tag` and `tags` look at `tags`, then `tag`.
    Metadata(String),
}

impl FilterField {
    /// The field that a name of the query language or of an API means:
    /// `author`, `source` or `source_system`, `kind`, `id` or `entry_id`,
    /// `logbook`, `tag` or `tags`, `shift`, `meta.KEY`, or any metadata key.
    pub fn from_name(name: &str) -> Self {
        match name {
            "id" | "entry_id" => Self::EntryId,
            "author" => Self::Author,
            "source" | "source_system" => Self::SourceSystem,
            "kind" => Self::Kind,
            "date" | "timestamp" => Self::Timestamp,
            "tag" => Self::Metadata("tags".to_owned()),
            other => Self::Metadata(other.strip_prefix("meta.").unwrap_or(other).to_owned()),
        }
    }

    /// The name of this field in the query language, which
    /// [`from_name`](Self::from_name) reads as the same field.
    ///
    /// ```
    /// use gannet_api::FilterField;
    ///
    /// for name in ["id", "author", "source", "kind", "date", "logbook", "tag", "meta.author"] {
    ///     assert_eq!(FilterField::from_name(name).query_name(), name);
    /// }
    /// ```
    pub fn query_name(&self) -> String {
        match self {
            Self::EntryId => "id".to_owned(),
            Self::Author => "author".to_owned(),
            Self::SourceSystem => "source".to_owned(),
            Self::Kind => "kind".to_owned(),
            Self::Timestamp => "date".to_owned(),
            Self::Metadata(key) => match key.as_str() {
                "tags" => "tag".to_owned(),
                "logbook" | "shift" => key.clone(),
                other => format!("meta.{other}"),
            },
        }
    }

    /// The name as people say it.
    ///
    /// ```
    /// use gannet_api::FilterField;
    ///
    /// assert_eq!(FilterField::from_name("meta.state").label(), "state");
    /// assert_eq!(FilterField::from_name("author").label(), "author");
    /// ```
    pub fn label(&self) -> String {
        let name = self.query_name();
        match name.strip_prefix("meta.") {
            Some(key) => key.to_owned(),
            None => name,
        }
    }

    /// The metadata keys that this field reads, in order; the first that is
    /// present counts. Empty for fields that are no metadata.
    pub fn metadata_keys(&self) -> Vec<&str> {
        match self {
            Self::Metadata(key) if key == "logbook" => vec!["logbook", "logbook_name", "books"],
            Self::Metadata(key) if key == "tags" => vec!["tags", "tag"],
            Self::Metadata(key) => vec![key.as_str()],
            _ => Vec::new(),
        }
    }

    /// The values that an entry has of this field, as texts; none where it has
    /// no or an empty one.
    pub fn values_of(&self, entry: &Entry) -> Vec<String> {
        let values = match self {
            Self::EntryId => vec![entry.entry_id.clone()],
            Self::Author => vec![entry.author.clone()],
            Self::SourceSystem => vec![entry.source_system.clone()],
            Self::Kind => vec![entry.kind.clone()],
            Self::Timestamp => vec![entry.timestamp.to_string()],
            Self::Metadata(_) => {
                let mut keys = self.metadata_keys().into_iter();
                match keys.find_map(|key| entry.metadata.get(key)) {
                    Some(Value::Array(values)) => values.iter().map(scalar_text).collect(),
                    Some(value) => vec![scalar_text(value)],
                    None => Vec::new(),
                }
            }
        };
        let is_set = |value: &String| !value.trim().is_empty();
        values.into_iter().filter(is_set).collect()
    }
}

/// What must be true of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Equal, as text, case-insensitively for ASCII and Unicode letters.
    Equals(String),
    /// Equal to any of these. An empty list matches nothing.
    AnyOf(Vec<String>),
    /// Contains this text, case-insensitively.
    Contains(String),
    /// A number within bounds.
    Number(NumberRange),
    /// A point in time within bounds.
    Time(TimeRange),
}

/// Bounds of a number; a missing bound is open. A field that is no number
/// does not match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct NumberRange {
    /// Lower bound, included.
    pub at_least: Option<f64>,
    /// Lower bound, excluded.
    pub above: Option<f64>,
    /// Upper bound, included.
    pub at_most: Option<f64>,
    /// Upper bound, excluded.
    pub below: Option<f64>,
}

impl NumberRange {
    /// Whether the number lies within the bounds.
    pub fn contains(&self, number: f64) -> bool {
        self.at_least.is_none_or(|bound| number >= bound)
            && self.above.is_none_or(|bound| number > bound)
            && self.at_most.is_none_or(|bound| number <= bound)
            && self.below.is_none_or(|bound| number < bound)
    }
}

/// A half-open span of time: `from` is included, `until` is not.
///
/// An end date without a time of day is turned into the start of the next day
/// by whoever reads it, so that the whole day is included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    /// First instant that is inside; open when missing.
    pub from: Option<Timestamp>,
    /// First instant that is outside again; open when missing.
    pub until: Option<Timestamp>,
}

impl TimeRange {
    /// This range, or the other one when this one is open on both sides. The
    /// range of a tool's call stands before that of the request in which the
    /// call is made (ARIEL's rule): one bound of its own replaces both.
    ///
    /// ```
    /// use gannet_api::TimeRange;
    ///
    /// let january = TimeRange {
    ///     from: "2024-01-01T00:00:00Z".parse().ok(),
    ///     until: "2024-02-01T00:00:00Z".parse().ok(),
    /// };
    /// let since_2023 = TimeRange { from: "2023-01-01T00:00:00Z".parse().ok(), until: None };
    /// assert_eq!(since_2023.or(january), since_2023);
    /// assert_eq!(TimeRange::default().or(january), january);
    /// ```
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self {
                from: None,
                until: None,
            } => other,
            given => given,
        }
    }

    /// What two ranges have in common; `None` where that is nothing.
    ///
    /// ```
    /// use gannet_api::TimeRange;
    ///
    /// let from = "2024-01-01T00:00:00Z".parse().ok();
    /// let (since, before) = (TimeRange { from, until: None }, TimeRange { from: None, until: from });
    /// assert_eq!(since.intersection(TimeRange::default()), Some(since));
    /// assert_eq!(since.intersection(before), None);
    /// ```
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        let from = self.from.max(other.from);
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let is_empty = from.zip(until).is_some_and(|(from, until)| from >= until);
        (!is_empty).then_some(Self { from, until })
    }

    /// Whether the instant lies inside.
    pub fn contains(&self, instant: Timestamp) -> bool {
        self.from.is_none_or(|from| instant >= from)
            && self.until.is_none_or(|until| instant < until)
    }
}

impl Filter {
    /// A filter that lets everything through.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether the filter lets everything through.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// This filter with one more clause.
    #[must_use]
    pub fn and(mut self, field: FilterField, condition: Condition) -> Self {
        self.clauses.push(FilterClause { field, condition });
        self
    }

    /// Whether every entry that passes this filter passes the other one too,
    /// as far as that can be told without an entry: this one has every clause
    /// of the other.
    ///
    /// ```
    /// use gannet_api::{Condition, Filter, FilterField};
    ///
    /// let by_lee = Filter::none().and(FilterField::Author, Condition::Contains("lee".into()));
    /// let in_shifts = by_lee.clone().and(FilterField::Kind, Condition::Equals("shift".into()));
    /// assert!(in_shifts.implies(&by_lee));
    /// assert!(!by_lee.implies(&in_shifts));
    /// ```
    pub fn implies(&self, other: &Self) -> bool {
        let is_here = |clause: &FilterClause| self.clauses.contains(clause);
        other.clauses.iter().all(is_here)
    }

    /// Whether an entry passes every clause.
    pub fn matches(&self, entry: &Entry) -> bool {
        self.clauses.iter().all(|clause| clause.matches(entry))
    }
}

impl FilterClause {
    /// Whether an entry passes this clause.
    pub fn matches(&self, entry: &Entry) -> bool {
        match &self.field {
            FilterField::EntryId => self.condition.exact(&entry.entry_id),
            FilterField::Author => self.condition.matches_text(&entry.author),
            FilterField::SourceSystem => self.condition.matches_text(&entry.source_system),
            FilterField::Kind => self.condition.matches_text(&entry.kind),
            FilterField::Timestamp => match &self.condition {
                Condition::Time(range) => range.contains(entry.timestamp),
                _ => false,
            },
            FilterField::Metadata(_) => self
                .field
                .metadata_keys()
                .into_iter()
                .find_map(|key| entry.metadata.get(key))
                .is_some_and(|value| self.condition.matches_value(value)),
        }
    }
}

impl Condition {
    /// Ids are opaque: they are compared to the letter.
    fn exact(&self, id: &str) -> bool {
        match self {
            Self::Equals(wanted) => id == wanted,
            Self::AnyOf(wanted) => wanted.iter().any(|one| one == id),
            Self::Contains(part) => fold(id).contains(&fold(part)),
            Self::Number(_) | Self::Time(_) => false,
        }
    }

    fn matches_text(&self, text: &str) -> bool {
        match self {
            Self::Equals(wanted) => fold(text) == fold(wanted),
            Self::AnyOf(wanted) => {
                let text = fold(text);
                wanted.iter().any(|one| fold(one) == text)
            }
            Self::Contains(part) => fold(text).contains(&fold(part)),
            Self::Number(range) => text.trim().parse().is_ok_and(|n| range.contains(n)),
            Self::Time(range) => text.trim().parse().is_ok_and(|t| range.contains(t)),
        }
    }

    fn matches_value(&self, value: &Value) -> bool {
        match value {
            Value::Array(members) => members.iter().any(|member| self.matches_value(member)),
            Value::Null | Value::Object(_) => false,
            scalar => self.matches_text(&scalar_text(scalar)),
        }
    }
}

/// The text that a scalar of the metadata is compared by: strings as they
/// are, numbers and booleans as JSON writes them, everything else empty.
pub fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

/// The form in which texts are compared by filters: lower case.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}
