//! The one way of a query: mode → catalogue → module or pipeline → result.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gannet_api::{
    Answer, Call, ChatMessage, Context, Deadline, Descriptor, Diagnostic, Error, Events, Exposure,
    Filter, ParameterDescriptor, PipelineRequest, Plugin, PluginKind, QueryPlan, QuerySyntax,
    SearchRequest,
};
use gannet_store::INCOMPLETE_INDEX;
use serde_json::{Map, Value};

use crate::answering_model::PARTIAL;
use crate::hydrate::hydrate;
use crate::isolate::within;
use crate::matches::{CountedQuestion, Counting};
use crate::nothing_found::why_nothing;
use crate::plan::cut;
use crate::planning::Question;
use crate::quarantine::PluginName;
use crate::relevance::Asked;
use crate::replies::{AskedBy, CallScope, EventGate, RequestState};
use crate::result::{SearchHit, SearchResult};
use crate::services::Services;
use crate::{Gannet, HostError};

/// The most entries that one search may ask for.
pub(crate) const MAX_RESULTS: usize = 1000;

/// The request of a surface.
#[derive(Clone)]
pub struct SearchInput {
    /// The question.
    pub query: String,
    /// A search module or pipeline by name; the configured default when
    /// missing.
    pub mode: Option<String>,
    /// How many entries; the configured default when missing.
    pub max_results: Option<usize>,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// Values of the mode's parameters.
    pub params: Map<String, Value>,
    /// Words of the question, as they stand in it, that are not read as a time,
    /// a name or what is asked for. A set of entries is counted without them.
    pub ignored_words: Vec<String>,
    /// What was said before, oldest first.
    pub history: Vec<ChatMessage>,
    /// Whose entries may be seen.
    pub tenant: String,
    /// How many other Gannets the question came over; 0 for a user's own.
    pub hops: u8,
    /// How long the caller waits; the configured limit when missing.
    pub timeout: Option<Duration>,
    /// What is counted beside the search; nothing unless it is asked for.
    pub counting: Counting,
    /// The order in which the entries that were found are shown.
    pub order: EntryOrder,
    /// Where progress is streamed to.
    pub events: Events,
}

/// In which order a result shows its entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EntryOrder {
    /// Best first.
    #[default]
    Relevance,
    /// The same entries, newest first.
    Time,
}

impl EntryOrder {
    fn apply(self, hits: &mut [SearchHit]) {
        if self == Self::Relevance {
            return;
        }
        // Stable: entries of one time stay in the order of relevance.
        hits.sort_by_key(|hit| Reverse(hit.entry.timestamp));
        for (rank, hit) in (1..).zip(hits) {
            hit.rank = rank;
        }
    }
}

impl SearchInput {
    /// A question with nothing else said.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            mode: None,
            max_results: None,
            filter: Filter::none(),
            params: Map::new(),
            ignored_words: Vec::new(),
            history: Vec::new(),
            tenant: gannet_api::DEFAULT_TENANT.to_owned(),
            hops: 0,
            timeout: None,
            counting: Counting::default(),
            order: EntryOrder::default(),
            events: Events::default(),
        }
    }
}

