//! What the times and things that a question names bring in, and how they
//! raise what was found.

use std::collections::HashMap;

use futures::future::join_all;
use gannet_plugin::filter::Filter;
use gannet_plugin::host::Diagnostics;
use gannet_plugin::prelude::{Diagnostic, Entry, Hit, Result, SearchRequest};
use gannet_plugin::search::{Provenance, QuerySyntax, ScoreKind, sort_hits};
use gannet_stages::{Boosts, PlanLeg, RetrievalPlan, fuse, plan_legs, retrieve};
use serde_json::json;

use crate::method::Choice;
use crate::run::Run;
use crate::search_text::SearchText;

/// How many hits each module is asked for under the plan.
const DEPTH_OF_LEG: usize = 50;
/// The name by which provenance and diagnostics refer to the plan.
pub(crate) const PLAN: &str = "plan";

impl Run<'_> {
    /// Searches under the times and things that the question names. A step
    /// that finds nothing is relaxed to the next; a diagnostic says so, and
    /// which of them nothing was found for.
    pub(crate) async fn retrieve_planned(
        &self,
        search: &SearchText,
        choice: &Choice,
    ) -> Result<Vec<Hit>> {
        let steps = plan_legs(&search.plan);
        for (step, legs) in steps.iter().enumerate() {
            let lists = join_all(legs.iter().map(|leg| self.search_leg(search, choice, leg)));
            let lists = lists.await.into_iter().collect::<Result<Vec<_>>>()?;
            let without_hits = legs.iter().zip(&lists).filter(|(_, hits)| hits.is_empty());
            let not_found: Vec<&PlanLeg> = without_hits.map(|(leg, _)| leg).collect();
            match steps.get(step + 1) {
                Some(next) if not_found.len() == legs.len() => self.note_relaxation(next),
                _ => {
                    self.note_not_found(&not_found);
                    return Ok(best_of(lists));
                }
            }
        }
        Ok(Vec::new())
    }

    /// What a module fails at was noted by the search for the question itself.
    pub(crate) async fn search_leg(
        &self,
        search: &SearchText,
        choice: &Choice,
        leg: &PlanLeg,
    ) -> Result<Vec<Hit>> {
        let mut filter = self.filter.clone();
        filter.clauses.extend(leg.clauses.clone());
        let requests = choice.modules.iter().map(|module| {
            let is_dense = choice.is_dense(module);
            (
                module.clone(),
                self.leg_request(module, is_dense, search, &filter),
            )
        });
        let plan = RetrievalPlan {
            pipeline: self.name(),
            requests: requests.collect(),
            on_error: self.settings.on_error,
        };
        let mut own = self.context.clone();
        own.diagnostics = Diagnostics::default();
        let retrieved = retrieve(plan, &own).await;
        self.note_dropped(own.diagnostics.take());
        let Ok(retrieved) = retrieved else {
            return Ok(Vec::new());
        };
        fuse(&search.text, &retrieved.lists, &self.settings.fusion)
            .map_err(|error| error.at("fusion"))
    }

    /// Hits that the host dropped make the result partial, so each module's
    /// are told once.
    fn note_dropped(&self, notes: Vec<Diagnostic>) {
        let is_dropped = |note: &Diagnostic| note.category.as_deref() == Some("invalid_result");
        let mut told = self.context.diagnostics.take();
        for note in notes.into_iter().filter(is_dropped) {
            let is_told = |other: &Diagnostic| {
                (&other.source, &other.category) == (&note.source, &note.category)
            };
            if !told.iter().any(is_told) {
                told.push(note);
            }
        }
        self.context.diagnostics.extend(told);
    }

    /// The words that are left of the question. Where none is left, lexical
    /// modules list what passes the filter and dense ones take the question.
    fn leg_request(
        &self,
        module: &str,
        is_dense: bool,
        search: &SearchText,
        filter: &Filter,
    ) -> SearchRequest {
        let has_rest = !search.plan.content_terms().is_empty();
        let text = match search.syntax {
            QuerySyntax::Operators => search.text.clone(),
            QuerySyntax::Plain if has_rest => search.plan.residual(),
            QuerySyntax::Plain if is_dense => search.text.clone(),
            QuerySyntax::Plain => String::new(),
        };
        let mut request = self.search_request(module, search, DEPTH_OF_LEG);
        request.query = text;
        request.filter = filter.clone();
        request
    }

    fn note_relaxation(&self, alone: &[PlanLeg]) {
        let labels: Vec<String> = alone.iter().map(quoted).collect();
        self.note_relaxed(format!(
            "no entry fits {} together; searched for each alone",
            labels.join(" and ")
        ));
    }

    fn note_not_found(&self, legs: &[&PlanLeg]) {
        let labels: Vec<String> = legs.iter().map(|leg| quoted(leg)).collect();
        let left_out = match labels.len() {
            0 => return,
            1 => "it",
            _ => "them",
        };
        self.note_relaxed(format!(
            "no entry of {} fits; searched without {left_out}",
            labels.join(" or ")
        ));
    }

    pub(crate) fn note_relaxed(&self, message: String) {
        let note = Diagnostic::info(self.source(PLAN), message).category("relaxed");
        self.context.diagnose(note);
    }

    /// Joins what the plan brought in with what the question's text found.
    pub(crate) fn join_planned(&self, hits: Vec<Hit>, planned: Vec<Hit>) -> Vec<Hit> {
        if planned.is_empty() {
            return hits;
        }
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let unit = planned.first().map_or(1.0, |hit| hit.score);
        let kind = hits.first().map_or(ScoreKind::Convex, |hit| hit.score_kind);
        // A list that lacks an entry counts it as its last.
        let last = hits.last().map_or(0.0, |hit| hit.score);
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut joined = hits;
        for (place, hit) in joined.iter().enumerate() {
            places.insert(hit.entry_id.clone(), place);
        }
        for (rank, mut hit) in (1..).zip(planned) {
            let share = if unit > 0.0 { hit.score / unit } else { 0.0 };
            let score = self.settings.plan.list * best * share;
            let provenance = Provenance::new(PLAN.to_owned(), rank, score, ScoreKind::Other);
            match places.get(&hit.entry_id) {
                Some(place) => {
                    joined[*place].score += score;
                    joined[*place].provenance.push(provenance);
                }
                None => {
                    hit.score = last + score;
                    hit.score_kind = kind;
                    hit.provenance = vec![provenance];
                    joined.push(hit);
                }
            }
        }
        sort_hits(&mut joined);
        joined
    }

    /// Raises the hits whose entries are of a time or thing that the question
    /// names, and says so in `explain`.
    pub(crate) fn boost(
        &self,
        search: &SearchText,
        hits: &mut [Hit],
        entries: &HashMap<String, Entry>,
    ) {
        let plan = &search.plan;
        let names_something =
            plan.soft_times().next().is_some() || plan.soft_entities().any(|e| e.field.is_some());
        if !names_something {
            return;
        }
        let best = hits
            .first()
            .map_or(1.0, |hit| hit.score)
            .max(f64::MIN_POSITIVE);
        for hit in hits.iter_mut() {
            let Some(entry) = entries.get(&hit.entry_id) else {
                continue;
            };
            let weights = &self.settings.plan;
            let boosts = Boosts::of(entry, plan, &self.setup.timezone, weights).scaled(best);
            boosts.add_to(hit);
            hit.explain =
                Some(json!({ "plan": { "time": boosts.time, "entities": boosts.entities } }));
        }
        sort_hits(hits);
    }
}

fn quoted(leg: &PlanLeg) -> String {
    format!("`{}`", leg.label)
}

/// The hits of several lists, each entry once with its best score.
fn best_of(lists: Vec<Vec<Hit>>) -> Vec<Hit> {
    let mut found: HashMap<String, Hit> = HashMap::new();
    for hit in lists.into_iter().flatten() {
        let known = found.get(&hit.entry_id);
        if known.is_none_or(|known| hit.score > known.score) {
            found.insert(hit.entry_id.clone(), hit);
        }
    }
    let mut hits: Vec<Hit> = found.into_values().collect();
    sort_hits(&mut hits);
    hits
}
