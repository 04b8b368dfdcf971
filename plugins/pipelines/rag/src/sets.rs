//! Questions about a set of entries whose conditions are fields and times
//! alone: the store counts and lists the members, and nothing is ranked.

use gannet_plugin::filter::{Filter, TimeRange};
use gannet_plugin::pipeline::Event;
use gannet_plugin::plan::{
    GroupBy, Intent, SetMember, SetMembers, SetOperation, SetQuery, SetRequest, TimeOrder,
};
use gannet_plugin::prelude::{Answer, Entry, Hit, Result};
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_stages::{
    AnswerBy, AnswerInput, CountedSet, LISTED_OF_A_SET, Nearest, answer_from_set, set_details,
    times_of,
};
use serde_json::{Value, json};

use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// Members whose times are read for how often there is one.
const MEMBERS_OF_A_RATE: usize = 1000;

/// Words of the topic of a list that all of its entries have, at most. Few
/// entries repeat the words of a longer one.
const WORDS_OF_A_LIST: usize = 3;

/// A set as the store has it.
struct FoundSet {
    members: SetMembers,
    /// The entry that is nearest in time to an empty set.
    nearest: Option<(Nearest, SetMember)>,
}

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
        let found = match self.find_set(set).await {
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
        let set = &self.counted_set(set, &found);
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

    fn set_filter(&self, set: &SetQuery) -> Filter {
        let mut filter = self.filter.clone();
        filter.clauses.extend(set.filter.clauses.iter().cloned());
        filter
    }

    /// The set as it was counted: with the filter of the request, and by what
    /// the store counted it.
    fn counted_set(&self, set: &SetQuery, found: &FoundSet) -> SetQuery {
        let mut filter = Filter::none();
        for clause in self.set_filter(set).clauses {
            if !filter.clauses.contains(&clause) {
                filter.clauses.push(clause);
            }
        }
        let group_by = found.members.group_by.clone();
        let group_by = group_by.or_else(|| set.group_by.clone());
        set.clone().with_filter(filter).with_group_by(group_by)
    }

    async fn find_set(&self, set: &SetQuery) -> Result<FoundSet> {
        let (order, limit) = match set.operation {
            SetOperation::First => (TimeOrder::Oldest, set.limit.unwrap_or(1)),
            SetOperation::Last => (TimeOrder::Newest, set.limit.unwrap_or(1)),
            SetOperation::Rate => (TimeOrder::Newest, MEMBERS_OF_A_RATE),
            SetOperation::Count | SetOperation::List => {
                (TimeOrder::Newest, self.request.limit.max(LISTED_OF_A_SET))
            }
        };
        let group_by = match (set.operation, &set.group_by) {
            (SetOperation::Rate, None) => Some(GroupBy::Year),
            (_, group_by) => group_by.clone(),
        };
        let request = SetRequest::new(self.set_filter(set), set.times.clone())
            .with_topic(set.topic.clone())
            .with_order(order)
            .with_limit(limit)
            .with_group_by(group_by);
        let members = self.context.set_members(&request).await?;
        let nearest = match members.count {
            0 => self.nearest(set).await?,
            _ => None,
        };
        Ok(FoundSet { members, nearest })
    }

    /// The last entry before the times of an empty set, or the first after them.
    async fn nearest(&self, set: &SetQuery) -> Result<Option<(Nearest, SetMember)>> {
        let is_apart = set.filter.is_empty() || set.times.is_empty();
        // A set about a topic is never shown to be empty.
        if is_apart || !set.topic.is_empty() {
            return Ok(None);
        }
        let ends = [
            (Nearest::Before, before(&set.times), TimeOrder::Newest),
            (Nearest::After, after(&set.times), TimeOrder::Oldest),
        ];
        for (side, range, order) in ends {
            let Some(range) = range else { continue };
            let request = SetRequest::new(self.set_filter(set), vec![range])
                .with_order(order)
                .with_limit(1);
            let found = self.context.set_members(&request).await?;
            if let Some(member) = found.members.into_iter().next() {
                return Ok(Some((side, member)));
            }
        }
        Ok(None)
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
        let hits = hits_of(&entries);
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

/// Members as hits, whose scores fall in their order.
fn hits_of(entries: &[Entry]) -> Vec<Hit> {
    let count = entries.len().max(1) as f64;
    let hits = entries.iter().enumerate().map(|(place, entry)| {
        let score = 1.0 - place as f64 / count;
        Hit::new(
            entry.entry_id.clone(),
            entry.kind.clone(),
            score,
            ScoreKind::Other,
        )
    });
    hits.collect()
}

/// What lies before all of the times.
fn before(times: &[TimeRange]) -> Option<TimeRange> {
    let starts: Option<Vec<_>> = times.iter().map(|time| time.from).collect();
    let until = starts?.into_iter().min()?;
    Some(TimeRange {
        from: None,
        until: Some(until),
    })
}

/// What lies after all of the times.
fn after(times: &[TimeRange]) -> Option<TimeRange> {
    let ends: Option<Vec<_>> = times.iter().map(|time| time.until).collect();
    let from = ends?.into_iter().max()?;
    Some(TimeRange {
        from: Some(from),
        until: None,
    })
}
