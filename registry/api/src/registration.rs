//! How a plugin makes itself known: one [`Registration`] a plugin, collected
//! by `inventory` in the program or in the dylib that holds it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Adapter, ChatModel, Descriptor, DynAdapter, DynChatModel, DynEmbedder, DynEnhancer,
    DynPipeline, DynReranker, DynSearchModule, Embedder, Enhancer, Pipeline, Prompts, Reranker,
    Result, SearchModule, read_settings,
};

/// What a plugin is told when an instance of it is made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The name of this instance in the configuration.
    pub instance: String,
    /// For a pipeline: the search modules that the configuration gives it.
    pub retrieval_modules: Vec<String>,
    /// The provider that the configuration names for it.
    pub provider: Option<String>,
    /// The model that the configuration names for it. For an embedder or a
    /// chat model: the one that it will be asked for. An embedder whose
    /// [`model`](crate::Embedder::model) is another one then, and a provider
    /// that refuses to be made, are errors at start.
    pub model: Option<String>,
    /// The facility's time zone, an IANA name; days are days there.
    pub timezone: String,
    /// What the facility says to chat models.
    pub prompts: Prompts,
}

/// One plugin that is linked into this program or dylib.
#[derive(Clone, Copy)]
pub struct Registration {
    /// The crate that it comes from.
    pub package: &'static str,
    /// That crate's version.
    pub version: &'static str,
    /// What it is.
    pub describe: fn() -> Descriptor,
    /// Makes an instance.
    pub constructor: Constructor,
}

inventory::collect!(Registration);

/// Makes an instance of a plugin from its settings, which were checked
/// against the descriptor's schema before.
#[derive(Clone, Copy)]
pub enum Constructor {
    /// Of a search module.
    SearchModule(fn(Value, &Setup) -> Result<Arc<dyn DynSearchModule>>),
    /// Of a pipeline.
    Pipeline(fn(Value, &Setup) -> Result<Arc<dyn DynPipeline>>),
    /// Of an adapter.
    Adapter(fn(Value, &Setup) -> Result<Arc<dyn DynAdapter>>),
    /// Of an enhancer.
    Enhancer(fn(Value, &Setup) -> Result<Arc<dyn DynEnhancer>>),
    /// Of an embedder.
    Embedder(fn(Value, &Setup) -> Result<Arc<dyn DynEmbedder>>),
    /// Of a reranker.
    Reranker(fn(Value, &Setup) -> Result<Arc<dyn DynReranker>>),
    /// Of a chat model.
    ChatModel(fn(Value, &Setup) -> Result<Arc<dyn DynChatModel>>),
}

/// An instance of a plugin of any kind.
#[derive(Clone)]
pub enum Plugin {
    /// A search module.
    SearchModule(Arc<dyn DynSearchModule>),
    /// A pipeline.
    Pipeline(Arc<dyn DynPipeline>),
    /// An adapter.
    Adapter(Arc<dyn DynAdapter>),
    /// An enhancer.
    Enhancer(Arc<dyn DynEnhancer>),
    /// An embedder.
    Embedder(Arc<dyn DynEmbedder>),
    /// A reranker.
    Reranker(Arc<dyn DynReranker>),
    /// A chat model.
    ChatModel(Arc<dyn DynChatModel>),
}

/// Writes the registration of one kind: the author's type in, the function
/// pointers out.
macro_rules! registration_of {
    ($function:ident, $variant:ident, $author:ident, $behind_pointer:ident, $doc:literal) => {
        #[doc = $doc]
        pub const fn $function<T: $author>(package: &'static str, version: &'static str) -> Self {
            Self {
                package,
                version,
                describe: || T::descriptor().with_settings::<T::Settings>(),
                constructor: Constructor::$variant(|settings, setup| {
                    let plugin = T::new(read_settings(settings)?, setup)?;
                    Ok(Arc::new(plugin) as Arc<dyn $behind_pointer>)
                }),
            }
        }
    };
}

impl Registration {
    registration_of!(
        search_module,
        SearchModule,
        SearchModule,
        DynSearchModule,
        "Registers a search module."
    );
    registration_of!(
        pipeline,
        Pipeline,
        Pipeline,
        DynPipeline,
        "Registers a pipeline."
    );
    registration_of!(
        adapter,
        Adapter,
        Adapter,
        DynAdapter,
        "Registers an adapter."
    );
    registration_of!(
        enhancer,
        Enhancer,
        Enhancer,
        DynEnhancer,
        "Registers an enhancer."
    );
    registration_of!(
        embedder,
        Embedder,
        Embedder,
        DynEmbedder,
        "Registers an embedder."
    );
    registration_of!(
        reranker,
        Reranker,
        Reranker,
        DynReranker,
        "Registers a reranker."
    );
    registration_of!(
        chat_model,
        ChatModel,
        ChatModel,
        DynChatModel,
        "Registers a chat model."
    );

    /// Makes an instance.
    ///
    /// # Errors
    /// What the plugin says of its settings.
    pub fn construct(&self, settings: Value, setup: &Setup) -> Result<Plugin> {
        Ok(match self.constructor {
            Constructor::SearchModule(new) => Plugin::SearchModule(new(settings, setup)?),
            Constructor::Pipeline(new) => Plugin::Pipeline(new(settings, setup)?),
            Constructor::Adapter(new) => Plugin::Adapter(new(settings, setup)?),
            Constructor::Enhancer(new) => Plugin::Enhancer(new(settings, setup)?),
            Constructor::Embedder(new) => Plugin::Embedder(new(settings, setup)?),
            Constructor::Reranker(new) => Plugin::Reranker(new(settings, setup)?),
            Constructor::ChatModel(new) => Plugin::ChatModel(new(settings, setup)?),
        })
    }

    /// Every registration that is linked into this program or dylib, in no
    /// particular order.
    pub fn linked() -> impl Iterator<Item = &'static Registration> {
        inventory::iter::<Registration>.into_iter()
    }
}
