//! The host's services, as plugins see them.

use std::future::Future;
use std::sync::{Arc, Weak};

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{
    Answer, Call, ChatRequest, ChatStream, Context, Deadline, Descriptor, DynPipeline,
    EmbedPurpose, EmbedRequest, Embeddings, Error, Found, Hit, PipelineRequest, PluginKind,
    Provenance, RerankRequest, RerankScore, Result, SearchRequest, TextSearch, VectorSearch,
};
use gannet_registry::Catalog;
use gannet_store::{Store, TextRequest, VectorRequest};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::answering_model::AnsweringModels;
use crate::bound_host::BoundHost;
use crate::bounded_drop::BoundedDrop;
use crate::chat::bounded;
use crate::exact_id::put_named_first;
use crate::isolate::isolate;
use crate::quarantine::{PluginName, Quarantine};

/// How many modules and pipelines may call each other in a row.
const MAX_DEPTH: u8 = 8;

/// The host's services. Clones share everything.
#[derive(Clone)]
pub(crate) struct Services(Arc<Parts>);

/// [`Services`] that do not keep the host's parts alive.
pub(crate) struct WeakServices(Weak<Parts>);

impl WeakServices {
    pub(crate) fn upgrade(&self) -> Option<Services> {
        self.0.upgrade().map(Services)
    }
}

struct Parts {
    store: Store,
    catalog: BoundedDrop<Catalog>,
    descriptors: Arc<[Descriptor]>,
    timezone: TimeZone,
    max_query_chars: usize,
    default_embedder: String,
    quarantine: Quarantine,
    answering_models: AnsweringModels,
}

/// What [`Services`] are made from.
pub(crate) struct ServiceOptions {
    pub timezone: TimeZone,
    pub max_query_chars: usize,
    pub default_embedder: String,
}

impl Services {
    pub(crate) fn new(store: Store, catalog: Catalog, options: ServiceOptions) -> Self {
        let instances = catalog.iter();
        let descriptors = instances.map(|instance| instance.descriptor.clone());
        Self(Arc::new(Parts {
            store,
            descriptors: descriptors.collect(),
            catalog: BoundedDrop::new(catalog),
            timezone: options.timezone,
            max_query_chars: options.max_query_chars,
            default_embedder: options.default_embedder,
            quarantine: Quarantine::default(),
            answering_models: AnsweringModels::default(),
        }))
    }

    /// The plugins that panicked too often.
    pub(crate) fn quarantine(&self) -> &Quarantine {
        &self.0.quarantine
    }

