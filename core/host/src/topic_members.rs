//! The members of a set about a topic: of the entries that meet its conditions
//! and are found for the topic, those that are probably about it.

use std::collections::BTreeMap;

use gannet_api::{
    Call, Condition, Diagnostic, Entry, Filter, FilterField, QueryPlan, Result, SetRequest,
    TimeOrder,
};
use jiff::Timestamp;

use crate::relevance::Asked;
use crate::replies::{AskedBy, RequestState};
use crate::services::Services;
use crate::set_members::is_excluded;
use crate::short_forms::short_form;
use crate::topic_forms::usual_forms;
use crate::topic_names::names_another;

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

impl Services {
    /// Judges the entries that meet the conditions of a set and are found for
    /// its topic.
    ///
    /// # Errors
    /// [`gannet_api::Error::Store`].
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

    /// Judges the entries that are found for some words, and gives them too. Every
    /// form of a word is judged as the one that most of the entries have.
    async fn judge_about(
        &self,
        call: &Call,
        request: &SetRequest,
        topic: &[String],
        instance: &str,
        state: &RequestState,
    ) -> Result<(JudgedEntries, Vec<Entry>)> {
        let mut found = self.lexical_candidates(call, request, topic).await?;
        let shown = state.shown();
        let ids = found.ids();
        let by_words = shown.entries(self.store(), &call.tenant, &ids).await?;
        let topic = usual_forms(topic, &by_words);
        let asked = Asked {
            text: &topic.join(" "),
            topic: &topic,
            plan: &QueryPlan::default(),
        };
        self.add_semantic_candidates(call, asked.text, &mut found, instance, state)
            .await?;
        let ids = found.ids();
        let mut entries = shown.entries(self.store(), &call.tenant, &ids).await?;
        entries.retain(|entry| !is_excluded(&request.excluded, entry));
        let of_entries: Vec<&Entry> = entries.iter().collect();
        let relevance = self.relevance(call, &asked, &of_entries, instance, state);
        let judged = entries.iter().zip(relevance.await?);
        let judged = judged.map(|(entry, probability)| {
            let is_of_another = names_another(&topic, entry);
            let probability = if is_of_another { 0.0 } else { probability };
            ((entry.timestamp, entry.entry_id.clone()), probability)
        });
        let judged = judged.collect();
        let judged = JudgedEntries::new(judged, found.is_cut, found.diagnostics);
        Ok((judged, entries))
    }
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
