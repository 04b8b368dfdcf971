//! Calls of search modules and pipelines, from a surface or from each other:
//! what they answer is checked here before anyone sees it.

use std::sync::Arc;

use gannet_api::{
    Answer, Call, Context, Diagnostic, DynPipeline, DynSearchModule, Error, Found, Hit,
    PipelineRequest, PipelineRun, PluginKind, Provenance, Result, RunRequest, SearchRequest,
    limits,
};

use crate::exact_id::put_named_first;
use crate::excluded::Exclusions;
use crate::quarantine::PluginName;
use crate::replies::{
    CallScope, EventGate, EventList, RequestState, SOURCE, bounded_diagnostics, check_citations,
    check_confidence, check_hits, shrink_answer,
};
use crate::services::Services;

/// A query with exclusions is asked so often more, each time for so many times
/// as many hits, up to this many.
const CALLS_PAST_EXCLUSIONS: usize = 3;
const DEEPER: usize = 4;
const DEEPEST: usize = 1000;

impl Services {
    /// Asks the search module of this name, or the pipeline: that gives its
    /// hits, and its words are left out.
    pub(crate) async fn ask_module(
        &self,
        call: &Call,
        name: &str,
        mut request: SearchRequest,
        state: Arc<RequestState>,
    ) -> Result<Found> {
        state.count_call(name)?;
        self.plan_search(call, &mut request, &state).await;
        let (query, limit) = (request.query.clone(), request.limit);
        let scope = CallScope::new(state, request.filter.clone());
        let module = self.catalog().search_module(name).cloned();
        let kind = match module {
            Some(_) => PluginKind::SearchModule,
            None => PluginKind::Pipeline,
        };
        let plugin = PluginName { kind, name };
        let context = self.scoped_context(deeper(call)?, plugin, &scope);
        let diagnostics = context.diagnostics.clone();
        for note in self.module_notes(name) {
            let source = format!("search_modules.{name}");
            diagnostics.add(Diagnostic::info(source, note.clone()));
        }
        let mut hits = match module {
            Some(module) => {
                let asked = AskedModule {
                    plugin,
                    module,
                    context,
                    scope: &scope,
                    exclusions: Exclusions::of(&request, &self.query_options()),
                };
                self.filled_hits(asked, request).await?
            }
            None => {
                let not_found = || Error::not_found(PluginKind::SearchModule.label(), name);
                let pipeline = self.catalog().pipeline(name).cloned();
                let pipeline = pipeline.ok_or_else(not_found)?;
                let request = PipelineRequest::new(request.query, request.limit)
                    .with_filter(request.filter)
                    .with_params(request.params)
                    .with_plan(request.plan);
                let answer = self.run_pipeline(name, pipeline, request, context, &scope);
                answer.await?.hits
            }
        };
        let (store, tenant) = (self.store(), &call.tenant);
        put_named_first(&query, scope.filter(), &mut hits, store, tenant).await?;
        hits.truncate(limit);
        sign(&mut hits, name);
        Ok(Found::new(hits).with_diagnostics(diagnostics.take()))
    }

    /// Hits of a module. Where the host dropped some of a full list, the module
    /// is asked for more, so that an index with stale rows, or entries that the
    /// query excludes, do not leave places empty.
    async fn filled_hits(
        &self,
        asked: AskedModule<'_>,
        mut request: SearchRequest,
    ) -> Result<Vec<Hit>> {
        let wanted = request.limit;
        let before = asked.context.diagnostics.take();
        let mut checked = self.checked_hits(&asked, request.clone()).await?;
        let mut given = checked.given;
        for _ in 0..asked.more_calls() {
            let freed = wanted.saturating_sub(checked.hits.len());
            if freed == 0 || given < request.limit {
                break;
            }
            request.limit = asked.deeper_limit(request.limit, freed);
            match self.checked_hits(&asked, request.clone()).await {
                Ok(more) => {
                    given = more.given;
                    if more.hits.len() > checked.hits.len() {
                        checked = more;
                    }
                }
                Err(error) => {
                    let message = format!("{} failed when asked for more: {error}", asked.plugin);
                    checked.notes.push(Diagnostic::warning(SOURCE, message));
                    break;
                }
            }
        }
        asked.context.diagnostics.extend(before);
        asked.context.diagnostics.extend(checked.notes);
        Ok(checked.hits)
    }

    /// What a module found, as far as it can be shown.
    async fn checked_hits(
        &self,
        asked: &AskedModule<'_>,
        request: SearchRequest,
    ) -> Result<CheckedHits> {
        let (module, context) = (asked.module.clone(), asked.context.clone());
        let (call, limit) = (&asked.context.call, request.limit);
        let work = async move { module.search(request, &context).await };
        let mut hits = self.isolate(asked.plugin, call.deadline, work).await?;
        let given = hits.len();
        let mut notes = bounded_diagnostics(asked.context.diagnostics.take());
        let place = (self.store(), &*call.tenant);
        notes.extend(check_hits(&mut hits, limit, asked.plugin, place, asked.scope).await?);
        let (store, tenant) = place;
        asked.exclusions.drop_from(&mut hits, store, tenant).await?;
        Ok(CheckedHits { hits, given, notes })
    }

