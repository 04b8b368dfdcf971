//! What of a request is asked, and what is a filter.

use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::host::Level;
use gannet_plugin::prelude::{Context, Hit, SearchRequest};
use gannet_plugin::query::{ParsedQuery, QueryOptions, parse};
use gannet_plugin::search::QuerySyntax;
use jiff::tz::TimeZone;

/// The question of a request, its field filters (`author:smith`) moved to the
/// filter, where they are hard.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The question as it was typed, without field filters; blank where entries
    /// are only listed.
    pub text: String,
    /// How it was read, without its filter.
    pub parsed: ParsedQuery,
    /// What an entry must be to be found at all.
    pub filter: Filter,
}

impl Question {
    /// Reads a request, with days of this time zone. What was read in another
    /// way than it was written becomes a note of the call.
    ///
    /// ```
    /// use gannet_federation::Question;
    /// use gannet_plugin::prelude::SearchRequest;
    /// use gannet_plugin::testing;
    /// use jiff::tz::TimeZone;
    ///
    /// let request = SearchRequest::new("\"beam lost\" author:smith", 10);
    /// let question = Question::of(&request, &TimeZone::UTC, &testing::context());
    /// assert_eq!(question.text, "\"beam lost\"");
    /// assert_eq!(question.filter.clauses.len(), 1);
    /// ```
    pub fn of(request: &SearchRequest, zone: &TimeZone, context: &Context) -> Self {
        let options = QueryOptions {
            timezone: zone.clone(),
            ..QueryOptions::default()
        };
        let mut parsed = parse(&request.query, request.syntax, &options);
        let notes = std::mem::take(&mut parsed.diagnostics).into_iter();
        let warnings = notes.filter(|note| note.level == Level::Warning);
        context.diagnostics.extend(warnings);
        let own = std::mem::take(&mut parsed.filter);
        let is_whole = own.is_empty() || request.syntax == QuerySyntax::Plain;
        let text = match is_whole {
            true => request.query.trim().to_owned(),
            false => parsed.to_string(),
        };
        let mut filter = request.filter.clone();
        filter.clauses.extend(own.clauses);
        let mut question = Self {
            text,
            parsed,
            filter,
        };
        if question.is_for_an_id() {
            question.text.clear();
            question.parsed.root = None;
        }
        question
    }

    /// Whether the host looks for the entry with this id: its text may not have
    /// the id.
    fn is_for_an_id(&self) -> bool {
        self.filter.clauses.iter().any(|clause| {
            let id = Condition::Equals(self.text.clone());
            clause.field == FilterField::EntryId && clause.condition == id
        })
    }

    /// Of what a server gave, the first hits whose entries pass the filter: the
    /// server may compare in another way.
    pub fn fitting(&self, hits: impl Iterator<Item = Hit>, limit: usize) -> Vec<Hit> {
        let passes = |hit: &Hit| {
            let entry = hit.entry.as_deref();
            entry.is_some_and(|entry| self.filter.matches(entry))
        };
        hits.filter(passes).take(limit).collect()
    }

    /// Whether nothing is asked, so that what passes the filter is listed.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}
