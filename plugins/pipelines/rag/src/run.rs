//! One call: the stages, one after the other.

use gannet_plugin::filter::Filter;
use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::prelude::{Answer, Context, Diagnostic, Hit, PipelineRequest, Result, Setup};
use gannet_plugin::query::plain_text_note;
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{AnswerBy, FollowUp, earlier_question, instance_name};
use serde_json::{Value, json};

use crate::method::Choice;
use crate::parameters::call_scope;
use crate::pinned::read_pinned;
use crate::ranking::Retrieval;
use crate::report::Report;
use crate::scope::clauses_of;
use crate::search_text::SearchText;
use crate::settings::RagSettings;

/// One call of the pipeline.
pub(crate) struct Run<'a> {
    pub(crate) settings: RagSettings,
    pub(crate) setup: &'a Setup,
    pub(crate) request: &'a PipelineRequest,
    pub(crate) context: &'a Context,
    /// The call's filter and the scope together.
    pub(crate) filter: Filter,
}

impl<'a> Run<'a> {
    /// Reads what the call sets.
    pub(crate) fn new(
        settings: &RagSettings,
        setup: &'a Setup,
        request: &'a PipelineRequest,
        context: &'a Context,
    ) -> Result<Self> {
        let settings = settings.for_request(request)?;
        let mut filter = request.filter.clone();
        filter
            .clauses
            .extend(clauses_of(&settings.scope, &setup.timezone)?);
        filter.clauses.extend(call_scope(request, &setup.timezone)?);
        Ok(Self {
            settings,
            setup,
            request,
            context,
            filter,
        })
    }

    /// Searches and answers.
    pub(crate) async fn answer(&self) -> Result<Answer> {
        let modules = &self.setup.retrieval_modules;
        let mut report = Report::new(modules, self.settings.method, self.context);
        let is_blank = self.request.query.trim().is_empty();
        if is_blank && self.request.filter.is_empty() {
            report.nothing_searched("the question is blank");
            return Ok(Answer::default()
                .with_answer_status(AnswerStatus::Insufficient)
                .with_reasoning("The question is empty; nothing was searched.")
                .with_pipeline_details(report.details()));
        }
        let descriptors = self.context.descriptors();
        let choice = Choice::of(self.settings.method, &self.name(), modules, &descriptors)?;
        let source = self.source("pinned");
        let ids = &self.settings.pinned;
        let pinned = read_pinned(ids, &self.request.filter, &source, self.context).await?;
        if !ids.is_empty() {
            report.done("pinned", json!({ "pinned_count": pinned.len() }));
        }
        let earlier = earlier_question(self.request, self.context).await;
        let search = SearchText::of(self.request, pinned.first(), earlier);
        let search = search
            .planned(self.request, &self.filter, self.context)
            .await;
        self.note_earlier_question(&search);
        self.note_plain_text(&search);
        if let Some(answer) = self.answer_set(&search, &mut report).await? {
            return Ok(answer.with_plan(self.plan(&search, &choice)));
        }

        let (retrieved, planned) = futures::join!(
            self.retrieve(&search, &choice),
            self.retrieve_planned(&search, &choice),
        );
        let (retrieved, planned) = (retrieved?, planned?);
        report.retrieved(&retrieved, choice.used(&retrieved));
        let plan = self.plan(&search, &choice);
        let found = Retrieval {
            pinned,
            retrieved,
            planned,
        };
        let found = self.rank(&search, &choice, found, &mut report).await?;
        self.tell_hits(&found.hits);
        if self.settings.answer == AnswerBy::None {
            return Ok(Answer::new(found.hits)
                .with_search_modes_used(found.modules)
                .with_reasoning(format!("{}; no answer was requested.", report.sentence()))
                .with_plan(plan)
                .with_pipeline_details(report.details())
                .with_degraded(found.degraded));
        }

        let given = self.give(&found, &mut report);
        let wording = self.word(&search, &found, &given, &mut report).await;
        for entry_id in &wording.citations {
            self.context.emit(Event::Citation {
                entry_id: entry_id.clone(),
            });
        }
        Ok(Answer::new(found.hits)
            .with_answer(wording.text)
            .with_answer_status(wording.status)
            .with_answer_confidence(wording.confidence)
            .with_answer_highlights(wording.highlights)
            .with_citations(wording.citations)
            .with_sources(wording.sources)
            .with_search_modes_used(found.modules)
            .with_reasoning(format!("{}; {}.", report.sentence(), wording.reason))
            .with_plan(plan)
            .with_pipeline_details(report.details())
            .with_degraded(found.degraded || wording.degraded))
    }

    /// What was decided before anything was searched.
    fn plan(&self, search: &SearchText, choice: &Choice) -> Value {
        let mut plan = json!({
            "search_query": search.text,
            "syntax": search.syntax,
            "method": self.settings.method.name(),
            "modules": choice.modules,
        });
        if let (Some(earlier), Some(plan)) = (&search.earlier, plan.as_object_mut()) {
            plan.insert("follows".to_owned(), earlier.as_str().into());
        }
        plan
    }

    fn note_earlier_question(&self, search: &SearchText) {
        if search.earlier.is_some() {
            self.context
                .diagnose(FollowUp::note(self.source("plan"), &search.text));
        }
    }

    /// A title or a pasted report may hold what looks like operators.
    fn note_plain_text(&self, search: &SearchText) {
        if search.syntax == QuerySyntax::Plain
            && let Some(note) = plain_text_note(&self.request.query)
        {
            self.context.diagnose(note);
        }
    }

    pub(crate) fn tell_hits(&self, hits: &[Hit]) {
        if !self.context.events.are_wanted() {
            return;
        }
        for (rank, hit) in (1..).zip(hits) {
            self.context.emit(Event::Hit {
                entry_id: hit.entry_id.clone(),
                rank,
                score: hit.score,
                score_kind: hit.score_kind,
            });
        }
    }

    /// A warning of a stage.
    pub(crate) fn warn(&self, stage: &str, message: String, category: &str) {
        self.context
            .diagnose(Diagnostic::warning(self.source(stage), message).category(category));
    }

    /// The name under which a stage tells of itself: `rag.rerank`.
    pub(crate) fn source(&self, stage: &str) -> String {
        format!("{}.{stage}", self.name())
    }

    /// The name of this instance.
    pub(crate) fn name(&self) -> String {
        instance_name(self.setup, "rag")
    }
}