    /// Awaits a call of a plugin: within the deadline, with its panics turned
    /// into errors and counted.
    ///
    /// # Errors
    /// The plugin's own; [`Error::Timeout`], [`Error::Panicked`], and
    /// [`Error::Unavailable`] when it panicked too often before.
    pub(crate) async fn isolate<T: Send + 'static>(
        &self,
        plugin: PluginName<'_>,
        deadline: Deadline,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.quarantine().admit(plugin)?;
        let outcome = isolate(&plugin.to_string(), deadline, work).await;
        self.quarantine().note(plugin, outcome)
    }

    pub(crate) fn downgrade(&self) -> WeakServices {
        WeakServices(Arc::downgrade(&self.0))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// Which models answer in the place of others.
    pub(crate) fn answering_models(&self) -> &AnsweringModels {
        &self.0.answering_models
    }

    /// How query texts are read right now.
    pub(crate) fn query_options(&self) -> QueryOptions {
        QueryOptions {
            timezone: self.0.timezone.clone(),
            now: Timestamp::now(),
            max_chars: self.0.max_query_chars,
        }
    }

    /// The name of the embedder that is used when none is named.
    pub(crate) fn default_embedder(&self) -> &str {
        &self.0.default_embedder
    }

    /// A context for a call into a plugin, with the services bound to it.
    pub(crate) fn context(&self, call: Call) -> Context {
        let host = BoundHost::new(self, &call);
        Context::new(call, Arc::new(host))
    }

    /// What is registered and on, sorted by kind and name.
    pub(crate) fn descriptors(&self) -> Arc<[Descriptor]> {
        self.0.descriptors.clone()
    }

    pub(crate) async fn search_text(&self, call: &Call, request: TextSearch) -> Result<Found> {
        let query = parse(&request.query, request.syntax, &self.query_options());
        let mut notes = query.diagnostics.clone();
        let request = TextRequest {
            query,
            filter: request.filter,
            limit: request.limit,
            highlights: request.highlights,
            fuzzy: request.fuzzy,
        };
        let mut found = self.store().text_search(&call.tenant, request).await?;
        notes.append(&mut found.diagnostics);
        found.diagnostics = notes;
        Ok(found)
    }

    pub(crate) async fn search_vectors(&self, call: &Call, request: VectorSearch) -> Result<Found> {
        let model = match request.model {
            Some(model) => model,
            None => self.embedder(self.default_embedder())?.model().name,
        };
        let request = VectorRequest {
            model: model.clone(),
            vector: request.vector,
            filter: request.filter,
            limit: request.limit,
            min_similarity: request.min_similarity,
        };
        let mut found = self.store().vector_search(&call.tenant, request).await?;
        let note = self.coverage_note(&call.tenant, &model).await?;
        found.diagnostics.extend(note);
        Ok(found)
    }

    /// Asks the search module of this name, or the pipeline: that gives its
    /// hits, and its words are left out.
    pub(crate) async fn ask_module(
        &self,
        call: &Call,
        name: &str,
        request: SearchRequest,
    ) -> Result<Found> {
        let context = self.context(deeper(call)?);
        let diagnostics = context.diagnostics.clone();
        let limit = request.limit;
        let (query, filter) = (request.query.clone(), request.filter.clone());
        let mut hits = match self.catalog().search_module(name).cloned() {
            Some(module) => {
                let plugin = PluginName {
                    kind: PluginKind::SearchModule,
                    name,
                };
                let work = async move { module.search(request, &context).await };
                self.isolate(plugin, call.deadline, work).await?
            }
            None => {
                let not_found = || Error::not_found(PluginKind::SearchModule.label(), name);
                let pipeline = self.catalog().pipeline(name).cloned();
                let pipeline = pipeline.ok_or_else(not_found)?;
                let request = PipelineRequest {
                    query: request.query,
                    limit,
                    filter: request.filter,
                    params: request.params,
                    history: Vec::new(),
                };
                let answer = self.run_pipeline(name, pipeline, request, context);
                answer.await?.hits
            }
        };
        put_named_first(&query, &filter, &mut hits, self.store(), &call.tenant).await?;
        hits.truncate(limit);
        sign(&mut hits, name);
        Ok(Found {
            hits,
            diagnostics: diagnostics.take(),
        })
    }

    /// Runs a pipeline within its call's deadline, its panics contained.
    pub(crate) async fn run_pipeline(
        &self,
        name: &str,
        pipeline: Arc<dyn DynPipeline>,
        request: PipelineRequest,
        context: Context,
    ) -> Result<Answer> {
        let plugin = PluginName {
            kind: PluginKind::Pipeline,
            name,
        };
        let deadline = context.call.deadline;
        let work = async move { pipeline.run(request, &context).await };
        self.isolate(plugin, deadline, work).await
    }

    pub(crate) async fn embed_texts(
        &self,
        call: &Call,
        request: EmbedRequest,
    ) -> Result<Embeddings> {
        let name = request.provider.as_deref();
        let name = name.unwrap_or(self.default_embedder());
        let is_question = request.purpose == EmbedPurpose::Query;
        let (name, embedder) = match is_question {
            true => self.answering_embedder(&call.tenant, name).await?,
            false => (name.to_owned(), self.embedder(name)?),
        };
        let model = embedder.model();
        let expected = request.texts.len();
        let plugin = PluginName {
            kind: PluginKind::Embedder,
            name: &name,
        };
        let work = async move { embedder.embed(request.texts, request.purpose).await };
        let vectors = self.isolate(plugin, call.deadline, work).await?;
        if vectors.len() != expected || vectors.iter().any(|v| v.len() != model.dimension) {
            return Err(Error::Provider {
                provider: name,
                message: format!(
                    "gave {} vectors for {expected} texts, or not of {} numbers each",
                    vectors.len(),
                    model.dimension
                ),
                retryable: false,
            });
        }
        // Of documents each entry is judged by itself, when it is stored.
        let is_finite = |vector: &Vec<f32>| vector.iter().all(|number| number.is_finite());
        if is_question && !vectors.iter().all(is_finite) {
            return Err(Error::Provider {
                provider: name,
                message: "gave a vector that holds a number that is not finite".to_owned(),
                retryable: false,
            });
        }
        Ok(Embeddings { vectors, model })
    }

    pub(crate) fn embedder(&self, name: &str) -> Result<Arc<dyn gannet_api::DynEmbedder>> {
        self.catalog()
            .embedder(name)
            .cloned()
            .ok_or_else(|| not_configured(PluginKind::Embedder, name))
    }

    /// The provider that is named, or the first of its kind.
    fn provider_name(&self, kind: PluginKind, named: Option<&str>) -> Result<String> {
        let first = || {
            self.catalog()
                .names(kind)
                .first()
                .map(|name| (*name).to_owned())
        };
        named
            .map(str::to_owned)
            .or_else(first)
            .ok_or_else(|| Error::Unavailable {
                message: format!(
                    "no {} is configured; name one under `providers`",
                    kind.label()
                ),
            })
    }

    pub(crate) async fn rerank_texts(
        &self,
        call: &Call,
        request: RerankRequest,
    ) -> Result<Vec<RerankScore>> {
        let name = self.provider_name(PluginKind::Reranker, request.provider.as_deref())?;
        let reranker = self
            .catalog()
            .reranker(&name)
            .cloned()
            .ok_or_else(|| not_configured(PluginKind::Reranker, &name))?;
        let plugin = PluginName {
            kind: PluginKind::Reranker,
            name: &name,
        };
        let work = async move { reranker.rerank(request.query, request.documents).await };
        self.isolate(plugin, call.deadline, work).await
    }

    pub(crate) async fn start_chat(&self, call: &Call, request: ChatRequest) -> Result<ChatStream> {
        let name = self.provider_name(PluginKind::ChatModel, request.provider.as_deref())?;
        let model = self
            .catalog()
            .chat_model(&name)
            .cloned()
            .ok_or_else(|| not_configured(PluginKind::ChatModel, &name))?;
        let plugin = PluginName {
            kind: PluginKind::ChatModel,
            name: &name,
        };
        let work = async move { model.chat(request).await };
        let stream = self.isolate(plugin, call.deadline, work).await?;
        let services = self.downgrade();
        let operation = plugin.to_string();
        Ok(bounded(stream, operation, call.deadline, move |piece| {
            let plugin = PluginName {
                kind: PluginKind::ChatModel,
                name: &name,
            };
            match services.upgrade() {
                Some(services) => services.quarantine().note(plugin, piece),
                None => piece,
            }
        }))
    }
}

/// The call one step further from the surface.
fn deeper(call: &Call) -> Result<Call> {
    if call.depth >= MAX_DEPTH {
        return Err(Error::invalid_input(format!(
            "more than {MAX_DEPTH} modules call each other in a row; check `retrieval_modules` \
             for a circle"
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
            hit.provenance.push(Provenance {
                module: module.to_owned(),
                rank: u32::try_from(index + 1).unwrap_or(u32::MAX),
                score: hit.score,
                score_kind: hit.score_kind,
            });
        }
    }
}

fn not_configured(kind: PluginKind, name: &str) -> Error {
    Error::NotFound {
        what: kind.label().to_owned(),
        name: name.to_owned(),
        hint: "; name one under `providers` in the configuration".to_owned(),
    }
}
