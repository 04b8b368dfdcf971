//! One run: turns of the model and calls of tools, until there is an answer.

use std::collections::HashSet;
use std::time::Duration;

use futures::future::join_all;
use gannet_plugin::pipeline::{Event, ReadOptions, Tool};
use gannet_plugin::prelude::{
    Answer, Context, Diagnostic, Error, PipelineRequest, Result, SearchRequest, Setup,
};
use gannet_plugin::provider::ToolCall;
use gannet_plugin::query::QueryOptions;
use gannet_stages::{
    AnswerBy, Cited, FollowUp, FusionMethod, FusionSettings, all_failed, fence_mark, fuse,
    instance_name, plan_of, syntax_of,
};
use serde_json::json;

use crate::calling::{Caller, Done, Outcome, hit_of};
use crate::findings::Findings;
use crate::generated_answer::GeneratedAnswer;
use crate::settings::AgentSettings;
use crate::toolbox::Toolbox;
use crate::trace::Trace;
use crate::turn::too_long;

/// Entries that each tool is asked for when it is asked with the question.
const CANDIDATES: usize = 20;

/// One run.
pub(crate) struct Run<'a> {
    pub(crate) settings: &'a AgentSettings,
    pub(crate) setup: &'a Setup,
    pub(crate) request: &'a PipelineRequest,
    pub(crate) context: Context,
    pub(crate) options: ReadOptions,
    pub(crate) nonce: String,
    pub(crate) toolbox: Toolbox,
    pub(crate) findings: Findings,
    pub(crate) trace: Trace,
    /// How long it may take, as it was at the start.
    pub(crate) time: Duration,
    /// Search modules that answered.
    pub(crate) used: Vec<String>,
    /// Tools that failed, each time.
    pub(crate) failures: Vec<(String, Error)>,
    /// Why tools refused the question.
    refusals: Vec<Error>,
    /// What was noted of tools already.
    noted: HashSet<(String, &'static str)>,
    degraded: bool,
}

impl<'a> Run<'a> {
    /// A run with the tools that are on now.
    ///
    /// # Errors
    /// [`Error::Configuration`] when there is none.
    pub(crate) fn new(
        settings: &'a AgentSettings,
        setup: &'a Setup,
        request: &'a PipelineRequest,
        query: QueryOptions,
        context: Context,
    ) -> Result<Self> {
        let name = name_of(setup);
        let source = format!("{name}.tools");
        let toolbox = Toolbox::of(&setup.retrieval_modules, &source, &context);
        if toolbox.searches().next().is_none() {
            return Err(Error::configuration(
                format!("pipelines.{name}.retrieval_modules"),
                "names no enabled search module; name at least one",
            ));
        }
        Ok(Self {
            settings,
            setup,
            request,
            options: ReadOptions::new(request.filter.clone(), query),
            nonce: mark_of(request),
            toolbox,
            findings: Findings::default(),
            trace: Trace::of(&request.query, &context),
            time: context.call.deadline.remaining().unwrap_or_default(),
            used: Vec::new(),
            failures: Vec::new(),
            refusals: Vec::new(),
            noted: HashSet::new(),
            degraded: false,
            context,
        })
    }

    /// Searches and answers.
    ///
    /// # Errors
    /// All tools that were asked failed, or the time was up before any
    /// answered.
    pub(crate) async fn answer(mut self) -> Result<Answer> {
        let wants_model = self.settings.answer == AnswerBy::Model;
        let generated = if self.request.query.trim().is_empty() || !wants_model {
            self.quote_entries(None).await?
        } else if self.setup.provider.is_none() {
            self.note(
                "",
                "no chat model is configured (`reasoning.provider`); each tool was called once, \
                 and the answer consists of quoted sentences",
                "configuration",
            );
            self.quote_entries(None).await?
        } else {
            match self.ask_the_model().await {
                Ok(cited) => self.phrased(cited),
                Err(error) => {
                    let message = format!("fell back to quoted sentences: {error}");
                    self.note("", &message, error.category());
                    self.degraded = true;
                    self.quote_entries(Some(error)).await?
                }
            }
        };
        Ok(self.result(generated))
    }

