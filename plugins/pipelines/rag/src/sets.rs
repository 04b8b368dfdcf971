//! Questions about a set of entries. Where its conditions are fields and times
//! alone, the store counts and lists the members, and nothing is ranked. With a
//! topic, members are the entries that are probably about it, which the store
//! then counts and lists in the same way.

use gannet_plugin::filter::FilterClause;
use gannet_plugin::pipeline::Event;
use gannet_plugin::plan::{
    Intent, SetCertainty, SetMember, SetMembers, SetOperation, SetQuery, SetRequest,
};
use gannet_plugin::prelude::{Answer, Entry, Result};
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{
    AnswerBy, AnswerInput, ComposedAnswer, CountedSet, FoundSet, LISTED_OF_A_SET, Nearest,
    answer_from_set, answer_without_members, asks_for_entries, find_set, hits_of_members,
    set_details, times_of,
};
use serde_json::{Value, json};

use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// The probability of being right from which one entry is given.
const LEAST_CONFIDENCE: f64 = 0.4;

impl Run<'_> {
    /// The answer to a question about a set. `None` for other questions, for
    /// hosts that count no sets, and where nothing is found for a question that
    /// may mean something else.
    ///
    /// # Errors
    /// Those of the store and of the searches.
    pub(crate) async fn answer_set(
        &self,
        search: &SearchText,
        report: &mut Report<'_>,
    ) -> Result<Option<Answer>> {
        let Some(asked) = self.asked_set(search) else {
            return Ok(None);
        };
        let set = &asked.within(&self.filter);
        let listed = self.request.limit.max(LISTED_OF_A_SET);
        let found = match find_set(self.context, set, listed).await {
            Err(error) if error.is_missing_service() => return Ok(None),
            found => found?,
        };
        if is_too_uncertain(search, set, &found.members) {
            return Ok(None);
        }
        let grounded_probability = self.settings.grounded_probability;
        let is_empty = found.members.count == 0;
        if is_empty && !set.topic.is_empty() && is_asked_for(search, set) {
            let others = self.others(set).await?;
            if !others.is_empty() {
                report.done("count", json!({ "members": 0, "others": others.len() }));
                let answer = self.word_others(search, set, &found, &others, report);
                return Ok(Some(answer));
            }
        }
        let is_no_answer = is_empty && !is_empty_answer(search, set, &found, grounded_probability);
        if is_no_answer && !self.lacks_the_topic(asked, set, &found).await? {
            if set.is_exact() {
                let message = "no entry has all of what the question names; it is searched for";
                self.note_relaxed(message.to_owned());
            }
            return Ok(None);
        }
        report.done("count", json!({ "members": found.members.count }));
        let mut found = found;
        if is_empty && found.nearest.is_none() {
            let nearest = self.nearest_without_one(search, set).await?;
            found.nearest = nearest.map(|member| (Nearest::Partly, member));
        }
        let set = &found.query;
        let shown = self.shown_members(set, &found);
        let ids = shown.iter().map(|member| member.entry_id.clone()).collect();
        let entries = self.context.entries(ids).await?;
        Ok(Some(self.word_set(search, set, &found, &entries, report)))
    }

    /// The set of a question in plain words, without pinned entries, that asks
    /// for an answer.
    fn asked_set<'s>(&self, search: &'s SearchText) -> Option<&'s SetQuery> {
        let set = search.plan.set.as_ref()?;
        let is_plain = search.syntax == QuerySyntax::Plain && self.settings.pinned.is_empty();
        let is_answered = self.settings.answer != AnswerBy::None;
        // Members about a topic may be below a least relevance.
        let is_whole = set.is_exact() || self.settings.min_relevance.is_none();
        (is_plain && is_answered && is_whole).then_some(set)
    }

    /// The members of the result: all, or as many of the newest as it holds. A
    /// list of all stands in the order of time.
    fn shown_members(&self, set: &SetQuery, found: &FoundSet) -> Vec<SetMember> {
        if let Some((_, member)) = &found.nearest {
            return vec![member.clone()];
        }
        let members = found.members.members.iter().take(self.most_results());
        let mut shown: Vec<SetMember> = members.cloned().collect();
        let is_whole = shown.len() as u64 == found.members.count;
        let is_end = matches!(set.operation, SetOperation::First | SetOperation::Last);
        if is_whole && !is_end && shown.len() <= LISTED_OF_A_SET {
            shown.reverse();
        }
        shown
    }

    /// Whether entries meet the conditions of a phrase ("sea turtles at Surry in
    /// 2003") and it is probable enough that none is about its topic. Where no
    /// entry meets them, a search without some of them finds more.
    async fn lacks_the_topic(
        &self,
        asked: &SetQuery,
        set: &SetQuery,
        found: &FoundSet,
    ) -> Result<bool> {
        let is_proven = |of: SetCertainty| of.confidence >= self.settings.grounded_probability;
        let is_without_conditions = asked.filter.is_empty() && asked.times.is_empty();
        if is_without_conditions || !found.members.certainty.is_some_and(is_proven) {
            return Ok(false);
        }
        Ok(self.without_topic(set, 1).await?.count > 0)
    }

    /// Of an empty set of the first or last ones, the first or last entry without
    /// one of the conditions that were read in the words of the question.
    async fn nearest_without_one(
        &self,
        search: &SearchText,
        set: &SetQuery,
    ) -> Result<Option<SetMember>> {
        let is_first = set.operation == SetOperation::First;
        let is_end = is_first || set.operation == SetOperation::Last;
        let given = [&self.filter, &search.plan.query.filter];
        let clauses = set.filter.clauses.iter();
        let read: Vec<&FilterClause> = clauses
            .filter(|clause| !given.iter().any(|filter| filter.clauses.contains(clause)))
            .collect();
        if !is_end || !set.is_exact() || read.len() < 2 {
            return Ok(None);
        }
        let mut nearest: Option<SetMember> = None;
        for left_out in read {
            let mut request = set.request(1).with_limit(1);
            request.filter.clauses.retain(|clause| clause != left_out);
            let found = self.context.set_members(&request).await?.members;
            let is_nearer = |one: &SetMember| {
                nearest.as_ref().is_none_or(|known| match is_first {
                    true => one.timestamp < known.timestamp,
                    false => one.timestamp > known.timestamp,
                })
            };
            let nearer = found.into_iter().find(is_nearer);
            nearest = nearer.or(nearest);
        }
        Ok(nearest)
    }

    /// The members of a set without its topic, so many at most.
    async fn without_topic(&self, set: &SetQuery, limit: usize) -> Result<SetMembers> {
        let request = SetRequest::new(set.filter.clone(), set.times.clone())
            .with_excluded(set.excluded.clone());
        self.context.set_members(&request.with_limit(limit)).await
    }

    /// The entries that meet the conditions beside a topic, where they are few.
    async fn others(&self, set: &SetQuery) -> Result<Vec<Entry>> {
        if set.filter.is_empty() && set.times.is_empty() {
            return Ok(Vec::new());
        }
        let others = self.without_topic(set, MOST_OTHERS).await?;
        if others.count > MOST_OTHERS as u64 {
            return Ok(Vec::new());
        }
        let ids = others.members.into_iter().map(|member| member.entry_id);
        self.context.entries(ids.collect()).await
    }

    /// Says that no entry is about the topic, and which meet the other conditions.
    fn word_others(
        &self,
        search: &SearchText,
        set: &SetQuery,
        found: &FoundSet,
        others: &[Entry],
        report: &mut Report<'_>,
    ) -> Answer {
        let certainty = found.members.certainty;
        let none = certainty.map_or(1.0, |certainty| certainty.confidence);
        let composed = answer_without_members(set, none, &self.set_input(search, others));
        self.told_set(set, found, others, composed, report)
    }

    fn set_input<'i>(&'i self, search: &'i SearchText, entries: &'i [Entry]) -> AnswerInput<'i> {
        AnswerInput {
            plan: &search.plan,
            entries,
            scores: &[],
            matches: None,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
            reader: None,
            grounded_probability: self.settings.grounded_probability,
        }
    }

    fn word_set(
        &self,
        search: &SearchText,
        set: &SetQuery,
        found: &FoundSet,
        entries: &[Entry],
        report: &mut Report<'_>,
    ) -> Answer {
        let members = &found.members;
        let times = match set.operation {
            SetOperation::Rate => times_of(&members.members),
            _ => Vec::new(),
        };
        let counted = CountedSet {
            query: set,
            count: members.count,
            groups: &members.groups,
            left_out: members.left_out,
            times: &times,
            nearest: found.nearest.as_ref().map(|(side, _)| *side),
            certainty: members.certainty,
        };
        let composed = answer_from_set(counted, &self.set_input(search, entries));
        self.told_set(set, found, entries, composed, report)
    }

    /// Tells the answer and makes the result of it.
    fn told_set(
        &self,
        set: &SetQuery,
        found: &FoundSet,
        entries: &[Entry],
        composed: ComposedAnswer,
        report: &mut Report<'_>,
    ) -> Answer {
        let members = &found.members;
        let hits = hits_of_members(entries);
        self.tell_hits(&hits);
        self.context.emit(Event::Answer {
            text: composed.text.clone(),
        });
        for entry_id in &composed.citations {
            let entry_id = entry_id.clone();
            self.context.emit(Event::Citation { entry_id });
        }
        let numbers = json!({
            "status": composed.status,
            "citations": composed.citations.len(),
        });
        report.done("answer", numbers);
        let mut details = report.details();
        if let Value::Object(details) = &mut details {
            let rows = (members.groups.as_slice(), members.left_out);
            let rows = set_details(set, members.count, members.certainty, rows);
            details.insert("set".to_owned(), rows);
        }
        Answer::new(hits)
            .with_answer(composed.text)
            .with_answer_status(composed.status)
            .with_answer_confidence(composed.confidence)
            .with_sources(composed.citations.clone())
            .with_citations(composed.citations)
            .with_reasoning(format!(
                "Counted {} entries; {}.",
                members.count, composed.reason
            ))
            .with_pipeline_details(details)
    }
}

