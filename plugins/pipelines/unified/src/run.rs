//! One call: the stages, one after the other.

use std::sync::Arc;

use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Answer, Context, Diagnostic, Hit, PipelineRequest, Result, Setup};
use gannet_stages::{AnswerBy, instance_name, plan_of};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::aliases::Aliases;
use crate::ambient::Ambient;
use crate::cards::cards;
use crate::context_answer::ContextAnswer;
use crate::coverage::Coverage;
use crate::domains::Domains;
use crate::merge::merge;
use crate::overflow::overflow;
use crate::planning::{Plan, Planner};
use crate::ranking::Ranked;
use crate::retrieval::Leg;
use crate::settings::UnifiedSettings;

/// One call of the pipeline.
pub(crate) struct Run<'a> {
    pub(crate) settings: UnifiedSettings,
    pub(crate) setup: &'a Setup,
    pub(crate) request: &'a PipelineRequest,
    pub(crate) context: &'a Context,
    pub(crate) domains: &'a Domains,
    pub(crate) aliases: &'a Aliases,
    pub(crate) ambient: Ambient,
    /// What the host read in the question.
    pub(crate) host: Arc<QueryPlan>,
    /// What follows from it and from the surroundings.
    pub(crate) plan: Plan,
}

/// What an instance knows beside its settings.
pub(crate) struct Known<'a> {
    pub(crate) domains: &'a Domains,
    pub(crate) aliases: &'a Aliases,
}

impl<'a> Run<'a> {
    /// Reads what the call sets, and plans.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](gannet_plugin::prelude::Error::InvalidInput) for
    /// parameters of another type.
    pub(crate) async fn new(
        settings: &UnifiedSettings,
        setup: &'a Setup,
        known: Known<'a>,
        request: &'a PipelineRequest,
        context: &'a Context,
    ) -> Result<Self> {
        let settings = request.settings(settings)?;
        let ambient = Ambient::of(request)?;
        let filter = &request.filter;
        let host = plan_of(&request.query, request.plan.as_ref(), filter, context).await;
        let plan = Planner {
            host: &host,
            question: &request.query,
            ambient: &ambient,
            domains: known.domains,
            aliases: known.aliases,
            boosts: &settings.boosts,
        }
        .plan();
        Ok(Self {
            settings,
            setup,
            request,
            context,
            domains: known.domains,
            aliases: known.aliases,
            ambient,
            host,
            plan,
        })
    }

