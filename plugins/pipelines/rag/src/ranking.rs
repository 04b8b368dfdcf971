//! Rank: fuse, read the entries, rerank, cut, with what is pinned in front.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Diagnostic, Entry, Hit, Result};
use gannet_plugin::query::named_entry;
use gannet_plugin::search::{Matched, Provenance, RelevanceRequest, ScoreKind};
use gannet_stages::{Matches, ModuleHits, Relevance, Retrieved, fuse, rerank};
use serde_json::json;

use crate::matching::{POOL, arrange, needs_pool};
use crate::method::Choice;
use crate::pinned::pinned_hit;
use crate::planned::PLAN;
use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// What the searches gave.
pub(crate) struct Retrieval {
    /// The entries that the call pins.
    pub(crate) pinned: Vec<Entry>,
    /// The lists of the question's own text.
    pub(crate) retrieved: Retrieved,
    /// What its times and things brought in, best first.
    pub(crate) planned: Vec<Hit>,
}

/// What was found: hits and their entries, side by side.
pub(crate) struct Findings {
    pub(crate) hits: Vec<Hit>,
    pub(crate) entries: Vec<Entry>,
    /// How many of the first are pinned.
    pub(crate) pinned: usize,
    /// Modules that found something.
    pub(crate) modules: Vec<String>,
    pub(crate) degraded: bool,
    /// How many entries match, where the question asks for that.
    pub(crate) matches: Option<Matches>,
}

/// Hits on their way to the result.
pub(crate) struct Ranked {
    pub(crate) hits: Vec<Hit>,
    pub(crate) entries: HashMap<String, Entry>,
    degraded: bool,
}