    /// Carries out the calls of one turn at once, and gives what the model
    /// sees of each, in order.
    pub(crate) async fn call_tools(&mut self, calls: &[ToolCall]) -> Vec<String> {
        let orders: Vec<usize> = calls
            .iter()
            .map(|call| self.trace.tool_call(&call.name, &call.arguments))
            .collect();
        let caller = self.caller();
        let done = join_all(calls.iter().map(|call| caller.call(call))).await;
        let taken = orders.into_iter().zip(done);
        taken.map(|(order, done)| self.take(order, done)).collect()
    }

    /// Asks each tool once, with the whole question, and puts what they find
    /// into one order.
    async fn ask_every_tool(&mut self, query: &str) {
        let asked: Vec<(Tool, SearchRequest)> = self
            .toolbox
            .searches()
            .map(|tool| (tool.clone(), self.whole_question(query)))
            .collect();
        let orders: Vec<usize> = asked
            .iter()
            .map(|(tool, _)| self.trace.tool_call(&tool.name, &json!({ "query": query })))
            .collect();
        let caller = self.caller();
        let calls = asked.into_iter();
        let calls = calls.map(|(tool, request)| {
            let caller = &caller;
            async move { caller.search(&tool, request).await }
        });
        let done = join_all(calls).await;
        for (order, done) in orders.into_iter().zip(done) {
            self.take(order, done);
        }
        let lists = self.findings.lists();
        // The lists answer different queries, whose scores do not compare.
        let by_rank = FusionSettings {
            method: FusionMethod::Rrf,
            ..FusionSettings::default()
        };
        if let Ok(fused) = fuse(query, lists, &by_rank) {
            self.findings.reorder(fused);
        }
    }

    fn whole_question(&self, query: &str) -> SearchRequest {
        let limit = CANDIDATES.max(self.request.limit);
        let mut search = SearchRequest::new(query, limit);
        search.syntax = syntax_of(query);
        search.filter = self.request.filter.clone();
        search
    }

