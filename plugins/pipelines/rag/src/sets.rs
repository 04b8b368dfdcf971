//! Questions about a set of entries. Where its conditions are fields and times
//! alone, the store counts and lists the members, and nothing is ranked. With a
//! topic, members are the entries that are probably about it, which the store
//! then counts and lists in the same way.

use gannet_plugin::filter::{Condition, Filter, FilterField, TimeRange};
use gannet_plugin::pipeline::Event;
use gannet_plugin::plan::{
    GroupBy, Intent, SetMember, SetMembers, SetOperation, SetQuery, SetRequest, TimeOrder,
};
use gannet_plugin::prelude::{Answer, Entry, Hit, Result};
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_stages::{
    AnswerBy, AnswerInput, Certainty, CountedSet, LISTED_OF_A_SET, Nearest, answer_from_set,
    set_details, times_of,
};
use serde_json::{Value, json};

use crate::method::Choice;
use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// Members whose times are read for how often there is one.
const MEMBERS_OF_A_RATE: usize = 1000;

/// A set as the store has it.
struct FoundSet {
    members: SetMembers,
    /// The entry that is nearest in time to an empty set.
    nearest: Option<(Nearest, SetMember)>,
    /// How far its members are certain; `None` where the store decides.
    certainty: Option<Certainty>,
}

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
        choice: &Choice,
        report: &mut Report<'_>,
    ) -> Result<Option<Answer>> {
        let Some(set) = self.asked_set(search) else {
            return Ok(None);
        };
        let found = match set.is_exact() {
            true => self.find_set(set).await.map(Some),
            false => self.find_topic_set(search, choice, set).await,
        };
        let found = match found {
            Err(error) if error.is_missing_service() => return Ok(None),
            found => found?,
        };
        let Some(found) = found else {
            return Ok(None);
        };
        if found.members.count == 0 && !is_empty_answer(search, set, &found) {
            return Ok(None);
        }
        report.done("count", json!({ "members": found.members.count }));
        let shown = self.shown_members(set, &found);
        let ids = shown.iter().map(|member| member.entry_id.clone()).collect();
        let entries = self.context.entries(ids).await?;
        Ok(Some(self.word_set(search, set, &found, entries, report)))
    }

    /// The set of a question in plain words, without pinned entries, that asks
    /// for an answer.
    fn asked_set<'s>(&self, search: &'s SearchText) -> Option<&'s SetQuery> {
        let set = search.plan.set.as_ref()?;
        let is_plain = search.syntax == QuerySyntax::Plain && self.settings.pinned.is_empty();
        let is_answered = self.settings.answer != AnswerBy::None;
        (is_plain && is_answered).then_some(set)
    }

    /// A set about a topic: its members by their ids.
    async fn find_topic_set(
        &self,
        search: &SearchText,
        choice: &Choice,
        set: &SetQuery,
    ) -> Result<Option<FoundSet>> {
        let conditions = self.set_filter(set);
        let members = self.topic_members(search, choice, set, &conditions).await?;
        let Some(members) = members else {
            return Ok(None);
        };
        let certainty = Certainty {
            certain: members.certain as u64,
            confidence: members.confidence,
        };
        if members.ids.is_empty() {
            return Ok(Some(FoundSet {
                members: SetMembers::default(),
                nearest: None,
                certainty: Some(certainty),
            }));
        }
        let of_ids = Filter::none().and(FilterField::EntryId, Condition::AnyOf(members.ids));
        let by_id = set.clone().with_filter(of_ids).with_times(Vec::new());
        let found = self.find_set(&by_id).await?;
        Ok(Some(FoundSet {
            certainty: Some(certainty),
            ..found
        }))
    }

    fn set_filter(&self, set: &SetQuery) -> Filter {
        let mut filter = self.filter.clone();
        filter.clauses.extend(set.filter.clauses.iter().cloned());
        filter
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
            .with_order(order)
            .with_limit(limit)
            .with_group_by(group_by);
        let members = self.context.set_members(&request).await?;
        let nearest = match members.count {
            0 => self.nearest(set).await?,
            _ => None,
        };
        Ok(FoundSet {
            members,
            nearest,
            certainty: None,
        })
    }

    /// The last entry before the times of an empty set, or the first after them.
    async fn nearest(&self, set: &SetQuery) -> Result<Option<(Nearest, SetMember)>> {
        if set.filter.is_empty() || set.times.is_empty() {
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
            certainty: found.certainty,
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
            let rows = set_details(set, members.count, found.certainty, &members.groups);
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

/// Whether it is an answer that a set has no entry: where entries are asked
/// for, or one is near.
fn is_empty_answer(search: &SearchText, set: &SetQuery, found: &FoundSet) -> bool {
    search.plan.intent != Intent::Find || set.group_by.is_some() || found.nearest.is_some()
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