/// Entries that meet the conditions of a set without being about its topic that
/// are shown where no entry is about it.
const MOST_OTHERS: usize = 10;

/// Whether it is an answer that a set has no entry. It is one where the question
/// names nothing but conditions: no entry has them, and a sentence of another
/// one answers nothing. Entries may say a topic in other words, so that a set
/// about one is empty only where that is probable enough; where a number of
/// entries is asked for, a sentence is no better answer.
fn is_empty_answer(
    search: &SearchText,
    set: &SetQuery,
    found: &FoundSet,
    grounded_probability: f64,
) -> bool {
    let is_number = set.operation == SetOperation::Count && !set.filter.is_empty();
    let Some(certainty) = found.members.certainty else {
        let is_answer = set.is_exact() || is_asked_for(search, set);
        return is_number || (is_answer && !guesses_several_values(set));
    };
    is_number || (is_asked_for(search, set) && certainty.confidence >= grounded_probability)
}

/// Whether it is a guess that an entry has several values of a field: "wiggler
/// quench" where both are tags.
fn guesses_several_values(set: &SetQuery) -> bool {
    let clauses = &set.filter.clauses;
    let is_again = |at: usize| {
        clauses[..at]
            .iter()
            .any(|one| one.field == clauses[at].field)
    };
    set.is_assumed && (0..clauses.len()).any(is_again)
}

