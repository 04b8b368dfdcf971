//! The entries that are looked at for a topic: those that are found by its words
//! and by its meaning.

use std::collections::BTreeSet;

use gannet_api::query::{Node, ParsedQuery};
use gannet_api::{
    Call, Condition, Diagnostic, EmbedPurpose, EmbedRequest, Error, Filter, FilterField, Hit,
    Result, SetRequest, TimeRange, VectorSearch,
};
use gannet_store::TextRequest;

use crate::replies::RequestState;
use crate::services::Services;
use crate::set_members::apart;

/// Entries that are found by the words of the topic, and by its meaning.
const CANDIDATES: usize = 200;
/// Of each of several times, at least, and times that are looked at. Together no
/// more than the host scores at once.
const LEAST_CANDIDATES: usize = 20;
const MOST_TIMES: usize = 24;

/// Entries that are found for a topic.
#[derive(Default)]
pub(crate) struct Candidates {
    ids: BTreeSet<String>,
    /// Whether more entries have words of the topic.
    pub(crate) is_cut: bool,
    /// What the searches had to say.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The conditions of each time.
    filters: Vec<Filter>,
    of_each: usize,
}

impl Candidates {
    /// The ids of the entries, in their order.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.ids.iter().cloned().collect()
    }

    /// Adds what a search found. Several times have the same notes.
    fn add(&mut self, hits: Vec<Hit>, diagnostics: Vec<Diagnostic>) {
        self.ids.extend(hits.into_iter().map(|hit| hit.entry_id));
        for note in diagnostics {
            self.note(note);
        }
    }

    fn note(&mut self, note: Diagnostic) {
        if !self.diagnostics.contains(&note) {
            self.diagnostics.push(note);
        }
    }
}

impl Services {
    /// The entries that meet the conditions of a set and have words of a topic.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub(crate) async fn lexical_candidates(
        &self,
        call: &Call,
        request: &SetRequest,
        topic: &[String],
    ) -> Result<Candidates> {
        let times = apart(request.times.clone());
        let of_each = CANDIDATES.div_ceil(times.len()).max(LEAST_CANDIDATES);
        let looked_at = times.iter().take(MOST_TIMES);
        let mut found = Candidates {
            is_cut: times.len() > MOST_TIMES,
            filters: looked_at
                .map(|time| within_time(&request.filter, *time))
                .collect(),
            of_each,
            ..Candidates::default()
        };
        for filter in found.filters.clone() {
            let by_words = TextRequest {
                query: words_of(topic),
                filter,
                limit: of_each,
                fuzzy: true,
            };
            let by_words = self.store().text_search(&call.tenant, by_words).await?;
            found.is_cut |= by_words.hits.len() >= of_each;
            found.add(by_words.hits, by_words.diagnostics);
        }
        Ok(found)
    }

    /// Adds those that semantic search finds for a topic.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub(crate) async fn add_semantic_candidates(
        &self,
        call: &Call,
        topic: &str,
        found: &mut Candidates,
        instance: &str,
        state: &RequestState,
    ) -> Result<()> {
        let vector = match self.topic_vector(call, topic, instance, state).await {
            Ok(Some(vector)) => vector,
            Ok(None) => return Ok(()),
            Err(error) => {
                found.note(by_words_alone(&error));
                return Ok(());
            }
        };
        for filter in found.filters.clone() {
            let nearest = VectorSearch::new(vector.clone(), found.of_each).with_filter(filter);
            match self.search_vectors(call, nearest).await {
                Ok(nearest) => found.add(nearest.hits, nearest.diagnostics),
                Err(error @ Error::Unavailable { .. }) => found.note(by_words_alone(&error)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The vector of a topic.
    ///
    /// # Errors
    /// Those of the embedder, where words alone decide.
    async fn topic_vector(
        &self,
        call: &Call,
        topic: &str,
        instance: &str,
        state: &RequestState,
    ) -> Result<Option<Vec<f32>>> {
        let request = EmbedRequest::new(vec![topic.to_owned()], EmbedPurpose::Query);
        let made = self.embed_texts(call, request, instance, state).await;
        Ok(made?.vectors.pop())
    }
}

/// Says that entries of the same meaning in other words are not found.
fn by_words_alone(error: &Error) -> Diagnostic {
    let message = format!("entries about the topic are found by its words alone: {error}");
    Diagnostic::info("service.set_members", message).category(error.category())
}

/// Words of which an entry has any; those with all of them come first.
fn words_of(topic: &[String]) -> ParsedQuery {
    let words: Vec<Node> = topic.iter().cloned().map(Node::Word).collect();
    ParsedQuery {
        root: (!words.is_empty()).then_some(Node::All(words)),
        ..ParsedQuery::default()
    }
}

fn within_time(filter: &Filter, time: TimeRange) -> Filter {
    match time == TimeRange::default() {
        true => filter.clone(),
        false => filter
            .clone()
            .and(FilterField::Timestamp, Condition::Time(time)),
    }
}
