//! The members of a set about a topic: of the entries that meet its conditions
//! and are found for the topic, those that are probably about it.

use std::collections::{BTreeMap, BTreeSet};

use gannet_api::query::{Node, ParsedQuery};
use gannet_api::{
    Call, Condition, Diagnostic, EmbedPurpose, EmbedRequest, Entry, Error, Filter, FilterField,
    Hit, QueryPlan, Result, SetRequest, TimeOrder, TimeRange, VectorSearch,
};
use gannet_store::TextRequest;
use jiff::Timestamp;

use crate::relevance::Asked;
use crate::replies::{AskedBy, RequestState};
use crate::services::Services;
use crate::set_members::apart;
use crate::short_forms::short_form;

/// Entries that are found by the words of the topic, and by its meaning, and
/// judged.
const CANDIDATES: usize = 200;
/// Of each of several times, at least, and times that are looked at. Together no
/// more than the host scores at once.
const LEAST_CANDIDATES: usize = 20;
const MOST_TIMES: usize = 24;
/// The probability from which every entry is a member, and the least of one.
const MEMBER: f64 = 0.5;
const LEAST_MEMBER: f64 = 0.3;
/// Between which probabilities entries are told apart.
const TOLD_APART: (f64, f64) = (0.02, 0.9);
/// The probability from which a member is certain.
const CERTAIN: f64 = 0.9;

/// The most probable that an answer is whose candidates were cut.
const CUT: f64 = 0.5;

/// Entries that are judged for a topic.
pub(crate) struct JudgedEntries {
    /// Their probabilities, the oldest first.
    entries: BTreeMap<(Timestamp, String), f64>,
    /// The probability of the last member.
    least_of_members: f64,
    /// Whether more entries have words of the topic than were judged.
    is_cut: bool,
    /// What the searches had to say.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Entries that are found for a topic.
#[derive(Default)]
struct Candidates {
    ids: BTreeSet<String>,
    is_cut: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Services {
    /// Judges the entries that meet the conditions of a set and are found for
    /// its topic.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub(crate) async fn judge_topic(
        &self,
        call: &Call,
        request: &SetRequest,
        instance: &str,
        state: &RequestState,
    ) -> Result<JudgedEntries> {
        let about = self.judge_about(call, request, &request.topic, instance, state);
        let (mut judged, entries) = about.await?;
        if let Some(short) = short_form(&request.topic, &entries) {
            let short = [short];
            let about = self.judge_about(call, request, &short, instance, state);
            judged.add(about.await?.0);
        }
        let entries = judged.entries.iter();
        let known = entries.map(|((_, id), probability)| (id.clone(), *probability));
        state.keep_relevance(AskedBy::Set, known);
        Ok(judged)
    }

    /// Judges the entries that are found for some words, and gives them too.
    async fn judge_about(
        &self,
        call: &Call,
        request: &SetRequest,
        topic: &[String],
        instance: &str,
        state: &RequestState,
    ) -> Result<(JudgedEntries, Vec<Entry>)> {
        let asked = Asked {
            text: &topic.join(" "),
            topic,
            plan: &QueryPlan::default(),
        };
        let found = self.candidates(call, request, &asked, instance, state);
        let found = found.await?;
        let ids: Vec<String> = found.ids.into_iter().collect();
        let entries = state.shown().entries(self.store(), &call.tenant, &ids);
        let entries = entries.await?;
        let of_entries: Vec<&Entry> = entries.iter().collect();
        let relevance = self.relevance(call, &asked, &of_entries, instance, state);
        let times_and_ids = entries
            .iter()
            .map(|entry| (entry.timestamp, entry.entry_id.clone()));
        let judged = times_and_ids.zip(relevance.await?).collect();
        let judged = JudgedEntries::new(judged, found.is_cut, found.diagnostics);
        Ok((judged, entries))
    }

