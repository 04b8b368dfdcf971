//! Questions about a set of entries whose conditions are fields and times
//! alone: the store counts and lists the members, and nothing is ranked.

use gannet_plugin::pipeline::Event;
use gannet_plugin::plan::{Intent, SetMember, SetOperation, SetQuery};
use gannet_plugin::prelude::{Answer, Entry, Result};
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{
    AnswerBy, AnswerInput, CountedSet, FoundSet, LISTED_OF_A_SET, MEMBERS_OF_A_RATE,
    answer_from_set, find_set, hits_of_members, set_details, set_within, times_of,
};
use serde_json::{Value, json};

use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// Words of the topic of a list that all of its entries have, at most. Few
/// entries repeat the words of a longer one.
const WORDS_OF_A_LIST: usize = 3;

impl Run<'_> {
    /// The answer to a question about a set that the store decides. `None` for
    /// other questions, for hosts that count no sets, and where nothing is found
    /// for a question that may mean something else. Members about a topic have
    /// all of its words.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn answer_set(
        &self,
        search: &SearchText,
        report: &mut Report<'_>,
    ) -> Result<Option<Answer>> {
        let Some(set) = self.exact_set(search) else {
            return Ok(None);
        };
        let set = &set_within(set, &self.filter);
        let listed = self.request.limit.max(LISTED_OF_A_SET);
        let found = match find_set(self.context, set, listed).await {
            Err(error) if error.is_missing_service() => return Ok(None),
            found => found?,
        };
        if found.members.count == 0 && !is_empty_answer(search, set, &found) {
            return Ok(None);
        }
        // Of more members the text index gives the best ones, and not the last.
        if !set.topic.is_empty() && found.members.count > MEMBERS_OF_A_RATE as u64 {
            return Ok(None);
        }
        report.done("count", json!({ "members": found.members.count }));
        let set = &found.query;
        let shown = self.shown_members(set, &found);
        let ids = shown.iter().map(|member| member.entry_id.clone()).collect();
        let entries = self.context.entries(ids).await?;
        Ok(Some(self.word_set(search, set, &found, entries, report)))
    }

    /// The set of a question in plain words, without pinned entries, that asks
    /// for an answer.
    fn exact_set<'s>(&self, search: &'s SearchText) -> Option<&'s SetQuery> {
        let set = search.plan.set.as_ref()?;
        let is_plain = search.syntax == QuerySyntax::Plain && self.settings.pinned.is_empty();
        let is_answered = self.settings.answer != AnswerBy::None;
        let is_long = set.topic.len() > WORDS_OF_A_LIST && search.plan.intent == Intent::List;
        let is_decided = set.is_exact() || !(is_event(set) || is_long);
        (is_plain && is_answered && is_decided).then_some(set)
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

    fn word_set(
        &self,
        search: &SearchText,
        set: &SetQuery,
        found: &FoundSet,
        entries: Vec<Entry>,
        report: &mut Report<'_>,
    ) -> Answer {
        let input = AnswerInput {
            plan: &search.plan,
            entries: &entries,
            scores: &[],
            matches: None,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
            reader: None,
            grounded_probability: self.settings.grounded_probability,
        };
        let members = &found.members;
        let times = match set.operation {
            SetOperation::Rate => times_of(&members.members),
            _ => Vec::new(),
        };
        let counted = CountedSet {
            query: set,
            count: members.count,
            groups: &members.groups,
            times: &times,
            nearest: found.nearest.as_ref().map(|(side, _)| *side),
        };
        let composed = answer_from_set(counted, &input);
        let hits = hits_of_members(&entries);
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
            let rows = set_details(set, members.count, &members.groups);
            details.insert("set".to_owned(), rows);
        }
        Answer::new(hits)
            .with_answer(composed.text)
            .with_answer_status(composed.status)
            .with_answer_confidence(composed.confidence)
            .with_sources(composed.citations.clone())
            .with_citations(composed.citations)
            .with_reasoning(format!(
                "Counted {} by fields and times; {}.",
                members.count, composed.reason
            ))
            .with_pipeline_details(details)
    }
}

/// Whether the newest or the oldest one alone is asked for: of those about a
/// topic it is found by relevance.
fn is_event(set: &SetQuery) -> bool {
    let is_end = matches!(set.operation, SetOperation::First | SetOperation::Last);
    is_end && set.limit.unwrap_or(1) == 1
}

/// Whether it is an answer that a set has no entry. Entries may say a topic in
/// other words, so that a set about one is never shown to be empty.
fn is_empty_answer(search: &SearchText, set: &SetQuery, found: &FoundSet) -> bool {
    let is_asked_for = search.plan.intent != Intent::Find || set.group_by.is_some();
    set.topic.is_empty() && (is_asked_for || found.nearest.is_some())
}
