//! The host's services, as plugins see them.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{
    Call, ChatRequest, ChatStream, Context, Deadline, Descriptor, Error, Found, PluginKind, Result,
    TextSearch, VectorSearch,
};
use gannet_registry::Catalog;
use gannet_store::{Store, TextFound, TextRequest, VectorRequest};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::answering_model::AnsweringModels;
use crate::bound_host::BoundHost;
use crate::bounded_drop::BoundedDrop;
use crate::chat::bounded;
use crate::config::DateOrder;
use crate::feedback::FeedbackRoom;
use crate::known_values::KnownValues;
use crate::lasting::Lasting;
use crate::lifecycle::Instances;
use crate::outgoing::{Outgoing, of_reader};
use crate::plan::PlanSettings;
use crate::quarantine::{PluginName, Quarantine};
use crate::question_cache::QuestionCache;
use crate::replies::{CallScope, bounded_error};
use crate::saved_searches::SavedIndexes;
use crate::service_options::ServiceOptions;
use crate::vocabulary::Vocabulary;

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
    instances: BoundedDrop<Instances>,
    descriptors: Arc<[Descriptor]>,
    timezone: TimeZone,
    date_order: DateOrder,
    known_values: KnownValues,
    outgoing: Outgoing,
    /// The folder of files that were uploaded.
    attachments: PathBuf,
    vocabulary: Vocabulary,
    max_query_chars: usize,
    default_embedder: String,
    /// Whether the store keeps token vectors.
    late_interaction: bool,
    /// What results say about search modules, by their names.
    module_notes: BTreeMap<String, Vec<String>>,
    quarantine: Quarantine,
    answering_models: AnsweringModels,
    questions: QuestionCache,
    saved_indexes: SavedIndexes,
    feedback_room: FeedbackRoom,
    lasting: Arc<Lasting>,
}

impl Services {
    pub(crate) fn new(
        store: Store,
        catalog: Catalog,
        options: ServiceOptions,
        lasting: Arc<Lasting>,
    ) -> Self {
        let instances = catalog.iter();
        let descriptors = instances.map(|instance| instance.descriptor.clone());
        Self(Arc::new(Parts {
            store,
            descriptors: descriptors.collect(),
            outgoing: Outgoing::new(
                &catalog,
                options.sources,
                (options.private_hosts, &options.proxies),
            ),
            attachments: options.attachments,
            instances: BoundedDrop::new(Instances::new(catalog)),
            timezone: options.timezone,
            date_order: options.date_order,
            known_values: KnownValues::named(options.value_names),
            vocabulary: options.vocabulary,
            max_query_chars: options.max_query_chars,
            default_embedder: options.default_embedder,
            late_interaction: options.late_interaction,
            module_notes: options.module_notes,
            quarantine: Quarantine::default(),
            answering_models: AnsweringModels::default(),
            questions: QuestionCache::default(),
            saved_indexes: SavedIndexes::default(),
            feedback_room: FeedbackRoom::default(),
            lasting,
        }))
    }

    /// What the configuration has to say about a search module wherever its
    /// hits are shown.
    pub(crate) fn module_notes(&self, name: &str) -> &[String] {
        self.0.module_notes.get(name).map_or(&[], Vec::as_slice)
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
    /// [`Error::Unavailable`] when it could not start or panicked too often
    /// before.
    pub(crate) async fn isolate<T: Send + 'static>(
        &self,
        plugin: PluginName<'_>,
        deadline: Deadline,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.quarantine().admit(plugin)?;
        self.ensure_started(plugin, deadline).await?;
        let outcome = self.instances().call(plugin, deadline, work).await;
        let outcome = outcome.map_err(|error| bounded_error(of_reader(plugin, error)));
        self.quarantine().note(plugin, outcome)
    }

    pub(crate) fn downgrade(&self) -> WeakServices {
        WeakServices(Arc::downgrade(&self.0))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        self.0.instances.catalog()
    }

    /// The instances, started or not.
    pub(crate) fn instances(&self) -> &Instances {
        &self.0.instances
    }

    /// The servers that plugins may call.
    pub(crate) fn outgoing(&self) -> &Outgoing {
        &self.0.outgoing
    }

    /// The folder of files that were uploaded.
    pub(crate) fn attachments(&self) -> &Path {
        &self.0.attachments
    }

