//! Which entries a digest is of: those of a time, about a topic where the
//! question has one.

use gannet_plugin::filter::{Condition, Filter, FilterField, TimeRange};
use gannet_plugin::plan::{
    GroupBy, QueryPlan, SetMembers, SetOperation, SetQuery, SetRequest, TimeOrder,
};
use gannet_plugin::prelude::{Context, Diagnostic, PipelineRequest, Result};
use gannet_plugin::query::plain_words;
use gannet_stages::{cues, entity_clauses, is_asking_word, plan_of};
use jiff::Timestamp;

/// A time and what else entries must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    filter: Filter,
    /// The times in the words of the question.
    times: Vec<TimeRange>,
    topic: Vec<String>,
    /// The first instant of all times; open where it is missing.
    pub(crate) from: Option<Timestamp>,
    /// The first instant after them.
    pub(crate) until: Option<Timestamp>,
}

impl Window {
    /// What a request asks for: the times of its words and of its filter, or
    /// else the default one; the things and the topic that the words name.
    pub(crate) async fn of(
        request: &PipelineRequest,
        default: &str,
        context: &Context,
    ) -> Result<Self> {
        let filter = &request.filter;
        let plan = plan_of(&request.query, request.plan.as_ref(), filter, context).await;
        let mut all = filter.clone();
        let typed = plan.query.filter.clauses.iter();
        let typed = typed.filter(|clause| !filter.clauses.contains(clause));
        all.clauses.extend(typed.cloned());
        let mut times = soft_times(&plan);
        if plan.times.is_empty() && time_of(&all).is_none() {
            let plan = context.query_plan(default, &Filter::none()).await?;
            times = soft_times(&plan);
            if times.is_empty() && !default.is_empty() {
                let message = format!("setting `time`: {default:?} names no time; all are read");
                context.diagnose(Diagnostic::warning("digest", message));
            }
        }
        all.clauses.extend(entity_clauses(&plan));
        let (from, until) = ends(&times, time_of(&all));
        Ok(Self {
            filter: all,
            times,
            topic: topic_of(&plan),
            from,
            until,
        })
    }

    /// The newest members, at most so many, and how many there are.
    pub(crate) async fn members(&self, most: usize, context: &Context) -> Result<SetMembers> {
        let request = SetRequest::new(self.filter.clone(), self.times.clone())
            .with_topic(self.topic.clone())
            .with_order(TimeOrder::Newest)
            .with_limit(most);
        context.set_members(&request).await
    }

    /// The words of what it is about, beside times and things.
    pub(crate) fn topic(&self) -> &[String] {
        &self.topic
    }

    /// The same about anything.
    pub(crate) fn without_topic(&self) -> Self {
        Self {
            topic: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether it is of all entries of its time, but for a topic.
    pub(crate) fn is_of_all(&self) -> bool {
        let mut fields = self.filter.clauses.iter().map(|clause| &clause.field);
        fields.all(|field| *field == FilterField::Timestamp)
    }

    /// The same things of any time, about anything.
    pub(crate) fn of_any_time(&self) -> Self {
        let mut filter = self.filter.clone();
        filter
            .clauses
            .retain(|clause| clause.field != FilterField::Timestamp);
        Self {
            filter,
            times: Vec::new(),
            topic: Vec::new(),
            from: None,
            until: None,
        }
    }

    /// A query for the members, or for those with a value of a field; `None`
    /// for those about a topic.
    pub(crate) fn query(&self, of_field: Option<(&FilterField, &str)>) -> Option<String> {
        let set = SetQuery::new(SetOperation::List)
            .with_filter(self.filter.clone())
            .with_times(self.times.clone())
            .with_topic(self.topic.clone());
        match of_field {
            Some((field, value)) => {
                let by = GroupBy::Field(field.clone());
                set.with_group_by(by).row_query(Some(value))
            }
            None => set.row_query(None),
        }
    }
}

fn soft_times(plan: &QueryPlan) -> Vec<TimeRange> {
    plan.soft_times().map(|time| time.range()).collect()
}

/// The time that a filter lets through.
fn time_of(filter: &Filter) -> Option<TimeRange> {
    let times =
        filter
            .clauses
            .iter()
            .filter_map(|clause| match (&clause.field, &clause.condition) {
                (FilterField::Timestamp, Condition::Time(time)) => Some(*time),
                _ => None,
            });
    times.reduce(|a, b| TimeRange {
        from: a.from.max(b.from),
        until: earlier(a.until, b.until),
    })
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The ends of any of some times, within a strict one.
fn ends(times: &[TimeRange], strict: Option<TimeRange>) -> (Option<Timestamp>, Option<Timestamp>) {
    let strict = strict.unwrap_or_default();
    let starts: Option<Vec<Timestamp>> = times.iter().map(|time| time.from).collect();
    let stops: Option<Vec<Timestamp>> = times.iter().map(|time| time.until).collect();
    let from = starts.and_then(|all| all.into_iter().min());
    let until = stops.and_then(|all| all.into_iter().max());
    (from.max(strict.from), earlier(until, strict.until))
}

/// The words of a question that say what a digest is to be about.
fn topic_of(plan: &QueryPlan) -> Vec<String> {
    let terms = plan.content_terms().into_iter();
    let is_topic = |term: &String| {
        let lower = term.to_lowercase();
        !is_asking_word(&lower)
            && !cues().asking.contains(&lower)
            && plain_words(term).any(|word| word.chars().any(char::is_alphabetic))
    };
    terms.filter(is_topic).collect()
}