impl Gannet {
    /// Answers a question by any mode that is on.
    ///
    /// # Errors
    /// [`HostError::UnknownMode`] for a name that is not on,
    /// [`HostError::Plugin`] for bad parameters and for a mode that failed as
    /// a whole, [`HostError::Store`] when the entries cannot be read.
    pub async fn search(&self, input: SearchInput) -> Result<SearchResult, HostError> {
        let started = Instant::now();
        let mode = input.mode.as_deref().unwrap_or(self.default_mode());
        let instance = self.mode(mode)?;
        let mode = instance.descriptor.name.as_str();
        check_params(&instance.descriptor, &input.params)?;
        let limit = self.limit(input.max_results)?;
        let mut notes = Vec::new();
        let query = self.shorten(&input.query, &mut notes);

        let deadline = Deadline::after(input.timeout.unwrap_or(self.request_timeout()));
        let mut call = Call::new(self.next_request_id(), input.tenant.as_str(), deadline);
        call.hops = input.hops;
        let state = RequestState::ignoring(&input.ignored_words);
        let scope = CallScope::new(Arc::new(state), input.filter.clone());
        let gate = EventGate::new(input.events);
        let plugin = PluginName {
            kind: instance.descriptor.kind,
            name: mode,
        };
        let context = self.services().scoped_context(call, plugin, &scope);
        let context = context.with_events(gate.events(&scope));
        let diagnostics = context.diagnostics.clone();
        let tenant = input.tenant.clone();
        let question = Question {
            text: &query,
            syntax: QuerySyntax::Operators,
            filter: &input.filter,
        };
        let state = scope.request();
        let plan = self.services().query_plan(&context.call, question, state);
        let plan = plan.await;
        let call = context.call.clone();
        let answer = if query.trim().is_empty() && input.filter.is_empty() {
            notes.push(Diagnostic::info("service", "the question is blank"));
            Ok(Answer::default())
        } else {
            let request = PipelineRequest::new(query.clone(), limit)
                .with_filter(input.filter)
                .with_params(input.params)
                .with_history(input.history)
                .with_plan(plan.clone());
            let plugin = &instance.object;
            self.run(mode, plugin, request, context, &scope).await
        };
        gate.end();
        let answer = answer?;
        notes.extend(diagnostics.take());
        let (place, shown) = ((self.store(), tenant.as_str()), scope.request().shown());
        let mut entries = hydrate(place, answer.hits, shown, &mut notes).await?;
        self.hold_given(&entries, shown);
        let asked = Asked::question(&query, &plan);
        let by = AskedBy::of(answer.pipeline_details.as_ref());
        let services = self.services();
        let relevance = services.set_relevance(&call, &asked, &mut entries, mode, (state, by));
        notes.extend(relevance.await);
        input.order.apply(&mut entries);
        if entries.is_empty() {
            let why = self.why_nothing(&tenant, &query, scope.filter(), deadline);
            notes.extend(why.await?);
        }
        let question = CountedQuestion {
            tenant: &tenant,
            query: &query,
            plan: &plan,
            filter: scope.filter(),
            mode,
            found: entries.len(),
            searched_store: scope.request().has_searched_store(),
        };
        let counted = self.count_matches(question, &input.counting, deadline, &mut notes);
        let counted = counted.await?;
        let mut result = SearchResult {
            query,
            mode: mode.to_owned(),
            entries,
            matches: counted.matches,
            facets: counted.facets,
            answer: answer.answer,
            answer_status: answer.answer_status,
            answer_confidence: answer.answer_confidence,
            answer_highlights: answer.answer_highlights,
            citations: answer.citations,
            sources: answer.sources,
            search_modes_used: answer.search_modes_used,
            reasoning: answer.reasoning,
            plan: QueryPlan::clone(&plan),
            degraded: answer.degraded
                || scope.request().is_degraded()
                || notes.iter().any(is_partial),
            diagnostics: notes,
            pipeline_details: with_plan(answer.pipeline_details, answer.plan),
            extensions: answer.extensions,
            took_ms: started.elapsed().as_secs_f64() * 1000.0,
            stability_hash: String::new(),
        };
        result.set_stability_hash();
        self.log_answer(&mut result);
        Ok(result)
    }

    /// Why there are no entries, as far as there is time to find out.
    async fn why_nothing(
        &self,
        tenant: &str,
        query: &str,
        filter: &Filter,
        deadline: Deadline,
    ) -> Result<Vec<Diagnostic>, HostError> {
        let options = self.services().query_options();
        let store = self.store();
        let why = async { Ok(why_nothing(store, tenant, filter, query, &options).await?) };
        match within("looking at the filter", deadline, why).await {
            Err(Error::Timeout { .. }) => Ok(Vec::new()),
            outcome => Ok(outcome?),
        }
    }

    /// Why no entry passes a filter: a field that no entry has, a value that is
    /// misspelt, dates that leave no time between them.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn why_no_entries(
        &self,
        tenant: &str,
        filter: &Filter,
    ) -> Result<Vec<Diagnostic>, HostError> {
        let options = self.services().query_options();
        Ok(why_nothing(self.store(), tenant, filter, "", &options).await?)
    }

    fn limit(&self, requested: Option<usize>) -> Result<usize, HostError> {
        match requested {
            None => Ok(self.default_max_results()),
            Some(limit) if (1..=MAX_RESULTS).contains(&limit) => Ok(limit),
            Some(limit) => Err(Error::invalid_input(format!(
                "`max_results` is {limit}; it must be 1 to {MAX_RESULTS}"
            ))
            .into()),
        }
    }

    async fn run(
        &self,
        mode: &str,
        plugin: &Plugin,
        request: PipelineRequest,
        context: Context,
        scope: &CallScope,
    ) -> Result<Answer, HostError> {
        match plugin {
            Plugin::SearchModule(_) => search_module(mode, request, context).await,
            Plugin::Pipeline(pipeline) => {
                let pipeline = pipeline.clone();
                let services = self.services();
                Ok(services
                    .run_pipeline(mode, pipeline, request, context, scope)
                    .await?)
            }
            _ => Err(Error::not_found("mode", mode).into()),
        }
    }

    /// Cuts a question that is longer than `max_query_chars`, with a note.
    fn shorten(&self, query: &str, notes: &mut Vec<Diagnostic>) -> String {
        let max_chars = self.services().query_options().max_chars;
        let short = cut(query, max_chars);
        if short.len() < query.len() {
            notes.push(Diagnostic::info(
                "service",
                format!("the question was truncated to {max_chars} characters"),
            ));
        }
        short.to_owned()
    }
}

