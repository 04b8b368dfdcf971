//! Questions about a set of entries: how many there are, which, the first, the
//! last, how often.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{SetMeasure, TimeOrder};
use crate::readable::known_or_none;
use crate::setters::setters;
use crate::{Context, Diagnostic, Filter, FilterClause, FilterField, Result, TimeRange};

/// What a question asks of a set of entries, and which entries are members.
///
/// A member passes the [`filter`](Self::filter), is of one of the
/// [`times`](Self::times) where there are any, and is about the
/// [`topic`](Self::topic) where there is one. Without a topic the store itself
/// decides membership, see [`is_exact`](Self::is_exact).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetQuery {
    /// What is asked of the members.
    pub operation: SetOperation,
    /// The number of members wanted by a question for the first or last ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// What the members are counted by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// Conditions on fields, read in the words of the question.
    #[serde(default)]
    pub filter: Filter,
    /// Conditions of which a member meets none: "not in 2008". A program that does
    /// not know them counts too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<FilterClause>,
    /// The words of the question that these were read in: "not in 2008".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded_words: Vec<String>,
    /// The times read in the words of the question: a member is of any of them.
    #[serde(default)]
    pub times: Vec<TimeRange>,
    /// The words that neither ask nor are a condition.
    #[serde(default)]
    pub topic: Vec<String>,
    /// Whether a condition is a guess: a misspelt value, a time without its
    /// year, a word that may be meant as a word.
    #[serde(default)]
    pub is_assumed: bool,
    /// The words of the question that each condition on a field was read in, by
    /// the name of the field. Typed fields have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub field_words: BTreeMap<String, Vec<String>>,
    /// The words that say what the members are counted by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_words: Option<String>,
    /// Parts of the question that ask for more than is said here: "mean", "per
    /// week". With one of them the set is [assumed](Self::is_assumed).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// A number that is asked for and computed from the rows of
    /// [`group_by`](Self::group_by). One that this side does not know is as if it
    /// were not there.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub measure: Option<SetMeasure>,
}

impl SetQuery {
    /// A set of all entries.
    pub fn new(operation: SetOperation) -> Self {
        Self {
            operation,
            limit: None,
            group_by: None,
            filter: Filter::none(),
            excluded: Vec::new(),
            excluded_words: Vec::new(),
            times: Vec::new(),
            topic: Vec::new(),
            is_assumed: false,
            field_words: BTreeMap::new(),
            group_words: None,
            unread: Vec::new(),
            measure: None,
        }
    }

    /// Whether conditions on fields and times alone decide which entries are
    /// members, so that the store can count them.
    pub fn is_exact(&self) -> bool {
        self.topic.is_empty()
    }

    /// The members that pass a filter too.
    #[must_use]
    pub fn within(&self, filter: &Filter) -> Self {
        let mut all = filter.clone();
        for clause in &self.filter.clauses {
            if !all.clauses.contains(clause) {
                all.clauses.push(clause.clone());
            }
        }
        self.clone().with_filter(all)
    }

    /// The request for its members: the first or last ones that are asked for,
    /// else as many of the newest as `listed` says. How often there is one is
    /// counted by year.
    pub fn request(&self, listed: usize) -> SetRequest {
        let (order, limit) = match self.operation {
            SetOperation::First => (TimeOrder::Oldest, self.limit.unwrap_or(1)),
            SetOperation::Last => (TimeOrder::Newest, self.limit.unwrap_or(1)),
            SetOperation::Count | SetOperation::List | SetOperation::Rate => {
                (TimeOrder::Newest, listed)
            }
        };
        let group_by = match (self.operation, &self.group_by) {
            (SetOperation::Rate, None) => Some(GroupBy::Year),
            (_, group_by) => group_by.clone(),
        };
        SetRequest::new(self.filter.clone(), self.times.clone())
            .with_excluded(self.excluded.clone())
            .with_topic(self.topic.clone())
            .with_order(order)
            .with_limit(limit)
            .with_group_by(group_by)
    }
}

setters!(SetQuery {
    with_limit(limit: impl Into<Option<usize>>),
    with_group_by(group_by: impl Into<Option<GroupBy>>),
    with_filter(filter: Filter),
    with_excluded(excluded: Vec<FilterClause>),
    with_excluded_words(excluded_words: Vec<String>),
    with_times(times: Vec<TimeRange>),
    with_topic(topic: Vec<String>),
    with_is_assumed(is_assumed: bool),
    with_field_words(field_words: BTreeMap<String, Vec<String>>),
    with_group_words(group_words: impl Into<Option<String>>),
    with_unread(unread: Vec<String>),
    with_measure(measure: impl Into<Option<SetMeasure>>),
});

/// What is asked of the members of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetOperation {
    /// How many there are.
    Count,
    /// Which there are.
    List,
    /// The oldest.
    First,
    /// The newest.
    Last,
    /// How often there is one.
    Rate,
}

impl SetOperation {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::List => "list",
            Self::First => "first",
            Self::Last => "last",
            Self::Rate => "rate",
        }
    }

    /// Whether it may be asked of all entries: how many there are, or the last.
    pub fn is_of_all(self) -> bool {
        matches!(self, Self::Count | Self::First | Self::Last)
    }
}

