//! The answer in its context: whether the question is answered, by what, and
//! what to ask next.

use std::ops::Range;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Entry;
use gannet_stages::{
    AnswerInput, ComposedAnswer, GROUNDED_PROBABILITY, Quote, answer_from_entries,
};
use serde::Serialize;
use serde_json::Value;

use crate::coverage::{Coverage, Status as DomainStatus};
use crate::grouping::Cluster;
use crate::intent::Intent;
use crate::questions::{Question, follow_ups, which_is_meant};
use crate::ranking::Ranked;
use crate::run::Run;

/// Whether a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// The summary answers it with sentences of entries.
    Grounded,
    /// Several things could be meant.
    Clarify,
    /// What was found does not answer it.
    Insufficient,
}

/// Why it has that status, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    /// Quotes answer it.
    Answered,
    /// Quotes about several things that are compared.
    Blended,
    /// The one entry that leads in the scope.
    Leader,
    /// Several things fit about equally.
    Ambiguous,
    /// The question names nothing.
    TooVague,
    /// Entries that are close, and no answer.
    ClosestEntries,
    /// Nothing fits.
    NoMatch,
    /// The scope has no entries.
    ScopeEmpty,
    /// There are no entries.
    CorpusEmpty,
    /// Domains did not answer.
    DomainsFailed,
    /// Nothing was asked.
    Blank,
}

/// The answer with what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextAnswer {
    pub(crate) status: Status,
    pub(crate) code: Code,
    pub(crate) summary: String,
    /// Why it has this status, in words.
    pub(crate) reason: String,
    pub(crate) evidence: Vec<Evidence>,
    /// Ids that the summary cites.
    pub(crate) citations: Vec<String>,
    pub(crate) questions: Vec<Question>,
    /// What was counted, of a question about a set of entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) set: Option<Value>,
    /// How far the summary can be trusted.
    #[serde(skip)]
    pub(crate) trust: Trust,
}

/// How far quotes can be trusted, as the result of the pipeline says it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trust {
    pub(crate) status: AnswerStatus,
    /// The probability that they answer, where a reader chose them.
    pub(crate) confidence: Option<f64>,
    /// The bytes of the summary with the words that answer.
    pub(crate) highlights: Vec<Range<usize>>,
    /// Whether no reader looked for an answer, though one was asked.
    pub(crate) is_unread: bool,
}

impl Trust {
    /// That of a summary without quotes.
    fn nothing() -> Self {
        Self {
            status: AnswerStatus::Insufficient,
            confidence: None,
            highlights: Vec::new(),
            is_unread: false,
        }
    }
}

/// A quote and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    pub(crate) entry_id: String,
    pub(crate) domain: String,
    pub(crate) title: String,
    pub(crate) timestamp: jiff::Timestamp,
    pub(crate) quote: String,
}

impl ContextAnswer {
    /// The answer to nothing.
    pub(crate) fn blank() -> Self {
        let reason = "The question is empty; nothing was searched.".to_owned();
        Self {
            status: Status::Insufficient,
            code: Code::Blank,
            summary: String::new(),
            reason,
            evidence: Vec::new(),
            citations: Vec::new(),
            questions: Vec::new(),
            set: None,
            trust: Trust::nothing(),
        }
    }
}

/// An answer on its way.
pub(crate) struct Draft {
    pub(crate) status: Status,
    pub(crate) code: Code,
    pub(crate) summary: String,
    pub(crate) reason: String,
    pub(crate) quotes: Vec<Quote>,
    pub(crate) trust: Trust,
}

impl Draft {
    /// What the entries' own sentences make of a question.
    fn new(status: Status, code: Code, composed: ComposedAnswer) -> Self {
        Self {
            status,
            code,
            summary: composed.text,
            reason: composed.reason,
            quotes: composed.quotes,
            trust: Trust {
                status: match status {
                    Status::Clarify => AnswerStatus::Clarify,
                    _ => composed.status,
                },
                confidence: composed.confidence,
                highlights: composed.highlights,
                is_unread: composed.is_unread,
            },
        }
    }
}

