//! How many entries match a question, and which values they have.

use gannet_api::query::parse;
use gannet_api::{Deadline, Diagnostic, Error, Filter, FilterField, Matched, QuerySyntax};
use gannet_store::{MatchCounts, MatchRequest};
use serde::Serialize;

use crate::isolate::within;
use crate::{Gannet, HostError};

/// How many values of a field are given, the most frequent.
const FACET_VALUES: usize = 20;
const SOURCE: &str = "service.matches";

/// How many entries the text index has for the words of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Matches {
    /// The number of entries.
    pub count: u64,
    /// Whether there are no others. A mode that searches vectors finds entries
    /// by their meaning too; there the count is the least number.
    pub is_exact: bool,
    /// `All`: the entries match the whole question. `Some`: none does, and
    /// those with some of its words were counted.
    pub matched: Matched,
}

/// The values of a field over the entries that match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The field, as it was asked for.
    pub field: String,
    /// Its values, the most frequent first, 20 at most.
    pub values: Vec<FacetValue>,
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// How many of the matching entries have it.
    pub count: u64,
}

/// What is to be counted beside a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counting {
    /// Whether the matching entries are counted.
    pub matches: bool,
    /// The fields whose values are counted over the matching entries: `author`,
    /// `source`, `tag`, `shift` or a metadata key.
    pub facets: Vec<String>,
}

impl Counting {
    /// Whether anything is to be counted.
    pub fn is_wanted(&self) -> bool {
        self.matches || !self.facets.is_empty()
    }
}

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub matches: Option<Matches>,
    pub facets: Vec<Facet>,
}

/// A question whose matches are counted.
pub(crate) struct CountedQuestion<'a> {
    pub tenant: &'a str,
    pub query: &'a str,
    pub filter: &'a Filter,
    pub mode: &'a str,
    /// Entries that the mode found.
    pub found: usize,
}

impl Gannet {
    /// Counts the entries that match the question, as far as there is time.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for a field that has no values to count,
    /// [`HostError::Store`] when the store cannot be read.
    pub(crate) async fn count_matches(
        &self,
        question: CountedQuestion<'_>,
        counting: &Counting,
        deadline: Deadline,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Counted, HostError> {
        if !counting.is_wanted() {
            return Ok(Counted::default());
        }
        let options = self.services().query_options();
        let request = MatchRequest {
            query: parse(question.query, QuerySyntax::Operators, &options),
            filter: question.filter.clone(),
            fuzzy: true,
            facets: fields(&counting.facets)?,
            values: FACET_VALUES,
        };
        let counts = self.store().text_matches(question.tenant, request);
        let counts = async { Ok(counts.await?) };
        match within("counting matches", deadline, counts).await {
            Ok(counts) => Ok(self.counted(&question, counts, &counting.facets)),
            Err(Error::Timeout { .. }) => {
                let message = "the matching entries were not counted: there was no time left";
                notes.push(Diagnostic::warning(SOURCE, message).category("timeout"));
                Ok(Counted::default())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn counted(
        &self,
        question: &CountedQuestion<'_>,
        counts: MatchCounts,
        fields: &[String],
    ) -> Counted {
        let is_exact = !self.needs_vectors(question.mode);
        let found = match is_exact {
            true => 0,
            false => question.found as u64,
        };
        let facets = fields
            .iter()
            .zip(counts.facets)
            .map(|(field, values)| Facet {
                field: field.clone(),
                values: values
                    .into_iter()
                    .map(|(value, count)| FacetValue { value, count })
                    .collect(),
            });
        Counted {
            matches: Some(Matches {
                count: counts.count.max(found),
                is_exact,
                matched: counts.matched,
            }),
            facets: facets.collect(),
        }
    }
}

fn fields(names: &[String]) -> Result<Vec<FilterField>, Error> {
    names
        .iter()
        .map(|name| match FilterField::from_name(name.trim()) {
            FilterField::Timestamp | FilterField::EntryId => Err(Error::invalid_input(format!(
                "facet `{name}`: every entry has a value of its own; name author, source, kind, \
                 tag, shift or a metadata key"
            ))),
            field => Ok(field),
        })
        .collect()
}