    fn caller(&self) -> Caller<'_> {
        Caller {
            toolbox: &self.toolbox,
            settings: self.settings,
            options: &self.options,
            findings: &self.findings,
            timezone: &self.setup.timezone,
            context: &self.context,
        }
    }

    /// Keeps what a call gave, and says what the model sees of it.
    fn take(&mut self, order: usize, done: Done) -> String {
        self.context.diagnostics.extend(done.notes);
        self.trace.tool_result(order, done.observation.text());
        match done.outcome {
            Outcome::Mistake => {}
            Outcome::Refused(error) => self.refusals.push(error),
            Outcome::Found(searched) => {
                let module = searched.list.module.clone();
                if searched.garbage > 0 {
                    let message = format!(
                        "{module} returned {} results without an id or with an invalid score; they \
                         were dropped",
                        searched.garbage
                    );
                    self.note_tool(&module, message, "invalid_result");
                }
                if !self.used.contains(&module) {
                    self.used.push(module);
                }
                self.findings.add(searched.list, searched.entries);
            }
            Outcome::Read(entry) => self.findings.add_read(hit_of(&entry), *entry),
            Outcome::Failed { tool, error } => {
                self.note_tool(&tool, format!("{tool} failed: {error}"), error.category());
                self.failures.push((tool, error));
            }
        }
        done.observation.message(&self.nonce)
    }

    /// Notes a fault of a tool, once for each sort.
    fn note_tool(&mut self, tool: &str, message: String, category: &'static str) {
        self.degraded = true;
        if self.noted.insert((tool.to_owned(), category)) {
            let source = format!("{}.tools.{tool}", name_of(self.setup));
            self.context
                .diagnose(Diagnostic::error(source, message).category(category));
        }
    }

    fn phrased(&self, cited: Cited) -> GeneratedAnswer {
        let source = format!("{}.cite", name_of(self.setup));
        let notes = cited.notes(&source, "that no tool returned");
        self.context.diagnostics.extend(notes);
        cited.into()
    }

    /// Quotes sentences of the entries; when no tool has answered yet, each is
    /// called first. A follow-up is searched with the question that it leans
    /// on.
    async fn quote_entries(&mut self, reason: Option<Error>) -> Result<GeneratedAnswer> {
        let deadline = self.context.call.deadline;
        let follow_up = FollowUp::of(self.request, &self.context).await;
        if !self.found_out() && !deadline.has_passed() {
            let question = &self.request.query;
            let query = follow_up.as_ref().map(|earlier| earlier.text(question));
            if let Some(query) = &query {
                self.context
                    .diagnose(FollowUp::note(name_of(self.setup), query));
            }
            self.ask_every_tool(query.as_ref().unwrap_or(question))
                .await;
        }
        if !self.found_out() {
            if !self.failures.is_empty() {
                let failures = std::mem::take(&mut self.failures);
                return Err(all_failed(
                    &format!("{}.tools", name_of(self.setup)),
                    failures,
                ));
            }
            let refusal = self.refusals.pop();
            return Err(refusal
                .or(reason)
                .unwrap_or_else(|| too_long("the agent", self.time)));
        }
        let PipelineRequest {
            query,
            plan,
            filter,
            ..
        } = self.request;
        let plan = match &follow_up {
            Some(follow_up) => plan_of(&follow_up.subject, None, filter, &self.context).await,
            None => plan_of(query, plan.as_ref(), filter, &self.context).await,
        };
        let limit = self.request.limit;
        let (findings, timezone) = (&self.findings, &self.setup.timezone);
        let generated =
            GeneratedAnswer::of_entries(&plan, findings, limit, timezone, &self.context).await;
        self.context.emit(Event::Answer {
            text: generated.text.clone(),
        });
        Ok(generated)
    }

    /// Whether a tool answered, if only that there is nothing.
    pub(crate) fn found_out(&self) -> bool {
        !self.used.is_empty() || !self.findings.is_empty()
    }

    fn result(mut self, generated: GeneratedAnswer) -> Answer {
        self.trace.final_answer(&generated.text);
        let hits = self
            .findings
            .result(&generated.citations, self.request.limit);
        for (rank, hit) in (1..).zip(&hits) {
            self.context.emit(Event::Hit {
                entry_id: hit.entry_id.clone(),
                rank,
                score: hit.score,
                score_kind: hit.score_kind,
            });
        }
        for entry_id in generated.citations.iter().cloned() {
            self.context.emit(Event::Citation { entry_id });
        }
        Answer::new(hits)
            .with_answer(generated.text)
            .with_answer_status(generated.status)
            .with_answer_confidence(generated.confidence)
            .with_answer_highlights(generated.highlights)
            .with_citations(generated.citations)
            .with_sources(self.findings.ids())
            .with_search_modes_used(self.used)
            .with_reasoning(format!("{}; {}.", self.trace.summary(), generated.reason))
            .with_pipeline_details(self.trace.details())
            .with_degraded(self.degraded || generated.is_unread)
    }

    pub(crate) fn note(&self, stage: &str, message: &str, category: &str) {
        let source = format!("{}{stage}", name_of(self.setup));
        self.context
            .diagnose(Diagnostic::warning(source, message).category(category));
    }
}

/// The mark of the fences around results of tools: the model gets it before
/// them, and it is removed from the results.
fn mark_of(request: &PipelineRequest) -> String {
    let said = request.history.iter().map(|turn| turn.content.as_str());
    let texts: Vec<&str> = said.chain([request.query.as_str()]).collect();
    fence_mark(&texts)
}

/// The pipeline's name in the configuration.
pub(crate) fn name_of(setup: &Setup) -> String {
    instance_name(setup, "agent")
}
