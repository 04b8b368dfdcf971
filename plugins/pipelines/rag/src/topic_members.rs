//! The members of a set about a topic: of the entries that meet its conditions
//! and are found for the topic, those that are probably about it.

use std::collections::{BTreeSet, HashMap};

use gannet_plugin::filter::{Condition, Filter, FilterField, TimeRange};
use gannet_plugin::plan::{SetOperation, SetQuery, SetRequest, TimeOrder};
use gannet_plugin::prelude::Result;
use gannet_plugin::search::{QuerySyntax, RelevanceRequest};
use gannet_stages::{Certainty, RetrievalPlan, retrieve};

use crate::method::Choice;
use crate::run::Run;
use crate::search_text::SearchText;

/// Hits that each module is asked for.
const CANDIDATES: usize = 200;
/// Entries with all words of the topic that are judged.
const WITH_ALL_WORDS: usize = 400;
/// The probability from which an entry is a member.
const MEMBER: f64 = 0.5;
/// The probability from which a member is certain.
const CERTAIN: f64 = 0.9;

/// The members of a set about a topic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopicMembers {
    /// Their ids.
    pub(crate) ids: Vec<String>,
    /// How many of them are certain, and the probability that the answer is
    /// right, were members independent of each other.
    pub(crate) certainty: Certainty,
}

impl Run<'_> {
    /// The members of a set about a topic; `None` on a host that tells no
    /// relevance.
    ///
    /// # Errors
    /// Those of the searches.
    pub(crate) async fn topic_members(
        &self,
        search: &SearchText,
        choice: &Choice,
        set: &SetQuery,
    ) -> Result<Option<TopicMembers>> {
        let conditions = &set.filter;
        let mut ids: BTreeSet<String> = BTreeSet::new();
        for time in times_of(set) {
            let filter = match time == TimeRange::default() {
                true => conditions.clone(),
                false => conditions
                    .clone()
                    .and(FilterField::Timestamp, Condition::Time(time)),
            };
            ids.extend(self.found_for_topic(search, choice, set, &filter).await?);
        }
        let with_words = SetRequest::new(conditions.clone(), set.times.clone())
            .with_topic(set.topic.clone())
            .with_limit(WITH_ALL_WORDS);
        let with_words = self.context.set_members(&with_words).await?;
        ids.extend(with_words.members.into_iter().map(|member| member.entry_id));
        let ids: Vec<String> = ids.into_iter().collect();
        let request = RelevanceRequest::new(&search.text, ids).with_topic(set.topic.clone());
        let relevance = self.context.relevance(&request).await?;
        if relevance.iter().all(Option::is_none) && !relevance.is_empty() {
            return Ok(None);
        }
        let known = request.entry_ids.into_iter().zip(relevance);
        let known: Vec<(String, f64)> = known.filter_map(|(id, p)| Some((id, p?))).collect();
        Ok(Some(self.judged(set, known).await?))
    }

    /// The ids of the entries that the modules find for a topic.
    async fn found_for_topic(
        &self,
        search: &SearchText,
        choice: &Choice,
        set: &SetQuery,
        filter: &Filter,
    ) -> Result<Vec<String>> {
        let topic = set.topic.join(" ");
        let request = |module: &String| {
            let mut request = self.search_request(module, search, CANDIDATES);
            request.query.clone_from(&topic);
            request.syntax = QuerySyntax::Plain;
            request.filter = filter.clone();
            (module.clone(), request)
        };
        let plan = RetrievalPlan {
            pipeline: self.name(),
            requests: choice.modules.iter().map(request).collect(),
            on_error: self.settings.on_error,
        };
        let found = retrieve(plan, self.context).await?;
        let hits = found.lists.into_iter().flat_map(|list| list.hits);
        Ok(hits.map(|hit| hit.entry_id).collect())
    }

    /// Decides which candidates are members, and how certain the answer is.
    async fn judged(&self, set: &SetQuery, known: Vec<(String, f64)>) -> Result<TopicMembers> {
        let is_member = |(_, p): &&(String, f64)| *p >= MEMBER;
        let members: Vec<&(String, f64)> = known.iter().filter(is_member).collect();
        let confidence = match set.operation {
            SetOperation::First => self.end_confidence(set, &known, TimeOrder::Oldest).await?,
            SetOperation::Last => self.end_confidence(set, &known, TimeOrder::Newest).await?,
            SetOperation::Count | SetOperation::List | SetOperation::Rate => {
                known.iter().map(|(_, p)| p.max(1.0 - p)).product()
            }
        };
        Ok(TopicMembers {
            certainty: Certainty {
                certain: members.iter().filter(|(_, p)| *p >= CERTAIN).count() as u64,
                confidence,
            },
            ids: members.into_iter().map(|(id, _)| id.clone()).collect(),
        })
    }

    /// The probability that the first or last members are those: up to the last
    /// of them every candidate is rightly one or none.
    async fn end_confidence(
        &self,
        set: &SetQuery,
        known: &[(String, f64)],
        order: TimeOrder,
    ) -> Result<f64> {
        let ids = known.iter().map(|(id, _)| id.clone()).collect();
        let entries = self.context.entries(ids).await?;
        let probabilities: HashMap<&str, f64> =
            known.iter().map(|(id, p)| (id.as_str(), *p)).collect();
        let mut by_time: Vec<(jiff::Timestamp, f64)> = entries
            .iter()
            .filter_map(|entry| {
                let p = probabilities.get(entry.entry_id.as_str())?;
                Some((entry.timestamp, *p))
            })
            .collect();
        by_time.sort_by_key(|(time, _)| *time);
        if order == TimeOrder::Newest {
            by_time.reverse();
        }
        let mut left = set.limit.unwrap_or(1);
        let mut confidence = 1.0;
        for (_, p) in by_time {
            if left == 0 {
                break;
            }
            confidence *= f64::max(p, 1.0 - p);
            left -= usize::from(p >= MEMBER);
        }
        Ok(confidence)
    }
}

/// The times of a set; one that is open for any.
fn times_of(set: &SetQuery) -> Vec<TimeRange> {
    match set.times.as_slice() {
        [] => vec![TimeRange::default()],
        times => times.to_vec(),
    }
}