/// Whether a note says that vectors or words of entries are missing.
fn is_partial(note: &Diagnostic) -> bool {
    matches!(note.category.as_deref(), Some(PARTIAL | INCOMPLETE_INDEX))
}

/// The details of a pipeline with what it decided before it searched.
fn with_plan(details: Option<Value>, plan: Option<Value>) -> Option<Value> {
    let Some(plan) = plan else {
        return details;
    };
    let mut all = match details {
        Some(Value::Object(details)) => details,
        Some(other) => Map::from_iter([("details".to_owned(), other)]),
        None => Map::new(),
    };
    all.insert("plan".to_owned(), plan);
    Some(Value::Object(all))
}

/// A search module answers as a pipeline of itself alone.
async fn search_module(
    mode: &str,
    request: PipelineRequest,
    context: Context,
) -> Result<Answer, HostError> {
    let request = SearchRequest::new(request.query, request.limit)
        .with_filter(request.filter)
        .with_params(request.params)
        .with_plan(request.plan);
    let hits = context.search_module(mode, request).await?;
    let reasoning = format!("{} entries by {mode}", hits.len());
    Ok(Answer::new(hits)
        .with_reasoning(reasoning)
        .with_search_modes_used(vec![mode.to_owned()]))
}

/// Every parameter must be one that the mode has and that a caller may set.
fn check_params(descriptor: &Descriptor, params: &Map<String, Value>) -> Result<(), Error> {
    for (name, value) in params {
        let problem = match descriptor.parameter(name) {
            Some(parameter) if parameter.exposure != Exposure::Host => {
                match out_of_bounds(parameter, value) {
                    None => continue,
                    Some(problem) => problem,
                }
            }
            Some(_) => "is set by the configuration only".to_owned(),
            None => format!("is unknown; it has: {}", settable(descriptor)),
        };
        return Err(Error::invalid_input(format!(
            "parameter `{name}` of mode `{}` {problem}",
            descriptor.name
        )));
    }
    Ok(())
}

/// What is wrong with a value, by the bounds and options of its parameter.
fn out_of_bounds(parameter: &ParameterDescriptor, value: &Value) -> Option<String> {
    if let Some(number) = value.as_f64() {
        let is_below = parameter.min_value.is_some_and(|least| number < least);
        let is_above = parameter.max_value.is_some_and(|most| number > most);
        let bound = |bound: Option<f64>| bound.map_or("any".to_owned(), |bound| bound.to_string());
        return (is_below || is_above).then(|| {
            let (least, most) = (bound(parameter.min_value), bound(parameter.max_value));
            format!("is {number}; it lies between {least} and {most}")
        });
    }
    let (text, options) = (value.as_str()?, &parameter.options);
    if options.is_empty() || options.iter().any(|option| option.value == text) {
        return None;
    }
    let values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
    Some(format!("is `{text}`; it is one of {}", values.join(", ")))
}

fn settable(descriptor: &Descriptor) -> String {
    let names: Vec<&str> = descriptor
        .parameters
        .iter()
        .filter(|parameter| parameter.exposure != Exposure::Host)
        .map(|parameter| parameter.name.as_str())
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The kinds that can be named as a mode.
pub(crate) const MODE_KINDS: [PluginKind; 2] = [PluginKind::Pipeline, PluginKind::SearchModule];

/// The modes that are on, sorted, pipelines first.
pub(crate) fn modes(services: &Services) -> Vec<Descriptor> {
    MODE_KINDS
        .into_iter()
        .flat_map(|kind| {
            services
                .catalog()
                .iter()
                .filter(move |instance| instance.descriptor.kind == kind)
        })
        .map(|instance| instance.descriptor.clone())
        .collect()
}