    /// The entries that are found for a topic, by words and by meaning.
    async fn candidates(
        &self,
        call: &Call,
        request: &SetRequest,
        asked: &Asked<'_>,
        instance: &str,
        state: &RequestState,
    ) -> Result<Candidates> {
        let times = apart(request.times.clone());
        let of_each = CANDIDATES.div_ceil(times.len()).max(LEAST_CANDIDATES);
        let mut found = Candidates::default();
        let vector = match self.topic_vector(call, asked.text, instance, state).await {
            Ok(vector) => vector,
            Err(error) => {
                found.diagnostics.push(by_words_alone(&error));
                None
            }
        };
        for time in times.iter().take(MOST_TIMES) {
            let filter = within_time(&request.filter, *time);
            let by_words = TextRequest {
                query: words_of(asked.topic),
                filter: filter.clone(),
                limit: of_each,
                fuzzy: true,
            };
            let by_words = self.store().text_search(&call.tenant, by_words).await?;
            found.is_cut |= by_words.hits.len() >= of_each;
            found.add(by_words.hits, by_words.diagnostics);
            let Some(vector) = &vector else { continue };
            let by_meaning = VectorSearch::new(vector.clone(), of_each).with_filter(filter);
            match self.search_vectors(call, by_meaning).await {
                Ok(by_meaning) => found.add(by_meaning.hits, by_meaning.diagnostics),
                Err(error @ Error::Unavailable { .. }) => {
                    found.diagnostics.push(by_words_alone(&error));
                }
                Err(error) => return Err(error),
            }
        }
        found.is_cut |= times.len() > MOST_TIMES;
        Ok(found)
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

impl Candidates {
    /// Adds what a search found. Several times have the same notes.
    fn add(&mut self, hits: Vec<Hit>, diagnostics: Vec<Diagnostic>) {
        self.ids.extend(hits.into_iter().map(|hit| hit.entry_id));
        for note in diagnostics {
            if !self.diagnostics.contains(&note) {
                self.diagnostics.push(note);
            }
        }
    }
}

/// Says that entries of the same meaning in other words are not found.
fn by_words_alone(error: &Error) -> Diagnostic {
    let message = format!("entries about the topic are found by its words alone: {error}");
    Diagnostic::info("service.set_members", message).category(error.category())
}

impl JudgedEntries {
    fn new(
        entries: BTreeMap<(Timestamp, String), f64>,
        is_cut: bool,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        Self {
            least_of_members: least_of_members(entries.values()),
            entries,
            is_cut,
            diagnostics,
        }
    }

    /// Adds what was judged for other words of the same topic. An entry is as
    /// probable as by the better ones.
    fn add(&mut self, other: Self) {
        for (entry, probability) in other.entries {
            let known = self.entries.entry(entry).or_insert(probability);
            *known = known.max(probability);
        }
        self.least_of_members = least_of_members(self.entries.values());
        self.is_cut |= other.is_cut;
        for note in other.diagnostics {
            if !self.diagnostics.contains(&note) {
                self.diagnostics.push(note);
            }
        }
    }

    /// The members, as the filter that they alone pass.
    pub(crate) fn filter(&self) -> Filter {
        let ids = self.members().cloned().collect();
        Filter::none().and(FilterField::EntryId, Condition::AnyOf(ids))
    }

    fn members(&self) -> impl Iterator<Item = &String> {
        let entries = self.entries.iter();
        let members = entries.filter(|(_, probability)| self.is_member(**probability));
        members.map(|((_, id), _)| id)
    }

    fn is_member(&self, probability: f64) -> bool {
        probability >= self.least_of_members
    }

    /// Whether there is no member.
    pub(crate) fn has_none(&self) -> bool {
        self.members().next().is_none()
    }

    /// How many members are certain.
    pub(crate) fn certain(&self) -> u64 {
        let certain = self.entries.values().filter(|one| **one >= CERTAIN);
        certain.count() as u64
    }

    /// The probability that every entry is rightly a member or none, were they
    /// independent of each other.
    pub(crate) fn confidence(&self) -> f64 {
        let each = self.entries.values().map(|one| self.confidence_of(*one));
        self.bounded(each.product())
    }

    /// The same of the entries up to so many members from an end of time. These
    /// members are what is asked for, so all of them have to be certain.
    pub(crate) fn end_confidence(&self, order: Option<TimeOrder>, members: usize) -> f64 {
        let mut judged: Vec<f64> = self.entries.values().copied().collect();
        if order != Some(TimeOrder::Oldest) {
            judged.reverse();
        }
        let mut left = members;
        let (mut confidence, mut bound): (f64, f64) = (1.0, 1.0);
        for probability in judged {
            if left == 0 {
                break;
            }
            confidence *= self.confidence_of(probability);
            if self.is_member(probability) {
                left -= 1;
                if probability < CERTAIN {
                    bound = CUT;
                }
            }
        }
        self.bounded(confidence).min(bound)
    }

    /// The probability that an entry is rightly a member or none.
    fn confidence_of(&self, probability: f64) -> f64 {
        match self.is_member(probability) {
            true => probability,
            false => 1.0 - probability,
        }
    }

    /// What was not judged may be a member.
    fn bounded(&self, confidence: f64) -> f64 {
        match self.is_cut {
            true => confidence.min(CUT),
            false => confidence,
        }
    }
}

/// The probability of the last member: entries about a topic stand apart from
/// the others also where each says it in other words and is a little less
/// probable. Between the bounds it is the one before the widest step.
fn least_of_members<'p>(probabilities: impl Iterator<Item = &'p f64>) -> f64 {
    let mut falling: Vec<f64> = probabilities.copied().chain([0.0]).collect();
    falling.sort_by(|a, b| b.total_cmp(a));
    let steps = falling.windows(2);
    let between = steps.filter(|step| step[0] >= LEAST_MEMBER && step[1] < MEMBER);
    let widest = between.max_by(|a, b| width(a).total_cmp(&width(b)));
    widest.map_or(MEMBER, |step| step[0])
}

/// How far apart in log-odds two entries are, the more probable one first.
fn width(step: &[f64]) -> f64 {
    let log_odds = |probability: &f64| {
        let probability = probability.clamp(TOLD_APART.0, TOLD_APART.1);
        (probability / (1.0 - probability)).ln()
    };
    log_odds(&step[0]) - log_odds(&step[1])
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(probabilities: &[f64]) -> JudgedEntries {
        let ids = (0..).map(|at: usize| (Timestamp::UNIX_EPOCH, at.to_string()));
        let entries = ids.zip(probabilities.iter().copied()).collect();
        JudgedEntries::new(entries, false, Vec::new())
    }

    #[test]
    fn a_set_is_as_certain_as_all_of_its_decisions() {
        let entries = judged(&[0.9, 0.2, 1.0]);
        assert!((entries.confidence() - 0.72).abs() < 1e-9);
        assert_eq!(entries.certain(), 2);
        assert_eq!(entries.members().count(), 2);
        assert!(judged(&[0.2]).has_none());
    }

    #[test]
    fn members_end_where_the_others_stand_apart() {
        for (probabilities, members) in [
            (&[0.9, 0.55, 0.49, 0.33, 0.02][..], 4),
            (&[0.9, 0.45, 0.4, 0.36, 0.32, 0.25, 0.2], 1),
            (&[0.45, 0.36, 0.32, 0.08], 3),
            (&[0.95, 0.6, 0.29, 0.28], 2),
            (&[0.28, 0.01], 0),
            (&[], 0),
        ] {
            assert_eq!(
                judged(probabilities).members().count(),
                members,
                "{probabilities:?}"
            );
        }
    }

    #[test]
    fn the_last_one_is_as_certain_as_it_and_what_is_after_it() {
        let entries = judged(&[0.5, 0.9, 0.1]);
        let newest = entries.end_confidence(Some(TimeOrder::Newest), 1);
        assert!((newest - 0.81).abs() < 1e-9);
        let oldest = entries.end_confidence(Some(TimeOrder::Oldest), 1);
        assert!((oldest - 0.5).abs() < 1e-9);
    }
}