    /// What a reload keeps.
    pub(crate) fn lasting(&self) -> &Arc<Lasting> {
        &self.0.lasting
    }

    /// The saved searches as entries are matched against them.
    pub(crate) fn saved_indexes(&self) -> &SavedIndexes {
        &self.0.saved_indexes
    }

    /// The embeddings of questions that were asked before.
    pub(crate) fn questions(&self) -> &QuestionCache {
        &self.0.questions
    }

    /// New rows of feedback that there is room for.
    pub(crate) fn feedback_room(&self) -> &FeedbackRoom {
        &self.0.feedback_room
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

    /// How questions are planned right now.
    pub(crate) fn plan_settings(&self) -> PlanSettings {
        PlanSettings {
            now: Timestamp::now(),
            timezone: self.0.timezone.clone(),
            date_order: self.0.date_order,
            max_chars: self.0.max_query_chars,
        }
    }

    /// The facility's vocabulary; an empty one where none is on.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    /// The values that the store knows.
    pub(crate) fn known_values(&self) -> &KnownValues {
        &self.0.known_values
    }

    /// The name of the embedder that is used when none is named.
    pub(crate) fn default_embedder(&self) -> &str {
        &self.0.default_embedder
    }

    /// Whether the store keeps token vectors, by the configuration.
    pub(crate) fn keeps_token_vectors(&self) -> bool {
        self.0.late_interaction
    }

    /// A context for a call into a plugin that is no part of a search, with
    /// the services bound to it.
    pub(crate) fn context(&self, call: Call, plugin: PluginName<'_>) -> Context {
        let host = BoundHost::new(self, &call, plugin.into(), None);
        Context::new(call, Arc::new(host))
    }

    /// A context for a call into a module or a pipeline. What the services
    /// give to it is remembered in the scope.
    pub(crate) fn scoped_context(
        &self,
        call: Call,
        plugin: PluginName<'_>,
        scope: &CallScope,
    ) -> Context {
        let host = BoundHost::new(self, &call, plugin.into(), Some(scope.clone()));
        Context::new(call, Arc::new(host))
    }

    /// What is registered and on, sorted by kind and name.
    pub(crate) fn descriptors(&self) -> Arc<[Descriptor]> {
        self.0.descriptors.clone()
    }

    /// Searches texts for an instance of this name.
    pub(crate) async fn search_text(
        &self,
        call: &Call,
        request: TextSearch,
        instance: &str,
    ) -> Result<TextFound> {
        let mut query = parse(&request.query, request.syntax, &self.query_options());
        if self.vocabulary().expands(instance) {
            self.vocabulary().expand(&mut query);
        }
        let mut notes = query.diagnostics.clone();
        let request = TextRequest {
            query,
            filter: request.filter,
            limit: request.limit,
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

    pub(crate) fn embedder(&self, name: &str) -> Result<Arc<dyn gannet_api::DynEmbedder>> {
        self.catalog()
            .embedder(name)
            .cloned()
            .ok_or_else(|| not_configured(PluginKind::Embedder, name))
    }

    /// The provider that is named, or the first of its kind.
    pub(crate) fn provider_name(&self, kind: PluginKind, named: Option<&str>) -> Result<String> {
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
        let context = self.context(call.clone(), plugin);
        let work = async move { model.chat(request, &context).await };
        let stream = self.isolate(plugin, call.deadline, work).await?;
        let services = self.downgrade();
        let operation = plugin.to_string();
        Ok(bounded(stream, operation, call.deadline, move |piece| {
            let plugin = PluginName {
                kind: PluginKind::ChatModel,
                name: &name,
            };
            match services.upgrade() {
                Some(services) => {
                    let piece = piece.map_err(bounded_error);
                    services.quarantine().note(plugin, piece)
                }
                None => piece,
            }
        }))
    }
}

pub(crate) fn invalid_result(plugin: PluginName<'_>, message: String) -> Error {
    Error::InvalidResult {
        plugin: plugin.to_string(),
        message,
    }
}

pub(crate) fn not_configured(kind: PluginKind, name: &str) -> Error {
    Error::NotFound {
        what: kind.label().to_owned(),
        name: name.to_owned(),
        hint: match kind {
            PluginKind::Reranker => {
                "; none is built in: configure `cross_encoder` or `rerank_server` under `providers`"
            }
            _ => "; name one under `providers` in the configuration",
        }
        .to_owned(),
    }
}