impl Run<'_> {
    /// The answer from what was found.
    pub(crate) async fn context_answer(
        &self,
        ranked: &Ranked,
        clusters: &[Cluster],
        coverage: &Coverage,
    ) -> ContextAnswer {
        let entries = self.answering_entries(ranked);
        let draft = match entries.is_empty() {
            true => self.nothing(coverage),
            false => {
                let mut draft = self.blended(ranked, clusters, &entries).await;
                if draft.is_none() {
                    draft = self.of_the_leader(ranked).await;
                }
                match draft {
                    Some(draft) => draft,
                    None => self.of_all(ranked, &entries, clusters).await,
                }
            }
        };
        let close = self.close(clusters);
        let answers = &self.settings.answers;
        let questions = match draft.status {
            Status::Grounded => follow_ups(self.plan.intent, clusters.first(), answers.questions),
            Status::Clarify => which_is_meant(&self.plan.subject, &close, answers.clarifying),
            Status::Insufficient => Vec::new(),
        };
        let mut citations: Vec<String> = Vec::new();
        for quote in &draft.quotes {
            if !citations.contains(&quote.entry_id) {
                citations.push(quote.entry_id.clone());
            }
        }
        let evidence = draft
            .quotes
            .iter()
            .filter_map(|quote| evidence(quote, ranked));
        ContextAnswer {
            status: draft.status,
            code: draft.code,
            summary: draft.summary,
            reason: draft.reason,
            evidence: evidence.collect(),
            citations,
            questions,
            set: None,
            trust: draft.trust,
        }
    }

    /// The entries that answers are made from: those that the result shows.
    pub(crate) fn answering_entries(&self, ranked: &Ranked) -> Vec<Entry> {
        let shown = ranked.hits.iter().take(self.request.limit);
        let entries = shown.filter_map(|one| ranked.entries.get(&one.hit.entry_id));
        entries.map(|(entry, _)| entry.clone()).collect()
    }

    /// What the entries' own sentences make of the question.
    pub(crate) async fn composed(&self, ranked: &Ranked, entries: &[Entry]) -> ComposedAnswer {
        let score = |entry: &Entry| {
            let mut hits = ranked.hits.iter();
            let hit = hits.find(|one| one.hit.entry_id == entry.entry_id);
            hit.map_or(0.0, |one| one.hit.score)
        };
        let scores: Vec<f64> = entries.iter().map(score).collect();
        let input = AnswerInput {
            plan: &self.host,
            entries,
            scores: &scores,
            matches: None,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
            reader: None,
            grounded_probability: GROUNDED_PROBABILITY,
        };
        answer_from_entries(input, self.context).await
    }

    /// A question of what is wrong, asked on a page, gets the one answer that
    /// leads there.
    async fn of_the_leader(&self, ranked: &Ranked) -> Option<Draft> {
        let is_scoped = !self.plan.scope.is_empty();
        if self.plan.intent != Intent::Troubleshoot || !is_scoped {
            return None;
        }
        let leader = ranked.hits.first().filter(|one| one.in_scope)?;
        let (entry, _) = ranked.entries.get(&leader.hit.entry_id)?;
        let composed = self.composed(ranked, std::slice::from_ref(entry)).await;
        (composed.status == AnswerStatus::Grounded).then(|| Draft {
            reason: format!("the best entry of {}; {}", leader.domain, composed.reason),
            ..Draft::new(Status::Grounded, Code::Leader, composed)
        })
    }

    async fn of_all(&self, ranked: &Ranked, entries: &[Entry], clusters: &[Cluster]) -> Draft {
        let mut composed = self.composed(ranked, entries).await;
        composed.quotes.truncate(self.settings.answers.citations);
        let close = self.close(clusters);
        let entities = close
            .iter()
            .filter(|cluster| cluster.is_of_entity())
            .count();
        let (status, code) = match composed.status {
            AnswerStatus::Grounded => (Status::Grounded, Code::Answered),
            AnswerStatus::Clarify => (Status::Clarify, Code::TooVague),
            _ if entities > 1 => (Status::Clarify, Code::Ambiguous),
            _ if composed.quotes.is_empty() => (Status::Insufficient, Code::NoMatch),
            _ => (Status::Insufficient, Code::ClosestEntries),
        };
        Draft::new(status, code, composed)
    }

    fn nothing(&self, coverage: &Coverage) -> Draft {
        let has_failed = |one: &&str| !one.is_empty();
        let failed = coverage.domains.iter();
        let failed = failed.filter(|one| one.status == DomainStatus::Failed);
        let failed: Vec<&str> = failed
            .map(|one| one.domain.as_str())
            .filter(has_failed)
            .collect();
        let (code, reason) = match (coverage.corpus_ready, coverage.scope_ready) {
            (false, _) => (
                Code::CorpusEmpty,
                "there are no entries to search".to_owned(),
            ),
            (_, false) => {
                let scope = [&self.plan.scope[..], &self.plan.unknown_scope[..]].concat();
                let reason = format!("{} has no entries", scope.join(", "));
                (Code::ScopeEmpty, reason)
            }
            _ if !failed.is_empty() => {
                let reason = format!("{} did not answer", failed.join(", "));
                (Code::DomainsFailed, reason)
            }
            _ => (Code::NoMatch, "no entry was found".to_owned()),
        };
        Draft {
            status: Status::Insufficient,
            code,
            summary: "No entry was found for this question.".to_owned(),
            reason,
            quotes: Vec::new(),
            trust: Trust::nothing(),
        }
    }

    /// The clusters whose score is close to that of the first.
    pub(crate) fn close<'c>(&self, clusters: &'c [Cluster]) -> Vec<&'c Cluster> {
        let best = clusters.first().map_or(0.0, |cluster| cluster.score);
        let least = self.settings.answers.close_share * best;
        let close = clusters.iter().filter(|cluster| cluster.score >= least);
        close.collect()
    }
}

fn evidence(quote: &Quote, ranked: &Ranked) -> Option<Evidence> {
    let (entry, text) = ranked.entries.get(&quote.entry_id)?;
    let mut hits = ranked.hits.iter();
    let hit = hits.find(|one| one.hit.entry_id == quote.entry_id)?;
    Some(Evidence {
        entry_id: entry.entry_id.clone(),
        domain: hit.domain.clone(),
        title: text.heading.clone(),
        timestamp: entry.timestamp,
        quote: quote.text.clone(),
    })
}
