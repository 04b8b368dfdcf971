//! Retrieve: all modules at once, each within its own time. What one of them
//! fails at is a note beside the result of the others.

use futures::future::join_all;
use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::host::Diagnostics;
use gannet_plugin::prelude::{Context, Descriptor, Diagnostic, Error, Hit, Result, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ModuleHits;

/// What happens when a module fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The others' results stand, with a diagnostic.
    #[default]
    Degrade,
    /// The whole request fails.
    Fail,
}

/// What is asked of whom.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalPlan {
    /// The pipeline's name; diagnostics are named after it.
    pub pipeline: String,
    /// The modules, each with its request, in the order that breaks ties of
    /// provenance.
    pub requests: Vec<(String, SearchRequest)>,
    /// What happens when one fails.
    pub on_error: OnError,
}

/// What the modules answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Retrieved {
    /// How many modules were asked.
    pub asked: usize,
    /// One cleaned list a module that answered, in the order of the plan.
    pub lists: Vec<ModuleHits>,
    /// Whether a module failed or answered something that is no hit.
    pub degraded: bool,
}

impl Retrieved {
    /// How many hits a module gave; 0 when it failed.
    pub fn count(&self, module: &str) -> usize {
        self.lists
            .iter()
            .find(|list| list.module == module)
            .map_or(0, |list| list.hits.len())
    }

    /// The modules that found something.
    pub fn modules_with_hits(&self) -> Vec<String> {
        self.lists
            .iter()
            .filter(|list| !list.hits.is_empty())
            .map(|list| list.module.clone())
            .collect()
    }
}

/// One module's answer with the notes that came with it.
struct Reply<'a> {
    module: &'a str,
    limit: usize,
    outcome: Result<Vec<Hit>>,
    notes: Vec<Diagnostic>,
}

/// Asks every module at once. Each has 80 % of the time that is left
/// (promise R3); the host ends it there and contains its panics. Notes join
/// the result in the order of the plan, whichever module was first.
///
/// # Errors
/// All modules failed: [`Error::Store`] when each failure was the store's,
/// [`Error::InvalidInput`] when each refused the input, else
/// [`Error::Provider`]. With [`OnError::Fail`], the first failure in the
/// order of the plan. [`Error::Configuration`] when the plan is empty.
pub async fn retrieve(plan: RetrievalPlan, context: &Context) -> Result<Retrieved> {
    if plan.requests.is_empty() {
        return Err(Error::configuration(
            format!("pipelines.{}.retrieval_modules", plan.pipeline),
            "names no search module; name at least one",
        ));
    }
    let replies = join_all(
        plan.requests
            .iter()
            .map(|(module, request)| ask(module, request.clone(), context)),
    )
    .await;

    let mut retrieved = Retrieved {
        asked: plan.requests.len(),
        ..Retrieved::default()
    };
    let descriptors = context.descriptors();
    let mut failures = Vec::new();
    for reply in replies {
        let (dropped, notes) = split_dropped(&plan.pipeline, reply.module, reply.notes);
        let has_dropped = !dropped.is_empty();
        context.diagnostics.extend(notes.into_iter().chain(dropped));
        match reply.outcome {
            Ok(hits) => {
                let mut list = accept(&plan.pipeline, reply.module, hits, reply.limit, context);
                list.degraded |= has_dropped;
                retrieved.degraded |= list.degraded;
                match list.degraded && list.hits.hits.is_empty() {
                    true => failures.push((reply.module.to_owned(), only_garbage(reply.module))),
                    false => retrieved.lists.push(list.hits),
                }
            }
            Err(error) => {
                context.diagnose(failure_note(
                    &plan.pipeline,
                    reply.module,
                    &error,
                    &descriptors,
                ));
                retrieved.degraded = true;
                failures.push((reply.module.to_owned(), error));
            }
        }
    }
    if plan.on_error == OnError::Fail && !failures.is_empty() {
        return Err(failures.swap_remove(0).1);
    }
    if retrieved.lists.is_empty() {
        return Err(all_failed(&format!("{}.retrieve", plan.pipeline), failures));
    }
    Ok(retrieved)
}

