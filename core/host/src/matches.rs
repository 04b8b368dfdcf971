//! How many entries match a question, and which values they have.

use gannet_api::query::{Node, ParsedQuery, parse};
use gannet_api::{
    Deadline, Diagnostic, Error, Filter, FilterField, Matched, QueryPlan, QuerySyntax,
};
use gannet_store::{MatchCounts, MatchRequest, StoreError};
use serde::Serialize;

use crate::isolate::within;
use crate::nothing_found::about_field;
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
    /// by their meaning too, and one with a loaded module or another server what
    /// they find; there the count is the least number.
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
    /// Whether entries with any word that says what a question asks about are
    /// counted, rather than those with all of its words: few entries repeat a
    /// whole question.
    pub any_word: bool,
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
    pub plan: &'a QueryPlan,
    pub filter: &'a Filter,
    pub mode: &'a str,
    /// Entries that the mode found.
    pub found: usize,
    /// Whether the mode searched the store.
    pub searched_store: bool,
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
        let mut query = parse(question.query, QuerySyntax::Operators, &options);
        if counting.any_word {
            query = any_word(query, question.plan);
        } else if self.services().vocabulary().expands(question.mode) {
            self.services().vocabulary().expand(&mut query);
        }
        let request = MatchRequest {
            query,
            filter: question.filter.clone(),
            fuzzy: true,
            facets: fields(&counting.facets)?,
            values: FACET_VALUES,
        };
        let counts = self.store().text_matches(question.tenant, request);
        let counts = async { Ok(counts.await?) };
        match within("counting matches", deadline, counts).await {
            Ok(counts) => {
                let counted = self.counted(&question, counts, &counting.facets);
                notes.extend(self.about_empty_facets(question.tenant, &counted).await?);
                Ok(counted)
            }
            Err(Error::Timeout { .. }) => {
                let message = "the matching entries were not counted: there was no time left";
                notes.push(Diagnostic::warning(SOURCE, message).category("timeout"));
                Ok(Counted::default())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Fields that no entry has, where entries match and none has a value.
    async fn about_empty_facets(
        &self,
        tenant: &str,
        counted: &Counted,
    ) -> Result<Vec<Diagnostic>, StoreError> {
        let mut notes = Vec::new();
        if counted
            .matches
            .as_ref()
            .is_none_or(|found| found.count == 0)
        {
            return Ok(notes);
        }
        for facet in counted
            .facets
            .iter()
            .filter(|facet| facet.values.is_empty())
        {
            let field = FilterField::from_name(facet.field.trim());
            notes.extend(about_field(self.store(), tenant, &field).await?);
        }
        Ok(notes)
    }

    fn counted(
        &self,
        question: &CountedQuestion<'_>,
        counts: MatchCounts,
        fields: &[String],
    ) -> Counted {
        let mode = question.mode;
        let is_exact = !self.needs_vectors(mode) && !self.may_wait_for_others(mode);
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
        let matches = Matches {
            count: counts.count.max(found),
            is_exact,
            matched: counts.matched,
        };
        // What the text index has for the question says nothing of a mode that
        // finds entries elsewhere, or in a way that only its plugin knows.
        let is_of_mode = question.searched_store && !self.is_module_of_others(mode);
        Counted {
            matches: is_of_mode.then_some(matches),
            facets: facets.collect(),
        }
    }
}

/// The query that entries with any word of what is asked about match. One that
/// has operators or fields says itself what matches.
pub(crate) fn any_word(query: ParsedQuery, plan: &QueryPlan) -> ParsedQuery {
    let is_question = match &query.root {
        Some(Node::All(parts)) => parts.iter().all(|part| matches!(part, Node::Word(_))),
        _ => false,
    };
    // Names are words that entries have; times are not.
    let without_names = plan.clone().with_entities(Vec::new());
    let words = without_names.content_terms();
    if !is_question || !query.filter.is_empty() || words.is_empty() {
        return query;
    }
    ParsedQuery {
        root: Some(Node::Or(words.into_iter().map(Node::Word).collect())),
        plain: false,
        ..query
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

#[cfg(test)]
mod tests {
    use gannet_api::query::QueryOptions;

    use super::*;

    fn counted(text: &str) -> Option<Node> {
        let query = parse(text, QuerySyntax::Operators, &QueryOptions::default());
        let plan = QueryPlan::of_terms(text, query.clone());
        any_word(query, &plan).root
    }

    #[test]
    fn a_question_is_counted_by_any_of_its_words() {
        let words = ["wiggler", "quench"].map(|word| Node::Word(word.to_owned()));
        assert_eq!(
            counted("why did the wiggler quench?"),
            Some(Node::Or(words.to_vec()))
        );
    }

    #[test]
    fn a_query_with_operators_is_counted_as_it_is() {
        for text in ["wiggler AND quench", "wiggler -quench", "\"loose tap\""] {
            let query = parse(text, QuerySyntax::Operators, &QueryOptions::default());
            assert_eq!(counted(text), query.root, "{text}");
        }
    }
}
