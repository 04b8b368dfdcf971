//! The times and the entities of a plan.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::setters::setters;
use crate::{Condition, FilterClause, FilterField, TimeRange};

/// A time that a question names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanTime {
    /// First instant that is inside; open when missing ("before 2010").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// First instant that is outside again; open when missing ("since May").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// How exactly the time was named.
    pub precision: Precision,
    /// Where it was named.
    pub source: PlanSource,
    /// Whether the stores apply it as a filter already.
    pub strict: bool,
    /// Where it stands in the text, in bytes; none for a flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Range<usize>>,
}

impl PlanTime {
    /// A soft time without bounds.
    pub fn new(precision: Precision, source: PlanSource) -> Self {
        Self {
            from: None,
            to: None,
            precision,
            source,
            strict: false,
            span: None,
        }
    }

    /// The time as filters take it.
    pub fn range(&self) -> TimeRange {
        TimeRange {
            from: self.from,
            until: self.to,
        }
    }

    /// A filter clause that only entries of this time pass.
    pub fn clause(&self) -> FilterClause {
        FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(self.range()),
        }
    }
}

setters!(PlanTime {
    with_from(from: impl Into<Option<Timestamp>>),
    with_to(to: impl Into<Option<Timestamp>>),
    with_strict(strict: bool),
    with_span(span: impl Into<Option<Range<usize>>>),
});

/// The unit in which a time was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// A part of a day, such as a night.
    Shift,
    /// A day.
    Day,
    /// About a week, such as the start of a month.
    Week,
    /// A month.
    Month,
    /// About a quarter of a year.
    Season,
    /// A year.
    Year,
}

/// Where a part of a plan was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanSource {
    /// In the words of the question.
    Words,
    /// In a field of the query language, such as `date:` or `author:`.
    Field,
    /// In the filter of the request: a flag, a parameter.
    Flag,
}

/// A thing that a question names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanEntity {
    /// What kind of thing it is.
    pub kind: EntityKind,
    /// The value as entries have it; of strict ones and devices as typed.
    pub value: String,
    /// The field that has the value; none for a name that stands in texts.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_field",
        deserialize_with = "read_field"
    )]
    pub field: Option<FilterField>,
    /// Where it was named.
    pub source: PlanSource,
    /// Whether the stores apply it as a filter already.
    pub strict: bool,
    /// Where it stands in the text, in bytes; none for a flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Range<usize>>,
    /// How many entries have the value; none when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
}

impl PlanEntity {
    /// A soft entity that no field has.
    pub fn new(kind: EntityKind, value: impl Into<String>, source: PlanSource) -> Self {
        Self {
            kind,
            value: value.into(),
            field: None,
            source,
            strict: false,
            span: None,
            entries: None,
        }
    }

    /// A filter clause that only entries with this value pass; none for a name
    /// that no field has.
    pub fn clause(&self) -> Option<FilterClause> {
        Some(FilterClause {
            field: self.field.clone()?,
            condition: Condition::Equals(self.value.clone()),
        })
    }
}

setters!(PlanEntity {
    with_field(field: impl Into<Option<FilterField>>),
    with_strict(strict: bool),
    with_span(span: impl Into<Option<Range<usize>>>),
    with_entries(entries: impl Into<Option<u64>>),
});

/// What kind of thing an entity is, by the name of its field or by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// Who wrote an entry, a person or an organisation.
    Author,
    /// A device, by the form of its name or by a field.
    Device,
    /// A process variable, by the form of its name.
    Pv,
    /// A site, building, area or sector.
    Place,
    /// A system or subsystem.
    System,
    /// A category, type or level.
    Category,
    /// A shift.
    Shift,
    /// A logbook.
    Logbook,
    /// A tag or keyword.
    Tag,
    /// The system that entries came from.
    Source,
    /// Any other field.
    #[serde(other)]
    Other,
}

fn write_field<S: Serializer>(field: &Option<FilterField>, out: S) -> Result<S::Ok, S::Error> {
    field.as_ref().map(FilterField::query_name).serialize(out)
}

fn read_field<'de, D: Deserializer<'de>>(input: D) -> Result<Option<FilterField>, D::Error> {
    let name: Option<String> = Option::deserialize(input)?;
    Ok(name.map(|name| FilterField::from_name(&name)))
}