impl Run<'_> {
    /// Makes the result of what the modules gave. A pinned entry stands once,
    /// at the front; the limit holds for both together.
    pub(crate) async fn rank(
        &self,
        search: &SearchText,
        choice: &Choice,
        retrieval: Retrieval,
        report: &mut Report<'_>,
    ) -> Result<Findings> {
        let Retrieval {
            mut pinned,
            retrieved,
            planned,
        } = retrieval;
        let most = self.most_results();
        pinned.truncate(most);
        let limit = most - pinned.len();
        let modules = retrieved.modules_with_hits();

        let mut hits = self.fuse(search, &retrieved, !planned.is_empty())?;
        let is_fused = hits
            .first()
            .is_some_and(|hit| hit.score_kind == ScoreKind::Convex);
        if is_fused && retrieved.lists.iter().any(ModuleHits::is_dense) {
            self.add_late_interaction(search, &mut hits).await;
        }
        let mut hits = self.join_planned(hits, planned);
        report.fused(hits.len());
        let is_pinned: HashSet<&str> = pinned.iter().map(|e| e.entry_id.as_str()).collect();
        hits.retain(|hit| !is_pinned.contains(hit.entry_id.as_str()));
        let window = self.window(search, limit);
        let mut place = 0;
        hits.retain(|hit| {
            place += 1;
            place <= window || (window >= POOL && is_planned(hit))
        });
        let mut ranked = self.read(hits, retrieved.degraded).await?;
        self.boost(search, &mut ranked.hits, &ranked.entries);
        let reranked = self.rerank(search, &mut ranked, report).await;
        self.keep_named_first(&mut ranked.hits);
        // A reranker's order is its own.
        let mut relevance = Relevance::of_question(&search.plan);
        if !reranked {
            self.reach_in_time(search, choice, &mut ranked, &mut relevance)
                .await?;
        }
        self.drop_irrelevant(search, &mut ranked, report).await?;
        let matches = match reranked {
            true => None,
            false => arrange(
                search,
                &mut ranked.hits,
                &ranked.entries,
                &mut relevance,
                &self.setup.timezone,
            ),
        };
        ranked.hits.truncate(limit);

        let Ranked {
            hits: found,
            entries: mut by_id,
            degraded,
        } = ranked;
        let of_found = found.iter().filter_map(|hit| by_id.remove(&hit.entry_id));
        let of_found: Vec<Entry> = of_found.collect();
        let in_front = (1..).zip(&pinned);
        let mut hits: Vec<Hit> = in_front.map(|(rank, e)| pinned_hit(e, rank)).collect();
        hits.extend(found);
        Ok(Findings {
            hits,
            pinned: pinned.len(),
            entries: pinned.into_iter().chain(of_found).collect(),
            modules,
            degraded,
            matches,
        })
    }

    /// One list for all. What a single module was asked for alone keeps the
    /// module's own order and scores, unless the plan brings more in.
    fn fuse(
        &self,
        search: &SearchText,
        retrieved: &Retrieved,
        is_planned: bool,
    ) -> Result<Vec<Hit>> {
        match retrieved.lists.as_slice() {
            [only] if retrieved.asked == 1 && !is_planned => Ok(own_hits(only)),
            lists => {
                fuse(&search.text, lists, &self.settings.fusion).map_err(|error| error.at("fusion"))
            }
        }
    }

    /// How many entries the result has at most, those that are pinned among
    /// them.
    pub(crate) fn most_results(&self) -> usize {
        let configured = self.settings.most_results();
        configured.map_or(self.request.limit, |most| most.min(self.request.limit))
    }

    /// An entry that the question names by its id stays first, whatever a
    /// reranker makes of its text.
    fn keep_named_first(&self, hits: &mut Vec<Hit>) {
        let named = named_entry(&self.request.query);
        let place = hits
            .iter()
            .position(|hit| Some(hit.entry_id.as_str()) == named);
        if let (Some(place @ 1..), Some(best)) = (place, hits.first()) {
            let score = best.score.next_up();
            let mut named = hits.remove(place);
            named.score = score;
            hits.insert(0, named);
        }
    }

    /// How many of the fused hits may come into the result. Where a least
    /// relevance drops some, those behind them take their places.
    fn window(&self, search: &SearchText, limit: usize) -> usize {
        let reranked = self.settings.rerank.as_ref().map_or(0, |r| r.candidate_k);
        let drops_some = self.settings.min_relevance.is_some();
        let pool = match needs_pool(&search.plan) || drops_some {
            true => POOL,
            false => 0,
        };
        limit.max(reranked).max(pool)
    }

    /// Reads the entries of the hits. A hit without an entry is dropped.
    pub(crate) async fn read(&self, mut hits: Vec<Hit>, degraded: bool) -> Result<Ranked> {
        let ids: Vec<String> = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = match ids.is_empty() {
            true => Vec::new(),
            false => self.context.entries(ids).await?,
        };
        let entries: HashMap<String, Entry> = entries
            .into_iter()
            .map(|entry| (entry.entry_id.clone(), entry))
            .collect();
        let found = hits.len();
        hits.retain(|hit| entries.contains_key(&hit.entry_id));
        let missing = found - hits.len();
        if missing > 0 {
            let message = format!("{missing} of the entries found no longer exist");
            self.warn("retrieve", message, "not_found");
        }
        Ok(Ranked {
            hits,
            entries,
            degraded: degraded || missing > 0,
        })
    }

    /// Puts the first hits in a reranker's order and says whether it did. For a
    /// question that is only a name or a code it is not asked: whether an entry
    /// has the name is known from the search, and little else can be read in it.
    async fn rerank(
        &self,
        search: &SearchText,
        ranked: &mut Ranked,
        report: &mut Report<'_>,
    ) -> bool {
        let Some(settings) = &self.settings.rerank else {
            return false;
        };
        if is_name_alone(&search.plan) {
            let message = "not reranked: the question is only a name or a code";
            let note = Diagnostic::info(self.source("rerank"), message);
            self.context.diagnose(note.category("rerank"));
            report.done("rerank", json!({ "applied": false, "skipped": "name" }));
            return false;
        }
        let hits = std::mem::take(&mut ranked.hits);
        let candidates = hits.len().min(settings.candidate_k);
        let entries = &ranked.entries;
        let text_of = |hit: &Hit| match (&hit.passage, entries.get(&hit.entry_id)) {
            (Some(passage), _) => passage.text.clone(),
            (None, Some(entry)) => entry.raw_text.clone(),
            (None, None) => String::new(),
        };
        let source = self.source("rerank");
        let reranked = rerank(&search.text, hits, text_of, settings, &source, self.context).await;
        ranked.hits = reranked.hits;
        ranked.degraded |= !reranked.applied && candidates > 0;
        let numbers = json!({ "applied": reranked.applied, "candidates": candidates });
        report.done("rerank", numbers);
        reranked.applied
    }

    /// Cuts by `min_relevance`: by the relevance that the host tells, whatever
    /// made the order. Entries whose relevance is not known stay.
    async fn drop_irrelevant(
        &self,
        search: &SearchText,
        ranked: &mut Ranked,
        report: &mut Report<'_>,
    ) -> Result<()> {
        let Some(minimum) = self.settings.min_relevance else {
            return Ok(());
        };
        let before = ranked.hits.len();
        let ids = ranked.hits.iter().map(|hit| hit.entry_id.clone());
        let request = RelevanceRequest::new(&search.text, ids.collect());
        let scores = self.context.relevance(&request).await?;
        let is_known = scores.iter().any(Option::is_some);
        if before > 0 && !is_known {
            let message =
                format!("the least relevance {minimum} was ignored: the host tells no relevance");
            let note = Diagnostic::info(self.source("threshold"), message);
            self.context.diagnose(note.category("threshold"));
        }
        let mut scores = scores.into_iter();
        ranked.hits.retain(|_| {
            let score = scores.next().flatten();
            score.is_none_or(|score| score >= minimum)
        });
        let dropped = before - ranked.hits.len();
        report.done(
            "threshold",
            json!({ "applied": is_known, "dropped": dropped }),
        );
        Ok(())
    }
}

/// Whether a question has no words beside the names that were read in it.
fn is_name_alone(plan: &QueryPlan) -> bool {
    let spans = plan
        .entities
        .iter()
        .filter_map(|entity| entity.span.clone());
    let spans: Vec<Range<usize>> = spans.collect();
    let is_named = |at: usize| spans.iter().any(|span| span.contains(&at));
    let mut letters = plan
        .text
        .char_indices()
        .filter(|(_, letter)| letter.is_alphanumeric());
    !spans.is_empty() && letters.all(|(at, _)| is_named(at))
}

/// Whether the times and things of the question brought a hit in.
fn is_planned(hit: &Hit) -> bool {
    hit.provenance.iter().any(|one| one.module == PLAN)
}

/// The hits of the only module that was asked. As in a fusion, whether a hit
/// meets the query in whole has made the order and does not override a later
/// one.
fn own_hits(list: &ModuleHits) -> Vec<Hit> {
    let hits = (1..).zip(&list.hits);
    hits.map(|(rank, hit)| {
        let mut hit = hit.clone();
        hit.matched = Matched::All;
        hit.provenance = vec![Provenance::new(
            list.module.clone(),
            rank,
            hit.score,
            hit.score_kind,
        )];
        hit
    })
    .collect()
}