async fn ask<'a>(module: &'a str, request: SearchRequest, context: &Context) -> Reply<'a> {
    let limit = request.limit;
    let mut own = context.with_deadline(context.call.deadline.for_part());
    own.diagnostics = Diagnostics::default();
    let outcome = own.search_module(module, request).await;
    Reply {
        module,
        limit,
        outcome,
        notes: own.diagnostics.take(),
    }
}

/// The host's diagnostics about results of a module that it dropped, named
/// after the stage, and the others.
fn split_dropped(
    pipeline: &str,
    module: &str,
    notes: Vec<Diagnostic>,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let is_about_dropped = |note: &Diagnostic| {
        note.source == "service.results" && note.category.as_deref() == Some("invalid_result")
    };
    let (mut dropped, others): (Vec<_>, Vec<_>) = notes.into_iter().partition(is_about_dropped);
    for note in &mut dropped {
        note.source = source(pipeline, module);
    }
    (dropped, others)
}

/// Of a module whose every result was dropped: it told nothing, and must not
/// pass for one that found nothing.
fn only_garbage(module: &str) -> Error {
    Error::Provider {
        provider: module.to_owned(),
        message: "returned only invalid results".to_owned(),
        retryable: false,
    }
}

struct Accepted {
    hits: ModuleHits,
    degraded: bool,
}

fn accept(
    pipeline: &str,
    module: &str,
    hits: Vec<Hit>,
    limit: usize,
    context: &Context,
) -> Accepted {
    let mut list = ModuleHits::new(module, hits);
    let garbage = list.clean();
    list.hits.truncate(limit);
    if garbage > 0 {
        let message = format!(
            "{module} returned {garbage} results without an id or with an invalid score; they were \
             dropped"
        );
        context.diagnose(
            Diagnostic::warning(source(pipeline, module), message).category("invalid_result"),
        );
    }
    Accepted {
        hits: list,
        degraded: garbage > 0,
    }
}

fn failure_note(
    pipeline: &str,
    module: &str,
    error: &Error,
    descriptors: &[Descriptor],
) -> Diagnostic {
    let source = source(pipeline, module);
    if is_of_the_embedder(module, error, descriptors) {
        let message = format!("{module} was skipped, its embedder failed: {error}");
        return Diagnostic::warning(source, message).category("embedding");
    }
    Diagnostic::error(source, format!("{module} failed: {error}")).category(error.category())
}

/// Whether a module failed because no vector of the question could be made:
/// it needs an embedder, and a provider failed, is missing or is resting. A
/// server that the module asks itself goes by the module's name.
fn is_of_the_embedder(module: &str, error: &Error, descriptors: &[Descriptor]) -> bool {
    if matches!(error, Error::Provider { provider, .. } if provider == module) {
        return false;
    }
    let is_a_providers = matches!(
        error,
        Error::Provider { .. }
            | Error::InvalidResult { .. }
            | Error::Unavailable { .. }
            | Error::NotFound { .. }
    );
    is_a_providers
        && descriptors.iter().any(|descriptor| {
            descriptor.kind == PluginKind::SearchModule
                && descriptor.name == module
                && descriptor.needs.embedder
        })
}

fn source(pipeline: &str, module: &str) -> String {
    format!("{pipeline}.retrieve.{module}")
}

/// One error that stands for all that a stage asked, each named: a refusal of
/// the input by all is the first one's own; else a retry can help when it can for any.
pub fn all_failed(stage: &str, mut failures: Vec<(String, Error)>) -> Error {
    let every = |of_that_kind: fn(&Error) -> bool| failures.iter().all(|(_, e)| of_that_kind(e));
    let is_refused = every(|error| matches!(error, Error::InvalidInput { .. }));
    if is_refused && !failures.is_empty() {
        return failures.swap_remove(0).1;
    }
    let retryable = failures.iter().any(|(_, error)| error.is_retryable());
    let reasons: Vec<String> = failures
        .iter()
        .map(|(module, error)| format!("{module}: {error}"))
        .collect();
    let message = format!("all search modules failed: {}", reasons.join("; "));
    if every(|error| matches!(error, Error::Store { .. })) {
        return Error::Store { message, retryable };
    }
    Error::Provider {
        provider: stage.to_owned(),
        message,
        retryable,
    }
}