/// What entries are counted by: `day`, `month`, `year`, or the name of a field as the
/// query language has it (`author`, `tag`, `meta.state`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// Days of the configured time zone.
    Day,
    /// Calendar months of it.
    Month,
    /// Calendar years of it.
    Year,
    /// The values of a field.
    Field(FilterField),
}

impl GroupBy {
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Day => "day".to_owned(),
            Self::Month => "month".to_owned(),
            Self::Year => "year".to_owned(),
            Self::Field(field) => field.query_name(),
        }
    }

    /// Its name as people say it: that of a field without `meta.`.
    pub fn label(&self) -> String {
        match self {
            Self::Field(field) => field.label(),
            _ => self.name(),
        }
    }

    /// What a name means.
    pub fn from_name(name: &str) -> Self {
        match name {
            "day" => Self::Day,
            "month" => Self::Month,
            "year" => Self::Year,
            field => Self::Field(FilterField::from_name(field)),
        }
    }
}

impl Serialize for GroupBy {
    fn serialize<S: Serializer>(&self, out: S) -> std::result::Result<S::Ok, S::Error> {
        self.name().serialize(out)
    }
}

impl<'de> Deserialize<'de> for GroupBy {
    fn deserialize<D: Deserializer<'de>>(input: D) -> std::result::Result<Self, D::Error> {
        Ok(Self::from_name(&String::deserialize(input)?))
    }
}

/// What the host service [`SetRequest::SERVICE`] is asked, as JSON. It answers
/// with [`SetMembers`]. Plugins use it through
/// [`Context::set_members`](crate::Context::set_members).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SetRequest {
    /// What an entry must be to be a member.
    pub filter: Filter,
    /// Conditions of which a member meets none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<FilterClause>,
    /// A member is of any of these times; of any time when empty.
    pub times: Vec<TimeRange>,
    /// Words of what a member is about. The host finds entries by these words and
    /// by their meaning, and takes those that are probably about them.
    pub topic: Vec<String>,
    /// How many members are given, in the order of time.
    pub limit: usize,
    /// Which end of time they are from; the newest where it is missing.
    pub order: Option<TimeOrder>,
    /// What all members are counted by.
    pub group_by: Option<GroupBy>,
}

impl SetRequest {
    /// The name of the service for [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "set_members";

    /// A request for the number of members.
    pub fn new(filter: Filter, times: Vec<TimeRange>) -> Self {
        Self {
            filter,
            times,
            ..Self::default()
        }
    }
}

setters!(SetRequest {
    with_excluded(excluded: Vec<FilterClause>),
    with_topic(topic: Vec<String>),
    with_limit(limit: usize),
    with_order(order: impl Into<Option<TimeOrder>>),
    with_group_by(group_by: impl Into<Option<GroupBy>>),
});

impl Context {
    /// The entries that pass a filter: how many there are, the first or last of
    /// them, and how many there are of each month, year or value. Follows the
    /// text index.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) from a host that is older
    /// than this service.
    pub async fn set_members(&self, request: &SetRequest) -> Result<SetMembers> {
        let mut found: SetMembers = self.ask(SetRequest::SERVICE, request).await?;
        self.diagnostics
            .extend(std::mem::take(&mut found.diagnostics));
        Ok(found)
    }
}

/// The members of a set, as the store has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SetMembers {
    /// How many there are.
    pub count: u64,
    /// The ids and times of those that were asked for, in the order asked for.
    pub members: Vec<SetMember>,
    /// All members by what they are counted by: times in their order, values
    /// with the most members first, and at the end those without a value.
    pub groups: Vec<SetGroup>,
    /// What the groups are: what was asked for, or years where there are too
    /// many months.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// How many values of the field are in no group: the rarest, of more than
    /// the host gives.
    pub left_out: u64,
    /// How far they are certain; `None` where conditions alone decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<SetCertainty>,
    /// What the searches for a topic have to say, which
    /// [`Context::set_members`](crate::Context::set_members) passes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

/// How far the members of a set about a topic are certain. Entries that were
/// not found for the topic are taken for none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SetCertainty {
    /// How many members are certain: their probability is at least 0.9.
    pub certain: u64,
    /// The probability that exactly these are the members.
    pub confidence: f64,
    /// The probability that the members that were asked for are the first or
    /// the last ones.
    pub end_confidence: f64,
}

setters!(SetMembers {
    with_count(count: u64),
    with_members(members: Vec<SetMember>),
    with_groups(groups: Vec<SetGroup>),
    with_left_out(left_out: u64),
    with_group_by(group_by: impl Into<Option<GroupBy>>),
    with_certainty(certainty: impl Into<Option<SetCertainty>>),
    with_diagnostics(diagnostics: Vec<Diagnostic>),
});

/// A member of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetMember {
    /// The entry.
    pub entry_id: String,
    /// Its kind.
    pub kind: String,
    /// When it was written.
    pub timestamp: Timestamp,
}

/// The members of a month, a year or a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetGroup {
    /// `2025-03`, `2025`, the value, or [`NO_VALUE`](Self::NO_VALUE).
    pub value: String,
    /// How many members there are of it.
    pub count: u64,
}

impl SetGroup {
    /// Stands for the members without any value of the field.
    pub const NO_VALUE: &str = "(none)";
}
