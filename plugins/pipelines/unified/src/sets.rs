//! Questions about a set of entries: what the store counts in each domain and
//! in all of them.

use futures::future::join_all;
use gannet_plugin::filter::Filter;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{GroupBy, SetOperation, SetQuery, SetRequest};
use gannet_plugin::prelude::{Entry, Error, Hit, Result};
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{
    AnswerBy, AnswerInput, ComposedAnswer, CountedSet, FoundSet, GROUNDED_PROBABILITY,
    LISTED_OF_A_SET, answer_from_set, find_set, hits_of_members, set_details, times_of,
};
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

use crate::context_answer::{Code, ContextAnswer, Evidence, Status, Trust};
use crate::domains::Domain;
use crate::run::Run;
use crate::set_union::{may_overlap, union};

/// What was counted.
pub(crate) struct CountedDomains {
    pub(crate) answer: ContextAnswer,
    /// The members that the result shows.
    pub(crate) hits: Vec<Hit>,
}

/// The entries of a domain.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct DomainCount {
    domain: String,
    /// How many there are; missing where it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A set over the domains.
struct Counted {
    all: FoundSet,
    domains: Vec<DomainCount>,
    /// Whether an entry may be counted in two domains.
    may_overlap: bool,
}

impl Run<'_> {
    /// The answer to a question about a set whose conditions are fields and
    /// times. `None` for other questions, on hosts that count no sets, where no
    /// domain is in the store, and where nothing is found.
    ///
    /// # Errors
    /// The entries cannot be read.
    pub(crate) async fn count_domains(&self) -> Result<Option<CountedDomains>> {
        let Some(set) = self.exact_set() else {
            return Ok(None);
        };
        let counted = match self.domains.are_open() {
            true => self.count_open(&set).await,
            false => self.count_configured(&set).await,
        };
        let counted = match counted {
            Err(error) if error.is_missing_service() => return Ok(None),
            counted => counted?,
        };
        let Some(counted) = counted else {
            return Ok(None);
        };
        let members = match &counted.all.nearest {
            Some((_, nearest)) => std::slice::from_ref(nearest),
            None => counted.all.members.members.as_slice(),
        };
        let shown = members.iter().take(self.request.limit);
        let ids: Vec<String> = shown.map(|member| member.entry_id.clone()).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        let entries = self.context.entries(ids).await?;
        Ok(Some(CountedDomains {
            hits: hits_of_members(&entries),
            answer: self.counted_answer(&counted, &entries),
        }))
    }

    fn exact_set(&self) -> Option<SetQuery> {
        let set = self.host.set.as_ref()?;
        let is_plain = self.plan.syntax == QuerySyntax::Plain;
        let is_answered = self.settings.answer != AnswerBy::None;
        let is_decided = is_plain && is_answered && set.is_exact();
        is_decided.then(|| set.within(&self.request.filter))
    }

    /// How many members the answers name or the result shows.
    fn listed(&self) -> usize {
        self.request.limit.max(LISTED_OF_A_SET)
    }

    async fn count_open(&self, set: &SetQuery) -> Result<Option<Counted>> {
        let field = GroupBy::Field(self.domains.filter_field());
        let request = SetRequest::new(set.filter.clone(), set.times.clone())
            .with_excluded(set.excluded.clone())
            .with_group_by(field);
        let of_domains = self.context.set_members(&request).await?;
        let domains = of_domains.groups.into_iter().map(|group| DomainCount {
            domain: group.value,
            count: Some(group.count),
            reason: None,
        });
        Ok(Some(Counted {
            all: find_set(self.context, set, self.listed()).await?,
            domains: domains.collect(),
            may_overlap: false,
        }))
    }

    /// Counts each domain within its own time. `None` where none of them is in
    /// the store.
    async fn count_configured(&self, set: &SetQuery) -> Result<Option<Counted>> {
        let of_store = |domain: &&Domain| !domain.clauses.is_empty();
        let in_store: Vec<&Domain> = self.domains.configured().iter().filter(of_store).collect();
        let found = join_all(in_store.iter().map(|domain| self.count_domain(set, domain))).await;
        let mut parts = Vec::new();
        let mut domains = Vec::new();
        let mut failure: Option<Error> = None;
        for (domain, found) in in_store.iter().zip(found) {
            let mut counted = DomainCount {
                domain: domain.label.clone(),
                count: None,
                reason: None,
            };
            match found {
                Ok(found) => {
                    counted.count = Some(found.members.count);
                    parts.push(found);
                }
                Err(error) => {
                    counted.reason = Some(error.category().to_owned());
                    failure = Some(error);
                }
            }
            domains.push(counted);
        }
        if parts.is_empty() {
            return failure.map_or(Ok(None), Err);
        }
        let elsewhere = self.domains.configured().iter();
        let elsewhere = elsewhere.filter(|domain| domain.clauses.is_empty());
        domains.extend(elsewhere.map(|domain| DomainCount {
            domain: domain.label.clone(),
            count: None,
            reason: Some("its entries are not in the store".to_owned()),
        }));
        Ok(Some(Counted {
            all: union(set.clone(), &parts, self.listed()),
            domains,
            may_overlap: may_overlap(&in_store),
        }))
    }

    async fn count_domain(&self, set: &SetQuery, domain: &Domain) -> Result<FoundSet> {
        let limit = Duration::try_from_secs_f64(domain.timeout_seconds).unwrap_or(Duration::MAX);
        let deadline = self.context.call.deadline.at_most(limit);
        let own = self.context.with_deadline(deadline);
        let of_domain = Filter {
            clauses: domain.clauses.clone(),
        };
        find_set(&own, &set.within(&of_domain), self.listed()).await
    }

    fn counted_answer(&self, counted: &Counted, entries: &[Entry]) -> ContextAnswer {
        let set = &counted.all.query;
        let members = &counted.all.members;
        let most = self.settings.answers.citations.max(set.limit.unwrap_or(0));
        let quoted = &entries[..entries.len().min(most)];
        let input = AnswerInput {
            plan: &self.host,
            entries: quoted,
            scores: &[],
            matches: None,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
            reader: None,
            grounded_probability: GROUNDED_PROBABILITY,
        };
        let times = match set.operation {
            SetOperation::Rate => times_of(&members.members),
            _ => Vec::new(),
        };
        let composed = answer_from_set(
            CountedSet {
                query: set,
                count: members.count,
                groups: &members.groups,
                left_out: members.left_out,
                times: &times,
                nearest: counted.all.nearest.as_ref().map(|(side, _)| *side),
                certainty: None,
            },
            &input,
        );
        let rows = (members.groups.as_slice(), members.left_out);
        let mut details = set_details(set, members.count, None, rows);
        details["domains"] = json!(counted.domains);
        let is_whole = counted.is_whole();
        let evidence = composed.quotes.iter();
        let evidence = evidence.filter_map(|quote| {
            let entry = quoted.iter().find(|one| one.entry_id == quote.entry_id)?;
            Some(Evidence {
                entry_id: quote.entry_id.clone(),
                domain: self.domains.of_member(entry).unwrap_or_default(),
                title: entry.title().unwrap_or_default().to_owned(),
                timestamp: entry.timestamp,
                quote: quote.text.clone(),
            })
        });
        let is_grounded = is_whole && composed.status == AnswerStatus::Grounded;
        let (status, code) = match is_grounded {
            true => (Status::Grounded, Code::Answered),
            false => (Status::Insufficient, Code::ClosestEntries),
        };
        ContextAnswer {
            status,
            code,
            evidence: evidence.collect(),
            reason: counted.reason(&composed),
            questions: Vec::new(),
            set: Some(details),
            trust: Trust {
                status: match is_grounded {
                    true => AnswerStatus::Grounded,
                    false => AnswerStatus::Partial,
                },
                confidence: composed.confidence.filter(|_| is_whole),
                highlights: Vec::new(),
                is_unread: false,
            },
            summary: format!("{}\n{}", composed.text, counted.by_domain()),
            citations: composed.citations,
        }
    }
}

impl Counted {
    /// Whether every domain was counted, and each entry once.
    fn is_whole(&self) -> bool {
        !self.may_overlap && self.domains.iter().all(|one| one.count.is_some())
    }

    /// "By domain: logbook 5, manuals 3. Not counted: parts (timeout)."
    fn by_domain(&self) -> String {
        let counted = self.domains.iter();
        let counted = counted.filter_map(|one| Some(format!("{} {}", one.domain, one.count?)));
        let mut text = format!("By domain: {}.", counted.collect::<Vec<_>>().join(", "));
        let others = self.domains.iter().filter_map(|one| {
            let reason = one.reason.as_ref()?;
            Some(format!("{} ({reason})", one.domain))
        });
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            text.push_str(&format!(" Not counted: {}.", others.join(", ")));
        }
        text
    }

    fn reason(&self, composed: &ComposedAnswer) -> String {
        match self.may_overlap {
            true => format!("{}; an entry of two domains counts twice", composed.reason),
            false => composed.reason.clone(),
        }
    }
}