    /// What makes weights of domains that are found on the way.
    pub(crate) fn planner(&self) -> Planner<'_> {
        Planner {
            host: &self.host,
            question: &self.request.query,
            ambient: &self.ambient,
            domains: self.domains,
            aliases: self.aliases,
            boosts: &self.settings.boosts,
        }
    }

    /// Searches and answers.
    ///
    /// # Errors
    /// Every domain failed, or the entries cannot be read.
    pub(crate) async fn answer(&self) -> Result<Answer> {
        if self.request.query.trim().is_empty() && self.request.filter.is_empty() {
            return Ok(self.nothing_asked());
        }
        self.tell("plan", json!(self.plan));
        self.note_unknown_scope();
        let legs = self.search_domains().await?;
        let fusion = self.settings.fusion.of_stage();
        let merged = merge(&self.plan.search_text, &legs, &fusion)?;
        let (modules, fused) = (merged.modules.clone(), merged.hits.len());
        self.tell("retrieve", json!({ "domains": legs.len(), "fused": fused }));
        let ranked = self.rank(merged).await?;
        let clusters = self.clusters(&ranked);
        let coverage = self.coverage(&legs, &ranked).await;
        let counted = self.count_domains().await?;
        match &counted {
            Some(counted) => self.tell_hits(&counted.hits),
            None => self.tell_hits(
                &ranked
                    .hits
                    .iter()
                    .map(|one| one.hit.clone())
                    .collect::<Vec<_>>(),
            ),
        }
        let has_scope = !self.plan.scope.is_empty();
        let overflow = overflow(&ranked.hits, has_scope, &self.settings.overflow);
        let cards = cards(&clusters, &ranked, &self.settings.cards);
        self.tell("cards", json!({ "cards": cards.len() }));

        let mut extensions = Map::new();
        extensions.insert("cards".to_owned(), json!(cards));
        extensions.insert("coverage".to_owned(), json!(coverage));
        if let Some(overflow) = overflow {
            extensions.insert("overflow".to_owned(), json!(overflow));
        }
        let answer = self.frame(&legs, &ranked, modules, &coverage);
        if self.settings.answer == AnswerBy::None {
            let mut answer = answer;
            answer.extensions = extensions;
            return Ok(answer);
        }
        let mut answer = answer;
        let mut sources = self.sources(&ranked);
        let worded = match counted {
            Some(counted) => {
                answer.hits = counted.hits;
                answer.pipeline_details = with_set(answer.pipeline_details, &counted.answer);
                sources.clone_from(&counted.answer.citations);
                counted.answer
            }
            None => self.context_answer(&ranked, &clusters, &coverage).await,
        };
        self.context.emit(Event::Answer {
            text: worded.summary.clone(),
        });
        let synthesised = self.synthesise(&worded, &ranked, &clusters).await;
        extensions.insert("contextAnswer".to_owned(), json!(worded));
        let is_unread = worded.trust.is_unread;
        let mut answer = worded.into_answer(answer).with_sources(sources);
        answer.extensions = extensions;
        // A model reads for itself.
        answer.degraded |= synthesised.degraded || (is_unread && synthesised.cited.is_none());
        let synthesis = json!(synthesised.synthesis);
        answer.extensions.insert("synthesis".to_owned(), synthesis);
        if let Some(cited) = synthesised.cited {
            answer.answer_status = Some(cited.status());
            answer.answer_confidence = None;
            answer.answer_highlights.clear();
            answer.reasoning.push_str(" Phrased by a chat model.");
            answer.answer = Some(cited.text.trim().to_owned());
            answer.citations = cited.citations;
        }
        for entry_id in answer.citations.iter().cloned() {
            self.context.emit(Event::Citation { entry_id });
        }
        Ok(answer)
    }

    /// A scope hides nothing, so a wrong name in it refuses nothing either.
    fn note_unknown_scope(&self) {
        let unknown = &self.plan.unknown_scope;
        if unknown.is_empty() {
            return;
        }
        let known = self.domains.configured().iter();
        let known: Vec<&str> = known.map(|domain| domain.name.as_str()).collect();
        let message = format!(
            "the scope names no domain: {}; the domains are {}",
            unknown.join(", "),
            known.join(", ")
        );
        let note = Diagnostic::warning(self.source("plan"), message);
        self.context.diagnose(note.category("unknown_value"));
    }

    /// The answer without its words.
    fn frame(
        &self,
        legs: &[Leg],
        ranked: &Ranked,
        modules: Vec<String>,
        coverage: &Coverage,
    ) -> Answer {
        let shown = ranked.hits.iter().take(self.request.limit);
        let is_partial = |leg: &Leg| leg.is_partial || leg.failure.is_some();
        let counts = coverage.domains.iter();
        let counts: Vec<String> = counts
            .map(|one| format!("{} {}", one.hits, one.domain))
            .collect();
        let reasoning = format!(
            "Read as {} ({}); ranked {} hits{}.",
            self.plan.intent.name(),
            self.plan.intent_reason,
            ranked.hits.len(),
            match counts.is_empty() {
                true => String::new(),
                false => format!(": {}", counts.join(", ")),
            },
        );
        Answer::new(shown.map(|one| one.hit.clone()).collect())
            .with_search_modes_used(modules)
            .with_reasoning(reasoning)
            .with_plan(json!(self.plan))
            .with_pipeline_details(self.details(ranked))
            .with_degraded(ranked.degraded || legs.iter().any(is_partial))
    }

    fn details(&self, ranked: &Ranked) -> Value {
        #[derive(Serialize)]
        struct Details<'d> {
            pipeline_type: &'static str,
            ranked: usize,
            weights: Vec<&'d crate::planning::DomainWeight>,
        }
        json!(Details {
            pipeline_type: "unified",
            ranked: ranked.hits.len(),
            weights: ranked.weights.values().collect(),
        })
    }

    fn sources(&self, ranked: &Ranked) -> Vec<String> {
        let shown = ranked.hits.iter().take(self.request.limit);
        shown.map(|one| one.hit.entry_id.clone()).collect()
    }

    fn nothing_asked(&self) -> Answer {
        let blank = ContextAnswer::blank();
        Answer::default()
            .with_answer_status(AnswerStatus::Insufficient)
            .with_reasoning(blank.reason.as_str())
            .with_plan(json!(self.plan))
            .with_extension("cards", json!([]))
            .with_extension("contextAnswer", json!(blank))
    }

    fn tell(&self, stage: &str, details: Value) {
        if self.context.events.are_wanted() {
            self.context.emit(Event::Stage {
                stage: stage.to_owned(),
                details,
            });
        }
    }

    fn tell_hits(&self, hits: &[Hit]) {
        if !self.context.events.are_wanted() {
            return;
        }
        let shown = hits.iter().take(self.request.limit);
        for (rank, hit) in (1..).zip(shown) {
            self.context.emit(Event::Hit {
                entry_id: hit.entry_id.clone(),
                rank,
                score: hit.score,
                score_kind: hit.score_kind,
            });
        }
    }

    /// The name under which a stage tells of itself: `unified.retrieve`.
    pub(crate) fn source(&self, stage: &str) -> String {
        format!("{}.{stage}", self.name())
    }

    /// The name of this instance.
    pub(crate) fn name(&self) -> String {
        instance_name(self.setup, "unified")
    }
}

impl ContextAnswer {
    /// The words of this answer in an answer of a pipeline.
    fn into_answer(self, frame: Answer) -> Answer {
        let reasoning = format!("{} {}.", frame.reasoning, capitalised(&self.reason));
        frame
            .with_answer_status(self.trust.status)
            .with_answer_confidence(self.trust.confidence)
            .with_answer_highlights(self.trust.highlights)
            .with_reasoning(reasoning)
            .with_answer(self.summary)
            .with_citations(self.citations)
    }
}

/// The details of a result with the set that was counted.
fn with_set(details: Option<Value>, answer: &ContextAnswer) -> Option<Value> {
    let mut details = details?;
    if let (Some(details), Some(set)) = (details.as_object_mut(), &answer.set) {
        details.insert("set".to_owned(), set.clone());
    }
    Some(details)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