    /// Runs a pipeline for another plugin: its answer, what it told on the way,
    /// and what it was given.
    ///
    /// # Errors
    /// The pipeline's own; [`Error::NotFound`] for a name that is not on.
    pub(crate) async fn ask_pipeline(
        &self,
        call: &Call,
        asked: RunRequest,
        state: Arc<RequestState>,
    ) -> Result<(PipelineRun, CallScope)> {
        let (name, mut request) = (asked.pipeline.as_str(), asked.request);
        state.count_call(name)?;
        self.plan_pipeline(call, &mut request, &state).await;
        let not_found = || Error::not_found(PluginKind::Pipeline.label(), name);
        let pipeline = self.catalog().pipeline(name).cloned();
        let pipeline = pipeline.ok_or_else(not_found)?;
        let kind = PluginKind::Pipeline;
        let scope = CallScope::new(state, request.filter.clone());
        let told = EventList::default();
        let gate = EventGate::new(told.events());
        let context = self
            .scoped_context(deeper(call)?, PluginName { kind, name }, &scope)
            .with_events(gate.events(&scope));
        let diagnostics = context.diagnostics.clone();
        let answer = self.run_pipeline(name, pipeline, request, context, &scope);
        let mut run = PipelineRun::new(answer.await?);
        drop(gate);
        run.events = told.take();
        run.diagnostics = diagnostics.take();
        Ok((run, scope))
    }

    /// Runs a pipeline within its call's deadline, its panics contained.
    /// `context` is one of the scope.
    pub(crate) async fn run_pipeline(
        &self,
        name: &str,
        pipeline: Arc<dyn DynPipeline>,
        request: PipelineRequest,
        context: Context,
        scope: &CallScope,
    ) -> Result<Answer> {
        let plugin = PluginName {
            kind: PluginKind::Pipeline,
            name,
        };
        let (call, limit) = (context.call.clone(), request.limit);
        let diagnostics = context.diagnostics.clone();
        let work = async move { pipeline.run(request, &context).await };
        let mut answer = self.isolate(plugin, call.deadline, work).await?;
        let note = check_confidence(&mut answer, plugin);
        shrink_answer(&mut answer);
        let mut notes = bounded_diagnostics(diagnostics.take());
        notes.extend(note);
        let place = (self.store(), &*call.tenant);
        notes.extend(check_hits(&mut answer.hits, limit, plugin, place, scope).await?);
        notes.extend(check_citations(&mut answer, plugin, place, scope).await?);
        diagnostics.extend(notes);
        Ok(answer)
    }
}

/// A search module that is asked, and in which context.
struct AskedModule<'a> {
    plugin: PluginName<'a>,
    module: Arc<dyn DynSearchModule>,
    context: Context,
    scope: &'a CallScope,
    exclusions: Exclusions,
}

impl AskedModule<'_> {
    /// How often the module is asked for more, at most. What a query excludes
    /// may be most of what comes near to its other words.
    fn more_calls(&self) -> usize {
        match self.exclusions.is_empty() {
            true => 1,
            false => CALLS_PAST_EXCLUSIONS,
        }
    }

    /// How many hits the module is asked for next, when so many places are free.
    fn deeper_limit(&self, limit: usize, freed: usize) -> usize {
        match self.exclusions.is_empty() {
            true => limit + freed,
            false => (limit * DEEPER).min(DEEPEST).max(limit + freed),
        }
    }
}

/// Hits of a module that the host checked.
struct CheckedHits {
    hits: Vec<Hit>,
    /// How many the module gave.
    given: usize,
    notes: Vec<Diagnostic>,
}

/// The call one step further from the surface.
fn deeper(call: &Call) -> Result<Call> {
    if call.depth >= limits::DEPTH {
        return Err(Error::invalid_input(format!(
            "more than {} modules call each other in a row; check `retrieval_modules` for a \
             circle",
            limits::DEPTH
        )));
    }
    let mut deeper = call.clone();
    deeper.depth += 1;
    Ok(deeper)
}

/// Writes the module's name, rank and score into each hit that carries no
/// provenance yet.
fn sign(hits: &mut [Hit], module: &str) {
    for (index, hit) in hits.iter_mut().enumerate() {
        if hit.provenance.is_empty() {
            hit.provenance.push(Provenance::new(
                module,
                u32::try_from(index + 1).unwrap_or(u32::MAX),
                hit.score,
                hit.score_kind,
            ));
        }
    }
}