/// Whether the question says that it asks for entries.
fn is_asked_for(search: &SearchText, set: &SetQuery) -> bool {
    search.plan.intent != Intent::Find || set.group_by.is_some()
}

/// Whether the answer of a search is more probably right: where the first or the
/// last is more probably wrong than right, and where no member of a list or of an
/// interval is certain, since the search lists what it finds. A number that is not
/// asked of entries may be one that an entry states ("number of valves that
/// cycled in the scram of 28 September").
fn is_too_uncertain(search: &SearchText, set: &SetQuery, members: &SetMembers) -> bool {
    let Some(certainty) = members.certainty else {
        return false;
    };
    let has_none_certain = members.count > 0 && certainty.certain == 0;
    let asks_for_entries = asks_for_entries(&search.plan);
    match set.operation {
        SetOperation::First | SetOperation::Last => certainty.end_confidence < LEAST_CONFIDENCE,
        SetOperation::Rate => has_none_certain,
        SetOperation::Count => has_none_certain && members.count == 1 && !asks_for_entries,
        SetOperation::List => has_none_certain && asks_for_entries,
    }
}

#[cfg(test)]
mod tests {
    use gannet_plugin::filter::{Condition, Filter, FilterField};
    use gannet_plugin::prelude::PipelineRequest;

    use super::*;

    #[test]
    fn several_values_of_a_field_are_a_guess_where_the_set_is_one() {
        let set = |fields: &[&str], is_assumed| {
            let all = fields.iter().fold(Filter::none(), |filter, field| {
                let value = Condition::Equals("pump".to_owned());
                filter.and(FilterField::from_name(field), value)
            });
            SetQuery::new(SetOperation::Last)
                .with_filter(all)
                .with_is_assumed(is_assumed)
        };
        assert!(guesses_several_values(&set(&["tag", "tag"], true)));
        assert!(!guesses_several_values(&set(&["tag", "tag"], false)));
        assert!(!guesses_several_values(&set(&["tag", "author"], true)));
    }

    #[test]
    fn an_interval_is_given_where_a_member_is_certain() {
        let request = PipelineRequest::new("how often did CAV1 trip?", 5);
        let search = SearchText::of(&request, None, None);
        let members = |certain| {
            let certainty = SetCertainty {
                certain,
                confidence: 0.1,
                end_confidence: 0.1,
            };
            SetMembers::default()
                .with_count(5)
                .with_certainty(certainty)
        };
        let rate = SetQuery::new(SetOperation::Rate);
        assert!(!is_too_uncertain(&search, &rate, &members(2)));
        assert!(is_too_uncertain(&search, &rate, &members(0)));
    }
}
